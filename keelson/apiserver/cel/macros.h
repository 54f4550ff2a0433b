// The macros of CEL: calls that stand for other expressions.
//
//   has(a.b)                                        all, exists, exists_one, map, filter over one variable
//   all, exists, existsOne, transformList, transformMap, transformMapEntry over two variables
//   optMap, optFlatMap                              sortBy
#pragma once

#include <string_view>
#include <vector>

#include "keelson/apiserver/cel/ast_builder.h"

namespace keelson::apiserver::cel {

// The name of the accumulator of the loops that macros make: none that an expression can write.
inline constexpr std::string_view kAccumulator = "@result";
// The loop variable of a loop over nothing, which is how a value is given a name.
inline constexpr std::string_view kUnusedVariable = "#unused";

// What the call `target.function(args)` written at `offset` stands for; without target when that is null. Null when it
// is no macro. Wrong arguments are reported; then the result is a node of kind kError.
Expr* ExpandMacro(AstBuilder& builder, int32_t offset, std::string_view function, Expr* target,
                  const std::vector<Expr*>& args);

}  // namespace keelson::apiserver::cel
