#include "keelson/cache/internal/listener.h"

#include <exception>
#include <utility>

#include "keelson/core/clock.h"

namespace keelson::internal {

namespace {

// Under load a handler is woken once for a handful of deltas and not for each: when batches follow each other this
// closely, it lets some gather.
constexpr Duration kClose = std::chrono::milliseconds(1);
constexpr Duration kNap = std::chrono::microseconds(500);

}  // namespace

Listener::Listener(SharedInformer& informer, SharedInformer::Handler handler, std::string name, Duration resync,
                   bool brief)
    : informer_(informer),
      handler_(std::move(handler)),
      name_(std::move(name)),
      resync_(resync),
      brief_(brief),
      queue_(informer.model()),
      thread_(name_, [this](const StopToken& stop) { Loop(stop); }) {}

Listener::~Listener() { Stop(); }

// Whatever else has something delivered takes the informer's lock before it fills the queue, so that the thread goes on
// waiting for as long as the handler is called here.
void Listener::Push(std::span<const Delta> deltas) {
  if (!brief_ || !queue_.IsIdle()) return queue_.Push(deltas);
  for (const Delta& delta : deltas) Deliver(delta);
}

void Listener::PushInitial(Snapshot objects) {
  started_ = true;
  {
    MutexLock lock(mutex_);
    initial_known_ = true;
    initial_left_ = objects.size();
  }
  synced_changed_.NotifyAll();
  queue_.PushAll(std::move(objects), DeltaType::kReplaced, true);
}

bool Listener::HasSynced() const {
  MutexLock lock(mutex_);
  return initial_known_ && initial_left_ == 0;
}

Wake Listener::WaitForSync(const StopToken& stop, TimePoint deadline) const {
  MutexLock lock(mutex_);
  return synced_changed_.WaitUntil(lock, deadline, stop, [&] { return initial_known_ && initial_left_ == 0; });
}

bool Listener::IsCurrentThread() const { return thread_id_.load() == this_thread::Id(); }

void Listener::Stop() {
  removed_.store(true);
  thread_.RequestStop();
  queue_.Close();
  if (!IsCurrentThread()) thread_.Join();
}

void Listener::Loop(const StopToken& stop) {
  thread_id_.store(this_thread::Id());
  std::vector<Delta> batch;
  TimePoint next_resync = resync_ > Duration::zero() ? keelson::SaturatingAdd(Clock::Now(), resync_) : TimePoint::max();
  TimePoint last{};
  while (!stop.StopRequested()) {
    const Wake wake = queue_.Pop(batch, next_resync, stop);
    if (wake == Wake::kStopped) return;
    const TimePoint now = Clock::Now();
    for (const Delta& delta : batch) {
      if (removed_.load(std::memory_order_relaxed)) return;
      Deliver(delta);
    }
    batch.clear();
    if (now >= next_resync) {
      informer_.Resync(*this);
      next_resync = keelson::SaturatingAdd(now, resync_);
    }
    if (now - last < kClose && SleepFor(kNap, stop) == Wake::kStopped) return;
    last = now;
  }
}

void Listener::Deliver(const Delta& delta) {
  try {
    handler_(delta);
  } catch (const std::exception& thrown) {
    informer_.Report(Error::Internal("the handler \"" + name_ + "\" of " + informer_.source().ToString() +
                                     " threw: " + thrown.what()));
  }
  if (!delta.initial) return;
  MutexLock lock(mutex_);
  if (--initial_left_ == 0) synced_changed_.NotifyAll();
}

}  // namespace keelson::internal
