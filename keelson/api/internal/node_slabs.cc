#include "keelson/api/internal/node_slabs.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <utility>

#include "keelson/core/leaf_mutex.h"

namespace keelson::internal {

constinit std::atomic<uintptr_t> slabs_begin = UINTPTR_MAX - kReservedBytes;
constinit std::atomic<const uint8_t*> slab_classes = nullptr;

namespace {

constexpr size_t kSlabs = kReservedBytes / kSlabBytes;
// Memory is asked of the system in regions of a huge page.
constexpr size_t kRegionBytes = size_t{2} << 20;
constexpr size_t kSlabsInRegion = kRegionBytes / kSlabBytes;
// From so many regions on they lie on huge pages. A small program would only have more memory resident by them.
constexpr size_t kSmallRegions = 8;
// Empty slabs keep their memory up to this many, or an eighth of all.
constexpr size_t kMostEmpty = 16;

constexpr uint32_t kNone = UINT32_MAX;

// What is known of a slab; by the lock of its class while it has one, else by that of the range.
struct Slab {
  SlabBlock* free = nullptr;  // blocks that were given back
  uint32_t next = kNone;      // in the list that it is in
  uint32_t previous = kNone;
  uint16_t used = 0;    // blocks that somebody has
  uint16_t carved = 0;  // blocks that were ever taken; those behind were not touched since the slab was empty
};

// The slabs of one size that have room.
struct alignas(64) SizeClass {
  LeafMutex mutex;
  uint32_t first = kNone;
};

class Range {
 public:
  bool ok() const { return slabs_ != nullptr; }
  Slab& slab(uint32_t number) { return slabs_[number]; }
  char* memory(uint32_t number) const { return begin_ + size_t{number} * kSlabBytes; }
  uint32_t number_of(const void* block) const {
    return static_cast<uint32_t>(static_cast<size_t>(static_cast<const char*>(block) - begin_) / kSlabBytes);
  }

  // An empty slab for that class, or kNone.
  uint32_t Take(size_t size_class) {
    LeafLock lock(mutex_);
    if (empty_ == kNone && clean_ == kNone && !AddRegion()) return kNone;
    uint32_t& list = empty_ != kNone ? empty_ : clean_;
    if (&list == &empty_) --empty_count_;
    const uint32_t number = std::exchange(list, slabs_[list].next);
    slabs_[number] = {};
    classes_[number] = static_cast<uint8_t>(size_class);
    ++used_;
    return number;
  }
  // It has no block that somebody has.
  void Give(uint32_t number) {
    LeafLock lock(mutex_);
    classes_[number] = 0;
    --used_;
    const bool keep = empty_count_ < std::max(kMostEmpty, regions_ * kSlabsInRegion / 8);
    if (!keep) (void)::madvise(memory(number), kSlabBytes, MADV_DONTNEED);
    uint32_t& list = keep ? empty_ : clean_;
    if (keep) ++empty_count_;
    slabs_[number] = {.next = list};
    list = number;
  }

  SlabUse Count() {
    LeafLock lock(mutex_);
    return {.used = used_, .empty = empty_count_, .committed = regions_ * kRegionBytes};
  }

  static Range& Get() {
    static Range& range = *new Range;  // blocks may be given back until the process ends
    return range;
  }

 private:
  Range() {
    if (kReservedBytes == 0) return;
    const auto reserve = [](size_t bytes, int protection) -> char* {
      void* const got = ::mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      return got == MAP_FAILED ? nullptr : static_cast<char*>(got);
    };
    char* const range = reserve(kReservedBytes + kRegionBytes, PROT_NONE);
    char* const slabs = reserve(kSlabs * (sizeof(Slab) + 1), PROT_READ | PROT_WRITE);
    if (range == nullptr || slabs == nullptr) {
      if (range != nullptr) ::munmap(range, kReservedBytes + kRegionBytes);
      return;
    }
    begin_ = range + (-reinterpret_cast<uintptr_t>(range) & (kRegionBytes - 1));
    slabs_ = reinterpret_cast<Slab*>(slabs);
    classes_ = reinterpret_cast<uint8_t*>(slabs + kSlabs * sizeof(Slab));
    slab_classes = classes_;
    slabs_begin = reinterpret_cast<uintptr_t>(begin_);
  }

