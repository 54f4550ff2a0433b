#include "keelson/controlplane/operator_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "keelson/api/core/v1.h"
#include "keelson/client/owned.h"
#include "keelson/controlplane/control_plane.h"
#include "keelson/controlplane/run_seeds.h"
#include "keelson/core/clock.h"
#include "keelson/runtime/builder.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;
using corev1::ConfigMap;
using corev1::Secret;
using testing::ElementsAre;

// Writes a ConfigMap a second, and one when it is asked to stop: "0-0", "0-1", …, "0-stop".
class Writer {
 public:
  Result<void> Run(const Client& client, const StopToken& stop) {
    const int life = lives_++;
    const auto write = [&](const std::string& name) {
      (void)client.Create(ConfigMap{.metadata = {.name = std::to_string(life) + "-" + name, .namespace_ = "default"}});
    };
    for (int i = 0; SleepFor(1s, stop) == Wake::kTimeout; ++i) write(std::to_string(i));
    write("stop");
    return {};
  }
  OperatorProcess::Main main() {
    return [this](const Client& client, const StopToken& stop) { return Run(client, stop); };
  }

 private:
  int lives_ = 0;
};

std::vector<std::string> Written(const Client& client) {
  std::vector<std::string> names;
  const ObjectList<ConfigMap> maps = client.List<ConfigMap>({.namespace_ = "default"}).value();
  for (const ConfigMap& map : maps) {
    if (map.metadata.name != "kube-root-ca.crt") names.push_back(map.metadata.name.str());
  }
  return names;
}

TEST(OperatorProcess, EndsItsWorkWhenItIsStoppedAndNotWhenItIsKilled) {
  RunSeeds({}, [](uint64_t) {
    const ControlPlane control_plane;
    const Client client = control_plane.client();
    Writer writer;
    OperatorProcess process(client, writer.main());
    (void)SleepFor(2500ms, {});
    process.Stop();
    EXPECT_FALSE(process.running());
    (void)SleepFor(1h, {});
    EXPECT_THAT(Written(client), ElementsAre("0-0", "0-1", "0-stop"));
    EXPECT_EQ(process.line().writes(), 3);

    process.Start();
    (void)SleepFor(1500ms, {});
    process.Restart();
    (void)SleepFor(1500ms, {});
    EXPECT_TRUE(process.running());
    process.Kill();
    EXPECT_THAT(Written(client), ElementsAre("0-0", "0-1", "0-stop", "1-0", "2-0"));
  });
}

TEST(OperatorProcess, SuffersUntilItIsHealed) {
  RunSeeds({}, [](uint64_t seed) {
    const ControlPlane control_plane;
    Writer writer;
    OperatorProcess process(control_plane.client(), writer.main(), {.faults = {.refuse = 0.5}, .seed = seed});
    (void)SleepFor(1000500ms, {});
    EXPECT_NEAR(static_cast<double>(process.line().writes()), 500, 60);
    process.Restart();
    (void)SleepFor(1000500ms, {});
    EXPECT_NEAR(static_cast<double>(process.line().writes()), 500, 60);
    process.Heal();
    process.Restart();
    (void)SleepFor(100500ms, {});
    EXPECT_EQ(process.line().writes(), 100);
  });
}

// Keeps a Secret for every ConfigMap "owner".
class Reconciler {
 public:
  Reconciler(const ObjectClient& client, bool checks) : client_(client), checks_(checks) {}
  Result<Outcome> Reconcile(Context&, const Request& request) {
    KEELSON_TRY(owner, client_.Get<ConfigMap>(request));
    const Secret named{.metadata = {.name = request.name, .namespace_ = request.namespace_}};
    const Result<Reconciled<Secret>> made =
        checks_ ? CreateOrUpdateOwned(client_, owner, named, [](Secret&) {})
                : CreateOrUpdate(client_, named, [&](Secret& secret) { return SetControllerReference(owner, secret); });
    if (!made && IsOwnerGone(made.error())) return Outcome::Done();
    if (!made) return made.error();
    return Outcome::Done();
  }

 private:
  const ObjectClient& client_;
  const bool checks_;
};

// How often the Secret is made within 200 ms in which the cache has an owner that was deleted.
int64_t WritesForADeadOwner(bool checks) {
  const auto control_plane = ControlPlane::Start({.controllers = {"garbage-collector-controller"}}).value();
  const Client client = control_plane->client();
  const auto run = [&](Client own, const StopToken& stop) -> Result<void> {
    KEELSON_TRY(manager, Manager::Make(std::move(own)));
    Reconciler reconciler(manager.client(), checks);
    const Predicate owners =
        Predicate::Of<ConfigMap>([](const ConfigMap& map) { return map.metadata.name == "owner"; });
    KEELSON_RETURN_IF_ERROR(
        ControllerFor<ConfigMap>(manager, {.predicate = owners}).Owns<Secret>().Complete(reconciler));
    return manager.Run(stop);
  };
  // Without latency all that happens at full speed happens in no time, and the 200 ms never pass.
  OperatorProcess process(client, run, {.faults = {.latency = 2ms}});
  const ObjectKey key = {"default", "owner"};
  client.Create(ConfigMap{.metadata = {.name = key.name, .namespace_ = key.namespace_}}).value();
  (void)SleepFor(1min, {});
  EXPECT_TRUE(client.Get<Secret>(key));
  const int64_t before = process.line().writes();
  process.line().HoldWatches("/configmaps?");
  client.Delete<ConfigMap>(key).value();
  (void)SleepFor(200ms, {});
  const int64_t made = process.line().writes() - before;
  process.line().ReleaseWatches();
  (void)SleepFor(1min, {});
  EXPECT_FALSE(client.Get<Secret>(key)) << "nothing is left in the end";
  return made;
}

TEST(OwnedObjects, AreNotMadeForAnOwnerThatOnlyTheCacheHas) {
  RunSeeds({.count = 3}, [](uint64_t) {
    EXPECT_EQ(WritesForADeadOwner(/*checks=*/true), 0);
    EXPECT_GT(WritesForADeadOwner(/*checks=*/false), 3) << "what the check is for does not happen";
  });
}

}  // namespace
}  // namespace keelson
