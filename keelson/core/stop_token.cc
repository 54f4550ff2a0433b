#include "keelson/core/stop_token.h"

#include <atomic>

#include "keelson/core/cond_var.h"
#include "keelson/core/mutex.h"
#include "keelson/core/thread.h"

namespace keelson {

namespace internal {

class StopState {
 public:
  bool StopRequested() const { return requested_.load(std::memory_order_acquire); }

  // False when stop was requested before, and the node is not in the list.
  bool Link(StopNode& node) {
    MutexLock lock(mutex_);
    if (StopRequested()) return false;
    node.previous_ = last_;
    (last_ ? last_->next_ : first_) = &node;
    last_ = &node;
    node.linked_ = true;
    return true;
  }

  void Remove(StopNode& node) {
    MutexLock lock(mutex_);
    if (node.linked_) return Unlink(node);
    if (running_ != &node) return;
    if (requester_ == this_thread::Id()) {
      running_ = nullptr;  // the callback destroys itself: RequestStop must not look at it again
      return;
    }
    callback_ended_.Wait(lock, [&] { return running_ != &node; });
  }

  bool RequestStop() {
    MutexLock lock(mutex_);
    if (requested_.exchange(true, std::memory_order_acq_rel)) return false;
    requester_ = this_thread::Id();
    while (first_ != nullptr) {
      StopNode& node = *first_;
      Unlink(node);
      running_ = &node;
      lock.Unlock();
      node.Run();
      lock.Lock();
      running_ = nullptr;
      callback_ended_.NotifyAll();
    }
    return true;
  }

 private:
  void Unlink(StopNode& node) {
    (node.previous_ ? node.previous_->next_ : first_) = node.next_;
    (node.next_ ? node.next_->previous_ : last_) = node.previous_;
    node.linked_ = false;
  }

  std::atomic<bool> requested_ = false;  // written under mutex_, read without

  Mutex mutex_{"stop state"};
  CondVar callback_ended_{"end of a stop callback"};
  // Guarded by mutex_.
  StopNode* first_ = nullptr;
  StopNode* last_ = nullptr;
  StopNode* running_ = nullptr;
  uint64_t requester_ = 0;
};

void StopNode::Add(std::shared_ptr<StopState> state) {
  if (!state) return;
  if (!state->Link(*this)) return Run();
  state_ = std::move(state);
}

void StopNode::Remove() {
  if (state_) state_->Remove(*this);
}

}  // namespace internal

bool StopToken::StopRequested() const { return state_ && state_->StopRequested(); }

StopSource::StopSource() : state_(std::make_shared<internal::StopState>()) {}

bool StopSource::StopRequested() const { return state_->StopRequested(); }

bool StopSource::RequestStop() const {
  // Callbacks may destroy this source.
  std::shared_ptr<internal::StopState> state = state_;
  return state->RequestStop();
}

}  // namespace keelson
