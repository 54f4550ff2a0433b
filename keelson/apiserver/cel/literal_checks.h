// What Kubernetes checks of an expression besides its types: that literals are what their use asks for.
#pragma once

#include "keelson/apiserver/cel/ast.h"

namespace keelson::apiserver::cel {

// Adds to the errors of a checked Ast: literal arguments of duration, timestamp and matches that are none; elements of
// list and map literals whose types are not the same, dyn included, unless they are arguments of format().
void CheckLiterals(Ast& ast);

}  // namespace keelson::apiserver::cel
