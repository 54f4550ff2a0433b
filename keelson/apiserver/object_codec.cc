#include "keelson/apiserver/object_codec.h"

#include <fmt/format.h>

#include <cstdlib>

#include "keelson/api/status_error.h"
#include "keelson/codec/convert.h"
#include "keelson/codec/json_reader.h"
#include "keelson/codec/json_writer.h"
#include "keelson/codec/protobuf_envelope.h"
#include "keelson/codec/protobuf_reader.h"
#include "keelson/codec/yaml_reader.h"

namespace keelson::apiserver {

namespace {

constexpr std::string_view kStrictPrefix = "strict decoding error: ";
constexpr int kMaxDepth = 500;

// What the body says that it is.
metav1::TypeMeta TypeMetaOf(std::string_view json) {
  Result<metav1::TypeMeta> meta = FromJson<metav1::TypeMeta>(json);
  return meta ? std::move(*meta) : metav1::TypeMeta();
}

Error CannotBeHandled(const Type& type, std::string_view json, std::string_view why) {
  const metav1::TypeMeta meta = TypeMetaOf(json);
  const std::string_view kind = meta.kind.empty() ? type.object_kind : std::string_view(meta.kind);
  const std::string_view api_version = meta.apiVersion.empty() ? type.version : std::string_view(meta.apiVersion);
  const size_t slash = api_version.find('/');
  const std::string_view version = slash == std::string_view::npos ? api_version : api_version.substr(slash + 1);
  return apierrors::BadRequest(
      fmt::format("{} in version \"{}\" cannot be handled as a {}: {}", kind, version, type.object_kind, why));
}

Error NoDocument(const Type& type, std::string_view body, std::string_view why) {
  constexpr size_t kShown = 256;
  std::string shown(body.empty() ? "<empty>" : body.substr(0, kShown));
  return apierrors::BadRequest(
      fmt::format("the object provided is unrecognized (must be of type {}): couldn't get version/kind; json parse "
                  "error: {} ({})",
                  type.object_kind, why, shown));
}

// "unknown field "a", duplicate field "b"" as one text each.
void SplitOddities(std::string_view text, std::vector<std::string>& out) {
  while (!text.empty()) {
    size_t end = std::min(text.find("\", unknown field "), text.find("\", duplicate field "));
    end = end == std::string_view::npos ? text.size() : end + 1;
    out.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 2, text.size()));
  }
}

// Reads leniently after strict reading has found oddities, or says what is wrong.
Result<void> ReadJson(const Type& type, void* value, std::string_view json, FieldValidation validation,
                      std::vector<std::string>& warnings, std::string* failure) {
  const bool strict = validation != FieldValidation::kIgnore;
  Result<void> read = DecodeJson(type, value, json, {.strict = strict, .max_depth = kMaxDepth});
  if (!read && validation == FieldValidation::kWarn && read.error().message().starts_with(kStrictPrefix)) {
    SplitOddities(std::string_view(read.error().message()).substr(kStrictPrefix.size()), warnings);
    read = DecodeJson(type, value, json, {.max_depth = kMaxDepth});
  }
  if (!read) *failure = read.error().message();
  return read;
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
    if (Result<Json> tree = ParseJson(json, {.max_depth = kMaxDepth}); !tree) {
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
  if ((!envelope->kind.empty() && envelope->kind != type.object_kind) ||
      (!envelope->api_version.empty() && envelope->api_version != expected)) {
    return apierrors::BadRequest(
        fmt::format("{} in version \"{}\" cannot be handled as a {}: expected {} in version \"{}\"", envelope->kind,
                    envelope->api_version, type.object_kind, type.object_kind, expected));
  }
  AnyValue object(type);
  if (Result<void> read = DecodeProtobuf(type, object.data(), envelope->raw, {.max_depth = kMaxDepth}); !read) {
    return apierrors::BadRequest(fmt::format("{} in version \"{}\" cannot be handled as a {}: {}", type.object_kind,
                                             type.version, type.object_kind, read.error().message()));
  }
  DropUnknown(object);
  return object;
}

}  // namespace

