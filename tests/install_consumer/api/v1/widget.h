// A user's API type.
// +groupName=example.com
#pragma once

#include <optional>

#include "keelson/api/meta/v1.h"
#include "shared/named.h"

namespace example::v1 {

enum class Tone { Formal, Friendly };

struct WidgetSpec : shared::Named {
  std::optional<Tone> tone;
};

// +kubebuilder:object:root=true
// +kubebuilder:storageversion
struct Widget {
  keelson::metav1::ObjectMeta metadata;
  WidgetSpec spec;
};

}  // namespace example::v1
