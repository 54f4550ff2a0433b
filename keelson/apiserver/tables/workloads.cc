// apps, batch, and what is like them: ReplicationController, Scale.
#include <fmt/format.h>

#include "keelson/api/apps/v1.h"
#include "keelson/api/autoscaling/v1.h"
#include "keelson/api/batch/v1.h"
#include "keelson/api/label_selector_struct.h"
#include "keelson/apiserver/tables/cells.h"
#include "keelson/core/ascii.h"

namespace keelson::apiserver::tables {
namespace {

// Objects from before the default was written had none.
int32_t Desired(const Optional<int32_t>& replicas) { return replicas.value_or(1); }

Cells DeploymentCells(const appsv1::Deployment& deployment, const PrintContext& context) {
  Cells cells = {deployment.metadata.name,
                 fmt::format("{}/{}", deployment.status.readyReplicas, Desired(deployment.spec.replicas)),
                 deployment.status.updatedReplicas, deployment.status.availableReplicas,
                 AgeOf(deployment.metadata, context)};
  AddContainerCells(deployment.spec.template_.spec.containers, cells);
  const Result<labels::Selector> selector = labels::FromStruct(deployment.spec.selector);
  cells.push_back(selector ? selector->ToString() : std::string("<invalid>"));
  return cells;
}

Cells ReplicaSetCells(const appsv1::ReplicaSet& set, const PrintContext& context) {
  Cells cells = {set.metadata.name, Desired(set.spec.replicas), set.status.replicas, set.status.readyReplicas,
                 AgeOf(set.metadata, context)};
  AddContainerCells(set.spec.template_.spec.containers, cells);
  cells.push_back(SelectorCell(set.spec.selector));
  return cells;
}

Cells ReplicationControllerCells(const corev1::ReplicationController& controller, const PrintContext& context) {
  Cells cells = {controller.metadata.name, Desired(controller.spec.replicas), controller.status.replicas,
                 controller.status.readyReplicas, AgeOf(controller.metadata, context)};
  AddContainerCells(controller.spec.template_.OrDefault().spec.containers, cells);
  cells.push_back(LabelsCell(controller.spec.selector));
  return cells;
}

Cells StatefulSetCells(const appsv1::StatefulSet& set, const PrintContext& context) {
  Cells cells = {set.metadata.name, fmt::format("{}/{}", set.status.readyReplicas, Desired(set.spec.replicas)),
                 AgeOf(set.metadata, context)};
  AddContainerCells(set.spec.template_.spec.containers, cells);
  return cells;
}

Cells DaemonSetCells(const appsv1::DaemonSet& set, const PrintContext& context) {
  const appsv1::DaemonSetStatus& status = set.status;
  Cells cells = {set.metadata.name,
                 status.desiredNumberScheduled,
                 status.currentNumberScheduled,
                 status.numberReady,
                 status.updatedNumberScheduled,
                 status.numberAvailable,
                 LabelsCell(set.spec.template_.spec.nodeSelector),
                 AgeOf(set.metadata, context)};
  AddContainerCells(set.spec.template_.spec.containers, cells);
  cells.push_back(SelectorCell(set.spec.selector));
  return cells;
}

Cells ControllerRevisionCells(const appsv1::ControllerRevision& revision, const PrintContext& context) {
  std::string controller(kNone);
  for (const metav1::OwnerReference& owner : revision.metadata.ownerReferences) {
    if (!owner.controller.value_or(false)) continue;
    const std::string_view version = owner.apiVersion;
    const size_t slash = version.find('/');
    std::string kind = owner.kind.str();
    if (slash != std::string_view::npos) kind.append(".").append(version.substr(0, slash));
    controller = AsciiLower(kind) + "/" + owner.name.str();
    break;
  }
  return {revision.metadata.name, controller, revision.revision, AgeOf(revision.metadata, context)};
}

std::string JobStatusCell(const batchv1::Job& job) {
  const auto is_true = [&](std::string_view type) {
    const batchv1::JobCondition* condition = FindConditionOf(job.status.conditions, type);
    return condition != nullptr && condition->status == "True";
  };
  if (is_true("Complete")) return "Complete";
  if (is_true("Failed")) return "Failed";
  if (job.metadata.deletionTimestamp) return "Terminating";
  for (const char* type : {"Suspended", "FailureTarget", "SuccessCriteriaMet"}) {
    if (is_true(type)) return type;
  }
  return "Running";
}

Cells JobCells(const batchv1::Job& job, const PrintContext& context) {
  std::string completions;
  if (job.spec.completions) {
    completions = fmt::format("{}/{}", job.status.succeeded, *job.spec.completions);
  } else if (job.spec.parallelism.value_or(0) > 1) {
    completions = fmt::format("{}/1 of {}", job.status.succeeded, *job.spec.parallelism);
  } else {
    completions = fmt::format("{}/1", job.status.succeeded);
  }
  std::string duration;
  if (const Optional<metav1::Time>& start = job.status.startTime) {
    const WallTime end = job.status.completionTime ? job.status.completionTime->ToTimePoint() : context.now;
    duration = HumanDuration(end - start->ToTimePoint());
  }
  Cells cells = {job.metadata.name, JobStatusCell(job), completions, duration, AgeOf(job.metadata, context)};
  AddContainerCells(job.spec.template_.spec.containers, cells);
  cells.push_back(SelectorCell(job.spec.selector));
  return cells;
}

Cells CronJobCells(const batchv1::CronJob& job, const PrintContext& context) {
  const Optional<metav1::Time>& last = job.status.lastScheduleTime;
  const std::string_view suspended = !job.spec.suspend ? kUnset : *job.spec.suspend ? "True" : "False";
  Cells cells = {job.metadata.name,
                 job.spec.schedule,
                 Or(job.spec.timeZone, kNone),
                 suspended,
                 static_cast<int64_t>(job.status.active.size()),
                 last ? Age(*last, context.now) : std::string(kNone),
                 AgeOf(job.metadata, context)};
  AddContainerCells(job.spec.jobTemplate.spec.template_.spec.containers, cells);
  cells.push_back(SelectorCell(job.spec.jobTemplate.spec.selector));
  return cells;
}

Cells ScaleCells(const autoscalingv1::Scale& scale, const PrintContext& context) {
  return {scale.metadata.name, scale.spec.replicas, scale.status.replicas, AgeOf(scale.metadata, context)};
}

}  // namespace

void AddWorkloadPrinters(Printers& printers) {
  AddPrinter<appsv1::Deployment, DeploymentCells>(printers);
  AddPrinter<appsv1::ReplicaSet, ReplicaSetCells>(printers);
  AddPrinter<corev1::ReplicationController, ReplicationControllerCells>(printers);
  AddPrinter<appsv1::StatefulSet, StatefulSetCells>(printers);
  AddPrinter<appsv1::DaemonSet, DaemonSetCells>(printers);
  AddPrinter<appsv1::ControllerRevision, ControllerRevisionCells>(printers);
  AddPrinter<batchv1::Job, JobCells>(printers);
  AddPrinter<batchv1::CronJob, CronJobCells>(printers);
  AddPrinter<autoscalingv1::Scale, ScaleCells>(printers);
}

}  // namespace keelson::apiserver::tables

namespace keelson::apiserver {

List<metav1::TableColumnDefinition> ScaleColumns() {
  return {{.name = "Name", .type = "string"},
          {.name = "Desired", .type = "integer"},
          {.name = "Available", .type = "integer"},
          {.name = "Age", .type = "string"}};
}

}  // namespace keelson::apiserver
