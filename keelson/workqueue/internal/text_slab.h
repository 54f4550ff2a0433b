// Many short texts at little cost: a length of two bytes before each, rounded up to eight, cut from large blocks.
//
// Freed places are used again for texts of the same rounded size; the blocks go when no text is left. Not thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace keelson::internal {

class TextSlab {
 public:
  TextSlab() = default;
  TextSlab(const TextSlab&) = delete;
  TextSlab& operator=(const TextSlab&) = delete;
  ~TextSlab() { Clear(); }

  // The result is good for View and Free.
  char* Store(std::string_view text);
  void Free(char* stored);
  static std::string_view View(const char* stored);
  // Forgets every text that is in a block; long ones must have been freed.
  void Clear();

 private:
  static constexpr size_t kUnit = 8;
  static constexpr size_t kLongest = 510;  // longer ones have an allocation each
  static constexpr size_t kBlock = 64 * 1024;

  std::array<char*, kLongest / kUnit + 2> free_{};  // by size in units; a free place holds the next one's address
  std::vector<std::unique_ptr<char[]>> blocks_;
  size_t used_ = kBlock;  // of the last block
  size_t texts_ = 0;      // in blocks
};

}  // namespace keelson::internal
