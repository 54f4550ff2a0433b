// A value that may be absent: what a Go pointer is in an API type.
//
//   deployment.spec.replicas = 3;
//   if (pod.spec.securityContext) Use(pod.spec.securityContext->runAsUser);
//   pod.spec.securityContext.Ensure().runAsNonRoot = true;
//
// Scalars sit in place; a struct is one pointer to a shared node and may be incomplete where the member is declared.
// An Optional<String> that holds "" is present; assigning an empty String through a reference to its value makes it
// absent. Reading through const never copies; a mutable access clones a shared node first. Converts from and to
// std::optional.
#pragma once

#include <optional>

#include "keelson/api/box.h"

namespace keelson {

template <class T>
class Optional;

namespace internal {

// The part that differs by how T is stored.
template <class T>
class OptionalStorage {
 public:
  constexpr OptionalStorage() = default;
  explicit OptionalStorage(T value) : box_(std::move(value)) {}
  bool present() const { return !box_.empty(); }
  const T& read() const { return box_.get(); }
  T& write() { return box_.Mutable(); }

 private:
  Box<T> box_;
};

// A handle whose null pointer would otherwise be the empty value: here null is absent, and a node of length 0 is empty.
template <class T>
  requires kIsSingleHandle<T>
class OptionalStorage<T> {
 public:
  constexpr OptionalStorage() = default;
  explicit OptionalStorage(T value) : value_(std::move(value)) { MakePresent(&value_); }
  bool present() const { return *reinterpret_cast<Node* const*>(&value_) != nullptr; }
  const T& read() const { return value_; }
  // The caller may assign the null handle, which then means absent and not empty.
  T& write() { return value_; }

 private:
  T value_{};
};

template <class T>
  requires(kIsPlainValue<T> && !kIsSingleHandle<T>)
class OptionalStorage<T> {
 public:
  constexpr OptionalStorage() = default;
  explicit OptionalStorage(T value) : value_(std::move(value)), present_(true) {}
  bool present() const { return present_; }
  const T& read() const { return value_; }
  T& write() { return value_; }

 private:
  T value_{};
  bool present_ = false;
};

}  // namespace internal

template <class T>
class Optional {
 public:
  using value_type = T;

  constexpr Optional() = default;
  constexpr Optional(std::nullopt_t) {}
  template <class U = T>
    requires(!std::is_same_v<std::remove_cvref_t<U>, Optional> && std::is_convertible_v<U &&, T>)
  Optional(U&& value) : storage_(T(std::forward<U>(value))) {}
  Optional(T&& value) : storage_(std::move(value)) {}
  Optional(const T& value) : storage_(value) {}
  Optional(const std::optional<T>& value) : Optional(value ? Optional(*value) : Optional()) {}

  bool has_value() const { return storage_.present(); }
  explicit operator bool() const { return has_value(); }

  const T& value() const& {
    if (!has_value()) internal::DieOnEmptyAccess("Optional");
    return storage_.read();
  }
  T& value() & {
    if (!has_value()) internal::DieOnEmptyAccess("Optional");
    return storage_.write();
  }
  const T& value() && = delete;
  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }
  const T& operator*() && = delete;
  const T* operator->() const& { return &value(); }
  T* operator->() & { return &value(); }
  const T* operator->() && = delete;

  template <class U>
  T value_or(U&& fallback) const {
    return has_value() ? storage_.read() : static_cast<T>(std::forward<U>(fallback));
  }
  // The value, or T's default when absent. For reading through a chain of optionals.
  const T& OrDefault() const& {
    static const T kDefault{};
    return has_value() ? storage_.read() : kDefault;
  }
  const T& OrDefault() && = delete;

  // The value for writing, made first when absent.
  T& Ensure() {
    if (!has_value()) *this = T{};
    return storage_.write();
  }
  T& emplace() {
    *this = T{};
    return storage_.write();
  }
  void reset() { *this = Optional(); }

  operator std::optional<T>() const { return has_value() ? std::optional<T>(storage_.read()) : std::nullopt; }

  friend bool operator==(const Optional& a, const Optional& b) {
    return internal::EqualAt(Describe<Optional>::type, &a, &b);
  }
  friend bool operator==(const Optional& a, const T& b) {
    return a.has_value() && internal::EqualAt(Describe<T>::type, &a.storage_.read(), &b);
  }
  friend bool operator==(const Optional& a, std::nullopt_t) { return !a.has_value(); }

 private:
  internal::OptionalStorage<T> storage_;
};

template <class T>
inline constexpr bool kIsPlainValue<Optional<T>> = true;

template <class T>
struct Describe<Optional<T>> {
  static constexpr Type type = {.name = "optional",
                                .kind = Kind::kOptional,
                                .storage = kIsPlainValue<T> && !kIsSingleHandle<T> ? Storage::kInline : Storage::kNode,
                                .size = sizeof(Optional<T>),
                                .element = &Describe<T>::type};
};

}  // namespace keelson
