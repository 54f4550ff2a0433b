// The parsed form of a JSONPath template: what the parser hands to the evaluator.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/api/json.h"
#include "keelson/core/result.h"

namespace keelson::internal {

struct JsonPathNode {
  enum class Kind : uint8_t {
    kList,        // children, each applied to the results of the one before; at the root: one after another
    kText,        // `literal`, once
    kLiteral,     // a number or bool, once for each input
    kField,       // `name`
    kIdentifier,  // `name`: range or end, anything else is an error when it is reached
    kSlice,       // start, end, step
    kFilter,      // children: left and right; `name` is the operator, empty for existence
    kWildcard,
    kRecursive,
    kUnion,  // children: lists, whose results are joined
  };

  // One number of a slice. A bare index [i] is the slice from i to the derived end i+1.
  struct Bound {
    int64_t value = 0;
    bool known = false;
    bool derived = false;
  };

  Kind kind = Kind::kList;
  Json literal = {};
  std::string name = {};
  Bound start = {};
  Bound end = {};
  Bound step = {};
  std::vector<JsonPathNode> children = {};
};

// The root is a list of text and of one list for each pair of braces.
Result<JsonPathNode> ParseJsonPath(std::string_view text);

}  // namespace keelson::internal
