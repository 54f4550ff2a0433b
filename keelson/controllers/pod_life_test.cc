#include "keelson/controllers/pod_life.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "keelson/controllers/pod_conditions.h"

namespace keelson::controllers {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A pod that is looked at whenever it asked for it, on a clock of its own.
class Life {
 public:
  explicit Life(corev1::Pod pod, PodPace pace = {}) : pod_(std::move(pod)), pace_(pace) { Look(); }

  void Look() {
    const PodPlace place{.host_ip = "172.18.0.2", .pod_ip = "10.244.0.2", .images = &images_};
    PodStep step = AdvancePod(pod_, place, memory_, start_ + time_, pace_);
    pod_.status = step.status;
    writes_ += step.changed;
    removed_ = removed_ || step.remove;
    next_ = step.next ? std::optional(time_ + *step.next) : std::nullopt;
    for (const PodEvent& event : step.events) events_.push_back(event.reason + ": " + event.message);
  }
  // What happens until then, step by step.
  void Until(Duration time) {
    while (next_ && *next_ <= time) {
      time_ = *next_;
      Look();
    }
    time_ = time;
  }
  void Annotate(const std::string& name, const std::string& value) {
    pod_.metadata.annotations.Set("keelson.dev/pod-" + name, value);
    Look();
  }
  void Delete(int64_t grace) {
    pod_.metadata.deletionTimestamp = metav1::Time(start_ + time_ + std::chrono::seconds(grace));
    pod_.metadata.deletionGracePeriodSeconds = grace;
    Look();
  }
  // Another process takes over.
  void Forget() { memory_ = {}; }

  // "Running app:running app2:CrashLoopBackOff/3"
  std::string State() const {
    std::string text = pod_.status.phase.str();
    for (const auto* statuses : {&pod_.status.initContainerStatuses, &pod_.status.containerStatuses}) {
      for (const corev1::ContainerStatus& status : *statuses) {
        text += " " + status.name.str() + ":";
        if (status.state.running) text += status.ready ? "ready" : "running";
        if (status.state.waiting) text += status.state.waiting->reason.str();
        if (status.state.terminated) text += status.state.terminated->reason.str();
        if (status.restartCount > 0) text += "/" + std::to_string(status.restartCount);
      }
    }
    return text;
  }
  std::string Condition(std::string_view type) const {
    const corev1::PodCondition* condition = FindPodCondition(pod_.status, type);
    if (condition == nullptr) return "none";
    std::string text = condition->status.str();
    if (!condition->reason.empty()) text += " " + condition->reason.str();
    if (!condition->message.empty()) text += ": " + condition->message.str();
    return text;
  }
  std::vector<std::string> TakeEvents() { return std::exchange(events_, {}); }
  const corev1::Pod& pod() const { return pod_; }
  int writes() const { return writes_; }
  bool removed() const { return removed_; }
  std::optional<Duration> next() const { return next_ ? std::optional(*next_ - time_) : std::nullopt; }

