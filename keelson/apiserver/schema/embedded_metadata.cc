#include "keelson/apiserver/schema/embedded_metadata.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "keelson/api/gvk.h"
#include "keelson/api/meta/v1.h"
#include "keelson/api/names.h"
#include "keelson/apiserver/kinds/path.h"
#include "keelson/apiserver/metadata_rules.h"
#include "keelson/apiserver/schema/go_numbers.h"
#include "keelson/apiserver/schema/property_cursor.h"
#include "keelson/codec/convert.h"
#include "keelson/codec/json_writer.h"
#include "keelson/core/ascii.h"

namespace keelson::apiserver {

namespace {

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
        ValidateEmbeddedMetadata(*meta, at, errors);
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
