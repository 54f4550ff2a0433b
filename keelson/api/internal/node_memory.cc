#include "keelson/api/internal/node_memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "keelson/api/internal/node_slabs.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define KEELSON_KEEPS_NODE_MEMORY 0
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define KEELSON_KEEPS_NODE_MEMORY 0
#endif
#ifndef KEELSON_KEEPS_NODE_MEMORY
#define KEELSON_KEEPS_NODE_MEMORY 1
#endif

namespace keelson::internal {

namespace {

constexpr size_t kMostKept = size_t{64} << 10;  // bytes, of each thread
// From the slabs come first one block, then two, and so on up to this: a thread that makes few nodes takes few.
constexpr size_t kMostAtOnce = 64;
constexpr size_t kMostBytesAtOnce = size_t{4} << 10;

void* CheckNotNull(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

// What this thread keeps. Without constructor or destructor, so that every use is a plain access.
struct Kept {
  SlabBlock* blocks[kSlabClasses];
  size_t room;                    // bytes that may be kept beyond those that are
  uint8_t at_once[kSlabClasses];  // blocks that came from the slabs the last time
  bool opened;                    // the room has been granted; it was taken away again when the thread began to end
};
constinit thread_local Kept kept = {};

void GiveBackAll() {
  for (SlabBlock*& first : kept.blocks) {
    if (first == nullptr) continue;
    for (const SlabBlock* block = first; block != nullptr; block = block->next) {
      kept.room += SlabClassSize(static_cast<size_t>(&first - kept.blocks));
    }
    GiveToSlabs(first);
    first = nullptr;
  }
}

struct GiveBackAtEnd {
  ~GiveBackAtEnd() {
    GiveBackAll();
    kept.room = 0;
  }
};

// The first time on a thread.
void Open() {
  kept.opened = true;
  static thread_local GiveBackAtEnd at_end;
  static_cast<void>(&at_end);
  kept.room = kMostKept;
}

[[gnu::noinline]] void* TakeMore(size_t bytes) {
  if (!KEELSON_KEEPS_NODE_MEMORY || bytes > kMostSlabBytes) return CheckNotNull(std::malloc(bytes));
  if (!kept.opened) Open();
  const size_t size_class = SlabClassOf(std::max<size_t>(bytes, 1));
  const size_t size = SlabClassSize(size_class);
  if (kept.room < kMostBytesAtOnce) GiveBackAll();  // of other sizes: they were not asked for
  const size_t fitting = std::max<size_t>(1, std::min(kMostBytesAtOnce, kept.room) / size);
  const size_t most = std::clamp<size_t>(2 * size_t{kept.at_once[size_class]}, 1, std::min(kMostAtOnce, fitting));
  kept.at_once[size_class] = static_cast<uint8_t>(most);
  const SlabChain chain = TakeFromSlabs(size_class, most);
  if (chain.first == nullptr) return CheckNotNull(std::malloc(bytes));
  kept.blocks[size_class] = chain.first->next;
  kept.room -= (chain.count - 1) * size;
  return chain.first;
}

// The block has no room among those kept.
[[gnu::noinline]] void GiveSlowly(SlabBlock* block, size_t size_class) noexcept {
  if (size_class == 0) return std::free(block);
  if (!kept.opened) Open();
  if (kept.room < SlabClassSize(size_class)) GiveBackAll();
  if (kept.room < SlabClassSize(size_class)) {  // the thread is ending
    block->next = nullptr;
    return GiveToSlabs(block);
  }
  block->next = kept.blocks[size_class];
  kept.blocks[size_class] = block;
  kept.room -= SlabClassSize(size_class);
}

}  // namespace

void* TakeNodeMemory(size_t bytes) {
  if (bytes <= kMostSlabBytes) {
    const size_t size_class = SlabClassOf(bytes);
    if (SlabBlock* const block = kept.blocks[size_class]; block != nullptr) {
      kept.blocks[size_class] = block->next;
      kept.room += SlabClassSize(size_class);
      return block;
    }
  }
  return TakeMore(bytes);
}

void GiveNodeMemory(void* memory) noexcept {
  auto* const block = static_cast<SlabBlock*>(memory);
  const size_t size_class = SlabClassAt(block);
  const size_t size = SlabClassSize(size_class);
  if (size_class == 0 || kept.room < size) return GiveSlowly(block, size_class);
  block->next = kept.blocks[size_class];
  kept.blocks[size_class] = block;
  kept.room -= size;
}

void* GrowNodeMemory(void* memory, size_t bytes) {
  const size_t size_class = SlabClassAt(memory);
  if (size_class == 0) return CheckNotNull(std::realloc(memory, bytes));
  const size_t size = SlabClassSize(size_class);
  if (bytes <= size) return memory;
  void* const grown = TakeNodeMemory(bytes);
  std::memcpy(grown, memory, size);
  GiveNodeMemory(memory);
  return grown;
}

}  // namespace keelson::internal
