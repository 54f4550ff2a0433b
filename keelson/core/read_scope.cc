#include "keelson/core/read_scope.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>

#include "keelson/core/leaf_mutex.h"

namespace keelson {

namespace internal {
constinit thread_local ScopedReader* scoped_reader = nullptr;
alignas(64) std::atomic<uint64_t> scope_number = 1;
}  // namespace internal

namespace {

using internal::ScopedReader;

// Unused where readers pay.
[[maybe_unused]] bool Barrier(int command) { return syscall(SYS_membarrier, command, 0, 0) == 0; }

// Never destroyed: threads end as late as they like.
struct Readers {
  Readers() {
#ifndef KEELSON_READERS_FENCE
    fence = !Barrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
#endif
  }

  bool fence = true;  // constant after construction
  LeafMutex mutex;
  // Guarded by mutex. Readers are only added, in front.
  ScopedReader* first = nullptr;
  // What was still held when its list was destroyed: for the next list that looks.
  std::vector<RetiredList::Retired> orphans;

  std::atomic<bool> has_orphans = false;  // written under mutex
};

Readers& All() {
  static Readers* const all = new Readers;
  return *all;
}

// Of this thread; null until its first scope.
constinit thread_local ScopedReader* own_reader = nullptr;

// Behind the end of its membership a thread borrows. Not a member of that, which is gone by then.
constinit thread_local bool membership_ended = false;

// Gives what the thread announced by to others when it ends.
struct Membership {
  ~Membership() {
    membership_ended = true;
    // A scope may be open, in what is destroyed after this.
    if (own_reader == nullptr) return;
    if (own_reader->announced.load(std::memory_order_relaxed) != 0) {
      own_reader->borrowed = true;
      ++own_reader->more;
    } else {
      own_reader->GiveBack();
    }
  }
  bool begun = false;
};
thread_local Membership membership;

// Behind this, a scope that was announced before is seen, and one that was not sees what was taken out before.
bool MakeReadersKnown() {
#ifdef KEELSON_READERS_FENCE
  return true;
#else
  if (All().fence) {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    return true;
  }
  // A process that was forked may have to register anew.
  return Barrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) ||
         (Barrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) && Barrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED));
#endif
}

const ScopedReader* FirstReader() {
  LeafLock lock(All().mutex);
  return All().first;
}

// The least number that a scope announces.
uint64_t OldestScope() {
  uint64_t oldest = std::numeric_limits<uint64_t>::max();
  for (const ScopedReader* reader = FirstReader(); reader != nullptr; reader = reader->next) {
    const uint64_t announced = reader->announced.load(std::memory_order_seq_cst);
    if (announced != 0 && announced < oldest) oldest = announced;
  }
  return oldest;
}

void Append(std::vector<RetiredList::Retired> from, std::vector<RetiredList::Retired>& to) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

// Takes those that are held out of `retired` and puts them behind `held`. No scope sees any of them: so nobody begins
// to hold one, and a hold that was taken in a scope is seen, because the scope's end is.
void TakeHeld(std::vector<RetiredList::Retired>& retired, std::vector<RetiredList::Retired>& held) {
  if (retired.empty()) return;
  std::vector<const void*> names;
  for (const ScopedReader* reader = FirstReader(); reader != nullptr; reader = reader->next) {
    for (const std::atomic<const void*>& hold : reader->holds) {
      if (const void* name = hold.load(std::memory_order_acquire)) names.push_back(name);
    }
  }
  if (names.empty()) return;
  std::sort(names.begin(), names.end(), std::less<>());
  const auto is_free = [&](const RetiredList::Retired& one) {
    return !std::binary_search(names.begin(), names.end(), one.held_as, std::less<>());
  };
  const auto first_held = std::partition(retired.begin(), retired.end(), is_free);
  held.insert(held.end(), std::make_move_iterator(first_held), std::make_move_iterator(retired.end()));
  retired.erase(first_held, retired.end());
}

