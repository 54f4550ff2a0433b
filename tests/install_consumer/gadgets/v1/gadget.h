// Another group, with a CRD that the build writes.
// +groupName=gadgets.example.com
#pragma once

#include "keelson/api/meta/v1.h"

namespace example::gadgets::v1 {

// +kubebuilder:object:root=true
// +kubebuilder:storageversion
struct Gadget {
  keelson::metav1::ObjectMeta metadata;
};

}  // namespace example::gadgets::v1
