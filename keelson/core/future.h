// A Result that one thread will deliver and others wait for.
//
//   Promise<Pod> promise;
//   Future<Pod> future = promise.future();
//   ... elsewhere: promise.Set(std::move(pod));
//   Result<Pod> pod = future.Get(stop);
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "keelson/core/cond_var.h"
#include "keelson/core/mutex.h"
#include "keelson/core/result.h"
#include "keelson/core/stop_token.h"
#include "keelson/core/time.h"

namespace keelson {

namespace internal {

template <class T>
struct FutureState {
  Mutex mutex{"future"};
  CondVar delivered{"future"};
  std::optional<Result<T>> result;  // guarded by mutex; constant once set
};

}  // namespace internal

// The receiving end: copies share one result. Thread-safe.
template <class T>
class Future {
 public:
  bool Ready() const {
    MutexLock lock(state_->mutex);
    return state_->result.has_value();
  }
  [[nodiscard]] Wake Wait(const StopToken& stop) const {
    MutexLock lock(state_->mutex);
    return state_->delivered.Wait(lock, stop, [&] { return state_->result.has_value(); });
  }
  [[nodiscard]] Wake WaitFor(Duration span, const StopToken& stop) const {
    MutexLock lock(state_->mutex);
    return state_->delivered.WaitFor(lock, span, stop, [&] { return state_->result.has_value(); });
  }
  // A copy of the delivered result; kCancelled when stop came first.
  Result<T> Get(const StopToken& stop) const {
    if (Wait(stop) == Wake::kStopped) return Stopped();
    return *state_->result;
  }
  // Moves the result out: for the one owner of the only copy of this future.
  Result<T> Take(const StopToken& stop) && {
    if (Wait(stop) == Wake::kStopped) return Stopped();
    return std::move(*state_->result);
  }

 private:
  template <class U>
  friend class Promise;
  explicit Future(std::shared_ptr<internal::FutureState<T>> state) : state_(std::move(state)) {}

  static Error Stopped() { return Error::Cancelled("stopped while waiting for a result"); }

  std::shared_ptr<internal::FutureState<T>> state_;
};

// The sending end. Movable; used by one thread at a time. A promise destroyed without a result delivers kInternal.
template <class T>
class Promise {
 public:
  Promise() : state_(std::make_shared<internal::FutureState<T>>()) {}
  ~Promise() { Abandon(); }
  Promise(Promise&&) noexcept = default;
  Promise& operator=(Promise&& other) noexcept {
    if (this != &other) {
      Abandon();
      state_ = std::move(other.state_);
    }
    return *this;
  }

  Future<T> future() const { return Future<T>(state_); }

  // The first result is the one delivered; false when there was one already.
  bool Set(Result<T> result) {
    {
      MutexLock lock(state_->mutex);
      if (state_->result) return false;
      state_->result.emplace(std::move(result));
    }
    state_->delivered.NotifyAll();
    return true;
  }

 private:
  void Abandon() {
    if (state_) Set(Error::Internal("promise was destroyed before a result was set"));
  }

  std::shared_ptr<internal::FutureState<T>> state_;
};

}  // namespace keelson
