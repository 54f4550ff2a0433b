// A queue without its keys: who waits, who runs, who sleeps, and when it is over. Queue<Key> in queue.h is the skin
// that adds the keys and their causes.
//
// A key passes from the processor of who adds it to that of who works on it, and passing a cache line takes as long as
// everything else that the queue does for the key. So there is one lock for all, and who finds it taken stays away for
// a while, so that each side does a good many keys in turn. Being done is one atomic step of the entry without the
// lock; the entry stays where it is, idle, to be found again when its key comes back, or to be swept up for another
// key.
//
// Invariants, under the lock:
//   an entry is in the table from its first addition until it is swept up, and swept up only while it is idle;
//   it is in the ready lists exactly while it waits;
//   a running one is among the taken ones, and so are idle ones, which are passed over;
//   while keys wait and workers sleep, one of the sleepers is being woken.
//
// The last is how wake-ups are kept few: an addition wakes at most one sleeper, and none while one is on its way.
// Whoever takes a key and leaves others behind wakes the next.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "keelson/core/clock.h"
#include "keelson/core/cond_var.h"
#include "keelson/core/internal/brief_mutex.h"
#include "keelson/core/mutex.h"
#include "keelson/core/stop_token.h"
#include "keelson/core/thread.h"
#include "keelson/workqueue/internal/prefetch.h"
#include "keelson/workqueue/internal/ready_lists.h"
#include "keelson/workqueue/queue_metrics.h"

namespace keelson::internal {

class QueueCore {
 public:
  explicit QueueCore(QueueMetrics metrics);

  BriefMutex& lock() { return lock_; }
  // Now if the metrics need to know, else any time.
  TimePoint Time() const { return metrics_.enabled ? Clock::Now() : TimePoint(); }
  const QueueMetrics& metrics() const { return metrics_; }

  // What is left to do once the lock is free; hand it to Finish().
  struct AfterAdd {
    bool added = false;
    bool wake = false;
    bool raised = false;   // it waited already, with the priority `from`
    int32_t priority = 0;  // with which it waits now, where it was added or raised
    int32_t from = 0;
  };
  struct AfterTake {
    bool wake = false;
    bool begun = false;  // the first work since ages were looked at last
    bool sweep = false;  // many entries are idle: it is time to call Sweep
    int32_t priority = 0;
    Duration waited{};
  };

  // With the lock held.
  QueueEntry* ChainOf(uint32_t hash) const { return table_[hash & (table_.size() - 1)]; }
  void Insert(QueueEntry& entry);
  AfterAdd Add(QueueEntry& entry, int32_t priority, TimePoint now);
  // Whether idle entries should be used again before new ones are made.
  bool SweepDue() const { return entries_ >= sweep_at_; }
  // Takes some of the idle entries, those that were taken last, out of the table and calls `visit` with each.
  template <class F>
  void Sweep(F visit);
  // Null when none waits.
  QueueEntry* Pop() { return ready_.empty() ? nullptr : &ready_.Pop(); }
  // From here on it runs, and can be added again.
  AfterTake Begin(QueueEntry& entry, TimePoint now);
  // Calls `visit` for the entries that run, in the order in which they were taken, until it says false.
  template <class F>
  void VisitRunning(F visit) const;

  // Without it.
  // The end of a run. The entry is no longer the caller's.
  void Done(QueueEntry& entry);
  // Looks for work for some microseconds, if nobody else does. False when none came.
  bool SpinForWork();
  // Sleeps until Pop() may find something. False when that will not be: deadline, stop, or shut down and empty.
  bool AwaitWork(TimePoint deadline, const StopToken& stop);
  void Finish(const AfterAdd& what) {
    if (what.wake) NotifyOne(work_);
    if (metrics_.enabled && (what.added || what.raised)) CountAdd(what);
  }
  void Finish(const AfterTake& what) {
    if (what.wake) NotifyOne(work_);
    if (what.begun) NotifyOne(begun_);
    if (metrics_.enabled) CountTake(what);
  }

