#include "keelson/runtime/timer_source.h"

#include <algorithm>

#include "keelson/core/clock.h"
#include "keelson/core/random.h"

namespace keelson::internal {

Result<void> CheckPeriod(const std::string& description, Duration period) {
  if (period > Duration::zero()) return {};
  return Error::InvalidArgument("the " + description + " needs a period longer than 0, and has " +
                                FormatDuration(period));
}

void RunPeriodically(const StopToken& stop, Duration period, const TimerOptions& options,
                     const std::function<void()>& run) {
  Random random = Random::FromEntropy();
  const auto wait = [&] { return options.jitter > 0 ? random.Jitter(period, options.jitter) : period; };
  TimePoint due = Clock::Now();
  if (!options.run_at_start) due = keelson::SaturatingAdd(due, wait());
  while (SleepUntil(due, stop) != Wake::kStopped && !stop.StopRequested()) {
    run();
    due = std::max(keelson::SaturatingAdd(due, wait()), Clock::Now());
  }
}

}  // namespace keelson::internal
