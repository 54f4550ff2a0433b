// Text of a CEL expression to its tree, macros expanded: has, all, exists, exists_one, map, filter, their forms with
// two variables, optMap, optFlatMap, sortBy; optional syntax (a.?b, a[?i], {?k: v}, [?x]) is on.
//
//   Ast ast = Parse("self.replicas >= 1");
//   if (!ast.errors.empty()) return Invalid(ast.ErrorText());
//
// Hostile text is safe: size and nesting are limited, what exceeds them is an error like any other.
#pragma once

#include <string_view>

#include "keelson/apiserver/cel/ast.h"

namespace keelson::apiserver::cel {

struct ParseLimits {
  int recursion = 250;        // nested expressions
  int code_points = 100'000;  // length of the text
};

Ast Parse(std::string_view source, const ParseLimits& limits = {});

}  // namespace keelson::apiserver::cel
