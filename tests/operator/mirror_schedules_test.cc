// Thousands of seeded schedules of one operator: whatever goes wrong on the way, the objects come to be the same, and
// then nothing is written any more.
//
//   SEEDS=100:200 build/release/bin/keelson_mirror_schedules_test        # these seeds only
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "keelson/api/core/v1.h"
#include "keelson/api/owner_references.h"
#include "keelson/client/ignore_not_found.h"
#include "keelson/client/retry_on_conflict.h"
#include "keelson/controlplane/control_plane.h"
#include "keelson/controlplane/install_definitions.h"
#include "keelson/controlplane/run_seeds.h"
#include "keelson/core/log.h"
#include "keelson/core/simulation.h"
#include "keelson/core/thread.h"
#include "keelson/transport/faulty_transport.h"
#include "mirror_reconciler.h"

namespace mirror {
namespace {

using namespace keelson;
using namespace std::chrono_literals;
using v1::Mirror;

constexpr uint64_t kSeeds = 10'000;
constexpr int kParts = 8;

// What the seed makes of a run beside its order of threads.
struct Plan {
  explicit Plan(uint64_t seed) {
    Random random(seed);
    faults = DrawFaults(random);
    workers = random.Uniform(1, 4);
    restarts = random.Uniform(0, 2);
    two_replicas = random.Chance(0.25);
    late_definition = random.Chance(0.1);
    namespaces_only = random.Chance(0.2);
  }
  std::string ToString() const {
    return fmt::format("{} workers {} restarts {} replicas {} late {} namespaces {}", keelson::ToString(faults),
                       workers, restarts, two_replicas ? 2 : 1, late_definition, namespaces_only);
  }

  Faults faults;
  int workers;
  int restarts;
  bool two_replicas;
  bool late_definition;
  bool namespaces_only;
};

// One process of the operator.
class Replica {
 public:
  Replica(const ControlPlane& control_plane, const Plan& plan, uint64_t seed, const std::string& identity)
      : line_(std::make_shared<FaultyTransport>(control_plane.client().rest().transport(), seed, plan.faults)) {
    ManagerOptions options;
    if (plan.two_replicas) {
      options.leader_election = LeaderElectionOptions{.namespace_ = "default",
                                                      .name = "mirror",
                                                      .identity = identity,
                                                      .lease_duration = 60s,
                                                      .renew_deadline = 40s,
                                                      .retry_period = 10s};
    }
    if (plan.namespaces_only) options.cluster.cache.namespaces = {"default", "other"};
    manager_.emplace(Manager::Make(Client(line_), std::move(options)).value());
    reconciler_.emplace(manager_->client(), manager_->live(), manager_->RecorderFor("mirror-controller"));
    AddMirrorController(*manager_, *reconciler_, plan.workers).value();
    thread_ = Thread("replica", [this] {
      // A lost lease ends a process; here it is not started again, the other one goes on.
      const Result<void> end = manager_->Run(stop_.token());
      if (!end) failed_ = true;
    });
  }
  ~Replica() { Stop(); }

  void Stop() {
    stop_.RequestStop();
    thread_.Join();
  }
  bool failed() const { return failed_; }
  FaultyTransport& line() { return *line_; }

 private:
  const std::shared_ptr<FaultyTransport> line_;
  std::optional<Manager> manager_;
  std::optional<MirrorReconciler> reconciler_;
  StopSource stop_;
  std::atomic<bool> failed_ = false;
  Thread thread_;
};

class Operator {
 public:
  Operator(const ControlPlane& control_plane, const Plan& plan, uint64_t seed)
      : control_plane_(control_plane), plan_(plan), seed_(seed) {
    Start(0);
    if (plan.two_replicas) Start(1);
  }
  // Ends a process and starts another in its place.
  void Restart() {
    Start(0);
    if (plan_.two_replicas && replicas_[1]->failed()) Start(1);
  }
  void Heal() {
    // Those that lost their lease are started again, as a kubelet would do.
    for (size_t i = 0; i < 2; ++i) {
      if (replicas_[i] != nullptr && replicas_[i]->failed()) Start(i);
      if (replicas_[i] != nullptr) replicas_[i]->line().Heal();
    }
  }
  int64_t writes() const {
    int64_t writes = 0;
    for (const auto& replica : replicas_) {
      if (replica != nullptr) writes += replica->line().writes();
    }
    return writes;
  }

 private:
  void Start(size_t index) {
    replicas_[index].reset();
    ++started_;
    replicas_[index] =
        std::make_unique<Replica>(control_plane_, plan_, seed_ * 31 + started_, fmt::format("{}-{}", index, started_));
  }

  const ControlPlane& control_plane_;
  const Plan& plan_;
  const uint64_t seed_;
  uint64_t started_ = 0;
  std::unique_ptr<Replica> replicas_[2];
};

// What users and others do meanwhile: always the same, at times that the seed draws.
class Users {
 public:
  Users(const Client& client, uint64_t seed) : client_(client), random_(seed ^ 0x5eed) {}

  void Pause() { (void)SleepFor(std::chrono::milliseconds(random_.Uniform(0, 3000)), {}); }

