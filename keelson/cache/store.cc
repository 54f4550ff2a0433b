#include "keelson/cache/store.h"

#include <algorithm>
#include <utility>

#include "keelson/core/hash.h"

namespace keelson {

namespace internal {

// What the writer knows of an object; lives from its first Put to its Remove.
struct StoreEntry {
  // Where an index has it.
  struct Place {
    void* bucket;
    uint32_t index;     // number of the index
    uint32_t position;  // in the bucket
  };

  uint64_t hash = 0;
  uint32_t mark = 0;
  std::vector<Place> places;  // in order of index
};

}  // namespace internal

using internal::StoreElement;
using internal::StoreEntry;

// A place of the hash table: one cache line, in which a reader finds all it needs to know that this is the object.
struct alignas(64) Store::Slot {
  static constexpr uint8_t kLong = 255;

  Slot() = default;
  Slot(uint64_t key_hash, ObjectPtr put, std::string_view namespace_, std::string_view name)
      : hash(key_hash), object(std::move(put)) {
    const size_t size = namespace_.size() + 1 + name.size();
    if (size > key.size()) return;
    length = static_cast<uint8_t>(size);
    std::copy(namespace_.begin(), namespace_.end(), key.begin());
    std::copy(name.begin(), name.end(), key.begin() + static_cast<std::ptrdiff_t>(namespace_.size()) + 1);
  }

  bool Is(const ObjectModel& model, std::string_view namespace_, std::string_view name) const {
    if (length == kLong) return model.is_named(object.get(), namespace_, name);
    const std::string_view text(key.data(), length);
    return text.size() == namespace_.size() + 1 + name.size() && text[namespace_.size()] == '\0' &&
           text.ends_with(name) && text.starts_with(namespace_);
  }
  bool free() const { return object == nullptr; }

  uint64_t hash = 0;
  ObjectPtr object = {};
  uint8_t length = kLong;      // of the key, where it has room here
  std::array<char, 39> key{};  // namespace, a zero, name
};

// A hash table with open addressing.
struct Store::Shard {
  template <class IsIt>
  size_t Find(uint64_t hash, IsIt is_it) const {
    if (slots.empty()) return kNone;
    for (size_t at = Home(hash); !slots[at].free(); at = Next(at)) {
      if (slots[at].hash == hash && is_it(at)) return at;
    }
    return kNone;
  }
  void Insert(Slot slot, StoreEntry* entry) {
    if (4 * (used + 1) > 3 * slots.size()) Grow();
    Place(std::move(slot), entry);
    ++used;
  }
  // Gives the object back, so that the caller may destroy it behind the lock.
  ObjectPtr Erase(size_t hole) {
    ObjectPtr object = std::move(slots[hole].object);
    slots[hole] = Slot();
    --used;
    // What stands behind the hole and could have stood in it moves up, so that no search ends there too early.
    for (size_t at = Next(hole); !slots[at].free(); at = Next(at)) {
      const size_t home = Home(slots[at].hash);
      const bool home_behind_hole = hole < at ? (home > hole && home <= at) : (home > hole || home <= at);
      if (home_behind_hole) continue;
      slots[hole] = std::exchange(slots[at], Slot());
      entries[hole] = entries[at];
      hole = at;
    }
    return object;
  }

  static constexpr size_t kNone = static_cast<size_t>(-1);

  LeafMutex mutex;
  // Guarded by mutex; the writer alone changes them.
  std::vector<Slot> slots;  // a power of two
  size_t used = 0;
  // For the writer: what belongs to the slot of that number.
  std::vector<StoreEntry*> entries;

 private:
  size_t Home(uint64_t hash) const { return (hash >> 8) & (slots.size() - 1); }
  size_t Next(size_t at) const { return (at + 1) & (slots.size() - 1); }
  void Place(Slot slot, StoreEntry* entry) {
    size_t at = Home(slot.hash);
    while (!slots[at].free()) at = Next(at);
    slots[at] = std::move(slot);
    entries[at] = entry;
  }
  void Grow() {
    const size_t size = std::max<size_t>(8, slots.size() * 2);
    std::vector<Slot> slots_before = std::exchange(slots, std::vector<Slot>(size));
    const std::vector<StoreEntry*> entries_before = std::exchange(entries, std::vector<StoreEntry*>(size));
    for (size_t i = 0; i < slots_before.size(); ++i) {
      if (!slots_before[i].free()) Place(std::move(slots_before[i]), entries_before[i]);
    }
  }
};

// The objects with one value of an index.
struct Store::Bucket {
  Snapshot::Elements members;  // guarded by its shard of the index
  std::string_view value;      // points into the index's map
};

class Store::Index {
 public:
  Index(std::string name, IndexFunction values_of) : name_(std::move(name)), values_of_(std::move(values_of)) {}

