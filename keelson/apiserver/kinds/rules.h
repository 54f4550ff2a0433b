// What one kind of object asks of the server beyond what all kinds share: its defaults, its checks, what its status may
// change, which fields can be selected.
//
//   void AddLeaseRules(RulesTable& table) {
//     table.Add<coordinationv1::Lease>({.set_defaults = …, .validate = ValidateLease, .generation = false});
//   }
//
// The server does by itself, for every kind: metadata (names, labels, annotations, owners, finalizers: their checks and
// what may not change), uid, creationTimestamp, deletion; for kinds with a status subresource: `status` is emptied on
// create and kept on update, and a status update keeps everything but `status` (and labels, annotations, finalizers,
// owners of metadata); `generation` starts at 1 and grows when anything outside metadata and status changes.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/api/access.h"
#include "keelson/api/gvk.h"
#include "keelson/api/object.h"
#include "keelson/api/object_key.h"
#include "keelson/apiserver/kinds/field_errors.h"
#include "keelson/core/result.h"

namespace keelson::apiserver {

// What rules may ask of the rest of the server.
class Lookup {
 public:
  virtual ~Lookup() = default;
  // An object of that kind in the version of T, or nothing.
  template <ApiObject T>
  std::optional<T> Find(const ObjectKey& key) const {
    std::optional<AnyValue> found = FindAny(TypeOf<T>(), key);
    if (!found) return std::nullopt;
    return std::move(*static_cast<T*>(found->data()));
  }
  // Every object of that kind, in all namespaces when it is empty.
  template <ApiObject T>
  std::vector<T> FindAll(std::string_view namespace_) const {
    std::vector<T> all;
    for (AnyValue& one : FindAnyAll(TypeOf<T>(), namespace_)) all.push_back(std::move(*static_cast<T*>(one.data())));
    return all;
  }

 protected:
  virtual std::optional<AnyValue> FindAny(const Type& type, const ObjectKey& key) const = 0;
  virtual std::vector<AnyValue> FindAnyAll(const Type& type, std::string_view namespace_) const = 0;
};

// One write under way.
struct WriteContext {
  const Lookup& lookup;
  metav1::Time now;
  std::string user_name;
  std::string user_uid = {};
  std::vector<std::string> user_groups;
  std::string subresource;  // "", "status", "scale", "approval" …
  bool dry_run = false;
  // Sent as Warning headers.
  std::vector<std::string>& warnings;
};

// What a name may be.
enum class NameRule : uint8_t {
  kSubdomain,    // most kinds: a DNS name
  kLabel,        // Namespace, ResourceClaim's …: a DNS label
  kLabel1035,    // Service
  kPathSegment,  // RBAC roles and bindings: anything that is one part of a path
};

// Members may be null: nothing of that sort. Functions are free functions of the kind's own file.
template <class T>
struct KindRules {
  // Fields that are absent and have a default. Runs on what a request brings and on what a patch made, before
  // `prepare`.
  void (*set_defaults)(T& object) = nullptr;
  // On create, after defaults: what the server itself fills in or clears, and what upstream's default admission plugins
  // do (priority of a Pod, finalizers of claims). An error refuses the request (apierrors::Forbidden …).
  Result<void> (*prepare_create)(T& object, WriteContext& context) = nullptr;
  // On update of the main resource: carries over from `old` what the request may not change.
  Result<void> (*prepare_update)(T& object, const T& old, WriteContext& context) = nullptr;
  // On update of /status (and other subresources, see context.subresource): beyond the shared rule.
  Result<void> (*prepare_status)(T& object, const T& old, WriteContext& context) = nullptr;

  void (*validate)(const T& object, FieldErrors& errors) = nullptr;  // everything but metadata
  // Everything but metadata; `validate` has NOT run: call it from here if the kind wants it, as most do.
  void (*validate_update)(const T& object, const T& old, FieldErrors& errors) = nullptr;
  void (*validate_status)(const T& object, const T& old, FieldErrors& errors) = nullptr;

  // Warnings for something accepted but unwise.
  void (*warn)(const T& object, std::vector<std::string>& warnings) = nullptr;
  // False: only where an object is created (Pod).
  bool warn_on_update = true;

  // Fields beyond metadata.name and metadata.namespace that field selectors may name, and their values in that order.
  std::vector<std::string> selectable_fields = {};
  void (*read_fields)(const T& object, std::vector<std::string>& values) = nullptr;

