#include "keelson/api/internal/node_memory.h"

#include <cstdlib>
#include <new>

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

constexpr size_t kGranule = 16;
constexpr size_t kClasses = 65;
constexpr size_t kMostKept = size_t{64} << 10;  // bytes, of each thread

// Sizes of one class differ by less than what malloc rounds up anyway: 24, 40, 56, … bytes.
constexpr size_t ClassOf(size_t bytes) { return (bytes + kGranule / 2 - 1) / kGranule; }
constexpr size_t ClassSize(size_t size_class) { return size_class * kGranule + kGranule / 2; }
// Exact under a sanitizer, which then sees a byte too many.
constexpr size_t RoundUp(size_t bytes) { return KEELSON_KEEPS_NODE_MEMORY ? ClassSize(ClassOf(bytes)) : bytes; }

void* CheckNotNull(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

struct Block {
  Block* next;
};

// What this thread keeps. Without constructor or destructor, so that every use is a plain access.
struct Kept {
  Block* blocks[kClasses];
  size_t room;  // bytes that may be kept beyond those that are
  bool opened;  // the room has been granted; it was taken away again when the thread began to end
};
constinit thread_local Kept kept = {};

struct GiveBackAtEnd {
  ~GiveBackAtEnd() {
    kept.room = 0;
    for (Block*& first : kept.blocks) {
      while (first != nullptr) {
        Block* const block = first;
        first = block->next;
        std::free(block);
      }
    }
  }
};

// There was no room. The first time on a thread is when room is granted.
[[gnu::noinline]] bool OpenRoom(size_t size) {
  if (kept.opened || !KEELSON_KEEPS_NODE_MEMORY) return false;
  kept.opened = true;
  static thread_local GiveBackAtEnd at_end;
  static_cast<void>(&at_end);
  kept.room = kMostKept;
  return size <= kept.room;
}

}  // namespace

void* TakeNodeMemory(size_t bytes) {
  const size_t size_class = ClassOf(bytes);
  if (size_class < kClasses) {
    Block*& first = kept.blocks[size_class];
    if (Block* const block = first; block != nullptr) {
      first = block->next;
      kept.room += ClassSize(size_class);
      return block;
    }
  }
  return CheckNotNull(std::malloc(RoundUp(bytes)));
}

void GiveNodeMemory(void* memory, size_t bytes) noexcept {
  const size_t size_class = ClassOf(bytes);
  const size_t size = ClassSize(size_class);
  if (size_class >= kClasses || (size > kept.room && !OpenRoom(size))) return std::free(memory);
  kept.room -= size;
  Block* const block = static_cast<Block*>(memory);
  block->next = kept.blocks[size_class];
  kept.blocks[size_class] = block;
}

void* GrowNodeMemory(void* memory, size_t bytes) { return CheckNotNull(std::realloc(memory, RoundUp(bytes))); }

}  // namespace keelson::internal