  void Make(const ObjectKey& key, const std::string& text, int32_t copies) {
    Pause();
    Mirror mirror;
    mirror.metadata = {.name = key.name, .namespace_ = key.namespace_};
    mirror.spec = {.text = text, .copies = copies};
    ASSERT_TRUE(client_.Create(mirror));
  }
  void Change(const ObjectKey& key, const std::string& text, int32_t copies) {
    Pause();
    const Result<Mirror> changed = RetryOnConflict([&]() -> Result<Mirror> {
      KEELSON_TRY(mirror, client_.Get<Mirror>(key));
      mirror.spec = {.text = text, .copies = copies};
      return client_.Update(mirror);
    });
    ASSERT_TRUE(changed) << changed.error().message();
  }
  void Delete(const ObjectKey& key) {
    Pause();
    ASSERT_TRUE(client_.Delete<Mirror>(key));
  }
  // Somebody who should not: of what is there at that time.
  void Tamper(const ObjectKey& copy) {
    Pause();
    Result<corev1::ConfigMap> map = client_.Get<corev1::ConfigMap>(copy);
    if (!map) return;
    map->data = {{"text", "tampered"}};
    (void)client_.Update(*map);
  }
  void Remove(const ObjectKey& copy) {
    Pause();
    (void)client_.Delete<corev1::ConfigMap>(copy);
  }

 private:
  const Client& client_;
  Random random_;
};

// All that is there, in words.
std::vector<std::string> StateOf(const Client& client) {
  std::vector<std::string> state;
  const ObjectList<Mirror> mirrors = client.List<Mirror>().value();
  for (const Mirror& mirror : mirrors) {
    std::string ready = "?";
    for (const metav1::Condition& condition : mirror.status.conditions) ready = condition.status.str();
    state.push_back(fmt::format("mirror {}: {} x '{}', status {} ready {} {}", KeyOf(mirror).ToString(),
                                mirror.spec.copies, mirror.spec.text, mirror.status.copies, ready,
                                mirror.status.observedGeneration == mirror.metadata.generation ? "observed" : "stale"));
  }
  const ObjectList<corev1::ConfigMap> maps = client.List<corev1::ConfigMap>().value();
  for (const corev1::ConfigMap& map : maps) {
    if (map.metadata.name == "kube-root-ca.crt") continue;
    const metav1::OwnerReference* owner = GetControllerOf(map);
    state.push_back(fmt::format("copy {}: '{}' of {}", KeyOf(map).ToString(), map.data.find("text")->str(),
                                owner != nullptr ? owner->name.str() : "nobody"));
  }
  return state;
}

const std::vector<std::string> kExpected = {
    "mirror default/a: 2 x 'final a', status 2 ready True observed",
    "mirror default/again: 1 x 'second life', status 1 ready True observed",
    "mirror other/b: 3 x 'final b', status 3 ready True observed",
    "copy default/a-0: 'final a' of a",
    "copy default/a-1: 'final a' of a",
    "copy default/again-0: 'second life' of again",
    "copy other/b-0: 'final b' of b",
    "copy other/b-1: 'final b' of b",
    "copy other/b-2: 'final b' of b",
};

void RunSchedule(uint64_t seed) {
  const Plan plan(seed);
  SCOPED_TRACE(plan.ToString());
  ControlPlane control_plane;
  const Client client = control_plane.client();
  ASSERT_TRUE(client.Create(corev1::Namespace{.metadata = {.name = "other"}}));
  const auto define = [&] {
    const Result<void> defined = InstallDefinitions(client, {MIRROR_CRDS});
    ASSERT_TRUE(defined) << defined.error().message();
  };
  if (!plan.late_definition) define();
  Operator op(control_plane, plan, seed);
  Users users(client, seed);
  if (plan.late_definition) {
    users.Pause();
    define();
  }
  users.Make({"default", "a"}, "first a", 4);
  users.Make({"other", "b"}, "first b", 1);
  users.Make({"default", "again"}, "first life", 3);
  if (plan.restarts > 0) op.Restart();
  users.Change({"default", "a"}, "second a", 1);
  users.Tamper({"default", "a-0"});
  users.Delete({"default", "again"});
  users.Change({"other", "b"}, "final b", 3);
  users.Remove({"other", "b-0"});
  if (plan.restarts > 1) op.Restart();
  users.Make({"default", "gone"}, "short", 2);
  users.Change({"default", "a"}, "final a", 2);
  users.Tamper({"other", "b-1"});
  users.Delete({"default", "gone"});
  users.Remove({"default", "a-1"});

  op.Heal();
  (void)SleepFor(2min, {});
  // The finalizer is gone by now, so the name is free again.
  users.Make({"default", "again"}, "second life", 1);
  (void)SleepFor(5min, {});
  EXPECT_EQ(StateOf(client), kExpected);
  const int64_t settled = op.writes();
  (void)SleepFor(seed % 10 == 0 ? 2h : 10min, {});
  EXPECT_EQ(op.writes(), settled) << "it writes although nothing changes";
}

class MirrorSchedules : public testing::TestWithParam<int> {};

TEST_P(MirrorSchedules, ComeToTheSameObjectsAndThenWriteNothing) {
  RunSeeds({.count = kSeeds, .part = GetParam(), .parts = kParts}, RunSchedule);
}
INSTANTIATE_TEST_SUITE_P(Seeds, MirrorSchedules, testing::Range(0, kParts));

}  // namespace
}  // namespace mirror
