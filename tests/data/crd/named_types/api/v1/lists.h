#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "keelson/api/meta/v1.h"

namespace named_types::v1 {

// Lengths of hoses.
// +kubebuilder:validation:items:Minimum=1
// +kubebuilder:validation:items:ExclusiveMinimum=true
// +kubebuilder:validation:items:Maximum=99
// +kubebuilder:validation:items:ExclusiveMaximum=true
// +kubebuilder:validation:items:MultipleOf=3
using Lengths = std::vector<int32_t>;

// Labels on hoses.
// +kubebuilder:validation:items:MinLength=1
// +kubebuilder:validation:items:MaxLength=9
// +kubebuilder:validation:items:Pattern=`^[a-z]+$`
// +kubebuilder:validation:items:Format=hostname
// +kubebuilder:validation:items:XValidation:rule="self != 'x'",message="not x"
using Labels = std::vector<std::string>;

// Rows of hoses.
// +kubebuilder:validation:items:MinItems=1
// +kubebuilder:validation:items:MaxItems=5
// +kubebuilder:validation:items:UniqueItems=false
using Rows = std::vector<std::vector<std::string>>;

// Tables of hoses.
// +kubebuilder:validation:items:MinProperties=1
// +kubebuilder:validation:items:MaxProperties=5
// +kubebuilder:validation:items:XPreserveUnknownFields
// +kubebuilder:validation:items:XEmbeddedResource
using Tables = std::vector<std::map<std::string, std::string>>;

// Values of hoses.
// +kubebuilder:validation:items:Type=integer
using Values = std::vector<std::string>;

// Ends of hoses.
// +kubebuilder:validation:items:XIntOrString
using Ends = std::vector<std::string>;

// HoseSpec has a field of every list.
struct HoseSpec {
  Lengths lengths;
  Labels labels;
  Rows rows;
  Tables tables;
  Values values;
  Ends ends;
  // Nested lists of a named type.
  // +optional
  std::vector<Labels> nested;
  // Bounded by the field as well.
  // +kubebuilder:validation:MinItems=2
  // +listType=set
  // +optional
  Labels bounded;
};

// Hose in a garden.
// +kubebuilder:object:root=true
struct Hose {
  keelson::metav1::ObjectMeta metadata;

  HoseSpec spec;
};

}  // namespace named_types::v1
