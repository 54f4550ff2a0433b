#include "keelson/controllers/pod_life.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "keelson/api/compare.h"
#include "keelson/controllers/container_life.h"
#include "keelson/controllers/pod_conditions.h"

namespace keelson::controllers {
namespace {

using namespace std::chrono_literals;

constexpr int32_t kKilled = 137;

// One look at a pod, from its status to the next.
class PodLook {
 public:
  PodLook(const corev1::Pod& pod, const PodPlace& place, PodMemory& memory, WallTime now, const PodPace& pace)
      : pod_(pod), place_(place), memory_(memory), look_(now, pace, place, step_.events) {
    step_.status = pod.status;
  }

  PodStep Take() {
    corev1::PodStatus& status = step_.status;
    Begin();
    const bool stopping = pod_.metadata.deletionTimestamp.has_value();
    if (!HasEnded(status)) {
      if (stopping) {
        Stop();
      } else {
        Live();
      }
    }
    if (stopping && (stopped_ || HasEnded(status))) {
      step_.remove = pod_.metadata.deletionGracePeriodSeconds.value_or(0) != 0;
    }
    Conclude();
    step_.changed = !Equal(pod_.status, status);
    if (look_.next()) step_.next = *look_.next() - look_.now();
    return std::move(step_);
  }

 private:
  void Begin() {
    corev1::PodStatus& status = step_.status;
    if (status.startTime) return;
    status.phase = "Pending";
    status.startTime = metav1::Time(look_.now());
    status.hostIP = place_.host_ip;
    status.hostIPs = {{.ip = place_.host_ip}};
    const bool initialises = !pod_.spec.initContainers.empty();
    const std::string_view reason = initialises ? "PodInitializing" : "ContainerCreating";
    for (const corev1::Container& spec : pod_.spec.initContainers) {
      status.initContainerStatuses.push_back(WaitingContainer(spec, "PodInitializing"));
    }
    for (const corev1::Container& spec : pod_.spec.containers) {
      status.containerStatuses.push_back(WaitingContainer(spec, reason));
    }
  }

  ContainerScript ScriptFor(const corev1::Container& spec) const {
    ContainerScript script = ScriptOf(pod_, spec.name);
    if (script.pull_error.empty() && place_.missing_images.contains(spec.image.view())) {
      script.pull_error = fmt::format("{}: not found", spec.image.view());
    }
    return script;
  }

  template <class Visit>
  void ForEach(bool init, Visit visit) {
    const List<corev1::Container>& specs = init ? pod_.spec.initContainers : pod_.spec.containers;
    List<corev1::ContainerStatus>& statuses =
        init ? step_.status.initContainerStatuses : step_.status.containerStatuses;
    for (const corev1::Container& spec : specs) {
      size_t index = 0;
      while (index < statuses.size() && std::as_const(statuses)[index].name != spec.name) ++index;
      if (index == statuses.size()) statuses.push_back(WaitingContainer(spec, "ContainerCreating"));
      // Written only where it differs, so that what is the same stays shared.
      corev1::ContainerStatus status = std::as_const(statuses)[index];
      ContainerLife life{.pod = pod_,
                         .spec = spec,
                         .init = init,
                         .script = ScriptFor(spec),
                         .status = status,
                         .memory = memory_.containers[spec.name.str()]};
      RecallContainer(life, look_.now());
      const bool go_on = visit(life);
      if (!Equal(std::as_const(statuses)[index], status)) statuses[index] = status;
      if (!go_on) return;
    }
  }

