// For tests: a way to a server on which things go wrong as often as a seed says. Requests and answers are lost and
// late, watches break off, lag behind and expire, others write in between, and the process itself may be gone between
// any two writes.
//
//   Random random(seed);
//   auto line = std::make_shared<FaultyTransport>(client.rest().transport(), seed, DrawFaults(random));
//   … run an operator on Client(line)
//   line->Heal();                   // from now on all goes well: what must hold in the end?
//   EXPECT_EQ(line->writes(), …);   // and does it come to rest?
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

// Each of the first four in up to that part of the requests, and up to 300 ms of latency.
Faults DrawFaults(Random& random, double most = 0.2);
std::string ToString(const Faults& faults);  // "refuse 0.13 lose 0.02 …": what a failure should print

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
  // Nothing more comes from watches whose target has that text, "/deployments?": a cache that gets old. Heal does not
  // end it.
  void HoldWatches(std::string text) {
    MutexLock lock(mutex_);
    held_ = std::move(text);
  }
  // What was held comes now.
  void ReleaseWatches() { HoldWatches({}); }
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
  bool Holds(std::string_view target) const;
  void WriteAsRival(std::string_view target, const CallScope& scope);
  // Whether it is the last write, and then whether it is served.
  enum class Life { kLives, kDiesUnheard, kDiesServed };
  Life CountDown();

  const std::shared_ptr<Transport> inner_;
  std::atomic<int64_t> writes_ = 0;
  std::atomic<int64_t> reads_ = 0;
  std::atomic<bool> dead_ = false;

  mutable Mutex mutex_{"faulty transport"};
  // Guarded by mutex_.
  Random random_;
  Faults faults_;
  std::string held_ = {};  // empty: no watches
};

}  // namespace keelson
