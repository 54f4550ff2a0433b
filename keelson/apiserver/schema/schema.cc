#include "keelson/apiserver/schema/schema.h"

#include <algorithm>

namespace keelson::apiserver {

const Schema* Schema::FindProperty(std::string_view name) const {
  const auto found = std::lower_bound(properties.begin(), properties.end(), name,
                                      [](const Property& property, std::string_view n) { return property.name < n; });
  return found != properties.end() && found->name == name ? &found->schema : nullptr;
}

const Schema* Schema::Member(std::string_view name) const {
  if (const Schema* property = FindProperty(name)) return property;
  return additional.get();
}

}  // namespace keelson::apiserver
