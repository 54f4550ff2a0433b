// What the garbage collector does: keeps the owner graph by what the monitors tell, and looks at objects one by one.
//
// A request is an object's uid. A look goes by the graph, and asks the server only for owners that the graph does not
// have at the place where a reference says. That it may be behind does no harm: a deletion holds for the version that
// was judged, and whatever the graph learns later leads to another look.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "keelson/client/client.h"
#include "keelson/controllers/garbage_collector_monitors.h"
#include "keelson/controllers/owner_graph.h"
#include "keelson/core/log.h"
#include "keelson/core/mutex.h"
#include "keelson/runtime/context.h"
#include "keelson/runtime/enqueuer.h"
#include "keelson/runtime/event_recorder.h"
#include "keelson/runtime/internal/lru_map.h"
#include "keelson/runtime/outcome.h"

namespace keelson::controllers {

// Thread-safe.
class GarbageCollector final : public MonitorListener {
 public:
  // `writer` is for the leader alone; `reader` keeps the watches.
  GarbageCollector(Client reader, Client writer, EventRecorder events, MonitorOptions options, Duration patience);
  ~GarbageCollector() override;

  // From now on requests go to the queue, until Stop has returned.
  Result<void> Start(RequestQueue<std::string>& queue);
  [[nodiscard]] Wake WaitForSync(const StopToken& stop, TimePoint deadline) const;
  void Stop();

  Result<Outcome> Reconcile(Context& context, const std::string& uid);

 private:
  // What is known of an object that is judged: by the graph, or by the server.
  struct Item {
    ObjectPlace place;
    Resource resource;
    String resource_version;
    List<String> finalizers;
    List<metav1::OwnerReference> owners;
    bool deleting = false;

    ObjectKey key() const;
  };
  // Owners of an item, by what they mean for it.
  struct Owners {
    bool solid = false;                           // there is one that stays
    bool waiting = false;                         // there is one whose deletion waits for its dependents
    bool misplaced = false;                       // there is one that it cannot have: who it belongs to is unknown
    List<metav1::OwnerReference> not_solid = {};  // those that do not keep it
  };
  enum class OwnerState : uint8_t { kSolid, kAbsent, kWaiting, kMisplaced };
  using OwnerPredicate = std::function<bool(const metav1::OwnerReference& owner)>;

  // MonitorListener
  void OnList(const Resource& resource, const std::vector<ObjectPtr>& objects) override;
  void OnChange(const Resource& resource, const metav1::ObjectMeta& metadata) override;
  void OnDelete(const Resource& resource, const metav1::ObjectMeta& metadata) override;
  void OnUnwatched(const Resource& resource) override;
  void OnKindsChanged() override;
  // These are called under mutex_.
  void Remember(GraphEffects effects);
  void Enqueue(const String& uid);

  Result<Outcome> Look(Context& context, const GraphNode& node);
  Result<Outcome> LookForVirtual(Context& context, const GraphNode& node);
  Result<Outcome> Orphan(Context& context, const GraphNode& node);
  Result<Outcome> CompleteForeground(Context& context, const GraphNode& node);
  Result<Outcome> Collect(Context& context, const GraphNode& node);
  // Whether it may be too early to let dependents go, because some may not have been seen.
  bool MustWaitForOthers(const String& uid);

  // IsNoMatch when the server does not have the kind.
  Result<Resource> ResourceOf(const ObjectPlace& place) const;
  Result<Item> ItemOf(const GraphNode& node) const;
  // From the server; nothing when it is not there.
  Result<std::optional<metav1::PartialObjectMetadata>> GetLive(const Resource& resource, const ObjectKey& key) const;
  // The item as the server has it; nothing when it is gone, or another has its name.
  Result<std::optional<Item>> Refreshed(const Item& item) const;
  Result<Owners> Classify(const Item& item);
  Result<OwnerState> StateOf(const metav1::OwnerReference& owner, const ObjectPlace& of);
  Result<Propagation> PropagationFor(Context& context, Item& item, const Owners& owners) const;
  // Changes its metadata by what `change` makes of the item, until that meets no other change. `change` gives nothing
  // when there is nothing to do. An object that is gone is no error.
  Result<void> PatchMetadata(Item item, const std::function<std::optional<Json>(const Item&)>& change) const;
  Result<void> RemoveOwners(const Item& item, const OwnerPredicate& removed) const;
  Result<void> Unblock(const Item& item) const;
  Result<void> RemoveFinalizer(const Item& item, std::string_view finalizer) const;

  // Constant after construction.
  const Client client_;
  const Client reader_;
  const EventRecorder events_;
  const MonitorOptions options_;
  const Duration patience_;

  mutable Mutex mutex_{"garbage collector"};
  // Guarded by mutex_.
  OwnerGraph graph_;
  internal::LruMap<bool> absent_{500};          // places at which nothing is
  std::set<String> of_unknown_kind_;            // what cannot be judged before kinds change
  uint64_t kinds_version_ = 0;                  // counts those changes
  std::map<String, TimePoint> orphaning_;       // since when these wait
  RequestQueue<std::string>* queue_ = nullptr;  // while it runs

  std::unique_ptr<KindMonitors> monitors_;  // from Start on
};

}  // namespace keelson::controllers
