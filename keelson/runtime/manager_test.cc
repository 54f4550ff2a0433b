#include "keelson/runtime/manager.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "keelson/api/core/v1.h"
#include "keelson/api/status_error.h"
#include "keelson/controlplane/control_plane.h"
#include "keelson/runtime/manager_test_support.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

corev1::ConfigMap Map(std::string name) {
  return corev1::ConfigMap{.metadata = {.name = std::move(name), .namespace_ = "default"}};
}

void UntilStopped(const RunScope& scope) { (void)SleepFor(10000h, scope.stop); }

TEST(Manager, RunsWhatItIsGivenWithAClientThatSeesItsOwnWrites) {
  SimulatedManagers(
      [] {
        ControlPlane control_plane;
        Manager manager = Manager::Make(control_plane.client()).value();
        const Informer<corev1::ConfigMap> maps = manager.cache().For<corev1::ConfigMap>();
        EXPECT_FALSE(manager.leading());
        ASSERT_TRUE(manager.Add("writer", [&](const RunScope& scope) -> Result<void> {
          EXPECT_TRUE(manager.elected().StopRequested());
          EXPECT_TRUE(manager.leading());
          for (int i = 0; i < 5; ++i) {
            KEELSON_RETURN_IF_ERROR(manager.client().Create(Map("m" + std::to_string(i))));
            KEELSON_TRY(list, manager.client().List<corev1::ConfigMap>({.namespace_ = "default"}));
            EXPECT_GE(list.items.size(), static_cast<size_t>(i + 1));
          }
          EXPECT_TRUE(maps.HasSynced());
          EXPECT_TRUE(manager.live().Get<corev1::ConfigMap>({"default", "m4"}));
          UntilStopped(scope);
          return {};
        }));
        Running running(manager);
        (void)SleepFor(10s, {});
        EXPECT_FALSE(running.ended());
        EXPECT_TRUE(running.Stop());
        EXPECT_FALSE(manager.leading());
        EXPECT_TRUE(control_plane.client().Get<corev1::ConfigMap>({"default", "m4"}));
      },
      10);
}

TEST(Manager, StopsAtOnceWhenThereIsNothingToFinish) {
  SimulatedManagers([] {
    ControlPlane control_plane;
    Manager manager = Manager::Make(control_plane.client()).value();
    ASSERT_TRUE(manager.Add("waits", [](const RunScope& scope) -> Result<void> {
      UntilStopped(scope);
      return {};
    }));
    Running running(manager);
    (void)SleepFor(1min, {});
    const TimePoint begin = Clock::Now();
    EXPECT_TRUE(running.Stop());
    EXPECT_LT(Clock::Now() - begin, 1s);
  });
}

TEST(Manager, WhatFinishesInTimeIsWrittenAndEventsTooBeforeItEnds) {
  SimulatedManagers(
      [] {
        ControlPlane control_plane;
        Manager manager = Manager::Make(control_plane.client()).value();
        const EventRecorder recorder = manager.RecorderFor("app-controller");
        ASSERT_TRUE(manager.Add("slow", [&](const RunScope& scope) -> Result<void> {
          UntilStopped(scope);
          (void)SleepFor(20s, scope.abort);  // a reconcile under way
          EXPECT_FALSE(scope.abort.StopRequested());
          KEELSON_TRY(map, manager.client().Create(Map("last")));
          recorder.Event(map, EventType::kNormal, "Synced", "Done in the last moment");
          return {};
        }));
        Running running(manager);
        (void)SleepFor(10s, {});
        const TimePoint begin = Clock::Now();
        EXPECT_TRUE(running.Stop());
        EXPECT_GE(Clock::Now() - begin, 20s);
        EXPECT_LT(Clock::Now() - begin, 21s);
        EXPECT_TRUE(control_plane.client().Get<corev1::ConfigMap>({"default", "last"}));
        const auto events = control_plane.client().List<corev1::Event>({.namespace_ = "default"});
        ASSERT_THAT(events->items, SizeIs(1));
        EXPECT_EQ(events->items[0].message, "Done in the last moment");
      },
      10);
}

