// Memory of nodes. Decoding an object takes dozens of small blocks and dropping it gives them back: each thread keeps
// some of those given back and hands them out again, warm in its cache, in a few instructions.
//
//   void* block = TakeNodeMemory(bytes);
//   GiveNodeMemory(block, bytes);   // on any thread; fewer bytes than were taken are fine, more are not
//
// Blocks come from malloc, one by one: what a thread keeps is bounded, and goes back to the heap when the thread ends.
// Under a sanitizer nothing is kept, so that a node that is used after its end is seen.
#pragma once

#include <cstddef>

namespace keelson::internal {

void* TakeNodeMemory(size_t bytes);  // throws std::bad_alloc
void GiveNodeMemory(void* block, size_t bytes) noexcept;
// The same content with room for more; as realloc.
void* GrowNodeMemory(void* block, size_t bytes);

}  // namespace keelson::internal
