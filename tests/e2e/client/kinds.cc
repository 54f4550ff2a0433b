// Kinds: those that are built in, those that appear later, and how their objects travel.
#include <algorithm>
#include <set>

#include "feature.h"
#include "keelson/api/status_error.h"
#include "keelson/client/credentials.h"
#include "keelson/client/dynamic_client.h"
#include "keelson/client/ignore_not_found.h"
#include "keelson/codec/json_writer.h"
#include "keelson/codec/yaml_reader.h"
#include "keelson/core/mutex.h"

namespace keelson::e2e {
namespace {

const GroupVersionKind kCount = {"demo.mark8s.io", "v1", "Count"};
const Resource kCounts = {.group = "demo.mark8s.io", .version = "v1", .plural = "counts"};
const Resource kCrds = {.group = "apiextensions.k8s.io",
                        .version = "v1",
                        .plural = "customresourcedefinitions",
                        .scope = ResourceScope::kCluster};
const ObjectKey kCrd = {"", "counts.demo.mark8s.io"};

Unstructured CountOf(const std::string& name, int count) {
  Unstructured object(Json::Object({{"spec", Json::Object({{"name", "things"}, {"count", count}})}}));
  object.SetGvk(kCount);
  object.SetName(name);
  return object;
}

Result<void> RemoveCrd(const Cluster& cluster) {
  KEELSON_RETURN_IF_ERROR(IgnoreNotFound(cluster.admin.Delete(kCrds, kCrd)));
  return Eventually("the CRD's end", cluster.scope, [&]() -> Result<bool> {
    KEELSON_TRY(found, IgnoreNotFound(cluster.admin.Get(kCrds, kCrd)));
    return !found;
  });
}

Result<void> TheServerSaysItsVersion(const Cluster& cluster) {
  KEELSON_TRY(version, cluster.admin.discovery().Version(cluster.scope));
  REQUIRE(version.git_version == "v1.36.3" && version.major == "1", version.git_version);
  REQUIRE(version.platform.starts_with("linux/"), version.platform);
  return {};
}

Result<void> DiscoveryKnowsGroupsAndResources(const Cluster& cluster) {
  KEELSON_TRY(served, cluster.admin.discovery().Fetch(cluster.scope));
  REQUIRE(served.failed.empty(), served.failed[0].reason);
  const auto group = [&](std::string_view name) {
    return std::find_if(served.groups.begin(), served.groups.end(), [&](const auto& g) { return g.name == name; });
  };
  REQUIRE(group("") != served.groups.end() && group("apps") != served.groups.end(), "no core group or no apps");
  REQUIRE(group("autoscaling") != served.groups.end(), "no autoscaling");
  REQUIRE(group("autoscaling")->versions.front() == "v2", group("autoscaling")->versions.front());
  const auto pods = std::find_if(served.resources.begin(), served.resources.end(),
                                 [](const ServedResource& r) { return r.resource.gvr() == GvrOf<corev1::Pod>(); });
  REQUIRE(pods != served.resources.end() && pods->short_names == std::vector<std::string>{"po"}, "no pods");
  REQUIRE(std::count(pods->verbs.begin(), pods->verbs.end(), "deletecollection") == 1, "no deletecollection");
  std::set<std::string> subresources;
  for (const ServedSubresource& subresource : pods->subresources) subresources.insert(subresource.name);
  for (const char* name : {"status", "log", "eviction", "binding", "exec", "portforward"}) {
    REQUIRE(subresources.contains(name), name);
  }
  return {};
}

Result<void> NamesThatPeopleTypeAreUnderstood(const Cluster& cluster) {
  const RestMapper& mapper = cluster.admin.mapper();
  for (const char* text : {"deploy", "deployment", "Deployment", "deployments.apps", "deployments.v1.apps"}) {
    KEELSON_TRY(found, mapper.Find(text, cluster.scope));
    REQUIRE(found.gvr() == GvrOf<appsv1::Deployment>(), text);
    REQUIRE(found.scope == ResourceScope::kNamespaced, text);
  }
  KEELSON_TRY(preferred, mapper.ResourceOf(GroupKind{"autoscaling", "HorizontalPodAutoscaler"}, cluster.scope));
  REQUIRE(preferred.version == "v2", preferred.version);
  KEELSON_TRY(namespaces, mapper.Find("ns", cluster.scope));
  REQUIRE(namespaces.scope == ResourceScope::kCluster, "namespaces are in namespaces");
  const Error error = FailureOf(mapper.Find("nonsense", cluster.scope));
  REQUIRE(IsNoMatch(error), error.message());
  return {};
}

// The features behind this one, up to the removal, stand on the CRD that it makes.
Result<void> KindsThatAppearLaterJustWork(const Cluster& cluster) {
  KEELSON_RETURN_IF_ERROR(RemoveCrd(cluster));
  Result<Unstructured> read = cluster.client.Get(kCount, cluster.Key("first"));
  const Error unknown = FailureOf(read);
  REQUIRE(IsNoMatch(unknown), unknown.message());

  KEELSON_TRY(text, ReadSmallFile(cluster.repository + "/examples/count/config/crd/demo.mark8s.io_counts.yaml"));
  KEELSON_TRY(crd, FromYaml<Unstructured>(text));
  KEELSON_RETURN_IF_ERROR(cluster.admin.Create(crd));
  return Eventually("an object of the new kind", cluster.scope, [&]() -> Result<bool> {
    const Result<Unstructured> made = cluster.client.Create(CountOf("first", 1));
    if (made) return made->GetNamespace() == cluster.namespace_;
    // Served only a moment after the CRD is there.
    if (IsNoMatch(made.error()) || IsNotFound(made.error())) return false;
    return made.error();
  });
}

Result<void> DynamicClientsDoEverything(const Cluster& cluster) {
  const DynamicClient counts = DynamicClient(cluster.admin).Of(kCounts.gvr()).In(cluster.namespace_);
  KEELSON_TRY(made, counts.Create(CountOf("dynamic", 2)));
  KEELSON_TRY(watch, counts.Watch({.resource_version = made.GetResourceVersion()}));
  KEELSON_RETURN_IF_ERROR(made.SetNested({"spec", "count"}, 3));
  KEELSON_TRY(updated, counts.Update(made));
  REQUIRE(updated.NestedInt({"spec", "count"}) == 3, ToJson(updated.content()));
  KEELSON_TRY(event, watch.Next());
  REQUIRE(event && event->type == WatchEventType::kModified && event->object == updated, "another event");
  KEELSON_RETURN_IF_ERROR(updated.SetNested({"status", "healthy"}, true));
  KEELSON_TRY(healthy, counts.UpdateStatus(updated));
  REQUIRE(healthy.NestedBool({"status", "healthy"}) == true, ToJson(healthy.content()));
  KEELSON_TRY(patched, counts.Patch("dynamic", Patch::Raw(PatchType::kMerge, R"({"spec": {"count": 4}})")));
  REQUIRE(patched.NestedInt({"spec", "count"}) == 4, ToJson(patched.content()));
  KEELSON_TRY(list, counts.List());
  REQUIRE(list.size() == 2 && list.items[0].GetKind() == "Count", static_cast<int64_t>(list.size()));
  const Error error = FailureOf(counts.Create(CountOf("negative", -1)));
  REQUIRE(IsInvalid(error) && error.message().find("spec.count") != std::string::npos, error.message());
  KEELSON_RETURN_IF_ERROR(counts.Delete("dynamic"));
  const Error gone = FailureOf(counts.Get("dynamic"));
  REQUIRE(IsNotFound(gone), gone.message());
  return {};
}

Result<void> OldVersionsAreExpired(const Cluster& cluster) {
  // The server remembers changes of a kind from the first question about it on, which came long after version 1.
  Result<WatchStream<Unstructured>> watch = cluster.client.Watch(kCounts, {.resource_version = "1"});
  const Error error = watch ? FailureOf(watch->Next()) : watch.error();
  REQUIRE(IsExpired(error), error.message());
  REQUIRE(StatusOf(error) != nullptr && StatusOf(error)->code == 410, error.message());
  return {};
}

Result<void> MetadataComesAlone(const Cluster& cluster) {
  KEELSON_RETURN_IF_ERROR(cluster.client.Create(
      corev1::ConfigMap{.metadata = {.name = "meta", .labels = {{"a", "b"}}}, .data = {{"c", "d"}}}));
  KEELSON_TRY(map, cluster.client.GetMetadata<corev1::ConfigMap>(cluster.Key("meta")));
  REQUIRE(map.metadata.labels.at("a") == "b" && map.kind == "PartialObjectMetadata", ToJson(map));
  KEELSON_TRY(maps, cluster.client.ListMetadata<corev1::ConfigMap>());
  REQUIRE(maps.size() >= 1, "an empty list");
  KEELSON_TRY(count, cluster.client.GetMetadata(kCounts, cluster.Key("first")));
  REQUIRE(count.metadata.name == "first" && !count.metadata.uid.empty(), ToJson(count));
  KEELSON_TRY(counts, cluster.client.ListMetadata(kCounts));
  REQUIRE(counts.size() == 1, static_cast<int64_t>(counts.size()));
  KEELSON_TRY(watch, cluster.client.WatchMetadata(kCounts));
  KEELSON_TRY(event, watch.Next());
  REQUIRE(event && event->object.metadata.name == "first", "another event");
  return {};
}

// Keeps what the server's answers were written in.
class ListeningTransport final : public Transport {
 public:
  explicit ListeningTransport(std::shared_ptr<Transport> inner) : inner_(std::move(inner)) {}

