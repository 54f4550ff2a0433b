// By what the calls end that are made on a thread and were not told: the deadline and the stop of the work at hand.
//
//   ThreadScope scope({.stop = abort, .deadline = Clock::Now() + 1min});
//   reconciler.Reconcile(context, request);    // every call of a client that it makes ends by then
//
// Who makes calls on another thread passes the scope on: threads do not inherit it.
#pragma once

#include <optional>

#include "keelson/core/stop_token.h"
#include "keelson/transport/transport.h"

namespace keelson {

// The scope by which a call ends that was given `own`: its own stop where it has one, else the thread's; the earlier of
// the two deadlines. What outlives the call that it was asked for by, such as a watch, ends by this one.
CallScope EffectiveScope(const CallScope& own);

// The same for the time of one call, which ends by both stops. `own` outlives it. Costs nothing on a thread without a
// scope, and some hundred nanoseconds where there are two stops.
class JoinedScope {
 public:
  explicit JoinedScope(const CallScope& own);
  JoinedScope(const JoinedScope&) = delete;
  JoinedScope& operator=(const JoinedScope&) = delete;

  const CallScope& get() const { return *scope_; }

 private:
  struct Request {
    const StopSource& either;
    void operator()() const { either.RequestStop(); }
  };
  struct Link {
    Link(const StopToken& own, const StopToken& of_thread)
        : by_own(own, Request{either}), by_thread(of_thread, Request{either}) {}
    const StopSource either;
    const StopCallback<Request> by_own;
    const StopCallback<Request> by_thread;
  };

  CallScope made_;
  const CallScope* scope_;
  std::optional<Link> link_;
};

// Sets the scope of the present thread for as long as it lives, on the stack of that thread. One within another ends
// also by the outer.
class [[nodiscard]] ThreadScope {
 public:
  explicit ThreadScope(CallScope scope);
  ~ThreadScope();
  ThreadScope(const ThreadScope&) = delete;
  ThreadScope& operator=(const ThreadScope&) = delete;

  // That of the present thread; null where none is set.
  static const CallScope* Current();

 private:
  const CallScope own_;
  const JoinedScope joined_;
  const CallScope* const outer_;
};

}  // namespace keelson
