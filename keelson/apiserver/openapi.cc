#include "keelson/apiserver/openapi.h"

#include <fmt/format.h>

#include <set>
#include <vector>

#include "keelson/api/status_error.h"
#include "keelson/apiserver/answers.h"
#include "keelson/apiserver/discovery.h"
#include "keelson/codec/json_reader.h"
#include "keelson/codec/json_writer.h"
#include "keelson/core/hash.h"

namespace keelson::apiserver {

namespace {

constexpr std::string_view kReference = "#/components/schemas/";
constexpr std::string_view kMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.";

// All schemas by name, and the name of each kind's. Read once; a few hundred kilobytes.
struct Schemas {
  JsonObject by_name;
  std::map<GroupVersionKind, std::string> of_kind;

  Schemas() {
    Result<Json> parsed = ParseJson(OpenApiSchemaText());
    if (!parsed || !parsed->is_object()) return;
    by_name = std::as_const(*parsed).object();
    for (const auto& [name, schema] : std::as_const(by_name)) {
      const Json* kinds = schema.find("x-kubernetes-group-version-kind");
      if (kinds == nullptr || !kinds->is_list()) continue;
      for (const Json& kind : kinds->list()) {
        const auto text = [&](std::string_view member) {
          const Json* value = kind.find(member);
          return value != nullptr && value->is_string() ? value->string().str() : std::string();
        };
        // DeleteOptions and the like are of every group; the first one that is of one kind alone counts.
        of_kind.emplace(GroupVersionKind{text("group"), text("version"), text("kind")}, name.str());
      }
    }
  }
};

const Schemas& AllSchemas() {
  static const Schemas schemas;
  return schemas;
}

Json Ref(std::string_view name) { return Json::Object({{"$ref", Json(fmt::format("{}{}", kReference, name))}}); }

std::string SchemaName(const GroupVersionKind& kind) {
  const auto found = AllSchemas().of_kind.find(kind);
  return found == AllSchemas().of_kind.end() ? std::string() : found->second;
}

Json Parameter(std::string_view name, std::string_view type, bool in_path = false) {
  Json schema = Json::Object({{"type", Json(type)}, {"uniqueItems", Json(true)}});
  if (in_path) {
    return Json::Object(
        {{"name", Json(name)}, {"in", Json("path")}, {"required", Json(true)}, {"schema", std::move(schema)}});
  }
  return Json::Object({{"name", Json(name)}, {"in", Json("query")}, {"schema", std::move(schema)}});
}

JsonList ListParameters() {
  return JsonList{Parameter("allowWatchBookmarks", "boolean"),
                  Parameter("continue", "string"),
                  Parameter("fieldSelector", "string"),
                  Parameter("labelSelector", "string"),
                  Parameter("limit", "integer"),
                  Parameter("resourceVersion", "string"),
                  Parameter("resourceVersionMatch", "string"),
                  Parameter("sendInitialEvents", "boolean"),
                  Parameter("timeoutSeconds", "integer"),
                  Parameter("watch", "boolean")};
}
JsonList WriteParameters(bool patch) {
  JsonList parameters{Parameter("dryRun", "string"), Parameter("fieldManager", "string"),
                      Parameter("fieldValidation", "string")};
  if (patch) parameters.push_back(Parameter("force", "boolean"));
  return parameters;
}
JsonList DeleteParameters(bool collection) {
  JsonList parameters{Parameter("dryRun", "string"), Parameter("gracePeriodSeconds", "integer"),
                      Parameter("orphanDependents", "boolean"), Parameter("propagationPolicy", "string")};
  if (!collection) return parameters;
  for (const Json& parameter : ListParameters()) {
    if (*parameter.find("name") != Json("watch") && *parameter.find("name") != Json("allowWatchBookmarks")) {
      parameters.push_back(parameter);
    }
  }
  return parameters;
}

Json Content(std::initializer_list<std::string_view> types, std::string_view schema) {
  Json content = Json::Object();
  for (const std::string_view type : types) {
    content.object().Set(String(type), Json::Object({{"schema", Ref(schema)}}));
  }
  return content;
}

// The operations of one document.
class Operations {
 public:
  Operations(std::string_view group, std::string_view version) {
    // "apps/v1" is told by "AppsV1" in the names of operations, the core group by "CoreV1".
    std::string first(group.substr(0, group.find('.')));
    if (first.empty()) first = "core";
    tag_ = fmt::format("{}_{}", first, version);
    id_ = Capitalised(first) + Capitalised(version);
  }

