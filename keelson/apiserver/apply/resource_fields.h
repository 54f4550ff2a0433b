// What the managing of fields needs to know of a resource: its shape in every version, and what each way of writing
// lets through.
#pragma once

#include <string_view>
#include <vector>

#include "keelson/apiserver/apply/field_manager.h"
#include "keelson/apiserver/resource.h"

namespace keelson::apiserver {

// Of writes to the resource itself (subresource empty) or to one of its subresources.
const FieldFilter& FilterOf(const Resource& resource, std::string_view subresource);

// Both are used as long as this lives. Not thread-safe.
class ResourceVersions final : public KindVersions {
 public:
  ResourceVersions(const ResourceTable& table, const Resource& resource) : table_(table), resource_(resource) {}

  const Shape* ShapeIn(std::string_view api_version) const override;
  Json Convert(const Json& document, std::string_view api_version) const override;

 private:
  const Resource* Find(std::string_view api_version) const;

  const ResourceTable& table_;
  const Resource& resource_;
  mutable std::vector<ResourcePtr> held_;  // so that shapes of custom kinds stay
};

// A type that there is in one version only.
class OneVersion final : public KindVersions {
 public:
  explicit OneVersion(const Type& type);

  const Shape* ShapeIn(std::string_view api_version) const override;
  Json Convert(const Json& document, std::string_view) const override { return document; }

 private:
  const Shape& shape_;
  std::string api_version_;
};

// The scale subresource is a kind of its own, with one field of its parent: spec.replicas of a Scale stands for the
// field at `path` in the parent. What is known of that field's managers goes from one to the other.
ManagedFields ScaleManagers(const ManagedFields& of_parent, const FieldPath& path, const KindVersions& versions);
ManagedFields ParentManagers(const ManagedFields& of_parent, const ManagedFields& of_scale, const FieldPath& path,
                             std::string_view api_version, const KindVersions& versions);

}  // namespace keelson::apiserver
