// For tests: a transport that answers from a script and remembers what it was sent.
//
//   auto server = std::make_shared<ScriptedTransport>();
//   server->Then(Answer(429, {{"Retry-After", "1"}})).Then(Lost(true)).Then(Answer(200));
//   RetryTransport transport(server);
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "keelson/core/clock.h"
#include "keelson/core/mutex.h"
#include "keelson/transport/transport.h"

namespace keelson {

using ScriptedOutcome = std::function<Result<HttpResponse>(const HttpRequest& request)>;

inline ScriptedOutcome Answer(int status, Headers headers = {}, std::string body = {}) {
  return [=](const HttpRequest&) -> Result<HttpResponse> {
    return HttpResponse{.status = status, .headers = headers, .body = StreamOf(body)};
  };
}

inline ScriptedOutcome Fails(TransportFailure failure, bool sent) {
  return [=](const HttpRequest&) -> Result<HttpResponse> {
    return Error(ErrorCode::kUnavailable, "scripted failure")
        .WithDetail(std::make_shared<TransportErrorDetail>(failure, sent));
  };
}

inline ScriptedOutcome Lost(bool sent) { return Fails(TransportFailure::kReset, sent); }

class ScriptedTransport final : public Transport {
 public:
  ScriptedTransport& Then(ScriptedOutcome outcome) {
    const MutexLock lock(mutex_);
    script_.push_back(std::move(outcome));
    return *this;
  }

  // Behind the script: 200 for ever.
  Result<HttpResponse> Send(HttpRequest request, const CallScope& scope) override {
    ScriptedOutcome outcome = Answer(200);
    {
      const MutexLock lock(mutex_);
      times_.push_back(Clock::Now());
      deadlines_.push_back(scope.deadline);
      requests_.push_back(request);
      if (!script_.empty()) {
        outcome = std::move(script_.front());
        script_.pop_front();
      }
    }
    return outcome(request);
  }

  std::vector<HttpRequest> requests() const {
    const MutexLock lock(mutex_);
    return requests_;
  }
  std::vector<TimePoint> times() const {
    const MutexLock lock(mutex_);
    return times_;
  }
  std::vector<TimePoint> deadlines() const {
    const MutexLock lock(mutex_);
    return deadlines_;
  }
  // The header of each request, "-" where it has none.
  std::vector<std::string> HeaderOfEach(std::string_view name) const {
    std::vector<std::string> values;
    for (const HttpRequest& request : requests()) {
      const std::string_view* value = request.headers.Find(name);
      values.emplace_back(value == nullptr ? "-" : *value);
    }
    return values;
  }

 private:
  mutable Mutex mutex_{"script"};
  // Guarded by mutex_.
  std::deque<ScriptedOutcome> script_;
  std::vector<HttpRequest> requests_;
  std::vector<TimePoint> times_;
  std::vector<TimePoint> deadlines_;
};

}  // namespace keelson
