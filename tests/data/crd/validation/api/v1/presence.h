#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "keelson/api/meta/v1.h"

namespace validation::v1 {

// Part of something.
struct Part {
  // Name of the part.
  std::string name;
};

// Matter is looked at by nobody.
struct Matter {
  // Hidden from the schema.
  std::string hidden;
};

// ParcelSpec says what must be there.
struct ParcelSpec {
  std::string required;
  // +optional
  std::string omitted;
  // +optional
  Part zero;
  std::optional<std::string> pointer;
  // +required
  std::optional<std::string> requiredPointer;
  Part requiredStruct;
  // +required
  std::optional<Part> requiredOptional;

  // +optional
  std::string a;
  // +required
  std::string b;
  // +kubebuilder:validation:Optional
  std::string c;
  // +kubebuilder:validation:Required
  std::optional<std::string> d;
  // +k8s:optional
  std::string e;
  // +k8s:required
  std::string f;
  // Lists that are required have an item.
  // +k8s:required
  std::vector<std::string> g;
  // +k8s:required
  std::map<std::string, std::string> h;
  // +k8s:required
  std::optional<Part> i;
  // +k8s:required
  std::optional<int32_t> j;
  // +k8s:required
  // +kubebuilder:validation:MinLength=3
  std::string k;
  // +required
  // +kubebuilder:validation:Optional
  std::string l;
  // +optional
  // +kubebuilder:validation:Required
  std::string m;

  // +nullable
  std::optional<std::string> null;
  // +nullable
  // +optional
  std::vector<std::string> nullList;
  // May be null.
  // +nullable
  std::optional<Part> nullPart;

  // Schemaless values are not looked at.
  // +kubebuilder:validation:Schemaless
  // +optional
  Matter schemaless;
  // Described by markers alone.
  // +kubebuilder:validation:Schemaless
  // +kubebuilder:validation:Type=object
  // +kubebuilder:pruning:PreserveUnknownFields
  // +optional
  Matter described;
  // Open to other fields.
  // +kubebuilder:pruning:PreserveUnknownFields
  std::optional<Part> open;
  // Typed otherwise.
  // +kubebuilder:validation:Type=string
  // +kubebuilder:validation:MinLength=4
  // +optional
  int32_t typed = 0;

  // +optional
  // +kubebuilder:validation:MaxLength=9

  // Apart has its markers in the block above.
  std::string apart;

  // A text that is nobody's documentation.

  // Near has only this documentation.
  // +optional
  std::string near;
};

// Parcel to be sent.
// +kubebuilder:object:root=true
struct Parcel {
  keelson::metav1::ObjectMeta metadata;

  // +optional
  std::optional<ParcelSpec> spec;
};

}  // namespace validation::v1
