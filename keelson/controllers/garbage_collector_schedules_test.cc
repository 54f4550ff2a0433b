// Seeded schedules of the garbage collector: requests and answers are lost and late, watches break off, the process is
// started again, and the same objects are left in the end; then nothing is written any more.
//
//   SEEDS=0:1000 build/release/bin/keelson_controllers_test --gtest_filter='*GarbageCollectorSchedules*'
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "keelson/client/retry_on_conflict.h"
#include "keelson/controllers/garbage_collector_test_support.h"
#include "keelson/controlplane/control_plane.h"
#include "keelson/controlplane/run_seeds.h"

namespace keelson::controllers {
namespace {

using namespace std::chrono_literals;

const GroupVersionKind kWidget{"example.com", "v1", "Widget"};

// What the seed makes of a run beside its order of threads.
struct Plan {
  explicit Plan(uint64_t seed) {
    Random random(seed);
    faults = DrawAllFaults(random);
    workers = random.Uniform(1, 4);
    restarts = random.Uniform(0, 2);
  }
  std::string ToString() const {
    return fmt::format("{} workers {} restarts {}", keelson::ToString(faults), workers, restarts);
  }

  Faults faults;
  int workers;
  int restarts;
};

// All kinds that are served but those of this test: sixty watches that see nothing take most of the time.
std::set<GroupResource> Bystanders(const Client& client) {
  std::set<GroupResource> bystanders;
  const Served served = client.discovery().Fetch().value();
  for (const ServedResource& one : served.resources) bystanders.insert(one.resource.group_resource());
  for (const char* name : {"configmaps", "namespaces", "pods"}) bystanders.erase({"", name});
  bystanders.erase({"apiextensions.k8s.io", "customresourcedefinitions"});
  return bystanders;
}

class Schedule {
 public:
  explicit Schedule(uint64_t seed)
      : seed_(seed),
        plan_(seed),
        random_(seed ^ 0x5eed),
        maps_(control_plane_.client()),
        collector_(control_plane_.client(), Collector(Options()), seed, plan_.faults) {}

  void Run() {
    SCOPED_TRACE(plan_.ToString());
    ASSERT_TRUE(maps_.client().Create(corev1::Namespace{.metadata = {.name = "far"}}));
    const auto tree = Make("tree");
    const auto branch = Make("branch", {OwnedBy(tree)});
    Make("leaf", {OwnedBy(branch)});
    const auto front = Make("front");
    const auto middle = Make("middle", {OwnedBy(front, true)});
    Make("back", {OwnedBy(middle, true)});
    const auto one = Make("one");
    const auto two = Make("two");
    Make("of-both", {OwnedBy(one), OwnedBy(two)});
    const auto first_life = Make("again");
    Make("of-first-life", {OwnedBy(first_life)});
    if (plan_.restarts > 0) collector_.Restart();
    Delete("tree", Propagation::kBackground);
    Delete("front", Propagation::kForeground);
    Delete("again", Propagation::kBackground);
    const auto second_life = Make("again");
    Make("of-second-life", {OwnedBy(second_life)});
    Make("late-of-first-life", {OwnedBy(first_life)});
    MakeCycle();
    Pause();
    ASSERT_TRUE(maps_.client().Create(Definition("Widget", "widgets")));
    const Unstructured widget = MakeWidget("stays");
    const Unstructured gone_widget = MakeWidget("goes");
    Make("of-widget", {OwnedBy(widget)});
    Make("of-gone-widget", {OwnedBy(gone_widget)});
    Make("of-one-and-widget", {OwnedBy(one), OwnedBy(widget)});
    if (plan_.restarts > 1) collector_.Restart();
    Delete("one", Propagation::kBackground);
    Delete("round-a", Propagation::kForeground);
    Pause();
    ASSERT_TRUE(maps_.client().Delete(kWidget, {"default", "goes"}));
    const auto far = maps_.Make("far-owner", {}, "far");
    Make("of-far", {OwnedBy(far)});
    const auto parent = Make("parent");
    Make("orphan", {OwnedBy(parent)});
    Make("half-orphan", {OwnedBy(parent), OwnedBy(two)});
    // Letting go is for those that were seen: who comes with the deletion may be late for it.
    (void)SleepFor(1min, {});
    Delete("parent", Propagation::kOrphan);
    Pause();

    collector_.Heal();
    (void)SleepFor(10min, {});
    EXPECT_THAT(maps_.All(), testing::ElementsAre("again", "far-owner", "half-orphan < two", "of-both < two",
                                                  "of-one-and-widget < stays", "of-second-life < again",
                                                  "of-widget < stays", "orphan", "two"));
    ExpectNoWrites(collector_);
  }

 private:
  GarbageCollectorOptions Options() const {
    GarbageCollectorOptions options{.workers = plan_.workers};
    if (seed_ % 5 != 0) options.ignored = Bystanders(maps_.client());
    return options;
  }
  void Pause() { collector_.Pass(std::chrono::milliseconds(random_.Uniform(0, 3000))); }
  corev1::ConfigMap Make(const std::string& name, List<metav1::OwnerReference> owners = {}) {
    Pause();
    return maps_.Make(name, std::move(owners));
  }
  void Delete(const std::string& name, Propagation propagation) {
    Pause();
    maps_.Delete(name, propagation);
  }
  Unstructured MakeWidget(const std::string& name) {
    Pause();
    return maps_.client().Create(Object(kWidget, {"default", name})).value();
  }
  void MakeCycle() {
    const auto a = Make("round-a");
    const auto b = Make("round-b", {OwnedBy(a, true)});
    const Result<corev1::ConfigMap> closed = RetryOnConflict([&]() -> Result<corev1::ConfigMap> {
      KEELSON_TRY(map, maps_.client().Get<corev1::ConfigMap>({"default", "round-a"}));
      map.metadata.ownerReferences = {OwnedBy(b, true)};
      return maps_.client().Update(map);
    });
    ASSERT_TRUE(closed) << closed.error().message();
  }

  const uint64_t seed_;
  const Plan plan_;
  Random random_;
  ControlPlane control_plane_;
  const Maps maps_;
  ControllerProcess collector_;
};

constexpr int kParts = 8;
class GarbageCollectorSchedules : public testing::TestWithParam<int> {};

TEST_P(GarbageCollectorSchedules, LeaveTheSameObjectsAndThenWriteNothing) {
  RunSeeds({.count = 1'000, .part = GetParam(), .parts = kParts}, [](uint64_t seed) { Schedule(seed).Run(); });
}
INSTANTIATE_TEST_SUITE_P(Seeds, GarbageCollectorSchedules, testing::Range(0, kParts));

}  // namespace
}  // namespace keelson::controllers
