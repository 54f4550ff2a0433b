// +groupName=distri-infer.ndsl.cn
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "keelson/api/meta/v1.h"

namespace pipeline::v1beta1 {

// One stage of the pipeline: a model served by an image at a place.
struct Step {
  // Image that serves the model.
  // +kubebuilder:validation:MinLength=1
  std::string image;

  // Name of the node, or value of the location label of the nodes, where the step runs.
  // +kubebuilder:validation:MinLength=1
  std::string location;

  // Name of the model. The step's Deployment and Service are named after it.
  // +kubebuilder:validation:MaxLength=50
  // +kubebuilder:validation:Pattern=`^[a-z]([-a-z0-9]*[a-z0-9])?$`
  std::string model;

  // Arguments of the serving program: {"listenPort": "9080"}.
  // +optional
  std::map<std::string, std::string> args;
};

// Where the models are kept.
struct ModelStorage {
  // Kind of storage.
  // +kubebuilder:validation:Enum=nfs;hostPath
  std::string type;

  // Parameters of the storage driver: {"server": "10.0.0.5", "share": "/models"}.
  std::map<std::string, std::string> csiParameter;
};

// What the pipeline consists of.
struct PipelineSpec {
  // The steps in their order.
  // +kubebuilder:validation:MinItems=1
  // +kubebuilder:validation:MaxItems=64
  // +listType=map
  // +listMapKey=model
  std::vector<Step> steps;

  // Storage that all steps read their models from.
  ModelStorage modelStorage;
};

// How far a Pipeline is.
enum class Phase {
  Creating,
  Running,
  Degraded,
  Failed,
  Deleting,
};

// How far one step is.
struct StepPhase {
  // The step's model.
  std::string model;

  // State of the step's Deployment.
  std::string deploymentPhase;

  // State of the step's Service.
  // +optional
  std::string servicePhase;
};

// How far each part is.
struct DetailPhase {
  // State of the PersistentVolume with the models.
  // +optional
  std::string pvPhase;

  // State of the claim on it.
  // +optional
  std::string pvcPhase;

  // State of each step.
  // +listType=map
  // +listMapKey=model
  // +optional
  std::vector<StepPhase> stepsPhase;
};

// What was seen last.
struct PipelineStatus {
  // The pipeline as a whole.
  std::optional<Phase> phase;

  // Its parts.
  std::optional<DetailPhase> detailPhase;
};

// +genclient
// +genclient:nonNamespaced
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=pipelines,scope=Cluster
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Models",type=string,JSONPath=`.spec.steps[*].model`
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Storage",type=string,JSONPath=`.status.detailPhase.pvcPhase`,priority=1
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`

// Pipeline serves models one behind the other, each step where its data is.
struct Pipeline {
  keelson::metav1::ObjectMeta metadata;
  PipelineSpec spec;
  PipelineStatus status;
};

}  // namespace pipeline::v1beta1
