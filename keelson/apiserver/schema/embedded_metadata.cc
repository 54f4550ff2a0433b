#include "keelson/apiserver/schema/embedded_metadata.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "keelson/api/gvk.h"
#include "keelson/api/meta/v1.h"
#include "keelson/api/names.h"
#include "keelson/apiserver/kinds/path.h"
#include "keelson/apiserver/schema/go_numbers.h"
#include "keelson/apiserver/schema/property_cursor.h"
#include "keelson/codec/convert.h"
#include "keelson/codec/json_writer.h"
#include "keelson/core/ascii.h"

namespace keelson::apiserver {

namespace {

constexpr size_t kMaxAnnotationBytes = 256 << 10;

// Paths of the members that a type does not have, in a struct and in the structs inside.
void FindUnknown(const Json& value, const Type& type, const std::string& path, std::vector<std::string>& unknown) {
  if (type.kind == Kind::kOptional) return FindUnknown(value, *type.element, path, unknown);
  if (type.kind == Kind::kStruct && value.is_object()) {
    for (const auto& [name, member] : value.object()) {
      const std::string at = path + "." + name.str();
      if (const Field* field = type.FindField(name)) {
        FindUnknown(member, *field->type, at, unknown);
      } else {
        unknown.push_back(at);
      }
    }
  } else if (type.kind == Kind::kList && value.is_list()) {
    for (size_t i = 0; i < value.list().size(); ++i) {
      FindUnknown(value.list()[i], *type.element, fmt::format("{}[{}]", path, i), unknown);
    }
  }
}

Result<metav1::ObjectMeta> ReadMetadata(const Json& metadata) {
  if (metadata.is_null()) return metav1::ObjectMeta();
  KEELSON_TRY(meta, FromJsonValue<metav1::ObjectMeta>(metadata));
  meta.unknownFields = {};
  return meta;
}

// With the members that can be read; those that cannot are left out.
metav1::ObjectMeta ReadWhatIsRight(const JsonObject& members) {
  JsonObject right;
  for (const auto& [name, value] : members) {
    if (ReadMetadata(Json::Object({{name, value}}))) right.Set(name, value);
  }
  Result<metav1::ObjectMeta> meta = ReadMetadata(Json(std::move(right)));
  return meta ? std::move(*meta) : metav1::ObjectMeta();
}

Json Written(const metav1::ObjectMeta& meta) {
  Json written = ToJsonValue(meta);
  if (const Json* created = written.find("creationTimestamp"); created != nullptr && created->is_null()) {
    written.object().erase("creationTimestamp");
  }
  return written;
}

// Each function gives the value as it has to be, or nothing when it is so already.
class Coercer {
 public:
  explicit Coercer(const CoerceOptions& options) : options_(options) {}

  Result<std::optional<Json>> Coerced(const Json& value, const Schema* schema, const Path& path) {
    if (schema == nullptr) return std::optional<Json>();
    if (value.is_list()) return CoercedList(value.list(), schema->items.get(), path);
    if (!value.is_object()) return std::optional<Json>();

    const JsonObject& object = value.object();
    JsonObject copy = object;  // shared until it is written to
    bool changed = false;
    const auto set = [&](const String& name, Json member) {
      copy.Set(name, std::move(member));
      changed = true;
    };
    PropertyCursor properties(*schema);
    for (const auto& [name, member] : object) {
      if (!schema->embedded_resource && !member.is_object() && !member.is_list()) continue;
      const Schema* property = properties.Find(name);
      const Path at = property != nullptr || schema->embedded_resource ? path / name : path.Key(name);
      if (schema->embedded_resource) {
        if ((name == "apiVersion" || name == "kind") && !member.is_string()) {
          if (!options_.drop_invalid) return Refused(at, member, "must be a string");
          copy.erase(name);
          changed = true;
        } else if (name == "metadata") {
          KEELSON_TRY(metadata, CoercedMetadata(member, at));
          if (metadata && *metadata != member) set(name, std::move(*metadata));
        }
      }
      // What stands below the metadata is looked at as it came, as upstream does: it has no embedded objects.
      const Schema* below = property != nullptr ? property : schema->additional.get();
      if (below == nullptr || (schema->embedded_resource && name == "metadata")) continue;
      KEELSON_TRY(coerced, Coerced(member, below, at));
      if (coerced) set(name, std::move(*coerced));
    }
    if (!changed) return std::optional<Json>();
    return std::optional<Json>(Json(std::move(copy)));
  }