Result<AnyValue> DecodeBody(const Type& type, std::string_view body, Format format, FieldValidation validation,
                            std::vector<std::string>& warnings) {
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
  AnyValue object(type);
  std::string failure;
  KEELSON_RETURN_IF_ERROR(ReadJson(type, object.data(), ToJson(document), validation, warnings, &failure));
  DropUnknown(object);
  return object;
}

AnyValue DecodeStored(const Resource& resource, const StoredObject& stored) {
  AnyValue object(*resource.stored_type);
  // What was encoded here reads back; should it not, an empty object would be worse than a stop.
  Result<void> read = DecodeJson(*resource.stored_type, object.data(), stored.json());
  if (!read) std::abort();
  return object;
}

AnyValue ToServed(const Resource& resource, AnyValue stored) {
  if (!resource.converts()) return stored;
  AnyValue served(*resource.type);
  resource.from_stored(stored.data(), served.data());
  return served;
}

AnyValue ToStored(const Resource& resource, AnyValue served) {
  if (!resource.converts()) return served;
  AnyValue stored(*resource.stored_type);
  resource.to_stored(served.data(), stored.data());
  return stored;
}

AnyValue DecodeServed(const Resource& resource, const StoredObject& stored) {
  return ToServed(resource, DecodeStored(resource, stored));
}

metav1::ObjectMeta& MetaOf(AnyValue& object) { return *FindObjectMeta(object.type(), object.data()); }
const metav1::ObjectMeta& MetaOf(const AnyValue& object) { return *FindObjectMeta(object.type(), object.data()); }

Draft EncodeDraft(const Resource& resource, AnyValue& object) {
  metav1::ObjectMeta& meta = MetaOf(object);
  Draft draft{.namespace_ = meta.namespace_, .name = meta.name, .uid = meta.uid};
  // A mark where the revision goes; nothing before it in the document can contain a quote of its own.
  constexpr std::string_view kMarked = "\"resourceVersion\":\"?\"";
  meta.resourceVersion = "?";
  AppendJson(object.type(), object.data(), draft.json, {.null_when_empty = true});
  meta.resourceVersion = {};
  draft.revision_at = draft.json.find(kMarked) + kMarked.size() - 2;
  draft.json.erase(draft.revision_at, 1);
  draft.labels = meta.labels;
  if (resource.stored_rules->read_fields) {
    std::vector<std::string> values;
    resource.stored_rules->read_fields(object.data(), values);
    for (const std::string& value : values) draft.fields.push_back(String(value));
  }
  return draft;
}

bool SameContent(const StoredObject& stored, const Draft& draft) {
  const std::string_view now = stored.json();
  const std::string_view then = draft.json;
  const size_t digits = std::to_string(stored.revision()).size();
  return now.size() == then.size() + digits && now.substr(0, draft.revision_at) == then.substr(0, draft.revision_at) &&
         now.substr(draft.revision_at + digits) == then.substr(draft.revision_at);
}

String ServedJson(const Resource& resource, const StoredObject& stored) {
  if (!resource.converts()) return stored.json();
  const AnyValue served = DecodeServed(resource, stored);
  std::string json;
  AppendJson(served.type(), served.data(), json, {.null_when_empty = true});
  return String(json);
}

String ServedProtobuf(const Resource& resource, const StoredObject& stored) {
  const auto encode = [](const AnyValue& object) {
    std::string envelope;
    AppendProtobufEnvelope(object.type(), object.data(), envelope);
    return envelope;
  };
  if (resource.converts()) return String(encode(DecodeServed(resource, stored)));
  return stored.Protobuf([&](std::string_view) { return encode(DecodeStored(resource, stored)); });
}

}  // namespace keelson::apiserver
