// The status of a pod in one word, as people know it from kubectl: the phase, unless some container has more to tell.
#include <fmt/format.h>

#include "keelson/apiserver/tables/cells.h"

namespace keelson::apiserver::tables {
namespace {

using corev1::ContainerState;
using corev1::ContainerStatus;
using corev1::Pod;

// How often containers were started again, and when the last of these runs ended.
struct Restarts {
  int64_t count = 0;
  metav1::Time last = {};

  void Add(const ContainerStatus& status) {
    count += status.restartCount;
    if (status.lastState.terminated) last = std::max(last, status.lastState.terminated->finishedAt);
  }
};

struct Summary {
  std::string reason;
  Restarts restarts = {};
  int64_t ready = 0;
  int64_t total = 0;
};

// A sidecar: an init container that goes on running.
bool IsSidecar(const Pod& pod, std::string_view name) {
  for (const corev1::Container& container : pod.spec.initContainers) {
    if (container.name == name) return container.restartPolicy == corev1::ContainerRestartPolicy("Always");
  }
  return false;
}

std::string TerminatedReason(const corev1::ContainerStateTerminated& state) {
  if (!state.reason.empty()) return state.reason.str();
  return state.signal != 0 ? fmt::format("Signal:{}", state.signal) : fmt::format("ExitCode:{}", state.exitCode);
}

bool ConditionIsTrue(const Pod& pod, std::string_view type) {
  const corev1::PodCondition* condition = FindConditionOf(pod.status.conditions, type);
  return condition != nullptr && condition->status == "True";
}

// Whether an init container still holds the pod back; says so in summary.reason then. `sidecars` counts their restarts.
bool Initializing(const Pod& pod, Summary& summary, Restarts& sidecars) {
  const List<ContainerStatus>& statuses = pod.status.initContainerStatuses;
  for (size_t i = 0; i < statuses.size(); ++i) {
    const ContainerStatus& status = statuses[i];
    const ContainerState& state = status.state;
    const bool sidecar = IsSidecar(pod, status.name);
    summary.restarts.Add(status);
    if (sidecar) sidecars.Add(status);
    if (state.terminated && state.terminated->exitCode == 0) continue;
    if (sidecar && status.started.value_or(false)) {
      if (status.ready) ++summary.ready;
      continue;
    }
    if (state.terminated) {
      summary.reason = "Init:" + TerminatedReason(*state.terminated);
    } else if (state.waiting && !state.waiting->reason.empty() && state.waiting->reason != "PodInitializing") {
      summary.reason = "Init:" + state.waiting->reason.str();
    } else {
      summary.reason = fmt::format("Init:{}/{}", i, pod.spec.initContainers.size());
    }
    return true;
  }
  return false;
}

// The main containers; the first of them has the last word.
void AddContainers(const Pod& pod, Summary& summary) {
  bool running = false;
  std::string failure;
  const List<ContainerStatus>& statuses = pod.status.containerStatuses;
  for (size_t i = statuses.size(); i-- > 0;) {
    const ContainerStatus& status = statuses[i];
    const ContainerState& state = status.state;
    summary.restarts.Add(status);
    if (state.waiting && !state.waiting->reason.empty()) {
      summary.reason = state.waiting->reason.str();
    } else if (state.terminated) {
      summary.reason = TerminatedReason(*state.terminated);
      if (state.terminated->exitCode != 0) failure = summary.reason;
    } else if (status.ready && state.running) {
      running = true;
      ++summary.ready;
    }
  }
  if (summary.reason != "Completed") return;
  if (running && ConditionIsTrue(pod, "Ready")) {
    summary.reason = "Running";
  } else if (!failure.empty()) {
    summary.reason = failure;
  } else if (running) {
    summary.reason = "NotReady";
  }
}

Summary Summarize(const Pod& pod) {
  Summary summary{.reason = (pod.status.reason.empty() ? pod.status.phase : pod.status.reason).str()};
  for (const corev1::PodCondition& condition : pod.status.conditions) {
    if (condition.type == "PodScheduled" && condition.reason == "SchedulingGated") summary.reason = "SchedulingGated";
  }
  summary.total = static_cast<int64_t>(pod.spec.containers.size());
  for (const corev1::Container& container : pod.spec.initContainers) {
    if (IsSidecar(pod, container.name)) ++summary.total;
  }

  Restarts sidecars;
  if (!Initializing(pod, summary, sidecars) || ConditionIsTrue(pod, "Initialized")) {
    summary.restarts = sidecars;
    AddContainers(pod, summary);
  }

  const bool ended = pod.status.phase == "Succeeded" || pod.status.phase == "Failed";
  if (pod.metadata.deletionTimestamp && pod.status.reason == "NodeLost") {
    summary.reason = "Unknown";
  } else if (pod.metadata.deletionTimestamp && !ended) {
    summary.reason = "Terminating";
  }
  return summary;
}

std::string ReadinessGates(const Pod& pod) {
  if (pod.spec.readinessGates.empty()) return std::string(kNone);
  size_t met = 0;
  for (const corev1::PodReadinessGate& gate : pod.spec.readinessGates) {
    if (ConditionIsTrue(pod, gate.conditionType)) ++met;
  }
  return fmt::format("{}/{}", met, pod.spec.readinessGates.size());
}

Cells PodCells(const Pod& pod, const PrintContext& context) {
  const Summary summary = Summarize(pod);
  std::string restarts = std::to_string(summary.restarts.count);
  if (summary.restarts.count != 0 && !summary.restarts.last.IsZero()) {
    restarts += fmt::format(" ({} ago)", Age(summary.restarts.last, context.now));
  }
  return {pod.metadata.name,
          fmt::format("{}/{}", summary.ready, summary.total),
          summary.reason,
          restarts,
          AgeOf(pod.metadata, context),
          pod.status.podIPs.empty() ? kNone : Or(pod.status.podIPs.front().ip, kNone),
          Or(pod.spec.nodeName, kNone),
          Or(pod.status.nominatedNodeName, kNone),
          ReadinessGates(pod)};
}

List<metav1::TableRowCondition> PodRowConditions(const void* object) {
  const Pod& pod = *static_cast<const Pod*>(object);
  if (pod.status.phase == "Succeeded") {
    return {{.type = "Completed",
             .status = "True",
             .reason = pod.status.phase,
             .message = "The pod has completed successfully."}};
  }
  if (pod.status.phase == "Failed") {
    return {{.type = "Completed", .status = "True", .reason = pod.status.phase, .message = "The pod failed."}};
  }
  return {};
}

Cells PodTemplateCells(const corev1::PodTemplate& pod_template, const PrintContext&) {
  Cells cells = {pod_template.metadata.name};
  AddContainerCells(pod_template.template_.spec.containers, cells);
  cells.push_back(LabelsCell(pod_template.template_.metadata.labels));
  return cells;
}

}  // namespace

void AddPodPrinters(Printers& printers) {
  AddPrinter<Pod, PodCells>(printers);
  printers[&Describe<Pod>::type].conditions = PodRowConditions;
  AddPrinter<corev1::PodTemplate, PodTemplateCells>(printers);
}

}  // namespace keelson::apiserver::tables