 private:
  Result<std::optional<Json>> CoercedList(const JsonList& list, const Schema* items, const Path& path) {
    JsonList copy = list;  // shared until it is written to
    bool changed = false;
    for (size_t i = 0; i < list.size(); ++i) {
      const Path at = path[i];
      KEELSON_TRY(item, Coerced(list[i], items, at));
      if (!item) continue;
      copy[i] = std::move(*item);
      changed = true;
    }
    if (!changed) return std::optional<Json>();
    return std::optional<Json>(Json(std::move(copy)));
  }

  // Nothing when it cannot be read and that is no error.
  Result<std::optional<Json>> CoercedMetadata(const Json& metadata, const Path& path) {
    Result<metav1::ObjectMeta> meta = ReadMetadata(metadata);
    if (meta) {
      if (options_.unknown != nullptr) {
        FindUnknown(metadata, TypeOf<metav1::ObjectMeta>(), path.ToString(), *options_.unknown);
      }
      return std::optional<Json>(Written(*meta));
    }
    if (!options_.drop_invalid) return Refused(path, metadata, meta.error().message());
    if (!metadata.is_object()) return std::optional<Json>();
    return std::optional<Json>(Written(ReadWhatIsRight(metadata.object())));
  }

  static Error Refused(const Path& path, const Json& value, std::string_view why) {
    return Error::InvalidArgument(fmt::format("{}: Invalid value: {}: {}", path.ToString(), GoShown(value), why));
  }

