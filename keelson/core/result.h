// A value or the Error that stands in its place, with the interface of std::expected.
//
//   Result<Pod> Get(const ObjectKey& key);
//
//   Result<Pod> pod = Get(key);
//   if (!pod) return pod.error();
//   Use(pod->spec);
//
// KEELSON_TRY(pod, Get(key)) declares `pod` as the value, or returns the error from the enclosing function.
// Reading the value of a failed Result is a bug in the caller: it ends the process with the error's message.
#pragma once

#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "keelson/core/error.h"

namespace keelson {

namespace internal {
[[noreturn]] void DieOnBadResultAccess(const Error& error);  // value() of a failed result
[[noreturn]] void DieOnMissingError();                       // error() of a successful one
[[noreturn]] void ExitWithError(const Error& error);         // prints "error: …", exits 1
}  // namespace internal

template <class T>
class [[nodiscard]] Result {
 public:
  using value_type = T;
  using error_type = Error;

  template <class U = T>
    requires(std::is_constructible_v<T, U &&> && !std::is_same_v<std::remove_cvref_t<U>, Result> &&
             !std::is_same_v<std::remove_cvref_t<U>, Error>)
  Result(U&& value) : state_(std::in_place_index<0>, std::forward<U>(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T& value() & { return CheckedValue(); }
  const T& value() const& { return const_cast<Result*>(this)->CheckedValue(); }
  T&& value() && { return std::move(CheckedValue()); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const& { return const_cast<Result*>(this)->CheckedError(); }
  Error&& error() && { return std::move(CheckedError()); }

  template <class U>
  T value_or(U&& fallback) const& {
    return has_value() ? **this : static_cast<T>(std::forward<U>(fallback));
  }
  template <class U>
  T value_or(U&& fallback) && {
    return has_value() ? std::move(**this) : static_cast<T>(std::forward<U>(fallback));
  }

  // f(value) → Result<U>
  template <class F>
  auto and_then(F&& f) && -> std::invoke_result_t<F, T&&> {
    if (!has_value()) return std::move(*this).error();
    return std::forward<F>(f)(std::move(**this));
  }
  // f(value) → U
  template <class F>
  auto transform(F&& f) && -> Result<std::remove_cv_t<std::invoke_result_t<F, T&&>>> {
    if (!has_value()) return std::move(*this).error();
    return std::forward<F>(f)(std::move(**this));
  }
  // f(error) → Result<T>
  template <class F>
  Result or_else(F&& f) && {
    if (has_value()) return std::move(*this);
    return std::forward<F>(f)(std::move(*this).error());
  }
  // f(error) → Error
  template <class F>
  Result transform_error(F&& f) && {
    if (has_value()) return std::move(*this);
    return std::forward<F>(f)(std::move(*this).error());
  }

  // For main(): the value, or the message on stderr and exit status 1.
  T OrExit() && {
    if (!has_value()) internal::ExitWithError(error());
    return std::move(**this);
  }

 private:
  T& CheckedValue() {
    if (!has_value()) internal::DieOnBadResultAccess(std::get<1>(state_));
    return std::get<0>(state_);
  }
  Error& CheckedError() {
    if (has_value()) internal::DieOnMissingError();
    return std::get<1>(state_);
  }

  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  using value_type = void;
  using error_type = Error;

  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  bool has_value() const { return !error_.has_value(); }
  explicit operator bool() const { return has_value(); }
  void value() const {
    if (error_) internal::DieOnBadResultAccess(*error_);
  }
  const Error& error() const& { return const_cast<Result*>(this)->CheckedError(); }
  Error&& error() && { return std::move(CheckedError()); }

  template <class F>
  auto and_then(F&& f) && -> std::invoke_result_t<F> {
    if (!has_value()) return std::move(*this).error();
    return std::forward<F>(f)();
  }
  template <class F>
  Result or_else(F&& f) && {
    if (has_value()) return {};
    return std::forward<F>(f)(std::move(*this).error());
  }
  template <class F>
  Result transform_error(F&& f) && {
    if (has_value()) return {};
    return std::forward<F>(f)(std::move(*this).error());
  }
  void OrExit() && {
    if (error_) internal::ExitWithError(*error_);
  }

 private:
  Error& CheckedError() {
    if (!error_) internal::DieOnMissingError();
    return *error_;
  }

  std::optional<Error> error_;
};

}  // namespace keelson

#define KEELSON_CONCAT_INNER(a, b) a##b
#define KEELSON_CONCAT(a, b) KEELSON_CONCAT_INNER(a, b)

// Declares `name` (a variable of the value's type) from a Result, or returns its error.
#define KEELSON_TRY(name, expression) KEELSON_TRY_IMPL(KEELSON_CONCAT(keelson_result_, __LINE__), name, expression)
#define KEELSON_TRY_IMPL(result, name, expression) \
  auto result = (expression);                      \
  if (!result) return std::move(result).error();   \
  auto name = std::move(result).value()

// Returns the error of a Result whose value is of no interest.
#define KEELSON_RETURN_IF_ERROR(expression)                        \
  do {                                                             \
    auto keelson_result = (expression);                            \
    if (!keelson_result) return std::move(keelson_result).error(); \
  } while (false)
