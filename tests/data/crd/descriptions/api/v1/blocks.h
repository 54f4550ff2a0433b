#pragma once

#include <string>

#include "keelson/api/meta/v1.h"

namespace descriptions::v1 {

/*
PostcardSpec is written in a block.

It has two paragraphs
and an indented line.
*/
struct PostcardSpec {
  /* One line in a block. */
  std::string one;

  /*
    Several lines
    in a block.

    TODO: left out
    With a paragraph.
  */
  std::string several;

  // A line
  /* and a block */
  std::string both;
};

// Postcard to somebody.
// +kubebuilder:object:root=true
struct Postcard {
  keelson::metav1::ObjectMeta metadata;

  PostcardSpec spec;
};

}  // namespace descriptions::v1
