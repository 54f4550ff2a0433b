//transcribe:style=///

// Package v1beta2 is about values that are filled in.
// +groupName=kitchen.example.com
package v1beta2

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// OvenSpec has scalars.
type OvenSpec struct {
	// +kubebuilder:default=180
	Degrees int32 `json:"degrees,omitempty"`
	// +kubebuilder:default=-5
	Offset int32 `json:"offset,omitempty"`
	// +kubebuilder:default=true
	Fan bool `json:"fan,omitempty"`
	// +kubebuilder:default=false
	Light *bool `json:"light,omitempty"`
	// +kubebuilder:default=bake
	Mode string `json:"mode,omitempty"`
	// +kubebuilder:default="slow bake"
	Program string `json:"program,omitempty"`
	// +kubebuilder:default:="with colon"
	Colon string `json:"colon,omitempty"`
	// +kubebuilder:default=`raw "text", with; marks`
	Raw string `json:"raw,omitempty"`
	// +kubebuilder:default="a \"quoted\" word\tand a tab"
	Escaped string `json:"escaped,omitempty"`
	// +kubebuilder:default=""
	Empty string `json:"empty,omitempty"`
	// +kubebuilder:default="12"
	Digits string `json:"digits,omitempty"`
	// +kubebuilder:default="true"
	Word string `json:"word,omitempty"`
	// +kubebuilder:default=50m
	Power resource.Quantity `json:"power,omitempty"`
	// +kubebuilder:default=80
	Port intstr.IntOrString `json:"port,omitempty"`
	// +kubebuilder:default=http
	Name intstr.IntOrString `json:"name,omitempty"`
	// +kubebuilder:default="5m0s"
	Timer metav1.Duration `json:"timer,omitempty"`
	// Not JSON, and yet a number.
	// +kubebuilder:validation:Type=number
	// +kubebuilder:default=1.25
	Half string `json:"half,omitempty"`
	// +kubebuilder:default="Grüße, 世界"
	Unicode string `json:"unicode,omitempty"`
	// +kubebuilder:default=9007199254740993
	Big int64 `json:"big,omitempty"`
	// +kubebuilder:default=null
	// +nullable
	Null *string `json:"null,omitempty"`
}

// Oven in a kitchen.
// +kubebuilder:object:root=true
type Oven struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +kubebuilder:default={}
	Spec OvenSpec `json:"spec,omitempty"`
}

// Spice in a dish.
type Spice struct {
	// Name of the spice.
	Name string `json:"name"`
	// Grams of it.
	// +kubebuilder:default=1
	Grams int32 `json:"grams,omitempty"`
	// Fresh or dry.
	Fresh bool `json:"fresh,omitempty"`
}

// DishSpec has lists and objects.
type DishSpec struct {
	// +kubebuilder:default={1,2,3}
	Steps []int32 `json:"steps,omitempty"`
	// +kubebuilder:default={a,b}
	Tags []string `json:"tags,omitempty"`
	// +kubebuilder:default={"a b","c,d",`e"f`}
	Quoted []string `json:"quoted,omitempty"`
	// +kubebuilder:default={}
	None []string `json:"none,omitempty"`
	// +kubebuilder:default={"only"}
	Only []string `json:"only,omitempty"`
	// +kubebuilder:default={true,false}
	Flags []bool `json:"flags,omitempty"`
	// +kubebuilder:default={{1,2},{3}}
	Nested [][]int32 `json:"nested,omitempty"`
	// +kubebuilder:default={hot: "yes", cold: "no"}
	Words map[string]string `json:"words,omitempty"`
	// +kubebuilder:default={one:1,two:2}
	Numbers map[string]int32 `json:"numbers,omitempty"`
	// +kubebuilder:default={}
	EmptyMap map[string]string `json:"emptyMap,omitempty"`
	// +kubebuilder:default={name: "salt", grams: 2, fresh: false}
	Main Spice `json:"main,omitempty"`
	// +kubebuilder:default={}
	Extra *Spice `json:"extra,omitempty"`
	// +kubebuilder:default={{name: "salt"},{name: "pepper", grams: 3}}
	Spices []Spice `json:"spices,omitempty"`
	// +kubebuilder:default={requests: {cpu: "100m", memory: "64Mi"}, limits: {cpu: "1"}}
	Resources corev1.ResourceRequirements `json:"resources,omitempty"`
	// +kubebuilder:default={list: {"x","y"}, other: {}}
	Lists map[string][]string `json:"lists,omitempty"`
}

// Dish to be cooked.
// +kubebuilder:object:root=true
type Dish struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec of the dish.
	// +optional
	Spec DishSpec `json:"spec,omitempty"`
}

// MenuSpec has defaults in Kubernetes' own form, examples and titles.
type MenuSpec struct {
	// +default="daily"
	Kind string `json:"kind,omitempty"`
	// +default=3
	Courses int32 `json:"courses,omitempty"`
	// +default=true
	Printed bool `json:"printed,omitempty"`
	// +default=["soup","bread"]
	Starters []string `json:"starters,omitempty"`
	// +default={"lunch":12,"dinner":19}
	Hours map[string]int32 `json:"hours,omitempty"`
	// +default={"name":"salt","grams":4}
	Spice *Spice `json:"spice,omitempty"`
	// +default=ref(Nothing)
	Referred string `json:"referred,omitempty"`
	// Both forms: the other tool's word counts.
	// +default="first"
	// +kubebuilder:default="second"
	Both string `json:"both,omitempty"`
	// +default=null
	Null *string `json:"null,omitempty"`

	// Price of the menu.
	// +kubebuilder:example=12
	// +kubebuilder:title=Price
	Price int32 `json:"price,omitempty"`
	// Wine that goes with it.
	// +kubebuilder:example="Riesling, dry"
	// +kubebuilder:title="The wine, if any"
	Wine string `json:"wine,omitempty"`
	// +kubebuilder:example={soup,"main course"}
	Order []string `json:"order,omitempty"`
	// +kubebuilder:example={name: "dill", fresh: true}
	// +kubebuilder:title="The herb"
	Herb *Spice `json:"herb,omitempty"`
	// +kubebuilder:example=false
	Open bool `json:"open,omitempty"`
	// +kubebuilder:example={monday: 1}
	Days map[string]int32 `json:"days,omitempty"`
}

// Menu of the day.
// +kubebuilder:object:root=true
// +kubebuilder:resource:shortName=mn
type Menu struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec MenuSpec `json:"spec"`
}
