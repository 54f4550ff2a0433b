// Where the memory of nodes comes from: slabs of 64 KiB, each cut into blocks of one size, in one range of addresses.
//
//   SlabChain chain = TakeFromSlabs(SlabClassOf(40), 16);   // up to 16 blocks of at least 40 bytes
//   GiveToSlabs(chain);
//
// A cache holds millions of small nodes. Against malloc a block has no header, what surrounds it is of its size and so
// can be used again by the next, and a large cache lies on huge pages: a lookup then finds its object's address without
// walking through tables of pages that are not in the processor's cache either.
//
// The range is only reserved; a slab takes memory when its blocks are first written. What is known of a slab stands in
// a table apart: a block's size can be told by its address, and slabs that are hot together do not fight for one place
// in the processor's cache, as headers at multiples of 64 KiB would. A slab that is empty can serve another size; when
// many are empty their memory goes back to the system.
//
// Thread-safe: a lock for each size, taken once for a chain of blocks.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace keelson::internal {

// A free block; its first bytes are the link.
struct SlabBlock {
  SlabBlock* next;
};

struct SlabChain {
  SlabBlock* first = nullptr;
  size_t count = 0;
};

// Larger blocks come from elsewhere.
inline constexpr size_t kMostSlabBytes = 2048;
// Sizes: 8, 16, … 512, then 576, 640, … 2048. Class 0 is no size.
inline constexpr size_t kFineClasses = 64;
inline constexpr size_t kSlabClasses = kFineClasses + (kMostSlabBytes - 512) / 64 + 1;

constexpr size_t SlabClassOf(size_t bytes) {
  return bytes <= 512 ? (bytes + 7) / 8 : kFineClasses - 8 + (bytes + 63) / 64;
}
constexpr size_t SlabClassSize(size_t size_class) {
  return size_class <= kFineClasses ? size_class * 8 : (size_class - kFineClasses + 8) * 64;
}

// At least one block, unless the range or the system has no more memory for slabs: then none.
SlabChain TakeFromSlabs(size_t size_class, size_t most);
// Blocks of any sizes.
void GiveToSlabs(SlabBlock* first) noexcept;

inline constexpr size_t kSlabBytes = size_t{64} << 10;
inline constexpr size_t kReservedBytes = sizeof(void*) >= 8 ? size_t{1} << 34 : 0;

// Set once, before the first block is taken.
extern std::atomic<uintptr_t> slabs_begin;        // nowhere near any block until then
extern std::atomic<const uint8_t*> slab_classes;  // by the number of the slab

// The class of a block, or 0 when it is not from a slab.
inline size_t SlabClassAt(const void* block) {
  const uintptr_t offset = reinterpret_cast<uintptr_t>(block) - slabs_begin.load(std::memory_order_relaxed);
  return offset < kReservedBytes ? slab_classes.load(std::memory_order_relaxed)[offset / kSlabBytes] : 0;
}

// For tests.
struct SlabUse {
  size_t used;       // slabs that hold blocks somebody has
  size_t empty;      // slabs whose memory is kept for the next
  size_t committed;  // bytes that may be written to
};
SlabUse CountSlabs();

}  // namespace keelson::internal
