// The `description` of a schema from the comment above a declaration.
//
//   // Replicas wanted.
//   // TODO(ann): allow zero.
//   // ---
//   // Not for users.
//   int32_t replicas;          →  "Replicas wanted."
//
// The rules are controller-gen's: line breaks stay, blank lines that follow each other are one, lines that begin with
// TODO and everything behind a line that begins with `---` are left out, unless they stand in a fenced code block.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "keelson/codegen/comments.h"

namespace keelson::codegen {

std::string DescriptionOf(const Comment& comment);

// At most `max_bytes` of it, up to the end of a sentence; failing that, of a word, and then "..." follows.
std::string CutDescription(std::string_view description, size_t max_bytes);

}  // namespace keelson::codegen
