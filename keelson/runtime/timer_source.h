// Requests that come with time: every period, those that a function gives.
//
//   builder.WatchesRaw(TimerSource<Request>::Make("rotation", 1h, [&] { return AppsWithCertificates(); },
//                                                 {.jitter = 0.1, .run_at_start = true}));
//
// For what changes without an event: expiry, drift outside of the cluster. To look at one object again later,
// Outcome::After is simpler.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "keelson/core/time.h"
#include "keelson/runtime/internal/source_thread.h"
#include "keelson/runtime/source.h"

namespace keelson {

struct TimerOptions {
  // Each wait is drawn between the period and (1 + jitter) periods, so that many programs do not act at once.
  double jitter = 0;
  // The first run is at once and not a period later.
  bool run_at_start = false;
  int32_t priority = 0;  // of the requests
};

namespace internal {
// Runs with every period, counted from start to start, until stop. Runs that a longer one has left no time for are
// left out.
void RunPeriodically(const StopToken& stop, Duration period, const TimerOptions& options,
                     const std::function<void()>& run);
Result<void> CheckPeriod(const std::string& description, Duration period);
}  // namespace internal

// As Source. The function runs on a thread of its own; what it throws is logged, and the next period comes.
template <class R = Request>
class TimerSource final : public Source<R> {
 public:
  using Requests = std::function<std::vector<R>()>;

  // A period that is not positive is an error of Start.
  static std::unique_ptr<TimerSource> Make(const std::string& name, Duration period, Requests requests,
                                           TimerOptions options = {}) {
    return std::unique_ptr<TimerSource>(new TimerSource("timer " + name, period, std::move(requests), options));
  }
  ~TimerSource() override { Stop(); }

  std::string description() const override { return description_; }
  Result<void> Start(RequestQueue<R>& queue, const StopToken& stop) override {
    KEELSON_RETURN_IF_ERROR(internal::CheckPeriod(description_, period_));
    return thread_.Start(description_, stop, [this, &queue](const StopToken& end) {
      const Cause cause{.type = CauseType::kGeneric, .source = description_};
      internal::RunPeriodically(end, period_, options_, [&] {
        internal::CallGuarded(description_, [&] {
          RequestSink<R> sink(queue, cause, options_.priority, end);
          for (const R& request : requests_()) sink.Add(request);
        });
      });
    });
  }
  void Stop() override { thread_.Stop(); }

 private:
  TimerSource(std::string description, Duration period, Requests requests, TimerOptions options)
      : description_(std::move(description)), period_(period), requests_(std::move(requests)), options_(options) {}

  const std::string description_;
  const Duration period_;
  const Requests requests_;
  const TimerOptions options_;
  internal::SourceThread thread_;  // last: ends first
};

}  // namespace keelson
