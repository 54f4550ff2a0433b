//transcribe:style=///

package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Letter templates say what is in a letter.
//
// They have several paragraphs. Each one is kept,
// and so are the line breaks
// inside of one.
//
//
// Two empty lines become one.
type TelegramSpec struct {
	// One line.
	One string `json:"one"`

	// Two lines
	// without a full stop
	Two string `json:"two"`

	// A paragraph.
	//
	// Another paragraph:
	//   - with a list
	//   - of two points
	//
	// and an end.
	Paragraphs string `json:"paragraphs"`

	// Code looks like this:
	//
	//	if (x) {
	//	    y();
	//	}
	//
	// and goes on.
	Code string `json:"code"`

	// Before the work.
	// TODO(somebody): write the rest.
	// After the work.
	Todo string `json:"todo"`

	// TODO: nothing but work.
	OnlyTodo string `json:"onlyTodo"`

	// Shown to everybody.
	// ---
	// Seen by nobody.
	// +optional
	// Neither is this.
	Cut string `json:"cut"`

	// --- nothing is shown
	// at all.
	CutAll string `json:"cutAll"`

	// Fenced code keeps what it holds:
	// ```yaml
	// ---
	// TODO: a line
	// key: value
	// ```
	// TODO: dropped
	// Ends here.
	Fenced string `json:"fenced"`

	// ~~~
	// --- inside
	// ~~~
	// Outside.
	Tilde string `json:"tilde"`

	// Quotes: "double", 'single', `back`; a colon: and a # sign, {braces}, [brackets], 100%, a\backslash & <angle>.
	Quotes string `json:"quotes"`

	// Grüße aus Köln, 你好, 😀 and a non-breaking space.
	Unicode string `json:"unicode"`

	// 12
	Number string `json:"number"`

	// true
	Boolean string `json:"boolean"`

	// - looks like a list
	Dash string `json:"dash"`

	// # looks like a heading
	Hash string `json:"hash"`

	// This line is very long, longer than any of the lines that people like to write, because it has to be folded by whoever writes it as YAML, and because a description that is this long is cut at some point. Here is a second sentence! Is this a third one? Yes, and it ends with a dot.
	Long string `json:"long"`

	// Averyveryveryveryveryveryveryveryveryveryveryverylongwordwithoutanyspaceinit and more
	Word string `json:"word"`

	//No space after the slashes.
	Tight string `json:"tight"`

	//   Three spaces after the slashes.
	Wide string `json:"wide"`

	// +optional
	// Between markers.
	// +kubebuilder:validation:MaxLength=5
	// Still the same text.
	Between string `json:"between"`

	// Text first.

	// +optional
	// +kubebuilder:validation:MinLength=1
	Apart string `json:"apart"`

	// Nobody's text.

	// Somebody's text.
	Second string `json:"second"`

	// Directives of other tools are not text.
	Directive string `json:"directive"`

	//
	// Starts and ends with an empty line.
	//
	Empty string `json:"empty"`

	// Trailing
	// spaces   inside   stay.
	Spaces string `json:"spaces"`

	// Sentence one. Sentence two is here. And three.
	Sentences string `json:"sentences"`

	// 一二三。
	Chinese string `json:"chinese"`

	None string `json:"none"`

	// +required
	OnlyMarkers string `json:"onlyMarkers"`

	// Pi is about 3.14 and no sentence ends inside it. Or does it?
	Dots string `json:"dots"`

	// ends without a stop but with many words in it and then some more
	Unfinished string `json:"unfinished"`
}

// Telegram to somebody.
//
// Dear reader,
// this is a letter.
// +kubebuilder:object:root=true
// Yours, the writer.
type Telegram struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec as
	// two lines.
	Spec TelegramSpec `json:"spec"`
}
