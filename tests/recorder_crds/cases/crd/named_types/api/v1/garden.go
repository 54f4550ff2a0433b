// +groupName=garden.example.com
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Depth under the ground in centimetres.
// +kubebuilder:validation:Minimum=0
// +kubebuilder:validation:Maximum=200
// +kubebuilder:validation:ExclusiveMaximum=true
// +kubebuilder:validation:MultipleOf=5
type Depth int32

// Weight in grams.
// +kubebuilder:validation:ExclusiveMinimum=true
// +kubebuilder:validation:Minimum=0
type Weight int64

// Flag that is set.
type Flag bool

// PlantName is a Latin name.
// +kubebuilder:validation:MinLength=3
// +kubebuilder:validation:MaxLength=80
// +kubebuilder:validation:Pattern=`^[A-Z][a-z]+( [a-z]+)*$`
// +kubebuilder:title="Latin name"
type PlantName string

// Season of the year.
// +kubebuilder:validation:Enum=Spring;Summer;Autumn;Winter
type Season string

// SeasonAgain is a season by another name.
// +kubebuilder:validation:Enum=Spring;Autumn
type SeasonAgain Season

// Soil under the plants.
// +kubebuilder:validation:Enum=Clay;Loam;Sand;very-stony
//
//transcribe:enumclass
type Soil string

// PlantNames of a bed.
// +kubebuilder:validation:MinItems=1
// +kubebuilder:validation:MaxItems=12
// +kubebuilder:validation:items:MaxLength=40
// +listType=set
type PlantNames []string

// Seasons in which something happens.
// +kubebuilder:validation:UniqueItems=true
// +kubebuilder:validation:items:Enum=Spring;Summer
type Seasons []string

// Depths one below the other.
// +kubebuilder:validation:MaxItems=3
// +listType=atomic
type Depths []Depth

// Notes by day.
// +kubebuilder:validation:MinProperties=1
// +kubebuilder:validation:MaxProperties=31
// +mapType=granular
type Notes map[string]string

// Calendar has notes by month.
// +mapType=atomic
type Calendar map[string]Notes

// Moment is a text with a form.
// +kubebuilder:validation:Type=string
// +kubebuilder:validation:Format=date-time
type Moment string

// Amount is a number or a text.
// +kubebuilder:validation:XIntOrString
type Amount string

// Freeform holds any object.
// +kubebuilder:validation:XPreserveUnknownFields
// +kubebuilder:validation:XEmbeddedResource
type Freeform struct {
}

// Loose keeps what it does not know.
// +kubebuilder:pruning:PreserveUnknownFields
// +structType=atomic
// +kubebuilder:title=Loose
type Loose struct {
	// Known is known.
	Known string `json:"known,omitempty"`
}

// Checked text.
// +kubebuilder:validation:XValidation:rule="self != 'weed'",message="no weeds"
type Checked string

// Plant grows.
type Plant struct {
	// Name of the plant, said by the field.
	Name PlantName `json:"name"`
	// The type says what it is:
	Depth  Depth   `json:"depth"`
	Weight *Weight `json:"weight,omitempty"`
	// Planted in this season.
	Planted Season `json:"planted,omitempty"`
	// +kubebuilder:default=Autumn
	Harvested *Season     `json:"harvested,omitempty"`
	Pruned    SeasonAgain `json:"pruned,omitempty"`
	Wet       Flag        `json:"wet,omitempty"`
}

// Plants of a bed, by name.
// +listType=map
// +listMapKey=name
type Plants []Plant

// BedSpec is a piece of ground.
type BedSpec struct {
	Plants Plants `json:"plants"`
	// Names with a bound of its own.
	// +kubebuilder:validation:MaxItems=6
	Names PlantNames `json:"names,omitempty"`
	// Same bound as the type.
	// +kubebuilder:validation:MaxItems=12
	Same    PlantNames `json:"same,omitempty"`
	Seasons Seasons    `json:"seasons,omitempty"`
	Depths  Depths     `json:"depths,omitempty"`
	// Shallow has a tighter bound than its type.
	// +kubebuilder:validation:Maximum=50
	Shallow Depth `json:"shallow,omitempty"`
	// Short has another pattern than its type.
	// +kubebuilder:validation:Pattern=`^[A-Z]`
	// +kubebuilder:validation:MaxLength=10
	Short PlantName `json:"short,omitempty"`
	// Half of the seasons.
	// +kubebuilder:validation:Enum=Spring;Summer
	Half     Season            `json:"half,omitempty"`
	Notes    Notes             `json:"notes,omitempty"`
	Calendar Calendar          `json:"calendar,omitempty"`
	ByName   map[string]Plant  `json:"byName,omitempty"`
	ByDepth  map[string]Depth  `json:"byDepth,omitempty"`
	ByList   map[string]Depths `json:"byList,omitempty"`
	Soils    []Soil            `json:"soils,omitempty"`
	Soil     *Soil             `json:"soil,omitempty"`
	// Few notes.
	// +kubebuilder:validation:MaxProperties=3
	// +mapType=atomic
	Few Notes `json:"few,omitempty"`
}

// Bed in a garden.
// +kubebuilder:object:root=true
// +kubebuilder:title="A bed of flowers"
type Bed struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec BedSpec `json:"spec"`
}

// ShedSpec is odd.
type ShedSpec struct {
	Opened Moment `json:"opened"`
	// Closed at this moment.
	Closed *Moment `json:"closed,omitempty"`
	Amount Amount  `json:"amount"`
	// Percent of the amount.
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:Pattern=`^\d+%?$`
	Percent *intstr.IntOrString `json:"percent,omitempty"`
	Free    Freeform            `json:"free,omitempty"`
	Loose   *Loose              `json:"loose,omitempty"`
	// Looser is granular.
	// +structType=granular
	Looser  *Loose   `json:"looser,omitempty"`
	Checked Checked  `json:"checked,omitempty"`
	All     []Loose  `json:"all,omitempty"`
	Texts   []Moment `json:"texts,omitempty"`
	// Twice checked.
	// +kubebuilder:validation:XValidation:rule="self != 'moss'"
	Twice Checked `json:"twice,omitempty"`
}

// Shed with tools.
// +kubebuilder:object:root=true
type Shed struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec ShedSpec `json:"spec"`
}
