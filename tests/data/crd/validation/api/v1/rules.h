#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "keelson/api/meta/v1.h"

namespace validation::v1 {

// Span of numbers.
// +kubebuilder:validation:XValidation:rule="self.low <= self.high",message="low must not be above high"
struct Span {
  int32_t low = 0;
  int32_t high = 0;
};

// ElevatorSpec has rules.
// +kubebuilder:validation:XValidation:rule="self.floor in self.floors",message="the floor must be one of the floors",reason="FieldValueInvalid",fieldPath=".floor"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.serial) || has(self.serial)",messageExpression="'serial was ' + oldSelf.serial",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule=`oldSelf.hasValue() || self.floor == 0`,optionalOldSelf=true
// +kubebuilder:validation:XValidation:rule="self.motto != \"none\"",message=`say "something", please; or not`
struct ElevatorSpec {
  int32_t floor = 0;
  std::vector<int32_t> floors;
  // Serial number, which never changes.
  // +kubebuilder:validation:XValidation:rule="self == oldSelf",message="serial is immutable",reason=FieldValueDuplicate,optionalOldSelf=false
  // +optional
  std::string serial;
  // Motto in the cabin.
  // +kubebuilder:validation:XValidation:rule="self.size() > 0",reason=FieldValueRequired
  // +optional
  std::string motto;
  // Range of floors: the rules of the field come before those of the type.
  // +kubebuilder:validation:XValidation:rule="self.high < 100"
  // +kubebuilder:validation:XValidation:rule="self.low > -10",message="too deep"
  std::optional<Span> range;
  // Plain range.
  // +optional
  Span plain;
  // Ranges of other elevators.
  // +kubebuilder:validation:MaxItems=10
  // +kubebuilder:validation:XValidation:rule="self.all(x, x.low != 3)"
  // +optional
  std::vector<Span> ranges;
};

// Elevator in a house.
// +kubebuilder:object:root=true
// +kubebuilder:validation:XValidation:rule="self.metadata.name.startsWith('e-')",message="names start with e-"
struct Elevator {
  keelson::metav1::ObjectMeta metadata;

  ElevatorSpec spec;
};

// SourceSpec is a choice.
// +kubebuilder:validation:ExactlyOneOf=git;image;archive
// +kubebuilder:validation:AtMostOneOf=tag;branch
// +kubebuilder:validation:AtMostOneOf=user;robot
// +kubebuilder:validation:AtLeastOneOf=mail;phone
// +kubebuilder:validation:XValidation:rule="true",message="always"
struct SourceSpec {
  std::optional<std::string> git;
  std::optional<std::string> image;
  std::optional<std::string> archive;
  // +optional
  std::string tag;
  // +optional
  std::string branch;
  // +optional
  std::string user;
  // +optional
  std::optional<std::string> robot;
  std::optional<std::string> mail;
  std::optional<std::string> phone;
};

// Source of a build.
// +kubebuilder:object:root=true
struct Source {
  keelson::metav1::ObjectMeta metadata;

  // The choice.
  SourceSpec spec;
};

}  // namespace validation::v1
