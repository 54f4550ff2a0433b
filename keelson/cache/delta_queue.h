// What one consumer of a cache has still to see: deltas, gathered by key, in bounded memory however slow it is.
//
//   DeltaQueue queue(ModelOf<corev1::Pod>());
//   queue.Push({.type = DeltaType::kAdded, .object = pod});
//
//   std::vector<Delta> batch;
//   while (queue.Pop(batch, TimePoint::max(), stop) == Wake::kReady) for (const Delta& delta : batch) Handle(delta);
//
// A key that has something pending keeps its place in the queue; the deltas of one key come in the order they were
// pushed, those of different keys in the order in which the keys began to wait. A consumer that keeps up sees every
// delta. When too many of one key gather, they are folded into what happened in sum: updates into one from the first
// old to the last new, an addition and the deletion behind it into nothing. So the queue never holds more than
// kMaxPerKey deltas for an object, and the states that a consumer sees of it are some of those that it had, in order.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "keelson/cache/delta.h"
#include "keelson/cache/store.h"
#include "keelson/core/cond_var.h"
#include "keelson/core/mutex.h"
#include "keelson/core/time.h"

namespace keelson {

// Thread-safe.
class DeltaQueue {
 public:
  static constexpr size_t kMaxPerKey = 8;

  explicit DeltaQueue(const ObjectModel& model) : model_(model) {}

  // A kSync is left out where its key has anything pending: that shows the object anyway.
  void Push(Delta delta);
  void Push(std::span<const Delta> deltas);
  // Each of these objects as a delta of that type, behind all that is pending. Takes no time and next to no memory: the
  // snapshot is gone through when it is popped.
  void PushAll(Snapshot objects, DeltaType type, bool initial);
  // As PushAll of kSync, unless such a snapshot is pending still: then the consumer is behind already. Says whether.
  bool PushSync(const Snapshot& objects);

  // Waits until something is pending and takes up to `most` deltas (a few more where one key has several), clearing
  // `batch` first. After Close what is left can still be popped, then it is kStopped.
  [[nodiscard]] Wake Pop(std::vector<Delta>& batch, TimePoint deadline, const StopToken& stop, size_t most = 256);
  // Nothing that is pushed from now on is kept.
  void Close();

  // Nothing is pending, and one who waits in Pop has dealt with all that was popped.
  bool IsIdle() const;

  // Keys and snapshots that wait.
  size_t pending() const;

  // The same deltas in sum, as short as they can be told: at most two, a deletion and an addition.
  static void Fold(std::vector<Delta>& deltas);

 private:
  struct Key {
    std::string_view namespace_;
    std::string_view name;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const;
  };
  struct Item;
  using Keys = std::unordered_map<Key, Item*, KeyHash>;
  // Deltas of one key, or, where there are none, a snapshot that has been gone through up to `next`.
  struct Item {
    std::vector<Delta> deltas = {};
    Snapshot objects = {};
    size_t next = 0;
    DeltaType type = DeltaType::kSync;
    bool initial = false;
    ObjectPtr named = {};        // keeps alive what its key in `by_key_` points to
    Keys::node_type entry = {};  // of a spare one: memory for its place in `by_key_`
  };
  // Under load, as many items wait for the next ones of the same size.
  static constexpr size_t kMostSpare = 64;

  void PushLocked(Delta delta);
  void TakeFront(std::vector<Delta>& batch, size_t most);

  // Constant after construction.
  const ObjectModel& model_;

  mutable Mutex mutex_{"delta queue"};
  CondVar filled_{"delta queue filled"};
  // Guarded by mutex_.
  std::deque<std::unique_ptr<Item>> items_;
  // The items behind the last snapshot by key. Those before must not grow: their deltas would overtake the snapshot.
  Keys by_key_;
  std::vector<std::unique_ptr<Item>> spare_;  // with their memory for one delta
  size_t syncs_ = 0;                          // pending snapshots of PushSync
  bool waited_for_ = false;                   // by one in Pop
  bool closed_ = false;
};

}  // namespace keelson
