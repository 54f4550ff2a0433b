// Whether a member begins its life with something else than the zero of its type.
#pragma once

#include "keelson/codegen/internal/late_libclang.h"

namespace keelson::codegen::internal {

// `int32_t port = 80;`, but not `int32_t port = 0;`, `std::string text{};` or `std::optional<int> x = std::nullopt;`.
// What is not understood counts as something else.
bool HasDefaultValue(CXCursor member);

}  // namespace keelson::codegen::internal