 private:
  corev1::Pod pod_;
  const PodPace pace_;
  const WallTime start_ = WallTime(1'700'000'000s);
  Duration time_{0};
  PodMemory memory_;
  std::set<std::string> images_;
  std::vector<std::string> events_;
  std::optional<Duration> next_;  // since the start
  int writes_ = 0;
  bool removed_ = false;
};

corev1::Pod PodOf(const std::string& policy = "Always") {
  corev1::Pod pod;
  pod.metadata.name = "web";
  pod.metadata.namespace_ = "default";
  pod.metadata.uid = "u1";
  pod.metadata.generation = 1;
  pod.spec.restartPolicy = policy;
  pod.spec.containers.push_back({.name = "app", .image = "nginx"});
  return pod;
}

void Annotate(corev1::Pod& pod, std::map<std::string, std::string> values) {
  for (const auto& [name, value] : values) pod.metadata.annotations.Set("keelson.dev/pod-" + name, value);
}

TEST(PodLife, APodIsCreatedThenRunsAndIsReady) {
  Life life(PodOf());
  EXPECT_EQ(life.State(), "Pending app:ContainerCreating");
  EXPECT_EQ(life.Condition("Ready"), "False ContainersNotReady: containers with unready status: [app]");
  EXPECT_EQ(life.Condition("ContainersReady"), "False ContainersNotReady: containers with unready status: [app]");
  EXPECT_EQ(life.Condition("Initialized"), "True");
  EXPECT_EQ(life.Condition("PodReadyToStartContainers"), "False");
  EXPECT_EQ(life.pod().status.podIP, "");
  EXPECT_EQ(life.pod().status.hostIP, "172.18.0.2");
  EXPECT_EQ(life.next(), 200ms);
  life.Until(1h);
  EXPECT_EQ(life.State(), "Running app:ready");
  for (const char* type : {"Ready", "ContainersReady", "Initialized", "PodReadyToStartContainers", "PodScheduled"}) {
    EXPECT_EQ(life.Condition(type), "True") << type;
  }
  EXPECT_EQ(life.pod().status.podIP, "10.244.0.2");
  EXPECT_EQ(life.writes(), 2);
  EXPECT_EQ(life.next(), std::nullopt);
  EXPECT_THAT(life.TakeEvents(),
              ElementsAre("Pulling: Pulling image \"nginx\"",
                          "Pulled: Successfully pulled image \"nginx\" in 200ms (200ms including waiting). Image size: "
                          "0 bytes.",
                          "Created: Container created", "Started: Container started"));
}

TEST(PodLife, WithoutDelaysItIsReadyInOneStep) {
  Life life(PodOf(), {.start_delay = 0s});
  EXPECT_EQ(life.State(), "Running app:ready");
  EXPECT_EQ(life.writes(), 1);
}

TEST(PodLife, ReadinessComesLater) {
  corev1::Pod pod = PodOf();
  Annotate(pod, {{"ready-delay", "3s"}});
  pod.spec.containers[0].readinessProbe = corev1::Probe{.initialDelaySeconds = 2};
  Life life(pod, {.start_delay = 0s});
  life.Until(4900ms);
  EXPECT_EQ(life.State(), "Running app:running");
  life.Until(5s);
  EXPECT_EQ(life.State(), "Running app:ready");
  life.Annotate("fail-probe", "readiness");
  EXPECT_EQ(life.State(), "Running app:running");
  EXPECT_EQ(life.Condition("Ready"), "False ContainersNotReady: containers with unready status: [app]");
}

TEST(PodLife, SpeedMakesAllOfItFaster) {
  corev1::Pod pod = PodOf();
  Annotate(pod, {{"start-delay", "10s"}, {"ready-delay", "10s"}});
  Life life(pod, {.speed = 10});
  life.Until(1s);
  EXPECT_EQ(life.State(), "Running app:running");
  life.Until(2s);
  EXPECT_EQ(life.State(), "Running app:ready");
}

TEST(PodLife, InitContainersRunOneAfterAnother) {
  corev1::Pod pod = PodOf();
  pod.spec.initContainers = {{.name = "one", .image = "i"}, {.name = "two", .image = "i"}};
  Annotate(pod, {{"exit-after.two", "5s"}});
  Life life(pod, {.start_delay = 1s});
  EXPECT_EQ(life.State(), "Pending one:PodInitializing two:PodInitializing app:PodInitializing");
  EXPECT_EQ(life.Condition("Initialized"),
            "False ContainersNotInitialized: containers with incomplete status: [one two]");
  life.Until(1s);
  EXPECT_EQ(life.State(), "Pending one:Completed two:PodInitializing app:PodInitializing");
  life.Until(2s);
  EXPECT_EQ(life.State(), "Pending one:Completed two:running app:PodInitializing");
  EXPECT_EQ(life.Condition("Initialized"), "False ContainersNotInitialized: containers with incomplete status: [two]");
  life.Until(7s);
  EXPECT_EQ(life.State(), "Pending one:Completed two:Completed app:ContainerCreating");
  EXPECT_EQ(life.Condition("Initialized"), "True");
  life.Until(8s);
  EXPECT_EQ(life.State(), "Running one:Completed two:Completed app:ready");
}

TEST(PodLife, ASidecarStartsBeforeAndStays) {
  corev1::Pod pod = PodOf("Never");
  pod.spec.initContainers = {{.name = "side", .image = "i", .restartPolicy = String("Always")}};
  Annotate(pod, {{"exit-after.app", "5s"}});
  Life life(pod, {.start_delay = 0s});
  EXPECT_EQ(life.State(), "Running side:ready app:ready");
  life.Until(5s);
  EXPECT_EQ(life.State(), "Succeeded side:Completed app:Completed");
}

TEST(PodLife, AnInitContainerThatFailsFailsThePodOrIsTriedAgain) {
  for (const auto& [policy, state] : {std::pair("Never", "Failed init:Error app:PodInitializing"),
                                      std::pair("Always", "Pending init:CrashLoopBackOff/1 app:PodInitializing")}) {
    corev1::Pod pod = PodOf(policy);
    pod.spec.initContainers = {{.name = "init", .image = "i"}};
    Annotate(pod, {{"exit-code.init", "3"}});
    Life life(pod, {.start_delay = 0s});
    EXPECT_EQ(life.State(), state);
  }
}

TEST(PodLife, APodThatEndsSucceedsOrFails) {
  struct Case {
    const char* policy;
    const char* code;
    const char* state;
    const char* ready;
  };
  for (const Case& one : {Case{"Never", "0", "Succeeded app:Completed", "False PodCompleted"},
                          Case{"Never", "2", "Failed app:Error", "False PodFailed"},
                          Case{"OnFailure", "0", "Succeeded app:Completed", "False PodCompleted"}}) {
    corev1::Pod pod = PodOf(one.policy);
    Annotate(pod, {{"exit-after", "1m"}, {"exit-code", one.code}});
    Life life(pod);
    life.Until(1h);
    EXPECT_EQ(life.State(), one.state);
    EXPECT_EQ(life.Condition("Ready"), one.ready);
    EXPECT_EQ(life.Condition("PodReadyToStartContainers"), "False");
    EXPECT_EQ(life.pod().status.containerStatuses[0].state.terminated->exitCode, std::atoi(one.code));
    EXPECT_EQ(life.next(), std::nullopt);
  }
}

TEST(PodLife, PodsOfAJobEndByThemselves) {
  corev1::Pod pod = PodOf("Never");
  pod.metadata.ownerReferences = {{.kind = "Job", .name = "j", .uid = "j1", .controller = true}};
  Life life(pod);
  life.Until(1100ms);
  EXPECT_EQ(life.State(), "Running app:ready");
  life.Until(1200ms);
  EXPECT_EQ(life.State(), "Succeeded app:Completed");
}

TEST(PodLife, ACrashLoopBacksOffTwiceAsLongEachTime) {
  EXPECT_EQ(RestartBackoff(0), 0s);
  EXPECT_EQ(RestartBackoff(1), 10s);
  EXPECT_EQ(RestartBackoff(5), 160s);
  EXPECT_EQ(RestartBackoff(6), 300s);
  EXPECT_EQ(RestartBackoff(100), 300s);
  corev1::Pod pod = PodOf();
  Annotate(pod, {{"exit-code", "1"}, {"exits", "4"}});
  Life life(pod, {.start_delay = 0s});
  EXPECT_EQ(life.State(), "Running app:CrashLoopBackOff/1");
  EXPECT_EQ(life.pod().status.containerStatuses[0].state.waiting->message,
            "back-off 10s restarting failed container=app pod=web_default(u1)");
  EXPECT_EQ(life.pod().status.containerStatuses[0].lastState.terminated->exitCode, 1);
  EXPECT_EQ(life.next(), 10s);
  EXPECT_EQ(life.TakeEvents().back(), "BackOff: Back-off restarting failed container app in pod web_default(u1)");
  life.Until(10s);
  EXPECT_EQ(life.State(), "Running app:CrashLoopBackOff/2");
  EXPECT_EQ(life.next(), 20s);
  life.Until(30s);
  EXPECT_EQ(life.next(), 40s);
  life.Until(1h);
  EXPECT_EQ(life.State(), "Running app:ready/4");
}

TEST(PodLife, AFailingLivenessProbeRestartsTheContainer) {
  corev1::Pod pod = PodOf();
  pod.spec.containers[0].livenessProbe =
      corev1::Probe{.initialDelaySeconds = 5, .periodSeconds = 10, .failureThreshold = 3};
  Annotate(pod, {{"fail-probe", "liveness"}});
  Life life(pod, {.start_delay = 0s});
  life.TakeEvents();
  life.Until(34s);
  EXPECT_EQ(life.State(), "Running app:ready");
  life.Until(35s);
  EXPECT_EQ(life.State(), "Running app:ready/1");
  EXPECT_THAT(life.TakeEvents(), testing::Contains("Killing: Container app failed liveness probe, will be restarted"));
}

TEST(PodLife, AnImageThatCannotBeHadIsTriedAgainWhenItCan) {
  corev1::Pod pod = PodOf();
  Annotate(pod, {{"pull-error", "no such tag"}});
  Life life(pod);
  EXPECT_EQ(life.State(), "Pending app:ErrImagePull");
  life.Until(1min);
  EXPECT_EQ(life.State(), "Pending app:ImagePullBackOff");
  EXPECT_EQ(life.next(), std::nullopt);
  life.Annotate("pull-error", "");
  life.Until(2min);
  EXPECT_EQ(life.State(), "Running app:ready");
}

TEST(PodLife, ADeadlineEndsThePod) {
  corev1::Pod pod = PodOf();
  pod.spec.activeDeadlineSeconds = 30;
  Life life(pod);
  life.Until(1min);
  EXPECT_EQ(life.State(), "Failed app:Error");
  EXPECT_EQ(life.pod().status.reason, "DeadlineExceeded");
}

TEST(PodLife, ADeletedPodStopsAndIsRemoved) {
  struct Case {
    const char* stop_delay;
    Duration before;
    const char* state;
  };
  for (const Case& one : {Case{"0s", 0s, "Succeeded app:Completed"}, Case{"4s", 4s, "Succeeded app:Completed"},
                          Case{"1h", 30s, "Failed app:Error"}}) {
    corev1::Pod pod = PodOf();
    Annotate(pod, {{"stop-delay", one.stop_delay}});
    Life life(pod, {.start_delay = 0s});
    life.TakeEvents();
    life.Delete(30);
    EXPECT_THAT(life.TakeEvents(), ElementsAre("Killing: Stopping container app"));
    if (one.before > 0s) {
      life.Until(one.before - 1ms);
      EXPECT_FALSE(life.removed());
      EXPECT_EQ(life.State(), "Running app:ready");
    }
    life.Until(one.before);
    EXPECT_TRUE(life.removed()) << one.stop_delay;
    EXPECT_EQ(life.State(), one.state);
  }
}

TEST(PodLife, AnotherProcessGoesOnWhereTheStatusIs) {
  corev1::Pod pod = PodOf();
  Annotate(pod, {{"exit-code", "1"}, {"exit-after", "1m"}});
  Life life(pod, {.start_delay = 0s});
  life.Until(2min + 5s);  // it has ended twice
  EXPECT_EQ(life.State(), "Running app:CrashLoopBackOff/1");
  life.Forget();
  life.TakeEvents();
  life.Look();
  EXPECT_EQ(life.next(), 5s);
  EXPECT_THAT(life.TakeEvents(), IsEmpty());
  life.Until(2min + 10s);
  EXPECT_EQ(life.State(), "Running app:ready/2");
}

TEST(PodLife, ReadinessGatesAreOthersToOpen) {
  corev1::Pod pod = PodOf();
  pod.spec.readinessGates = {{.conditionType = "example.com/gate"}};
  Life life(pod, {.start_delay = 0s});
  EXPECT_EQ(life.Condition("ContainersReady"), "True");
  EXPECT_EQ(life.Condition("Ready"),
            "False ReadinessGatesNotReady: corresponding condition of pod readiness gate \"example.com/gate\" does not "
            "exist.");
}

}  // namespace
}  // namespace keelson::controllers
