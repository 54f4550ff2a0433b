#include "keelson/apiserver/schema/defaults.h"

#include <optional>
#include <string_view>

namespace keelson::apiserver {

namespace {

// Is there a value, or has the default to stand in for it?
bool IsMissing(const Json* value, const Schema& schema) {
  return value == nullptr || (value->is_null() && !schema.nullable);
}

// The value with its defaults; nothing when it has them already. Only for a schema that has defaults.
std::optional<Json> Defaulted(const Json& value, const Schema& schema);

// The same for what may be missing.
std::optional<Json> DefaultedMember(const Json* value, const Schema& schema) {
  if (!IsMissing(value, schema)) return Defaulted(*value, schema);
  if (!schema.default_) return std::nullopt;
  std::optional<Json> filled = Defaulted(*schema.default_, schema);
  return filled ? std::move(filled) : schema.default_;
}

std::optional<Json> DefaultedObject(const JsonObject& object, const Schema& schema, bool is_root) {
  JsonObject copy = object;  // shared until it is written to
  bool changed = false;
  const auto set = [&](const String& name, Json value) {
    copy.Set(name, std::move(value));
    changed = true;
  };
  for (const Schema::Property& property : schema.properties) {
    if (!property.schema.has_defaults) continue;
    if (is_root && (property.name == "apiVersion" || property.name == "kind" || property.name == "metadata")) continue;
    if (std::optional<Json> value = DefaultedMember(object.find(property.name), property.schema)) {
      set(property.name, std::move(*value));
    }
  }
  if (schema.additional != nullptr && schema.additional->has_defaults) {
    for (const auto& [name, member] : object) {
      if (schema.FindProperty(name) != nullptr) continue;
      if (std::optional<Json> value = DefaultedMember(&member, *schema.additional)) set(name, std::move(*value));
    }
  }
  if (!changed) return std::nullopt;
  return Json(std::move(copy));
}

std::optional<Json> Defaulted(const Json& value, const Schema& schema) {
  if (value.is_object()) return DefaultedObject(value.object(), schema, false);
  if (!value.is_list() || schema.items == nullptr || !schema.items->has_defaults) return std::nullopt;
  const JsonList& list = value.list();
  JsonList copy = list;  // shared until it is written to
  bool changed = false;
  for (size_t i = 0; i < list.size(); ++i) {
    if (std::optional<Json> item = DefaultedMember(&list[i], *schema.items)) {
      copy[i] = std::move(*item);
      changed = true;
    }
  }
  if (!changed) return std::nullopt;
  return Json(std::move(copy));
}

}  // namespace

void ApplyDefaults(Json& value, const Schema& schema) {
  if (!schema.has_defaults || !value.is_object()) return;
  if (std::optional<Json> changed = DefaultedObject(value.object(), schema, true)) value = std::move(*changed);
}

}  // namespace keelson::apiserver