  Result<HttpResponse> Send(HttpRequest request, const CallScope& scope) override {
    Result<HttpResponse> answer = inner_->Send(std::move(request), scope);
    if (!answer) return answer;
    const std::string_view* type = answer->headers.Find("Content-Type");
    const MutexLock lock(mutex_);
    last_ = type == nullptr ? "" : *type;
    return answer;
  }
  std::string last() const {
    const MutexLock lock(mutex_);
    return last_;
  }

 private:
  const std::shared_ptr<Transport> inner_;
  mutable Mutex mutex_{"listening transport"};
  std::string last_;  // guarded by mutex_
};

Result<void> BuiltInKindsTravelAsProtobuf(const Cluster& cluster) {
  KEELSON_TRY(base, MakeTransport(cluster.config));
  const auto heard = std::make_shared<ListeningTransport>(base);
  const Client binary =
      Client(heard, {.namespace_ = cluster.namespace_, .content_type = ContentType::kProtobuf}).With(cluster.scope);
  KEELSON_TRY(made, binary.Create(SampleDeployment("binary", 0)));
  REQUIRE(heard->last() == "application/vnd.kubernetes.protobuf", heard->last());
  KEELSON_TRY(read, binary.Get<appsv1::Deployment>(cluster.Key("binary")));
  REQUIRE(heard->last() == "application/vnd.kubernetes.protobuf", heard->last());
  KEELSON_TRY(list, binary.List<appsv1::Deployment>());
  REQUIRE(heard->last() == "application/vnd.kubernetes.protobuf" && list.size() == 1, heard->last());
  KEELSON_TRY(text, cluster.client.Get<appsv1::Deployment>(cluster.Key("binary")));
  // Its controller may have written the status and its own managed fields in between.
  REQUIRE(ToJson(read.spec) == ToJson(text.spec), ToJson(read.spec));
  REQUIRE(read.metadata.uid == made.metadata.uid && text.metadata.uid == made.metadata.uid, read.metadata.uid);
  const Error error = FailureOf(binary.Get<appsv1::Deployment>(cluster.Key("absent")));
  REQUIRE(IsNotFound(error) && StatusOf(error) != nullptr, error.message());
  return binary.Delete(read);
}

Result<void> CustomKindsTravelAsJson(const Cluster& cluster) {
  KEELSON_TRY(base, MakeTransport(cluster.config));
  const auto heard = std::make_shared<ListeningTransport>(base);
  const Client binary =
      Client(heard, {.namespace_ = cluster.namespace_, .content_type = ContentType::kProtobuf}).With(cluster.scope);
  KEELSON_TRY(count, binary.Get(kCount, cluster.Key("first")));
  REQUIRE(heard->last() == "application/json", heard->last());
  KEELSON_TRY(metadata, binary.GetMetadata(kCounts, cluster.Key("first")));
  REQUIRE(metadata.metadata.uid == count.GetUid(), ToJson(metadata));
  return {};
}

Result<void> KindsThatGoAreMissed(const Cluster& cluster) {
  KEELSON_RETURN_IF_ERROR(RemoveCrd(cluster));
  const Error error = FailureOf(cluster.client.Get(kCount, cluster.Key("first")));
  REQUIRE(IsNotFound(error) || IsNoMatch(error), error.message());
  return {};
}

}  // namespace

Area KindFeatures() {
  return {"kinds",
          {
              {"the server says its version", TheServerSaysItsVersion},
              {"discovery: groups, preferred versions, short names, subresources", DiscoveryKnowsGroupsAndResources},
              {"names that people type are understood", NamesThatPeopleTypeAreUnderstood},
              {"a kind whose CRD appears later just works", KindsThatAppearLaterJustWork},
              {"the dynamic client does everything", DynamicClientsDoEverything},
              {"a watch from a version that is too old gives Expired", OldVersionsAreExpired},
              {"metadata comes alone", MetadataComesAlone},
              {"built-in kinds travel as protobuf", BuiltInKindsTravelAsProtobuf},
              {"custom kinds travel as JSON all the same", CustomKindsTravelAsJson},
              {"a kind whose CRD goes is missed", KindsThatGoAreMissed},
          }};
}

}  // namespace keelson::e2e
