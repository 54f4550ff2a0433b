#include "pipeline_parts.h"

#include <fmt/format.h>

#include <charconv>

#include "keelson/api/quantity.h"

namespace pipeline {

using namespace keelson;
using v1beta1::ModelStorage;
using v1beta1::Pipeline;
using v1beta1::Step;

namespace {

constexpr std::string_view kModels = "models";  // the volume, as Pods call it
constexpr std::string_view kMountPath = "/models";
constexpr std::string_view kCapacity = "10Gi";  // a claim must ask for some; neither nfs nor hostPath counts it
constexpr int32_t kDefaultPort = 80;

std::string ParameterOf(const ModelStorage& storage, const std::string& name) {
  const auto found = storage.csiParameter.find(name);
  return found == storage.csiParameter.end() ? std::string() : found->second;
}

std::optional<Problem> MissingParameter(const ModelStorage& storage, const std::string& name, bool path) {
  const std::string value = ParameterOf(storage, name);
  if (!value.empty() && (!path || value.starts_with('/'))) return std::nullopt;
  return Problem{"InvalidStorage", fmt::format("spec.modelStorage.csiParameter: {} needs \"{}\"{}, found \"{}\"",
                                               storage.type, name, path ? ", a path from the root" : "", value)};
}

// Nothing where it is no port.
std::optional<int32_t> ParsePort(const std::string& text) {
  int32_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size() || port < 1 || port > 65535) return std::nullopt;
  return port;
}

Map<String> SelectorOf(const Pipeline& pipeline, const Step& step) {
  return {{String(kPipelineLabel), pipeline.metadata.name}, {String(kModelLabel), step.model}};
}

void Label(const Pipeline& pipeline, metav1::ObjectMeta& part) {
  part.labels.Set(kPipelineLabel, pipeline.metadata.name);
}
void LabelStep(const Pipeline& pipeline, size_t index, metav1::ObjectMeta& part) {
  Label(pipeline, part);
  part.labels.Set(kModelLabel, pipeline.spec.steps[index].model);
  part.labels.Set(kStepLabel, std::to_string(index + 1));
}

// Terms are alternatives: the node of that name, or those with that label.
corev1::Affinity At(const std::string& location) {
  const corev1::NodeSelector nodes = {
      .nodeSelectorTerms = {
          {.matchFields = {{.key = "metadata.name", .operator_ = "In", .values = {location}}}},
          {.matchExpressions = {{.key = kLocationLabel, .operator_ = "In", .values = {location}}}},
      }};
  return {.nodeAffinity = {{.requiredDuringSchedulingIgnoredDuringExecution = nodes}}};
}

}  // namespace

std::optional<Problem> ProblemOf(const v1beta1::PipelineSpec& spec) {
  const ModelStorage& storage = spec.modelStorage;
  if (storage.type == "nfs") {
    if (auto problem = MissingParameter(storage, "server", false)) return problem;
    if (auto problem = MissingParameter(storage, "share", true)) return problem;
  } else if (auto problem = MissingParameter(storage, "path", true)) {
    return problem;
  }
  for (const Step& step : spec.steps) {
    const auto port = step.args.find("listenPort");
    if (port == step.args.end() || ParsePort(port->second)) continue;
    return Problem{"InvalidStep", fmt::format("spec.steps[model={}].args.listenPort: expected a port, found \"{}\"",
                                              step.model, port->second)};
  }
  return std::nullopt;
}

std::optional<Problem> ProblemOf(const Pipeline& pipeline, const corev1::PersistentVolume& volume) {
  corev1::PersistentVolume wanted;
  FillVolume(pipeline, {}, wanted);
  const auto& nfs = volume.spec.nfs;
  const auto& path = volume.spec.hostPath;
  const bool same = wanted.spec.nfs
                        ? nfs && nfs->server == wanted.spec.nfs->server && nfs->path == wanted.spec.nfs->path
                        : path && path->path == wanted.spec.hostPath->path;
  if (same) return std::nullopt;
  return Problem{
      "StorageChanged",
      fmt::format("spec.modelStorage is not where PersistentVolume {} is, which cannot move: change it back, "
                  "or delete the Pipeline and make it again",
                  volume.metadata.name.view())};
}

