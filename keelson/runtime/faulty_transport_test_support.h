// A way to a server on which things go wrong as often as a seed says: requests and answers are lost and late, watches
// break off, lag behind and expire, others write in between, and the process itself may be gone between any two writes.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "keelson/core/clock.h"
#include "keelson/core/mutex.h"
#include "keelson/core/random.h"
#include "keelson/core/stop_token.h"
#include "keelson/transport/transport.h"

namespace keelson {

struct Faults {
  double refuse = 0;       // part of requests that are not sent
  double lose_answer = 0;  // part of requests that are served, and whose answer is lost
  double cut_watch = 0;    // part of a watch's pieces that the connection breaks off at
  double throttle = 0;     // part of requests answered by 429
  Duration latency = {};   // up to, before and after each request
  double expire = 0;       // part of watches that are answered by 410
  double lag = 0;          // part of a watch's pieces that come late, by up to
  Duration longest_lag = {};
  double rival = 0;   // part of changes and deletions right before which somebody else changes the object
  int64_t death = 0;  // this write, which may be served, and all that follows is not heard of any more; 0: never
};

// Counts the writes that the server took, and what it was asked. Thread-safe.
class FaultyTransport final : public Transport {
 public:
  FaultyTransport(std::shared_ptr<Transport> inner, uint64_t seed, const Faults& faults)
      : inner_(std::move(inner)), random_(seed), faults_(faults) {}

  void Heal() {
    MutexLock lock(mutex_);
    faults_ = {};
  }
  // The server is out of reach for good.
  void Cut() {
    MutexLock lock(mutex_);
    faults_ = {.refuse = 1, .cut_watch = 1};
  }
  // Whether Faults::death has come.
  bool dead() const { return dead_; }
  // Leases are left out: they are written as long as somebody leads.
  int64_t writes() const { return writes_; }
  // Requests to read, and watches that were opened.
  int64_t reads() const { return reads_; }

  Result<HttpResponse> Send(HttpRequest request, const CallScope& scope) override;

 private:
  class BreakingStream;
  bool Happens(double Faults::* fault);
  void Delay(Duration Faults::* most, const StopToken& stop);
  void WriteAsRival(std::string_view target, const CallScope& scope);
  // Whether it is the last write, and then whether it is served.
  enum class Life { kLives, kDiesUnheard, kDiesServed };
  Life CountDown();

  const std::shared_ptr<Transport> inner_;
  std::atomic<int64_t> writes_ = 0;
  std::atomic<int64_t> reads_ = 0;
  std::atomic<bool> dead_ = false;

  Mutex mutex_{"faulty transport"};
  // Guarded by mutex_.
  Random random_;
  Faults faults_;
};

// The body of a watch that breaks off.
class FaultyTransport::BreakingStream final : public BodyStream {
 public:
  BreakingStream(FaultyTransport& transport, std::unique_ptr<BodyStream> inner, StopToken stop)
      : transport_(transport), inner_(std::move(inner)), stop_(std::move(stop)) {}

  Result<std::string_view> Next() override {
    if (broken_ || transport_.dead_ || transport_.Happens(&Faults::cut_watch)) {
      broken_ = true;
      return Error(ErrorCode::kUnavailable, "the connection broke");
    }
    Result<std::string_view> piece = inner_->Next();
    if (transport_.Happens(&Faults::lag)) transport_.Delay(&Faults::longest_lag, stop_);
    return piece;
  }

 private:
  FaultyTransport& transport_;
  const std::unique_ptr<BodyStream> inner_;
  const StopToken stop_;
  bool broken_ = false;
};

inline bool FaultyTransport::Happens(double Faults::* fault) {
  MutexLock lock(mutex_);
  return faults_.*fault > 0 && random_.Chance(faults_.*fault);
}

inline void FaultyTransport::Delay(Duration Faults::* most, const StopToken& stop) {
  Duration delay;
  {
    MutexLock lock(mutex_);
    delay = Duration(random_.Uniform<int64_t>(0, (faults_.*most).count()));
  }
  if (delay > Duration::zero()) (void)SleepFor(delay, stop);
}

inline void FaultyTransport::WriteAsRival(std::string_view target, const CallScope& scope) {
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

inline FaultyTransport::Life FaultyTransport::CountDown() {
  MutexLock lock(mutex_);
  if (faults_.death == 0 || --faults_.death > 0) return Life::kLives;
  dead_ = true;
  return random_.Chance(0.5) ? Life::kDiesServed : Life::kDiesUnheard;
}

inline Result<HttpResponse> FaultyTransport::Send(HttpRequest request, const CallScope& scope) {
  const bool reads = request.method == "GET";
  const bool counts = !reads && request.target.find("/leases") == std::string::npos;
  if (reads) ++reads_;
  if (dead_ || Happens(&Faults::refuse)) return Error(ErrorCode::kUnavailable, "connection refused");
  if (Happens(&Faults::throttle)) {
    return HttpResponse{.status = 429, .headers = {{"Retry-After", "1"}}, .body = StreamOf("slow down")};
  }
  const bool streaming = request.streaming;
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
  if (answer && streaming) answer->body = std::make_unique<BreakingStream>(*this, std::move(answer->body), scope.stop);
  return answer;
}

}  // namespace keelson
