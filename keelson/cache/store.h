// The objects of a cache by key and by index, read by many threads while one writes.
//
//   Store store(ModelOf<corev1::Pod>());
//   KEELSON_RETURN_IF_ERROR(store.AddIndex("node", [](const void* object) -> std::vector<std::string> {
//     return {static_cast<const corev1::Pod*>(object)->spec.nodeName.str()};
//   }));
//   store.Put(pod);
//   KeptObject same = store.Keep("default", "web");
//   {
//     ReadScope scope;
//     const void* quickly = store.Find(scope, "default", "web");   // good until the scope ends
//   }
//   KEELSON_TRY(on_node, store.ByIndex("node", "node-1"));
//   for (const ObjectPtr& object : on_node) …
//
// A lookup by key takes no lock. One by index takes that of one of 16 parts for the time of a lookup and gives a
// snapshot (an O(1) copy) that stays as it is. So readers hold up the writer for a few dozen nanoseconds, however much
// they read. Each read is atomic; an object that is being replaced may show in one index sooner than in another.
//
// An object that was replaced or removed is let go some writes later (RetiredList), and not while a scope is open that
// may have found it, or while it is kept.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "keelson/cache/cached_ptr.h"
#include "keelson/cache/delta.h"
#include "keelson/cache/internal/key_table.h"
#include "keelson/cache/internal/snapshot_vector.h"
#include "keelson/cache/object.h"
#include "keelson/core/mutex.h"
#include "keelson/core/read_scope.h"
#include "keelson/core/result.h"

namespace keelson {

namespace internal {
struct StoreEntry;
struct StoreElement {
  ObjectPtr object;
  StoreEntry* entry = nullptr;  // for the writer only
};
}  // namespace internal

// The objects of one moment, in no particular order.
class Snapshot {
 public:
  using Elements = internal::SnapshotVector<internal::StoreElement>;

  Snapshot() = default;
  explicit Snapshot(Elements elements) : elements_(std::move(elements)) {}

  size_t size() const { return elements_.size(); }
  bool empty() const { return elements_.empty(); }
  const ObjectPtr& operator[](size_t index) const { return elements_[index].object; }
  const Elements& elements() const { return elements_; }

  class iterator {
   public:
    using value_type = ObjectPtr;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::forward_iterator_tag;
    using reference = const ObjectPtr&;
    using pointer = const ObjectPtr*;

    iterator() = default;
    explicit iterator(Elements::iterator at) : at_(at) {}
    reference operator*() const { return at_->object; }
    pointer operator->() const { return &at_->object; }
    iterator& operator++() {
      ++at_;
      return *this;
    }
    iterator operator++(int) { return iterator(at_++); }
    friend bool operator==(const iterator&, const iterator&) = default;

   private:
    Elements::iterator at_;
  };
  iterator begin() const { return iterator(elements_.begin()); }
  iterator end() const { return iterator(elements_.end()); }

 private:
  Elements elements_;
};

// The index values of an object; none leaves it out of the index. Pure: it runs under the writer's lock and calls
// nothing of the store.
using IndexFunction = std::function<std::vector<std::string>(const void* object)>;

class Store {
 public:
  static constexpr std::string_view kNamespaceIndex = "namespace";
  static constexpr size_t kMaxIndexes = 32;

  explicit Store(const ObjectModel& model);
  ~Store();  // no scope reads from it any more

  // At any time; objects that are there already are indexed. kAlreadyExists when there is one of that name.
  Result<void> AddIndex(std::string name, IndexFunction values_of);
  bool HasIndex(std::string_view name) const { return FindIndex(name) != nullptr; }

  // Null when it is not there. What it finds is good until the scope ends.
  [[gnu::always_inline]] const void* Find(const ReadScope& scope, std::string_view namespace_,
                                          std::string_view name) const {
    return keys_.Find(scope, namespace_, name);
  }
  // The same for many: visit(i, found) for each key, in order. key_of(i) gives a pair of namespace and name.
  template <class KeyOf, class Visit>
  void FindEach(const ReadScope& scope, size_t count, KeyOf key_of, Visit visit) const {
    keys_.FindEach(scope, count, key_of, visit);
  }
  // The same to be kept as long as the caller likes.
  [[gnu::always_inline]] KeptObject Keep(std::string_view namespace_, std::string_view name) const {
    const ReadScope scope;
    const void* const found = keys_.Find(scope, namespace_, name);
    if (found == nullptr) return {};
    Hold hold(scope, found);
    if (!hold) [[unlikely]]
      return KeepCounted(scope, namespace_, name);
    return KeptObject(found, std::move(hold));
  }
  // As Keep, for several owners: counting takes longer than finding.
  ObjectPtr Get(std::string_view namespace_, std::string_view name) const;
  Snapshot List() const;
  // kNotFound when there is no such index.
  Result<Snapshot> ByIndex(std::string_view index, std::string_view value) const;
  // The values that the index has objects for, sorted.
  Result<std::vector<std::string>> IndexValues(std::string_view index) const;
  size_t size() const;

  // Adds or replaces, and gives back the object that was there before.
  ObjectPtr Put(ObjectPtr object);
  // Gives back the object that was there.
  ObjectPtr Remove(std::string_view namespace_, std::string_view name);
  // The object of that key is probably replaced after the one that is replaced next, both by this thread, which alone
  // writes. Memory that this will look at is asked for in steps, one with each FetchExpected: what a step looks at has
  // to come before the next. For objects that the model made.
  void Expect(std::string_view namespace_, std::string_view name);
  void FetchExpected();
  // Makes these the only objects. An object with the uid and version of the one that is there changes nothing. What
  // changed is appended to `changes` where that is not null: kReplaced, and kDeleted with the final state unknown.
  void Replace(const std::vector<ObjectPtr>& objects, std::vector<Delta>* changes);

  const ObjectModel& model() const { return model_; }

 private:
  struct Bucket;
  class Index;

  const Index* FindIndex(std::string_view name) const;
  KeptObject KeepCounted(const ReadScope& scope, std::string_view namespace_, std::string_view name) const;
  // These are called under writer_.
  ObjectPtr PutEntry(ObjectPtr object, uint32_t mark);
  ObjectPtr RemoveEntry(internal::StoreEntry* entry);
  void AddToIndexes(internal::StoreEntry& entry, const ObjectPtr& object);
  void UpdateIndexes(internal::StoreEntry& entry, const ObjectPtr& object);

  // Constant after construction.
  const ObjectModel& model_;

  internal::KeyTable keys_;  // written under writer_
  mutable Mutex writer_{"store writer"};
  // Guarded by writer_.
  RetiredList retired_;
  uint32_t mark_ = 0;
  // Of the thread that writes. It may not be what is there any more, but nothing that is looked at is gone: whatever
  // may free entries or move slots forgets it.
  struct Expected {
    enum class Step : uint8_t { kGroup, kOccupant, kObject, kElements, kDone };
    Step next = Step::kDone;
    uint64_t hash = 0;
    size_t slot = 0;
    internal::StoreEntry* entry = nullptr;
  };
  void Fetch(Expected& expected) const;
  std::array<Expected, 2> expected_;  // the newest first
  // Only added to: under writer_, and read without a lock up to index_count_. The first has all objects under "".
  std::array<std::unique_ptr<Index>, kMaxIndexes> indexes_;
  std::atomic<size_t> index_count_ = 0;
};

}  // namespace keelson
