// Asks for a cache line that will be written soon and is in another processor's cache: by then it is here.
#pragma once

namespace keelson::internal {

inline void PrefetchForWrite(const void* line) {
#if defined(__x86_64__)
  // The builtin would ask for the line to read unless the compiler is told of a processor, and then the write waits as
  // if nothing had been asked. A processor that does not know the instruction passes over it.
  asm volatile("prefetchw (%0)" : : "r"(line));
#else
  __builtin_prefetch(line, 1);
#endif
}

}  // namespace keelson::internal
