#include "keelson/apiserver/store/watch_hub.h"

#include <algorithm>
#include <span>
#include <utility>

#include "keelson/core/clock.h"

namespace keelson::apiserver::internal {

class Watcher {
 public:
  explicit Watcher(std::shared_ptr<WatchSink> sink) : sink_(std::move(sink)) {}

  bool ended() const { return ended_.load(std::memory_order_acquire); }
  void End() { ended_.store(true, std::memory_order_release); }

  void GiveBacklog() {
    const std::vector<EventPtr> events = std::exchange(backlog, {});
    if (!events.empty() && !ended()) sink_->OnEvents(events, since);
  }
  // Hands over those of `events` that came after the moment it joined.
  void Give(std::span<const EventPtr> events, Revision seen) {
    if (!events.empty() && events.front()->revision() <= since) {
      const auto first =
          std::partition_point(events.begin(), events.end(), [&](const EventPtr& e) { return e->revision() <= since; });
      events = events.subspan(static_cast<size_t>(first - events.begin()));
    }
    if (!events.empty() && !ended()) sink_->OnEvents(events, seen);
  }
  TimePoint Tick(TimePoint now, Revision seen) {
    return ended() ? TimePoint::max() : sink_->OnTick(now, std::max(seen, since));
  }

  // Set before it joins, then touched by the hub's thread only.
  Revision since = 0;             // events up to here are in the backlog or were not asked for
  std::vector<EventPtr> backlog;  // what happened between the start asked for and the moment it joined

 private:
  const std::shared_ptr<WatchSink> sink_;
  std::atomic<bool> ended_ = false;
};

namespace {

// Watches that ended are found at the next tick at the latest, so ticks of a collection are never further apart.
constexpr Duration kLongestTick = std::chrono::seconds(30);

// The next multiple of `step` behind `time`. Ticks are on a grid, so that one waking does for many collections.
TimePoint OnGrid(TimePoint time, Duration step) { return TimePoint((time.time_since_epoch() / step + 1) * step); }

class HubSubscription final : public Subscription {
 public:
  explicit HubSubscription(std::shared_ptr<Watcher> watcher) : watcher_(std::move(watcher)) {}
  ~HubSubscription() override { watcher_->End(); }

