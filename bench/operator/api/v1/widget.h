// The API of the operator that bench-operator measures.
// +groupName=bench.example.com
#pragma once

#include <string>

#include "keelson/api/meta/v1.h"

namespace bench::v1 {

struct WidgetSpec {
  std::string value;
};

struct WidgetStatus {
  // +optional
  std::string phase;
};

// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
struct Widget {
  keelson::metav1::ObjectMeta metadata;
  WidgetSpec spec;
  // +optional
  WidgetStatus status;
};

}  // namespace bench::v1
