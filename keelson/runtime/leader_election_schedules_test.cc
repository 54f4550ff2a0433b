// Seeded runs of several replicas through faults: no two lead at one instant, a leader stops in time, and when the
// faults are over somebody leads.
#include <gtest/gtest.h>

#include <algorithm>

#include "keelson/runtime/leader_election_test_support.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;

Duration Upto(Random& random, Duration most) { return Duration(random.Uniform<int64_t>(0, most.count())); }

Line::Faults RandomFaults(Random& random) {
  Line::Faults faults{.calendar_ahead = Duration(random.Uniform(-2, 2) * 1h)};
  switch (random.Uniform(0, 6)) {
    case 0: faults.refuse = true; break;
    case 1: faults.hang = true; break;
    case 2: faults.hang = faults.deaf = true; break;
    case 3: faults.lose_answer = random.UniformReal(); break;
    case 4: faults.late = random.UniformReal() / 2; break;
    default: break;
  }
  faults.latency = random.Chance(0.3) ? Upto(random, 8s) : Upto(random, 300ms);
  return faults;
}

struct Shape {
  int replicas = 3;
  int steps = 12;
};

void RunSeed(uint64_t seed, const Shape& shape) {
  Random random(seed * 2 + 1);
  Simulation simulation({.seed = seed});
  const Result<void> done = simulation.Run([&] {
    Place place;
    std::vector<std::unique_ptr<Replica>> replicas;
    const auto leading = [&] {
      return std::ranges::count_if(replicas, [](const auto& replica) { return replica->leads(); });
    };
    const auto check = [&] { EXPECT_LE(leading(), 1) << "seed " << seed; };
    const Duration renew_deadline = random.Chance(0.5) ? 10s : 5s;
    for (int i = 0; i < shape.replicas; ++i) {
      // One leads before the others come: a Lease that nobody ever saw has no rules.
      replicas.push_back(
          std::make_unique<Replica>(place, "replica-" + std::to_string(i),
                                    LeaderElectionOptions{.lease_duration = renew_deadline + 1s * random.Uniform(1, 10),
                                                          .renew_deadline = renew_deadline,
                                                          .retry_period = random.Chance(0.5) ? 2s : 1s,
                                                          .release_on_stop = random.Chance(0.7)},
                                    Upto(random, 5s), random.Next()));
      replicas.back()->on_leading = check;
    }
    for (const auto& replica : replicas) {
      replica->Start();
      (void)SleepFor(5s, {});
    }
    for (int step = 0; step < shape.steps; ++step) {
      Replica& replica = *replicas[random.Uniform<size_t>(0, replicas.size() - 1)];
      switch (random.Uniform(0, 5)) {
        case 0: replica.RequestStop(); break;
        case 1:
          replica.line().Set({});
          replica.Stop();
          replica.Start();
          break;
        case 2: place.DeleteOld(); break;
        case 3:
          if (random.Chance(0.3)) place.Steal("thief");
          break;
        default: replica.line().Set(RandomFaults(random));
      }
      for (int i = random.Uniform(1, 8); i > 0; --i) {
        (void)SleepFor(Upto(random, 2500ms), {});
        check();
      }
    }
    for (const auto& replica : replicas) replica->line().Set({});
    (void)SleepFor(1min, {});
    for (const auto& replica : replicas) {
      replica->Stop();
      replica->Start();
    }
    (void)SleepFor(1min, {});
    EXPECT_EQ(leading(), 1) << "seed " << seed;
    for (const auto& replica : replicas) {
      replica->RequestStop();
    }
  });
  ASSERT_TRUE(done) << "seed " << seed << ": " << done.error().message();
  ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
}

class LeaderElectionSchedules : public ::testing::TestWithParam<int> {
 protected:
  static void RunSeeds(uint64_t count, const Shape& shape) {
    const ScopedLogCapture quiet;
    const auto first = static_cast<uint64_t>(GetParam()) * count;
    for (uint64_t seed = first; seed < first + count && !HasFailure(); ++seed) RunSeed(seed, shape);
  }
};

TEST_P(LeaderElectionSchedules, TwoOfTwoNeverLead) { RunSeeds(500, {.replicas = 2}); }

TEST_P(LeaderElectionSchedules, TwoOfFiveNeverLead) { RunSeeds(100, {.replicas = 5, .steps = 20}); }

INSTANTIATE_TEST_SUITE_P(Parts, LeaderElectionSchedules, ::testing::Range(0, 4));

}  // namespace
}  // namespace keelson