  bool shutting_down() const { return shutting_down_.load(std::memory_order_acquire); }
  StopToken shutdown_token() const { return shutdown_.token(); }
  void ShutDown();
  bool ShutDownWithDrain(const StopToken& stop, TimePoint deadline);
  size_t Waiting();

  // For the owner's end, when nobody calls any more: gives back every entry, in no order, and looks at none again.
  template <class F>
  void GiveBackAll(F take) {
    ages_ = Thread();  // it looks at entries by itself
    for (QueueEntry* entry : table_) {
      while (entry != nullptr) {
        QueueEntry* next = entry->chain;
        take(*entry);
        entry = next;
      }
    }
  }

 private:
  static constexpr size_t kMinPlaces = 64;
  // Places for each entry, because to look at the entry of another key may be to wait for its cache line.
  static constexpr size_t kSparse = 2;
  static constexpr size_t kSweep = 64;        // so many are taken out at once, if no more are met that run
  static constexpr size_t kMinTaken = 256;    // places; fewer are not worth a look
  static constexpr size_t kManyTaken = 2048;  // so many, and workers sweep too
  static constexpr size_t kLarge = 65536;     // longer lists give their memory back

  void BeginShutDown(bool drain);
  void Remove(QueueEntry& entry);
  void Resize(size_t places);
  void Push(QueueEntry& entry);
  bool WakeOne() {
    if (sleepers_ == 0 || waking_ || ready_.empty()) return false;
    return waking_ = true;
  }
  void LeaveTaken(QueueEntry& entry) { taken_[std::exchange(entry.taken_at, QueueEntry::kNowhere)] = nullptr; }
  // Drops the empty places of taken_, from there on.
  void CompactTaken(size_t from = 0);
  bool AnyRunning() const;
  bool AllDone();
  void TellIfAllDone();
  // The rest of Add and of Done: for a key that waits or is worked on, and for one that was added meanwhile.
  AfterAdd AddAgain(QueueEntry& entry, int32_t priority, TimePoint now);
  void WaitAgain(QueueEntry& entry);
  // Who decided to sleep holds mutex_ until it does: the notifier passes through it, so as not to come too early.
  void NotifyOne(CondVar& condition);
  void NotifyAll(CondVar& condition);
  void CountAdd(const AfterAdd& what) const;
  void CountTake(const AfterTake& what) const;
  // Brings the metrics of ages up to date twice a second, while there is work; sleeps otherwise.
  void WatchAges(const StopToken& stop);
  void UpdateAges();

  const QueueMetrics metrics_;
  const StopSource shutdown_;

  // For those who sleep. Taken before the other, if at all.
  Mutex mutex_{"work queue"};
  CondVar work_{"work"};
  CondVar drained_{"end of the drain"};
  CondVar begun_{"work begun"};

  // Written seldom, and not on a cache line with the rest.
  std::atomic<bool> shutting_down_ = false;  // written under lock_
  std::atomic<bool> draining_ = false;       // written under lock_

  alignas(64) BriefMutex lock_{"a work queue"};
  // Guarded by lock_.
  std::vector<QueueEntry*> table_ = std::vector<QueueEntry*>(kMinPlaces);  // a power of two
  size_t entries_ = 0;                                                     // in the table
  size_t sweep_at_ = kSweep;                                               // so many before the next sweep
  ReadyLists ready_;
  std::vector<QueueEntry*> taken_;  // oldest first, with empty places
  size_t compact_at_ = kMinTaken;
  int sleepers_ = 0;
  bool waking_ = false;               // a sleeper was notified and has not looked yet, or someone looks all the time
  bool ages_idle_ = false;            // there was no work when ages were looked at last
  std::atomic<uint64_t> pushed_ = 0;  // into the ready lists; read without the lock

