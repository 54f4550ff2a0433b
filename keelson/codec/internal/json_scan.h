// Finds where an object or array of JSON ends, in text that comes in parts.
//
// Blocks of 64 bytes become bit masks (json_block.h); brackets outside strings are counted, and looked at one by one
// only where the container may end. The kernel with the widest vectors that this machine has is chosen at run time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace keelson::internal {

// What is to be known of a container between one part of its text and the next.
struct JsonScanState {
  size_t depth = 0;
  bool in_string = false;
  bool escaped = false;  // the next character is
};

// One way to do it; all give the same.
struct JsonScanKernel {
  std::string_view name;
  // Up to `end`: the first byte behind the container, or null when it goes on or became deeper than `max_depth`. At its
  // beginning the depth is 0 and `at` its bracket. The state is that of a new container when this one has ended.
  const char* (*find_end)(JsonScanState& state, const char* at, const char* end, size_t max_depth);
  // The first closing brace with an opening one, or a byte that may be white space, behind it; the size when there is
  // none. May not see one in the last 64 bytes, nor any on machines without a quick way.
  size_t (*find_loose_brace)(std::string_view text);
};

// Those that this machine can run, the best one first.
std::span<const JsonScanKernel> JsonScanKernels();
// The best one.
const JsonScanKernel& JsonScanner();

}  // namespace keelson::internal
