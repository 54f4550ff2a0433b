#include "keelson/core/internal/start_pages.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <vector>

#include "keelson/core/clock.h"
#include "keelson/core/internal/scheduler.h"

namespace keelson::internal {

namespace {

// Of an entry of /proc/self/pagemap, which has one for each page (the kernel's admin-guide/mm/pagemap.rst).
constexpr uint64_t kPresent = uint64_t{1} << 63;
constexpr uint64_t kOfFile = uint64_t{1} << 61;  // a page that was written to is not

struct Range {
  uintptr_t begin;
  uintptr_t end;
};

struct Parts {
  const ElfW(Phdr) * begin() const { return object.dlpi_phdr; }
  const ElfW(Phdr) * end() const { return object.dlpi_phdr + object.dlpi_phnum; }
  const dl_phdr_info& object;
};

// Those are written while the object is loaded, perhaps just now.
bool HasRelocationsInCode(const dl_phdr_info& object) {
  for (const ElfW(Phdr) & part : Parts{object}) {
    if (part.p_type != PT_DYNAMIC) continue;
    for (auto* entry = reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + part.p_vaddr); entry->d_tag != DT_NULL;
         ++entry) {
      if (entry->d_tag == DT_TEXTREL || (entry->d_tag == DT_FLAGS && (entry->d_un.d_val & DF_TEXTREL) != 0))
        return true;
    }
  }
  return false;
}

// Others may be writing to a writable part just now.
std::vector<Range> UnwritableParts(const dl_phdr_info& object) {
  std::vector<Range> ranges;
  if (HasRelocationsInCode(object)) return ranges;
  for (const ElfW(Phdr) & part : Parts{object}) {
    if (part.p_type != PT_LOAD || (part.p_flags & PF_W) != 0) continue;
    const uintptr_t begin = object.dlpi_addr + part.p_vaddr;
    ranges.push_back({begin, begin + part.p_memsz});
  }
  return ranges;
}

// Its functions are hot so that they stand with what runs anyway and bring no page of their own back.
struct Dropping {
  [[gnu::hot]] static int Visit(dl_phdr_info* object, size_t, void* dropping) {
    static_cast<Dropping*>(dropping)->DropUnchanged(*object);
    return 0;
  }

  [[gnu::hot]] void DropUnchanged(const dl_phdr_info& object) {
    // All of them first: looking at the object's table of parts brings the page that it is in back.
    for (const Range& range : UnwritableParts(object)) DropUnchanged(range);
  }

  [[gnu::hot]] void DropUnchanged(const Range& range) {
    std::array<uint64_t, 256> entries;
    uintptr_t page = range.begin / page_size;
    const uintptr_t end = (range.end + page_size - 1) / page_size;
    while (page < end) {
      const size_t wanted = std::min(entries.size(), static_cast<size_t>(end - page)) * sizeof(uint64_t);
      const ssize_t got = pread(page_map, entries.data(), wanted, static_cast<off_t>(page * sizeof(uint64_t)));
      if (got < static_cast<ssize_t>(sizeof(uint64_t))) return;
      const size_t count = static_cast<size_t>(got) / sizeof(uint64_t);
      for (size_t i = 0; i < count;) {
        size_t next = i;
        while (next < count && (entries[next] & kPresent) != 0 && (entries[next] & kOfFile) != 0) ++next;
        const size_t bytes = (next - i) * page_size;
        if (bytes != 0 && madvise(reinterpret_cast<void*>((page + i) * page_size), bytes, MADV_DONTNEED) == 0) {
          dropped += bytes;
        }
        i = next + 1;
      }
      page += count;
    }
  }

  int page_map;
  size_t page_size;
  size_t dropped = 0;
};

}  // namespace

[[gnu::hot]] size_t DropUnchangedCode() {
  if (CurrentScheduler() != nullptr) return 0;
  const int page_map = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (page_map < 0) return 0;
  Dropping dropping{.page_map = page_map, .page_size = static_cast<size_t>(sysconf(_SC_PAGESIZE))};
  // Nothing is loaded or unloaded meanwhile.
  dl_iterate_phdr(Dropping::Visit, &dropping);
  close(page_map);
  return dropping.dropped;
}

void KeepDroppingUnchangedCode(const StopToken& stop) {
  if (CurrentScheduler() != nullptr) return;
  Duration wait = std::chrono::seconds(1);
  while (SleepFor(wait, stop) == Wake::kTimeout) {
    DropUnchangedCode();
    wait = std::chrono::minutes(10);
  }
}

}  // namespace keelson::internal