  Thread ages_;  // only with metrics
};

inline void QueueCore::Insert(QueueEntry& entry) {
  if (entries_ * kSparse == table_.size()) [[unlikely]]
    Resize(table_.size() * 2);
  QueueEntry*& place = table_[entry.hash & (table_.size() - 1)];
  entry.chain = place;
  place = &entry;
  ++entries_;
}

inline void QueueCore::Remove(QueueEntry& entry) {
  QueueEntry** link = &table_[entry.hash & (table_.size() - 1)];
  while (*link != &entry) link = &(*link)->chain;
  *link = entry.chain;
  --entries_;
}

inline void QueueCore::Push(QueueEntry& entry) {
  entry.state.store(QueueEntry::State::kWaiting, std::memory_order_relaxed);
  if (entry.taken_at != QueueEntry::kNowhere) LeaveTaken(entry);
  ready_.Push(entry);
  pushed_.store(pushed_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

inline QueueCore::AfterAdd QueueCore::Add(QueueEntry& entry, int32_t priority, TimePoint now) {
  if (entry.state.load(std::memory_order_acquire) != QueueEntry::State::kIdle) return AddAgain(entry, priority, now);
  entry.priority = priority;
  entry.added = now;
  Push(entry);
  return {.added = true, .wake = WakeOne(), .priority = priority};
}

inline QueueCore::AfterTake QueueCore::Begin(QueueEntry& entry, TimePoint now) {
  AfterTake after;
  if (taken_.size() >= compact_at_) [[unlikely]] {
    CompactTaken();
    after.sweep = taken_.size() >= kManyTaken;
  }
  entry.taken_at = static_cast<uint32_t>(taken_.size());
  taken_.push_back(&entry);
  if (metrics_.enabled) {
    entry.started = now;
    after.begun = std::exchange(ages_idle_, false);
    after.waited = now - entry.added;
    after.priority = entry.priority;
  }
  after.wake = WakeOne();
  entry.state.store(QueueEntry::State::kRunning, std::memory_order_release);
  return after;
}

inline void QueueCore::Done(QueueEntry& entry) {
  if (metrics_.enabled) metrics_.work_duration.Observe(Clock::Now() - entry.started);
  QueueEntry::State state = QueueEntry::State::kRunning;
  if (!entry.state.compare_exchange_strong(state, QueueEntry::State::kIdle)) return WaitAgain(entry);
  // Either this sees that somebody waits for the end, or that one sees that this run is over.
  if (draining_.load()) [[unlikely]]
    TellIfAllDone();
}

template <class F>
void QueueCore::VisitRunning(F visit) const {
  for (const QueueEntry* entry : taken_) {
    if (entry == nullptr) continue;
    const QueueEntry::State state = entry->state.load();
    if (state != QueueEntry::State::kRunning && state != QueueEntry::State::kRunningAgain) continue;
    if (!visit(*entry)) return;
  }
}

// A sweep that meets many running entries takes out twice as many more, or is followed by as many new ones: so each
// look at a running entry is paid for, and the entries do not become more while there are idle ones.
template <class F>
void QueueCore::Sweep(F visit) {
  constexpr size_t kAhead = 16;
  size_t swept = 0;
  size_t running = 0;
  size_t from = taken_.size();
  while (from > 0 && swept < kSweep + 2 * running) {
    QueueEntry* entry = taken_[--from];
    if (from >= kAhead) PrefetchForWrite(taken_[from - kAhead]);
    if (entry == nullptr) continue;
    if (entry->state.load(std::memory_order_acquire) != QueueEntry::State::kIdle) {
      ++running;
      continue;
    }
    LeaveTaken(*entry);
    Remove(*entry);
    visit(*entry);
    ++swept;
  }
  CompactTaken(from);
  sweep_at_ = entries_ + swept + (from == 0 ? running + kSweep / 2 : 0);
  if (table_.size() > kMinPlaces && (entries_ + swept) * kSparse < table_.size() / 8) Resize(table_.size() / 4);
}

}  // namespace keelson::internal
