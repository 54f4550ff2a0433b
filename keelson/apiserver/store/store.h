// Where the objects are: one revision counter, versions of the recent past, ordered watches.
//
//   KEELSON_TRY(store, Store::Open({}));
//   const CollectionId pods = store->Register("pods");
//   Result<ObjectPtr> pod = store->Create(pods, std::move(draft));
//   Result<ListPage> page = store->List(pods, {.namespace_ = "default", .limit = 500});
//   Result<std::unique_ptr<Subscription>> watch = store->Watch(pods, page->revision, sink);
//
// The store knows keys, bytes and revisions, nothing of kinds: errors are bare codes (kNotFound, kAlreadyExists,
// kConflict, kExpired) that the layer above words. A write is acknowledged once it is where the options say it is kept:
// in memory, or in a data directory that survives the process being killed.
//
// Thread-safe. Reads do not wait for writes of other collections.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/apiserver/store/event.h"
#include "keelson/apiserver/store/stored_object.h"
#include "keelson/core/result.h"
#include "keelson/core/time.h"

namespace keelson::apiserver {

struct StoreOptions {
  std::string data_dir = {};  // empty: in memory only
  // What is remembered of the past, each bound by itself: older revisions can be neither listed nor watched from.
  size_t history_events = 20'000;            // in one collection
  size_t history_bytes = size_t{256} << 20;  // in all, counted by superseded and deleted objects' JSON
  Duration tick = std::chrono::seconds(1);   // at least between two OnTick
};

enum class CollectionId : uint32_t {};

struct ListQuery {
  std::string namespace_ = {};  // empty: all
  // 0: the newest state. Else the state at that revision; kExpired when it is no longer remembered.
  Revision revision = 0;
  size_t limit = 0;  // 0: no limit
  // Continue behind this key.
  std::string after_namespace = {};
  std::string after_name = {};
  // Objects that do not match are passed over and do not count towards the limit. Called without locks held.
  std::function<bool(const StoredObject&)> matches = {};
};

struct ListPage {
  std::vector<ObjectPtr> items;  // ordered by namespace, then name
  Revision revision = 0;         // of the state shown
  bool more = false;             // there are further ones that match
  size_t remaining = 0;          // how many keys are behind the last item, matching or not; only when `more`
};

// Takes the events of one collection. Called by one thread at a time, in order, each event once. Must not block: others
// wait behind it.
class WatchSink {
 public:
  virtual ~WatchSink() = default;
  // `seen`: every event of the collection up to that revision has been handed over with this call.
  virtual void OnEvents(std::span<const EventPtr> events, Revision seen) = 0;
  // Now and then, also without events: for time-outs and bookmarks. `seen` as above. Gives the time at which it wants
  // the next one; it may come earlier, and later by StoreOptions::tick.
  virtual TimePoint OnTick(TimePoint now, Revision seen) = 0;
};

// Ends the watch when destroyed; a call of the sink may be under way still, none begins after.
class Subscription {
 public:
  virtual ~Subscription() = default;
};

class Store {
 public:
  // Errors: the data directory cannot be used, is in use by another process, or is damaged; nothing is overwritten
  // then.
  static Result<std::unique_ptr<Store>> Open(StoreOptions options = {});
  virtual ~Store() = default;

  // The collection of that name ("pods", "deployments.apps"), made when it is new. Names are kept in the data
  // directory.
  virtual CollectionId Register(std::string_view name) = 0;

  // Of the newest write.
  virtual Revision revision() const = 0;

  // kNotFound.
  virtual Result<ObjectPtr> Get(CollectionId collection, std::string_view namespace_, std::string_view name) const = 0;
  // kAlreadyExists.
  virtual Result<ObjectPtr> Create(CollectionId collection, Draft draft) = 0;
  // kNotFound; kConflict when its revision is not the expected one.
  virtual Result<ObjectPtr> Update(CollectionId collection, Draft draft, Revision expected) = 0;
  // Likewise. The object comes back with the revision of the deletion.
  virtual Result<ObjectPtr> Delete(CollectionId collection, std::string_view namespace_, std::string_view name,
                                   Revision expected) = 0;

  // kExpired, or kTimeout when the revision is still to come.
  virtual Result<ListPage> List(CollectionId collection, const ListQuery& query) const = 0;
  virtual size_t Count(CollectionId collection) const = 0;

  // Every event after `since`. kExpired when some of them are no longer remembered.
  virtual Result<std::unique_ptr<Subscription>> Watch(CollectionId collection, Revision since,
                                                      std::shared_ptr<WatchSink> sink) = 0;
  // All watches hear OnTick soon.
  virtual void TickSoon() = 0;
  // The oldest revision that a watch of the collection may start from.
  virtual Revision oldest_watchable(CollectionId collection) const = 0;
  // Forgets all history before that revision, as etcd's compaction does. For tests of expiry.
  virtual void Compact(Revision before) = 0;
};

}  // namespace keelson::apiserver