TEST(Manager, WhatDoesNotFinishHasItsCallsEndedAndIsNamed) {
  SimulatedManagers([] {
    ControlPlane control_plane;
    Manager manager = Manager::Make(control_plane.client(), {.grace_period = 5s}).value();
    Result<corev1::ConfigMap> late = Map("none");
    ASSERT_TRUE(manager.Add("slow", [&](const RunScope& scope) -> Result<void> {
      UntilStopped(scope);
      (void)SleepFor(1h, scope.abort);
      late = manager.client().Create(Map("late"));
      return {};
    }));
    Running running(manager);
    (void)SleepFor(10s, {});
    const TimePoint begin = Clock::Now();
    const Result<void> end = running.Stop();
    EXPECT_LT(Clock::Now() - begin, 6s);
    ASSERT_FALSE(end);
    EXPECT_EQ(end.error().code(), ErrorCode::kTimeout);
    EXPECT_EQ(end.error().message(), "did not finish within the grace period of 5s: slow");
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().code(), ErrorCode::kCancelled);
    EXPECT_TRUE(IsNotFound(control_plane.client().Get<corev1::ConfigMap>({"default", "late"}).error()));
  });
}

TEST(Manager, AControllerIsNamedWithTheRequestsThatItIsAt) {
  SimulatedManagers([] {
    ControlPlane control_plane;
    Manager manager = Manager::Make(control_plane.client(), {.grace_period = 5s}).value();
    const auto controller = std::make_shared<Controller<Request>>(
        "app",
        [](Context& context, const Request&) -> Result<Outcome> {
          (void)SleepFor(1h, context.scope().stop);
          return Outcome::Done();
        },
        ControllerParts<Request>{.options = {.workers = 2}});
    controller->queue().Add({"default", "web"});
    (void)SleepFor(1s, {});
    ASSERT_TRUE(manager.Add(controller));
    Running running(manager);
    (void)SleepFor(10s, {});
    controller->queue().Add({"default", "db"});
    (void)SleepFor(10s, {});
    const Result<void> end = running.Stop();
    ASSERT_FALSE(end);
    EXPECT_EQ(end.error().message(),
              "did not finish within the grace period of 5s: controller app (default/web, default/db)");
  });
}

TEST(Manager, AFailingPartEndsItWithItsName) {
  SimulatedManagers([] {
    ControlPlane control_plane;
    Manager manager = Manager::Make(control_plane.client()).value();
    ASSERT_TRUE(manager.Add("steady", [](const RunScope& scope) -> Result<void> {
      UntilStopped(scope);
      return {};
    }));
    ASSERT_TRUE(manager.Add(
        "cleaner",
        [](const RunScope& scope) -> Result<void> {
          (void)SleepFor(5s, scope.stop);
          return Error(ErrorCode::kUnavailable, "the disk is full");
        },
        RunnableGroup::kOthers));
    Running running(manager);
    const Result<void> end = running.Join();
    ASSERT_FALSE(end);
    EXPECT_EQ(end.error().code(), ErrorCode::kUnavailable);
    EXPECT_EQ(end.error().message(), "cleaner: the disk is full");
  });
}

TEST(Manager, TakesPartsBeforeAndAfterItsStartAndNoneAfterItsEnd) {
  SimulatedManagers([] {
    ControlPlane control_plane;
    Manager manager = Manager::Make(control_plane.client()).value();
    std::atomic<int> started = 0;
    const auto part = [&](const RunScope& scope) -> Result<void> {
      ++started;
      UntilStopped(scope);
      return {};
    };
    ASSERT_TRUE(manager.Add("before", part));
    Running running(manager);
    (void)SleepFor(1s, {});
    EXPECT_EQ(started, 1);
    ASSERT_TRUE(manager.Add("after", part));
    ASSERT_TRUE(manager.Add("other after", part, RunnableGroup::kOthers));
    (void)SleepFor(1s, {});
    EXPECT_EQ(started, 3);
    EXPECT_TRUE(running.Stop());
    const Result<void> late = manager.Add("late", part);
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().message(), "late was not added: the manager is stopping");
    EXPECT_FALSE(manager.Add(std::shared_ptr<Runnable>()));
    const Result<void> again = manager.Run(StopToken());
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().message(), "a manager runs once: make another one");
  });
}

