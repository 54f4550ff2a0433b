// The time, from the machine or from a simulation.
//
//   const TimePoint start = Clock::Now();
//   if (SleepFor(30s, stop) == Wake::kStopped) return;
//   log.Info("Woke", "after", Clock::Now() - start);
#pragma once

#include "keelson/core/cond_var.h"
#include "keelson/core/stop_token.h"
#include "keelson/core/time.h"

namespace keelson {

// Thread-safe. Inside a simulation the three clocks advance together, and only while every thread waits.
class Clock {
 public:
  // For deadlines and measuring.
  static TimePoint Now();
  // For timestamps.
  static WallTime WallNow();
  // For leases: time that goes on while the machine is suspended, when others' clocks did not stand still.
  static BootTime BootNow();
};

// kTimeout when the whole span passed, kStopped when stop was requested before. No span or a negative one returns at
// once; a simulation treats that too as a point where another thread may run.
Wake SleepFor(Duration span, const StopToken& stop);
Wake SleepUntil(TimePoint deadline, const StopToken& stop);

}  // namespace keelson
