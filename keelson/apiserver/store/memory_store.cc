#include "keelson/apiserver/store/memory_store.h"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <unordered_set>
#include <utility>

#include "keelson/apiserver/store/list_reader.h"

namespace keelson::apiserver {
namespace internal {
namespace {

// As etcd begins: the first write is 2, and 0 stays free to mean "any".
constexpr Revision kFirstRevision = 1;

// Equal parts share their memory: neighbours have their namespace in common and often their labels; a new version of an
// object has nearly all of this in common with the one before.
void ShareWith(const StoredObject& other, bool same_object, Draft& draft) {
  if (draft.namespace_ == other.namespace_()) draft.namespace_ = other.namespace_();
  if (!draft.labels.empty() && draft.labels == other.labels()) draft.labels = other.labels();
  if (!same_object) return;
  draft.name = other.name();
  if (draft.uid == other.uid()) draft.uid = other.uid();
  if (!draft.fields.empty() && draft.fields == other.fields()) draft.fields = other.fields();
}

}  // namespace

MemoryStore::MemoryStore(const StoreOptions& options, std::unique_ptr<SqliteJournal> journal)
    : options_(options),
      revision_(journal == nullptr ? kFirstRevision : journal->revision()),
      forgotten_(revision_.load()),
      journal_(std::move(journal)),
      hub_(std::make_unique<WatchHub>(WatchHub::Options{.tick = options.tick, .max_behind = options.history_events + 1},
                                      revision_)) {}

MemoryStore::~MemoryStore() {
  hub_.reset();
  for (std::atomic<Chunk*>& chunk : chunks_) delete chunk.load();
}

Result<void> MemoryStore::Load() {
  MutexLock lock(write_mutex_);
  for (const std::string& name : journal_->collections()) Add(name);
  return journal_->Load([&](uint32_t id, Draft draft, Revision revision) -> Result<void> {
    Request request{.kind = Event::Kind::kCreated, .collection = &At(CollectionId{id}), .draft = std::move(draft)};
    Result<Prepared> prepared = Prepare(request, revision);
    if (!prepared) return Error::Internal("object \"" + request.draft.name + "\" is there twice");
    WriterLock writer(request.collection->mutex);
    request.collection->index.Insert(prepared->place, prepared->event->object());
    return {};
  });
}

CollectionId MemoryStore::Register(std::string_view name) {
  MutexLock lock(write_mutex_);
  if (const auto known = by_name_.find(std::string(name)); known != by_name_.end()) return known->second;
  if (journal_ != nullptr) journal_->AddCollection(name);
  return Add(name);
}

CollectionId MemoryStore::Add(std::string_view name) {
  const uint32_t index = collections_.load();
  if (index == kChunks * kChunkSize) throw std::length_error("store: too many collections");
  std::atomic<Chunk*>& slot = chunks_[index / kChunkSize];
  Chunk* chunk = slot.load();
  if (chunk == nullptr) chunk = new Chunk();
  (*chunk)[index % kChunkSize] = std::make_unique<Collection>(std::string(name), index, forgotten_);
  slot.store(chunk, std::memory_order_release);
  collections_.store(index + 1, std::memory_order_release);
  by_name_.emplace(name, CollectionId{index});
  return CollectionId{index};
}

Result<ObjectPtr> MemoryStore::Get(CollectionId id, std::string_view namespace_, std::string_view name) const {
  const Collection& collection = At(id);
  ReaderLock lock(collection.mutex);
  const ObjectIndex::Place place = collection.index.Find(namespace_, name);
  if (!place.found) return Error(ErrorCode::kNotFound, "no such object");
  return collection.index.At(place);
}

Result<MemoryStore::Prepared> MemoryStore::Prepare(Request& request, Revision revision) const {
  const ObjectIndex& index = request.collection->index;
  Draft& draft = request.draft;
  const ObjectIndex::Place place = index.Find(draft.namespace_, draft.name);
  if (request.kind == Event::Kind::kCreated) {
    if (place.found) return Error(ErrorCode::kAlreadyExists, "object exists");
    if (const StoredObject* neighbour = index.Neighbour(place)) ShareWith(*neighbour, false, draft);
    auto object = std::make_shared<const StoredObject>(std::move(draft), revision);
    return Prepared{place, std::make_shared<const Event>(request.kind, std::move(object), nullptr)};
  }
  if (!place.found) return Error(ErrorCode::kNotFound, "no such object");
  const ObjectPtr& previous = index.At(place);
  if (previous->revision() != request.expected) return Error(ErrorCode::kConflict, "object has another revision");
  ObjectPtr object;
  if (request.kind == Event::Kind::kUpdated) {
    ShareWith(*previous, true, draft);
    object = std::make_shared<const StoredObject>(std::move(draft), revision);
  } else {
    object = std::make_shared<const StoredObject>(*previous, revision);
  }
  return Prepared{place, std::make_shared<const Event>(request.kind, std::move(object), previous)};
}

void MemoryStore::Apply(Collection& collection, const Prepared& prepared, std::vector<EventPtr>& dropped) {
  const EventPtr& event = prepared.event;
  const size_t bytes_before = collection.log.bytes();
  {
    WriterLock lock(collection.mutex);
    switch (event->kind()) {
      case Event::Kind::kCreated: collection.index.Insert(prepared.place, event->object()); break;
      case Event::Kind::kUpdated: collection.index.Replace(prepared.place, event->object()); break;
      case Event::Kind::kDeleted: collection.index.Erase(prepared.place); break;
    }
    collection.log.Append(event);
    collection.log.Trim(options_.history_events, collection.Pinned(), dropped);
    revision_.store(event->revision(), std::memory_order_release);
  }
  history_bytes_ += collection.log.bytes() - bytes_before;
  if (history_bytes_ > options_.history_bytes) TrimBytes(dropped);
}

void MemoryStore::TrimBytes(std::vector<EventPtr>& dropped) {
  while (history_bytes_ > options_.history_bytes) {
    // The collection that keeps the most gives.
    Collection* largest = nullptr;
    for (uint32_t i = 0; i < collections_.load(); ++i) {
      Collection& collection = At(static_cast<CollectionId>(i));
      if (largest == nullptr || collection.log.bytes() > largest->log.bytes()) largest = &collection;
    }
    const size_t bytes = largest->log.bytes();
    const size_t events = largest->log.size();
    {
      WriterLock lock(largest->mutex);
      largest->log.Trim(events - std::min(events, events / 64 + 1), largest->Pinned(), dropped);
    }
    history_bytes_ -= bytes - largest->log.bytes();
    if (largest->log.size() == events) return;  // all of it is still to be handed to watchers
  }
}

Result<ObjectPtr> MemoryStore::Write(Request request) {
  Collection& collection = *request.collection;
  hub_->WaitForRoom(collection);
  if (journal_ != nullptr) return WriteToJournal(request);
  std::vector<EventPtr> dropped;  // destroyed without the lock
  EventPtr event;
  {
    MutexLock lock(write_mutex_);
    KEELSON_TRY(prepared, Prepare(request, revision_.load(std::memory_order_relaxed) + 1));
    Apply(collection, prepared, dropped);
    event = std::move(prepared.event);
  }
  hub_->Committed(collection);
  return event->object();
}

Result<ObjectPtr> MemoryStore::WriteToJournal(Request& request) {
  MutexLock lock(queue_mutex_);
  queue_.push_back(&request);
  while (true) {
    committed_.Wait(lock, [&] { return request.result.has_value() || !committing_; });
    if (request.result) return *std::move(request.result);
    committing_ = true;
    std::vector<Request*> requests = std::exchange(queue_, {});
    lock.Unlock();
    const size_t finished = CommitTogether(requests);
    lock.Lock();
    // In front again: those that did not fit in came before those that came meanwhile.
    queue_.insert(queue_.begin(), requests.begin() + static_cast<std::ptrdiff_t>(finished), requests.end());
    committing_ = false;
    committed_.NotifyAll();
  }
}

size_t MemoryStore::CommitTogether(std::span<Request* const> requests) {
  constexpr size_t kMost = 256;
  std::vector<EventPtr> dropped;
  std::vector<std::pair<Request*, Prepared>> prepared;
  std::vector<std::optional<Result<ObjectPtr>>> results;
  size_t finished = 0;
  {
    MutexLock lock(write_mutex_);
    Revision next = revision_.load(std::memory_order_relaxed);
    std::unordered_set<size_t> touched;
    for (Request* request : requests.first(std::min(requests.size(), kMost))) {
      // What an earlier request of this transaction did to the key cannot be seen yet: the next transaction takes it.
      const size_t key = std::hash<std::string_view>()(request->draft.name) * 31 +
                         std::hash<std::string_view>()(request->draft.namespace_) * 7 + request->collection->id;
      if (!touched.insert(key).second) break;
      ++finished;
      Result<Prepared> one = Prepare(*request, next + 1);
      if (!one) {
        results.emplace_back(std::move(one).error());
        continue;
      }
      ++next;
      results.emplace_back(one->event->object());
      prepared.emplace_back(request, *std::move(one));
    }
    std::vector<JournalWrite> writes;
    for (const auto& [request, one] : prepared) writes.push_back({request->collection->id, one.event.get()});
    Result<void> kept;
    if (!writes.empty()) kept = journal_->Commit(writes);
    if (!kept) {
      for (std::optional<Result<ObjectPtr>>& result : results) {
        if (result->has_value()) result.emplace(kept.error());
      }
      prepared.clear();
    }
    for (auto& [request, one] : prepared) {
      // Those before it may have moved its place.
      if (prepared.size() > 1) {
        one.place = request->collection->index.Find(one.event->object()->namespace_(), one.event->object()->name());
      }
      Apply(*request->collection, one, dropped);
    }
  }
  for (const auto& [request, one] : prepared) hub_->Committed(*request->collection);
  MutexLock lock(queue_mutex_);
  for (size_t i = 0; i < finished; ++i) requests[i]->result = std::move(results[i]);
  return finished;
}

Result<ObjectPtr> MemoryStore::Create(CollectionId id, Draft draft) {
  return Write({.kind = Event::Kind::kCreated, .collection = &At(id), .draft = std::move(draft)});
}

Result<ObjectPtr> MemoryStore::Update(CollectionId id, Draft draft, Revision expected) {
  return Write({.kind = Event::Kind::kUpdated, .collection = &At(id), .draft = std::move(draft), .expected = expected});
}

Result<ObjectPtr> MemoryStore::Delete(CollectionId id, std::string_view namespace_, std::string_view name,
                                      Revision expected) {
  return Write({.kind = Event::Kind::kDeleted,
                .collection = &At(id),
                .draft = {.namespace_ = namespace_, .name = name},
                .expected = expected});
}

Result<ListPage> MemoryStore::List(CollectionId id, const ListQuery& query) const {
  return ReadList(At(id), query, revision_);
}

size_t MemoryStore::Count(CollectionId id) const {
  const Collection& collection = At(id);
  ReaderLock lock(collection.mutex);
  return collection.index.size();
}

Result<std::unique_ptr<Subscription>> MemoryStore::Watch(CollectionId id, Revision since,
                                                         std::shared_ptr<WatchSink> sink) {
  return hub_->Watch(At(id), since, std::move(sink));
}

Revision MemoryStore::oldest_watchable(CollectionId id) const {
  const Collection& collection = At(id);
  ReaderLock lock(collection.mutex);
  return collection.log.oldest();
}

void MemoryStore::Compact(Revision before) {
  std::vector<EventPtr> dropped;
  MutexLock lock(write_mutex_);
  const Revision until = std::min(before, revision_.load());
  forgotten_ = std::max(forgotten_, until);
  for (uint32_t i = 0; i < collections_.load(); ++i) {
    Collection& collection = At(static_cast<CollectionId>(i));
    const size_t bytes_before = collection.log.bytes();
    {
      WriterLock writer(collection.mutex);
      collection.log.Forget(until, collection.Pinned(), dropped);
    }
    history_bytes_ -= bytes_before - collection.log.bytes();
  }
}

}  // namespace internal

Result<std::unique_ptr<Store>> Store::Open(StoreOptions options) {
  std::unique_ptr<internal::SqliteJournal> journal;
  if (!options.data_dir.empty()) {
    KEELSON_TRY(opened, internal::SqliteJournal::Open(options.data_dir));
    journal = std::move(opened);
  }
  const bool durable = journal != nullptr;
  auto store = std::make_unique<internal::MemoryStore>(options, std::move(journal));
  if (durable) KEELSON_RETURN_IF_ERROR(store->Load());
  return std::unique_ptr<Store>(std::move(store));
}

}  // namespace keelson::apiserver
