// One collection of the store: its objects, its recent past, and who watches it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "keelson/apiserver/store/event_log.h"
#include "keelson/apiserver/store/object_index.h"
#include "keelson/core/mutex.h"
#include "keelson/core/time.h"

namespace keelson::apiserver::internal {

class Watcher;

// Those who watch a collection. WatchHub's own but for the counts, which writers read.
struct Audience {
  // Raised with the collection's mutex held for reading: a writer knows of every watch that began before its write.
  std::atomic<size_t> watchers = 0;
  // The place in the log up to which events were handed over or are about to be. Meaningful while there are watchers.
  std::atomic<uint64_t> delivered = 0;
  std::atomic<bool> queued = false;  // for the hub to look at

  std::vector<std::shared_ptr<Watcher>> joining;  // guarded by the hub's mutex
  // Touched by the hub's thread only.
  std::vector<std::shared_ptr<Watcher>> members;
  TimePoint next_tick = TimePoint::max();  // meaningful while there are members
};

struct Collection {
  Collection(std::string name_, uint32_t id_, Revision oldest) : name(std::move(name_)), id(id_), log(oldest) {}

  const std::string name;
  const uint32_t id;

  mutable SharedMutex mutex{"collection"};
  // Guarded by `mutex`. Who holds the store's write mutex may read without it, and changes them with both.
  ObjectIndex index;
  EventLog log;

  Audience audience;

  // Events from there on must stay in the log. Called with `mutex` held.
  uint64_t Pinned() const {
    return audience.watchers.load(std::memory_order_acquire) == 0 ? UINT64_MAX : audience.delivered.load();
  }
};

}  // namespace keelson::apiserver::internal
