// Functions that run again and again until a stop, and how long to wait between tries.
//
//   Thread worker("worker", [&](const StopToken& stop) { Until(stop, 1s, [&] { RunWorker(); }); });
//   Forever(1min, [] { PrintStatistics(); });
//
//   Backoff backoff;                                    // 0.8 s, 1.6 s, … 30 s, each spread up to its double
//   UntilDone(stop, backoff, [&] { return Connect(); });  // again, later and later, until it gives true
//
// All on the clock of the seam, so they run in a simulation.
#pragma once

#include <chrono>
#include <functional>

#include "keelson/core/clock.h"
#include "keelson/core/random.h"
#include "keelson/core/stop_token.h"
#include "keelson/core/time.h"

namespace keelson {

struct PeriodicOptions {
  // Each wait is drawn between the period and (1 + jitter) periods, so that many programs do not act at once.
  double jitter = 0;
  // Whether the period is counted from the end of a run to the start of the next. Otherwise from start to start: a run
  // that takes longer than the period is followed by the next at once.
  bool sliding = true;
};

// Runs at once, then after each period; returns when stop is requested, without interrupting a run.
void Until(const StopToken& stop, Duration period, const std::function<void()>& run,
           const PeriodicOptions& options = {});

// The same without an end.
[[noreturn]] void Forever(Duration period, const std::function<void()>& run, const PeriodicOptions& options = {});

struct BackoffOptions {
  Duration initial = std::chrono::milliseconds(800);
  Duration most = std::chrono::seconds(30);
  double factor = 2;
  double jitter = 1;  // each wait is drawn between its base and (1 + jitter) times that
};

// The waits between tries of something that fails. A value, not thread-safe.
class Backoff {
 public:
  explicit Backoff(BackoffOptions options = {}, Random random = Random::FromEntropy());

  // The next wait, longer than the one before until the longest is reached.
  Duration Next();
  // It worked: the next wait is the first again.
  void Reset() { base_ = options_.initial; }

  // The wait after so many failures in a row, without its jitter: what Next draws from.
  static Duration Base(const BackoffOptions& options, int failures);

 private:
  BackoffOptions options_;
  Random random_;
  Duration base_;
};

// Runs until it gives true, with the backoff's waits between. kReady when it did, kStopped when stop came first.
Wake UntilDone(const StopToken& stop, Backoff& backoff, const std::function<bool()>& run);

}  // namespace keelson
