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
      ages_idle_ = running_.first == nullptr;
      if (begun_.Wait(lock, stop, [&] { return !ages_idle_; }) == Wake::kStopped) return;
    }
    if (SleepFor(500ms, stop) == Wake::kStopped) return;
    UpdateAges();
  }
}

void QueueCore::Insert(QueueEntry& entry) {
  if (entries_ == table_.size()) Resize(table_.size() * 2);
  QueueEntry*& place = table_[entry.hash & (table_.size() - 1)];
  entry.chain = place;
  place = &entry;
  ++entries_;
}

void QueueCore::Remove(QueueEntry& entry) {
  QueueEntry** link = &table_[entry.hash & (table_.size() - 1)];
  while (*link != &entry) link = &(*link)->chain;
  *link = entry.chain;
  --entries_;
  if (table_.size() > kMinPlaces && entries_ < table_.size() / 8) Resize(table_.size() / 4);
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

QueueCore::AfterAdd QueueCore::Add(QueueEntry& entry, int32_t priority, TimePoint now) {
  switch (entry.state) {
    case QueueEntry::State::kWaiting:
    case QueueEntry::State::kRunningAgain: {
      if (priority <= entry.priority) return {};
      const AfterAdd after{.raised = true, .priority = priority, .from = entry.priority};
      if (entry.state == QueueEntry::State::kWaiting) {
        ready_.Raise(entry, priority);
      } else {
        entry.priority = priority;
      }
      return after;
    }
    case QueueEntry::State::kRunning:
      entry.state = QueueEntry::State::kRunningAgain;
      entry.priority = priority;
      entry.added = now;
      return {.added = true, .priority = priority};
    case QueueEntry::State::kNew: break;
  }
  entry.state = QueueEntry::State::kWaiting;
  entry.priority = priority;
  entry.added = now;
  ready_.Push(entry);
  return {.added = true, .wake = WakeOne(), .priority = priority};
}

QueueCore::AfterTake QueueCore::Take(TimePoint now) {
  if (ready_.empty()) return {};
  QueueEntry& entry = ready_.Pop();
  entry.state = QueueEntry::State::kRunning;
  entry.started = now;
  running_.Append(entry);
  return {.entry = &entry,
          .wake = WakeOne(),
          .begun = std::exchange(ages_idle_, false),
          .priority = entry.priority,
          .waited = now - entry.added};
}

QueueCore::AfterDone QueueCore::Done(QueueEntry& entry, TimePoint now) {
  running_.Remove(entry);
  AfterDone after;
  after.worked = now - entry.started;
  if (entry.state == QueueEntry::State::kRunningAgain) {
    entry.state = QueueEntry::State::kWaiting;
    ready_.Push(entry);
    after.wake = WakeOne();
  } else {
    entry.state = QueueEntry::State::kNew;
    Remove(entry);
    after.forget = true;
    after.drained = draining_ && entries_ == 0;
  }
  return after;
}

bool QueueCore::AwaitWork(MutexLock& lock, TimePoint deadline, const StopToken& stop) {
  ++sleepers_;
  bool asleep = false;
  const auto work_or_end = [&] {
    if (asleep) waking_ = false;  // perhaps it was another that was meant: one wake-up too many, never one too few
    asleep = true;
    return !ready_.empty() || shutting_down();
  };
  // Why it woke does not matter, what there is does.
  static_cast<void>(work_.WaitUntil(lock, deadline, stop, work_or_end));
  --sleepers_;
  return !ready_.empty();
}

void QueueCore::BeginShutDown(bool drain) {
  {
    MutexLock lock(mutex_);
    shutting_down_.store(true, std::memory_order_release);
    draining_ = drain;
  }
  work_.NotifyAll();
  drained_.NotifyAll();
  shutdown_.RequestStop();
}

void QueueCore::ShutDown() { BeginShutDown(false); }

bool QueueCore::ShutDownWithDrain(const StopToken& stop, TimePoint deadline) {
  BeginShutDown(true);
  MutexLock lock(mutex_);
  static_cast<void>(drained_.WaitUntil(lock, deadline, stop, [&] { return entries_ == 0 || !draining_; }));
  return entries_ == 0;
}

size_t QueueCore::Waiting() {
  MutexLock lock(mutex_);
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
  if (what.entry == nullptr) return;
  metrics_.depth.Decrement(what.priority);
  metrics_.queue_duration.Observe(what.waited);
}

void QueueCore::UpdateAges() {
  const TimePoint now = Clock::Now();
  Duration sum{};
  Duration longest{};
  {
    MutexLock lock(mutex_);
    for (const QueueEntry* entry = running_.first; entry != nullptr; entry = entry->next) {
      const Duration age = std::max(now - entry->started, Duration::zero());
      sum += age;
      longest = std::max(longest, age);
    }
  }
  metrics_.unfinished_work.Set(Seconds(sum));
  metrics_.longest_running.Set(Seconds(longest));
}

}  // namespace keelson::internal
