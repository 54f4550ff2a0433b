#include "keelson/runtime/leadership_fence.h"

#include <algorithm>
#include <utility>

#include "keelson/core/clock.h"

namespace keelson {

bool LeadershipFence::IsOpen() const {
  MutexLock lock(mutex_);
  return open_ && Clock::BootNow() < deadline_;
}

Result<StopToken> LeadershipFence::Enter() const {
  MutexLock lock(mutex_);
  if (open_ && Clock::BootNow() < deadline_) return term_.token();
  return Error::Cancelled("a write was held back because this process does not hold the lease " + lease_);
}

StopToken LeadershipFence::Open(BootTime deadline) {
  MutexLock lock(mutex_);
  open_ = true;
  deadline_ = deadline;
  term_ = StopSource();
  return term_.token();
}

bool LeadershipFence::Extend(BootTime deadline) {
  MutexLock lock(mutex_);
  if (!open_ || Clock::BootNow() >= deadline_) return false;
  deadline_ = std::max(deadline_, deadline);
  return true;
}

bool LeadershipFence::Close() {
  StopSource term;
  {
    MutexLock lock(mutex_);
    if (!open_) return false;
    open_ = false;
    term = term_;
  }
  closed_.NotifyAll();
  term.RequestStop();  // runs others' code: not under the lock
  return true;
}

void LeadershipFence::Guard(Duration interval, const StopToken& stop) {
  while (true) {
    {
      MutexLock lock(mutex_);
      const Duration left = open_ ? deadline_ - Clock::BootNow() : Duration::zero();
      if (left > Duration::zero()) {
        if (closed_.WaitFor(lock, std::min(left, interval), stop, [&] { return !open_; }) != Wake::kTimeout) return;
        continue;
      }
    }
    Close();
    return;
  }
}

template <class SendInner>
Result<HttpResponse> FencedTransport::Pass(std::string_view method, const CallScope& scope,
                                           const SendInner& send) const {
  if (method == "GET" || method == "HEAD" || method == "OPTIONS") return send(scope);
  KEELSON_TRY(term, fence_->Enter());
  if (!scope.stop.StopPossible()) return send({.stop = term, .deadline = scope.deadline});
  const StopSource either;
  const StopCallback by_term(term, [&] { either.RequestStop(); });
  const StopCallback by_caller(scope.stop, [&] { either.RequestStop(); });
  return send({.stop = either.token(), .deadline = scope.deadline});
}

Result<HttpResponse> FencedTransport::Send(HttpRequest request, const CallScope& scope) {
  const std::string method = request.method;
  return Pass(method, scope, [&](const CallScope& inner) { return inner_->Send(std::move(request), inner); });
}

Result<HttpResponse> FencedTransport::SendKept(HttpRequest& request, const CallScope& scope) {
  return Pass(request.method, scope, [&](const CallScope& inner) { return inner_->SendKept(request, inner); });
}

}  // namespace keelson
