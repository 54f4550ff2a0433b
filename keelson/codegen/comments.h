// The comments of a C++ file, and the markers in them.
//
//   // Replicas wanted.
//   // +kubebuilder:validation:Minimum=0
//   int32_t replicas;
//
// A marker is a line of a comment that begins with `+` and a letter. Comments are found by lexing alone (strings, raw
// strings and character literals are told apart from code), so any source file can be scanned, whether it compiles or
// not.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "keelson/codegen/source_position.h"

namespace keelson::codegen {

// `text` is without the `+`: "kubebuilder:validation:Minimum=0". The position is that of the `+`.
struct Marker {
  std::string text;
  SourcePosition position;
};

// What is said about a declaration: the lines of its documentation, as they are written but for the comment's own
// characters and one leading space, and its markers. `//tool:word`, without a space, is said to a tool and left out.
struct Comment {
  std::vector<std::string> lines;
  std::vector<Marker> markers;
};

// Comments of any style that follow each other without code or a blank line between them. One behind code is a block by
// itself, with the comments below it that begin in the same column.
struct CommentBlock {
  int first_line = 0;
  int last_line = 0;
  bool trailing = false;  // code stands before it on its first line
  Comment comment;
};

std::vector<CommentBlock> ScanComments(std::string_view source, const std::string& file);

// All markers of a file, in order.
std::vector<Marker> ScanMarkers(std::string_view source, const std::string& file);

}  // namespace keelson::codegen
