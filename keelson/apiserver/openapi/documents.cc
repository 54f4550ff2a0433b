#include "keelson/apiserver/openapi/documents.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <set>

#include "keelson/apiserver/custom/custom_version.h"
#include "keelson/apiserver/openapi/builtin_paths.h"
#include "keelson/apiserver/openapi/builtin_schemas.h"
#include "keelson/apiserver/openapi/protobuf.h"
#include "keelson/codec/convert.h"
#include "keelson/codec/json_reader.h"
#include "keelson/codec/json_writer.h"

namespace keelson::apiserver::openapi {

namespace {

std::string HashOf(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned length = 0;
  if (EVP_Digest(text.data(), text.size(), digest.data(), &length, EVP_sha512(), nullptr) != 1) length = 0;
  std::string hash;
  for (unsigned i = 0; i < length; ++i) hash += fmt::format("{:02X}", digest[i]);
  return hash;
}

PublishedVersion PublishedOf(const Resource& resource) {
  PublishedVersion published{.group = resource.group,
                             .version = resource.version,
                             .kind = resource.kind,
                             .list_kind = resource.list_kind,
                             .plural = resource.plural,
                             .namespaced = resource.namespaced,
                             .has_status = resource.FindSubresource("status") != nullptr,
                             .has_scale = resource.FindSubresource("scale") != nullptr};
  const apiextensionsv1::CustomResourceDefinitionVersion& definition = resource.custom->definition;
  if (definition.schema && definition.schema->openAPIV3Schema) {
    published.schema = ToJsonValue(*definition.schema->openAPIV3Schema);
  }
  for (const apiextensionsv1::SelectableField& field : definition.selectableFields) {
    std::string_view path = field.jsonPath.view();
    if (path.starts_with('.')) path.remove_prefix(1);
    published.selectable_fields.emplace_back(path);
  }
  return published;
}

// The paths and schemas of custom resources, which both versions gather alike.
void AddCustom(const Resource& resource, Version version, Json& paths, JsonObject& schemas) {
  const PublishedVersion published = PublishedOf(resource);
  for (const PathItem& item : CustomPaths(published)) {
    paths.object().Set(String(item.path), version == Version::kV2 ? WriteV2(item) : WriteV3(item));
  }
  schemas.Set(String(CustomSchemaName(published.group, published.version, published.kind)),
              CustomSchema(published, version));
  schemas.Set(String(CustomSchemaName(published.group, published.version, published.list_kind)),
              CustomListSchema(published, version));
}

Json BearerToken() {
  return Json::Object({{"BearerToken", Json::Object({{"type", Json("apiKey")},
                                                     {"name", Json("authorization")},
                                                     {"in", Json("header")},
                                                     {"description", Json("A token of the bearer")}})}});
}

Json InfoOf(bool builtin) {
  return builtin ? Json::Object({{"title", Json("Kubernetes")}, {"version", Json("1.36")}})
                 : Json::Object({{"title", Json("Kubernetes CRD Swagger")}, {"version", Json("v0.1.0")}});
}

bool IsBuiltin(const ResourcePtr& resource) { return resource->custom == nullptr; }

std::string NameOf(const Resource& resource) {
  return resource.group.empty() ? fmt::format("api/{}", resource.version)
                                : fmt::format("apis/{}/{}", resource.group, resource.version);
}

// All of discovery, in version 2.
void AddDiscoveryV2(const ResourceList& resources, Json& paths) {
  const auto add = [&](const PathItem& item) { paths.object().Set(String(item.path), WriteV2(item)); };
  add(RootPath(true));
  add(RootPath(false));
  add(ServerVersionPath());
  for (const ResourcePtr& resource : resources) {
    if (!IsBuiltin(resource)) continue;
    if (!resource->group.empty()) add(GroupPath(resource->group));
    add(VersionPath(resource->group, resource->version));
  }
}

// The built-in part of version 2, which never changes.
const Json& BuiltinPathsV2(const ResourceList& resources) {
  static const Json paths = [&] {
    Json made = Json::Object();
    AddDiscoveryV2(resources, made);
    for (const ResourcePtr& resource : resources) {
      if (!IsBuiltin(resource)) continue;
      for (const PathItem& item : BuiltinPaths(*resource)) made.object().Set(String(item.path), WriteV2(item));
    }
    return made;
  }();
  return paths;
}

}  // namespace

Document::Document(Version version, std::string json)
    : version_(version), json_(json), hash_(HashOf(json)), made_(Clock::WallNow()) {}

String Document::protobuf() const {
  MutexLock lock(mutex_);
  if (!protobuf_.empty()) return protobuf_;
  const Result<Json> tree = ParseJson(json_.view());
  if (tree) protobuf_ = String(version_ == Version::kV2 ? DocumentToProtobufV2(*tree) : DocumentToProtobufV3(*tree));
  return protobuf_;
}

// Built-in groups also have documents of their discovery alone.
std::vector<Documents::Subject> Documents::SubjectsOf(const ResourceList& resources) {
  std::map<std::string, Subject> subjects;
  for (const std::string_view name : {"api", "apis", "version"}) {
    Subject& subject = subjects[std::string(name)];
    subject.name = name;
    subject.paths.push_back(name == "version" ? ServerVersionPath() : RootPath(name == "api"));
  }
  for (const ResourcePtr& resource : resources) {
    if (IsBuiltin(resource) && !resource->group.empty()) {
      Subject& group = subjects[fmt::format("apis/{}", resource->group)];
      if (group.name.empty()) group.paths.push_back(GroupPath(resource->group));
      group.name = fmt::format("apis/{}", resource->group);
    }
    Subject& subject = subjects[NameOf(*resource)];
    subject.name = NameOf(*resource);
    subject.group = resource->group;
    subject.version = resource->version;
    subject.resources.push_back(resource);
  }
  std::vector<Subject> listed;
  for (auto& [name, subject] : subjects) listed.push_back(std::move(subject));
  return listed;
}

DocumentPtr Documents::MakeOnce(const Subject& subject) {
  Made& made = made_[subject.name];
  if (made.document != nullptr && made.of == subject.resources) return made.document;
  made.of = subject.resources;

  Json paths = Json::Object();
  JsonObject custom;
  bool builtin = subject.resources.empty();
  const auto add = [&](const PathItem& item) { paths.object().Set(String(item.path), WriteV3(item)); };
  for (const PathItem& item : subject.paths) add(item);
  for (const ResourcePtr& resource : subject.resources) {
    if (!IsBuiltin(resource)) {
      AddCustom(*resource, Version::kV3, paths, custom);
      continue;
    }
    builtin = true;
    for (const PathItem& item : BuiltinPaths(*resource)) add(item);
  }
  if (builtin && !subject.resources.empty()) add(VersionPath(subject.group, subject.version));

  JsonObject schemas;
  AddReferenced(paths, Version::kV3, schemas);
  AddReferenced(Json(custom), Version::kV3, schemas);
  for (const auto& [name, schema] : std::as_const(custom)) schemas.Set(name, schema);
  if (builtin) {
    SetSharedKinds(schemas, subject.group, subject.version);
  } else {
    SetSharedKindsOfClients(schemas);
  }
  Json components = Json::Object({{"schemas", Json(std::move(schemas))}});
  if (builtin) components.object().Set("securitySchemes", BearerToken());
  made.document =
      std::make_shared<Document>(Version::kV3, ToJson(Json::Object({{"openapi", Json("3.0.0")},
                                                                    {"info", InfoOf(builtin)},
                                                                    {"paths", std::move(paths)},
                                                                    {"components", std::move(components)}})));
  return made.document;
}

Json Documents::IndexV3() {
  const std::shared_ptr<const ResourceList> resources = resources_.all();
  Json paths = Json::Object();
  MutexLock lock(mutex_);
  std::set<std::string> listed;
  for (const Subject& subject : SubjectsOf(*resources)) {
    const std::string url = fmt::format("/openapi/v3/{}?hash={}", subject.name, MakeOnce(subject)->hash());
    paths.object().Set(String(subject.name), Json::Object({{"serverRelativeURL", Json(url)}}));
    listed.insert(subject.name);
  }
  std::erase_if(made_, [&](const auto& entry) { return !listed.contains(entry.first); });
  return Json::Object({{"paths", std::move(paths)}});
}

DocumentPtr Documents::FindV3(const std::string& name) {
  const std::shared_ptr<const ResourceList> resources = resources_.all();
  MutexLock lock(mutex_);
  for (const Subject& subject : SubjectsOf(*resources)) {
    if (subject.name == name) return MakeOnce(subject);
  }
  return nullptr;
}

DocumentPtr Documents::V2() {
  const uint64_t generation = resources_.generation();
  const std::shared_ptr<const ResourceList> resources = resources_.all();
  MutexLock lock(mutex_);
  if (v2_ != nullptr && generation_of_v2_ == generation) return v2_;
  Json paths = BuiltinPathsV2(*resources);
  JsonObject definitions = BuiltinSchemas(Version::kV2);
  for (const ResourcePtr& resource : *resources) {
    if (!IsBuiltin(resource)) AddCustom(*resource, Version::kV2, paths, definitions);
  }
  SetSharedKindsOfServers(definitions);
  generation_of_v2_ = generation;
  v2_ = std::make_shared<Document>(
      Version::kV2,
      ToJson(Json::Object({{"swagger", Json("2.0")},
                           {"info", InfoOf(true)},
                           {"paths", std::move(paths)},
                           {"definitions", Json(std::move(definitions))},
                           {"parameters", SharedParametersV2()},
                           {"securityDefinitions", BearerToken()},
                           {"security", Json::Array({Json::Object({{"BearerToken", Json::Array()}})})}})));
  return v2_;
}

}  // namespace keelson::apiserver::openapi
