// Package v1 is about what becomes of comments.
//
// +groupName=letters.example.com

#pragma once

#include <string>

#include "keelson/api/meta/v1.h"

namespace descriptions::v1 {

// Letter templates say what is in a letter.
//
// They have several paragraphs. Each one is kept,
// and so are the line breaks
// inside of one.
//
//
// Two empty lines become one.
struct LetterSpec {
  // One line.
  std::string one;

  // Two lines
  // without a full stop
  std::string two;

  // A paragraph.
  //
  // Another paragraph:
  //   - with a list
  //   - of two points
  //
  // and an end.
  std::string paragraphs;

  // Code looks like this:
  //
  //	if (x) {
  //	    y();
  //	}
  //
  // and goes on.
  std::string code;

  // Before the work.
  // TODO(somebody): write the rest.
  // After the work.
  std::string todo;

  // TODO: nothing but work.
  std::string onlyTodo;

  // Shown to everybody.
  // ---
  // Seen by nobody.
  // +optional
  // Neither is this.
  std::string cut;

  // --- nothing is shown
  // at all.
  std::string cutAll;

  // Fenced code keeps what it holds:
  // ```yaml
  // ---
  // TODO: a line
  // key: value
  // ```
  // TODO: dropped
  // Ends here.
  std::string fenced;

  // ~~~
  // --- inside
  // ~~~
  // Outside.
  std::string tilde;

  // Quotes: "double", 'single', `back`; a colon: and a # sign, {braces}, [brackets], 100%, a\backslash & <angle>.
  std::string quotes;

  // Grüße aus Köln, 你好, 😀 and a non-breaking space.
  std::string unicode;

  // 12
  std::string number;

  // true
  std::string boolean;

  // - looks like a list
  std::string dash;

  // # looks like a heading
  std::string hash;

  // This line is very long, longer than any of the lines that people like to write, because it has to be folded by whoever writes it as YAML, and because a description that is this long is cut at some point. Here is a second sentence! Is this a third one? Yes, and it ends with a dot.
  std::string long_;

  // Averyveryveryveryveryveryveryveryveryveryveryverylongwordwithoutanyspaceinit and more
  std::string word;

  //No space after the slashes.
  std::string tight;

  //   Three spaces after the slashes.
  std::string wide;

  // +optional
  // Between markers.
  // +kubebuilder:validation:MaxLength=5
  // Still the same text.
  std::string between;

  // Text first.

  // +optional
  // +kubebuilder:validation:MinLength=1
  std::string apart;

  // Nobody's text.

  // Somebody's text.
  std::string second;

  //nolint:lll
  // Directives of other tools are not text.
  //go:generate something
  std::string directive;

  //
  // Starts and ends with an empty line.
  //
  std::string empty;

  // Trailing
  // spaces   inside   stay.
  std::string spaces;

  // Sentence one. Sentence two is here. And three.
  std::string sentences;

  // 一二三。
  std::string chinese;

  std::string none;

  // +required
  std::string onlyMarkers;

  // Pi is about 3.14 and no sentence ends inside it. Or does it?
  std::string dots;

  // ends without a stop but with many words in it and then some more
  std::string unfinished;
};

// Letter to somebody.
//
// Dear reader,
// this is a letter.
// +kubebuilder:object:root=true
// Yours, the writer.
struct Letter {
  keelson::metav1::ObjectMeta metadata;

  // Spec as
  // two lines.
  LetterSpec spec;
};

}  // namespace descriptions::v1
