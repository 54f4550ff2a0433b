// The operator under many seeds: whatever goes wrong on its way to the server, the backend comes to have the same
// networks, and then nothing is written any more.
//
//   SEEDS=7:8 build/release/bin/network_operator_test --gtest_filter=NetworkSchedules.*
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "keelson/transport/faulty_transport.h"
#include "network_test_support.h"

namespace network {
namespace {

using namespace keelson;
using namespace std::chrono_literals;
using testing::ElementsAre;
using v1::Network;

void RunSchedule(uint64_t seed) {
  Random random(seed);
  const Faults faults = DrawFaults(random);
  SCOPED_TRACE(ToString(faults));
  const auto pause = [&] { (void)SleepFor(std::chrono::milliseconds(random.Uniform(0, 5000)), {}); };
  const auto maybe_restart = [&](OperatorProcess& process) {
    if (random.Chance(0.3)) process.Restart();
  };

  const auto cluster = ControlPlane::Start({.crds = {NETWORK_CONFIG "/crd"}}).value();
  const Client client = cluster->client();
  SimulatedBackend backend;
  OperatorProcess process(client, OperatorOf(backend), {.faults = faults, .seed = seed});
  ASSERT_TRUE(client.Create(NetworkOf("first", "10.1.0.0/16", "10.1.0.1")));
  ASSERT_TRUE(client.Create(NetworkOf("second", "10.2.0.0/16", "10.2.0.1")));
  ASSERT_TRUE(client.Create(NetworkOf("gone", "10.3.0.0/16", "10.3.0.1")));
  ASSERT_TRUE(client.Create(NetworkOf("waiting", "10.3.128.0/17", "10.3.128.1")));
  pause();
  maybe_restart(process);
  // They change places, and are tampered with.
  Change(client, "first", {.cidr = "10.2.0.0/16", .gateway = "10.2.0.1"});
  pause();
  (void)backend.Delete({"default", "second"});
  Change(client, "second", {.cidr = "10.1.0.0/16", .gateway = "10.1.0.1"});
  (void)backend.Create({"default", "intruder"}, {"10.4.0.0/16", "10.4.0.1"});
  maybe_restart(process);
  ASSERT_TRUE(client.Create(NetworkOf("third", "10.4.0.0/24", "10.4.0.1")));
  ASSERT_TRUE(client.Delete<Network>({"default", "gone"}));
  pause();
  (void)backend.Update({"default", "first"}, {"10.9.0.0/16", "10.9.0.1"});
  ASSERT_TRUE(client.Delete<Network>({"default", "second"}));
  maybe_restart(process);
  pause();
  ASSERT_TRUE(client.Create(NetworkOf("second", "10.1.0.0/20", "10.1.0.9")));

  process.Heal();
  Settle(5min);
  EXPECT_THAT(Provided(backend),
              ElementsAre("default/first: 10.2.0.0/16 10.2.0.1", "default/second: 10.1.0.0/20 10.1.0.9",
                          "default/third: 10.4.0.0/24 10.4.0.1", "default/waiting: 10.3.128.0/17 10.3.128.1"));
  EXPECT_EQ(ReadyOf(client, "first"), "Ready=True Provided: 10.2.0.0/16 with gateway 10.2.0.1");
  EXPECT_EQ(ReadyOf(client, "second"), "Ready=True Provided: 10.1.0.0/20 with gateway 10.1.0.9");
  EXPECT_EQ(ReadyOf(client, "third"), "Ready=True Provided: 10.4.0.0/24 with gateway 10.4.0.1");
  EXPECT_EQ(ReadyOf(client, "waiting"), "Ready=True Provided: 10.3.128.0/17 with gateway 10.3.128.1");
  const int64_t settled = process.line().writes();
  Settle(2h);
  EXPECT_EQ(process.line().writes(), settled) << "it writes although nothing changes";
}

TEST(NetworkSchedules, ComeToTheSameNetworksAndThenWriteNothing) { RunSeeds({.count = 500}, RunSchedule); }

}  // namespace
}  // namespace network
