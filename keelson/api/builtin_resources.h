// The built-in resources as a server's discovery shows them, and the columns that `kubectl get` prints for each.
//
//   for (const BuiltinResource& resource : BuiltinResources()) Print(resource.group, resource.plural);
#pragma once

#include <span>
#include <string_view>

#include "keelson/api/type.h"

namespace keelson {

struct BuiltinColumn {
  std::string_view name;
  std::string_view type;    // "string", "integer", "date" …
  std::string_view format;  // "name" or nothing
  int priority = 0;         // above 0: only in wide output
};

struct BuiltinSubresource {
  std::string_view name;  // "status"
  std::string_view group;
  std::string_view version;  // of `kind`; empty with the group: those of the resource
  std::string_view kind;
  std::span<const std::string_view> verbs;  // in alphabetical order
};

struct BuiltinResource {
  std::string_view group;
  std::string_view version;
  std::string_view plural;
  std::string_view singular;
  std::string_view kind;
  bool namespaced = false;
  std::span<const std::string_view> verbs = {};  // in alphabetical order
  std::span<const std::string_view> short_names = {};
  std::span<const std::string_view> categories = {};
  std::span<const BuiltinSubresource> subresources = {};
  std::span<const BuiltinColumn> columns = {};
  const Type* type = nullptr;
};

// Of all GA groups, ordered by group, version and plural.
std::span<const BuiltinResource> BuiltinResources();

}  // namespace keelson
