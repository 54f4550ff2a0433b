// The tables of all built-in structs, for code that learns a type by its name at run time.
#pragma once

#include <span>

#include "keelson/api/type.h"

namespace keelson {

// Every generated struct, ordered by name ("admission/v1.AdmissionRequest" …).
std::span<const Type* const> BuiltinTypes();

}  // namespace keelson
