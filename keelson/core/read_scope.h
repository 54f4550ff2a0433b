// Reading what a writer may replace at any moment, without a lock and without counting who reads.
//
//   std::atomic<const Node*> current;
//
//   {                                                    // a reader
//     ReadScope scope;
//     const Node* node = current.load(std::memory_order_acquire);
//     … *node …                                          // good until the scope ends
//   }
//
//   retired.Add(std::unique_ptr<const Node>(current.exchange(made)));   // the writer; RetiredList retired
//   retired.TakeUnseen();                                // now and then: what no scope can see any more, to be dropped
//
// A scope writes into a line of its own thread only, so readers neither wait for each other nor slow each other down,
// and the processor goes on to what comes next while memory is still being fetched: a count that is changed atomically
// would stop it from that. The barrier that must stand between a reader's announcement and its first look is the
// writer's to pay, once for many retired nodes (membarrier(2); where the system has none, readers pay).
//
// How it works: there is a number that grows with every look of a writer at its readers. A scope announces the number
// that it finds. What was retired before the number grew to n is dropped when no scope announces n - 1 or less: those
// that announce more have begun when it was gone already.
//
// A scope that stays open costs memory, nothing else: what any writer retires meanwhile is kept. So a scope is for a
// few lookups and not for a wait. To a simulation all of this is invisible.
//
// To keep one thing that was found for longer than the scope, without counting, there is a Hold:
//
//   const ReadScope scope;
//   const Node* node = current.load(std::memory_order_acquire);
//   Hold hold(scope, node);                              // *node is good until the hold ends, wherever that is
//   if (!hold) …                                         // this thread has as many as it can: keep it in another way
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace keelson {

namespace internal {

#if defined(__SANITIZE_THREAD__)
#define KEELSON_READERS_FENCE 1  // it cannot see a barrier that the system makes
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define KEELSON_READERS_FENCE 1
#endif
#endif

// What a thread announces and holds. Threads that begin take over what others have left.
struct alignas(64) ScopedReader {
  static constexpr size_t kHolds = 16;

  static inline ScopedReader* Enter();
  static ScopedReader* EnterSlowly();
  inline void Leave();
  void LeaveSlowly();
  void GiveBack();
  // A place for a hold, or null when there is none.
  inline std::atomic<const void*>* FindFree();
  std::atomic<const void*>* FindFreeSlowly();

  std::atomic<uint64_t> announced = 0;  // 0: in no scope
  // Of its thread only.
  uint32_t more = 0;      // scopes within the first one, and one more where it is borrowed
  bool fences = false;    // constant
  bool borrowed = false;  // for one scope, by a thread that is at its end
  // Guarded by the mutex of all; `next` is constant.
  bool taken = true;
  ScopedReader* next = nullptr;

  uint32_t free_hold = 0;  // of its thread only: where one may be free
  // Set by its thread only, and set to null by whoever ends the hold.
  alignas(64) std::array<std::atomic<const void*>, kHolds> holds{};
};

// Of this thread. Null until its first scope, and where readers must fence.
extern constinit thread_local ScopedReader* scoped_reader;
extern std::atomic<uint64_t> scope_number;

// These two are a dozen instructions: a lookup is a hundred.
inline ScopedReader* ScopedReader::Enter() {
  ScopedReader* const reader = scoped_reader;
  if (reader == nullptr || reader->announced.load(std::memory_order_relaxed) != 0) [[unlikely]]
    return EnterSlowly();
  reader->announced.store(scope_number.load(std::memory_order_acquire), std::memory_order_release);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  return reader;
}

inline void ScopedReader::Leave() {
  if (more != 0) [[unlikely]]
    return LeaveSlowly();
  announced.store(0, std::memory_order_release);
}

inline std::atomic<const void*>* ScopedReader::FindFree() {
  std::atomic<const void*>& usual = holds[free_hold];
  // Who ended the last hold here has read what it kept before: writers learn of that through us.
  if (usual.load(std::memory_order_acquire) != nullptr) [[unlikely]]
    return FindFreeSlowly();
  return &usual;
}

}  // namespace internal

// On the stack, and ended by the thread that began it. Scopes may stand within scopes.
class [[nodiscard]] ReadScope {
 public:
  ReadScope() : reader_(internal::ScopedReader::Enter()) {}
  ~ReadScope() { reader_->Leave(); }
  ReadScope(const ReadScope&) = delete;
  ReadScope& operator=(const ReadScope&) = delete;
  static void* operator new(size_t) = delete;
  static void* operator new[](size_t) = delete;

 private:
  friend class Hold;
  internal::ScopedReader* const reader_;
};

// Keeps what was found in a scope beyond its end. Taking and ending one are a store each. It may be moved to another
// thread and end there. A thread has a few (ScopedReader::kHolds): a hold that gets none is empty and keeps nothing.
class [[nodiscard]] Hold {
 public:
  Hold() = default;
  // `what`: by which its RetiredList knows it, not null, found in this scope.
  Hold(const ReadScope& scope, const void* what) : place_(scope.reader_->FindFree()) {
    // The end of the scope stands behind this for whoever looks at the scopes first and at the holds then.
    if (place_ != nullptr) [[likely]]
      place_->store(what, std::memory_order_release);
  }
  Hold(Hold&& other) noexcept : place_(std::exchange(other.place_, nullptr)) {}
  Hold& operator=(Hold&& other) noexcept {
    std::swap(place_, other.place_);
    return *this;
  }
  ~Hold() {
    if (place_ != nullptr) place_->store(nullptr, std::memory_order_release);
  }
  explicit operator bool() const { return place_ != nullptr; }

 private:
  std::atomic<const void*>* place_ = nullptr;
};

// What a writer took out of everything that scopes look at. Not thread-safe: it belongs to the writer. When it is
// destroyed no scope reads what is in it; what is held then is dropped by the lists of others, some time after its hold
// has ended.
class RetiredList {
 public:
  struct Retired {
    std::unique_ptr<void, void (*)(void*)> node;
    const void* held_as;
  };
  // So many are gathered before the readers are looked at.
  static constexpr size_t kEnough = 32;

  RetiredList() = default;
  ~RetiredList();
  RetiredList(const RetiredList&) = delete;
  RetiredList& operator=(const RetiredList&) = delete;

  // One that takes much memory counts as many. Holds name it by its address.
  template <class T>
  void Add(std::unique_ptr<T> out, size_t counts_as = 1) {
    const void* const held_as = out.get();
    AddHeldAs(held_as, std::move(out), counts_as);
  }
  // Holds name it by another address, that of what it owns.
  template <class T>
  void AddHeldAs(const void* held_as, std::unique_ptr<T> out, size_t counts_as = 1) {
    if (out == nullptr) return;
    gathered_.push_back({{const_cast<std::remove_const_t<T>*>(out.release()),
                          [](void* node) { delete static_cast<std::remove_const_t<T>*>(node); }},
                         held_as});
    count_ += counts_as;
  }

  // Those that no scope can see and no hold keeps any more, for the caller to drop where it likes; none until there are
  // enough to look.
  std::vector<Retired> TakeUnseen() { return count_ < kEnough ? std::vector<Retired>() : LookForUnseen(); }
  // The same without waiting for enough.
  std::vector<Retired> LookForUnseen();

  size_t size() const;

 private:
  struct Batch {
    uint64_t number;  // who announces more cannot see it
    std::vector<Retired> retired;
  };

  std::vector<Retired> gathered_;  // since the last look
  size_t count_ = 0;               // of these
  std::deque<Batch> kept_;         // numbers ascend
  std::vector<Retired> held_;      // seen by no scope, and held when that was looked at last
};

}  // namespace keelson