  Json Of(std::string_view verb, std::string_view action, const std::string& what, const GroupVersionKind& kind,
          JsonList parameters, std::string_view answer, std::string_view body = {}) {
    Json operation = Json::Object(
        {{"tags", Json(JsonList{Json(tag_)})},
         {"operationId", Json(fmt::format("{}{}{}", verb, id_, what))},
         {"parameters", Json(std::move(parameters))},
         {"x-kubernetes-action", Json(action)},
         {"x-kubernetes-group-version-kind",
          Json::Object({{"group", Json(kind.group)}, {"version", Json(kind.version)}, {"kind", Json(kind.kind)}})}});
    Json success = Json::Object({{"description", Json("OK")}});
    if (!answer.empty()) {
      success.object().Set(
          "content", Content({"application/json", "application/yaml", "application/vnd.kubernetes.protobuf"}, answer));
    }
    operation.object().Set("responses", Json::Object({{"200", std::move(success)},
                                                      {"401", Json::Object({{"description", Json("Unauthorized")}})}}));
    if (!body.empty()) {
      Json content = action == "patch" ? Content({"application/json-patch+json", "application/merge-patch+json",
                                                  "application/strategic-merge-patch+json"},
                                                 body)
                                       : Content({"*/*"}, body);
      operation.object().Set("requestBody", Json::Object({{"content", std::move(content)}}));
    }
    return operation;
  }

 private:
  static std::string Capitalised(std::string text) {
    if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
    return text;
  }
  static std::string Capitalised(std::string_view text) { return Capitalised(std::string(text)); }

  std::string tag_;
  std::string id_;
};

class DocumentMaker {
 public:
  DocumentMaker(std::string_view group, std::string_view version) : operations_(group, version) {
    root_ = group.empty() ? fmt::format("/api/{}", version) : fmt::format("/apis/{}/{}", group, version);
  }

  void Add(const Resource& resource) {
    const std::string scope = resource.namespaced ? "/namespaces/{namespace}" : "";
    const std::string collection = fmt::format("{}{}/{}", root_, scope, resource.plural);
    const std::string whole = SchemaName(resource.gvk());
    const std::string list = SchemaName({resource.group, resource.version, resource.kind + "List"});
    const std::string named = resource.namespaced ? "Namespaced" + resource.kind : resource.kind;
    const std::string status = std::string(kMeta) + "Status";
    const std::string options = std::string(kMeta) + "DeleteOptions";
    const GroupVersionKind kind = resource.gvk();
    const auto put = [&](const std::string& path, std::string_view method, Json operation) {
      if (paths_.find(path) == paths_.end()) paths_.emplace(path, Json::Object({{"parameters", PathParameters(path)}}));
      paths_[path].object().Set(String(method), std::move(operation));
    };
    if (resource.has_verb("list")) {
      put(collection, "get", operations_.Of("list", "list", named, kind, ListParameters(), list));
      if (resource.namespaced) {
        put(fmt::format("{}/{}", root_, resource.plural), "get",
            operations_.Of("list", "list", resource.kind + "ForAllNamespaces", kind, ListParameters(), list));
      }
    }
    if (resource.has_verb("create")) {
      put(collection, "post", operations_.Of("create", "post", named, kind, WriteParameters(false), whole, whole));
    }
    if (resource.has_verb("deletecollection")) {
      put(collection, "delete",
          operations_.Of("delete", "deletecollection", "Collection" + named, kind, DeleteParameters(true), status,
                         options));
    }
    const std::string object = collection + "/{name}";
    AddObject(put, object, named, kind, resource.verbs, whole);
    if (resource.has_verb("delete")) {
      put(object, "delete", operations_.Of("delete", "delete", named, kind, DeleteParameters(false), status, options));
    }
    for (const Subresource& subresource : resource.subresources) {
      const GroupVersionKind sub = {
          subresource.group.empty() && subresource.version.empty() ? resource.group : subresource.group,
          subresource.version.empty() ? resource.version : subresource.version, subresource.kind};
      const std::string path = fmt::format("{}/{}", object, subresource.name);
      std::string suffix = subresource.name;
      suffix[0] = static_cast<char>(suffix[0] - 'a' + 'A');
      const std::string schema = SchemaName(sub);
      AddObject(put, path, named + suffix, sub, subresource.verbs, schema);
      if (std::find(subresource.verbs.begin(), subresource.verbs.end(), "create") != subresource.verbs.end()) {
        put(path, "post",
            operations_.Of("create", "post", named + suffix, sub, WriteParameters(false), schema, schema));
      }
    }
  }

