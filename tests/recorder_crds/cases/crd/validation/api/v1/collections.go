package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Stop of a line.
type Stop struct {
	// Name of the stop.
	Name string `json:"name"`
	// Minutes from the start.
	Minutes int32 `json:"minutes,omitempty"`
}

// LineSpec bounds lists.
type LineSpec struct {
	// +kubebuilder:validation:MinItems=2
	// +kubebuilder:validation:MaxItems=100
	Stops []Stop `json:"stops"`
	// +kubebuilder:validation:UniqueItems=true
	Colours []string `json:"colours,omitempty"`
	// +kubebuilder:validation:UniqueItems=false
	Buses []string `json:"buses,omitempty"`
	// Numbers of the line.
	// +kubebuilder:validation:items:Minimum=1
	// +kubebuilder:validation:items:ExclusiveMinimum=true
	// +kubebuilder:validation:items:Maximum=999
	// +kubebuilder:validation:items:ExclusiveMaximum=true
	// +kubebuilder:validation:items:MultipleOf=2
	Numbers []int32 `json:"numbers,omitempty"`
	// Names of the line.
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=10
	// +kubebuilder:validation:items:Pattern=`^[A-Z]+$`
	// +kubebuilder:validation:MaxItems=5
	Names []string `json:"names,omitempty"`
	// Days it runs.
	// +kubebuilder:validation:items:Enum=Mon;Tue;Wed;Thu;Fri;Sat;Sun
	// +listType=set
	Days []string `json:"days,omitempty"`
	// Dates it does not run.
	// +kubebuilder:validation:items:Format=date
	Dates []string `json:"dates,omitempty"`
	// Grid of places: rows, columns.
	// +kubebuilder:validation:items:MinItems=1
	// +kubebuilder:validation:items:MaxItems=4
	// +kubebuilder:validation:items:UniqueItems=true
	Grid [][]string `json:"grid,omitempty"`
	// Fares by zone, for each class.
	// +kubebuilder:validation:items:MinProperties=1
	// +kubebuilder:validation:items:MaxProperties=9
	Fares []map[string]int32 `json:"fares,omitempty"`
	// Extra values, written as numbers.
	// +kubebuilder:validation:items:Type=integer
	// +kubebuilder:validation:items:Format=int64
	Extra []string `json:"extra,omitempty"`
	// Ports by number or name.
	// +kubebuilder:validation:items:XIntOrString
	Ports []string `json:"ports,omitempty"`
	// Objects of any shape.
	// +kubebuilder:validation:items:XPreserveUnknownFields
	// +kubebuilder:validation:items:XEmbeddedResource
	Objects []map[string]string `json:"objects,omitempty"`
	// Checked items.
	// +kubebuilder:validation:items:XValidation:rule="self.startsWith('a')",message="must start with a"
	// +kubebuilder:validation:items:XValidation:rule="self.size() < 9",messageExpression="'too long: ' + self",reason=FieldValueInvalid,fieldPath=".x",optionalOldSelf=true
	Checked []string `json:"checked,omitempty"`
	// Stops again, each checked.
	// +kubebuilder:validation:items:XValidation:rule="self.minutes >= 0"
	Again []Stop `json:"again,omitempty"`
}

// Line of a bus.
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=buslines
type Line struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec LineSpec `json:"spec"`
}

// TimetableSpec bounds maps.
// +kubebuilder:validation:MinProperties=1
// +kubebuilder:validation:MaxProperties=3
type TimetableSpec struct {
	// +kubebuilder:validation:MinProperties=1
	// +kubebuilder:validation:MaxProperties=7
	Days map[string]string `json:"days,omitempty"`
	// Departures by stop.
	Departures map[string][]Stop `json:"departures,omitempty"`
	// Deep is a map of maps of lists of lists.
	Deep map[string]map[string][][]int64 `json:"deep,omitempty"`
	// Lines by name.
	Lines map[string]*Stop `json:"lines,omitempty"`
	// List of pointers.
	List []*Stop `json:"list,omitempty"`
	// Flags by name.
	Flags map[string]bool `json:"flags,omitempty"`
	// Blobs by name.
	Blobs map[string][]byte `json:"blobs,omitempty"`
	// Chunks of bytes.
	Chunks [][]byte `json:"chunks,omitempty"`
	// Bounded struct.
	// +kubebuilder:validation:MinProperties=2
	// +kubebuilder:validation:Type=object
	Bounded *Stop `json:"bounded,omitempty"`
}

// Timetable of a line.
// +kubebuilder:object:root=true
// +kubebuilder:resource:shortName={"tt","times"},categories={transport,"all"}
type Timetable struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec TimetableSpec `json:"spec"`
}
