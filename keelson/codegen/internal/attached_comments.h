// Which comments of a file belong to which declaration. As in Go, lines decide:
//
//   // +genclient                       markers of the nearest block above, blank lines between
//
//   // App runs an image.               documentation, and markers
//   struct App {
//     int32_t replicas;  // wanted      both, of the member before it
//   };
//
// What belongs to no declaration speaks of the file, hence of its package.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "keelson/codegen/comments.h"

namespace keelson::codegen::internal {

// From its first character to behind its last.
struct Extent {
  int line = 0;
  int column = 0;
  int end_line = 0;
  int end_column = 0;
};

class AttachedComments {
 public:
  AttachedComments(std::string_view source, const std::string& file);

  // Of a type. Markers that mean something on packages only stay with the file when they stand in a block apart.
  Comment TakeForType(const Extent& extent);
  Comment TakeForMember(const Extent& extent);
  // Of something that has no place in the model, such as a function: its documentation is nobody's.
  void Drop(const Extent& extent);
  // Comments inside, if no member takes them, are nobody's.
  void DropInside(const Extent& extent);

  // Of the blocks that nobody took.
  std::vector<Marker> FileMarkers() const;

 private:
  struct Block : CommentBlock {
    bool taken = false;
  };

  Block* DocumentationOf(const Extent& extent);
  Block* ApartFrom(const Extent& extent, const Block* documentation);
  Block* TrailingOf(const Extent& extent);
  Comment Take(const Extent& extent, bool type);

  std::string_view Line(int line) const;
  bool AllBlank(int first_line, int last_line) const;
  bool BeginsItsLine(const Extent& extent) const;

  std::vector<std::string> lines_;
  std::vector<Block> blocks_;  // in order
  std::vector<Marker> moved_;  // from types to the file
};

}  // namespace keelson::codegen::internal
