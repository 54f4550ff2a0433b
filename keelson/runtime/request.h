// What a controller is asked to reconcile.
//
// A request says which object, never what happened to it: a reconciler looks at the state as it is, so that a missed,
// doubled or reordered event changes nothing. Why it was asked is in the context, for logs (cause.h).
//
// Controllers may have requests of another type instead: one that has ==, a std::hash, a default and a copy, and a
// ToString(request) beside it for logs.
#pragma once

#include "keelson/api/object_key.h"

namespace keelson {

// The object's namespace and name.
using Request = ObjectKey;

}  // namespace keelson
