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

// Thread-safe.
class Objects final : public Lookup {
 public:
  Objects(Store& store, const ResourceTable& resources) : store_(store), resources_(resources) {}

  // Before the first request; it must live as long as this.
  void AddObserver(WriteObserver& observer) { observers_.push_back(&observer); }

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
};

}  // namespace keelson::apiserver
