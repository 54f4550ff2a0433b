package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Language of a text, as a two letter code.
// +kubebuilder:validation:MinLength=2
// +kubebuilder:validation:MaxLength=2
// +kubebuilder:validation:Pattern=`^[a-z]{2}$`
type Language string

// Binding tells how the pages are held together.
// +kubebuilder:validation:Enum=Hardcover;Paperback;Spiral
//
//transcribe:enumclass
type Binding string

// Edition is one printing of a book.
type Edition struct {
	// Year of the printing.
	// +kubebuilder:validation:Minimum=1450
	// +kubebuilder:validation:Maximum=2100
	Year int32 `json:"year"`

	// ISBN of the printing, if it has one.
	// +optional
	// +kubebuilder:validation:Pattern="^(97(8|9))?\\d{9}(\\d|X)$"
	// +kubebuilder:example="9783161484100"
	ISBN string `json:"isbn,omitempty"`

	Binding Binding `json:"binding,omitempty"`

	// Pages counts the numbered pages.
	// +kubebuilder:validation:Minimum=1
	Pages *int32 `json:"pages,omitempty"`
}

// BookSpec is what the library knows about a book.
type BookSpec struct {
	// Title as printed on the cover.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=300
	Title string `json:"title"`

	// Authors by name, the first one first.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=20
	Authors []string `json:"authors"`

	// Language the book was written in. It overrides what the type says.
	Language Language `json:"language"`

	Translations []Language `json:"translations,omitempty"`

	// Editions the library has.
	// +listType=map
	// +listMapKey=year
	// +optional
	Editions []Edition `json:"editions,omitempty"`

	// Subjects maps a subject to its weight.
	Subjects map[string]int32 `json:"subjects,omitempty"`

	// Reference books are not lent.
	// +kubebuilder:default=false
	Reference bool `json:"reference,omitempty"`

	// Copies that the library owns.
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=0
	Copies *int32 `json:"copies,omitempty"`
}

// BookStatus is what the controller found out.
type BookStatus struct {
	// Available copies.
	Available int32 `json:"available,omitempty"`

	// Conditions of the book.
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type"`

	// LastLent is when the book was last lent.
	LastLent *metav1.Time `json:"lastLent,omitempty"`
}

// +kubebuilder:object:root=true
// +kubebuilder:resource:path=books,scope=Namespaced,shortName=bk;bks,categories=all;library,singular=book
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Title",type=string,JSONPath=`.spec.title`,description="The title on the cover"
// +kubebuilder:printcolumn:name=Copies,type=integer,format=int32,JSONPath=.spec.copies,priority=1
// +kubebuilder:printcolumn:name="Age",type="date",JSONPath=".metadata.creationTimestamp"
// +kubebuilder:printcolumn:name="First, author",type=string,JSONPath=`.spec.authors[0]`,description=`said "the first" of them`
// +kubebuilder:selectablefield:JSONPath=`.spec.language`
// +kubebuilder:selectablefield:JSONPath=".spec.title"

// Book is a title that the library owns.
type Book struct {
	metav1.TypeMeta `json:",inline"`
	// Standard object's metadata.
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec of the book.
	Spec BookSpec `json:"spec"`
	// Status of the book.
	Status BookStatus `json:"status,omitempty"`
}
