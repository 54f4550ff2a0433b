// Many seeded schedules: whatever goes wrong between the operator and the server, and whenever it is killed, the
// objects come to be the same, and then nothing is written any more.
//
//   SEEDS=100:200 build/release/bin/ingress_manager_operator_test --gtest_filter=*Schedules*     # these seeds only
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ingress_manager_test_support.h"
#include "keelson/api/owner_references.h"
#include "keelson/transport/faulty_transport.h"

namespace ingress_manager {
namespace {

using namespace keelson;
using namespace std::chrono_literals;
using corev1::Service;
using networkingv1::Ingress;

std::vector<std::string> StateOf(const Client& client) {
  std::vector<std::string> state;
  const ObjectList<Ingress> ingresses = client.List<Ingress>().value();
  for (const Ingress& ingress : ingresses) {
    const metav1::OwnerReference* owner = GetControllerOf(ingress);
    const Result<Service> service = client.Get<Service>(KeyOf(ingress));
    state.push_back(fmt::format("{} of {}: {}", ingress.metadata.name,
                                owner == nullptr                                 ? "nobody"
                                : service && service->metadata.uid == owner->uid ? owner->name.str()
                                                                                 : "the dead",
                                RoutesOf(ingress)));
  }
  return state;
}

const std::vector<std::string> kExpected = {
    "again of again: again.default.example.com/ Prefix → again:443",
    "foreign of nobody: ",
    "web of web: web.default.example.com/ Prefix → web:8080",
};

void RunSchedule(uint64_t seed) {
  Random random(seed);
  const Faults faults = DrawFaults(random);
  const int workers = random.Uniform(1, 4);
  SCOPED_TRACE(fmt::format("{} workers {}", ToString(faults), workers));
  const auto control_plane = ControlPlane::Start({.controllers = {"garbage-collector-controller"}}).value();
  const Client client = control_plane->client();
  OperatorProcess process(client, OperatorOf(workers), {.faults = faults, .seed = seed});
  const auto pause = [&] { (void)SleepFor(std::chrono::milliseconds(random.Uniform(0, 3000)), {}); };
  const auto annotate = [&](const std::string& name, const char* value) {
    pause();
    Modify<Service>(client, {"default", name}, [&](Service& service) {
      service.metadata.annotations.Set(kAnnotation, value);
    }).value();
  };
  const auto make = [&](const std::string& name, int32_t port) {
    pause();
    ASSERT_TRUE(client.Create(ServiceOf(name, port)));
  };
  const auto remove_ingress = [&](const std::string& name) {
    pause();
    (void)client.Delete<Ingress>({"default", name});
  };
  // Somebody who should not: of what is there at that time.
  const auto tamper = [&](const std::string& name) {
    pause();
    Result<Ingress> ingress = client.Get<Ingress>({"default", name});
    if (!ingress) return;
    ingress->spec.rules[0].host = "tampered.example.com";
    (void)client.Update(*ingress);
  };

  Ingress foreign{.metadata = {.name = "foreign", .namespace_ = "default"}};
  foreign.spec.defaultBackend = {{.service = {{.name = "other", .port = {.number = 80}}}}};
  ASSERT_TRUE(client.Create(foreign));
  make("web", 80);
  make("again", 80);
  make("off", 80);
  make("foreign", 80);
  remove_ingress("web");
  if (random.Chance(0.7)) process.Restart();
  annotate("off", "false");
  tamper("again");
  pause();
  ASSERT_TRUE(client.Delete<Service>({"default", "again"}));
  annotate("web", "false");
  if (random.Chance(0.7)) process.Restart();
  make("again", 443);
  annotate("web", "true");
  annotate("off", "true");
  tamper("web");
  pause();
  Modify<Service>(client, {"default", "web"}, [](Service& web) { web.spec.ports[0].port = 8080; }).value();
  annotate("off", "false");
  remove_ingress("again");
  process.Heal();
  Settle(5min);
  EXPECT_EQ(StateOf(client), kExpected);
  const int64_t settled = process.line().writes();
  Settle(1h);
  EXPECT_EQ(process.line().writes(), settled) << "it writes although nothing changes";
}

class IngressManagerSchedules : public testing::TestWithParam<int> {};

TEST_P(IngressManagerSchedules, ComeToTheSameObjectsAndThenWriteNothing) {
  RunSeeds({.count = 400, .part = GetParam(), .parts = 4}, RunSchedule);
}
INSTANTIATE_TEST_SUITE_P(Seeds, IngressManagerSchedules, testing::Range(0, 4));

}  // namespace
}  // namespace ingress_manager
