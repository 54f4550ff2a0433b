// A resource in one version of its group, and the table of all that are served.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "keelson/api/access.h"
#include "keelson/api/builtin_resources.h"
#include "keelson/api/gvk.h"
#include "keelson/api/type.h"
#include "keelson/apiserver/kinds/rules.h"
#include "keelson/apiserver/store/store.h"

namespace keelson::apiserver {

struct Subresource {
  std::string name;
  std::string group;  // of its kind; the resource's own when group and version are empty
  std::string version;
  std::string kind;
  std::vector<std::string> verbs;
};

struct Resource {
  std::string group;
  std::string version;
  std::string plural;
  std::string singular;
  std::string kind;
  bool namespaced = false;
  std::vector<std::string> verbs;
  std::vector<std::string> short_names;
  std::vector<std::string> categories;
  std::vector<Subresource> subresources;
  std::span<const BuiltinColumn> columns;

  const Type* type = nullptr;       // what requests and answers of this version carry
  const Type* list_type = nullptr;  // "PodList"; null when it is not listed
  const Type* stored_type = nullptr;
  const ErasedRules* rules = nullptr;         // of `type`: its defaults
  const ErasedRules* stored_rules = nullptr;  // of `stored_type`: everything else
  // Between `type` and `stored_type`, metadata included; null when they are the same.
  void (*to_stored)(const void* from, void* to) = nullptr;
  void (*from_stored)(const void* from, void* to) = nullptr;
  CollectionId collection{};

  bool has_verb(std::string_view verb) const;
  const Subresource* FindSubresource(std::string_view name) const;
  std::string api_version() const { return group.empty() ? version : group + "/" + version; }
  GroupVersionKind gvk() const { return {group, version, kind}; }
  GroupResource group_resource() const { return {group, plural}; }
  GroupKind group_kind() const { return {group, kind}; }
  // What field selectors of this version may name, in the order of StoredObject::fields().
  const std::vector<std::string>& selectable_fields() const {
    return rules->selectable_fields.empty() ? stored_rules->selectable_fields : rules->selectable_fields;
  }
  bool converts() const { return to_stored != nullptr; }
};

// Made once, then read from any thread.
class ResourceTable {
 public:
  // Every built-in resource, its collections registered in the store.
  ResourceTable(const RulesTable& rules, Store& store);

  // Null when there is none.
  const Resource* Find(std::string_view group, std::string_view version, std::string_view plural) const;
  const Resource* FindServing(const Type& type) const;
  // Whether the path is below /api or below the path of a group that is served, in whatever version.
  bool HasGroup(std::string_view path) const;
  bool HasGroupVersion(std::string_view group, std::string_view version) const;
  const std::vector<std::unique_ptr<Resource>>& all() const { return all_; }

 private:
  std::vector<std::unique_ptr<Resource>> all_;
  std::map<std::tuple<std::string, std::string, std::string>, const Resource*, std::less<>> by_name_;
};

}  // namespace keelson::apiserver