void LeaveOrphans(std::vector<RetiredList::Retired> held) {
  Readers& all = All();
  LeafLock lock(all.mutex);
  Append(std::move(held), all.orphans);
  all.has_orphans.store(true, std::memory_order_relaxed);
}

std::vector<RetiredList::Retired> TakeOrphans() {
  Readers& all = All();
  if (!all.has_orphans.load(std::memory_order_relaxed)) return {};
  LeafLock lock(all.mutex);
  all.has_orphans.store(false, std::memory_order_relaxed);
  return std::exchange(all.orphans, {});
}

ScopedReader* Join() {
  Readers& all = All();
  if (!membership_ended) membership.begun = true;
  LeafLock lock(all.mutex);
  ScopedReader* reader = all.first;
  while (reader != nullptr && reader->taken) reader = reader->next;
  if (reader == nullptr) {
    reader = new ScopedReader;
    reader->fences = all.fence;
    reader->next = all.first;
    all.first = reader;
  }
  reader->taken = true;
  reader->borrowed = membership_ended;
  reader->more = membership_ended ? 1 : 0;
  own_reader = reader;
  if (!reader->fences) internal::scoped_reader = reader;
  return reader;
}

}  // namespace

ScopedReader* ScopedReader::EnterSlowly() {
  ScopedReader* const reader = own_reader != nullptr ? own_reader : Join();
  if (reader->announced.load(std::memory_order_relaxed) != 0) {
    ++reader->more;
    return reader;
  }
  const uint64_t number = internal::scope_number.load(std::memory_order_acquire);
#ifdef KEELSON_READERS_FENCE
  reader->announced.exchange(number, std::memory_order_seq_cst);
#else
  reader->announced.store(number, std::memory_order_release);
  if (reader->fences) {
    std::atomic_thread_fence(std::memory_order_seq_cst);
  } else {
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
#endif
  return reader;
}

void ScopedReader::LeaveSlowly() {
  if (--more != 0 || !borrowed) return;
  announced.store(0, std::memory_order_release);
  GiveBack();
}

std::atomic<const void*>* ScopedReader::FindFreeSlowly() {
  for (uint32_t i = 1; i < kHolds; ++i) {
    const uint32_t at = (free_hold + i) % kHolds;
    if (holds[at].load(std::memory_order_acquire) != nullptr) continue;
    free_hold = at;
    return &holds[at];
  }
  return nullptr;
}

void ScopedReader::GiveBack() {
  own_reader = nullptr;
  internal::scoped_reader = nullptr;
  borrowed = false;
  LeafLock lock(All().mutex);
  taken = false;
}

std::vector<RetiredList::Retired> RetiredList::LookForUnseen() {
  if (!gathered_.empty()) {
    // Who finds the number grown sees that these are gone: all changes of it are one release sequence.
    const uint64_t number = internal::scope_number.fetch_add(1, std::memory_order_seq_cst);
    kept_.push_back({number, std::move(gathered_)});
    gathered_.clear();
    count_ = 0;
  }
  std::vector<Retired> unseen = std::exchange(held_, {});
  Append(TakeOrphans(), unseen);
  if (!kept_.empty() && MakeReadersKnown()) {
    // A thread whose first scope begins only now takes a lock, and so sees what was taken out before.
    const uint64_t oldest = OldestScope();
    while (!kept_.empty() && kept_.front().number < oldest) {
      Append(std::move(kept_.front().retired), unseen);
      kept_.pop_front();
    }
  }
  TakeHeld(unseen, held_);
  return unseen;
}

RetiredList::~RetiredList() {
  std::vector<Retired> all = std::move(gathered_), held;
  for (Batch& batch : kept_) Append(std::move(batch.retired), all);
  Append(std::move(held_), all);
  Append(TakeOrphans(), all);  // so that those that stay are held
  TakeHeld(all, held);
  if (!held.empty()) LeaveOrphans(std::move(held));
}

size_t RetiredList::size() const {
  size_t sum = gathered_.size() + held_.size();
  for (const Batch& batch : kept_) sum += batch.retired.size();
  return sum;
}

}  // namespace keelson
