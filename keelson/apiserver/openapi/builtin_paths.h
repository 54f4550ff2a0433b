// The paths of the built-in resources, with every operation on them.
#pragma once

#include <string_view>
#include <vector>

#include "keelson/apiserver/openapi/operation.h"
#include "keelson/apiserver/resource.h"

namespace keelson::apiserver::openapi {

// Of one resource: collections, objects, subresources, and the paths for watching.
std::vector<PathItem> BuiltinPaths(const Resource& resource);

// The paths of discovery: "/apis/", that of a group, and that of a version of it. `group` "" is the core group.
PathItem RootPath(bool core);
PathItem GroupPath(std::string_view group);
PathItem VersionPath(std::string_view group, std::string_view version);
// "/version/".
PathItem ServerVersionPath();

}  // namespace keelson::apiserver::openapi
