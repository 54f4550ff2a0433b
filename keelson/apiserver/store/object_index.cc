#include "keelson/apiserver/store/object_index.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "keelson/core/hash.h"

namespace keelson::apiserver::internal {
namespace {

uint16_t PrintOf(std::string_view name) { return static_cast<uint16_t>(HashBytes(name.data(), name.size(), 0)); }

}  // namespace

int CompareNamespaces(std::string_view a, std::string_view b) {
  const size_t common = std::min(a.size(), b.size());
  if (const int order = a.substr(0, common).compare(b.substr(0, common)); order != 0) return order;
  if (a.size() == b.size()) return 0;
  constexpr unsigned char kEnd = '/';
  const unsigned char a_next = a.size() == common ? kEnd : static_cast<unsigned char>(a[common]);
  const unsigned char b_next = b.size() == common ? kEnd : static_cast<unsigned char>(b[common]);
  return a_next < b_next ? -1 : 1;
}

int CompareKeys(std::string_view a_namespace, std::string_view a_name, std::string_view b_namespace,
                std::string_view b_name) {
  if (const int order = CompareNamespaces(a_namespace, b_namespace); order != 0) return order;
  return a_name.compare(b_name);
}

ObjectIndex::ObjectIndex() : blocks_(1) {}

ObjectIndex::Place ObjectIndex::Find(std::string_view namespace_, std::string_view name) const {
  // The last block whose fence is not greater; the first one's never is.
  const auto next = std::partition_point(blocks_.begin() + 1, blocks_.end(), [&](const Block& block) {
    return CompareKeys(block.fence_namespace, block.fence_name, namespace_, name) <= 0;
  });
  const auto block = next - 1;
  Place place{.block = static_cast<size_t>(block - blocks_.begin())};
  const uint16_t print = PrintOf(name);
  for (auto at = block->prints.begin(); (at = std::find(at, block->prints.end(), print)) != block->prints.end(); ++at) {
    place.slot = static_cast<size_t>(at - block->prints.begin());
    const StoredObject& object = *block->objects[place.slot];
    place.found = object.name() == name && object.namespace_() == namespace_;
    if (place.found) return place;
  }
  const auto at = std::partition_point(block->objects.begin(), block->objects.end(), [&](const ObjectPtr& object) {
    return CompareKeys(object->namespace_(), object->name(), namespace_, name) < 0;
  });
  place.slot = static_cast<size_t>(at - block->objects.begin());
  return place;
}

const StoredObject* ObjectIndex::Neighbour(const Place& place) const {
  const std::vector<ObjectPtr>& objects = blocks_[place.block].objects;
  if (place.slot > 0) return objects[place.slot - 1].get();
  return objects.empty() ? nullptr : objects.front().get();
}

void ObjectIndex::Insert(const Place& place, ObjectPtr object) {
  size_t block = place.block;
  size_t slot = place.slot;
  if (blocks_[block].objects.size() == kBlockSize) {
    // Keys that come in ascending order leave full blocks behind, not half-full ones.
    const bool appends = slot == kBlockSize && block + 1 == blocks_.size();
    const size_t at = appends ? kBlockSize : kBlockSize / 2;
    Split(block, at);
    if (slot > at || appends) {
      ++block;
      slot -= at;
    }
    if (blocks_[block].objects.empty()) {
      blocks_[block].fence_namespace = object->namespace_();
      blocks_[block].fence_name = object->name();
    }
  }
  Block& into = blocks_[block];
  const auto offset = static_cast<std::ptrdiff_t>(slot);
  into.prints.insert(into.prints.begin() + offset, PrintOf(object->name()));
  into.objects.insert(into.objects.begin() + offset, std::move(object));
  ++size_;
}

void ObjectIndex::Split(size_t block, size_t at) {
  Block upper;
  Block& lower = blocks_[block];
  const auto offset = static_cast<std::ptrdiff_t>(at);
  upper.objects.reserve(kBlockSize);
  upper.objects.assign(std::make_move_iterator(lower.objects.begin() + offset),
                       std::make_move_iterator(lower.objects.end()));
  lower.objects.erase(lower.objects.begin() + offset, lower.objects.end());
  upper.prints.reserve(kBlockSize);
  upper.prints.assign(lower.prints.begin() + offset, lower.prints.end());
  lower.prints.erase(lower.prints.begin() + offset, lower.prints.end());
  if (!upper.objects.empty()) {
    upper.fence_namespace = upper.objects.front()->namespace_();
    upper.fence_name = upper.objects.front()->name();
  }
  blocks_.insert(blocks_.begin() + static_cast<std::ptrdiff_t>(block) + 1, std::move(upper));
}

ObjectPtr ObjectIndex::Replace(const Place& place, ObjectPtr object) {
  return std::exchange(blocks_[place.block].objects[place.slot], std::move(object));
}

ObjectPtr ObjectIndex::Erase(const Place& place) {
  Block& from = blocks_[place.block];
  const auto offset = static_cast<std::ptrdiff_t>(place.slot);
  ObjectPtr erased = std::move(from.objects[place.slot]);
  from.objects.erase(from.objects.begin() + offset);
  from.prints.erase(from.prints.begin() + offset);
  if (from.objects.empty() && place.block > 0)
    blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(place.block));
  --size_;
  return erased;
}

void ObjectIndex::Iterator::SkipEmpty() {
  while (block_ < index_->blocks_.size() && slot_ == index_->blocks_[block_].objects.size()) {
    ++block_;
    slot_ = 0;
  }
}

ObjectIndex::Iterator ObjectIndex::Behind(std::string_view namespace_, std::string_view name) const {
  const Place place = Find(namespace_, name);
  return {*this, place.block, place.slot + (place.found ? 1 : 0)};
}

ObjectIndex::Iterator ObjectIndex::BehindNamespace(std::string_view namespace_) const {
  const auto before = [&](std::string_view other) { return CompareNamespaces(other, namespace_) <= 0; };
  const auto next = std::partition_point(blocks_.begin() + 1, blocks_.end(),
                                         [&](const Block& block) { return before(block.fence_namespace); });
  const auto block = next - 1;
  const auto at = std::partition_point(block->objects.begin(), block->objects.end(),
                                       [&](const ObjectPtr& object) { return before(object->namespace_()); });
  return {*this, static_cast<size_t>(block - blocks_.begin()), static_cast<size_t>(at - block->objects.begin())};
}

size_t ObjectIndex::Distance(const Iterator& first, const Iterator& last) const {
  if (first.block_ == last.block_) return last.slot_ - first.slot_;
  size_t count = blocks_[first.block_].objects.size() - first.slot_ + last.slot_;
  for (size_t block = first.block_ + 1; block < last.block_; ++block) count += blocks_[block].objects.size();
  return count;
}

}  // namespace keelson::apiserver::internal
