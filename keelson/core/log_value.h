// What a log line can show: the value half of a key–value pair.
//
//   std::string_view ToString(Phase phase);   // makes Phase a log value, found beside its type
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "keelson/core/error.h"
#include "keelson/core/time.h"

namespace keelson {

namespace internal {

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};

template <class T>
struct IsDuration : std::false_type {};
template <class Rep, class Period>
struct IsDuration<std::chrono::duration<Rep, Period>> : std::true_type {};

template <class T>
struct IsWallTime : std::false_type {};
template <class D>
struct IsWallTime<std::chrono::time_point<std::chrono::system_clock, D>> : std::true_type {};

template <class T>
concept HasToString = requires(const T& value) {
  { ToString(value) } -> std::convertible_to<std::string>;
} || requires(const T& value) {
  { ToString(value) } -> std::convertible_to<std::string_view>;
};

}  // namespace internal

// Borrows strings that are passed as such; Owned() makes a copy that lasts.
class LogValue {
 public:
  using Variant =
      std::variant<std::monostate, bool, int64_t, uint64_t, double, std::string_view, std::string, Duration, WallTime>;

  LogValue() = default;
  template <class T>
    requires(!std::is_same_v<T, LogValue>)
  explicit LogValue(const T& value) : value_(From(value)) {}

  LogValue Owned() const {
    LogValue owned = *this;
    if (const auto* view = std::get_if<std::string_view>(&value_)) owned.value_ = std::string(*view);
    return owned;
  }
  const Variant& get() const { return value_; }

 private:
  template <class T>
  static Variant From(const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      return value;
    } else if constexpr (std::is_same_v<T, std::nullptr_t>) {
      return std::monostate();
    } else if constexpr (std::is_same_v<T, char>) {
      return std::string(1, value);
    } else if constexpr (std::is_same_v<T, const char*> || std::is_same_v<T, char*>) {
      if (value == nullptr) return std::monostate();
      return std::string_view(value);
    } else if constexpr (std::signed_integral<T>) {
      return static_cast<int64_t>(value);
    } else if constexpr (std::unsigned_integral<T>) {
      return static_cast<uint64_t>(value);
    } else if constexpr (std::floating_point<T>) {
      return static_cast<double>(value);
    } else if constexpr (std::is_same_v<T, Error>) {
      return std::string_view(value.message());
    } else if constexpr (internal::IsDuration<T>::value) {
      return std::chrono::duration_cast<Duration>(value);
    } else if constexpr (internal::IsWallTime<T>::value) {
      return std::chrono::time_point_cast<Duration>(value);
    } else if constexpr (internal::IsOptional<T>::value) {
      if (!value) return std::monostate();
      return From(*value);
    } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
      return static_cast<std::string_view>(value);
    } else {
      static_assert(internal::HasToString<T>, "give the type a ToString(value) in its namespace to log it");
      return std::string(ToString(value));
    }
  }

  Variant value_;
};

struct LogField {
  std::string_view key;
  LogValue value;
};

}  // namespace keelson
