#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "keelson/api/int_or_string.h"
#include "keelson/api/meta/v1.h"

namespace validation::v1 {

// +groupName=checks.example.com

// ThermostatSpec bounds numbers.
struct ThermostatSpec {
  // +kubebuilder:validation:Minimum=-40
  // +kubebuilder:validation:Maximum=85
  int32_t celsius = 0;
  // +kubebuilder:validation:Minimum=0
  // +kubebuilder:validation:ExclusiveMinimum=true
  // +kubebuilder:validation:Maximum=1e6
  // +kubebuilder:validation:ExclusiveMaximum=true
  // +kubebuilder:validation:MultipleOf=5
  int64_t watts = 0;
  //+kubebuilder:validation:Minimum:=1
  int32_t zones = 0;
  // Level is one of a few numbers.
  // +kubebuilder:validation:Enum=1;2;4;8
  int32_t level = 0;
  // On or off.
  // +kubebuilder:validation:Enum=true
  bool on = false;
  // Text holds a number.
  // +kubebuilder:validation:Type=number
  // +kubebuilder:validation:Format=double
  // +kubebuilder:validation:Minimum=0.5
  // +kubebuilder:validation:Maximum=99.75
  // +kubebuilder:validation:MultipleOf=0.25
  std::string text;
  // Big numbers stay exact.
  // +kubebuilder:validation:Maximum=9007199254740991
  // +optional
  int64_t big = 0;
};

// Thermostat of a room.
// +kubebuilder:object:root=true
struct Thermostat {
  keelson::metav1::ObjectMeta metadata;

  ThermostatSpec spec;
};

// SignSpec bounds texts.
struct SignSpec {
  // +kubebuilder:validation:MinLength=1
  // +kubebuilder:validation:MaxLength=63
  // +kubebuilder:validation:Pattern=^[a-z0-9]([-a-z0-9]*[a-z0-9])?$
  std::string name;
  // Quoted pattern.
  // +kubebuilder:validation:Pattern="^\"[^\"]*\"$"
  std::string quoted;
  // Raw pattern with a comma, a semicolon and a brace.
  // +kubebuilder:validation:Pattern=`^a{1,3};b=c$`
  std::string raw;
  // +kubebuilder:validation:Format=ipv4
  // +optional
  std::string address;
  // +kubebuilder:validation:Format=date-time
  // +optional
  std::string since;
  // +kubebuilder:validation:Format="uuid"
  // +optional
  std::string id;
  // Colour of the sign.
  // +kubebuilder:validation:Enum=red;green;"light blue";"semi;colon";`raw quote`
  // +optional
  std::string colour;
  // Size of the sign.
  // +kubebuilder:validation:Enum={small, "large", `huge`}
  // +optional
  std::string size;
  // Mood may be empty.
  // +kubebuilder:validation:Enum="";Good;Bad
  std::optional<std::string> mood;
  // Mixed values.
  // +kubebuilder:validation:Enum=auto;"1";"true";off
  // +optional
  std::string mixed;
  // Port by number or name.
  // +kubebuilder:validation:XIntOrString
  // +kubebuilder:validation:MinLength=1
  // +kubebuilder:validation:MaxLength=15
  // +kubebuilder:validation:Enum=80;443;http;https
  // +optional
  keelson::IntOrString port;
};

// Sign on a wall.
// +kubebuilder:object:root=true
struct Sign {
  keelson::metav1::ObjectMeta metadata;

  SignSpec spec;
};

}  // namespace validation::v1
