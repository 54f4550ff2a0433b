#include "keelson/apiserver/openapi/protobuf.h"
#include "keelson/apiserver/openapi/protobuf_message.h"

namespace keelson::apiserver::openapi {

namespace {

using enum FieldForm;
using Writer = ProtobufWriter;

// Schemas are as deep as the reader of definitions allows.
void Schema(const Json& value, Writer& out);
constexpr uint32_t kNoExtensions = 0;

void Reference(const Json& value, Writer& out) {
  static constexpr MessageField kFields[] = {{"$ref", 1, kText}, {"summary", 2, kText}, {"description", 3, kText}};
  WriteFields(kFields, kNoExtensions, value, out);
}

// Nearly everything may be a reference to one instead: field 1 or 2.
template <MessageBody body>
void OrReference(const Json& value, Writer& out) {
  if (IsReference(value)) return Wrapped<Reference, 2>(value, out);
  Wrapped<body, 1>(value, out);
}

void AdditionalProperties(const Json& value, Writer& out) {
  if (value.is_bool()) return WriteChosenBool(2, value.boolean(), out);
  Wrapped<OrReference<Schema>>(value, out);
}

// Lists and objects cannot be told.
void Default(const Json& value, Writer& out) {
  constexpr uint32_t kNumber = 1;
  constexpr uint32_t kBoolean = 2;
  constexpr uint32_t kString = 3;
  if (value.is_number()) WriteChosenDouble(kNumber, value.number(), out);
  if (value.is_bool()) WriteChosenBool(kBoolean, value.boolean(), out);
  if (value.is_string()) out.PrependBytesField(kString, value.string().view());
}

void ExternalDocs(const Json& value, Writer& out) {
  static constexpr MessageField kFields[] = {{"description", 1, kText}, {"url", 2, kText}};
  WriteFields(kFields, 3, value, out);
}

void Schema(const Json& value, Writer& out) {
  static constexpr MessageField kFields[] = {{"nullable", 1, kBool},
                                             {"externalDocs", 6, kMessage, ExternalDocs},
                                             {"example", 7, kAny},
                                             {"title", 9, kText},
                                             {"multipleOf", 10, kDouble},
                                             {"maximum", 11, kDouble},
                                             {"exclusiveMaximum", 12, kBool},
                                             {"minimum", 13, kDouble},
                                             {"exclusiveMinimum", 14, kBool},
                                             {"maxLength", 15, kInteger},
                                             {"minLength", 16, kInteger},
                                             {"pattern", 17, kText},
                                             {"maxItems", 18, kInteger},
                                             {"minItems", 19, kInteger},
                                             {"uniqueItems", 20, kBool},
                                             {"maxProperties", 21, kInteger},
                                             {"minProperties", 22, kInteger},
                                             {"required", 23, kTexts},
                                             {"enum", 24, kAnys},
                                             {"type", 25, kText},
                                             {"allOf", 26, kMessages, OrReference<Schema>},
                                             {"oneOf", 27, kMessages, OrReference<Schema>},
                                             {"anyOf", 28, kMessages, OrReference<Schema>},
                                             {"not", 29, kMessage, Schema},
                                             {"items", 30, kMessage, Wrapped<OrReference<Schema>>},
                                             {"properties", 31, kMessage, Entries<OrReference<Schema>>},
                                             {"additionalProperties", 32, kMessage, AdditionalProperties},
                                             {"default", 33, kMessage, Default},
                                             {"description", 34, kText},
                                             {"format", 35, kText}};
  WriteFields(kFields, 36, value, out);
}

void MediaType(const Json& value, Writer& out) {
  static constexpr MessageField kFields[] = {{"schema", 1, kMessage, OrReference<Schema>}};
  WriteFields(kFields, 5, value, out);
}

void Parameter(const Json& value, Writer& out) {
  static constexpr MessageField kFields[] = {{"name", 1, kText},
                                             {"in", 2, kText},
                                             {"description", 3, kText},
                                             {"required", 4, kBool},
                                             {"schema", 10, kMessage, OrReference<Schema>}};
  WriteFields(kFields, 14, value, out);
}

void RequestBody(const Json& value, Writer& out) {
  static constexpr MessageField kFields[] = {
      {"description", 1, kText}, {"content", 2, kMessage, Entries<MediaType>}, {"required", 3, kBool}};
  WriteFields(kFields, 4, value, out);
}

void Response(const Json& value, Writer& out) {
  static constexpr MessageField kFields[] = {{"description", 1, kText}, {"content", 3, kMessage, Entries<MediaType>}};
  WriteFields(kFields, 5, value, out);
}

void Operation(const Json& value, Writer& out) {
  static constexpr MessageField kFields[] = {{"tags", 1, kTexts},
                                             {"summary", 2, kText},
                                             {"description", 3, kText},
                                             {"operationId", 5, kText},
                                             {"parameters", 6, kMessages, OrReference<Parameter>},
                                             {"requestBody", 7, kMessage, OrReference<RequestBody>},
                                             {"responses", 8, kMessage, Entries<OrReference<Response>, 2>},
                                             {"deprecated", 10, kBool}};
  WriteFields(kFields, 13, value, out);
}

void PathItem(const Json& value, Writer& out) {
  static constexpr MessageField kFields[] = {
      {"get", 4, kMessage, Operation},     {"put", 5, kMessage, Operation},
      {"post", 6, kMessage, Operation},    {"delete", 7, kMessage, Operation},
      {"options", 8, kMessage, Operation}, {"head", 9, kMessage, Operation},
      {"patch", 10, kMessage, Operation},  {"parameters", 13, kMessages, OrReference<Parameter>}};
  WriteFields(kFields, 14, value, out);
}

void Info(const Json& value, Writer& out) {
  static constexpr MessageField kFields[] = {{"title", 1, kText}, {"description", 2, kText}, {"version", 6, kText}};
  WriteFields(kFields, 7, value, out);
}

void SecurityScheme(const Json& value, Writer& out) {
  static constexpr MessageField kFields[] = {
      {"type", 1, kText}, {"description", 2, kText}, {"name", 3, kText}, {"in", 4, kText}};
  WriteFields(kFields, 9, value, out);
}

void Components(const Json& value, Writer& out) {
  static constexpr MessageField kFields[] = {{"schemas", 1, kMessage, Entries<OrReference<Schema>>},
                                             {"securitySchemes", 7, kMessage, Entries<OrReference<SecurityScheme>>}};
  WriteFields(kFields, 10, value, out);
}

void Document(const Json& value, Writer& out) {
  static constexpr MessageField kFields[] = {{"openapi", 1, kText},
                                             {"info", 2, kMessage, Info},
                                             {"paths", 4, kMessage, Entries<PathItem>},
                                             {"components", 5, kMessage, Components}};
  WriteFields(kFields, 9, value, out);
}

}  // namespace

std::string DocumentToProtobufV3(const Json& document) {
  std::string bytes;
  Writer out(bytes);
  Document(document, out);
  out.Finish();
  return bytes;
}

}  // namespace keelson::apiserver::openapi
