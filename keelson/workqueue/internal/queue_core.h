// A queue without its keys: who waits, who runs, who sleeps, and when it is over. Queue<Key> in queue.h is the skin
// that adds the keys and their causes.
//
// Invariants, under the mutex:
//   an entry is in the table exactly while it waits or runs;
//   it is in the ready lists exactly while it waits, in the running list exactly while it runs;
//   while keys wait and workers sleep, one of the sleepers is being woken.
//
// The last is how wake-ups are kept few: an addition wakes at most one sleeper, and none while one is on its way.
// Whoever takes a key and leaves others behind wakes the next.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "keelson/core/clock.h"
#include "keelson/core/cond_var.h"
#include "keelson/core/mutex.h"
#include "keelson/core/stop_token.h"
#include "keelson/core/thread.h"
#include "keelson/workqueue/internal/ready_lists.h"
#include "keelson/workqueue/queue_metrics.h"

namespace keelson::internal {

class QueueCore {
 public:
  explicit QueueCore(QueueMetrics metrics);

  Mutex& mutex() { return mutex_; }
  // Now if the metrics need to know, else any time.
  TimePoint Time() const { return metrics_.enabled ? Clock::Now() : TimePoint(); }
  const QueueMetrics& metrics() const { return metrics_; }

  // What is left to do once the mutex is free; hand it to Finish().
  struct AfterAdd {
    bool added = false;
    bool wake = false;
    bool raised = false;   // it waited already, with the priority `from`
    int32_t priority = 0;  // with which it waits now, where it was added or raised
    int32_t from = 0;
  };
  struct AfterTake {
    QueueEntry* entry = nullptr;
    bool wake = false;
    bool begun = false;  // the first work since ages were looked at last
    int32_t priority = 0;
    Duration waited{};
  };
  struct AfterDone {
    bool forget = false;  // the entry left the table and is the caller's
    bool wake = false;
    bool drained = false;
    Duration worked{};
  };

  // With the mutex held.
  QueueEntry* ChainOf(uint32_t hash) const { return table_[hash & (table_.size() - 1)]; }
  void Insert(QueueEntry& entry);
  AfterAdd Add(QueueEntry& entry, int32_t priority, TimePoint now);
  // A null entry when none waits.
  AfterTake Take(TimePoint now);
  AfterDone Done(QueueEntry& entry, TimePoint now);
  // The first of those that run, in the order in which they were taken; linked by `next`.
  QueueEntry* running() const { return running_.first; }
  // Sleeps until Take() would find something. False when that will not be: deadline, stop, or shut down and empty.
  bool AwaitWork(MutexLock& lock, TimePoint deadline, const StopToken& stop);

  // Without it.
  void Finish(const AfterAdd& what) {
    if (what.wake) work_.NotifyOne();
    if (metrics_.enabled && (what.added || what.raised)) CountAdd(what);
  }
  void Finish(const AfterTake& what) {
    if (what.wake) work_.NotifyOne();
    if (what.begun) begun_.NotifyOne();
    if (metrics_.enabled) CountTake(what);
  }
  void Finish(const AfterDone& what) {
    if (what.wake) work_.NotifyOne();
    if (what.drained) drained_.NotifyAll();
    if (metrics_.enabled) metrics_.work_duration.Observe(what.worked);
  }

  bool shutting_down() const { return shutting_down_.load(std::memory_order_acquire); }
  StopToken shutdown_token() const { return shutdown_.token(); }
  void ShutDown();
  bool ShutDownWithDrain(const StopToken& stop, TimePoint deadline);
  size_t Waiting();

  // For the owner's end: every entry, in no order.
  template <class F>
  void ForEach(F visit) {
    for (QueueEntry* entry : table_) {
      while (entry != nullptr) {
        QueueEntry* next = entry->chain;
        visit(*entry);
        entry = next;
      }
    }
  }

 private:
  void BeginShutDown(bool drain);
  void Remove(QueueEntry& entry);
  void Resize(size_t places);
  bool WakeOne() {
    if (waking_ || sleepers_ == 0 || ready_.empty()) return false;
    return waking_ = true;
  }
  void CountAdd(const AfterAdd& what) const;
  void CountTake(const AfterTake& what) const;
  // Brings the metrics of ages up to date twice a second, while there is work; sleeps otherwise.
  void WatchAges(const StopToken& stop);
  void UpdateAges();

  const QueueMetrics metrics_;
  const StopSource shutdown_;

  Mutex mutex_{"work queue"};
  CondVar work_{"work"};
  CondVar drained_{"end of the drain"};
  CondVar begun_{"work begun"};
  // Guarded by mutex_.
  std::vector<QueueEntry*> table_ = std::vector<QueueEntry*>(kMinPlaces);  // a power of two
  size_t entries_ = 0;                                                     // in the table
  ReadyLists ready_;
  EntryList running_;  // oldest first
  int sleepers_ = 0;
  bool waking_ = false;  // a sleeper was notified and has not looked yet
  bool draining_ = false;
  bool ages_idle_ = false;                   // there was no work when ages were looked at last
  std::atomic<bool> shutting_down_ = false;  // written under mutex_, read without

  static constexpr size_t kMinPlaces = 64;

  Thread ages_;  // only with metrics
};

}  // namespace keelson::internal
