// Equality and hashing of any described value, by its table.
#pragma once

#include <cstdint>

#include "keelson/api/type.h"

namespace keelson {

// Field by field; shared nodes are equal without a look. An absent optional differs from one that holds a default.
bool Equal(const Type& type, const void* a, const void* b);
template <class T>
bool Equal(const T& a, const T& b) {
  return Equal(TypeOf<T>(), &a, &b);
}

// Equal values hash alike, in this process only.
uint64_t Hash(const Type& type, const void* value, uint64_t seed = 0);
template <class T>
uint64_t Hash(const T& value) {
  return Hash(TypeOf<T>(), &value);
}

}  // namespace keelson
