// A channel without the type of its events: who subscribes, and what waits for each.
#pragma once

#include <cstddef>
#include <deque>
#include <list>
#include <memory>
#include <utility>

#include "keelson/core/cond_var.h"
#include "keelson/core/mutex.h"
#include "keelson/core/stop_token.h"

namespace keelson::internal {

// Thread-safe.
class ChannelCore {
 public:
  using Event = std::shared_ptr<const void>;
  // What one subscriber has still to take.
  using Waiting = std::deque<Event>;
  using Subscription = std::list<Waiting>::iterator;

  explicit ChannelCore(size_t capacity) : capacity_(capacity == 0 ? 1 : capacity) {}

  // kReady when every subscriber has it waiting; else none has. kTimeout: the channel is closed.
  [[nodiscard]] Wake Push(Event event, const StopToken& stop);
  [[nodiscard]] bool TryPush(Event event);
  void Close();

  // The first subscriber gets what was pushed while there was none.
  Subscription Subscribe();
  void Unsubscribe(Subscription subscription);
  // Waits for the next event. Null when stop came first, or the channel is closed and nothing waits.
  Event Pop(Subscription subscription, const StopToken& stop);

 private:
  bool HasRoom() const;
  void Put(Event event);

  const size_t capacity_;

  Mutex mutex_{"channel"};
  CondVar room_{"room in a channel"};
  CondVar filled_{"an event in a channel"};
  // Guarded by mutex_.
  std::list<Waiting> subscribers_;
  Waiting unclaimed_;  // not empty only while there is no subscriber
  bool closed_ = false;
};

// A subscriber's place. Used by one thread, but for Pop.
class ChannelSubscription {
 public:
  explicit ChannelSubscription(std::shared_ptr<ChannelCore> core) : core_(std::move(core)), at_(core_->Subscribe()) {}
  ~ChannelSubscription() { End(); }
  ChannelSubscription(const ChannelSubscription&) = delete;
  ChannelSubscription& operator=(const ChannelSubscription&) = delete;

  ChannelCore::Event Pop(const StopToken& stop) const { return core_->Pop(at_, stop); }
  // No Pop is under way or comes any more.
  void End() {
    if (core_ == nullptr) return;
    core_->Unsubscribe(at_);
    core_.reset();
  }

 private:
  std::shared_ptr<ChannelCore> core_;
  const ChannelCore::Subscription at_;
};

}  // namespace keelson::internal
