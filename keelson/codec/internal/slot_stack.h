// Slots of lists and maps of which the length is not known yet, the innermost one at the end.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>

#include "keelson/api/node.h"
#include "keelson/api/string.h"

namespace keelson::internal {

// Releases what one slot of a list or map holds.
inline void DropSlot(const Type& element, std::byte* slot) {
  if (element.is_struct()) {
    ReleaseNode(element, *reinterpret_cast<Node**>(slot));
  } else {
    DestroyValue(element, slot);
  }
}

// Growing moves the slots: name them by offset.
class SlotStack {
 public:
  size_t size() const { return size_; }
  std::byte* at(size_t offset) { return bytes_.get() + offset; }

  // Zeroed ones at the end.
  std::byte* Push(size_t bytes) {
    std::byte* slots = Extend(bytes);
    std::memset(slots, 0, bytes);
    return slots;
  }
  template <class T>
  void PushValue(T value) {
    std::memcpy(Extend(sizeof value), &value, sizeof value);
  }
  void Truncate(size_t size) { size_ = size; }

  // The slots since `base`, of a list or map of that type, become the content of a node: make(payload, count). Null
  // when there are none.
  template <class Make>
  Node* TakeNode(NodeKind kind, const Type& type, size_t base, Make make) {
    const size_t count = (size_ - base) / StepOf(kind, type);
    if (count == 0) return nullptr;
    size_ = base;
    return make(at(base), count);
  }
  // Releases the slots since `base`; those before `first` are no longer ours to release.
  void Drop(NodeKind kind, const Type& type, size_t base, size_t first = 0) {
    for (size_t slot = std::max(base, first); slot < size_; slot += StepOf(kind, type)) {
      size_t key = 0;
      if (kind == NodeKind::kMap) {
        DestroyValue(TypeOf<String>(), at(slot));
        key = sizeof(Node*);
      }
      DropSlot(*type.element, at(slot + key));
    }
    size_ = base;
  }

 private:
  static size_t StepOf(NodeKind kind, const Type& type) {
    return kind == NodeKind::kMap ? MapEntrySize(*type.element) : SlotSize(*type.element);
  }
  std::byte* Extend(size_t bytes) {
    if (capacity_ - size_ < bytes) Grow(bytes);
    std::byte* end = bytes_.get() + size_;
    size_ += bytes;
    return end;
  }
  void Grow(size_t bytes) {
    const size_t capacity = 2 * capacity_ + bytes + 1024;
    std::unique_ptr<std::byte[]> grown(new std::byte[capacity]);
    if (size_ != 0) std::memcpy(grown.get(), bytes_.get(), size_);
    bytes_ = std::move(grown);
    capacity_ = capacity;
  }

  std::unique_ptr<std::byte[]> bytes_;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

}  // namespace keelson::internal
