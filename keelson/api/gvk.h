// Names of kinds and resources: group, version, and kind or resource.
//
//   GroupVersionKind kind = {"apps", "v1", "Deployment"};
//   kind.group_version().ToString();                         // "apps/v1", the apiVersion of its objects
//   KEELSON_TRY(version, GroupVersion::Parse("apps/v1"));    // "v1" is the core group, ""
//
// Plain values, ordered by their members and hashable.
#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

#include "keelson/core/result.h"

namespace keelson {

struct GroupVersionKind;
struct GroupVersionResource;

// What an object's apiVersion says.
struct GroupVersion {
  std::string group;  // empty: the core group
  std::string version;

  // "apps/v1" or "v1"; "" and "/" are the empty value. More than one slash is an error.
  static Result<GroupVersion> Parse(std::string_view api_version);

  bool empty() const { return group.empty() && version.empty(); }
  GroupVersionKind WithKind(std::string_view kind) const;
  GroupVersionResource WithResource(std::string_view resource) const;
  // "apps/v1", or "v1" in the core group.
  std::string ToString() const;

  friend auto operator<=>(const GroupVersion&, const GroupVersion&) = default;
};

struct GroupKind {
  std::string group;
  std::string kind;

  // "Deployment.apps", cut at the first point; "Pod" is of the core group.
  static GroupKind Parse(std::string_view text);

  bool empty() const { return group.empty() && kind.empty(); }
  GroupVersionKind WithVersion(std::string_view version) const;
  // "Deployment.apps", or "Pod" in the core group.
  std::string ToString() const;

  friend auto operator<=>(const GroupKind&, const GroupKind&) = default;
};

struct GroupResource {
  std::string group;
  std::string resource;

  // "deployments.apps", cut at the first point; "pods" is of the core group.
  static GroupResource Parse(std::string_view text);

  bool empty() const { return group.empty() && resource.empty(); }
  GroupVersionResource WithVersion(std::string_view version) const;
  // "deployments.apps", or "pods" in the core group.
  std::string ToString() const;

  friend auto operator<=>(const GroupResource&, const GroupResource&) = default;
};

struct GroupVersionKind {
  std::string group;
  std::string version;
  std::string kind;

  // From an object's apiVersion and kind.
  static Result<GroupVersionKind> FromApiVersion(std::string_view api_version, std::string_view kind);

  bool empty() const { return group.empty() && version.empty() && kind.empty(); }
  GroupVersion group_version() const { return {group, version}; }
  GroupKind group_kind() const { return {group, kind}; }
  // "apps/v1, Kind=Deployment"; "/v1, Kind=Pod" in the core group.
  std::string ToString() const;

  friend auto operator<=>(const GroupVersionKind&, const GroupVersionKind&) = default;
};

struct GroupVersionResource {
  std::string group;
  std::string version;
  std::string resource;

  bool empty() const { return group.empty() && version.empty() && resource.empty(); }
  GroupVersion group_version() const { return {group, version}; }
  GroupResource group_resource() const { return {group, resource}; }
  // "apps/v1, Resource=deployments"; "/v1, Resource=pods" in the core group.
  std::string ToString() const;

  friend auto operator<=>(const GroupVersionResource&, const GroupVersionResource&) = default;
};

// What a user types for a kind, read both ways, since "Deployment.v1.apps" may name version v1 of group apps or the
// group v1.apps. Only who knows all groups can tell.
struct KindArgument {
  std::optional<GroupVersionKind> with_version;  // set when there are two points or more
  GroupKind without_version;

  static KindArgument Parse(std::string_view text);
};

// The same for a resource: "deployments.v1.apps", "deployments.apps", "deployments".
struct ResourceArgument {
  std::optional<GroupVersionResource> with_version;
  GroupResource without_version;

  static ResourceArgument Parse(std::string_view text);
};

std::ostream& operator<<(std::ostream& out, const GroupVersion& value);
std::ostream& operator<<(std::ostream& out, const GroupKind& value);
std::ostream& operator<<(std::ostream& out, const GroupResource& value);
std::ostream& operator<<(std::ostream& out, const GroupVersionKind& value);
std::ostream& operator<<(std::ostream& out, const GroupVersionResource& value);

}  // namespace keelson

template <>
struct std::hash<keelson::GroupVersion> {
  size_t operator()(const keelson::GroupVersion& value) const noexcept;
};
template <>
struct std::hash<keelson::GroupKind> {
  size_t operator()(const keelson::GroupKind& value) const noexcept;
};
template <>
struct std::hash<keelson::GroupResource> {
  size_t operator()(const keelson::GroupResource& value) const noexcept;
};
template <>
struct std::hash<keelson::GroupVersionKind> {
  size_t operator()(const keelson::GroupVersionKind& value) const noexcept;
};
template <>
struct std::hash<keelson::GroupVersionResource> {
  size_t operator()(const keelson::GroupVersionResource& value) const noexcept;
};
