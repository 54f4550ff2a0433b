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

#include <memory>
#include <type_traits>
#include <utility>

#include "keelson/core/error.h"

namespace keelson {

namespace internal {
[[noreturn, gnu::cold]] void DieOnBadResultAccess(const Error& error);  // value() of a failed result
[[noreturn, gnu::cold]] void DieOnMissingError();                       // error() of a successful one
[[noreturn, gnu::cold]] void ExitWithError(const Error& error);         // prints "error: …", exits 1
}  // namespace internal

// Beside the value lies one pointer, the error's, and whether it is null says which of the two is there.
template <class T>
class [[nodiscard]] Result {
 public:
  using value_type = T;
  using error_type = Error;

  template <class U = T>
  requires(std::is_constructible_v<T, U&&> && !std::is_same_v<std::remove_cvref_t<U>, Result> &&
           !std::is_same_v<std::remove_cvref_t<U>, Error>) Result(U&& value)
      : error_(nullptr), value_(std::forward<U>(value)) {}
  Result(Error&& error) noexcept : error_(std::move(error)) { error_.AssumeOne(); }
  Result(const Error& error) : error_(error) { error_.AssumeOne(); }

  Result(Result&& other) noexcept(std::is_nothrow_move_constructible_v<T>) requires std::is_move_constructible_v<T>
      : error_(nullptr) {
    Take(std::move(other));
  }
  Result(const Result& other) requires std::is_copy_constructible_v<T> : error_(nullptr) { Take(other); }
  // When the value throws as it is made, this Result stays what it was.
  Result& operator=(Result&& other) noexcept(
      std::is_nothrow_move_constructible_v<T>&& std::is_nothrow_move_assignable_v<
          T>) requires(std::is_move_constructible_v<T>&& std::is_move_assignable_v<T>) {
    return Assign(std::move(other));
  }
  Result& operator=(const Result& other) requires(std::is_copy_constructible_v<T>&& std::is_copy_assignable_v<T>) {
    return Assign(other);
  }
  ~Result() {
    if (has_value()) std::destroy_at(std::addressof(value_));
  }

  bool has_value() const { return error_.IsNone(); }
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
    if (!has_value()) [[unlikely]]
      internal::DieOnBadResultAccess(error_);
    return value_;
  }
  Error& CheckedError() {
    if (has_value()) [[unlikely]]
      internal::DieOnMissingError();
    return error_;
  }

  // Holds neither a value nor an error before.
  template <class Other>
  void Take(Other&& other) {
    if (other.has_value()) [[likely]] {
      std::construct_at(std::addressof(value_), std::forward<Other>(other).value_);
    } else {
      error_ = std::forward<Other>(other).error_;
    }
  }
  template <class Other>
  Result& Assign(Other&& other) {
    if (has_value() && other.has_value()) {
      value_ = std::forward<Other>(other).value_;
    } else if (other.has_value()) {
      std::construct_at(std::addressof(value_), std::forward<Other>(other).value_);
      error_ = Error(nullptr);
    } else {
      const bool had_value = has_value();
      error_ = std::forward<Other>(other).error_;
      if (had_value) std::destroy_at(std::addressof(value_));
    }
    return *this;
  }

  Error error_;
  union {
    T value_;
  };
};

template <>
class [[nodiscard]] Result<void> {
 public:
  using value_type = void;
  using error_type = Error;

  Result() : error_(nullptr) {}
  Result(Error&& error) noexcept : error_(std::move(error)) { error_.AssumeOne(); }
  Result(const Error& error) : error_(error) { error_.AssumeOne(); }

  bool has_value() const { return error_.IsNone(); }
  explicit operator bool() const { return has_value(); }
  void value() const {
    if (!has_value()) [[unlikely]]
      internal::DieOnBadResultAccess(error_);
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
    if (!has_value()) internal::ExitWithError(error_);
  }

 private:
  Error& CheckedError() {
    if (has_value()) [[unlikely]]
      internal::DieOnMissingError();
    return error_;
  }

  Error error_;
};

}  // namespace keelson

#define KEELSON_CONCAT_INNER(a, b) a##b
#define KEELSON_CONCAT(a, b) KEELSON_CONCAT_INNER(a, b)

// Declares `name` (a variable of the value's type) from a Result, or returns its error.
#define KEELSON_TRY(name, expression) KEELSON_TRY_IMPL(KEELSON_CONCAT(keelson_result_, __LINE__), name, expression)
#define KEELSON_TRY_IMPL(result, name, expression) \
  auto result = (expression);                      \
  if (!result) [[unlikely]]                        \
    return std::move(result).error();              \
  auto name = std::move(result).value()

// Returns the error of a Result whose value is of no interest.
#define KEELSON_RETURN_IF_ERROR(expression)     \
  do {                                          \
    auto keelson_result = (expression);         \
    if (!keelson_result) [[unlikely]]           \
      return std::move(keelson_result).error(); \
  } while (false)
