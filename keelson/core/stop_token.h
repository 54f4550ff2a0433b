// Asking work to stop, and hearing of it while waiting.
//
//   StopSource source;
//   Thread worker("worker", [stop = source.token()] { while (!stop.StopRequested()) Step(stop); });
//   source.RequestStop();
//
// Every blocking call of the library takes a StopToken. A default-constructed token never stops.
// All types here are thread-safe; sources and tokens are cheap to copy and share one state.
#pragma once

#include <memory>
#include <utility>

namespace keelson {

namespace internal {

class StopState;

// A callback's place in its state's list. Registration and removal are in the base so that StopCallback stays thin.
class StopNode {
 public:
  StopNode(const StopNode&) = delete;
  StopNode& operator=(const StopNode&) = delete;

 protected:
  StopNode() = default;
  ~StopNode() = default;  // the derived class has called Remove()

  // Runs the callback at once when stop was requested already.
  void Add(std::shared_ptr<StopState> state);
  // Returns once the callback is not running and never will; from inside the callback, at once.
  void Remove();

 private:
  friend class StopState;
  virtual void Run() = 0;

  std::shared_ptr<StopState> state_;
  // Guarded by the state's mutex.
  StopNode* next_ = nullptr;
  StopNode* previous_ = nullptr;
  bool linked_ = false;
};

}  // namespace internal

class StopToken {
 public:
  StopToken() = default;

  bool StopRequested() const;
  // False when nothing can ever request a stop through this token.
  bool StopPossible() const { return state_ != nullptr; }

 private:
  friend class StopSource;
  template <class F>
  friend class StopCallback;
  explicit StopToken(std::shared_ptr<internal::StopState> state) : state_(std::move(state)) {}

  std::shared_ptr<internal::StopState> state_;
};

class StopSource {
 public:
  StopSource();

  StopToken token() const { return StopToken(state_); }
  bool StopRequested() const;
  // Runs the registered callbacks on this thread, in the order of registration. True for the call that made the
  // request.
  bool RequestStop() const;

 private:
  std::shared_ptr<internal::StopState> state_;
};

// Runs `callback` when stop is requested, on the thread that requests it, or at once if that has happened. Destruction
// waits for a callback running on another thread, so whatever the callback refers to may be destroyed after it.
//
//   StopCallback wake(stop, [&] { connection.Cancel(); });
template <class F>
class [[nodiscard]] StopCallback final : private internal::StopNode {
 public:
  StopCallback(const StopToken& token, F callback) : callback_(std::move(callback)) { Add(token.state_); }
  ~StopCallback() { Remove(); }

 private:
  void Run() override { callback_(); }

  F callback_;
};

}  // namespace keelson
