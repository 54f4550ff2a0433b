// What happens to objects: create, change, delete, each by the rules of its kind, into the store.
//
// A request's object passes these stations: defaults, what the server fills in, admission (the namespace exists, the
// kind's own hooks), checks, store. A change is computed from the stored object and written only if nobody else was
// faster; who did not ask for a certain version is served by trying again.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "keelson/api/access.h"
#include "keelson/apiserver/exchange.h"
#include "keelson/apiserver/options.h"
#include "keelson/apiserver/resource.h"
#include "keelson/apiserver/service_addresses.h"
#include "keelson/apiserver/store/store.h"
#include "keelson/core/result.h"

namespace keelson::apiserver {

// Whether the object stays although nothing in its metadata holds it: a Namespace that is not empty yet.
bool HoldsBack(const AnyValue& object);

// What an object would be like if it were stored at that revision: the answer to a dry run.
ObjectPtr Unstored(const Resource& resource, AnyValue& object, Revision revision);

// Hears of writes once they are stored, on the thread that made them and before its client has the answer; so what it
// does in turn is there when the client goes on. Writes that Rewrite makes are not told.
class WriteObserver {
 public:
  virtual ~WriteObserver() = default;
  // `object` as it is stored, or with `deleted` as it was last.
  virtual void OnWritten(const Resource& resource, const ObjectPtr& object, bool deleted) = 0;
};

// Decides about objects to be made beyond the rules of their kind, and may change them: an admission plugin that a
// server can be without. Thread-safe.
class Admission {
 public:
  virtual ~Admission() = default;
  // `object` has its defaults and is in the stored type; a name that the server is to make is not made yet. An error
  // refuses the request.
  virtual Result<void> Admit(const Resource& resource, AnyValue& object, const Lookup& lookup) const = 0;
};

// How admission names an object in its refusals: one without a name by the beginning that the name will have.
std::string_view ShownName(const metav1::ObjectMeta& meta);

// Thread-safe.
class Objects final : public Lookup {
 public:
  Objects(Store& store, const ResourceTable& resources) : store_(store), resources_(resources) {}

  // Before the first request; it must live as long as this.
  void AddObserver(WriteObserver& observer) { observers_.push_back(&observer); }
  // The same; they are asked in this order.
  void AddAdmission(const Admission& admission) { admissions_.push_back(&admission); }

  // kNotFound in the words of the API.
  Result<ObjectPtr> Get(const Resource& resource, std::string_view namespace_, std::string_view name) const;

  // `object` is in the resource's own version.
  Result<Reply> Create(Exchange& exchange, AnyValue object, const WriteOptions& options);

  // What becomes of the stored object, in the resource's own version. `old` is null when there is none yet.
  using Change = std::function<Result<AnyValue>(const AnyValue* old)>;
  struct UpdateOptions {
    WriteOptions write = {};
    bool may_create = false;  // PUT, where the kind allows it
    bool unconditional = true;
    bool uid_is_precondition = false;  // a PUT's: another uid is a conflict, not a change that is refused
    bool always_creates = false;       // server-side apply: whatever the kind, an object that is not there is made
  };
  Result<Reply> Update(Exchange& exchange, std::string_view name, const Change& change, const UpdateOptions& options);

  // Changes the stored object without the rules of updates: what the server itself does, such as binding a Pod. With
  // `managed_as`, the name of a subresource, the server becomes the manager of what it changes there.
  Result<void> Rewrite(const Resource& resource, std::string_view namespace_, std::string_view name,
                       const std::function<Result<void>(AnyValue& object)>& change, bool dry_run,
                       std::optional<std::string> managed_as = {});

  Result<Reply> Delete(Exchange& exchange, std::string_view name, const DeleteOptions& options);
  // Each object by itself, as Delete does.
  Result<Reply> DeleteOne(Exchange& exchange, const Resource& resource, std::string_view namespace_,
                          std::string_view name, const DeleteOptions& options);

  ServiceAddresses& service_addresses() { return addresses_; }
  Store& store() { return store_; }
  const ResourceTable& resources() const { return resources_; }

 protected:
  std::optional<AnyValue> FindAny(const Type& type, const ObjectKey& key) const override;
  std::vector<AnyValue> FindAnyAll(const Type& type, std::string_view namespace_) const override;

 private:
  // What the store does, and the observers told.
  Result<ObjectPtr> StoreNew(const Resource& resource, Draft draft);
  Result<ObjectPtr> StoreChanged(const Resource& resource, Draft draft, Revision expected);
  Result<ObjectPtr> StoreGone(const Resource& resource, std::string_view namespace_, std::string_view name,
                              Revision expected);
  void Tell(const Resource& resource, const ObjectPtr& object, bool deleted);

  WriteContext ContextOf(Exchange& exchange, bool dry_run) const;
  // What may be refused of a new object, and changed, before it has a name.
  Result<void> Admit(const Resource& resource, AnyValue& object) const;
  // NamespaceLifecycle: new objects need a namespace that is there and stays.
  Result<void> AdmitToNamespace(const Resource& resource, const metav1::ObjectMeta& meta) const;
  Result<void> Prepare(Exchange& exchange, AnyValue& object, const WriteOptions& options);
  Result<AnyValue> PrepareUpdate(Exchange& exchange, AnyValue object, const AnyValue& old, const AnyValue& old_served,
                                 const WriteOptions& options);
  // Sets who manages the fields of an object in the resource's own version. `old` is null when it is new.
  void TrackFields(const Exchange& exchange, const AnyValue* old, AnyValue& object, const WriteOptions& options) const;

  Store& store_;
  const ResourceTable& resources_;
  ServiceAddresses addresses_;
  std::vector<WriteObserver*> observers_;
  std::vector<const Admission*> admissions_;
};

}  // namespace keelson::apiserver