  void Live() {
    if (const auto& deadline = pod_.spec.activeDeadlineSeconds;
        deadline && look_.Passed(step_.status.startTime->ToTimePoint(), std::chrono::seconds(*deadline))) {
      EndAll(kKilled);
      step_.status.phase = "Failed";
      step_.status.reason = "DeadlineExceeded";
      step_.status.message = "Pod was active on the node longer than the specified deadline";
      return;
    }
    bool initialised = true;
    bool failed = false;
    ForEach(true, [&](ContainerLife& life) {
      const bool done_before = life.status.state.terminated && life.status.state.terminated->exitCode == 0;
      if (!done_before || StaysBeside(life.spec)) AdvanceContainer(life, look_);
      const auto& ended = life.status.state.terminated;
      if (StaysBeside(life.spec)) {
        initialised = life.status.started.value_or(false);
      } else {
        initialised = ended && ended->exitCode == 0;
        failed = ended && ended->exitCode != 0;  // and is not started again
      }
      return initialised;
    });
    if (failed) {
      EndAll(kKilled);
      step_.status.phase = "Failed";
      return;
    }
    if (!initialised && !AnyStarted()) return;
    ForEach(false, [&](ContainerLife& life) {
      const bool first = life.memory.stage == ContainerMemory::Stage::kWaiting && life.status.state.waiting &&
                         life.status.state.waiting->reason == "PodInitializing";
      if (first) {
        life.status.state.waiting = corev1::ContainerStateWaiting{.reason = "ContainerCreating"};
        life.memory.since = look_.now();
      }
      AdvanceContainer(life, look_);
      return true;
    });
    step_.status.phase = Phase();
    // Those who stay beside do not outlive what they are beside of.
    if (HasEnded(step_.status)) EndAll(0);
  }

  void Stop() {
    if (!memory_.stopping_since) {
      const auto asked = std::chrono::seconds(pod_.metadata.deletionGracePeriodSeconds.value_or(0));
      // Seen for the first time: now, or, where another process began it, when it was asked for.
      memory_.stopping_since =
          std::max<WallTime>(pod_.metadata.deletionTimestamp->ToTimePoint() - asked, look_.now() - asked);
      if (look_.now() - *memory_.stopping_since < 2s) memory_.stopping_since = look_.now();
      const auto tell = [&](ContainerLife& life) {
        if (life.status.state.running) {
          look_.Tell(life, false, "Killing", fmt::format("Stopping container {}", life.spec.name.view()));
        }
        return true;
      };
      ForEach(true, tell);
      ForEach(false, tell);
    }
    const Duration grace = std::chrono::seconds(pod_.metadata.deletionGracePeriodSeconds.value_or(0));
    bool running = false;
    const auto stop = [&](ContainerLife& life) {
      if (!life.status.state.running) return true;
      const Duration wanted = life.script.stop_delay;
      if (look_.Passed(*memory_.stopping_since, std::min(wanted, grace))) {
        EndContainer(life, look_, wanted > grace ? kKilled : life.script.exit_code.value_or(0));
      } else {
        running = true;
      }
      return true;
    };
    ForEach(true, stop);
    ForEach(false, stop);
    if (running) return;
    stopped_ = true;
    if (!AnyStarted()) return;
    bool succeeded = true;
    for (const corev1::ContainerStatus& status : std::as_const(step_.status).containerStatuses) {
      const auto& ended = status.state.terminated ? status.state.terminated : status.lastState.terminated;
      succeeded = succeeded && ended && ended->exitCode == 0;
    }
    step_.status.phase = succeeded ? "Succeeded" : "Failed";
  }

  void EndAll(int32_t exit_code) {
    const auto end = [&](ContainerLife& life) {
      if (life.status.state.running) EndContainer(life, look_, exit_code);
      return true;
    };
    ForEach(true, end);
    ForEach(false, end);
  }

  bool AnyStarted() const {
    return std::any_of(step_.status.containerStatuses.begin(), step_.status.containerStatuses.end(),
                       [](const corev1::ContainerStatus& status) {
                         return status.state.running || status.state.terminated || status.lastState.terminated;
                       });
  }

  // Of a pod that is initialised.
  std::string_view Phase() const {
    size_t running = 0, ended = 0, succeeded = 0;
    for (const corev1::ContainerStatus& status : step_.status.containerStatuses) {
      running += status.state.running.has_value() || status.lastState.terminated.has_value();
      // One that ended and is not started again: AdvanceContainer has left it so.
      ended += status.state.terminated.has_value();
      succeeded += status.state.terminated && status.state.terminated->exitCode == 0;
    }
    const size_t all = step_.status.containerStatuses.size();
    if (ended == all) return succeeded == all ? "Succeeded" : "Failed";
    return running + ended >= all ? "Running" : "Pending";
  }

