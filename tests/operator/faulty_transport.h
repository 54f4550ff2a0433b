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

namespace mirror {

struct Faults {
  double refuse = 0;               // part of requests that are not sent
  double lose_answer = 0;          // part of requests that are served, and whose answer is lost
  double cut_watch = 0;            // part of a watch's pieces that the connection breaks off at
  double throttle = 0;             // part of requests answered by 429
  keelson::Duration latency = {};  // up to, before and after each request
};

// Counts the writes that the server took. Thread-safe.
class FaultyTransport final : public keelson::Transport {
 public:
  FaultyTransport(std::shared_ptr<keelson::Transport> inner, uint64_t seed, const Faults& faults)
      : inner_(std::move(inner)), random_(seed), faults_(faults) {}

  void Heal() {
    keelson::MutexLock lock(mutex_);
    faults_ = {};
  }
  // The server is out of reach for good.
  void Cut() {
    keelson::MutexLock lock(mutex_);
    faults_ = {.refuse = 1, .cut_watch = 1};
  }
  // Leases are left out: they are written as long as somebody leads.
  int64_t writes() const { return writes_; }

  keelson::Result<keelson::HttpResponse> Send(keelson::HttpRequest request, const keelson::CallScope& scope) override;

 private:
  class BreakingStream;
  bool Happens(double Faults::* fault);
  void Delay(const keelson::CallScope& scope);

  const std::shared_ptr<keelson::Transport> inner_;
  std::atomic<int64_t> writes_ = 0;

  keelson::Mutex mutex_{"faulty transport"};
  // Guarded by mutex_.
  keelson::Random random_;
  Faults faults_;
};

}  // namespace mirror
