// A starting header for one kind, for `keelson scaffold type`.
#pragma once

#include <string>
#include <string_view>

#include "keelson/codegen/generated_file.h"
#include "keelson/core/result.h"

namespace keelson::codegen {

struct TypeScaffold {
  std::string kind = {};
  std::string group = "example.com";
  std::string version = "v1alpha1";
  std::string cpp_namespace = {};  // default: the kind in snake_case
  bool cluster_scoped = false;
};

// `api/v1alpha1/app_service.h`. The names are checked.
Result<GeneratedFile> ScaffoldType(const TypeScaffold& type);

// "AppService" → "app_service", "HTTPRoute" → "http_route".
std::string SnakeCase(std::string_view name);

}  // namespace keelson::codegen