  void SetCondition(std::string_view type, bool holds, std::string_view reason = {}, std::string message = {}) {
    SetPodCondition(step_.status, {.type = type,
                                   .observedGeneration = pod_.metadata.generation,
                                   .status = holds ? "True" : "False",
                                   .reason = reason,
                                   .message = message});
  }

  void Conclude() {
    corev1::PodStatus& status = step_.status;
    status.observedGeneration = pod_.metadata.generation;
    std::vector<std::string> uninitialised, unready;
    for (size_t i = 0; i < pod_.spec.initContainers.size(); ++i) {
      const corev1::Container& spec = pod_.spec.initContainers[i];
      const corev1::ContainerStatus& own = std::as_const(status.initContainerStatuses)[i];
      const bool done = StaysBeside(spec) ? own.started.value_or(false) : own.ready;
      if (!done) uninitialised.push_back(spec.name.str());
      if (StaysBeside(spec) && !own.ready) unready.push_back(spec.name.str());
    }
    bool sandbox = false;
    for (const corev1::ContainerStatus& own : std::as_const(status.initContainerStatuses)) {
      sandbox = sandbox || !own.containerID.empty();
    }
    for (const corev1::ContainerStatus& own : std::as_const(status.containerStatuses)) {
      sandbox = sandbox || !own.containerID.empty();
      if (!own.ready) unready.push_back(own.name.str());
    }
    if ((sandbox || pod_.spec.hostNetwork) && status.podIP.empty()) {
      status.podIP = pod_.spec.hostNetwork ? place_.host_ip : place_.pod_ip;
      status.podIPs = {{.ip = status.podIP}};
    }
    SetCondition("PodReadyToStartContainers", sandbox && !HasEnded(status));
    if (status.phase == "Succeeded") {
      SetCondition("Initialized", true, "PodCompleted");
    } else if (uninitialised.empty() || AnyStarted()) {
      SetCondition("Initialized", true);
    } else {
      SetCondition("Initialized", false, "ContainersNotInitialized",
                   fmt::format("containers with incomplete status: [{}]", fmt::join(uninitialised, " ")));
    }
    std::string_view reason;
    std::string message;
    if (HasEnded(status)) {
      reason = status.phase == "Succeeded" ? "PodCompleted" : "PodFailed";
    } else if (!unready.empty()) {
      reason = "ContainersNotReady";
      message = fmt::format("containers with unready status: [{}]", fmt::join(unready, " "));
    }
    const std::string gates = reason.empty() ? UnmetGates() : "";
    if (!gates.empty()) {
      SetCondition("Ready", false, "ReadinessGatesNotReady", gates);
    } else {
      SetCondition("Ready", reason.empty(), reason, message);
    }
    SetCondition("ContainersReady", reason.empty(), reason, message);
    SetCondition("PodScheduled", true);
  }

  std::string UnmetGates() const {
    std::vector<std::string> unmet;
    for (const corev1::PodReadinessGate& gate : pod_.spec.readinessGates) {
      const corev1::PodCondition* condition = FindPodCondition(step_.status, gate.conditionType);
      if (condition == nullptr) {
        unmet.push_back(fmt::format("corresponding condition of pod readiness gate \"{}\" does not exist.",
                                    gate.conditionType.view()));
      } else if (condition->status != "True") {
        unmet.push_back(fmt::format("the status of pod readiness gate \"{}\" is not \"True\", but {}",
                                    gate.conditionType.view(), condition->status.view()));
      }
    }
    return fmt::format("{}", fmt::join(unmet, ", "));
  }

  const corev1::Pod& pod_;
  const PodPlace& place_;
  PodMemory& memory_;
  PodStep step_;
  Look look_;
  bool stopped_ = false;
};

}  // namespace

bool HasEnded(const corev1::PodStatus& status) { return status.phase == "Succeeded" || status.phase == "Failed"; }

PodStep AdvancePod(const corev1::Pod& pod, const PodPlace& place, PodMemory& memory, WallTime now,
                   const PodPace& pace) {
  return PodLook(pod, place, memory, now, pace).Take();
}

}  // namespace keelson::controllers