  const CoerceOptions& options_;
};

std::vector<std::string> CheckPathSegment(std::string_view name, bool prefix) {
  std::vector<std::string> reasons;
  if (!prefix && (name == "." || name == "..")) reasons.push_back(fmt::format("may not be '{}'", name));
  for (const char c : {'/', '%'}) {
    if (name.find(c) != std::string_view::npos) reasons.push_back(fmt::format("may not contain '{}'", c));
  }
  return reasons;
}

void CheckOwners(const List<metav1::OwnerReference>& owners, const Path& path, FieldErrors& errors) {
  const metav1::OwnerReference* controller = nullptr;
  for (const metav1::OwnerReference& owner : owners) {
    const Path api_version = path / "apiVersion";
    const Path kind = path / "kind";
    const Path name = path / "name";
    const Path uid = path / "uid";
    const Result<GroupVersion> parsed = GroupVersion::Parse(owner.apiVersion);
    if (!parsed || parsed->version.empty()) {
      errors.Invalid(api_version, Json(owner.apiVersion), "version must not be empty");
    }
    if (owner.kind.empty()) errors.Invalid(kind, Json(owner.kind), "must not be empty");
    if (owner.name.empty()) errors.Invalid(name, Json(owner.name), "must not be empty");
    if (owner.uid.empty()) errors.Invalid(uid, Json(owner.uid), "must not be empty");
    if (owner.apiVersion == "v1" && owner.kind == "Event") {
      errors.InvalidShown(path, ToJson(owner), "/v1, Kind=Event is disallowed from being an owner");
    }
    if (!owner.controller || !*owner.controller) continue;
    if (controller != nullptr) {
      return errors.InvalidShown(
          path, ToJson(owners),
          fmt::format("Only one reference can have Controller set to true. Found \"true\" in references for {}/{} and "
                      "{}/{}",
                      controller->kind.view(), controller->name.view(), owner.kind.view(), owner.name.view()));
    }
    controller = &owner;
  }
}

// The kind is not known, so that a name only has to fit into a path, and there may be none.
void CheckMetadata(const metav1::ObjectMeta& meta, const Path& root, FieldErrors& errors) {
  const Path name = root / "name";
  const Path generate_name = root / "generateName";
  const Path namespace_ = root / "namespace";
  const Path generation = root / "generation";
  const Path labels = root / "labels";
  const Path annotations = root / "annotations";
  const Path owners = root / "ownerReferences";
  const Path finalizers = root / "finalizers";

  errors.InvalidForEach(generate_name, meta.generateName, CheckPathSegment(meta.generateName, true));
  errors.InvalidForEach(name, meta.name, CheckPathSegment(meta.name, false));
  if (!meta.namespace_.empty()) {
    errors.InvalidForEach(namespace_, meta.namespace_, names::CheckDns1123Label(meta.namespace_));
  }
  if (meta.generation < 0) errors.Invalid(generation, Json(meta.generation), "must be greater than or equal to 0");
  for (const auto& [key, value] : meta.labels) {
    errors.InvalidForEach(labels, key, names::CheckQualifiedName(key));
    errors.InvalidForEach(labels, value, names::CheckLabelValue(value));
  }
  size_t bytes = 0;
  for (const auto& [key, value] : meta.annotations) {
    errors.InvalidForEach(annotations, key, names::CheckQualifiedName(AsciiLower(key.view())));
    bytes += key.size() + value.size();
  }
  if (bytes > kMaxAnnotationBytes) errors.TooLong(annotations, kMaxAnnotationBytes);
  CheckOwners(meta.ownerReferences, owners, errors);
  for (const String& finalizer : meta.finalizers) {
    errors.InvalidForEach(finalizers, finalizer, names::CheckQualifiedName(finalizer));
  }
  const auto has = [&](std::string_view wanted) {
    return std::find(meta.finalizers.begin(), meta.finalizers.end(), wanted) != meta.finalizers.end();
  };
  if (has("orphan") && has("foregroundDeletion")) {
    errors.Invalid(finalizers, ToJsonValue(meta.finalizers),
                   "finalizer orphan and foregroundDeletion cannot be both set");
  }
}

void CheckTypeMember(const JsonObject& object, std::string_view name, const Path& path, FieldErrors& errors) {
  const Json* value = object.find(name);
  const Path at = path / name;
  if (value == nullptr) return errors.Required(at, "");
  if (!value->is_string()) return errors.InvalidShown(at, GoShown(*value), "must be a string");
  const std::string_view text = value->string();
  if (text.empty()) return errors.Invalid(at, *value, "must not be empty");
  if (name == "apiVersion") {
    if (std::count(text.begin(), text.end(), '/') > 1) {
      errors.Invalid(at, *value, fmt::format("unexpected GroupVersion string: {}", text));
    }
    return;
  }
  const std::vector<std::string> reasons = names::CheckDns1035Label(AsciiLower(text));
  if (reasons.empty()) return;
  errors.Invalid(at, *value,
                 fmt::format("may have mixed case, but should otherwise match: {}", fmt::join(reasons, ",")));
}

void CheckEmbedded(const Json& value, const Schema& schema, const Path& path, FieldErrors& errors) {
  if (value.is_list()) {
    if (schema.items == nullptr) return;
    for (size_t i = 0; i < value.list().size(); ++i) {
      const Path at = path[i];
      CheckEmbedded(value.list()[i], *schema.items, at, errors);
    }
    return;
  }
  if (!value.is_object()) return;
  const JsonObject& object = value.object();
  if (schema.embedded_resource) {
    CheckTypeMember(object, "apiVersion", path, errors);
    CheckTypeMember(object, "kind", path, errors);
    if (const Json* metadata = object.find("metadata")) {
      const Path at = path / "metadata";
      if (const Result<metav1::ObjectMeta> meta = ReadMetadata(*metadata)) {
        CheckMetadata(*meta, at, errors);
      } else {
        errors.InvalidShown(at, GoShown(*metadata), meta.error().message());
      }
    }
  }
  if (schema.properties.empty() && schema.additional == nullptr) return;
  PropertyCursor properties(schema);
  for (const auto& [name, member] : object) {
    if (!member.is_object() && !member.is_list()) continue;
    const Schema* property = properties.Find(name);
    const Schema* below = property != nullptr ? property : schema.additional.get();
    if (below == nullptr) continue;
    const Path at = property != nullptr ? path / name : path.Key(name);
    CheckEmbedded(member, *below, at, errors);
  }
}

}  // namespace

Result<void> CoerceEmbedded(Json& content, const Schema& schema, const CoerceOptions& options) {
  const size_t before = options.unknown == nullptr ? 0 : options.unknown->size();
  KEELSON_TRY(coerced, Coercer(options).Coerced(content, &schema, Path("")));
  if (coerced) content = std::move(*coerced);
  if (options.unknown != nullptr) {
    std::sort(options.unknown->begin() + static_cast<std::ptrdiff_t>(before), options.unknown->end());
  }
  return {};
}

void ValidateEmbedded(const Json& content, const Schema& schema, FieldErrors& errors) {
  CheckEmbedded(content, schema, Path(""), errors);
}

}  // namespace keelson::apiserver
