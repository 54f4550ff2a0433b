// A resource in one version of its group, and the table of all that are served.
#pragma once

#include <atomic>
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
#include "keelson/core/mutex.h"

namespace keelson::apiserver {

struct Subresource {
  std::string name;
  std::string group;  // of its kind; the resource's own when group and version are empty
  std::string version;
  std::string kind;
  std::vector<std::string> verbs;
};

struct CustomVersion;

struct Resource {
  std::string group;
  std::string version;
  std::string plural;
  std::string singular;
  std::string kind;
  std::string list_kind;
  bool namespaced = false;
  std::vector<std::string> verbs;
  std::vector<std::string> short_names;
  std::vector<std::string> categories;
  std::vector<Subresource> subresources;
  std::span<const BuiltinColumn> columns;

  const Type* type = nullptr;       // what requests and answers of this version carry
  const Type* list_type = nullptr;  // "PodList"; null when it is not listed, and for custom kinds
  const Type* stored_type = nullptr;
  const ErasedRules* rules = nullptr;         // of `type`: its defaults
  const ErasedRules* stored_rules = nullptr;  // of `stored_type`: everything else
  // Between `type` and `stored_type`, metadata included; null when they are the same.
  void (*to_stored)(const Resource& resource, const void* from, void* to) = nullptr;
  void (*from_stored)(const Resource& resource, const void* from, void* to) = nullptr;
  CollectionId collection{};
  std::shared_ptr<const CustomVersion> custom = {};         // what its definition says; null for built-in kinds
  std::shared_ptr<const CustomVersion> custom_stored = {};  // likewise of the version that is stored

  // ---- Custom kinds, whose definition may change under live objects ----
  // Objects that were stored up to this revision met an earlier schema: reading them applies the present one.
  Revision reread_up_to = 0;
  mutable std::atomic<bool> terminating{false};  // its definition is being deleted: nothing new is taken
  mutable std::atomic<bool> removed{false};      // its definition changed or is gone: watches end

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
  // Whether clients of this version get the very bytes that are stored.
  bool ServedAsStored(const StoredObject& object) const {
    return to_stored == nullptr && object.revision() > reread_up_to;
  }
};

// Custom resources come and go while requests, and watches that last, still use them: who needs one for longer than
// a call holds on to it.
using ResourcePtr = std::shared_ptr<const Resource>;
using ResourceList = std::vector<ResourcePtr>;

// The built-in resources, and those that definitions add. Thread-safe.
class ResourceTable {
 public:
  // Every built-in resource, its collections registered in the store.
  ResourceTable(const RulesTable& rules, Store& store);

  // Null when there is none.
  ResourcePtr Find(std::string_view group, std::string_view version, std::string_view plural) const;
  // Of a built-in type.
  ResourcePtr FindServing(const Type& type) const;
  // Whether the path is below /api or below the path of a built-in group, in whatever version.
  bool HasGroup(std::string_view path) const;
  bool HasGroupVersion(std::string_view group, std::string_view version) const;

  // All that is served at present: the built-in ones in their order, then the custom ones by group and plural.
  std::shared_ptr<const ResourceList> all() const { return Current()->all; }
  // Grows whenever custom resources change: what was made from an older table is out of date.
  uint64_t generation() const { return Current()->generation; }

  // Puts these in the place of what the definition of that name ("widgets.example.com") had before; none: it is gone.
  void SetCustom(const std::string& definition, ResourceList resources);

 private:
  using Name = std::tuple<std::string, std::string, std::string>;
  struct View {
    uint64_t generation = 0;
    std::map<std::string, ResourceList> by_definition;
    std::map<Name, ResourcePtr, std::less<>> custom;
    std::shared_ptr<const ResourceList> all;
  };

  std::shared_ptr<const View> Current() const;

  ResourceList builtin_;
  std::map<Name, ResourcePtr, std::less<>> by_name_;
  mutable Mutex mutex_{"apiserver-resources"};
  std::shared_ptr<const View> view_;  // guarded by mutex_
};

}  // namespace keelson::apiserver