std::string StorageNameOf(const Pipeline& pipeline) { return fmt::format("{}-models", pipeline.metadata.name.view()); }

int32_t PortOf(const Step& step) {
  const auto port = step.args.find("listenPort");
  return port == step.args.end() ? kDefaultPort : ParsePort(port->second).value_or(kDefaultPort);
}

std::set<std::string> ModelsOf(const v1beta1::PipelineSpec& spec) {
  std::set<std::string> models;
  for (const Step& step : spec.steps) models.insert(step.model);
  return models;
}

void FillClaim(const Pipeline& pipeline, corev1::PersistentVolumeClaim& claim) {
  Label(pipeline, claim.metadata);
  if (!claim.metadata.uid.empty()) return;  // what follows cannot change
  claim.spec = {.accessModes = {"ReadWriteMany"},
                .resources = {.requests = {{"storage", Quantity::Parse(kCapacity).value()}}},
                .volumeName = StorageNameOf(pipeline),
                .storageClassName = ""};  // none: nobody is to make another volume for it
}

void FillVolume(const Pipeline& pipeline, const corev1::PersistentVolumeClaim& claim,
                corev1::PersistentVolume& volume) {
  Label(pipeline, volume.metadata);
  if (volume.metadata.uid.empty()) {
    const ModelStorage& storage = pipeline.spec.modelStorage;
    volume.spec = {.capacity = {{"storage", Quantity::Parse(kCapacity).value()}},
                   .accessModes = {"ReadWriteMany"},
                   .persistentVolumeReclaimPolicy = "Retain"};  // models outlive the Pipeline
    if (storage.type == "nfs") {
      volume.spec.nfs = {{.server = ParameterOf(storage, "server"), .path = ParameterOf(storage, "share")}};
    } else {
      volume.spec.hostPath = {{.path = ParameterOf(storage, "path")}};
    }
  }
  // A volume whose claim was deleted is Released, and no other claim gets it until it says so.
  if (volume.spec.claimRef && volume.spec.claimRef->uid == claim.metadata.uid) return;
  volume.spec.claimRef = {{.kind = "PersistentVolumeClaim",
                           .namespace_ = claim.metadata.namespace_,
                           .name = claim.metadata.name,
                           .uid = claim.metadata.uid,
                           .apiVersion = "v1"}};
}

void FillDeployment(const Pipeline& pipeline, size_t index, appsv1::Deployment& deployment) {
  const Step& step = pipeline.spec.steps[index];
  LabelStep(pipeline, index, deployment.metadata);
  appsv1::DeploymentSpec& spec = deployment.spec;
  spec.replicas = 1;
  spec.selector = {{.matchLabels = SelectorOf(pipeline, step)}};
  spec.template_.metadata.labels = SelectorOf(pipeline, step);
  corev1::PodSpec& pod = spec.template_.spec;
  pod.affinity = At(step.location);
  pod.volumes = {{.name = kModels, .persistentVolumeClaim = {{.claimName = StorageNameOf(pipeline)}}}};
  if (pod.containers.empty()) pod.containers.push_back({.name = "server"});
  corev1::Container& server = pod.containers[0];
  server.image = step.image;
  server.args = {};
  for (const auto& [name, value] : step.args) server.args.push_back(fmt::format("--{}={}", name, value));
  server.ports = {{.name = "http", .containerPort = PortOf(step), .protocol = "TCP"}};
  server.volumeMounts = {{.name = kModels, .readOnly = true, .mountPath = kMountPath}};
}

void FillService(const Pipeline& pipeline, size_t index, corev1::Service& service) {
  const Step& step = pipeline.spec.steps[index];
  LabelStep(pipeline, index, service.metadata);
  service.spec.type = "ClusterIP";
  service.spec.selector = SelectorOf(pipeline, step);
  service.spec.ports = {{.name = "http", .protocol = "TCP", .port = PortOf(step), .targetPort = PortOf(step)}};
}

}  // namespace pipeline
