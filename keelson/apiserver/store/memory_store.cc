#include "keelson/apiserver/store/memory_store.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "keelson/apiserver/store/list_reader.h"

namespace keelson::apiserver {
namespace internal {
namespace {

// As etcd begins: the first write is 2, and 0 stays free to mean "any".
constexpr Revision kFirstRevision = 1;

Error NotFound() { return {ErrorCode::kNotFound, "no such object"}; }
Error Conflict() { return {ErrorCode::kConflict, "object has another revision"}; }

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

MemoryStore::MemoryStore(const StoreOptions& options)
    : options_(options),
      revision_(kFirstRevision),
      forgotten_(kFirstRevision),
      hub_(std::make_unique<WatchHub>(WatchHub::Options{.tick = options.tick, .max_behind = options.history_events + 1},
                                      revision_)) {}

MemoryStore::~MemoryStore() {
  hub_.reset();
  for (std::atomic<Chunk*>& chunk : chunks_) delete chunk.load();
}

CollectionId MemoryStore::Register(std::string_view name) {
  MutexLock lock(write_mutex_);
  const auto [entry, added] = by_name_.try_emplace(std::string(name));
  if (!added) return entry->second;
  const uint32_t index = collections_.load();
  if (index == kChunks * kChunkSize) throw std::length_error("store: too many collections");
  std::atomic<Chunk*>& slot = chunks_[index / kChunkSize];
  Chunk* chunk = slot.load();
  if (chunk == nullptr) chunk = new Chunk();
  (*chunk)[index % kChunkSize] = std::make_unique<Collection>(std::string(name), index, forgotten_);
  slot.store(chunk, std::memory_order_release);
  collections_.store(index + 1, std::memory_order_release);
  entry->second = static_cast<CollectionId>(index);
  return entry->second;
}

Result<ObjectPtr> MemoryStore::Get(CollectionId id, std::string_view namespace_, std::string_view name) const {
  const Collection& collection = At(id);
  ReaderLock lock(collection.mutex);
  const ObjectIndex::Place place = collection.index.Find(namespace_, name);
  if (!place.found) return NotFound();
  return collection.index.At(place);
}

Result<MemoryStore::Prepared> MemoryStore::PrepareCreate(const Collection& collection, Draft draft,
                                                         Revision revision) const {
  const ObjectIndex::Place place = collection.index.Find(draft.namespace_, draft.name);
  if (place.found) return Error(ErrorCode::kAlreadyExists, "object exists");
  if (const StoredObject* neighbour = collection.index.Neighbour(place)) ShareWith(*neighbour, false, draft);
  auto object = std::make_shared<const StoredObject>(std::move(draft), revision);
  return Prepared{place, std::make_shared<const Event>(Event::Kind::kCreated, std::move(object), nullptr)};
}

Result<MemoryStore::Prepared> MemoryStore::PrepareUpdate(const Collection& collection, Draft draft, Revision expected,
                                                         Revision revision) const {
  const ObjectIndex::Place place = collection.index.Find(draft.namespace_, draft.name);
  if (!place.found) return NotFound();
  const ObjectPtr& previous = collection.index.At(place);
  if (previous->revision() != expected) return Conflict();
  ShareWith(*previous, true, draft);
  auto object = std::make_shared<const StoredObject>(std::move(draft), revision);
  return Prepared{place, std::make_shared<const Event>(Event::Kind::kUpdated, std::move(object), previous)};
}

Result<MemoryStore::Prepared> MemoryStore::PrepareDelete(const Collection& collection, std::string_view namespace_,
                                                         std::string_view name, Revision expected,
                                                         Revision revision) const {
  const ObjectIndex::Place place = collection.index.Find(namespace_, name);
  if (!place.found) return NotFound();
  const ObjectPtr& previous = collection.index.At(place);
  if (previous->revision() != expected) return Conflict();
  auto object = std::make_shared<const StoredObject>(*previous, revision);
  return Prepared{place, std::make_shared<const Event>(Event::Kind::kDeleted, std::move(object), previous)};
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

template <class Prepare>
Result<ObjectPtr> MemoryStore::Write(Collection& collection, Prepare prepare) {
  hub_->WaitForRoom(collection);
  std::vector<EventPtr> dropped;  // destroyed without the lock
  EventPtr event;
  {
    MutexLock lock(write_mutex_);
    KEELSON_TRY(prepared, prepare(revision_.load(std::memory_order_relaxed) + 1));
    Apply(collection, prepared, dropped);
    event = std::move(prepared.event);
  }
  hub_->Committed(collection);
  return event->object();
}

Result<ObjectPtr> MemoryStore::Create(CollectionId id, Draft draft) {
  Collection& collection = At(id);
  return Write(collection, [&](Revision next) { return PrepareCreate(collection, std::move(draft), next); });
}

Result<ObjectPtr> MemoryStore::Update(CollectionId id, Draft draft, Revision expected) {
  Collection& collection = At(id);
  return Write(collection, [&](Revision next) { return PrepareUpdate(collection, std::move(draft), expected, next); });
}

Result<ObjectPtr> MemoryStore::Delete(CollectionId id, std::string_view namespace_, std::string_view name,
                                      Revision expected) {
  Collection& collection = At(id);
  return Write(collection, [&](Revision next) { return PrepareDelete(collection, namespace_, name, expected, next); });
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
  if (!options.data_dir.empty()) return Error::Unsupported("data_dir: this build keeps objects in memory only");
  return std::unique_ptr<Store>(std::make_unique<internal::MemoryStore>(options));
}

}  // namespace keelson::apiserver
