// For tests of controllers: a process that runs some and may die.
//
//   RunSeeds({.count = 1000}, [](uint64_t seed) {
//     Random random(seed);
//     ControllerProcess process(control_plane.client(), AddBoth, seed, DrawAllFaults(random));
//     Modify<corev1::Service>(client, key, [](corev1::Service& service) { … }).value();
//     process.Pass(2s);
//     process.Heal();
//     process.Pass(3min);
//     … what must have come of it
//     ExpectNoWrites(process);
//   });
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "keelson/client/client.h"
#include "keelson/client/modify.h"
#include "keelson/core/clock.h"
#include "keelson/core/random.h"
#include "keelson/runtime/manager.h"
#include "keelson/runtime/manager_test_support.h"
#include "keelson/transport/faulty_transport.h"

namespace keelson::controllers {

// Its way to the server is counted and may be bad. Runs from the beginning; destruction ends it.
class ControllerProcess {
 public:
  using Add = std::function<Result<void>(Manager& manager)>;
  // What `add` refers to outlives it.
  ControllerProcess(Client client, Add add, uint64_t seed = 1, const Faults& faults = {})
      : client_(std::move(client)), add_(std::move(add)), seed_(seed), faults_(faults) {
    Start();
  }

  // A new life has a line of its own, with other luck. The third lasts.
  void Restart() {
    Stop();
    Start();
  }
  // Lets time pass. A process that has died by then (Faults::death) is started again.
  void Pass(Duration time) {
    (void)SleepFor(time, {});
    if (line_->dead()) Restart();
  }
  // Nothing goes wrong any more, also in lives to come.
  void Heal() {
    faults_ = {};
    line_->Heal();
    if (line_->dead()) Restart();
  }
  void Stop() {
    running_.reset();
    manager_.reset();
  }
  void Start() {
    if (++lives_ == kLives) faults_.death = 0;
    line_ = std::make_shared<FaultyTransport>(client_.rest().transport(), seed_ * 31 + lives_, faults_);
    manager_.emplace(Manager::Make(Client(line_)).value());
    add_(*manager_).value();
    running_.emplace(*manager_);
  }
  FaultyTransport& line() const { return *line_; }

 private:
  const Client client_;
  const Add add_;
  static constexpr uint64_t kLives = 3;
  const uint64_t seed_;
  Faults faults_;
  uint64_t lives_ = 0;
  std::shared_ptr<FaultyTransport> line_;
  std::optional<Manager> manager_;
  std::optional<Running> running_;
};

// What DrawFaults draws; besides, watches expire and lag behind, others write in between, and in half of the runs the
// process dies at one of its writes, and once more.
inline Faults DrawAllFaults(Random& random, double most = 0.15) {
  Faults faults = DrawFaults(random, most);
  faults.expire = random.UniformReal() * most;
  faults.lag = random.UniformReal() * most;
  faults.longest_lag = std::chrono::milliseconds(random.Uniform(0, 10'000));
  faults.rival = random.UniformReal() * 2 * most;
  if (random.Chance(0.5)) faults.death = random.Uniform(1, 15);
  return faults;
}

// Counts of events are written late.
constexpr Duration kTimeToSettle = std::chrono::hours(1);
inline void ExpectNoWrites(const ControllerProcess& process) {
  const int64_t settled = process.line().writes();
  (void)SleepFor(std::chrono::hours(1), {});
  EXPECT_EQ(process.line().writes(), settled) << "it writes although nothing changes";
}

}  // namespace keelson::controllers
