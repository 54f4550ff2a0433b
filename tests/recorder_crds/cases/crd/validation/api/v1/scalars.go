package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// +groupName=checks.example.com

// ThermostatSpec bounds numbers.
type ThermostatSpec struct {
	// +kubebuilder:validation:Minimum=-40
	// +kubebuilder:validation:Maximum=85
	Celsius int32 `json:"celsius"`
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:ExclusiveMinimum=true
	// +kubebuilder:validation:Maximum=1e6
	// +kubebuilder:validation:ExclusiveMaximum=true
	// +kubebuilder:validation:MultipleOf=5
	Watts int64 `json:"watts"`
	//+kubebuilder:validation:Minimum:=1
	Zones int32 `json:"zones"`
	// Level is one of a few numbers.
	// +kubebuilder:validation:Enum=1;2;4;8
	Level int32 `json:"level"`
	// On or off.
	// +kubebuilder:validation:Enum=true
	On bool `json:"on"`
	// Text holds a number.
	// +kubebuilder:validation:Type=number
	// +kubebuilder:validation:Format=double
	// +kubebuilder:validation:Minimum=0.5
	// +kubebuilder:validation:Maximum=99.75
	// +kubebuilder:validation:MultipleOf=0.25
	Text string `json:"text"`
	// Big numbers stay exact.
	// +kubebuilder:validation:Maximum=9007199254740991
	Big int64 `json:"big,omitempty"`
}

// Thermostat of a room.
// +kubebuilder:object:root=true
type Thermostat struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec ThermostatSpec `json:"spec"`
}

// SignSpec bounds texts.
type SignSpec struct {
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=^[a-z0-9]([-a-z0-9]*[a-z0-9])?$
	Name string `json:"name"`
	// Quoted pattern.
	// +kubebuilder:validation:Pattern="^\"[^\"]*\"$"
	Quoted string `json:"quoted"`
	// Raw pattern with a comma, a semicolon and a brace.
	// +kubebuilder:validation:Pattern=`^a{1,3};b=c$`
	Raw string `json:"raw"`
	// +kubebuilder:validation:Format=ipv4
	Address string `json:"address,omitempty"`
	// +kubebuilder:validation:Format=date-time
	Since string `json:"since,omitempty"`
	// +kubebuilder:validation:Format="uuid"
	Id string `json:"id,omitempty"`
	// Colour of the sign.
	// +kubebuilder:validation:Enum=red;green;"light blue";"semi;colon";`raw quote`
	Colour string `json:"colour,omitempty"`
	// Size of the sign.
	// +kubebuilder:validation:Enum={small, "large", `huge`}
	Size string `json:"size,omitempty"`
	// Mood may be empty.
	// +kubebuilder:validation:Enum="";Good;Bad
	Mood *string `json:"mood,omitempty"`
	// Mixed values.
	// +kubebuilder:validation:Enum=auto;"1";"true";off
	Mixed string `json:"mixed,omitempty"`
	// Port by number or name.
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=15
	// +kubebuilder:validation:Enum=80;443;http;https
	Port intstr.IntOrString `json:"port,omitempty"`
}

// Sign on a wall.
// +kubebuilder:object:root=true
type Sign struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec SignSpec `json:"spec"`
}