  bool AddRegion() {
    if (regions_ * kSlabsInRegion == kSlabs) return false;
    const auto first = static_cast<uint32_t>(regions_ * kSlabsInRegion);
    if (::mprotect(memory(first), kRegionBytes, PROT_READ | PROT_WRITE) != 0) return false;
    if (regions_ >= kSmallRegions) (void)::madvise(memory(first), kRegionBytes, MADV_HUGEPAGE);
    ++regions_;
    for (uint32_t i = kSlabsInRegion; i-- > 0;) {
      slabs_[first + i] = {.next = clean_};
      clean_ = first + i;
    }
    return true;
  }

  // Constant after construction; null where nothing could be reserved.
  char* begin_ = nullptr;
  Slab* slabs_ = nullptr;
  uint8_t* classes_ = nullptr;

  LeafMutex mutex_;
  // Guarded by mutex_.
  size_t regions_ = 0;
  size_t used_ = 0;
  size_t empty_count_ = 0;
  uint32_t empty_ = kNone;  // slabs that have memory
  uint32_t clean_ = kNone;  // slabs that have none
};

std::array<SizeClass, kSlabClasses> classes;

// These two are called under the lock of the class.
void PutFirst(Range& range, SizeClass& of, uint32_t number) {
  Slab& slab = range.slab(number);
  slab.previous = kNone;
  slab.next = of.first;
  if (of.first != kNone) range.slab(of.first).previous = number;
  of.first = number;
}
void TakeOut(Range& range, SizeClass& of, uint32_t number) {
  Slab& slab = range.slab(number);
  if (slab.next != kNone) range.slab(slab.next).previous = slab.previous;
  (slab.previous != kNone ? range.slab(slab.previous).next : of.first) = slab.next;
}

// Appends blocks of the slab until the chain has `most`, and takes a slab that is full out of its list.
void Cut(Range& range, SizeClass& of, uint32_t number, size_t size_class, size_t most, SlabChain& chain) {
  Slab& slab = range.slab(number);
  const size_t size = SlabClassSize(size_class);
  const size_t room = kSlabBytes / size;
  SlabBlock** end = &chain.first;
  while (*end != nullptr) end = &(*end)->next;
  while (chain.count < most && slab.used < room) {
    SlabBlock* block = slab.free;
    if (block != nullptr) {
      slab.free = block->next;
    } else {
      block = reinterpret_cast<SlabBlock*>(range.memory(number) + size * slab.carved++);
    }
    ++slab.used;
    ++chain.count;
    *end = block;
    end = &block->next;
  }
  *end = nullptr;
  if (slab.used == room) TakeOut(range, of, number);
}

}  // namespace

SlabChain TakeFromSlabs(size_t size_class, size_t most) {
  Range& range = Range::Get();
  SlabChain chain;
  if (!range.ok()) return chain;
  SizeClass& of = classes[size_class];
  {
    LeafLock lock(of.mutex);
    if (of.first != kNone) Cut(range, of, of.first, size_class, most, chain);
  }
  if (chain.count != 0) return chain;
  const uint32_t number = range.Take(size_class);
  if (number == kNone) return chain;
  LeafLock lock(of.mutex);
  PutFirst(range, of, number);
  Cut(range, of, number, size_class, most, chain);
  return chain;
}

void GiveToSlabs(SlabBlock* first) noexcept {
  Range& range = Range::Get();
  while (first != nullptr) {
    const size_t size_class = SlabClassAt(first);
    SizeClass& of = classes[size_class];
    const size_t room = kSlabBytes / SlabClassSize(size_class);
    uint32_t emptied = kNone;
    {
      LeafLock lock(of.mutex);
      while (first != nullptr && emptied == kNone && SlabClassAt(first) == size_class) {
        SlabBlock* const block = first;
        first = block->next;
        const uint32_t number = range.number_of(block);
        Slab& slab = range.slab(number);
        if (slab.used == room) PutFirst(range, of, number);
        block->next = slab.free;
        slab.free = block;
        if (--slab.used == 0) {
          TakeOut(range, of, number);
          emptied = number;
        }
      }
    }
    if (emptied != kNone) range.Give(emptied);
  }
}

SlabUse CountSlabs() { return Range::Get().Count(); }

}  // namespace keelson::internal
