// Memory of nodes. Decoding an object takes dozens of small blocks and dropping it gives them back: each thread keeps
// some of those given back and hands them out again, warm in its cache, in a few instructions.
//
//   void* block = TakeNodeMemory(bytes);
//   GiveNodeMemory(block);   // on any thread
//
// Small blocks come from slabs (node_slabs.h), some at a time; large ones from malloc. What a thread keeps is bounded,
// and goes back when the thread ends. Under a sanitizer all comes from malloc and nothing is kept, so that a node that
// is used after its end is seen.
#pragma once

#include <cstddef>
#include <limits>
#include <new>

namespace keelson::internal {

void* TakeNodeMemory(size_t bytes);  // throws std::bad_alloc
void GiveNodeMemory(void* block) noexcept;
// The same content with room for more; as realloc.
void* GrowNodeMemory(void* block, size_t bytes);

// For objects that stand beside their nodes.
template <class T>
struct NodeAllocator {
  using value_type = T;
  static_assert(alignof(T) <= alignof(void*), "blocks are aligned to a pointer");

  NodeAllocator() = default;
  template <class U>
  NodeAllocator(const NodeAllocator<U>&) {}  // NOLINT(google-explicit-constructor): as allocators are

  T* allocate(size_t count) {
    if (count > std::numeric_limits<size_t>::max() / sizeof(T)) throw std::bad_array_new_length();
    return static_cast<T*>(TakeNodeMemory(count * sizeof(T)));
  }
  void deallocate(T* block, size_t) noexcept { GiveNodeMemory(block); }
  friend bool operator==(const NodeAllocator&, const NodeAllocator&) { return true; }
};

}  // namespace keelson::internal
