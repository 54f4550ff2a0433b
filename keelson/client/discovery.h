// What a server serves: groups, versions, resources and their subresources; and which version the server has.
//
//   KEELSON_TRY(served, DiscoveryClient(rest).Fetch());
//   for (const ServedResource& resource : served.resources) Print(resource.resource.gvr(), resource.verbs);
//
// One or two requests where the server has aggregated discovery (Kubernetes 1.30 and later), else one for each group
// version. Nothing is cached here: RestMapper (rest_mapper.h) is what answers questions about kinds.
#pragma once

#include <string>
#include <vector>

#include "keelson/api/gvk.h"
#include "keelson/client/resource.h"
#include "keelson/client/rest_client.h"
#include "keelson/core/result.h"

namespace keelson {

struct ServedSubresource {
  std::string name = {};  // "status"
  GroupVersionKind kind = {};
  std::vector<std::string> verbs = {};
};

struct ServedResource {
  Resource resource = {};
  std::string singular = {};
  std::vector<std::string> short_names = {};
  std::vector<std::string> categories = {};
  std::vector<std::string> verbs = {};
  std::vector<ServedSubresource> subresources = {};
};

struct ServedGroup {
  std::string name = {};                   // empty: the core group
  std::vector<std::string> versions = {};  // the preferred one first
};

// A group version that is announced but not answered for, as when an aggregated server is down.
struct FailedGroupVersion {
  GroupVersion group_version = {};
  std::string reason = {};
};

struct Served {
  std::vector<ServedGroup> groups = {};  // in the server's order
  std::vector<ServedResource> resources = {};
  std::vector<FailedGroupVersion> failed = {};
};

struct ServerVersion {
  std::string major = {};
  std::string minor = {};
  std::string git_version = {};  // "v1.36.3"
  std::string git_commit = {};
  std::string build_date = {};
  std::string go_version = {};
  std::string platform = {};  // "linux/amd64"
};

// Thread-safe. Lives no longer than the RestClient.
class DiscoveryClient {
 public:
  explicit DiscoveryClient(const RestClient& rest) : rest_(rest) {}

  Result<Served> Fetch(const CallScope& scope = {}) const;
  Result<ServerVersion> Version(const CallScope& scope = {}) const;

 private:
  // Adds what /api or /apis says to `served`.
  Result<void> FetchRoot(std::string_view path, const CallScope& scope, Served& served) const;
  Result<void> FetchLegacy(const GroupVersion& group_version, const CallScope& scope, Served& served) const;

  const RestClient& rest_;
};

}  // namespace keelson