 private:
  const std::shared_ptr<Watcher> watcher_;
};

}  // namespace

WatchHub::WatchHub(const Options& options, const std::atomic<Revision>& revision)
    : options_{.tick = std::max(options.tick, Duration(1)), .max_behind = options.max_behind},
      revision_(revision),
      thread_("watch-hub", [this](const StopToken& stop) { Run(stop); }) {}

WatchHub::~WatchHub() = default;

Result<std::unique_ptr<Subscription>> WatchHub::Watch(Collection& collection, Revision since,
                                                      std::shared_ptr<WatchSink> sink) {
  auto watcher = std::make_shared<Watcher>(std::move(sink));
  Audience& audience = collection.audience;
  {
    MutexLock lock(mutex_);
    ReaderLock reader(collection.mutex);
    if (since < collection.log.oldest()) return Error(ErrorCode::kExpired, "revision is no longer remembered");
    watcher->backlog.assign(collection.log.After(since), collection.log.events_end());
    watcher->since = std::max(since, revision_.load(std::memory_order_acquire));
    if (audience.watchers.load(std::memory_order_relaxed) == 0) audience.delivered.store(collection.log.end());
    audience.watchers.fetch_add(1, std::memory_order_release);
    audience.joining.push_back(watcher);
  }
  Queue(collection);
  return std::unique_ptr<Subscription>(std::make_unique<HubSubscription>(std::move(watcher)));
}

void WatchHub::Queue(Collection& collection) {
  if (collection.audience.queued.exchange(true, std::memory_order_acq_rel)) return;
  {
    MutexLock lock(mutex_);
    queue_.push_back(&collection);
  }
  queued_.NotifyOne();
}

void WatchHub::TickSoon() {
  {
    MutexLock lock(mutex_);
    tick_soon_ = true;
  }
  queued_.NotifyOne();
}

void WatchHub::AwaitRoom(const Collection& collection) {
  MutexLock lock(mutex_);
  progressed_.Wait(lock, [&] { return HasRoom(collection); });
}

void WatchHub::Run(const StopToken& stop) {
  std::vector<Collection*> work;
  while (!stop.StopRequested()) {
    bool tick_all = false;
    {
      MutexLock lock(mutex_);
      const auto queued = [&] { return !queue_.empty() || tick_soon_; };
      if (queued_.WaitUntil(lock, next_tick_, stop, queued) == Wake::kStopped) return;
      work.swap(queue_);
      tick_all = std::exchange(tick_soon_, false);
    }
    for (Collection* collection : work) Deliver(*collection);
    work.clear();
    if (const TimePoint now = Clock::Now(); tick_all || now >= next_tick_) next_tick_ = Tick(now, tick_all);
  }
}

Revision WatchHub::Deliver(Collection& collection) {
  Audience& audience = collection.audience;
  // Before the look at the log: who commits behind that look queues the collection again.
  audience.queued.exchange(false, std::memory_order_acq_rel);
  std::vector<std::shared_ptr<Watcher>> joining;
  Revision seen = 0;
  {
    // Under both locks at once, so that each event is either in a joining watcher's backlog or in this batch or a later
    // one.
    MutexLock lock(mutex_);
    joining.swap(audience.joining);
    ReaderLock reader(collection.mutex);
    collection.log.CopyFrom(audience.delivered.load(), batch_);
    audience.delivered.store(collection.log.end());
    seen = revision_.load(std::memory_order_acquire);
  }
  progressed_.NotifyAll();

  const std::span<const EventPtr> batch = batch_;
  bool ended = false;
  for (const std::shared_ptr<Watcher>& watcher : audience.members) {
    watcher->Give(batch, seen);
    ended |= watcher->ended();
  }
  if (!joining.empty()) {
    if (audience.members.empty()) {
      watched_.push_back(&collection);
      audience.next_tick = TimePoint::max();
    }
    // A new one has not said yet when it wants a tick.
    audience.next_tick = std::min(audience.next_tick, OnGrid(Clock::Now(), options_.tick));
    next_tick_ = std::min(next_tick_, audience.next_tick);
  }
  for (std::shared_ptr<Watcher>& watcher : joining) {
    watcher->GiveBacklog();
    watcher->Give(batch, seen);
    ended |= watcher->ended();
    audience.members.push_back(std::move(watcher));
  }
  batch_.clear();
  if (ended) Sweep(collection);
  return seen;
}

TimePoint WatchHub::Tick(TimePoint now, bool all) {
  const std::vector<Collection*> watched = watched_;
  for (Collection* collection : watched) {
    Audience& audience = collection->audience;
    if (!all && audience.next_tick > now) continue;
    const Revision seen = Deliver(*collection);
    TimePoint next = OnGrid(now, kLongestTick);
    bool ended = false;
    for (const std::shared_ptr<Watcher>& watcher : audience.members) {
      next = std::min(next, watcher->Tick(now, seen));
      ended |= watcher->ended();
    }
    audience.next_tick = OnGrid(std::max(next - Duration(1), now), options_.tick);
    if (ended) Sweep(*collection);
  }
  TimePoint next = TimePoint::max();
  for (const Collection* collection : watched_) next = std::min(next, collection->audience.next_tick);
  return next;
}

void WatchHub::Sweep(Collection& collection) {
  Audience& audience = collection.audience;
  std::vector<std::shared_ptr<Watcher>> gone;  // destroyed at the end, without locks: their sinks may go with them
  const auto first_ended = std::partition(audience.members.begin(), audience.members.end(),
                                          [](const auto& watcher) { return !watcher->ended(); });
  gone.assign(std::make_move_iterator(first_ended), std::make_move_iterator(audience.members.end()));
  audience.members.erase(first_ended, audience.members.end());
  if (audience.members.empty()) std::erase(watched_, &collection);
  {
    MutexLock lock(mutex_);
    audience.watchers.fetch_sub(gone.size(), std::memory_order_release);
  }
  progressed_.NotifyAll();
}

}  // namespace keelson::apiserver::internal
