// Lists: in pages, by selectors, and of which version.
#include <set>

#include "feature.h"
#include "keelson/api/status_error.h"
#include "keelson/codec/json_writer.h"

namespace keelson::e2e {
namespace {

constexpr int kMaps = 35;

// The same for every feature of this file: made once.
Result<void> MakeMaps(const Cluster& cluster) {
  for (int i = 0; i < kMaps; ++i) {
    const std::string name = "map-" + std::to_string(i);
    const corev1::ConfigMap map = {
        .metadata = {.name = name, .labels = {{"set", "maps"}, {"parity", i % 2 == 0 ? "even" : "odd"}}},
        .data = {{"i", std::to_string(i)}}};
    const Result<corev1::ConfigMap> made = cluster.client.Create(map);
    if (!made && !IsAlreadyExists(made.error())) return made.error();
  }
  return {};
}

Result<labels::Selector> Maps() { return labels::Parse("set=maps"); }

Result<void> PagesComeOneByOne(const Cluster& cluster) {
  KEELSON_RETURN_IF_ERROR(MakeMaps(cluster));
  KEELSON_TRY(maps, Maps());
  std::vector<size_t> sizes;
  std::set<std::string> names;
  std::set<std::string> versions;
  for (const Result<ObjectList<corev1::ConfigMap>>& page :
       cluster.client.Pages<corev1::ConfigMap>({.labels = maps, .page_size = 10})) {
    KEELSON_RETURN_IF_ERROR(page);
    sizes.push_back(page->size());
    versions.insert(page->metadata.resourceVersion.str());
    for (const corev1::ConfigMap& map : *page) names.insert(map.metadata.name.str());
  }
  REQUIRE((sizes == std::vector<size_t>{10, 10, 10, 5}), static_cast<int64_t>(sizes.size()));
  REQUIRE(names.size() == kMaps, static_cast<int64_t>(names.size()));
  REQUIRE(versions.size() == 1, "pages of several versions");
  return {};
}

Result<void> ListsFollowThePages(const Cluster& cluster) {
  KEELSON_RETURN_IF_ERROR(MakeMaps(cluster));
  KEELSON_TRY(maps, Maps());
  KEELSON_TRY(paged, cluster.client.List<corev1::ConfigMap>({.labels = maps, .page_size = 10}));
  REQUIRE(paged.size() == kMaps, static_cast<int64_t>(paged.size()));
  REQUIRE(paged.metadata.continue_.empty(), paged.metadata.continue_);
  KEELSON_TRY(whole, cluster.client.List<corev1::ConfigMap>({.labels = maps, .page_size = 0}));
  REQUIRE(whole.size() == kMaps, static_cast<int64_t>(whole.size()));
  for (size_t i = 0; i < whole.size(); ++i) {
    REQUIRE(whole.items[i].metadata.name == paged.items[i].metadata.name, whole.items[i].metadata.name);
  }
  int visited = 0;
  KEELSON_TRY(metadata, cluster.client.ForEach<corev1::ConfigMap>({.labels = maps, .page_size = 10},
                                                                  [&](corev1::ConfigMap&&) { ++visited; }));
  REQUIRE(visited == kMaps && !metadata.resourceVersion.empty(), visited);
  return {};
}

Result<void> SelectorsChoose(const Cluster& cluster) {
  KEELSON_RETURN_IF_ERROR(MakeMaps(cluster));
  KEELSON_TRY(odd, labels::Parse("set in (maps),parity!=even"));
  KEELSON_TRY(odds, cluster.client.List<corev1::ConfigMap>({.labels = odd}));
  REQUIRE(odds.size() == kMaps / 2, static_cast<int64_t>(odds.size()));
  KEELSON_TRY(name, fields::Parse("metadata.name=map-7"));
  KEELSON_TRY(seven, cluster.client.List<corev1::ConfigMap>({.fields = name}));
  REQUIRE(seven.size() == 1 && seven.items[0].data.at("i") == "7", static_cast<int64_t>(seven.size()));
  KEELSON_TRY(others, fields::Parse("metadata.name!=map-7"));
  KEELSON_TRY(both, cluster.client.List<corev1::ConfigMap>({.labels = odd, .fields = others}));
  REQUIRE(both.size() == kMaps / 2 - 1, static_cast<int64_t>(both.size()));
  KEELSON_TRY(unknown, fields::Parse("data.i=7"));
  const Error error = FailureOf(cluster.client.List<corev1::ConfigMap>({.fields = unknown}));
  REQUIRE(StatusOf(error) != nullptr && StatusOf(error)->code == 400, error.message());
  return {};
}

Result<void> AllNamespacesAtOnce(const Cluster& cluster) {
  KEELSON_RETURN_IF_ERROR(MakeMaps(cluster));
  KEELSON_TRY(all, cluster.admin.List<corev1::ConfigMap>());
  std::set<std::string> namespaces;
  for (const corev1::ConfigMap& map : all) namespaces.insert(map.metadata.namespace_.str());
  REQUIRE(namespaces.contains("kube-system") && namespaces.contains(cluster.namespace_), ToJson(all.items[0]));
  return {};
}

Result<void> VersionsFollowTheRules(const Cluster& cluster) {
  KEELSON_RETURN_IF_ERROR(MakeMaps(cluster));
  KEELSON_TRY(maps, Maps());
  KEELSON_TRY(any, cluster.client.List<corev1::ConfigMap>({.labels = maps, .resource_version = "0"}));
  REQUIRE(!any.metadata.resourceVersion.empty(), "no version");

  // What was there at an exact version, although more is there now.
  KEELSON_TRY(before, cluster.client.List<corev1::ConfigMap>({.labels = maps}));
  KEELSON_TRY(extra,
              cluster.client.Create(corev1::ConfigMap{.metadata = {.name = "extra", .labels = {{"set", "maps"}}}}));
  const std::string version = before.metadata.resourceVersion.str();
  KEELSON_TRY(exact, cluster.client.List<corev1::ConfigMap>(
                         {.labels = maps, .resource_version = version, .version_match = VersionMatch::kExact}));
  REQUIRE(exact.size() == before.size(), static_cast<int64_t>(exact.size()));
  REQUIRE(exact.metadata.resourceVersion == version, exact.metadata.resourceVersion);
  KEELSON_TRY(newer, cluster.client.List<corev1::ConfigMap>({.labels = maps,
                                                             .resource_version = extra.metadata.resourceVersion.str(),
                                                             .version_match = VersionMatch::kNotOlderThan}));
  REQUIRE(newer.size() == before.size() + 1, static_cast<int64_t>(newer.size()));
  KEELSON_TRY(read, cluster.client.Get<corev1::ConfigMap>(cluster.Key("extra"), {.resource_version = "0"}));
  REQUIRE(read.metadata.uid == extra.metadata.uid, read.metadata.uid);
  return cluster.client.Delete(extra);
}

Result<void> VersionsOfTheFutureAreTold(const Cluster& cluster) {
  ClientConfig config = cluster.config;
  config.retry.max_retries = 0;  // else the client waits for that version as long as the call may take
  KEELSON_TRY(client, cluster.Connect(config, {.namespace_ = cluster.namespace_}));
  const Error error = FailureOf(
      client.List<corev1::ConfigMap>({.resource_version = "1000000000", .version_match = VersionMatch::kNotOlderThan}));
  REQUIRE(IsTimeout(error), error.message());
  REQUIRE(HasStatusCause(error, "ResourceVersionTooLarge"), error.message());
  REQUIRE(RetryAfter(error).has_value(), error.message());
  return {};
}

}  // namespace

Area ListFeatures() {
  return {"lists",
          {
              {"pages come one by one, all of one version", PagesComeOneByOne},
              {"a list follows the pages to the end", ListsFollowThePages},
              {"label and field selectors choose", SelectorsChoose},
              {"all namespaces at once", AllNamespacesAtOnce},
              {"resource versions: any, exact, not older than", VersionsFollowTheRules},
              {"a version of the future gives Timeout with its cause", VersionsOfTheFutureAreTold},
          }};
}

}  // namespace keelson::e2e
