// The Store: everything in memory, and each write in the journal first when there is a data directory.
//
// Writes go one at a time: `write_mutex_` gives the revisions their order. Within it an object is looked up, checked
// and made; the collection's own lock, which readers share, is taken only to put the finished object in its place,
// append the event and publish the revision. So a reader that holds the lock of a collection sees exactly the writes up
// to the revision it reads there.
//
// With a journal, writers that come while a transaction is being committed wait in a queue; the first of them then
// commits for all. Nothing is seen by readers before it is in the journal.
//
// Lock order: write_mutex_, then a collection's mutex. The hub's mutex and queue_mutex_ are taken with neither held.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "keelson/apiserver/store/collection.h"
#include "keelson/apiserver/store/sqlite_journal.h"
#include "keelson/apiserver/store/store.h"
#include "keelson/apiserver/store/watch_hub.h"

namespace keelson::apiserver::internal {

class MemoryStore final : public Store {
 public:
  // `journal` may be null. Its objects are not loaded yet.
  MemoryStore(const StoreOptions& options, std::unique_ptr<SqliteJournal> journal);
  ~MemoryStore() override;

  // Reads the journal's objects. Called once, before anything else.
  Result<void> Load();

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
  void TickSoon() override { hub_->TickSoon(); }
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

  // What a caller wants written, on that caller's stack.
  struct Request {
    Event::Kind kind;
    Collection* collection;
    Draft draft = {};  // of a deletion: only the key
    Revision expected = 0;

    // Guarded by queue_mutex_ while queued.
    std::optional<Result<ObjectPtr>> result = std::nullopt;
  };

  Result<ObjectPtr> Write(Request request);
  Result<ObjectPtr> WriteToJournal(Request& request);
  // Commits from the front of `requests` as many as one transaction can take; each of these has its result then.
  // Gives their number.
  size_t CommitTogether(std::span<Request* const> requests);

  // These need write_mutex_.
  Result<Prepared> Prepare(Request& request, Revision revision) const;
  void Apply(Collection& collection, const Prepared& prepared, std::vector<EventPtr>& dropped);
  void TrimBytes(std::vector<EventPtr>& dropped);
  CollectionId Add(std::string_view name);

  const StoreOptions options_;

  mutable Mutex write_mutex_{"store writes"};
  std::atomic<Revision> revision_;  // changed with write_mutex_ and the collection's lock
  Revision forgotten_;              // guarded by write_mutex_: no collection knows what was before
  size_t history_bytes_ = 0;        // guarded by write_mutex_
  std::unordered_map<std::string, CollectionId> by_name_;  // guarded by write_mutex_
  std::array<std::atomic<Chunk*>, kChunks> chunks_ = {};   // entries are added with write_mutex_, never removed
  std::atomic<uint32_t> collections_ = 0;

  const std::unique_ptr<SqliteJournal> journal_;  // guarded by write_mutex_

  Mutex queue_mutex_{"store queue"};
  CondVar committed_{"store queue"};
  std::vector<Request*> queue_;  // guarded by queue_mutex_
  bool committing_ = false;      // guarded by queue_mutex_

  std::unique_ptr<WatchHub> hub_;
};

}  // namespace keelson::apiserver::internal
