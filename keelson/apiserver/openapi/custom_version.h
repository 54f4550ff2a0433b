// What is published of one version of a custom resource: its paths, and the schemas of its kind and of the list.
//
//   PublishedVersion version{.group = "example.com", .version = "v1", .kind = "Widget", .list_kind = "WidgetList",
//                            .plural = "widgets", .schema = ToJsonValue(*definition_version.schema->openAPIV3Schema)};
//   Json schema = CustomSchema(version, Version::kV3);
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "keelson/api/json.h"
#include "keelson/apiserver/openapi/operation.h"

namespace keelson::apiserver::openapi {

struct PublishedVersion {
  std::string group = {};
  std::string version = {};
  std::string kind = {};
  std::string list_kind = {};
  std::string plural = {};
  bool namespaced = false;
  bool has_status = false;
  bool has_scale = false;
  Json schema = {};                                 // a JSONSchemaProps; null when there is none
  std::vector<std::string> selectable_fields = {};  // "spec.color"
};

std::vector<PathItem> CustomPaths(const PublishedVersion& version);

// "com.example.v1.Widget" of group "example.com".
std::string CustomSchemaName(std::string_view group, std::string_view version, std::string_view kind);

// Version 3 has the whole schema. Version 2 cannot say everything, and kubectl takes what is said there for complete:
// alternatives are left out, and where a value may be null or have unknown fields, so is its type.
Json CustomSchema(const PublishedVersion& published, Version version);
Json CustomListSchema(const PublishedVersion& published, Version version);

}  // namespace keelson::apiserver::openapi
