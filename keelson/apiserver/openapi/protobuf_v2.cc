#include "keelson/apiserver/openapi/protobuf.h"
#include "keelson/apiserver/openapi/protobuf_message.h"

namespace keelson::apiserver::openapi {

namespace {

using enum FieldForm;
using Writer = ProtobufWriter;

// Schemas are as deep as the reader of definitions allows.
void Schema(const Json& value, Writer& out);
constexpr uint32_t kNoExtensions = 0;

void AdditionalProperties(const Json& value, Writer& out) {
  if (value.is_bool()) return WriteChosenBool(2, value.boolean(), out);
  Wrapped<Schema>(value, out);
}

void ExternalDocs(const Json& value, Writer& out) {
  static constexpr MessageField kFields[] = {{"description", 1, kText}, {"url", 2, kText}};
  WriteFields(kFields, 3, value, out);
}

void Schema(const Json& value, Writer& out) {
  static constexpr MessageField kFields[] = {{"$ref", 1, kText},
                                             {"format", 2, kText},
                                             {"title", 3, kText},
                                             {"description", 4, kText},
                                             {"default", 5, kAny},
                                             {"multipleOf", 6, kDouble},
                                             {"maximum", 7, kDouble},
                                             {"exclusiveMaximum", 8, kBool},
                                             {"minimum", 9, kDouble},
                                             {"exclusiveMinimum", 10, kBool},
                                             {"maxLength", 11, kInteger},
                                             {"minLength", 12, kInteger},
                                             {"pattern", 13, kText},
                                             {"maxItems", 14, kInteger},
                                             {"minItems", 15, kInteger},
                                             {"uniqueItems", 16, kBool},
                                             {"maxProperties", 17, kInteger},
                                             {"minProperties", 18, kInteger},
                                             {"required", 19, kTexts},
                                             {"enum", 20, kAnys},
                                             {"additionalProperties", 21, kMessage, AdditionalProperties},
                                             {"type", 22, kMessage, WriteTexts},
                                             {"items", 23, kMessage, Wrapped<Schema>},
                                             {"allOf", 24, kMessages, Schema},
                                             {"properties", 25, kMessage, Entries<Schema>},
                                             {"externalDocs", 29, kMessage, ExternalDocs},
                                             {"example", 30, kAny}};
  WriteFields(kFields, 31, value, out);
}

void BodyParameter(const Json& value, Writer& out) {
  static constexpr MessageField kFields[] = {{"description", 1, kText},
                                             {"name", 2, kText},
                                             {"in", 3, kText},
                                             {"required", 4, kBool},
                                             {"schema", 5, kMessage, Schema}};
  WriteFields(kFields, 6, value, out);
}

void QueryParameter(const Json& value, Writer& out) {
  static constexpr MessageField kFields[] = {{"required", 1, kBool},    {"in", 2, kText},   {"description", 3, kText},
                                             {"name", 4, kText},        {"type", 6, kText}, {"format", 7, kText},
                                             {"uniqueItems", 20, kBool}};
  WriteFields(kFields, 23, value, out);
}

void PathParameter(const Json& value, Writer& out) {
  static constexpr MessageField kFields[] = {{"required", 1, kBool},    {"in", 2, kText},   {"description", 3, kText},
                                             {"name", 4, kText},        {"type", 5, kText}, {"format", 6, kText},
                                             {"uniqueItems", 19, kBool}};
  WriteFields(kFields, 22, value, out);
}

void NonBodyParameter(const Json& value, Writer& out) {
  const Json* in = value.find("in");
  if (in != nullptr && *in == Json("path")) return Wrapped<PathParameter, 4>(value, out);
  Wrapped<QueryParameter, 3>(value, out);
}

void Parameter(const Json& value, Writer& out) {
  const Json* in = value.find("in");
  if (in != nullptr && *in == Json("body")) return Wrapped<BodyParameter, 1>(value, out);
  Wrapped<NonBodyParameter, 2>(value, out);
}

void JsonReference(const Json& value, Writer& out) {
  static constexpr MessageField kFields[] = {{"$ref", 1, kText}, {"description", 2, kText}};
  WriteFields(kFields, kNoExtensions, value, out);
}

void ParametersItem(const Json& value, Writer& out) {
  if (IsReference(value)) return Wrapped<JsonReference, 2>(value, out);
  Wrapped<Parameter, 1>(value, out);
}

void Response(const Json& value, Writer& out) {
  static constexpr MessageField kFields[] = {{"description", 1, kText}, {"schema", 2, kMessage, Wrapped<Schema>}};
  WriteFields(kFields, 5, value, out);
}

void Operation(const Json& value, Writer& out) {
  static constexpr MessageField kFields[] = {{"tags", 1, kTexts},
                                             {"summary", 2, kText},
                                             {"description", 3, kText},
                                             {"externalDocs", 4, kMessage, ExternalDocs},
                                             {"operationId", 5, kText},
                                             {"produces", 6, kTexts},
                                             {"consumes", 7, kTexts},
                                             {"parameters", 8, kMessages, ParametersItem},
                                             {"responses", 9, kMessage, Entries<Wrapped<Response>>},
                                             {"schemes", 10, kTexts},
                                             {"deprecated", 11, kBool}};
  WriteFields(kFields, 13, value, out);
}

void PathItem(const Json& value, Writer& out) {
  static constexpr MessageField kFields[] = {
      {"get", 2, kMessage, Operation},     {"put", 3, kMessage, Operation},
      {"post", 4, kMessage, Operation},    {"delete", 5, kMessage, Operation},
      {"options", 6, kMessage, Operation}, {"head", 7, kMessage, Operation},
      {"patch", 8, kMessage, Operation},   {"parameters", 9, kMessages, ParametersItem}};
  WriteFields(kFields, 10, value, out);
}

void Info(const Json& value, Writer& out) {
  static constexpr MessageField kFields[] = {{"title", 1, kText}, {"version", 2, kText}, {"description", 3, kText}};
  WriteFields(kFields, 7, value, out);
}

void ApiKeySecurity(const Json& value, Writer& out) {
  static constexpr MessageField kFields[] = {
      {"type", 1, kText}, {"name", 2, kText}, {"in", 3, kText}, {"description", 4, kText}};
  WriteFields(kFields, 5, value, out);
}

void Document(const Json& value, Writer& out) {
  static constexpr MessageField kFields[] = {
      {"swagger", 1, kText},
      {"info", 2, kMessage, Info},
      {"paths", 8, kMessage, Entries<PathItem, 2>},
      {"definitions", 9, kMessage, Entries<Schema>},
      {"parameters", 10, kMessage, Entries<Parameter>},
      {"security", 12, kMessages, Entries<WriteTexts>},
      {"securityDefinitions", 13, kMessage, Entries<Wrapped<ApiKeySecurity, 2>>}};
  WriteFields(kFields, 16, value, out);
}

}  // namespace

std::string DocumentToProtobufV2(const Json& document) {
  std::string bytes;
  Writer out(bytes);
  Document(document, out);
  out.Finish();
  return bytes;
}

}  // namespace keelson::apiserver::openapi
