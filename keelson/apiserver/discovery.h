// What is served, told to clients: /api, /apis and below, one resource list a version or everything at once.
#pragma once

#include "keelson/apiserver/exchange.h"
#include "keelson/apiserver/resource.h"

namespace keelson::apiserver {

// Answers when the path is one of discovery; false when it is not. `address` is what clients are told to be the
// server's.
bool ServeDiscovery(Exchange& exchange, const ResourceTable& resources, const std::string& address);

// The groups in the order in which they are preferred, without the core group.
std::vector<std::string> OrderedGroups(const ResourceTable& resources);
// The versions of a group, the preferred one first.
std::vector<std::string> OrderedVersions(const ResourceTable& resources, std::string_view group);

}  // namespace keelson::apiserver
