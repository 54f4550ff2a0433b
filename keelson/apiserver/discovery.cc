#include "keelson/apiserver/discovery.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>

#include "keelson/api/apidiscovery/v2.h"
#include "keelson/api/meta/v1.h"
#include "keelson/api/status_error.h"
#include "keelson/apiserver/answers.h"
#include "keelson/apiserver/version_order.h"
#include "keelson/codec/internal/base64.h"
#include "keelson/core/hash.h"

namespace keelson::apiserver {

namespace {

// Groups that clients shall look into first; the others follow by name.
constexpr std::array<std::string_view, 20> kGroupOrder = {"apiregistration.k8s.io",
                                                          "apps",
                                                          "events.k8s.io",
                                                          "authentication.k8s.io",
                                                          "authorization.k8s.io",
                                                          "autoscaling",
                                                          "batch",
                                                          "certificates.k8s.io",
                                                          "networking.k8s.io",
                                                          "policy",
                                                          "rbac.authorization.k8s.io",
                                                          "storage.k8s.io",
                                                          "admissionregistration.k8s.io",
                                                          "apiextensions.k8s.io",
                                                          "scheduling.k8s.io",
                                                          "coordination.k8s.io",
                                                          "node.k8s.io",
                                                          "discovery.k8s.io",
                                                          "resource.k8s.io",
                                                          "flowcontrol.apiserver.k8s.io"};

uint64_t Hash(std::string_view text) { return keelson::HashBytes(text.data(), text.size(), 0); }

List<String> Texts(const std::vector<std::string>& texts) {
  List<String> list;
  for (const std::string& text : texts) list.push_back(String(text));
  return list;
}

// The beginning of a hash of the kind that is stored, in base64: changes when the storage version does.
std::string StorageHash(const Resource& resource) {
  const std::string kind = fmt::format("{}/{}/{}", resource.stored_type->group, resource.stored_type->version,
                                       resource.stored_type->object_kind);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  if (EVP_Digest(kind.data(), kind.size(), digest.data(), nullptr, EVP_sha256(), nullptr) != 1) return {};
  std::string text;
  keelson::internal::AppendBase64({reinterpret_cast<const char*>(digest.data()), 8}, text);
  return text;
}

ResourceList ResourcesOf(const ResourceTable& resources, std::string_view group, std::string_view version) {
  ResourceList found;
  const std::shared_ptr<const ResourceList> all = resources.all();  // kept: the table may change meanwhile
  for (const ResourcePtr& resource : *all) {
    if (resource->group == group && resource->version == version) found.push_back(resource);
  }
  return found;
}

metav1::APIResourceList ResourceListOf(const ResourceTable& resources, std::string_view group,
                                       std::string_view version) {
  metav1::APIResourceList list;
  list.groupVersion = group.empty() ? std::string(version) : fmt::format("{}/{}", group, version);
  for (const ResourcePtr& resource : ResourcesOf(resources, group, version)) {
    metav1::APIResource entry;
    entry.name = resource->plural;
    entry.singularName = resource->singular;
    entry.namespaced = resource->namespaced;
    entry.kind = resource->kind;
    entry.verbs = Texts(resource->verbs);
    entry.shortNames = Texts(resource->short_names);
    entry.categories = Texts(resource->categories);
    if (resource->has_verb("update")) entry.storageVersionHash = StorageHash(*resource);
    list.resources.push_back(std::move(entry));
    for (const Subresource& subresource : resource->subresources) {
      metav1::APIResource sub;
      sub.name = resource->plural + "/" + subresource.name;
      sub.namespaced = resource->namespaced;
      sub.group = subresource.group;
      sub.version = subresource.version;
      sub.kind = subresource.kind;
      sub.verbs = Texts(subresource.verbs);
      list.resources.push_back(std::move(sub));
    }
  }
  return list;
}

metav1::GroupVersionForDiscovery VersionEntry(std::string_view group, std::string_view version) {
  metav1::GroupVersionForDiscovery entry;
  entry.groupVersion = fmt::format("{}/{}", group, version);
  entry.version = version;
  return entry;
}

metav1::APIGroup GroupOf(const ResourceTable& resources, std::string_view group) {
  metav1::APIGroup entry;
  entry.name = group;
  for (const std::string& version : OrderedVersions(resources, group)) {
    entry.versions.push_back(VersionEntry(group, version));
  }
  entry.preferredVersion = std::as_const(entry).versions[0];
  return entry;
}

// ---- Everything at once ----

metav1::GroupVersionKind KindEntry(const std::string& group, const std::string& version, const std::string& kind) {
  metav1::GroupVersionKind entry;
  entry.group = group;
  entry.version = version;
  entry.kind = kind;
  return entry;
}

apidiscoveryv2::APIResourceDiscovery AggregatedResource(const Resource& resource) {
  apidiscoveryv2::APIResourceDiscovery entry;
  entry.resource = resource.plural;
  // Built-in kinds leave out what the group and version around them say.
  const bool custom = resource.custom != nullptr;
  entry.responseKind =
      custom ? KindEntry(resource.group, resource.version, resource.kind) : KindEntry("", "", resource.kind);
  entry.scope = resource.namespaced ? "Namespaced" : "Cluster";
  entry.singularResource = resource.singular;
  entry.verbs = Texts(resource.verbs);
  entry.shortNames = Texts(resource.short_names);
  entry.categories = Texts(resource.categories);
  for (const Subresource& subresource : resource.subresources) {
    apidiscoveryv2::APISubresourceDiscovery sub;
    sub.subresource = subresource.name;
    sub.responseKind = custom && subresource.group.empty()
                           ? KindEntry(resource.group, resource.version, subresource.kind)
                           : KindEntry(subresource.group, subresource.version, subresource.kind);
    sub.verbs = Texts(subresource.verbs);
    entry.subresources.push_back(std::move(sub));
  }
  return entry;
}

apidiscoveryv2::APIGroupDiscovery AggregatedGroup(const ResourceTable& resources, const std::string& group) {
  apidiscoveryv2::APIGroupDiscovery entry;
  entry.metadata.name = group;
  for (const std::string& version : OrderedVersions(resources, group)) {
    apidiscoveryv2::APIVersionDiscovery shown;
    shown.version = version;
    shown.freshness = "Current";
    for (const ResourcePtr& resource : ResourcesOf(resources, group, version)) {
      shown.resources.push_back(AggregatedResource(*resource));
    }
    entry.versions.push_back(std::move(shown));
  }
  return entry;
}

// "v2" or "v2beta1" when the client asks for the aggregated form before any other that it takes.
std::string AggregatedVersion(const Headers& headers) {
  for (std::string_view header : headers.All("Accept")) {
    while (!header.empty()) {
      const size_t end = std::min(header.find(','), header.size());
      const std::string_view clause = header.substr(0, end);
      header.remove_prefix(std::min(end + 1, header.size()));
      const bool json = clause.find("application/json") != std::string_view::npos;
      if (!json) continue;
      if (clause.find("as=APIGroupDiscoveryList") == std::string_view::npos) return {};
      if (clause.find("v=v2beta1") != std::string_view::npos) return "v2beta1";
      if (clause.find("v=v2") != std::string_view::npos) return "v2";
    }
  }
  return {};
}

void SendAggregated(Exchange& exchange, const ResourceTable& resources, bool core, const std::string& version) {
  apidiscoveryv2::APIGroupDiscoveryList list;
  if (core) {
    list.items.push_back(AggregatedGroup(resources, ""));
  } else {
    for (const std::string& group : OrderedGroups(resources)) list.items.push_back(AggregatedGroup(resources, group));
  }
  std::string body =
      Encode(TypeOf<apidiscoveryv2::APIGroupDiscoveryList>(), &list, Format::kJson, exchange.query.IsTrue("pretty"));
  if (version == "v2beta1") {
    constexpr std::string_view kVersion = "apidiscovery.k8s.io/v2";
    if (const size_t at = body.find(kVersion); at != std::string::npos) body.insert(at + kVersion.size(), "beta1");
  }
  const std::string tag = fmt::format("\"{:016X}\"", Hash(body));
  Headers headers{
      {"Content-Type", fmt::format("application/json;g=apidiscovery.k8s.io;v={};as=APIGroupDiscoveryList", version)},
      {"Cache-Control", "public"},
      {"ETag", tag},
      {"Vary", "Accept"}};
  const std::string_view* known = exchange.request.headers.Find("If-None-Match");
  if (known != nullptr && *known == tag) {
    exchange.response->Start(304, std::move(headers));
    return exchange.response->Finish();
  }
  headers.Add("Content-Length", std::to_string(body.size()));
  exchange.response->Start(200, std::move(headers));
  if (exchange.request.method != "HEAD") exchange.response->Write(String(body));
  exchange.response->Finish();
}

template <class T>
void SendPlain(Exchange& exchange, const T& object) {
  Result<Representation> representation =
      Negotiate(exchange.request.headers, Answer::kPlain, exchange.query.IsTrue("pretty"));
  if (!representation) return SendError(exchange, representation.error());
  SendReply(exchange, Reply::Holding(object), *representation);
}

std::vector<std::string_view> PartsOf(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    const size_t end = std::min(path.find('/'), path.size());
    if (end > 0) parts.push_back(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return parts;
}

}  // namespace

std::vector<std::string> OrderedGroups(const ResourceTable& resources) {
  const std::shared_ptr<const ResourceList> all = resources.all();
  std::vector<std::string> groups;
  const auto add = [&](std::string_view group) {
    if (!group.empty() && std::find(groups.begin(), groups.end(), group) == groups.end()) groups.emplace_back(group);
  };
  for (const std::string_view group : kGroupOrder) {
    const bool served =
        std::any_of(all->begin(), all->end(), [&](const ResourcePtr& resource) { return resource->group == group; });
    if (served) add(group);
  }
  for (const ResourcePtr& resource : *all) add(resource->group);
  return groups;
}

std::vector<std::string> OrderedVersions(const ResourceTable& resources, std::string_view group) {
  std::vector<std::string> versions;
  const std::shared_ptr<const ResourceList> all = resources.all();  // kept: the table may change meanwhile
  for (const ResourcePtr& resource : *all) {
    if (resource->group != group) continue;
    if (std::find(versions.begin(), versions.end(), resource->version) == versions.end()) {
      versions.push_back(resource->version);
    }
  }
  std::sort(versions.begin(), versions.end(), PreferredBefore);
  return versions;
}

bool ServeDiscovery(Exchange& exchange, const ResourceTable& resources, const std::string& address) {
  if (exchange.info.path.find("//") != std::string::npos) return false;
  const std::vector<std::string_view> parts = PartsOf(exchange.info.path);
  if (parts.empty() || (parts[0] != "api" && parts[0] != "apis")) return false;
  if (exchange.request.method != "GET" && exchange.request.method != "HEAD") return false;
  const bool core = parts[0] == "api";
  if (parts.size() == 1) {
    if (const std::string version = AggregatedVersion(exchange.request.headers); !version.empty()) {
      SendAggregated(exchange, resources, core, version);
      return true;
    }
    if (core) {
      metav1::APIVersions versions;
      versions.versions.push_back("v1");
      metav1::ServerAddressByClientCIDR entry;
      entry.clientCIDR = "0.0.0.0/0";
      entry.serverAddress = address;
      versions.serverAddressByClientCIDRs.push_back(std::move(entry));
      // The one object without an apiVersion.
      std::string text = Encode(TypeOf<metav1::APIVersions>(), &versions, Format::kJson, false);
      constexpr std::string_view kVersion = "\"apiVersion\":\"v1\",";
      if (const size_t at = text.find(kVersion); at != std::string::npos) text.erase(at, kVersion.size());
      SendText(exchange, 200, "application/json", std::move(text));
      return true;
    }
    metav1::APIGroupList list;
    for (const std::string& group : OrderedGroups(resources)) list.groups.push_back(GroupOf(resources, group));
    SendPlain(exchange, list);
    return true;
  }
  if (core) {
    if (parts.size() != 2 || !resources.HasGroupVersion("", parts[1])) return false;
    SendPlain(exchange, ResourceListOf(resources, "", parts[1]));
    return true;
  }
  if (parts.size() == 2) {
    if (OrderedVersions(resources, parts[1]).empty()) return false;
    SendPlain(exchange, GroupOf(resources, parts[1]));
    return true;
  }
  if (parts.size() != 3 || !resources.HasGroupVersion(parts[1], parts[2])) return false;
  SendPlain(exchange, ResourceListOf(resources, parts[1], parts[2]));
  return true;
}

}  // namespace keelson::apiserver
