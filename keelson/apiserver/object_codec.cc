#include "keelson/apiserver/object_codec.h"

#include <fmt/format.h>

#include <cstdlib>

#include "keelson/api/status_error.h"
#include "keelson/apiserver/body_errors.h"
#include "keelson/apiserver/custom/custom_body.h"
#include "keelson/apiserver/custom/custom_object.h"
#include "keelson/apiserver/custom/custom_version.h"
#include "keelson/apiserver/schema/go_numbers.h"
#include "keelson/codec/convert.h"
#include "keelson/codec/json_reader.h"
#include "keelson/codec/json_writer.h"
#include "keelson/codec/protobuf_envelope.h"
#include "keelson/codec/protobuf_reader.h"
#include "keelson/codec/yaml_reader.h"

namespace keelson::apiserver {

namespace {

void AppendObject(const AnyValue& object, std::string& out) {
  if (const CustomObject* custom = AsCustom(object)) return AppendCustomJson(object.type(), *custom, out);
  AppendJson(object.type(), object.data(), out, {.null_when_empty = true});
}

void DropUnknown(AnyValue& object) {
  if (metav1::ObjectMeta* meta = FindObjectMeta(object.type(), object.data())) meta->unknownFields = {};
}

Result<AnyValue> DecodeJsonBody(const Type& type, std::string_view json, FieldValidation validation,
                                std::vector<std::string>& warnings) {
  AnyValue object(type);
  std::string failure;
  if (!ReadJson(type, object.data(), json, validation, warnings, &failure)) {
    if (failure.starts_with(kStrictPrefix)) return CannotBeHandled(type, json, failure);
    // Nothing that begins like a document tells its kind.
    if (Result<Json> tree = ParseJson(json, {.max_depth = kMaxBodyDepth}); !tree) {
      return NoDocument(type, json, json.empty() ? "unexpected end of JSON input" : tree.error().message());
    }
    return CannotBeHandled(type, json, failure);
  }
  DropUnknown(object);
  return object;
}

Result<AnyValue> DecodeProtobufBody(const Type& type, std::string_view body) {
  Result<ProtobufEnvelope> envelope = OpenProtobufEnvelope(body);
  if (!envelope) {
    return apierrors::BadRequest(fmt::format("the object provided is unrecognized (must be of type {}): {}",
                                             type.object_kind, envelope.error().message()));
  }
  const std::string expected =
      type.group.empty() ? std::string(type.version) : fmt::format("{}/{}", type.group, type.version);
  // Options are the same in every group, and clients send them in the version of the kind that they are about.
  const bool any_version = &type == &TypeOf<metav1::DeleteOptions>();
  if ((!envelope->kind.empty() && envelope->kind != type.object_kind) ||
      (!envelope->api_version.empty() && envelope->api_version != expected && !any_version)) {
    return apierrors::BadRequest(
        fmt::format("{} in version \"{}\" cannot be handled as a {}: expected {} in version \"{}\"", envelope->kind,
                    envelope->api_version, type.object_kind, type.object_kind, expected));
  }
  AnyValue object(type);
  if (Result<void> read = DecodeProtobuf(type, object.data(), envelope->raw, {.max_depth = kMaxBodyDepth}); !read) {
    return apierrors::BadRequest(fmt::format("{} in version \"{}\" cannot be handled as a {}: {}", type.object_kind,
                                             type.version, type.object_kind, read.error().message()));
  }
  DropUnknown(object);
  return object;
}

}  // namespace

Result<AnyValue> DecodeBody(const Type& type, std::string_view body, Format format, FieldValidation validation,
                            std::vector<std::string>& warnings) {
  if (IsCustom(type)) return DecodeCustomBody(VersionOf(type), body, format, validation, warnings);
  switch (format) {
    case Format::kProtobuf: return DecodeProtobufBody(type, body);
    case Format::kYaml: {
      Result<std::string> json = YamlToJson(body);
      if (!json) return NoDocument(type, body, json.error().message());
      return DecodeJsonBody(type, *json, validation, warnings);
    }
    case Format::kJson: break;
  }
  return DecodeJsonBody(type, body, validation, warnings);
}

Result<AnyValue> DecodeDocument(const Type& type, const Json& document, FieldValidation validation,
                                std::vector<std::string>& warnings) {
  if (IsCustom(type)) return DecodeCustomDocument(VersionOf(type), document, validation, warnings);
  AnyValue object(type);
  std::string failure;
  KEELSON_RETURN_IF_ERROR(ReadJson(type, object.data(), ToJson(document), validation, warnings, &failure));
  DropUnknown(object);
  return object;
}

AnyValue DecodeStored(const Resource& resource, const StoredObject& stored) {
  AnyValue object(*resource.stored_type);
  if (CustomObject* custom = AsCustom(object)) {
    Result<Json> document = ParseJson(stored.json());
    Result<CustomObject> read = document ? CustomFromDocument(std::move(*document)) : document.error();
    if (!read) std::abort();
    *custom = std::move(*read);
    if (stored.revision() <= resource.reread_up_to) FitToSchema(*resource.custom_stored, *custom);
    return object;
  }
  // What was encoded here reads back; should it not, an empty object would be worse than a stop.
  Result<void> read = DecodeJson(*resource.stored_type, object.data(), stored.json());
  if (!read) std::abort();
  return object;
}

AnyValue ToServed(const Resource& resource, AnyValue stored) {
  if (!resource.converts()) return stored;
  AnyValue served(*resource.type);
  resource.from_stored(resource, stored.data(), served.data());
  return served;
}

AnyValue ToStored(const Resource& resource, AnyValue served) {
  if (!resource.converts()) return served;
  AnyValue stored(*resource.stored_type);
  resource.to_stored(resource, served.data(), stored.data());
  return stored;
}

AnyValue DecodeServed(const Resource& resource, const StoredObject& stored) {
  return ToServed(resource, DecodeStored(resource, stored));
}

metav1::ObjectMeta& MetaOf(AnyValue& object) { return *FindObjectMeta(object.type(), object.data()); }
const metav1::ObjectMeta& MetaOf(const AnyValue& object) { return *FindObjectMeta(object.type(), object.data()); }

Draft EncodeDraft(const Resource& resource, AnyValue& object) {
  // What another version's schema knows and that of the stored one does not is not stored.
  if (CustomObject* custom = AsCustom(object)) {
    if (resource.converts()) FitToSchema(*resource.custom_stored, *custom);
    NormalizeNumbers(custom->content);
  }
  metav1::ObjectMeta& meta = MetaOf(object);
  Draft draft{.namespace_ = meta.namespace_, .name = meta.name, .uid = meta.uid};
  // A mark where the revision goes; nothing before it in the document can contain a quote of its own.
  constexpr std::string_view kMarked = "\"resourceVersion\":\"?\"";
  meta.resourceVersion = "?";
  AppendObject(object, draft.json);
  meta.resourceVersion = {};
  draft.revision_at = draft.json.find(kMarked) + kMarked.size() - 2;
  draft.json.erase(draft.revision_at, 1);
  draft.labels = meta.labels;
  draft.fields = SelectableValues(resource, object);
  return draft;
}

List<String> SelectableValues(const Resource& resource, const AnyValue& object) {
  List<String> fields;
  if (!resource.stored_rules->read_fields) return fields;
  std::vector<std::string> values;
  resource.stored_rules->read_fields(object.data(), values);
  for (const std::string& value : values) fields.push_back(String(value));
  return fields;
}

Json DocumentOf(const AnyValue& object) {
  const CustomObject* custom = AsCustom(object);
  return custom != nullptr ? CustomDocument(object.type(), *custom) : ToJsonValue(object.type(), object.data());
}

bool SameContent(const StoredObject& stored, const Draft& draft) {
  const std::string_view now = stored.json();
  const std::string_view then = draft.json;
  const size_t digits = std::to_string(stored.revision()).size();
  return now.size() == then.size() + digits && now.substr(0, draft.revision_at) == then.substr(0, draft.revision_at) &&
         now.substr(draft.revision_at + digits) == then.substr(draft.revision_at);
}

String ServedJson(const Resource& resource, const StoredObject& stored) {
  if (resource.ServedAsStored(stored)) return stored.json();
  const AnyValue served = DecodeServed(resource, stored);
  std::string json;
  AppendObject(served, json);
  return String(json);
}

String ServedProtobuf(const Resource& resource, const StoredObject& stored) {
  const auto encode = [](const AnyValue& object) {
    std::string envelope;
    AppendProtobufEnvelope(object.type(), object.data(), envelope);
    return envelope;
  };
  if (!resource.ServedAsStored(stored)) return String(encode(DecodeServed(resource, stored)));
  return stored.Protobuf([&](std::string_view) { return encode(DecodeStored(resource, stored)); });
}

}  // namespace keelson::apiserver
