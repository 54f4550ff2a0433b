// The Store: everything in memory, and each write in the journal first when there is one.
//
// Writes go one at a time: `write_mutex_` gives the revisions their order. Within it an object is looked up, checked
// and made; the collection's own lock, which readers share, is taken only to put the finished object in its place,
// append the event and publish the revision. So a reader that holds the lock of a collection sees exactly the writes up
// to the revision it reads there.
//
// Lock order: write_mutex_, then a collection's mutex. The hub's mutex is taken with neither held.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "keelson/apiserver/store/collection.h"
#include "keelson/apiserver/store/store.h"
#include "keelson/apiserver/store/watch_hub.h"

namespace keelson::apiserver::internal {

class MemoryStore final : public Store {
 public:
  explicit MemoryStore(const StoreOptions& options);
  ~MemoryStore() override;

  CollectionId Register(std::string_view name) override;
  Revision revision() const override { return revision_.load(std::memory_order_acquire); }
  Result<ObjectPtr> Get(CollectionId collection, std::string_view namespace_, std::string_view name) const override;
  Result<ObjectPtr> Create(CollectionId collection, Draft draft) override;
  Result<ObjectPtr> Update(CollectionId collection, Draft draft, Revision expected) override;
  Result<ObjectPtr> Delete(CollectionId collection, std::string_view namespace_, std::string_view name,
                           Revision expected) override;
  Result<ListPage> List(CollectionId collection, const ListQuery& query) const override;
  size_t Count(CollectionId collection) const override;
  Result<std::unique_ptr<Subscription>> Watch(CollectionId collection, Revision since,
                                              std::shared_ptr<WatchSink> sink) override;
  Revision oldest_watchable(CollectionId collection) const override;
  void Compact(Revision before) override;

 private:
  static constexpr size_t kChunkSize = 256;
  static constexpr size_t kChunks = 256;
  using Chunk = std::array<std::unique_ptr<Collection>, kChunkSize>;

  // A write that was checked and has its revision, but cannot be seen yet.
  struct Prepared {
    ObjectIndex::Place place;
    EventPtr event;
  };

  Collection& At(CollectionId id) const {
    const auto index = static_cast<uint32_t>(id);
    return *(*chunks_[index / kChunkSize].load(std::memory_order_acquire))[index % kChunkSize];
  }

  // These need write_mutex_.
  Result<Prepared> PrepareCreate(const Collection& collection, Draft draft, Revision revision) const;
  Result<Prepared> PrepareUpdate(const Collection& collection, Draft draft, Revision expected, Revision revision) const;
  Result<Prepared> PrepareDelete(const Collection& collection, std::string_view namespace_, std::string_view name,
                                 Revision expected, Revision revision) const;
  void Apply(Collection& collection, const Prepared& prepared, std::vector<EventPtr>& dropped);
  void TrimBytes(std::vector<EventPtr>& dropped);

  template <class Prepare>
  Result<ObjectPtr> Write(Collection& collection, Prepare prepare);

  const StoreOptions options_;

  mutable Mutex write_mutex_{"store writes"};
  std::atomic<Revision> revision_;  // changed with write_mutex_ and the collection's lock
  Revision forgotten_;              // guarded by write_mutex_: no collection knows what was before
  size_t history_bytes_ = 0;        // guarded by write_mutex_
  std::unordered_map<std::string, CollectionId> by_name_;  // guarded by write_mutex_
  std::array<std::atomic<Chunk*>, kChunks> chunks_ = {};   // entries are added with write_mutex_, never removed
  std::atomic<uint32_t> collections_ = 0;

  std::unique_ptr<WatchHub> hub_;
};

}  // namespace keelson::apiserver::internal
