#include "keelson/client/discovery.h"

#include <algorithm>
#include <utility>

#include "keelson/api/apidiscovery/v2.h"
#include "keelson/api/meta/v1.h"
#include "keelson/api/status_error.h"
#include "keelson/client/paths.h"
#include "keelson/codec/json_reader.h"

namespace keelson {

namespace {

constexpr std::string_view kAggregated =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";

std::vector<std::string> Strings(const List<String>& list) {
  std::vector<std::string> strings;
  for (const String& text : list) strings.push_back(text.str());
  return strings;
}

GroupVersionKind KindOf(const Optional<metav1::GroupVersionKind>& kind, const GroupVersion& group_version) {
  if (!kind) return {};
  if (kind->version.empty()) return group_version.WithKind(kind->kind.str());
  return {kind->group.str(), kind->version.str(), kind->kind.str()};
}

void AddAggregated(const apidiscoveryv2::APIGroupDiscoveryList& list, Served& served) {
  for (const apidiscoveryv2::APIGroupDiscovery& group : list.items) {
    ServedGroup& added = served.groups.emplace_back(ServedGroup{.name = group.metadata.name.str()});
    for (const apidiscoveryv2::APIVersionDiscovery& version : group.versions) {
      const GroupVersion group_version{added.name, version.version.str()};
      added.versions.push_back(group_version.version);
      if (version.freshness == "Stale") {
        served.failed.push_back({group_version, "the server that serves it did not answer discovery"});
      }
      for (const apidiscoveryv2::APIResourceDiscovery& resource : version.resources) {
        ServedResource& one = served.resources.emplace_back();
        one.resource = {.group = group_version.group,
                        .version = group_version.version,
                        .plural = resource.resource.str(),
                        .kind = KindOf(resource.responseKind, group_version).kind,
                        .scope = resource.scope == "Cluster" ? ResourceScope::kCluster : ResourceScope::kNamespaced};
        one.singular = resource.singularResource.str();
        one.short_names = Strings(resource.shortNames);
        one.categories = Strings(resource.categories);
        one.verbs = Strings(resource.verbs);
        for (const apidiscoveryv2::APISubresourceDiscovery& subresource : resource.subresources) {
          one.subresources.push_back({.name = subresource.subresource.str(),
                                      .kind = KindOf(subresource.responseKind, group_version),
                                      .verbs = Strings(subresource.verbs)});
        }
      }
    }
  }
}

GroupVersionKind KindOf(const metav1::APIResource& resource, const GroupVersion& group_version) {
  if (resource.version.empty()) return group_version.WithKind(resource.kind.str());
  return {resource.group.str(), resource.version.str(), resource.kind.str()};
}

void AddLegacy(const metav1::APIResourceList& list, const GroupVersion& group_version, Served& served) {
  const size_t first = served.resources.size();
  for (const metav1::APIResource& resource : list.resources) {
    const std::string name = resource.name.str();
    if (name.find('/') != std::string::npos) continue;
    served.resources.push_back(
        {.resource = {.group = group_version.group,
                      .version = group_version.version,
                      .plural = name,
                      .kind = resource.kind.str(),
                      .scope = resource.namespaced ? ResourceScope::kNamespaced : ResourceScope::kCluster},
         .singular = resource.singularName.str(),
         .short_names = Strings(resource.shortNames),
         .categories = Strings(resource.categories),
         .verbs = Strings(resource.verbs)});
  }
  for (const metav1::APIResource& resource : list.resources) {  // a subresource may stand before its resource
    const std::string name = resource.name.str();
    const size_t slash = name.find('/');
    if (slash == std::string::npos) continue;
    const auto owner = std::find_if(
        served.resources.begin() + static_cast<std::ptrdiff_t>(first), served.resources.end(),
        [&](const ServedResource& candidate) { return candidate.resource.plural == name.substr(0, slash); });
    if (owner == served.resources.end()) continue;
    owner->subresources.push_back(
        {.name = name.substr(slash + 1), .kind = KindOf(resource, group_version), .verbs = Strings(resource.verbs)});
  }
}

}  // namespace

Result<Served> DiscoveryClient::Fetch(const CallScope& scope) const {
  Served served;
  for (const std::string_view path : {"/api", "/apis"}) {
    Result<void> fetched = FetchRoot(path, scope, served);
    // A server of custom resources alone may have no core group, and one of the core group alone nothing else.
    if (!fetched && !IsNotFound(fetched.error())) {
      return std::move(fetched).error().WithContext("discovery of what the server serves");
    }
  }
  return served;
}

Result<void> DiscoveryClient::FetchRoot(std::string_view path, const CallScope& scope, Served& served) const {
  KEELSON_TRY(body, rest_.GetRaw(path, kAggregated, scope));
  KEELSON_TRY(document, ParseJson(body));
  const Json* kind = document.find("kind");
  if (kind != nullptr && kind->is_string() && kind->string() == "APIGroupDiscoveryList") {
    KEELSON_TRY(list, FromJson<apidiscoveryv2::APIGroupDiscoveryList>(body));
    AddAggregated(list, served);
    return {};
  }
  std::vector<ServedGroup> groups;
  if (path == "/api") {
    KEELSON_TRY(versions, FromJson<metav1::APIVersions>(body));
    groups.push_back({.versions = Strings(versions.versions)});
  } else {
    KEELSON_TRY(list, FromJson<metav1::APIGroupList>(body));
    for (const metav1::APIGroup& group : list.groups) {
      ServedGroup& added = groups.emplace_back(ServedGroup{.name = group.name.str()});
      const std::string preferred = group.preferredVersion.version.str();
      if (!preferred.empty()) added.versions.push_back(preferred);
      for (const metav1::GroupVersionForDiscovery& version : group.versions) {
        if (version.version != preferred) added.versions.push_back(version.version.str());
      }
    }
  }
  for (const ServedGroup& group : groups) {
    served.groups.push_back(group);
    for (const std::string& version : group.versions) {
      const GroupVersion group_version{group.name, version};
      Result<void> fetched = FetchLegacy(group_version, scope, served);
      if (fetched) continue;
      const ErrorCode code = fetched.error().code();
      if (code == ErrorCode::kCancelled || scope.stop.StopRequested()) return fetched;
      served.failed.push_back({group_version, fetched.error().message()});
    }
  }
  return {};
}

Result<void> DiscoveryClient::FetchLegacy(const GroupVersion& group_version, const CallScope& scope,
                                          Served& served) const {
  KEELSON_TRY(body, rest_.GetRaw(GroupVersionPath(group_version), "application/json", scope));
  KEELSON_TRY(list, FromJson<metav1::APIResourceList>(body));
  AddLegacy(list, group_version, served);
  return {};
}

Result<ServerVersion> DiscoveryClient::Version(const CallScope& scope) const {
  KEELSON_TRY(body, rest_.GetRaw("/version", "application/json", scope));
  KEELSON_TRY(document, ParseJson(body));
  const auto text = [&](std::string_view key) {
    const Json* value = document.find(key);
    return value != nullptr && value->is_string() ? value->string().str() : std::string();
  };
  return ServerVersion{.major = text("major"),
                       .minor = text("minor"),
                       .git_version = text("gitVersion"),
                       .git_commit = text("gitCommit"),
                       .build_date = text("buildDate"),
                       .go_version = text("goVersion"),
                       .platform = text("platform")};
}

}  // namespace keelson
