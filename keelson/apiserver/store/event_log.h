// The recent past of one collection: its events in the order of their revisions.
//
// Gives watches what happened since a revision, and lists the state at one: an event knows what it replaced, so what
// was there at revision r is what is there now with the events after r undone.
//
// Not thread-safe but for end(): its collection's lock guards it.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <vector>

#include "keelson/apiserver/store/event.h"

namespace keelson::apiserver::internal {

class EventLog {
 public:
  using Iterator = std::deque<EventPtr>::const_iterator;

  // Nothing before `oldest` is known.
  explicit EventLog(Revision oldest) : oldest_(oldest) {}

  // Every event after this revision is here.
  Revision oldest() const { return oldest_; }
  // The number of events ever appended: the place of the next one.
  uint64_t end() const { return end_.load(std::memory_order_relaxed); }
  size_t size() const { return events_.size(); }
  // JSON of superseded and deleted objects that the log alone keeps.
  size_t bytes() const { return bytes_; }

  void Append(EventPtr event);

  // Drops the oldest events until `keep` are left, but none from the place `pinned` on. They go to `dropped`, for the
  // caller to destroy where nobody waits.
  void Trim(size_t keep, uint64_t pinned, std::vector<EventPtr>& dropped);
  // Makes `revision` the oldest. Events from `pinned` on stay until a later Trim or Forget, hidden from After().
  void Forget(Revision revision, uint64_t pinned, std::vector<EventPtr>& dropped);

  // The events after `revision`, which is not older than oldest(), up to events_end().
  Iterator After(Revision revision) const;
  Iterator events_end() const { return events_.end(); }
  // Those from that place on, which were never dropped.
  void CopyFrom(uint64_t place, std::vector<EventPtr>& to) const;

 private:
  static size_t BytesOf(const Event& event);
  void DropFront(std::vector<EventPtr>& dropped);
  uint64_t first() const { return end() - events_.size(); }

  std::deque<EventPtr> events_;
  Revision oldest_;
  size_t bytes_ = 0;
  std::atomic<uint64_t> end_ = 0;
};

}  // namespace keelson::apiserver::internal
