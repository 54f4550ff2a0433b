#include "keelson/workqueue/internal/queue_core.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace keelson::internal {

using std::chrono_literals::operator""ms;

namespace {

double Seconds(Duration span) { return std::chrono::duration<double>(span).count(); }

}  // namespace

QueueCore::QueueCore(QueueMetrics metrics) : metrics_(metrics) {
  if (!metrics_.enabled) return;
  ages_ = Thread("queue ages", [this](const StopToken& stop) { WatchAges(stop); });
}

void QueueCore::WatchAges(const StopToken& stop) {
  for (;;) {
    {
      MutexLock lock(mutex_);
      {
        BriefLock brief(lock_);
        ages_idle_ = !AnyRunning();
      }
      const auto begun = [&] {
        BriefLock brief(lock_);
        return !ages_idle_;
      };
      if (begun_.Wait(lock, stop, begun) == Wake::kStopped) return;
    }
    if (SleepFor(500ms, stop) == Wake::kStopped) return;
    UpdateAges();
  }
}

void QueueCore::Resize(size_t places) {
  std::vector<QueueEntry*> old(std::max(places, kMinPlaces));
  old.swap(table_);
  for (QueueEntry* entry : old) {
    while (entry != nullptr) {
      QueueEntry*& place = table_[entry->hash & (table_.size() - 1)];
      QueueEntry* next = std::exchange(entry->chain, place);
      place = entry;
      entry = next;
    }
  }
}

QueueCore::AfterAdd QueueCore::AddAgain(QueueEntry& entry, int32_t priority, TimePoint now) {
  using State = QueueEntry::State;
  State state = State::kRunning;
  if (entry.state.compare_exchange_strong(state, State::kRunningAgain)) {
    entry.priority = priority;
    entry.added = now;
    return {.added = true, .priority = priority};
  }
  if (state == State::kIdle) return Add(entry, priority, now);  // done at this very moment
  if (priority <= entry.priority) return {};
  const AfterAdd after{.raised = true, .priority = priority, .from = entry.priority};
  if (state == State::kWaiting) {
    ready_.Raise(entry, priority);
  } else {
    entry.priority = priority;
  }
  return after;
}

void QueueCore::WaitAgain(QueueEntry& entry) {
  bool wake = false;
  {
    BriefLock lock(lock_);
    Push(entry);
    wake = WakeOne();
  }
  if (wake) NotifyOne(work_);
}

void QueueCore::CompactTaken(size_t from) {
  size_t to = from;
  for (size_t at = from; at < taken_.size(); ++at) {
    QueueEntry* entry = taken_[at];
    if (entry == nullptr) continue;
    entry->taken_at = static_cast<uint32_t>(to);
    taken_[to++] = entry;
  }
  taken_.resize(to);
  if (taken_.capacity() > kLarge && to < taken_.capacity() / 8) taken_.shrink_to_fit();
  // What stands before `from` may be mostly empty places: they are to be met one day.
  if (from == 0) compact_at_ = std::max(kMinTaken, to * 2);
}

// Who looks counts as one who is on its way, so that nobody else is woken for what it will find.
bool QueueCore::SpinForWork() {
  constexpr int kLooks = 8;
  constexpr int kPauses = 128;  // so that there is more than one key to take when there are many
  if (CurrentScheduler() != nullptr) return false;
  uint64_t pushed = 0;
  {
    BriefLock lock(lock_);
    if (waking_) return false;
    waking_ = true;
    pushed = pushed_.load(std::memory_order_relaxed);
  }
  bool found = false;
  for (int look = 0; look < kLooks && !found && !shutting_down(); ++look) {
    for (int i = 0; i < kPauses; ++i) Pause();
    found = pushed_.load(std::memory_order_relaxed) != pushed;
  }
  BriefLock lock(lock_);
  waking_ = false;
  return found;
}

bool QueueCore::AwaitWork(TimePoint deadline, const StopToken& stop) {
  bool asleep = false;  // and counted
  const auto work_or_end = [&] {
    BriefLock lock(lock_);
    if (asleep) waking_ = false;  // perhaps it was another that was meant: one wake-up too many, never one too few
    const bool over = !ready_.empty() || shutting_down();
    if (asleep == over) {
      asleep = !over;
      sleepers_ += asleep ? 1 : -1;
    }
    return over;
  };
  MutexLock lock(mutex_);
  const Wake wake = work_.WaitUntil(lock, deadline, stop, work_or_end);
  lock.Unlock();
  BriefLock brief(lock_);
  if (asleep) {
    waking_ = false;
    --sleepers_;
  }
  // Another may have been faster; then there is more to wait for.
  return !ready_.empty() || (wake == Wake::kReady && !shutting_down());
}

void QueueCore::NotifyOne(CondVar& condition) {
  {
    MutexLock lock(mutex_);
  }
  condition.NotifyOne();
}

void QueueCore::NotifyAll(CondVar& condition) {
  {
    MutexLock lock(mutex_);
  }
  condition.NotifyAll();
}

void QueueCore::BeginShutDown(bool drain) {
  {
    BriefLock lock(lock_);
    shutting_down_.store(true, std::memory_order_release);
    draining_.store(drain);
  }
  NotifyAll(work_);
  NotifyAll(drained_);
  shutdown_.RequestStop();
}

void QueueCore::ShutDown() { BeginShutDown(false); }

bool QueueCore::ShutDownWithDrain(const StopToken& stop, TimePoint deadline) {
  BeginShutDown(true);
  MutexLock lock(mutex_);
  static_cast<void>(drained_.WaitUntil(lock, deadline, stop, [&] { return !draining_.load() || AllDone(); }));
  lock.Unlock();
  return AllDone();
}

bool QueueCore::AnyRunning() const {
  bool any = false;
  VisitRunning([&](const QueueEntry&) {
    any = true;
    return false;
  });
  return any;
}

bool QueueCore::AllDone() {
  BriefLock lock(lock_);
  return ready_.empty() && !AnyRunning();
}

void QueueCore::TellIfAllDone() {
  if (AllDone()) NotifyAll(drained_);
}

size_t QueueCore::Waiting() {
  BriefLock lock(lock_);
  return ready_.size();
}

void QueueCore::CountAdd(const AfterAdd& what) const {
  if (what.raised) {
    metrics_.depth.Decrement(what.from);
  } else {
    metrics_.adds.Increment();
  }
  metrics_.depth.Increment(what.priority);
}

void QueueCore::CountTake(const AfterTake& what) const {
  metrics_.depth.Decrement(what.priority);
  metrics_.queue_duration.Observe(what.waited);
}

void QueueCore::UpdateAges() {
  const TimePoint now = Clock::Now();
  Duration sum{};
  Duration longest{};
  {
    BriefLock brief(lock_);
    VisitRunning([&](const QueueEntry& entry) {
      const Duration age = std::max(now - entry.started, Duration::zero());
      sum += age;
      longest = std::max(longest, age);
      return true;
    });
  }
  metrics_.unfinished_work.Set(Seconds(sum));
  metrics_.longest_running.Set(Seconds(longest));
}

}  // namespace keelson::internal
