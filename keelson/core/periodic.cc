#include "keelson/core/periodic.h"

#include <algorithm>
#include <utility>

namespace keelson {

namespace {

Duration Grown(const BackoffOptions& options, Duration base) {
  const double grown = static_cast<double>(base.count()) * std::max(options.factor, 1.0);
  if (grown >= static_cast<double>(options.most.count())) return options.most;
  return Duration(static_cast<Duration::rep>(grown));
}

}  // namespace

void Until(const StopToken& stop, Duration period, const std::function<void()>& run, const PeriodicOptions& options) {
  Random random = Random::FromEntropy();
  while (!stop.StopRequested()) {
    const TimePoint started = Clock::Now();
    run();
    const Duration wait = options.jitter > 0 ? random.Jitter(period, options.jitter) : period;
    const TimePoint from = options.sliding ? Clock::Now() : started;
    if (SleepUntil(SaturatingAdd(from, wait), stop) == Wake::kStopped) return;
  }
}

void Forever(Duration period, const std::function<void()>& run, const PeriodicOptions& options) {
  while (true) Until(StopToken(), period, run, options);
}

Backoff::Backoff(BackoffOptions options, Random random) : options_(options), random_(random), base_(options.initial) {}

Duration Backoff::Next() {
  const Duration wait = options_.jitter > 0 ? random_.Jitter(base_, options_.jitter) : base_;
  base_ = Grown(options_, base_);
  return wait;
}

Duration Backoff::Base(const BackoffOptions& options, int failures) {
  Duration base = options.initial;
  for (int i = 1; i < failures && base < options.most; ++i) base = Grown(options, base);
  return base;
}

Wake UntilDone(const StopToken& stop, Backoff& backoff, const std::function<bool()>& run) {
  while (!stop.StopRequested()) {
    if (run()) return Wake::kReady;
    if (SleepFor(backoff.Next(), stop) == Wake::kStopped) break;
  }
  return Wake::kStopped;
}

}  // namespace keelson
