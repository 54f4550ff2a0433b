// The version that is stored.
// +groupName=shop.example.com
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/common/limits.h"
#include "keelson/api/core/v1.h"
#include "keelson/api/meta/v1.h"

namespace shop::v1 {

// Who can reach the app.
enum class Exposure {
  Internal,
  Public,
  // +keelson:json=None
  Nobody,
};

// +kubebuilder:validation:MinLength=1
using Hostname = std::string;

// +listType=set
using Hostnames = std::vector<Hostname>;

// A path and what is below it.
struct Route {
  std::string path = "/";

  // +optional
  std::vector<Route> children;
};

struct Port {
  int32_t number = 0;

  // +optional
  std::string protocol;

  // Zero is another wish than none.
  // +optional
  int32_t weight = 10;
};

// What every program has.
struct Program {
  // +kubebuilder:validation:MinLength=1
  std::string image;

  // +optional
  std::vector<std::string> args;
};

struct AppSpec : Program {
  // How new versions come in.
  struct Rollout {
    std::optional<keelson::IntOrString> maxSurge;

    // +optional
    int64_t delaySeconds = 0;
  };

  // +kubebuilder:validation:Minimum=0
  std::optional<int32_t> replicas;

  Exposure exposure = Exposure::Internal;

  // +optional
  std::vector<Exposure> formerExposures;

  // +optional
  Hostnames hosts;

  // +listType=map
  // +listMapKey=number
  // +listMapKey=protocol
  std::vector<Port> ports;

  // +mapType=atomic
  // +optional
  std::map<std::string, std::string> labels;

  // +optional
  Rollout rollout;

  std::optional<Route> route;

  // +optional
  common::Limits limits;

  // +optional
  keelson::corev1::PodTemplateSpec template_;

  // +structType=atomic
  std::optional<keelson::metav1::LabelSelector> selector;

  // +keelson:json=enable_ingress
  bool enableIngress = false;

  // +optional
  keelson::metav1::Time since;

  std::optional<keelson::metav1::Duration> timeout;

  // +optional
  keelson::RawExtension extension;

  // +optional
  keelson::Json settings;

  // +optional
  keelson::Bytes key;

  // +optional
  keelson::List<keelson::corev1::EnvVar> env;

  keelson::Optional<double> weight;

  // Not part of the object.
  // +keelson:json=-
  int cached = 7;
};

enum class Phase { Pending, Running, Failed };

struct AppStatus {
  std::optional<Phase> phase;

  // +listType=map
  // +listMapKey=type
  // +optional
  std::vector<keelson::metav1::Condition> conditions;
};

// +genclient
// +kubebuilder:object:root=true
// +kubebuilder:storageversion
// +kubebuilder:resource:shortName=ap
// +kubebuilder:subresource:status

// App is a program that runs in several copies.
struct App {
  keelson::metav1::ObjectMeta metadata;
  AppSpec spec;
  AppStatus status;
};

void SetDefaults(App& app);

}  // namespace shop::v1
