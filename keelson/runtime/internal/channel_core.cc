#include "keelson/runtime/internal/channel_core.h"

#include <algorithm>
#include <utility>

namespace keelson::internal {

bool ChannelCore::HasRoom() const {
  if (subscribers_.empty()) return unclaimed_.size() < capacity_;
  return std::all_of(subscribers_.begin(), subscribers_.end(),
                     [&](const Waiting& waiting) { return waiting.size() < capacity_; });
}

void ChannelCore::Put(Event event) {
  for (Waiting& waiting : subscribers_) waiting.push_back(event);
  if (subscribers_.empty()) unclaimed_.push_back(std::move(event));
}

Wake ChannelCore::Push(Event event, const StopToken& stop) {
  {
    MutexLock lock(mutex_);
    const Wake wake = room_.Wait(lock, stop, [&] { return closed_ || HasRoom(); });
    if (closed_) return Wake::kTimeout;
    if (wake != Wake::kReady) return wake;
    Put(std::move(event));
  }
  filled_.NotifyAll();
  return Wake::kReady;
}

bool ChannelCore::TryPush(Event event) {
  {
    MutexLock lock(mutex_);
    if (closed_ || !HasRoom()) return false;
    Put(std::move(event));
  }
  filled_.NotifyAll();
  return true;
}

void ChannelCore::Close() {
  {
    MutexLock lock(mutex_);
    closed_ = true;
  }
  room_.NotifyAll();
  filled_.NotifyAll();
}

ChannelCore::Subscription ChannelCore::Subscribe() {
  MutexLock lock(mutex_);
  return subscribers_.insert(subscribers_.end(), std::exchange(unclaimed_, {}));
}

void ChannelCore::Unsubscribe(Subscription subscription) {
  {
    MutexLock lock(mutex_);
    subscribers_.erase(subscription);
  }
  room_.NotifyAll();
}

ChannelCore::Event ChannelCore::Pop(Subscription subscription, const StopToken& stop) {
  Event event;
  {
    MutexLock lock(mutex_);
    const Wake wake = filled_.Wait(lock, stop, [&] { return closed_ || !subscription->empty(); });
    if (wake != Wake::kReady || subscription->empty() || stop.StopRequested()) return nullptr;
    event = std::move(subscription->front());
    subscription->pop_front();
  }
  room_.NotifyAll();
  return event;
}

}  // namespace keelson::internal
