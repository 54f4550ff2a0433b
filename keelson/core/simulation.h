// Runs threaded code deterministically: one thread at a time, in an order drawn from a seed, on virtual time.
//
//   for (uint64_t seed = 0; seed < 1000; ++seed) {
//     Simulation simulation({.seed = seed});
//     Result<void> result = simulation.Run([&] {
//       Queue queue;
//       Thread consumer("consumer", [&] { queue.Take(); });
//       SleepFor(1h, {});                                    // takes no real time
//       queue.Put(1);
//     });
//     ASSERT_TRUE(result) << "seed " << seed << ": " << result.error().message();
//   }
//
// Code inside uses Thread, Mutex, CondVar, Clock and the rest of core/ unmodified. At each such point (lock, unlock,
// wait, notify, sleep, thread start, end and join) the scheduler decides anew who runs; time advances only when every
// thread waits, to the earliest deadline. The same seed and code give the same trace, on every machine.
//
// What the seed does not control makes a run unrepeatable: addresses (ordering by pointer, hashing of pointers),
// uninitialised memory, files and sockets. The initialiser of a function-local static must not wait for another thread:
// the language blocks later callers by means that the scheduler cannot see.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/core/result.h"
#include "keelson/core/time.h"

namespace keelson {

struct SimulationOptions {
  uint64_t seed = 0;
  // Ends a run that makes no end by itself: scheduling decisions and looks at the clock.
  uint64_t max_steps = 10'000'000;
  // Newest events kept for trace(); trace_hash() covers all of them.
  size_t trace_capacity = 100'000;
  // What the calendar shows at the start: 2025-01-01T00:00:00Z.
  WallTime start = WallTime(std::chrono::seconds(1'735'689'600));
};

// One scheduling point that a thread passed.
struct SimulationEvent {
  enum class Kind : uint8_t {
    kLock,
    kUnlock,
    kLockShared,
    kUnlockShared,
    kWait,
    kWake,
    kTimeout,
    kNotify,
    kStart,
    kEnd,
    kJoin,
    kYield,
  };

  uint64_t step = 0;    // scheduling decisions made before
  Duration time{};      // virtual, since the start
  uint64_t thread = 0;  // in order of start; the body of Run is 1
  Kind kind = Kind::kYield;
  uint64_t object = 0;  // the lock or condition, in order of first use; for start and join the other thread

  friend bool operator==(const SimulationEvent&, const SimulationEvent&) = default;
};
std::string_view ToString(SimulationEvent::Kind kind);

// "12 +3.5s thread 2 lock 4"
std::string ToString(const SimulationEvent& event);

// Runs one body, once.
class Simulation {
 public:
  explicit Simulation(SimulationOptions options);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  // Returns when the body and every thread it started have ended. The error is kInternal and says who waits for what
  // when all threads wait for ever, or when max_steps is reached. After an error the run's threads stay parked where
  // they are, with what they hold: keep what they use inside the body, so that nobody waits for their locks.
  // An exception that leaves the body ends the process, as in any Thread. Called outside of any simulation.
  Result<void> Run(std::function<void()> body);

  const std::vector<SimulationEvent>& trace() const;
  // Of every event of the run: equal for equal runs.
  uint64_t trace_hash() const;
  // Virtual time that the run took.
  Duration elapsed() const;
  uint64_t steps() const;

 private:
  class Baton;
  SimulationOptions options_;
  // Parked threads share it, so that it outlives this object where it must.
  std::shared_ptr<Baton> baton_;
  // Of the finished run.
  std::vector<SimulationEvent> trace_;
};

}  // namespace keelson
