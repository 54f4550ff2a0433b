#include "keelson/apiserver/openapi/builtin_paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "keelson/apiserver/openapi/builtin_schemas.h"

namespace keelson::apiserver::openapi {

namespace {

using MediaTypes = std::vector<std::string_view>;

const MediaTypes kAnything = {"*/*"};
const MediaTypes kEncodings = {"application/json", "application/yaml", "application/vnd.kubernetes.protobuf"};
const MediaTypes kListEncodings = {"application/json", "application/yaml", "application/vnd.kubernetes.protobuf",
                                   "application/json;stream=watch", "application/vnd.kubernetes.protobuf;stream=watch"};
const MediaTypes kPatches = {"application/json-patch+json", "application/merge-patch+json",
                             "application/strategic-merge-patch+json", "application/apply-patch+yaml"};

// Kinds whose deletion answers with the object; others answer with a Status.
constexpr std::string_view kAnswerDeletedObject[] = {"CSIDriver",
                                                     "CSINode",
                                                     "DeviceClass",
                                                     "PersistentVolume",
                                                     "PersistentVolumeClaim",
                                                     "Pod",
                                                     "PodTemplate",
                                                     "ResourceClaim",
                                                     "ResourceClaimTemplate",
                                                     "ResourceQuota",
                                                     "ResourceSlice",
                                                     "Service",
                                                     "ServiceAccount",
                                                     "StorageClass",
                                                     "VolumeAttachment",
                                                     "VolumeAttributesClass"};

std::string Meta(std::string_view kind) { return fmt::format("{}{}", kMetaSchema, kind); }

Parameters Joined(Parameters a, const Parameters& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

bool Has(const std::vector<std::string>& verbs, std::string_view verb) {
  return std::find(verbs.begin(), verbs.end(), verb) != verbs.end();
}

std::vector<OperationAnswer> Answers(std::initializer_list<int> codes, const std::string& schema) {
  std::vector<OperationAnswer> answers;
  for (const int code : codes) answers.push_back({code, schema});
  return answers;
}

class PathMaker {
 public:
  explicit PathMaker(const Resource& resource)
      : resource_(resource),
        kind_(resource.gvk()),
        schema_(BuiltinSchemaName(resource.gvk())),
        list_schema_(BuiltinSchemaName({resource.group, resource.version, resource.kind + "List"})),
        named_(resource.namespaced ? "Namespaced" + resource.kind : resource.kind),
        root_(resource.group.empty() ? fmt::format("/api/{}", resource.version)
                                     : fmt::format("/apis/{}/{}", resource.group, resource.version)),
        scope_(resource.namespaced ? "/namespaces/{namespace}/" : "/") {}

  std::vector<PathItem> Make() {
    AddCollection();
    AddObject();
    for (const Subresource& subresource : resource_.subresources) AddSubresource(subresource);
    AddWatches();
    std::erase_if(items_, [](const PathItem& item) { return item.operations.empty(); });
    return std::move(items_);
  }

 private:
  PathItem& Begin(std::string path) { return items_.emplace_back(PathItem{.path = std::move(path)}); }

  Operation& Add(PathItem& item, std::string_view method, std::string_view verb, const std::string& what,
                 std::string_view action, const GroupVersionKind& kind, Parameters parameters) {
    return item.operations.emplace_back(
        Operation{.method = method,
                  .id = fmt::format("{}{}{}", verb, OperationInfix(resource_.group, resource_.version), what),
                  .tag = OperationTag(resource_.group, resource_.version),
                  .action = action,
                  .kind = kind,
                  .parameters = Joined(std::move(parameters), PathParameters(item.path)),
                  .consumes = kAnything,
                  .produces = kEncodings});
  }

  void AddList(PathItem& item, const std::string& what) {
    Operation& list = Add(item, "get", "list", what, "list", kind_, ListParameters());
    list.produces = kListEncodings;
    list.answers = Answers({200}, list_schema_);
  }

  void AddCreate(PathItem& item, const std::string& what, const GroupVersionKind& kind, const std::string& schema) {
    Operation& create = Add(item, "post", "create", what, "post", kind, WriteParameters());
    create.body = schema;
    create.answers = Answers({200, 201, 202}, schema);
  }

  void AddCollection() {
    if (resource_.has_verb("list") && resource_.namespaced) {
      AddList(Begin(fmt::format("{}/{}", root_, resource_.plural)), resource_.kind + "ForAllNamespaces");
    }
    PathItem& item = Begin(root_ + scope_ + resource_.plural);
    if (resource_.has_verb("list")) AddList(item, named_);
    if (resource_.has_verb("create")) AddCreate(item, named_, kind_, schema_);
    if (resource_.has_verb("deletecollection")) {
      Operation& remove =
          Add(item, "delete", "delete", "Collection" + named_, "deletecollection", kind_, DeleteCollectionParameters());
      remove.body = Meta("DeleteOptions");
      remove.body_required = false;
      remove.answers = Answers({200}, Meta("Status"));
    }
  }

  // What an object and its subresources have alike.
  void AddReadAndWrite(PathItem& item, const std::string& what, const std::vector<std::string>& verbs,
                       const GroupVersionKind& kind, const std::string& schema) {
    if (Has(verbs, "get")) {
      Operation& read = Add(item, "get", "read", what, "get", kind, {{"pretty", "string"}});
      read.answers = Answers({200}, schema);
    }
    if (Has(verbs, "update")) {
      Operation& replace = Add(item, "put", "replace", what, "put", kind, WriteParameters());
      replace.body = schema;
      replace.answers = Answers({200, 201}, schema);
    }
    if (Has(verbs, "patch")) {
      Operation& patch = Add(item, "patch", "patch", what, "patch", kind, PatchParameters());
      patch.consumes = kPatches;
      patch.body = Meta("Patch");
      patch.answers = Answers({200, 201}, schema);
    }
  }

  void AddObject() {
    PathItem& item = Begin(fmt::format("{}{}{}/{{name}}", root_, scope_, resource_.plural));
    AddReadAndWrite(item, named_, resource_.verbs, kind_, schema_);
    if (!resource_.has_verb("delete")) return;
    const bool whole = std::find(std::begin(kAnswerDeletedObject), std::end(kAnswerDeletedObject), resource_.kind) !=
                       std::end(kAnswerDeletedObject);
    Operation& remove = Add(item, "delete", "delete", named_, "delete", kind_, DeleteParameters());
    remove.body = Meta("DeleteOptions");
    remove.body_required = false;
    remove.answers = Answers({200, 202}, whole ? schema_ : Meta("Status"));
  }

  void AddSubresource(const Subresource& subresource) {
    const std::string path = fmt::format("{}{}{}/{{name}}/{}", root_, scope_, resource_.plural, subresource.name);
    const std::string what = named_ + Capitalised(subresource.name);
    const bool own = subresource.group.empty() && subresource.version.empty();
    const GroupVersionKind kind{own ? resource_.group : subresource.group,
                                own ? resource_.version : subresource.version, subresource.kind};
    if (subresource.name == "log") return AddLog(path, what, kind);
    if (subresource.kind.ends_with("Options")) {
      AddConnect(path, what, kind);
      if (subresource.name == "proxy") AddConnect(path + "/{path}", what + "WithPath", kind);
      return;
    }
    const std::string schema = BuiltinSchemaName(kind);
    PathItem& item = Begin(path);
    AddReadAndWrite(item, what, subresource.verbs, kind, schema);
    if (Has(subresource.verbs, "create")) AddCreate(item, what, kind, schema);
  }

  void AddLog(const std::string& path, const std::string& what, const GroupVersionKind& kind) {
    Operation& read = Add(Begin(path), "get", "read", what, "get", kind,
                          Joined({{"pretty", "string"}}, OptionsParameters("PodLogOptions")));
    read.produces.insert(read.produces.begin(), "text/plain");
    read.answers = Answers({200}, "");
  }

  void AddConnect(const std::string& path, const std::string& what, const GroupVersionKind& kind) {
    // A proxy passes every method on; the others upgrade the connection.
    static constexpr std::string_view kMethods[] = {"get", "post", "put", "delete", "options", "head", "patch"};
    const bool all = kind.kind.ends_with("ProxyOptions");
    PathItem& item = Begin(path);
    for (const std::string_view method : kMethods) {
      if (!all && method != "get" && method != "post") continue;
      Operation& connect =
          Add(item, method, "connect", Capitalised(method) + what, "connect", kind, OptionsParameters(kind.kind));
      connect.produces = kAnything;
      connect.answers = Answers({200}, "");
    }
  }

  void AddWatch(std::string path, const std::string& what, std::string_view action) {
    Operation& watch = Add(Begin(std::move(path)), "get", "watch", what, action, kind_, ListParameters());
    watch.produces = kListEncodings;
    watch.answers = Answers({200}, Meta("WatchEvent"));
  }

  void AddWatches() {
    if (!resource_.has_verb("watch")) return;
    const std::string collection = fmt::format("{}/watch{}{}", root_, scope_, resource_.plural);
    if (resource_.namespaced) {
      AddWatch(fmt::format("{}/watch/{}", root_, resource_.plural), resource_.kind + "ListForAllNamespaces",
               "watchlist");
    }
    AddWatch(collection, named_ + "List", "watchlist");
    AddWatch(collection + "/{name}", named_, "watch");
  }

  const Resource& resource_;
  const GroupVersionKind kind_;
  const std::string schema_;
  const std::string list_schema_;
  const std::string named_;
  const std::string root_;
  const std::string scope_;
  std::vector<PathItem> items_;
};

PathItem PlainPath(std::string path, std::string id, std::string tag, std::string schema,
                   const MediaTypes& encodings = kEncodings) {
  PathItem item{.path = std::move(path)};
  item.operations.push_back({.method = "get",
                             .id = std::move(id),
                             .tag = std::move(tag),
                             .consumes = encodings,
                             .produces = encodings,
                             .answers = Answers({200}, std::move(schema))});
  return item;
}

}  // namespace

std::vector<PathItem> BuiltinPaths(const Resource& resource) { return PathMaker(resource).Make(); }

PathItem RootPath(bool core) {
  if (core) return PlainPath("/api/", "getCoreAPIVersions", "core", Meta("APIVersions"));
  return PlainPath("/apis/", "getAPIVersions", "apis", Meta("APIGroupList"));
}

PathItem GroupPath(std::string_view group) {
  return PlainPath(fmt::format("/apis/{}/", group), fmt::format("get{}APIGroup", OperationInfix(group, "")),
                   OperationTag(group, ""), Meta("APIGroup"));
}

PathItem VersionPath(std::string_view group, std::string_view version) {
  return PlainPath(group.empty() ? fmt::format("/api/{}/", version) : fmt::format("/apis/{}/{}/", group, version),
                   fmt::format("get{}APIResources", OperationInfix(group, version)), OperationTag(group, version),
                   Meta("APIResourceList"));
}

PathItem ServerVersionPath() {
  return PlainPath("/version/", "getCodeVersion", "version", "io.k8s.apimachinery.pkg.version.Info",
                   {"application/json"});
}

}  // namespace keelson::apiserver::openapi