  NameRule name = NameRule::kSubdomain;
  // A check of the name beyond the rule; reasons as api/names.h words them. `prefix`: it is a generateName.
  std::vector<std::string> (*check_name)(std::string_view name, bool prefix) = nullptr;
  bool generation = true;  // false: metadata.generation stays 0
  // PUT of an object that does not exist creates it (Lease, Endpoints, Event, Node's … as upstream).
  bool create_on_update = false;
  // PUT without a resourceVersion is taken (most kinds); false: it is an error.
  bool unconditional_update = true;
  // The status that a create brings is kept (Node) and not emptied.
  bool status_on_create = false;
  // How long an object that is deleted without a grace period of its own stays (Pod: by its spec); null: not at all.
  std::optional<int64_t> (*grace_seconds)(const T& object) = nullptr;
  // Foreground, Background or orphan when the client does not say (ReplicationController, Job: orphan).
  bool orphan_by_default = false;
};

// The same without the type.
struct ErasedRules {
  std::function<void(void*)> set_defaults = {};
  std::function<Result<void>(void*, WriteContext&)> prepare_create = {};
  std::function<Result<void>(void*, const void*, WriteContext&)> prepare_update = {};
  std::function<Result<void>(void*, const void*, WriteContext&)> prepare_status = {};
  std::function<void(const void*, FieldErrors&)> validate = {};
  std::function<void(const void*, const void*, FieldErrors&)> validate_update = {};
  std::function<void(const void*, const void*, FieldErrors&)> validate_status = {};
  std::function<void(const void*, std::vector<std::string>&)> warn = {};
  bool warn_on_update = true;
  std::vector<std::string> selectable_fields = {};
  std::function<void(const void*, std::vector<std::string>&)> read_fields = {};
  NameRule name = NameRule::kSubdomain;
  std::vector<std::string> (*check_name)(std::string_view name, bool prefix) = nullptr;
  bool generation = true;
  bool create_on_update = false;
  bool unconditional_update = true;
  bool status_on_create = false;
  std::function<std::optional<int64_t>(const void*)> grace_seconds = {};
  bool orphan_by_default = false;
};

class RulesTable {
 public:
  // Of every built-in kind.
  static RulesTable Builtin();

  template <class T>
  void Add(KindRules<T> rules) {
    table_[&TypeOf<T>()] = Erase(std::move(rules));
  }

  // Rules that ask nothing when the type was not added.
  const ErasedRules& Of(const Type& type) const {
    static const ErasedRules none;
    const auto found = table_.find(&type);
    return found == table_.end() ? none : found->second;
  }

 private:
  template <class T>
  static ErasedRules Erase(KindRules<T> rules);

  std::map<const Type*, ErasedRules> table_;
};

template <class T>
ErasedRules RulesTable::Erase(KindRules<T> rules) {
  const auto change = [](auto function) {
    return [function](void* object, const void* old, WriteContext& context) {
      return function(*static_cast<T*>(object), *static_cast<const T*>(old), context);
    };
  };
  const auto compare = [](auto function) {
    return [function](const void* object, const void* old, FieldErrors& errors) {
      function(*static_cast<const T*>(object), *static_cast<const T*>(old), errors);
    };
  };
  ErasedRules erased;
  if (rules.set_defaults) erased.set_defaults = [f = rules.set_defaults](void* object) { f(*static_cast<T*>(object)); };
  if (rules.prepare_create) {
    erased.prepare_create = [f = rules.prepare_create](void* object, WriteContext& context) {
      return f(*static_cast<T*>(object), context);
    };
  }
  if (rules.prepare_update) erased.prepare_update = change(rules.prepare_update);
  if (rules.prepare_status) erased.prepare_status = change(rules.prepare_status);
  if (rules.validate) {
    erased.validate = [f = rules.validate](const void* object, FieldErrors& errors) {
      f(*static_cast<const T*>(object), errors);
    };
  }
  if (rules.validate_update) erased.validate_update = compare(rules.validate_update);
  if (rules.validate_status) erased.validate_status = compare(rules.validate_status);
  if (rules.warn) {
    erased.warn = [f = rules.warn](const void* object, std::vector<std::string>& warnings) {
      f(*static_cast<const T*>(object), warnings);
    };
  }
  erased.warn_on_update = rules.warn_on_update;
  erased.selectable_fields = std::move(rules.selectable_fields);
  if (rules.read_fields) {
    erased.read_fields = [f = rules.read_fields](const void* object, std::vector<std::string>& values) {
      f(*static_cast<const T*>(object), values);
    };
  }
  erased.name = rules.name;
  erased.check_name = rules.check_name;
  erased.generation = rules.generation;
  erased.create_on_update = rules.create_on_update;
  erased.unconditional_update = rules.unconditional_update;
  erased.status_on_create = rules.status_on_create;
  if (rules.grace_seconds) {
    erased.grace_seconds = [f = rules.grace_seconds](const void* object) { return f(*static_cast<const T*>(object)); };
  }
  erased.orphan_by_default = rules.orphan_by_default;
  return erased;
}

}  // namespace keelson::apiserver