  const std::string& name() const { return name_; }

  std::vector<std::string> ValuesOf(const void* object) const {
    std::vector<std::string> values = values_of_(object);
    if (values.size() > 1) {
      std::sort(values.begin(), values.end());
      values.erase(std::unique(values.begin(), values.end()), values.end());
    }
    return values;
  }

  Snapshot Find(std::string_view value) const {
    const Part& part = PartOf(value);
    LeafLock lock(part.mutex);
    const auto found = part.buckets.find(value);
    return found == part.buckets.end() ? Snapshot() : Snapshot(found->second->members);
  }

  size_t Count(std::string_view value) const {
    const Part& part = PartOf(value);
    LeafLock lock(part.mutex);
    const auto found = part.buckets.find(value);
    return found == part.buckets.end() ? 0 : found->second->members.size();
  }

  std::vector<std::string> Values() const {
    std::vector<std::string> values;
    for (const Part& part : parts_) {
      LeafLock lock(part.mutex);
      for (const auto& [value, bucket] : part.buckets) values.push_back(value);
    }
    std::sort(values.begin(), values.end());
    return values;
  }

  // These are called by the writer.
  StoreEntry::Place Add(uint32_t number, std::string value, const ObjectPtr& object, StoreEntry& entry) {
    Part& part = PartOf(value);
    LeafLock lock(part.mutex);
    auto [at, made] = part.buckets.try_emplace(std::move(value));
    if (made) {
      at->second = std::make_unique<Bucket>();
      at->second->value = at->first;
    }
    Bucket& bucket = *at->second;
    bucket.members.PushBack({object, &entry});
    return {&bucket, number, static_cast<uint32_t>(bucket.members.size() - 1)};
  }
  void Replace(const StoreEntry::Place& place, const ObjectPtr& object, StoreEntry& entry) {
    Bucket& bucket = *static_cast<Bucket*>(place.bucket);
    StoreElement old;  // destroyed behind the lock
    LeafLock lock(PartOf(bucket.value).mutex);
    old = bucket.members.Set(place.position, {object, &entry});
  }
  void Remove(const StoreEntry::Place& place) {
    Bucket& bucket = *static_cast<Bucket*>(place.bucket);
    StoreElement old;  // both destroyed behind the lock
    std::unique_ptr<Bucket> emptied;
    Part& part = PartOf(bucket.value);
    LeafLock lock(part.mutex);
    StoreElement last = bucket.members.PopBack();
    if (place.position == bucket.members.size()) {
      old = std::move(last);
    } else {
      for (StoreEntry::Place& moved : last.entry->places) {
        if (moved.bucket == &bucket) moved.position = place.position;
      }
      old = bucket.members.Set(place.position, std::move(last));
    }
    if (!bucket.members.empty()) return;
    const auto found = part.buckets.find(bucket.value);
    emptied = std::move(found->second);
    part.buckets.erase(found);
  }

 private:
  struct Hasher {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return HashBytes(text.data(), text.size(), 0); }
  };
  struct Part {
    mutable LeafMutex mutex;
    // Guarded by mutex.
    std::unordered_map<std::string, std::unique_ptr<Bucket>, Hasher, std::equal_to<>> buckets;
  };

  const Part& PartOf(std::string_view value) const { return parts_[Hasher()(value) % parts_.size()]; }
  Part& PartOf(std::string_view value) { return parts_[Hasher()(value) % parts_.size()]; }

  const std::string name_;
  const IndexFunction values_of_;
  std::array<Part, 16> parts_;
};

Store::Store(const ObjectModel& model) : model_(model), shards_(std::make_unique<std::array<Shard, kShards>>()) {
  const auto everything = [](const void*) { return std::vector<std::string>(1); };
  const auto by_namespace = [&model](const void* object) {
    const std::string_view name = model.identify(object).namespace_;
    return name.empty() ? std::vector<std::string>() : std::vector<std::string>{std::string(name)};
  };
  indexes_[0] = std::make_unique<Index>("", everything);
  indexes_[1] = std::make_unique<Index>(std::string(kNamespaceIndex), by_namespace);
  index_count_ = 2;
}

