#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "keelson/api/meta/v1.h"
#include "keelson/api/string.h"

namespace validation::v1 {

// Stop of a line.
struct Stop {
  // Name of the stop.
  std::string name;
  // Minutes from the start.
  // +optional
  int32_t minutes = 0;
};

// LineSpec bounds lists.
struct LineSpec {
  // +kubebuilder:validation:MinItems=2
  // +kubebuilder:validation:MaxItems=100
  std::vector<Stop> stops;
  // +kubebuilder:validation:UniqueItems=true
  // +optional
  std::vector<std::string> colours;
  // +kubebuilder:validation:UniqueItems=false
  // +optional
  std::vector<std::string> buses;
  // Numbers of the line.
  // +kubebuilder:validation:items:Minimum=1
  // +kubebuilder:validation:items:ExclusiveMinimum=true
  // +kubebuilder:validation:items:Maximum=999
  // +kubebuilder:validation:items:ExclusiveMaximum=true
  // +kubebuilder:validation:items:MultipleOf=2
  // +optional
  std::vector<int32_t> numbers;
  // Names of the line.
  // +kubebuilder:validation:items:MinLength=1
  // +kubebuilder:validation:items:MaxLength=10
  // +kubebuilder:validation:items:Pattern=`^[A-Z]+$`
  // +kubebuilder:validation:MaxItems=5
  // +optional
  std::vector<std::string> names;
  // Days it runs.
  // +kubebuilder:validation:items:Enum=Mon;Tue;Wed;Thu;Fri;Sat;Sun
  // +listType=set
  // +optional
  std::vector<std::string> days;
  // Dates it does not run.
  // +kubebuilder:validation:items:Format=date
  // +optional
  std::vector<std::string> dates;
  // Grid of places: rows, columns.
  // +kubebuilder:validation:items:MinItems=1
  // +kubebuilder:validation:items:MaxItems=4
  // +kubebuilder:validation:items:UniqueItems=true
  // +optional
  std::vector<std::vector<std::string>> grid;
  // Fares by zone, for each class.
  // +kubebuilder:validation:items:MinProperties=1
  // +kubebuilder:validation:items:MaxProperties=9
  // +optional
  std::vector<std::map<std::string, int32_t>> fares;
  // Extra values, written as numbers.
  // +kubebuilder:validation:items:Type=integer
  // +kubebuilder:validation:items:Format=int64
  // +optional
  std::vector<std::string> extra;
  // Ports by number or name.
  // +kubebuilder:validation:items:XIntOrString
  // +optional
  std::vector<std::string> ports;
  // Objects of any shape.
  // +kubebuilder:validation:items:XPreserveUnknownFields
  // +kubebuilder:validation:items:XEmbeddedResource
  // +optional
  std::vector<std::map<std::string, std::string>> objects;
  // Checked items.
  // +kubebuilder:validation:items:XValidation:rule="self.startsWith('a')",message="must start with a"
  // +kubebuilder:validation:items:XValidation:rule="self.size() < 9",messageExpression="'too long: ' + self",reason=FieldValueInvalid,fieldPath=".x",optionalOldSelf=true
  // +optional
  std::vector<std::string> checked;
  // Stops again, each checked.
  // +kubebuilder:validation:items:XValidation:rule="self.minutes >= 0"
  // +optional
  std::vector<Stop> again;
};

// Line of a bus.
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=buslines
struct Line {
  keelson::metav1::ObjectMeta metadata;

  LineSpec spec;
};

// TimetableSpec bounds maps.
// +kubebuilder:validation:MinProperties=1
// +kubebuilder:validation:MaxProperties=3
struct TimetableSpec {
  // +kubebuilder:validation:MinProperties=1
  // +kubebuilder:validation:MaxProperties=7
  // +optional
  std::map<std::string, std::string> days;
  // Departures by stop.
  // +optional
  std::map<std::string, std::vector<Stop>> departures;
  // Deep is a map of maps of lists of lists.
  // +optional
  std::map<std::string, std::map<std::string, std::vector<std::vector<int64_t>>>> deep;
  // Lines by name.
  // +optional
  std::map<std::string, Stop> lines;
  // List of pointers.
  // +optional
  std::vector<Stop> list;
  // Flags by name.
  // +optional
  std::map<std::string, bool> flags;
  // Blobs by name.
  // +optional
  std::map<std::string, keelson::Bytes> blobs;
  // Chunks of bytes.
  // +optional
  std::vector<keelson::Bytes> chunks;
  // Bounded struct.
  // +kubebuilder:validation:MinProperties=2
  // +kubebuilder:validation:Type=object
  std::optional<Stop> bounded;
};

// Timetable of a line.
// +kubebuilder:object:root=true
// +kubebuilder:resource:shortName={"tt","times"},categories={transport,"all"}
struct Timetable {
  keelson::metav1::ObjectMeta metadata;

  TimetableSpec spec;
};

}  // namespace validation::v1
