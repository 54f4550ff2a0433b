#include <fmt/format.h>

#include "keelson/apiserver/openapi/builtin_schemas.h"
#include "keelson/apiserver/openapi/custom_version.h"

namespace keelson::apiserver::openapi {

namespace {

class PathMaker {
 public:
  explicit PathMaker(const PublishedVersion& version)
      : version_(version),
        kind_{version.group, version.version, version.kind},
        schema_(CustomSchemaName(version.group, version.version, version.kind)),
        named_(version.namespaced ? "Namespaced" + version.kind : version.kind) {}

  std::vector<PathItem> Make() {
    const std::string root = fmt::format("/apis/{}/{}/", version_.group, version_.version);
    if (version_.namespaced) AddList(Begin(root + version_.plural), version_.kind + "ForAllNamespaces");
    const std::string collection = root + (version_.namespaced ? "namespaces/{namespace}/" : "") + version_.plural;
    AddCollection(Begin(collection));
    const std::string object = collection + "/{name}";
    AddObject(Begin(object), named_, schema_, true);
    if (version_.has_status) AddObject(Begin(object + "/status"), named_ + "Status", schema_, false);
    if (version_.has_scale) {
      AddObject(Begin(object + "/scale"), named_ + "Scale", "io.k8s.api.autoscaling.v1.Scale", false);
    }
    return std::move(items_);
  }

 private:
  PathItem& Begin(std::string path) { return items_.emplace_back(PathItem{.path = std::move(path)}); }

  Operation& Add(PathItem& item, std::string_view method, std::string_view verb, const std::string& what,
                 std::string_view action, Parameters parameters, std::initializer_list<int> codes,
                 const std::string& answer) {
    const Parameters in_path = PathParameters(item.path);
    parameters.insert(parameters.end(), in_path.begin(), in_path.end());
    Operation operation{.method = method,
                        .id = fmt::format("{}{}{}", verb, OperationInfix(version_.group, version_.version), what),
                        .tag = OperationTag(version_.group, version_.version),
                        .action = action,
                        .kind = kind_,
                        .parameters = std::move(parameters),
                        .consumes = {"application/json", "application/yaml"},
                        .produces = {"application/json", "application/yaml"}};
    for (const int code : codes) operation.answers.push_back({code, answer});
    return item.operations.emplace_back(std::move(operation));
  }

  void AddList(PathItem& item, const std::string& what) {
    Add(item, "get", "list", what, "list", ListParameters(), {200},
        CustomSchemaName(version_.group, version_.version, version_.list_kind));
  }

  void AddCollection(PathItem& item) {
    AddList(item, named_);
    Add(item, "post", "create", named_, "post", WriteParameters(), {200, 201, 202}, schema_).body = schema_;
    // Of a collection of custom objects only the parameters of lists are published.
    Add(item, "delete", "delete", "Collection" + named_, "deletecollection", ListParameters(), {200}, Meta("Status"));
  }

  void AddObject(PathItem& item, const std::string& what, const std::string& schema, bool deletable) {
    Add(item, "get", "read", what, "get", {{"pretty", "string"}, {"resourceVersion", "string"}}, {200}, schema);
    Add(item, "put", "replace", what, "put", WriteParameters(), {200, 201}, schema).body = schema;
    if (deletable) {
      Operation& remove = Add(item, "delete", "delete", what, "delete", DeleteParameters(), {200, 202}, Meta("Status"));
      remove.body = Meta("DeleteOptions");
      remove.body_required = false;
    }
    Operation& patch = Add(item, "patch", "patch", what, "patch", PatchParameters(), {200}, schema);
    patch.consumes = {"application/json-patch+json", "application/merge-patch+json", "application/apply-patch+yaml"};
    patch.body = Meta("Patch");
  }

  static std::string Meta(std::string_view kind) { return fmt::format("{}{}", kMetaSchema, kind); }

  const PublishedVersion& version_;
  const GroupVersionKind kind_;
  const std::string schema_;
  const std::string named_;
  std::vector<PathItem> items_;
};

}  // namespace

std::vector<PathItem> CustomPaths(const PublishedVersion& version) { return PathMaker(version).Make(); }

}  // namespace keelson::apiserver::openapi
