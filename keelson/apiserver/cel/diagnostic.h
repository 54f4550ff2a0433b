// What is wrong with a CEL expression and where, and its display:
//
//   ERROR: <input>:1:6: undeclared reference to 'nope' (in container '')
//    | 1 + nope
//    | ....^
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace keelson::apiserver::cel {

struct Diagnostic {
  int line = -1;    // from 1; -1: no place
  int column = -1;  // from 0, in code points
  std::string message = {};
};

// Line and column of an offset in code points; {-1, -1} for one outside of the source.
struct Position {
  int line = -1;
  int column = -1;
};
Position PositionOf(std::string_view source, int32_t offset);

// One block per diagnostic, by place; a hundred at most, as more are but counted.
std::string DisplayText(std::string_view source, const std::vector<Diagnostic>& diagnostics);

}  // namespace keelson::apiserver::cel