TEST(Manager, AskedToStopBeforeItRunsItStartsNothing) {
  SimulatedManagers([] {
    ControlPlane control_plane;
    Manager manager = Manager::Make(control_plane.client()).value();
    bool started = false;
    ASSERT_TRUE(manager.Add("part", [&](const RunScope&) -> Result<void> {
      started = true;
      return {};
    }));
    StopSource stop;
    stop.RequestStop();
    EXPECT_TRUE(manager.Run(stop.token()));
    EXPECT_FALSE(started);
    EXPECT_FALSE(manager.elected().StopRequested());
  });
}

TEST(Manager, ControllersHaveDifferentNames) {
  SimulatedManagers([] {
    ControlPlane control_plane;
    Manager manager = Manager::Make(control_plane.client()).value();
    EXPECT_TRUE(manager.ClaimControllerName("app"));
    EXPECT_TRUE(manager.ClaimControllerName("job"));
    const Result<void> taken = manager.ClaimControllerName("app");
    ASSERT_FALSE(taken);
    EXPECT_EQ(taken.error().code(), ErrorCode::kAlreadyExists);
    EXPECT_THAT(taken.error().message(), HasSubstr("\"app\""));
  });
}

TEST(Manager, MayBeMoved) {
  SimulatedManagers([] {
    ControlPlane control_plane;
    Manager first = Manager::Make(control_plane.client()).value();
    const CachedClient& client = first.client();
    Manager second = std::move(first);
    EXPECT_EQ(&client, &second.client());
    Running running(second);
    (void)SleepFor(1s, {});
    EXPECT_TRUE(running.Stop());
  });
}

TEST(Manager, WorksOnSeveralClusters) {
  SimulatedManagers(
      [] {
        ControlPlane here, there;
        ASSERT_TRUE(there.client().Create(Map("far")));
        Manager manager = Manager::Make(here.client()).value();
        Cluster far(there.client(), {.name = "far"});
        ASSERT_TRUE(manager.Add(far));
        const Informer<corev1::ConfigMap> maps_here = manager.cache().For<corev1::ConfigMap>();
        const Informer<corev1::ConfigMap> maps_there = far.cache().For<corev1::ConfigMap>();
        const EventRecorder recorder = far.RecorderFor("copier");
        ASSERT_TRUE(manager.Add("copier", [&](const RunScope& scope) -> Result<void> {
          KEELSON_TRY(map, far.client().Get<corev1::ConfigMap>({"default", "far"}));
          recorder.Event(map, EventType::kNormal, "Copied", "Copied to another cluster");
          corev1::ConfigMap copy = Map("copy");
          copy.metadata.annotations["from"] = map.metadata.uid;
          KEELSON_RETURN_IF_ERROR(manager.client().Create(copy));
          UntilStopped(scope);
          return {};
        }));
        Running running(manager);
        (void)SleepFor(10s, {});
        EXPECT_TRUE(maps_here.HasSynced());
        EXPECT_TRUE(maps_there.HasSynced());
        EXPECT_TRUE(running.Stop());
        EXPECT_TRUE(here.client().Get<corev1::ConfigMap>({"default", "copy"}));
        EXPECT_TRUE(IsNotFound(there.client().Get<corev1::ConfigMap>({"default", "copy"}).error()));
        EXPECT_THAT(here.client().List<corev1::Event>()->items, IsEmpty());
        EXPECT_THAT(there.client().List<corev1::Event>()->items, SizeIs(1));
      },
      5);
}

TEST(Manager, OpensNoPortUnlessAskedTo) {
  SimulatedManagers([] {  // where a server would be an error
    ControlPlane control_plane;
    Manager manager = Manager::Make(control_plane.client()).value();
    Running running(manager);
    (void)SleepFor(1s, {});
    EXPECT_EQ(manager.metrics_port(), 0);
    EXPECT_EQ(manager.health_port(), 0);
    EXPECT_TRUE(running.Stop());
  });
}

TEST(Manager, CountsEventsInItsRegistry) {
  SimulatedManagers([] {
    ControlPlane control_plane;
    Manager manager = Manager::Make(control_plane.client()).value();
    const corev1::ConfigMap map = control_plane.client().Create(Map("map")).value();
    manager.RecorderFor("app").Event(map, EventType::kNormal, "Synced", "Synced");
    Running running(manager);
    (void)SleepFor(1s, {});
    EXPECT_TRUE(running.Stop());
    EXPECT_THAT(manager.metrics().Render(), HasSubstr("outcome=\"written\"} 1"));
  });
}

}  // namespace
}  // namespace keelson
