// An `enum class` as a described type: in every encoding it is one of a few texts.
//
//   enum class Phase { Pending, Running };
//
//   template <> struct keelson::Describe<Phase> { static const Type type; };    // beside the enum
//
//   constexpr keelson::EnumText<Phase> kPhases[] = {{Phase::Pending, "Pending"}, {Phase::Running, "Running"}};
//   constinit const Type Describe<Phase>::type = EnumType<kPhases>("example.com/v1.Phase");
//
// Reading any other text is an error. A value that is none of the list is written as "", which counts as empty.
#pragma once

#include <array>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <type_traits>

#include "keelson/api/standard_types.h"
#include "keelson/api/type.h"

namespace keelson {

template <class E>
struct EnumText {
  E value;
  std::string_view text;
};

namespace internal {

template <const auto& kList>
using EnumOf = std::remove_const_t<decltype(kList[0].value)>;

template <const auto& kList>
constexpr TypeOps EnumOps() {
  using E = EnumOf<kList>;
  static_assert(std::is_enum_v<E>);
  TypeOps ops = LifetimeOps<E>();
  ops.string_get = [](const void* value) -> std::string_view {
    for (const auto& known : kList) {
      if (known.value == *static_cast<const E*>(value)) return known.text;
    }
    return {};
  };
  ops.string_set = [](void* value, std::string_view text) {
    for (const auto& known : kList) {
      if (known.text != text) continue;
      *static_cast<E*>(value) = known.value;
      return true;
    }
    return false;
  };
  return ops;
}

template <const auto& kList>
constexpr auto EnumTexts() {
  std::array<std::string_view, std::size(kList)> texts;
  for (size_t i = 0; i < texts.size(); ++i) texts[i] = kList[i].text;
  return texts;
}

template <const auto& kList>
inline constexpr TypeOps kEnumOps = EnumOps<kList>();
template <const auto& kList>
inline constexpr auto kEnumTexts = EnumTexts<kList>();

}  // namespace internal

// `kList` is an array of EnumText with static storage.
template <const auto& kList>
constexpr Type EnumType(std::string_view name) {
  return {.name = name,
          .kind = Kind::kString,
          .storage = Storage::kStandard,
          .size = sizeof(internal::EnumOf<kList>),
          .ops = &internal::kEnumOps<kList>,
          .texts = internal::kEnumTexts<kList>};
}

}  // namespace keelson
