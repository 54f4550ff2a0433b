// Handles shared by Optional, List and Map: a struct in a node of its own, and which types need one.
#pragma once

#include <type_traits>
#include <utility>

#include "keelson/api/node.h"
#include "keelson/api/string.h"

namespace keelson {

// True for classes that sit in place inside lists, maps and optionals. Structs that API types describe are false: they
// get a node of their own, so that equal ones are stored once and references to them stay valid as a list grows.
template <class T>
inline constexpr bool kIsPlainValue = !std::is_class_v<T>;
template <>
inline constexpr bool kIsPlainValue<String> = true;
template <>
inline constexpr bool kIsPlainValue<Bytes> = true;

// True for the plain values that are one pointer to a node, null when empty.
template <class T>
inline constexpr bool kIsSingleHandle = false;
template <>
inline constexpr bool kIsSingleHandle<String> = true;
template <>
inline constexpr bool kIsSingleHandle<Bytes> = true;

namespace internal {

// Turns a null handle into one of the empty node.
void MakePresent(void* handle);
[[noreturn]] void DieOnEmptyAccess(const char* what);
bool EqualAt(const Type& type, const void* a, const void* b);

template <class T>
T* PayloadAs(Node* node) {
  return reinterpret_cast<T*>(node->payload());
}
template <class T>
const T* PayloadAs(const Node* node) {
  return reinterpret_cast<const T*>(node->payload());
}

// Owns one reference to a struct's node, or nothing.
template <class T>
class Box {
 public:
  constexpr Box() = default;
  explicit Box(T value) : node_(AllocateNode(NodeKind::kStruct, sizeof(T), 0, 0)) {
    static_assert(alignof(T) <= alignof(Node*));
    new (node_->payload()) T(std::move(value));
  }
  Box(const Box& other) : node_(ShareNode(Describe<T>::type, other.node_)) {}
  Box(Box&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
  Box& operator=(Box other) noexcept {
    std::swap(node_, other.node_);
    return *this;
  }
  ~Box() { ReleaseNode(Describe<T>::type, node_); }

  bool empty() const { return node_ == nullptr; }
  const T& get() const { return *PayloadAs<T>(node_); }
  // Detaches and marks the node exposed.
  T& Mutable() {
    node_ = DetachNode(Describe<T>::type, node_);
    node_->bits |= Node::kExposed;
    return *PayloadAs<T>(node_);
  }

 private:
  Node* node_ = nullptr;
};

// How a T sits in a slot.
template <class T>
using Slot = std::conditional_t<kIsPlainValue<T>, T, Box<T>>;

template <class T>
const T& ReadSlot(const Slot<T>& slot) {
  if constexpr (kIsPlainValue<T>) {
    return slot;
  } else {
    return slot.get();
  }
}
template <class T>
T& WriteSlot(Slot<T>& slot) {
  if constexpr (kIsPlainValue<T>) {
    return slot;
  } else {
    return slot.Mutable();
  }
}

}  // namespace internal
}  // namespace keelson
