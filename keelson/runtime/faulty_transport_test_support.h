// A way to a server on which things go wrong as often as a seed says: requests and answers are lost and late, watches
// break off.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "keelson/core/clock.h"
#include "keelson/core/mutex.h"
#include "keelson/core/random.h"
#include "keelson/transport/transport.h"

namespace keelson {

struct Faults {
  double refuse = 0;       // part of requests that are not sent
  double lose_answer = 0;  // part of requests that are served, and whose answer is lost
  double cut_watch = 0;    // part of a watch's pieces that the connection breaks off at
  double throttle = 0;     // part of requests answered by 429
  Duration latency = {};   // up to, before and after each request
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
  // Leases are left out: they are written as long as somebody leads.
  int64_t writes() const { return writes_; }
  // Requests to read, and watches that were opened.
  int64_t reads() const { return reads_; }

  Result<HttpResponse> Send(HttpRequest request, const CallScope& scope) override;

 private:
  class BreakingStream;
  bool Happens(double Faults::* fault);
  void Delay(const CallScope& scope);

  const std::shared_ptr<Transport> inner_;
  std::atomic<int64_t> writes_ = 0;
  std::atomic<int64_t> reads_ = 0;

  Mutex mutex_{"faulty transport"};
  // Guarded by mutex_.
  Random random_;
  Faults faults_;
};

// The body of a watch that breaks off.
class FaultyTransport::BreakingStream final : public BodyStream {
 public:
  BreakingStream(FaultyTransport& transport, std::unique_ptr<BodyStream> inner)
      : transport_(transport), inner_(std::move(inner)) {}

  Result<std::string_view> Next() override {
    if (broken_ || transport_.Happens(&Faults::cut_watch)) {
      broken_ = true;
      return Error(ErrorCode::kUnavailable, "the connection broke");
    }
    return inner_->Next();
  }

 private:
  FaultyTransport& transport_;
  const std::unique_ptr<BodyStream> inner_;
  bool broken_ = false;
};

inline bool FaultyTransport::Happens(double Faults::* fault) {
  MutexLock lock(mutex_);
  return faults_.*fault > 0 && random_.Chance(faults_.*fault);
}

inline void FaultyTransport::Delay(const CallScope& scope) {
  Duration delay;
  {
    MutexLock lock(mutex_);
    delay = Duration(random_.Uniform<int64_t>(0, faults_.latency.count()));
  }
  if (delay > Duration::zero()) (void)SleepFor(delay, scope.stop);
}

inline Result<HttpResponse> FaultyTransport::Send(HttpRequest request, const CallScope& scope) {
  const bool reads = request.method == "GET";
  const bool counts = !reads && request.target.find("/leases") == std::string::npos;
  if (reads) ++reads_;
  if (Happens(&Faults::refuse)) return Error(ErrorCode::kUnavailable, "connection refused");
  if (Happens(&Faults::throttle)) {
    return HttpResponse{.status = 429, .headers = {{"Retry-After", "1"}}, .body = StreamOf("slow down")};
  }
  Delay(scope);
  const bool streaming = request.streaming;
  Result<HttpResponse> answer = inner_->Send(std::move(request), scope);
  if (counts && answer && answer->status < 300) ++writes_;
  Delay(scope);
  if (Happens(&Faults::lose_answer)) return Error(ErrorCode::kUnavailable, "the connection broke");
  if (answer && streaming) answer->body = std::make_unique<BreakingStream>(*this, std::move(answer->body));
  return answer;
}

}  // namespace keelson
