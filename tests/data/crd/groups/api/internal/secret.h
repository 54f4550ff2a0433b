// Package internal is left out.
// +groupName=internal.example.com
// +kubebuilder:skip

#pragma once

#include "keelson/api/meta/v1.h"

namespace groups::internal {

// Ledger that nobody sees.
// +kubebuilder:object:root=true
struct Ledger {
  keelson::metav1::ObjectMeta metadata;
};

}  // namespace groups::internal
