// The garbage collector's eyes: the metadata of all objects of all kinds that can be listed, watched and deleted.
//
// Which kinds there are is asked of discovery: at the start, and when a CustomResourceDefinition or an APIService
// changes. Servers tell of such a change before discovery shows it, so that is looked at again a little later; when
// nothing changes it is not asked at all. One thread for each kind, which is not watched by an informer, because the
// owner graph is all the memory that is needed.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "keelson/api/gvk.h"
#include "keelson/cache/reflector.h"
#include "keelson/client/client.h"
#include "keelson/core/cond_var.h"
#include "keelson/core/log.h"
#include "keelson/core/mutex.h"
#include "keelson/core/thread.h"

namespace keelson::controllers {

// What monitors tell. Called by one thread at a time for each kind, and by several for several.
class MonitorListener {
 public:
  virtual ~MonitorListener() = default;
  // These are all objects of the kind.
  virtual void OnList(const Resource& resource, const std::vector<ObjectPtr>& objects) = 0;
  virtual void OnChange(const Resource& resource, const metav1::ObjectMeta& metadata) = 0;
  virtual void OnDelete(const Resource& resource, const metav1::ObjectMeta& metadata) = 0;
  // The server has the kind no longer, or prefers another version of it.
  virtual void OnUnwatched(const Resource& resource) = 0;
  // The server has other kinds than before.
  virtual void OnKindsChanged() = 0;
};

struct MonitorOptions {
  std::set<GroupResource> ignored = {};
  ReflectorOptions reflector = {};
};

// The resources that can be listed, watched and deleted, each in the version that the server prefers for it.
std::vector<Resource> DeletableResources(const Served& served);

// Thread-safe. The listener outlives it.
class KindMonitors {
 public:
  KindMonitors(Client client, MonitorListener& listener, MonitorOptions options);
  ~KindMonitors();

  void Start();
  // Tells nothing when it has returned. Once; destruction does it too.
  void Stop();
  // Until every kind has been listed once. Those that cannot be are waited for until `patience` has passed.
  [[nodiscard]] Wake WaitForSync(Duration patience, const StopToken& stop, TimePoint deadline) const;
  // Whether all kinds are seen as they are: each was listed, and its watch works.
  bool AllSeen() const;
  // What the server calls the kind; nothing where it has none such, and then discovery is looked at again.
  std::optional<Resource> ResourceOf(const GroupVersionKind& kind);
  // There is reason to think that the kinds are others by now.
  void LookAgain();
  // The number of kinds that are watched.
  size_t size() const;

 private:
  class Monitor;

  void Loop(const StopToken& stop);
  Result<void> Look(const StopToken& stop);
  void SetSeen(Monitor& monitor, bool seen);

  // Constant after construction.
  const Client client_;
  MonitorListener& listener_;
  const MonitorOptions options_;
  const Logger log_{"garbage-collector"};

  mutable Mutex mutex_{"kind monitors"};
  mutable CondVar changed_{"kind monitors"};
  // Guarded by mutex_.
  std::map<GroupVersionKind, Resource> kinds_;  // all that are served
  bool asked_ = false;
  bool discovered_ = false;
  bool incomplete_ = false;  // discovery could not answer for some group
  TimePoint started_{};
  std::map<GroupVersionResource, std::unique_ptr<Monitor>> monitors_;  // changed by the thread alone

  // Of the thread: what discovery lacked when it was last asked.
  std::set<GroupVersionResource> missing_;

  Thread thread_;  // declared last: ends first
};

}  // namespace keelson::controllers
