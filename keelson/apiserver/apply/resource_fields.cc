#include "keelson/apiserver/apply/resource_fields.h"

#include <algorithm>

#include "keelson/apiserver/custom/custom_version.h"
#include "keelson/apiserver/object_codec.h"
#include "keelson/codec/convert.h"

namespace keelson::apiserver {

namespace {

constexpr std::string_view kScaleVersion = "autoscaling/v1";

const FieldPath& ScaleReplicas() {
  static const FieldPath path = {PathElement::Field("spec"), PathElement::Field("replicas")};
  return path;
}

// Kinds whose status can be written without touching any metadata.
bool StatusKeepsMetadata(const Resource& resource) {
  if (resource.custom != nullptr) return true;
  for (const std::string_view plural :
       {"validatingadmissionpolicies", "flowschemas", "prioritylevelconfigurations", "servicecidrs", "resourceclaims",
        "volumeattachments", "apiservices", "storageversionmigrations"}) {
    if (resource.plural == plural) return true;
  }
  return false;
}

const FieldFilter& StatusFilter(const Resource& resource) {
  static const FieldFilter spec{.excluded = FieldSet::Of({{"spec"}})};
  static const FieldFilter spec_and_metadata{.excluded = FieldSet::Of({{"spec"}, {"metadata"}})};
  static const FieldFilter deployment{.excluded = FieldSet::Of({{"spec"}, {"metadata", "labels"}})};
  static const FieldFilter pod{
      .excluded = FieldSet::Of({{"spec"}, {"metadata", "deletionTimestamp"}, {"metadata", "ownerReferences"}})};
  static const FieldFilter request{.excluded = FieldSet::Of({{"spec"}, {"status", "conditions"}})};
  if (StatusKeepsMetadata(resource)) return spec_and_metadata;
  if (resource.plural == "deployments" && resource.group == "apps") return deployment;
  if (resource.plural == "pods" && resource.group.empty()) return pod;
  if (resource.plural == "certificatesigningrequests") return request;
  return spec;
}

std::string ApiVersionOf(const Json& document) {
  const Json* version = document.find("apiVersion");
  return version != nullptr && version->is_string() ? version->string().str() : std::string();
}

const Shape* ShapeOfResource(const Resource& resource) {
  return resource.custom != nullptr ? &resource.custom->shapes->root() : &ShapeOf(*resource.type);
}

}  // namespace

const FieldFilter& FilterOf(const Resource& resource, std::string_view subresource) {
  static const FieldFilter everything;
  static const FieldFilter status{.excluded = FieldSet::Of({{"status"}})};
  if (subresource.empty()) {
    static const FieldFilter request{.excluded = FieldSet::Of({{"spec"}, {"status"}})};
    if (resource.plural == "certificatesigningrequests") return request;
    return resource.FindSubresource("status") != nullptr ? status : everything;
  }
  if (subresource == "status") return StatusFilter(resource);
  if (subresource == "finalize") return status;
  if (subresource == "approval") {
    static const FieldFilter approval{.excluded = FieldSet::Of({{"spec"}, {"status", "certificate"}})};
    return approval;
  }
  if (subresource == "ephemeralcontainers") {
    static const FieldFilter containers{.only = {{"spec", "ephemeralContainers"}}};
    return containers;
  }
  if (subresource == "resize") {
    static const FieldFilter resize{.only = {{"spec", "containers", "*", "resources"},
                                             {"spec", "containers", "*", "resizePolicy"},
                                             {"spec", "initContainers", "*", "resources"},
                                             {"spec", "initContainers", "*", "resizePolicy"}}};
    return resize;
  }
  return everything;
}

const Resource* ResourceVersions::Find(std::string_view api_version) const {
  if (api_version == resource_.api_version()) return &resource_;
  for (const ResourcePtr& held : held_) {
    if (held->api_version() == api_version) return held.get();
  }
  const std::shared_ptr<const ResourceList> all = table_.all();  // kept: the table may change meanwhile
  for (const ResourcePtr& other : *all) {
    if (other->collection != resource_.collection || other->api_version() != api_version) continue;
    return held_.emplace_back(other).get();
  }
  return nullptr;
}

const Shape* ResourceVersions::ShapeIn(std::string_view api_version) const {
  const Resource* resource = Find(api_version);
  return resource != nullptr ? ShapeOfResource(*resource) : nullptr;
}

Json ResourceVersions::Convert(const Json& document, std::string_view api_version) const {
  const Resource* from = Find(ApiVersionOf(document));
  const Resource* to = Find(api_version);
  if (from == nullptr || to == nullptr || from == to) return document;
  if (from->custom != nullptr) {
    Json converted = document;
    converted.object().Set("apiVersion", Json(api_version));
    return converted;
  }
  AnyValue object(*from->type);
  // What does not fit its type was refused before, so nothing is lost here.
  if (!DecodeJsonValue(object.type(), object.data(), document)) return document;
  return DocumentOf(ToServed(*to, ToStored(*from, std::move(object))));
}

OneVersion::OneVersion(const Type& type)
    : shape_(ShapeOf(type)),
      api_version_(type.group.empty() ? std::string(type.version)
                                      : std::string(type.group) + "/" + std::string(type.version)) {}

const Shape* OneVersion::ShapeIn(std::string_view api_version) const {
  return api_version == api_version_ ? &shape_ : nullptr;
}

ManagedFields ScaleManagers(const ManagedFields& of_parent, const FieldPath& path, const KindVersions& versions) {
  Result<Managers> parent = Managers::Decode(of_parent);
  if (!parent) return {};
  Managers scale;
  for (FieldsManager& manager : parent->all()) {
    if (versions.ShapeIn(manager.api_version) == nullptr || !manager.set.Has(path)) continue;
    manager.api_version = kScaleVersion;
    manager.set = FieldSet();
    manager.set.Insert(ScaleReplicas());
    scale.all().push_back(manager);
  }
  return scale.Encode();
}

ManagedFields ParentManagers(const ManagedFields& of_parent, const ManagedFields& of_scale, const FieldPath& path,
                             std::string_view api_version, const KindVersions& versions) {
  Result<Managers> parent = Managers::Decode(of_parent);
  Result<Managers> scale = Managers::Decode(of_scale);
  if (!parent || !scale) return of_parent;
  FieldSet replicas;
  replicas.Insert(path);
  Managers merged;
  for (FieldsManager& manager : parent->all()) {
    if (versions.ShapeIn(manager.api_version) == nullptr) continue;
    if (manager.set.Has(path)) {
      // An updater is another manager in each version, so the one of the scale is never the one of the parent: the
      // field goes over to it.
      FieldsManager there = manager;
      there.api_version = kScaleVersion;
      if (manager.applies && scale->Find(there) != nullptr) {
        scale->Remove(there);
      } else {
        manager.set = manager.set.Difference(replicas);
        if (manager.set.empty()) continue;
      }
    }
    merged.all().push_back(std::move(manager));
  }
  for (FieldsManager& manager : scale->all()) {
    if (!manager.set.Has(ScaleReplicas())) continue;
    manager.api_version = api_version;
    manager.set = replicas;
    const FieldsManager* known = manager.applies ? parent->Find(manager) : nullptr;
    manager.time = known != nullptr ? known->time : std::nullopt;
    merged.all().push_back(std::move(manager));
  }
  return merged.Encode();
}

}  // namespace keelson::apiserver
