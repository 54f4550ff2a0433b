#include "keelson/transport/thread_scope.h"

#include <algorithm>
#include <utility>

namespace keelson {

namespace {
thread_local const CallScope* current = nullptr;
}

CallScope EffectiveScope(const CallScope& own) {
  if (current == nullptr) return own;
  return {.stop = own.stop.StopPossible() ? own.stop : current->stop,
          .deadline = std::min(own.deadline, current->deadline)};
}

JoinedScope::JoinedScope(const CallScope& own) : scope_(&own) {
  if (current == nullptr) return;
  const bool stopped_by_thread = current->stop.StopPossible();
  if (!stopped_by_thread && own.deadline <= current->deadline) return;
  scope_ = &made_;
  if (stopped_by_thread && own.stop.StopPossible()) {
    link_.emplace(own.stop, current->stop);
    made_.stop = link_->either.token();
  } else {
    made_.stop = stopped_by_thread ? current->stop : own.stop;
  }
  made_.deadline = std::min(own.deadline, current->deadline);
}

ThreadScope::ThreadScope(CallScope scope) : own_(std::move(scope)), joined_(own_), outer_(current) {
  current = &joined_.get();
}

ThreadScope::~ThreadScope() { current = outer_; }

const CallScope* ThreadScope::Current() { return current; }

}  // namespace keelson
