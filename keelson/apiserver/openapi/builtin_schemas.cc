#include "keelson/apiserver/openapi/builtin_schemas.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "keelson/apiserver/openapi.h"
#include "keelson/codec/json_reader.h"

namespace keelson::apiserver::openapi {

namespace {

constexpr std::string_view kReferencesV3 = "#/components/schemas/";
constexpr std::string_view kReferencesV2 = "#/definitions/";

struct FieldText {
  std::string_view field;
  std::string_view text;
};
// The one built-in schema that is part of every custom kind.
constexpr FieldText kObjectMetaTexts[] = {
    {"annotations", "Values that tools keep with the object. They are not looked up by, unlike labels."},
    {"creationTimestamp", "CreationTimestamp is a timestamp that the server sets when it first stores the object."},
    {"deletionGracePeriodSeconds", "How long the object may take to end once its deletion was asked for."},
    {"deletionTimestamp", "When the object is to be gone. Set by the server when a deletion was asked for."},
    {"finalizers", "What must be done before a deleted object goes. It stays until this list is empty."},
    {"generateName", "The beginning of a name that the server completes, used when no name is given."},
    {"generation", "Counts changes of what is wanted of the object. Set by the server."},
    {"labels", "Keys and values by which objects are selected."},
    {"managedFields", "Which client wrote which fields. Kept by the server."},
    {"name", "Name of the object, unique among its kind in its namespace. It cannot change."},
    {"namespace", "Namespace in which the name is unique. Empty for objects of the whole cluster."},
    {"ownerReferences", "The objects that this one depends on. It is collected when all of them are gone."},
    {"resourceVersion",
     "Version of the object in the store. Compare it for equality, or send it back to detect conflicts."},
    {"selfLink", "No longer set."},
    {"uid", "Tells the object from all others in time, also of the same name. Set by the server."},
};

struct KnownVersions {
  std::string_view group;
  std::array<std::string_view, 4> versions;
  bool by_clients = true;  // Go's client registers it; a server registers all
};
constexpr KnownVersions kKnownVersions[] = {
    {"", {"v1"}},
    {"admission.k8s.io", {"v1", "v1beta1"}, false},
    {"admissionregistration.k8s.io", {"v1", "v1alpha1", "v1beta1"}},
    {"apiextensions.k8s.io", {"v1", "v1beta1"}, false},
    {"apiregistration.k8s.io", {"v1", "v1beta1"}, false},
    {"apps", {"v1", "v1beta1", "v1beta2"}},
    {"authentication.k8s.io", {"v1", "v1alpha1", "v1beta1"}},
    {"authorization.k8s.io", {"v1", "v1beta1"}},
    {"autoscaling", {"v1", "v2"}},
    {"batch", {"v1", "v1beta1"}},
    {"certificates.k8s.io", {"v1", "v1alpha1", "v1beta1"}},
    {"coordination.k8s.io", {"v1", "v1alpha2", "v1beta1"}},
    {"discovery.k8s.io", {"v1", "v1beta1"}},
    {"events.k8s.io", {"v1", "v1beta1"}},
    {"extensions", {"v1beta1"}},
    {"flowcontrol.apiserver.k8s.io", {"v1", "v1beta1", "v1beta2", "v1beta3"}},
    {"imagepolicy.k8s.io", {"v1alpha1"}, false},
    {"internal.apiserver.k8s.io", {"v1alpha1"}},
    {"networking.k8s.io", {"v1", "v1beta1"}},
    {"node.k8s.io", {"v1", "v1alpha1", "v1beta1"}},
    {"policy", {"v1", "v1beta1"}},
    {"rbac.authorization.k8s.io", {"v1", "v1alpha1", "v1beta1"}},
    {"resource.k8s.io", {"v1", "v1alpha3", "v1beta1", "v1beta2"}},
    {"scheduling.k8s.io", {"v1", "v1alpha2", "v1beta1"}},
    {"storage.k8s.io", {"v1", "v1alpha1", "v1beta1"}},
    {"storagemigration.k8s.io", {"v1beta1"}},
};
constexpr std::string_view kSharedKinds[] = {"DeleteOptions", "WatchEvent"};

// ---- From version 3 to version 2 ----

Json SchemaToV2(const Json& schema);

Json MembersToV2(const Json& members) {
  Json converted = Json::Object();
  for (const auto& [name, schema] : members.object()) converted.object().Set(name, SchemaToV2(schema));
  return converted;
}

// The reference is itself the schema in version 2, and may have company; in version 3 it may not.
const Json* OnlyReference(const Json& schema) {
  const Json* all = schema.find("allOf");
  if (all == nullptr || !all->is_list() || all->list().size() != 1) return nullptr;
  return all->list()[0].find("$ref");
}

Json ReferenceToV2(const Json& reference) {
  std::string_view name = reference.string().view();
  if (name.starts_with(kReferencesV3)) name.remove_prefix(kReferencesV3.size());
  return Json(fmt::format("{}{}", kReferencesV2, name));
}

// Recursion is as deep as our own schemas.
Json SchemaToV2(const Json& schema) {
  if (!schema.is_object()) return schema;
  Json converted = Json::Object();
  const Json* reference = OnlyReference(schema);
  if (reference != nullptr) converted.object().Set("$ref", ReferenceToV2(*reference));
  // A quantity, and a number or text, is text where alternatives cannot be told.
  if (schema.find("oneOf") != nullptr) converted.object().Set("type", Json("string"));
  for (const auto& [key, value] : schema.object()) {
    if (key == "default" || key == "oneOf" || (key == "allOf" && reference != nullptr)) continue;
    if (key == "$ref") {
      converted.object().Set(key, ReferenceToV2(value));
    } else if (key == "properties") {
      converted.object().Set(key, MembersToV2(value));
    } else if (key == "items" || key == "additionalProperties") {
      converted.object().Set(key, SchemaToV2(value));
    } else {
      converted.object().Set(key, value);
    }
  }
  return converted;
}

struct Schemas {
  JsonObject v3;
  std::map<GroupVersionKind, std::string> names;