Store::~Store() {
  for (const Shard& shard : *shards_) {
    for (size_t i = 0; i < shard.slots.size(); ++i) {
      if (!shard.slots[i].free()) delete shard.entries[i];
    }
  }
}

uint64_t Store::HashKey(std::string_view namespace_, std::string_view name) const {
  return HashBytes(name.data(), name.size(), HashBytes(namespace_.data(), namespace_.size(), 0));
}

Store::Shard& Store::ShardOf(uint64_t hash) const { return (*shards_)[hash % kShards]; }

const Store::Index* Store::FindIndex(std::string_view name) const {
  const size_t count = index_count_.load(std::memory_order_acquire);
  for (size_t i = 1; i < count; ++i) {
    if (indexes_[i]->name() == name) return indexes_[i].get();
  }
  return nullptr;
}

ObjectPtr Store::Get(std::string_view namespace_, std::string_view name) const {
  const uint64_t hash = HashKey(namespace_, name);
  Shard& shard = ShardOf(hash);
  LeafLock lock(shard.mutex);
  const size_t at = shard.Find(hash, [&](size_t i) { return shard.slots[i].Is(model_, namespace_, name); });
  return at == Shard::kNone ? nullptr : shard.slots[at].object;
}

// Without the shard's lock: for the writer, who alone changes it.
Store::Known Store::FindKnown(uint64_t hash, std::string_view namespace_, std::string_view name) const {
  Shard& shard = ShardOf(hash);
  const size_t at = shard.Find(hash, [&](size_t i) { return shard.slots[i].Is(model_, namespace_, name); });
  if (at == Shard::kNone) return {};
  return {&shard.slots[at].object, shard.entries[at]};
}

Snapshot Store::List() const { return indexes_[0]->Find(""); }

size_t Store::size() const { return indexes_[0]->Count(""); }

namespace {
Error NoIndex(std::string_view name) {
  return Error::NotFound("the cache has no index \"" + std::string(name) + "\": add it with AddIndex first");
}
}  // namespace

Result<Snapshot> Store::ByIndex(std::string_view index, std::string_view value) const {
  const Index* found = FindIndex(index);
  if (found == nullptr) return NoIndex(index);
  return found->Find(value);
}

Result<std::vector<std::string>> Store::IndexValues(std::string_view index) const {
  const Index* found = FindIndex(index);
  if (found == nullptr) return NoIndex(index);
  return found->Values();
}

Result<void> Store::AddIndex(std::string name, IndexFunction values_of) {
  MutexLock lock(writer_);
  const size_t number = index_count_.load(std::memory_order_relaxed);
  if (name.empty()) return Error::InvalidArgument("an index needs a name");
  if (FindIndex(name) != nullptr) {
    return Error::AlreadyExists("the cache has an index \"" + name + "\" already: choose another name");
  }
  if (number == kMaxIndexes) {
    return Error::InvalidArgument("a cache has at most " + std::to_string(kMaxIndexes - 2) + " indexes, and \"" + name +
                                  "\" is one more");
  }
  indexes_[number] = std::make_unique<Index>(std::move(name), std::move(values_of));
  for (const StoreElement& element : Snapshot::Elements(indexes_[0]->Find("").elements())) {
    for (std::string& value : indexes_[number]->ValuesOf(element.object.get())) {
      element.entry->places.push_back(
          indexes_[number]->Add(static_cast<uint32_t>(number), std::move(value), element.object, *element.entry));
    }
  }
  index_count_.store(number + 1, std::memory_order_release);
  return {};
}

ObjectPtr Store::Put(ObjectPtr object) {
  MutexLock lock(writer_);
  return PutEntry(std::move(object), mark_);
}

ObjectPtr Store::PutEntry(ObjectPtr object, uint32_t mark) {
  const ObjectIdentity identity = model_.identify(object.get());
  const uint64_t hash = HashKey(identity.namespace_, identity.name);
  Shard& shard = ShardOf(hash);
  if (const Known known = FindKnown(hash, identity.namespace_, identity.name); known.entry != nullptr) {
    known.entry->mark = mark;
    ObjectPtr old = object;
    {
      LeafLock shard_lock(shard.mutex);
      known.object->swap(old);
    }
    UpdateIndexes(*known.entry, object);
    return old;
  }
  auto* entry = new StoreEntry{.hash = hash, .mark = mark, .places = {}};
  {
    LeafLock shard_lock(shard.mutex);
    shard.Insert(Slot(hash, object, identity.namespace_, identity.name), entry);
  }
  AddToIndexes(*entry, object);
  return nullptr;
}