  std::string Text() {
    JsonObject schemas;
    std::vector<std::string> waiting;
    Json paths = Json::Object();
    for (auto& [path, item] : paths_) {
      Collect(item, waiting);
      paths.object().Set(String(path), item);
    }
    while (!waiting.empty()) {
      const std::string name = std::move(waiting.back());
      waiting.pop_back();
      const Json* schema = AllSchemas().by_name.find(name);
      if (schema == nullptr || schemas.find(name) != nullptr) continue;
      schemas.Set(String(name), *schema);
      Collect(*schema, waiting);
    }
    return ToJson(Json::Object({{"openapi", Json("3.0.0")},
                                {"info", Json::Object({{"title", Json("Kubernetes")}, {"version", Json("1.36")}})},
                                {"paths", std::move(paths)},
                                {"components", Json::Object({{"schemas", Json(std::move(schemas))}})}}));
  }

 private:
  template <class Put>
  void AddObject(const Put& put, const std::string& path, const std::string& named, const GroupVersionKind& kind,
                 const std::vector<std::string>& verbs, const std::string& schema) {
    for (const std::string& verb : verbs) {
      if (verb == "get") put(path, "get", operations_.Of("read", "get", named, kind, {}, schema));
      if (verb == "update") {
        put(path, "put", operations_.Of("replace", "put", named, kind, WriteParameters(false), schema, schema));
      }
      if (verb == "patch") {
        put(path, "patch",
            operations_.Of("patch", "patch", named, kind, WriteParameters(true), schema, std::string(kMeta) + "Patch"));
      }
    }
  }

  static Json PathParameters(const std::string& path) {
    JsonList parameters;
    if (path.find("{name}") != std::string::npos) parameters.push_back(Parameter("name", "string", true));
    if (path.find("{namespace}") != std::string::npos) parameters.push_back(Parameter("namespace", "string", true));
    parameters.push_back(Parameter("pretty", "string"));
    return Json(std::move(parameters));
  }

  // The names of all schemas that a document refers to. Recursion is as deep as our own documents.
  static void Collect(const Json& value, std::vector<std::string>& names) {
    if (value.is_list()) {
      for (const Json& item : value.list()) Collect(item, names);
    } else if (value.is_object()) {
      for (const auto& [key, member] : value.object()) {
        if (key == "$ref" && member.is_string() && member.string().view().starts_with(kReference)) {
          names.emplace_back(member.string().view().substr(kReference.size()));
        } else {
          Collect(member, names);
        }
      }
    }
  }

  std::string root_;
  Operations operations_;
  std::map<std::string, Json> paths_;
};

}  // namespace

String OpenApi::Make(std::string_view group, std::string_view version) const {
  DocumentMaker maker(group, version);
  for (const ResourcePtr& resource : *resources_.all()) {
    if (resource->group == group && resource->version == version) maker.Add(*resource);
  }
  return String(maker.Text());
}

const String* OpenApi::Find(const std::string& path) {
  std::string group;
  std::string version;
  if (path == "api/v1") {
    version = "v1";
  } else if (path.starts_with("apis/")) {
    const size_t slash = path.find('/', 5);
    if (slash == std::string::npos) return nullptr;
    group = path.substr(5, slash - 5);
    version = path.substr(slash + 1);
  }
  if (!resources_.HasGroupVersion(group, version) || (group.empty() && path != "api/v1")) return nullptr;
  {
    MutexLock lock(mutex_);
    if (const auto found = documents_.find(path); found != documents_.end()) return &found->second;
  }
  String made = Make(group, version);
  MutexLock lock(mutex_);
  return &documents_.emplace(path, std::move(made)).first->second;
}

bool OpenApi::Serve(Exchange& exchange) {
  constexpr std::string_view kRoot = "/openapi/v3";
  std::string_view path = exchange.info.path;
  if (!path.starts_with(kRoot) || (exchange.request.method != "GET" && exchange.request.method != "HEAD")) return false;
  path.remove_prefix(kRoot.size());
  if (path.empty() || path == "/") {
    Json paths = Json::Object();
    // All documents change with the program and at no other time.
    static const uint64_t hash = HashBytes(OpenApiSchemaText().data(), OpenApiSchemaText().size(), 0);
    const auto add = [&](const std::string& name) {
      const std::string url = fmt::format("/openapi/v3/{}?hash={:016X}", name, hash);
      paths.object().Set(String(name), Json::Object({{"serverRelativeURL", Json(url)}}));
    };
    add("api/v1");
    for (const std::string& group : OrderedGroups(resources_)) {
      for (const std::string& version : OrderedVersions(resources_, group)) {
        add(fmt::format("apis/{}/{}", group, version));
      }
    }
    SendText(exchange, 200, "application/json", ToJson(Json::Object({{"paths", std::move(paths)}})));
    return true;
  }
  if (path[0] != '/') return false;
  const String* document = Find(std::string(path.substr(1)));
  if (document == nullptr) return false;
  SendText(exchange, 200, "application/json", document->str());
  return true;
}

}  // namespace keelson::apiserver