  Schemas() {
    Result<Json> parsed = ParseJson(OpenApiSchemaText());
    if (!parsed || !parsed->is_object()) return;
    v3 = std::as_const(*parsed).object();
    for (const auto& [name, schema] : std::as_const(v3)) {
      const Json* kinds = schema.find("x-kubernetes-group-version-kind");
      if (kinds == nullptr || !kinds->is_list()) continue;
      for (const Json& kind : kinds->list()) {
        const auto text = [&](std::string_view member) {
          const Json* value = kind.find(member);
          return value != nullptr && value->is_string() ? value->string().str() : std::string();
        };
        names.emplace(GroupVersionKind{text("group"), text("version"), text("kind")}, name.str());
      }
    }
    DescribeObjectMeta();
  }

  void DescribeObjectMeta() {
    const std::string name = fmt::format("{}ObjectMeta", kMetaSchema);
    const Json* found = v3.find(name);
    const Json* properties = found == nullptr ? nullptr : found->find("properties");
    if (properties == nullptr) return;
    Json described = *properties;
    for (const FieldText& row : kObjectMetaTexts) {
      const Json* field = properties->find(row.field);
      if (field == nullptr) continue;
      Json with_text = *field;
      with_text.object().Set("description", Json(row.text));
      described.object().Set(String(row.field), std::move(with_text));
    }
    Json schema = *found;
    schema.object().Set("properties", std::move(described));
    v3.Set(String(name), std::move(schema));
  }
};

const Schemas& AllSchemas() {
  static const Schemas schemas;
  return schemas;
}

// The names of all schemas that a document refers to. Recursion is as deep as our own documents, and as schemas of
// definitions, whose depth their reader has bounded.
void CollectReferences(const Json& value, std::vector<std::string>& names) {
  if (value.is_list()) {
    for (const Json& item : value.list()) CollectReferences(item, names);
    return;
  }
  if (!value.is_object()) return;
  for (const auto& [key, member] : value.object()) {
    if (key != "$ref" || !member.is_string()) {
      CollectReferences(member, names);
      continue;
    }
    const std::string_view text = member.string().view();
    for (const std::string_view prefix : {kReferencesV2, kReferencesV3}) {
      if (text.starts_with(prefix)) names.emplace_back(text.substr(prefix.size()));
    }
  }
}

void SetKinds(JsonObject& schemas, const std::vector<GroupVersion>& group_versions) {
  for (const std::string_view kind : kSharedKinds) {
    const std::string name = fmt::format("{}{}", kMetaSchema, kind);
    const Json* found = schemas.find(name);
    if (found == nullptr) continue;
    JsonList kinds;
    for (const GroupVersion& one : group_versions) {
      kinds.push_back(Json::Object({{"group", Json(one.group)}, {"kind", Json(kind)}, {"version", Json(one.version)}}));
    }
    Json schema = *found;
    schema.object().Set("x-kubernetes-group-version-kind", Json(std::move(kinds)));
    schemas.Set(String(name), std::move(schema));
  }
}

std::vector<GroupVersion> AllKnown(bool clients_only) {
  std::vector<GroupVersion> known;
  for (const KnownVersions& row : kKnownVersions) {
    if (clients_only && !row.by_clients) continue;
    for (const std::string_view version : row.versions) {
      if (!version.empty()) known.push_back({std::string(row.group), std::string(version)});
    }
  }
  return known;
}

}  // namespace

const JsonObject& BuiltinSchemas(Version version) {
  if (version == Version::kV3) return AllSchemas().v3;
  static const JsonObject v2 = [] {
    JsonObject converted;
    for (const auto& [name, schema] : std::as_const(AllSchemas().v3)) converted.Set(name, SchemaToV2(schema));
    return converted;
  }();
  return v2;
}

std::string BuiltinSchemaName(const GroupVersionKind& kind) {
  const auto found = AllSchemas().names.find(kind);
  return found == AllSchemas().names.end() ? std::string() : found->second;
}

void AddReferenced(const Json& document, Version version, JsonObject& schemas) {
  const JsonObject& all = BuiltinSchemas(version);
  std::vector<std::string> waiting;
  CollectReferences(document, waiting);
  std::set<std::string> done;
  while (!waiting.empty()) {
    const std::string name = std::move(waiting.back());
    waiting.pop_back();
    const Json* schema = all.find(name);
    if (schema == nullptr || !done.insert(name).second) continue;
    schemas.Set(String(name), *schema);
    CollectReferences(*schema, waiting);
  }
}

void SetSharedKinds(JsonObject& schemas, std::string_view group, std::string_view version) {
  std::vector<GroupVersion> kinds{{"", "v1"}};
  if (!group.empty()) kinds.push_back({std::string(group), std::string(version)});
  SetKinds(schemas, kinds);
}

void SetSharedKindsOfClients(JsonObject& schemas) { SetKinds(schemas, AllKnown(true)); }
void SetSharedKindsOfServers(JsonObject& schemas) { SetKinds(schemas, AllKnown(false)); }

}  // namespace keelson::apiserver::openapi
