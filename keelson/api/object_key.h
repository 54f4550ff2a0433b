// Which object: its namespace and name.
//
//   ObjectKey key = {"default", "web"};
//   key.ToString();                                       // "default/web"; "web" for a cluster-scoped object
//   Result<ObjectKey> key = ObjectKey::Parse(text);
#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <ostream>
#include <string>
#include <string_view>

#include "keelson/core/result.h"

namespace keelson {

struct ObjectKey {
  std::string namespace_;  // empty: cluster-scoped
  std::string name;

  // "namespace/name" or "name". Nothing is validated but the number of slashes.
  static Result<ObjectKey> Parse(std::string_view text);

  bool empty() const { return namespace_.empty() && name.empty(); }
  std::string ToString() const;

  friend auto operator<=>(const ObjectKey&, const ObjectKey&) = default;
  friend std::ostream& operator<<(std::ostream& out, const ObjectKey& key) { return out << key.ToString(); }
};

}  // namespace keelson

template <>
struct std::hash<keelson::ObjectKey> {
  size_t operator()(const keelson::ObjectKey& key) const noexcept {
    return std::hash<std::string>()(key.namespace_) * 1'000'003 + std::hash<std::string>()(key.name);
  }
};