void Store::AddToIndexes(StoreEntry& entry, const ObjectPtr& object) {
  const size_t count = index_count_.load(std::memory_order_relaxed);
  entry.places.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    for (std::string& value : indexes_[i]->ValuesOf(object.get())) {
      entry.places.push_back(indexes_[i]->Add(static_cast<uint32_t>(i), std::move(value), object, entry));
    }
  }
}

// An object's values seldom change, so its places are kept where they are as far as possible.
void Store::UpdateIndexes(StoreEntry& entry, const ObjectPtr& object) {
  std::vector<StoreEntry::Place> before = std::move(entry.places);
  entry.places.clear();
  entry.places.reserve(before.size());
  const size_t count = index_count_.load(std::memory_order_relaxed);
  size_t from = 0;
  for (size_t i = 0; i < count; ++i) {
    size_t to = from;
    while (to < before.size() && before[to].index == i) ++to;
    for (std::string& value : indexes_[i]->ValuesOf(object.get())) {
      const auto same =
          std::find_if(before.begin() + static_cast<std::ptrdiff_t>(from),
                       before.begin() + static_cast<std::ptrdiff_t>(to), [&](const auto& place) {
                         return place.bucket != nullptr && static_cast<Bucket*>(place.bucket)->value == value;
                       });
      if (same == before.begin() + static_cast<std::ptrdiff_t>(to)) {
        entry.places.push_back(indexes_[i]->Add(static_cast<uint32_t>(i), std::move(value), object, entry));
      } else {
        indexes_[i]->Replace(*same, object, entry);
        entry.places.push_back(*same);
        same->bucket = nullptr;
      }
    }
    for (; from < to; ++from) {
      if (before[from].bucket != nullptr) indexes_[i]->Remove(before[from]);
    }
  }
}

ObjectPtr Store::Remove(std::string_view namespace_, std::string_view name) {
  MutexLock lock(writer_);
  const Known known = FindKnown(HashKey(namespace_, name), namespace_, name);
  return known.entry == nullptr ? nullptr : RemoveEntry(known.entry);
}

ObjectPtr Store::RemoveEntry(StoreEntry* entry) {
  Shard& shard = ShardOf(entry->hash);
  const size_t at = shard.Find(entry->hash, [&](size_t i) { return shard.entries[i] == entry; });
  ObjectPtr object;
  {
    LeafLock lock(shard.mutex);
    object = shard.Erase(at);
  }
  for (const StoreEntry::Place& place : entry->places) indexes_[place.index]->Remove(place);
  delete entry;
  return object;
}

void Store::Replace(const std::vector<ObjectPtr>& objects, std::vector<Delta>* changes) {
  MutexLock lock(writer_);
  const uint32_t mark = ++mark_;
  for (const ObjectPtr& object : objects) {
    const ObjectIdentity identity = model_.identify(object.get());
    const Known there = FindKnown(HashKey(identity.namespace_, identity.name), identity.namespace_, identity.name);
    if (there.entry != nullptr) {
      const ObjectIdentity known = model_.identify(there.object->get());
      if (known.uid == identity.uid && known.resource_version == identity.resource_version) {
        there.entry->mark = mark;
        continue;
      }
    }
    ObjectPtr old = PutEntry(object, mark);
    if (changes != nullptr) changes->push_back({.type = DeltaType::kReplaced, .object = object, .old = std::move(old)});
  }
  for (const StoreElement& element : Snapshot::Elements(indexes_[0]->Find("").elements())) {
    if (element.entry->mark == mark) continue;
    ObjectPtr old = RemoveEntry(element.entry);
    if (changes == nullptr) continue;
    changes->push_back({.type = DeltaType::kDeleted, .object = old, .old = old, .final_state_unknown = true});
  }
}

std::string_view ToString(DeltaType type) {
  switch (type) {
    case DeltaType::kAdded: return "Added";
    case DeltaType::kUpdated: return "Updated";
    case DeltaType::kDeleted: return "Deleted";
    case DeltaType::kReplaced: return "Replaced";
    case DeltaType::kSync: return "Sync";
  }
  return "?";
}

}  // namespace keelson
