#include "keelson/cache/store.h"

#include <algorithm>
#include <utility>

#include "keelson/core/hash.h"
#include "keelson/core/leaf_mutex.h"

namespace keelson {

namespace internal {

// What the writer knows of an object; lives from its first Put to its Remove.
struct StoreEntry {
  // Where an index has it.
  struct Place {
    void* bucket = nullptr;
    uint32_t index = 0;     // number of the index
    uint32_t position = 0;  // in the bucket
  };

  Place& PlaceIn(const void* bucket) {
    for (Place& place : of_key) {
      if (place.bucket == bucket) return place;
    }
    return *std::find_if(places.begin(), places.end(), [&](const Place& place) { return place.bucket == bucket; });
  }

  uint64_t hash = 0;
  uint32_t mark = 0;
  // In the first indexes, whose values follow from the key. Without a bucket where it has none.
  std::array<Place, 2> of_key = {};
  std::vector<Place> places = {};  // in the others, in order of index
};

}  // namespace internal

namespace {
constexpr size_t kCacheLine = 64;
}  // namespace

using internal::KeyTable;
using internal::StoreElement;
using internal::StoreEntry;

// The objects with one value of an index.
struct Store::Bucket {
  Snapshot::Elements members;  // guarded by `mutex`
  std::string_view value;      // points into the index's map
  LeafMutex* mutex = nullptr;  // of its part of the index
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
      at->second->mutex = &part.mutex;
    }
    Bucket& bucket = *at->second;
    bucket.members.PushBack({object, &entry});
    return {&bucket, number, static_cast<uint32_t>(bucket.members.size() - 1)};
  }
  void Replace(const StoreEntry::Place& place, const ObjectPtr& object, StoreEntry& entry) {
    Bucket& bucket = *static_cast<Bucket*>(place.bucket);
    StoreElement old;  // destroyed behind the lock
    LeafLock lock(*bucket.mutex);
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
      last.entry->PlaceIn(&bucket).position = place.position;
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

Store::Store(const ObjectModel& model) : model_(model), keys_(model) {
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
  keys_.ForEachEntry([](StoreEntry& entry) { delete &entry; });
  keys_.Clear(retired_);
}

const Store::Index* Store::FindIndex(std::string_view name) const {
  const size_t count = index_count_.load(std::memory_order_acquire);
  for (size_t i = 1; i < count; ++i) {
    if (indexes_[i]->name() == name) return indexes_[i].get();
  }
  return nullptr;
}

KeptObject Store::KeepCounted(const ReadScope& scope, std::string_view namespace_, std::string_view name) const {
  return KeptObject(keys_.Get(scope, namespace_, name));
}

ObjectPtr Store::Get(std::string_view namespace_, std::string_view name) const {
  const ReadScope scope;
  return keys_.Get(scope, namespace_, name);
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
  std::vector<RetiredList::Retired> unseen;  // dropped behind the lock
  MutexLock lock(writer_);
  ObjectPtr old = PutEntry(std::move(object), mark_);
  unseen = retired_.TakeUnseen();
  return old;
}

void Store::Expect(std::string_view namespace_, std::string_view name) {
  expected_[1] = expected_[0];
  expected_[0] = {.next = Expected::Step::kGroup, .hash = keys_.HashOf(namespace_, name)};
  keys_.FetchGroup(expected_[0].hash);
}

void Store::FetchExpected() {
  for (Expected& expected : expected_) Fetch(expected);
}

void Store::Fetch(Expected& expected) const {
  using Step = Expected::Step;
  switch (expected.next) {
    case Step::kDone: return;
    case Step::kGroup: {
      const std::optional<size_t> slot = keys_.FetchSlot(expected.hash);
      expected.slot = slot.value_or(0);
      expected.next = slot ? Step::kOccupant : Step::kDone;
      return;
    }
    case Step::kOccupant: {
      const KeyTable::Occupant found = keys_.FetchOccupant(expected.slot);
      expected.next = Step::kDone;
      if (found.entry == nullptr || found.object == nullptr) return;
      expected.next = Step::kObject;
      expected.entry = found.entry;
      for (size_t at = 0; at < model_.type->size; at += kCacheLine) {
        __builtin_prefetch(static_cast<const std::byte*>(found.object) + at);
      }
      ObjectModel::marks(found.object).Prefetch();
      return;
    }
    case Step::kObject: {
      const KeyTable::Occupant found = keys_.FetchOccupant(expected.slot);
      KeptVersions::Version{.object = found.object, .marks = &ObjectModel::marks(found.object)}.PrefetchSections();
      for (const StoreEntry::Place& place : expected.entry->of_key) {
        if (place.bucket != nullptr) static_cast<Bucket*>(place.bucket)->members.FetchLeaf(place.position);
      }
      expected.next = Step::kElements;
      return;
    }
    case Step::kElements:
      for (const StoreEntry::Place& place : expected.entry->of_key) {
        if (place.bucket != nullptr) static_cast<Bucket*>(place.bucket)->members.FetchElement(place.position);
      }
      expected.next = Step::kDone;
      return;
  }
}

ObjectPtr Store::PutEntry(ObjectPtr object, uint32_t mark) {
  const ObjectIdentity identity = model_.identify(object.get());
  if (const KeyTable::Known known = keys_.Find(identity.namespace_, identity.name)) {
    known.entry->mark = mark;
    ObjectPtr old = keys_.Replace(known.place, object, retired_);
    UpdateIndexes(*known.entry, object);
    return old;
  }
  expected_ = {};
  auto* entry = new StoreEntry{.hash = keys_.HashOf(identity.namespace_, identity.name), .mark = mark};
  keys_.Insert(object, entry, retired_);
  AddToIndexes(*entry, object);
  return nullptr;
}

void Store::AddToIndexes(StoreEntry& entry, const ObjectPtr& object) {
  const size_t count = index_count_.load(std::memory_order_relaxed);
  for (size_t i = 0; i < count; ++i) {
    for (std::string& value : indexes_[i]->ValuesOf(object.get())) {
      const StoreEntry::Place place = indexes_[i]->Add(static_cast<uint32_t>(i), std::move(value), object, entry);
      if (i < entry.of_key.size()) {
        entry.of_key[i] = place;
      } else {
        entry.places.push_back(place);
      }
    }
  }
}

// An object's values seldom change, so its places are kept where they are as far as possible.
void Store::UpdateIndexes(StoreEntry& entry, const ObjectPtr& object) {
  for (const StoreEntry::Place& place : entry.of_key) {
    if (place.bucket != nullptr) indexes_[place.index]->Replace(place, object, entry);
  }
  const size_t count = index_count_.load(std::memory_order_relaxed);
  if (count == entry.of_key.size()) return;
  std::vector<StoreEntry::Place> before = std::move(entry.places);
  entry.places.clear();
  entry.places.reserve(before.size());
  size_t from = 0;
  for (size_t i = entry.of_key.size(); i < count; ++i) {
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
  std::vector<RetiredList::Retired> unseen;  // dropped behind the lock
  MutexLock lock(writer_);
  const KeyTable::Known known = keys_.Find(namespace_, name);
  if (!known) return nullptr;
  ObjectPtr old = RemoveEntry(known.entry);
  unseen = retired_.TakeUnseen();
  return old;
}

ObjectPtr Store::RemoveEntry(StoreEntry* entry) {
  ObjectPtr object = keys_.Remove(keys_.Find(entry->hash, entry).place, retired_);
  for (const StoreEntry::Place& place : entry->of_key) {
    if (place.bucket != nullptr) indexes_[place.index]->Remove(place);
  }
  for (const StoreEntry::Place& place : entry->places) indexes_[place.index]->Remove(place);
  expected_ = {};
  delete entry;
  return object;
}

void Store::Replace(const std::vector<ObjectPtr>& objects, std::vector<Delta>* changes) {
  std::vector<RetiredList::Retired> unseen;  // dropped behind the lock
  MutexLock lock(writer_);
  const uint32_t mark = ++mark_;
  expected_ = {};
  keys_.Reserve(objects.size(), retired_);
  for (const ObjectPtr& object : objects) {
    const ObjectIdentity identity = model_.identify(object.get());
    const KeyTable::Known there = keys_.Find(identity.namespace_, identity.name);
    if (there) {
      const ObjectIdentity known = model_.identify(there.place.object->load(std::memory_order_relaxed));
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
  unseen = retired_.TakeUnseen();
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
