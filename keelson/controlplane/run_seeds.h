// A GoogleTest test on virtual time, under many seeds: each is an order of all threads, and whatever the test draws.
//
//   TEST(App, SettlesUnderFaults) {
//     RunSeeds({.count = 200}, [](uint64_t seed) {
//       const auto cluster = ControlPlane::Start({.crds = {"config/crd"}, .controllers = {"*"}}).value();
//       …
//       Settle();                     // a minute, which takes no time
//     });
//   }
//
//   SEEDS=956:957 build/app_test --gtest_filter=App.SettlesUnderFaults
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

#include "keelson/core/clock.h"
#include "keelson/core/log.h"
#include "keelson/core/simulation.h"
#include "keelson/core/time.h"

namespace keelson {

struct Seeds {
  uint64_t count = 1;  // from 0
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

// Time, virtual in a simulation, in which everything comes to rest.
inline void Settle(Duration span = std::chrono::minutes(1)) { (void)SleepFor(span, {}); }

}  // namespace keelson
