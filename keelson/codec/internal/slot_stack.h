// Slots of lists and maps of which the length is not known yet, the innermost one at the end.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>

namespace keelson::internal {

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

 private:
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
