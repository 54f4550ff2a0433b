#include "keelson/transport/faulty_transport.h"

#include <fmt/format.h>

#include <chrono>

namespace keelson {

Faults DrawFaults(Random& random, double most) {
  return {.refuse = random.UniformReal() * most,
          .lose_answer = random.UniformReal() * most,
          .cut_watch = random.UniformReal() * most,
          .throttle = random.UniformReal() * 0.05,
          .latency = std::chrono::milliseconds(random.Uniform(0, 300))};
}

std::string ToString(const Faults& faults) {
  return fmt::format("refuse {:.2f} lose {:.2f} cut {:.2f} throttle {:.2f} latency {}", faults.refuse,
                     faults.lose_answer, faults.cut_watch, faults.throttle, FormatDuration(faults.latency));
}

namespace {
constexpr Duration kLookAgain = std::chrono::milliseconds(50);  // whether a watch is still held
}

// The body of a watch that breaks off, lags or is held.
class FaultyTransport::BreakingStream final : public BodyStream {
 public:
  BreakingStream(FaultyTransport& transport, std::string target, std::unique_ptr<BodyStream> inner, StopToken stop)
      : transport_(transport), target_(std::move(target)), inner_(std::move(inner)), stop_(std::move(stop)) {}

  Result<std::string_view> Next() override {
    if (broken_ || transport_.dead_ || transport_.Happens(&Faults::cut_watch)) {
      broken_ = true;
      return Error(ErrorCode::kUnavailable, "the connection broke");
    }
    Result<std::string_view> piece = inner_->Next();
    if (transport_.Happens(&Faults::lag)) transport_.Delay(&Faults::longest_lag, stop_);
    while (transport_.Holds(target_) && SleepFor(kLookAgain, stop_) == Wake::kTimeout) continue;
    return piece;
  }

 private:
  FaultyTransport& transport_;
  const std::string target_;
  const std::unique_ptr<BodyStream> inner_;
  const StopToken stop_;
  bool broken_ = false;
};

bool FaultyTransport::Happens(double Faults::* fault) {
  MutexLock lock(mutex_);
  return faults_.*fault > 0 && random_.Chance(faults_.*fault);
}

void FaultyTransport::Delay(Duration Faults::* most, const StopToken& stop) {
  Duration delay;
  {
    MutexLock lock(mutex_);
    delay = Duration(random_.Uniform<int64_t>(0, (faults_.*most).count()));
  }
  if (delay > Duration::zero()) (void)SleepFor(delay, stop);
}

bool FaultyTransport::Holds(std::string_view target) const {
  MutexLock lock(mutex_);
  return !held_.empty() && target.find(held_) != std::string_view::npos;
}

void FaultyTransport::WriteAsRival(std::string_view target, const CallScope& scope) {
  std::string_view object = target.substr(0, target.find('?'));
  for (const std::string_view part : {"/status", "/scale", "/finalize"}) {
    if (object.ends_with(part)) object.remove_suffix(part.size());
  }
  if (object.find("/events/") != object.npos) return;
  const std::string body =
      R"({"metadata":{"annotations":{"example.com/rival":")" + std::to_string(writes_.load()) + R"("}}})";
  // Where it is gone there is nothing to quarrel about.
  (void)inner_->Send({.method = "PATCH",
                      .target = std::string(object),
                      .headers = {{"Content-Type", "application/merge-patch+json"}},
                      .body = body},
                     scope);
}

FaultyTransport::Life FaultyTransport::CountDown() {
  MutexLock lock(mutex_);
  if (faults_.death == 0 || --faults_.death > 0) return Life::kLives;
  dead_ = true;
  return random_.Chance(0.5) ? Life::kDiesServed : Life::kDiesUnheard;
}

Result<HttpResponse> FaultyTransport::Send(HttpRequest request, const CallScope& scope) {
  const bool reads = request.method == "GET";
  const bool counts = !reads && request.target.find("/leases") == std::string::npos;
  if (reads) ++reads_;
  if (dead_ || Happens(&Faults::refuse)) return Error(ErrorCode::kUnavailable, "connection refused");
  if (Happens(&Faults::throttle)) {
    return HttpResponse{.status = 429, .headers = {{"Retry-After", "1"}}, .body = StreamOf("slow down")};
  }
  const bool streaming = request.streaming;
  const std::string target = streaming ? request.target : std::string();
  if (streaming && Happens(&Faults::expire)) {
    return HttpResponse{.status = 410,
                        .headers = {{"Content-Type", "application/json"}},
                        .body = StreamOf(R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired",)"
                                         R"("message":"too old resource version","code":410})")};
  }
  Delay(&Faults::latency, scope.stop);
  if (counts && request.method != "POST" && Happens(&Faults::rival)) WriteAsRival(request.target, scope);
  const Life life = counts ? CountDown() : Life::kLives;
  if (life == Life::kDiesUnheard) return Error(ErrorCode::kUnavailable, "the process is gone");
  Result<HttpResponse> answer = inner_->Send(std::move(request), scope);
  if (counts && answer && answer->status < 300) ++writes_;
  if (life == Life::kDiesServed) return Error(ErrorCode::kUnavailable, "the process is gone");
  Delay(&Faults::latency, scope.stop);
  if (Happens(&Faults::lose_answer)) return Error(ErrorCode::kUnavailable, "the connection broke");
  if (answer && streaming)
    answer->body = std::make_unique<BreakingStream>(*this, target, std::move(answer->body), scope.stop);
  return answer;
}

}  // namespace keelson
