// The value types that API structs are made of, in one include.
#pragma once

#include "keelson/api/int_or_string.h"
#include "keelson/api/json.h"
#include "keelson/api/list.h"
#include "keelson/api/map.h"
#include "keelson/api/optional.h"
#include "keelson/api/quantity.h"
#include "keelson/api/raw.h"
#include "keelson/api/string.h"
#include "keelson/api/time.h"

namespace keelson {

// What an object was read with and no member holds: where (a path), and the bytes as they came. The keys are those of
// codec/internal/unknown_path.h.
using UnknownFields = Map<Bytes>;

template <>
inline constexpr bool kIsPlainValue<Quantity> = true;
template <>
inline constexpr bool kIsPlainValue<metav1::Time> = true;
template <>
inline constexpr bool kIsPlainValue<metav1::MicroTime> = true;
template <>
inline constexpr bool kIsPlainValue<metav1::Duration> = true;

template <>
struct Describe<Quantity> {
  static const Type type;
};
template <>
struct Describe<metav1::Time> {
  static const Type type;
};
template <>
struct Describe<metav1::MicroTime> {
  static const Type type;
};
template <>
struct Describe<metav1::Duration> {
  static const Type type;
};

namespace internal {
// Lists that are messages in protobuf; their C++ type is an ordinary List<String>.
extern const Type kWrappedList;
extern const Type kMapOfWrappedLists;
}  // namespace internal

}  // namespace keelson
