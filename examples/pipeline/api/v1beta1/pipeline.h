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

  // Where the step runs: the name of a node, or the value of the label distri-infer.ndsl.cn/location of some nodes.
  // +kubebuilder:validation:MaxLength=63
  // +kubebuilder:validation:Pattern=`^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$`
  std::string location;

  // Name of the model. The step's Deployment and Service are named after it.
  // +kubebuilder:validation:MaxLength=50
  // +kubebuilder:validation:Pattern=`^[a-z]([-a-z0-9]*[a-z0-9])?$`
  std::string model;

  // Arguments of the serving program: {"listenPort": "9080"} is --listenPort=9080. listenPort is also the port of the
  // step's Service; 80 where it is not given.
  // +optional
  std::map<std::string, std::string> args;
};

// Where the models are kept.
struct ModelStorage {
  // Kind of storage.
  // +kubebuilder:validation:Enum=nfs;hostPath
  std::string type;

  // Where it is: {"server": "10.0.0.5", "share": "/models"} of nfs, {"path": "/models"} of hostPath.
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

  // Storage that all steps read their models from. It cannot be moved: a PersistentVolume is where it is.
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

  // Whether every step runs, and if not, why.
  // +listType=map
  // +listMapKey=type
  // +optional
  std::vector<keelson::metav1::Condition> conditions;
};

// +genclient
// +genclient:nonNamespaced
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=pipelines,scope=Cluster
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Message",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`,priority=1
// +kubebuilder:printcolumn:name="Storage",type=string,JSONPath=`.status.detailPhase.pvcPhase`,priority=1
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`

// Pipeline serves models one behind the other, each step where its data is.
struct Pipeline {
  keelson::metav1::ObjectMeta metadata;
  PipelineSpec spec;
  PipelineStatus status;
};

}  // namespace pipeline::v1beta1
