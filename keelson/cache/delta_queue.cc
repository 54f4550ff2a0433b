#include "keelson/cache/delta_queue.h"

#include <utility>

#include "keelson/core/hash.h"

namespace keelson {

namespace {

bool Adds(const Delta& delta) {
  return delta.type == DeltaType::kAdded || (delta.type == DeltaType::kReplaced && delta.old == nullptr);
}

enum class Folded { kNo, kIntoFirst, kIntoNothing };

// `second` follows `first`, of the same key.
Folded FoldTwo(Delta& first, Delta& second) {
  if (second.type == DeltaType::kSync) return Folded::kIntoFirst;
  if (first.type == DeltaType::kSync) {
    first = std::move(second);
    return Folded::kIntoFirst;
  }
  if (first.type == DeltaType::kDeleted) {
    // Gone twice is gone; the later news of it are the better ones. What comes back is another object: both are told.
    if (second.type != DeltaType::kDeleted) return Folded::kNo;
    first = std::move(second);
    return Folded::kIntoFirst;
  }
  if (second.type == DeltaType::kDeleted) {
    if (Adds(first)) return Folded::kIntoNothing;
    second.old = std::move(first.old);
    first = std::move(second);
    return Folded::kIntoFirst;
  }
  first.object = std::move(second.object);
  return Folded::kIntoFirst;
}

}  // namespace

size_t DeltaQueue::KeyHash::operator()(const Key& key) const {
  return HashBytes(key.name.data(), key.name.size(), HashBytes(key.namespace_.data(), key.namespace_.size(), 0));
}

void DeltaQueue::Fold(std::vector<Delta>& deltas) {
  std::vector<Delta> folded;
  for (Delta& delta : deltas) {
    if (folded.empty()) {
      folded.push_back(std::move(delta));
      continue;
    }
    switch (FoldTwo(folded.back(), delta)) {
      case Folded::kNo: folded.push_back(std::move(delta)); break;
      case Folded::kIntoFirst: break;
      case Folded::kIntoNothing: folded.pop_back(); break;
    }
  }
  deltas = std::move(folded);
}

void DeltaQueue::Push(Delta delta) {
  {
    MutexLock lock(mutex_);
    PushLocked(std::move(delta));
  }
  filled_.NotifyOne();
}

void DeltaQueue::Push(std::span<const Delta> deltas) {
  {
    MutexLock lock(mutex_);
    for (const Delta& delta : deltas) PushLocked(delta);
  }
  filled_.NotifyOne();
}

void DeltaQueue::PushLocked(Delta delta) {
  if (closed_) return;
  const ObjectIdentity identity = model_.identify(delta.object.get());
  const Key key{identity.namespace_, identity.name};
  if (const auto found = by_key_.find(key); found != by_key_.end()) {
    Item& item = *found->second;
    // Where everything folded into nothing the item waits on, empty; it costs nothing to pop.
    if (delta.type == DeltaType::kSync && !item.deltas.empty()) return;
    item.deltas.push_back(std::move(delta));
    if (item.deltas.size() > kMaxPerKey) Fold(item.deltas);
    return;
  }
  std::unique_ptr<Item> item;
  if (spare_.empty()) {
    item = std::make_unique<Item>();
  } else {
    item = std::move(spare_.back());
    spare_.pop_back();
  }
  item->named = delta.object;
  item->deltas.push_back(std::move(delta));
  if (item->entry) {
    item->entry.key() = key;
    item->entry.mapped() = item.get();
    by_key_.insert(std::move(item->entry));
  } else {
    by_key_.emplace(key, item.get());
  }
  items_.push_back(std::move(item));
}

void DeltaQueue::PushAll(Snapshot objects, DeltaType type, bool initial) {
  {
    MutexLock lock(mutex_);
    if (closed_ || objects.empty()) return;
    auto item = std::make_unique<Item>();
    item->objects = std::move(objects);
    item->type = type;
    item->initial = initial;
    items_.push_back(std::move(item));
    by_key_.clear();
    if (type == DeltaType::kSync) ++syncs_;
  }
  filled_.NotifyOne();
}

bool DeltaQueue::PushSync(const Snapshot& objects) {
  {
    MutexLock lock(mutex_);
    if (syncs_ > 0) return false;
  }
  PushAll(objects, DeltaType::kSync, false);
  return true;
}

void DeltaQueue::TakeFront(std::vector<Delta>& batch, size_t most) {
  Item& item = *items_.front();
  if (item.objects.empty()) {
    const ObjectIdentity identity = model_.identify(item.named.get());
    // It is there only when no snapshot came behind it.
    const auto found = by_key_.find({identity.namespace_, identity.name});
    if (found != by_key_.end() && found->second == &item) item.entry = by_key_.extract(found);
    for (Delta& delta : item.deltas) batch.push_back(std::move(delta));
    if (spare_.size() < kMostSpare && item.deltas.size() <= 1) {
      item.deltas.clear();
      item.named.reset();
      spare_.push_back(std::move(items_.front()));
    }
    items_.pop_front();
    return;
  }
  while (item.next < item.objects.size() && batch.size() < most) {
    const ObjectPtr& object = item.objects[item.next++];
    batch.push_back({.type = item.type,
                     .object = object,
                     .old = item.type == DeltaType::kSync ? object : nullptr,
                     .initial = item.initial});
  }
  if (item.next < item.objects.size()) return;
  if (item.type == DeltaType::kSync) --syncs_;
  items_.pop_front();
}

Wake DeltaQueue::Pop(std::vector<Delta>& batch, TimePoint deadline, const StopToken& stop, size_t most) {
  batch.clear();
  MutexLock lock(mutex_);
  waited_for_ = true;
  const Wake wake = filled_.WaitUntil(lock, deadline, stop, [&] { return !items_.empty() || closed_; });
  waited_for_ = false;
  if (wake != Wake::kReady) return wake;
  if (items_.empty()) return Wake::kStopped;
  while (!items_.empty() && batch.size() < most) TakeFront(batch, most);
  return Wake::kReady;
}

void DeltaQueue::Close() {
  {
    MutexLock lock(mutex_);
    closed_ = true;
  }
  filled_.NotifyAll();
}

bool DeltaQueue::IsIdle() const {
  MutexLock lock(mutex_);
  return waited_for_ && items_.empty() && !closed_;
}

size_t DeltaQueue::pending() const {
  MutexLock lock(mutex_);
  return items_.size();
}

}  // namespace keelson
