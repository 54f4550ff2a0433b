// +groupName=garden.example.com

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "keelson/api/int_or_string.h"
#include "keelson/api/meta/v1.h"

namespace named_types::v1 {

// Depth under the ground in centimetres.
// +kubebuilder:validation:Minimum=0
// +kubebuilder:validation:Maximum=200
// +kubebuilder:validation:ExclusiveMaximum=true
// +kubebuilder:validation:MultipleOf=5
using Depth = int32_t;

// Weight in grams.
// +kubebuilder:validation:ExclusiveMinimum=true
// +kubebuilder:validation:Minimum=0
using Weight = int64_t;

// Flag that is set.
using Flag = bool;

// PlantName is a Latin name.
// +kubebuilder:validation:MinLength=3
// +kubebuilder:validation:MaxLength=80
// +kubebuilder:validation:Pattern=`^[A-Z][a-z]+( [a-z]+)*$`
// +kubebuilder:title="Latin name"
using PlantName = std::string;

// Season of the year.
// +kubebuilder:validation:Enum=Spring;Summer;Autumn;Winter
using Season = std::string;

// SeasonAgain is a season by another name.
// +kubebuilder:validation:Enum=Spring;Autumn
using SeasonAgain = Season;

// Soil under the plants.
enum class Soil {
  Clay,
  Loam,
  Sand,
  // +keelson:json=very-stony
  veryStony,
};

// PlantNames of a bed.
// +kubebuilder:validation:MinItems=1
// +kubebuilder:validation:MaxItems=12
// +kubebuilder:validation:items:MaxLength=40
// +listType=set
using PlantNames = std::vector<std::string>;

// Seasons in which something happens.
// +kubebuilder:validation:UniqueItems=true
// +kubebuilder:validation:items:Enum=Spring;Summer
using Seasons = std::vector<std::string>;

// Depths one below the other.
// +kubebuilder:validation:MaxItems=3
// +listType=atomic
using Depths = std::vector<Depth>;

// Notes by day.
// +kubebuilder:validation:MinProperties=1
// +kubebuilder:validation:MaxProperties=31
// +mapType=granular
using Notes = std::map<std::string, std::string>;

// Calendar has notes by month.
// +mapType=atomic
using Calendar = std::map<std::string, Notes>;

// Moment is a text with a form.
// +kubebuilder:validation:Type=string
// +kubebuilder:validation:Format=date-time
using Moment = std::string;

// Amount is a number or a text.
// +kubebuilder:validation:XIntOrString
using Amount = std::string;

// Freeform holds any object.
// +kubebuilder:validation:XPreserveUnknownFields
// +kubebuilder:validation:XEmbeddedResource
struct Freeform {
};

// Loose keeps what it does not know.
// +kubebuilder:pruning:PreserveUnknownFields
// +structType=atomic
// +kubebuilder:title=Loose
struct Loose {
  // Known is known.
  // +optional
  std::string known;
};

// Checked text.
// +kubebuilder:validation:XValidation:rule="self != 'weed'",message="no weeds"
using Checked = std::string;

// Plant grows.
struct Plant {
  // Name of the plant, said by the field.
  PlantName name;
  // The type says what it is:
  Depth depth;
  std::optional<Weight> weight;
  // Planted in this season.
  // +optional
  Season planted;
  // +kubebuilder:default=Autumn
  std::optional<Season> harvested;
  // +optional
  SeasonAgain pruned;
  // +optional
  Flag wet;
};

// Plants of a bed, by name.
// +listType=map
// +listMapKey=name
using Plants = std::vector<Plant>;

// BedSpec is a piece of ground.
struct BedSpec {
  Plants plants;
  // Names with a bound of its own.
  // +kubebuilder:validation:MaxItems=6
  // +optional
  PlantNames names;
  // Same bound as the type.
  // +kubebuilder:validation:MaxItems=12
  // +optional
  PlantNames same;
  // +optional
  Seasons seasons;
  // +optional
  Depths depths;
  // Shallow has a tighter bound than its type.
  // +kubebuilder:validation:Maximum=50
  // +optional
  Depth shallow;
  // Short has another pattern than its type.
  // +kubebuilder:validation:Pattern=`^[A-Z]`
  // +kubebuilder:validation:MaxLength=10
  // +optional
  PlantName short_;
  // Half of the seasons.
  // +kubebuilder:validation:Enum=Spring;Summer
  // +optional
  Season half;
  // +optional
  Notes notes;
  // +optional
  Calendar calendar;
  // +optional
  std::map<std::string, Plant> byName;
  // +optional
  std::map<std::string, Depth> byDepth;
  // +optional
  std::map<std::string, Depths> byList;
  // +optional
  std::vector<Soil> soils;
  std::optional<Soil> soil;
  // Few notes.
  // +kubebuilder:validation:MaxProperties=3
  // +mapType=atomic
  // +optional
  Notes few;
};

// Bed in a garden.
// +kubebuilder:object:root=true
// +kubebuilder:title="A bed of flowers"
struct Bed {
  keelson::metav1::ObjectMeta metadata;

  BedSpec spec;
};

// ShedSpec is odd.
struct ShedSpec {
  Moment opened;
  // Closed at this moment.
  std::optional<Moment> closed;
  Amount amount;
  // Percent of the amount.
  // +kubebuilder:validation:XIntOrString
  // +kubebuilder:validation:Pattern=`^\d+%?$`
  std::optional<keelson::IntOrString> percent;
  // +optional
  Freeform free;
  std::optional<Loose> loose;
  // Looser is granular.
  // +structType=granular
  std::optional<Loose> looser;
  // +optional
  Checked checked;
  // +optional
  std::vector<Loose> all;
  // +optional
  std::vector<Moment> texts;
  // Twice checked.
  // +kubebuilder:validation:XValidation:rule="self != 'moss'"
  // +optional
  Checked twice;
};

// Shed with tools.
// +kubebuilder:object:root=true
struct Shed {
  keelson::metav1::ObjectMeta metadata;

  ShedSpec spec;
};

}  // namespace named_types::v1
