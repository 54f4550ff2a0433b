#include "keelson/controllers/container_life.h"

#include <fmt/format.h>

#include <functional>
#include <utility>

namespace keelson::controllers {
namespace {

using namespace std::chrono_literals;
using Stage = ContainerMemory::Stage;

constexpr Duration kLongestBackoff = 5min;
constexpr int32_t kKilled = 137;

std::string ContainerId(const ContainerLife& container) {
  const uint64_t seed = std::hash<std::string>()(fmt::format("{}/{}/{}", container.pod.metadata.uid.view(),
                                                             container.spec.name.view(), container.memory.restarts));
  std::string id = "containerd://";
  for (uint64_t word = 1; word <= 4; ++word) id += fmt::format("{:016x}", (seed ^ word) * 0x9e3779b97f4a7c15ULL);
  return id;
}

void Enter(ContainerLife& container, Stage stage, WallTime now) {
  container.memory.stage = stage;
  container.memory.since = now;
}

bool Restarts(const ContainerLife& container, int32_t exit_code) {
  if (container.spec.restartPolicy) {
    if (*container.spec.restartPolicy == "Always") return true;
    if (*container.spec.restartPolicy == "Never") return false;
    return exit_code != 0;
  }
  const std::string_view policy = container.pod.spec.restartPolicy;
  if (container.init) return exit_code != 0 && policy != "Never";
  return policy == "Always" || (policy == "OnFailure" && exit_code != 0);
}

bool OwnedByJob(const corev1::Pod& pod) {
  for (const metav1::OwnerReference& owner : pod.metadata.ownerReferences) {
    if (owner.kind == "Job" && owner.controller.value_or(false)) return true;
  }
  return false;
}

// "web_default(3b1…)", as logs and messages of a kubelet call a pod.
std::string Described(const corev1::Pod& pod) {
  return fmt::format("{}_{}({})", pod.metadata.name.view(), pod.metadata.namespace_.view(), pod.metadata.uid.view());
}

void TellImage(ContainerLife& container, Look& look, Duration took) {
  const std::string image = container.spec.image.str();
  std::set<std::string>* images = look.place().images;
  const bool present = images != nullptr && images->contains(image) && container.spec.imagePullPolicy != "Always";
  if (present || container.spec.imagePullPolicy == "Never") {
    look.Tell(container, false, "Pulled", fmt::format("Container image \"{}\" already present on machine", image));
    return;
  }
  if (images != nullptr) images->insert(image);
  const std::string span = FormatDuration(took);
  look.Tell(container, false, "Pulling", fmt::format("Pulling image \"{}\"", image));
  look.Tell(container, false, "Pulled",
            fmt::format("Successfully pulled image \"{}\" in {} ({} including waiting). Image size: 0 bytes.", image,
                        span, span));
}

void Start(ContainerLife& container, Look& look, Duration took) {
  TellImage(container, look, took);
  look.Tell(container, false, "Created", "Container created");
  look.Tell(container, false, "Started", "Container started");
  Enter(container, Stage::kRunning, look.now());
  corev1::ContainerStatus& status = container.status;
  status.state = {};
  status.state.running = corev1::ContainerStateRunning{.startedAt = metav1::Time(look.now())};
  status.restartCount = container.memory.restarts;
  status.containerID = ContainerId(container);
  status.image = container.spec.image;
  status.imageID = container.spec.image;
  status.started = false;
  status.ready = false;
}

// Whether it has left the stage.
bool Create(ContainerLife& container, Look& look) {
  const Duration delay = container.script.start_delay.value_or(look.pace().start_delay);
  if (!container.script.pull_error.empty()) {
    if (container.memory.stage == Stage::kWaiting) {
      look.Tell(container, false, "Pulling", fmt::format("Pulling image \"{}\"", container.spec.image.view()));
      look.Tell(
          container, true, "Failed",
          fmt::format("Failed to pull image \"{}\": {}", container.spec.image.view(), container.script.pull_error));
      look.Tell(container, true, "Failed", "Error: ErrImagePull");
      container.status.state.waiting =
          corev1::ContainerStateWaiting{.reason = "ErrImagePull", .message = container.script.pull_error};
      Enter(container, Stage::kPullError, look.now());
    }
    if (container.status.state.waiting->reason == "ErrImagePull" && look.Passed(container.memory.since, 10s)) {
      const std::string message = fmt::format("Back-off pulling image \"{}\"", container.spec.image.view());
      look.Tell(container, false, "BackOff", message);
      look.Tell(container, true, "Failed", "Error: ImagePullBackOff");
      container.status.state.waiting = corev1::ContainerStateWaiting{
          .reason = "ImagePullBackOff",
          .message = fmt::format("{}: ErrImagePull: {}", message, container.script.pull_error)};
    }
    return false;
  }
  if (container.memory.stage == Stage::kPullError) {
    container.status.state.waiting = corev1::ContainerStateWaiting{.reason = "ContainerCreating"};
    Enter(container, Stage::kWaiting, look.now());
  }
  if (!look.Passed(container.memory.since, delay)) return false;
  Start(container, look, delay);
  return true;
}

Duration TimeToFail(const corev1::Probe& probe) {
  return std::chrono::seconds(probe.initialDelaySeconds +
                              std::max(1, probe.periodSeconds) * std::max(1, probe.failureThreshold));
}

void Kill(ContainerLife& container, Look& look, std::string_view probe, std::string_view title) {
  look.Tell(container, true, "Unhealthy", fmt::format("{} probe failed: it was told to", title));
  look.Tell(container, false, "Killing",
            fmt::format("Container {} failed {} probe, will be restarted", container.spec.name.view(), probe));
  EndContainer(container, look, kKilled);
}

bool Run(ContainerLife& container, Look& look) {
  const WallTime since = container.memory.since;
  const ContainerScript& script = container.script;
  corev1::ContainerStatus& status = container.status;
  const bool ends_by_nature = container.init ? !StaysBeside(container.spec) : OwnedByJob(container.pod);
  const bool may_end = !script.exits || container.memory.restarts < *script.exits;
  if ((script.ends() && may_end) || ends_by_nature) {
    Duration span = container.init ? Duration::zero() : look.pace().job_duration;
    if (script.ends()) span = script.exit_after.value_or(Duration::zero());
    if (look.Passed(since, span)) {
      EndContainer(container, look, may_end ? script.exit_code.value_or(0) : 0);
      return true;
    }
  }
  if (!status.started.value_or(false)) {
    const auto& probe = container.spec.startupProbe;
    if (probe && script.fail_startup) {
      if (!look.Passed(since, TimeToFail(*probe))) return false;
      Kill(container, look, "startup", "Startup");
      return true;
    }
    const Duration delay = probe ? std::chrono::seconds(probe->initialDelaySeconds) : 0s;
    if (!look.Passed(since, delay)) return false;
    status.started = true;
  }
  if (container.spec.livenessProbe && script.fail_liveness &&
      look.Passed(since, TimeToFail(*container.spec.livenessProbe))) {
    Kill(container, look, "liveness", "Liveness");
    return true;
  }
  if (container.init && !StaysBeside(container.spec)) return false;
  const auto& probe = container.spec.readinessProbe;
  if (script.fail_readiness) {
    if (std::exchange(status.ready, false)) {
      look.Tell(container, true, "Unhealthy", "Readiness probe failed: it was told to");
    }
    return false;
  }
  if (!status.ready) {
    const Duration delay = script.ready_delay + (probe ? std::chrono::seconds(probe->initialDelaySeconds) : 0s);
    status.ready = look.Passed(since, delay);
  }
  return false;
}

bool Restart(ContainerLife& container, Look& look) {
  const corev1::ContainerStateTerminated ended =
      container.status.state.terminated ? *container.status.state.terminated : *container.status.lastState.terminated;
  if (!Restarts(container, ended.exitCode)) return false;
  const int ends = std::max(0, container.memory.crashes - 1);
  const Duration backoff = RestartBackoff(ends);
  if (!look.Passed(container.memory.since, backoff)) {
    if (container.memory.stage == Stage::kBackOff) return false;
    look.Tell(container, true, "BackOff",
              fmt::format("Back-off restarting failed container {} in pod {}", container.spec.name.view(),
                          Described(container.pod)));
    container.memory.stage = Stage::kBackOff;  // since it ended
    container.status.lastState = {};
    container.status.lastState.terminated = ended;
    container.status.state = {};
    container.status.state.waiting = corev1::ContainerStateWaiting{
        .reason = "CrashLoopBackOff",
        .message = fmt::format("back-off {} restarting failed container={} pod={}", FormatDuration(backoff),
                               container.spec.name.view(), Described(container.pod))};
    return false;
  }
  container.status.lastState = {};
  container.status.lastState.terminated = ended;
  ++container.memory.restarts;
  Start(container, look, Duration::zero());
  return true;
}

}  // namespace

Duration RestartBackoff(int ends) {
  if (ends <= 0) return Duration::zero();
  return ends >= 6 ? kLongestBackoff : std::min<Duration>(kLongestBackoff, 10s * (1 << (ends - 1)));
}

bool StaysBeside(const corev1::Container& container) { return container.restartPolicy == String("Always"); }

bool Look::Passed(WallTime since, Duration span) {
  const auto scaled = Duration(static_cast<int64_t>(static_cast<double>(span.count()) / std::max(pace_.speed, 1e-3)));
  const WallTime then = since + scaled;
  if (then <= now_) return true;
  next_ = next_ ? std::min(*next_, then) : then;
  return false;
}

void Look::Tell(const ContainerLife& container, bool warning, std::string reason, std::string message) {
  events_.push_back({.warning = warning,
                     .reason = std::move(reason),
                     .message = std::move(message),
                     .field_path = fmt::format("spec.{}{{{}}}", container.init ? "initContainers" : "containers",
                                               container.spec.name.view())});
}

corev1::ContainerStatus WaitingContainer(const corev1::Container& spec, std::string_view reason) {
  corev1::ContainerStatus status;
  status.name = spec.name;
  status.image = spec.image;
  status.started = false;
  status.state.waiting = corev1::ContainerStateWaiting{.reason = reason};
  return status;
}

void RecallContainer(ContainerLife& container, WallTime now) {
  const corev1::ContainerStatus& status = std::as_const(container.status);
  Stage stage = Stage::kWaiting;
  WallTime since = now;
  if (status.state.running) {
    stage = Stage::kRunning;
    since = status.state.running->startedAt.ToTimePoint();
  } else if (status.state.terminated) {
    stage = Stage::kEnded;
    since = status.state.terminated->finishedAt.ToTimePoint();
  } else if (status.lastState.terminated) {
    stage = Stage::kBackOff;
    since = status.lastState.terminated->finishedAt.ToTimePoint();
  } else if (status.state.waiting && status.state.waiting->reason != "ContainerCreating" &&
             status.state.waiting->reason != "PodInitializing") {
    stage = Stage::kPullError;
  }
  ContainerMemory& memory = container.memory;
  const bool fits = memory.stage == stage && memory.restarts == status.restartCount && memory.since != WallTime();
  if (fits) return;
  const bool ended = stage == Stage::kEnded || stage == Stage::kBackOff;
  memory = {.stage = stage,
            .restarts = status.restartCount,
            .since = since,
            .crashes = status.restartCount + (ended ? 1 : 0)};
}

void EndContainer(ContainerLife& container, Look& look, int32_t exit_code) {
  corev1::ContainerStatus& status = container.status;
  ContainerMemory& memory = container.memory;
  corev1::ContainerStateTerminated ended{.exitCode = exit_code, .reason = exit_code == 0 ? "Completed" : "Error"};
  if (status.state.running) ended.startedAt = status.state.running->startedAt;
  ended.finishedAt = metav1::Time(look.now());
  ended.containerID = status.containerID;
  const Duration ran = look.now() - memory.since;
  memory.crashes = ran >= 2 * kLongestBackoff ? 1 : memory.crashes + 1;
  Enter(container, Stage::kEnded, look.now());
  status.state = {};
  status.state.terminated = ended;
  status.ready = container.init && exit_code == 0 && !StaysBeside(container.spec);
  status.started = false;
}

void AdvanceContainer(ContainerLife& container, Look& look) {
  for (bool again = true; again;) {
    switch (container.memory.stage) {
      case Stage::kWaiting:
      case Stage::kPullError: again = Create(container, look); break;
      case Stage::kRunning: again = Run(container, look); break;
      case Stage::kEnded:
      case Stage::kBackOff: again = Restart(container, look); break;
    }
  }
}

}  // namespace keelson::controllers
