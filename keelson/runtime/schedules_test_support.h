// A test under many seeds: each is an order of threads, and what goes wrong on the way to the server.
//
//   TEST(Scheduler, SettlesUnderFaults) { RunSeeds({.count = 60}, [](uint64_t seed) { RunSchedule(seed); }); }
//
//   SEEDS=956:957 build/release/bin/keelson_controllers_test --gtest_filter=Scheduler.SettlesUnderFaults
//
// runs these seeds instead, and prints the log of one that fails.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

#include "keelson/core/log.h"
#include "keelson/core/random.h"
#include "keelson/core/simulation.h"
#include "keelson/runtime/faulty_transport_test_support.h"

namespace keelson {

struct Seeds {
  uint64_t count;  // from 0
  // A test of several parts runs one part of them in each.
  int part = 0;
  int parts = 1;
};

// Runs the schedule once for each seed, inside a simulation, until one fails.
inline void RunSeeds(const Seeds& seeds, const std::function<void(uint64_t seed)>& schedule) {
  unsigned long first = 0, end = seeds.count;
  const char* given = std::getenv("SEEDS");
  if (given != nullptr) {
    ASSERT_EQ(std::sscanf(given, "%lu:%lu", &first, &end), 2) << "write SEEDS=FIRST:END";
  }
  const auto parts = static_cast<uint64_t>(seeds.parts);
  const uint64_t each = (end - std::min(first, end) + parts - 1) / parts;
  const uint64_t begin = first + each * static_cast<uint64_t>(seeds.part);
  for (uint64_t seed = begin; seed < std::min<uint64_t>(end, begin + each); ++seed) {
    const ScopedLogCapture log;
    Simulation simulation({.seed = seed, .trace_capacity = 0});
    const Result<void> run = simulation.Run([&] {
      SCOPED_TRACE(fmt::format("seed {}", seed));
      schedule(seed);
    });
    ASSERT_TRUE(run) << "seed " << seed << ": " << run.error().message();
    if (!testing::Test::HasFailure()) continue;
    if (given != nullptr) {
      for (const std::string& line : log.lines()) std::fprintf(stderr, "%s\n", line.c_str());
    }
    FAIL() << "seed " << seed;
  }
}

// Each fault in up to that part of the requests, and up to 300 ms of latency.
inline Faults DrawFaults(Random& random, double most = 0.2) {
  return {.refuse = random.UniformReal() * most,
          .lose_answer = random.UniformReal() * most,
          .cut_watch = random.UniformReal() * most,
          .throttle = random.UniformReal() * 0.05,
          .latency = std::chrono::milliseconds(random.Uniform(0, 300))};
}
inline std::string ToString(const Faults& faults) {
  return fmt::format("refuse {:.2f} lose {:.2f} cut {:.2f} throttle {:.2f} latency {}", faults.refuse,
                     faults.lose_answer, faults.cut_watch, faults.throttle, FormatDuration(faults.latency));
}

}  // namespace keelson
