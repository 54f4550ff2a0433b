// Constants as they are written: 0x1f, 7u, .5e3, r"a\d", b'\xff', true, null.
#pragma once

#include "keelson/apiserver/cel/ast_builder.h"
#include "keelson/apiserver/cel/lexer.h"

namespace keelson::apiserver::cel {

// The node of a literal that begins at `offset`; of a number with its sign. One that is none (a number too large, a
// wrong escape) is reported; then the node is of kind kError.
Expr* MakeLiteral(AstBuilder& builder, int32_t offset, const Token& token, bool minus);

}  // namespace keelson::apiserver::cel
