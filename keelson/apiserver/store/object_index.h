// The objects of one collection in key order: namespace, then name.
//
//   ObjectIndex::Place place = index.Find("default", "web");
//   if (!place.found) index.Insert(place, object);
//   for (auto at = index.Behind("default", ""); at != index.end(); ++at) Use(*at);
//
// Two levels: blocks of up to kBlockSize objects, and a table of the blocks' first keys. A lookup is a binary search
// for the block and a scan of its fingerprints, so that of the objects themselves only the one that is looked for is
// read; an object costs 18 bytes here when keys come in order, at most twice that otherwise. Namespaces are ordered as
// if "/" stood behind them, as etcd orders whole keys: "a-b" comes before "a".
//
// Not thread-safe: reading threads may share it while none changes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "keelson/apiserver/store/stored_object.h"

namespace keelson::apiserver::internal {

// Negative, zero or positive, in the order of lists.
int CompareNamespaces(std::string_view a, std::string_view b);
int CompareKeys(std::string_view a_namespace, std::string_view a_name, std::string_view b_namespace,
                std::string_view b_name);

class ObjectIndex {
 public:
  static constexpr size_t kBlockSize = 128;

  // Where an object is, or would be inserted. Valid until the next change.
  struct Place {
    size_t block = 0;
    size_t slot = 0;
    bool found = false;
  };

  ObjectIndex();

  size_t size() const { return size_; }

  Place Find(std::string_view namespace_, std::string_view name) const;
  const ObjectPtr& At(const Place& place) const { return blocks_[place.block].objects[place.slot]; }
  // The object right before the place, or right behind it when there is none before in its block; null when alone.
  const StoredObject* Neighbour(const Place& place) const;

  // `place` is what Find gave for the object's key.
  void Insert(const Place& place, ObjectPtr object);
  ObjectPtr Replace(const Place& place, ObjectPtr object);
  ObjectPtr Erase(const Place& place);

  class Iterator {
   public:
    const ObjectPtr& operator*() const { return index_->blocks_[block_].objects[slot_]; }
    Iterator& operator++() {
      ++slot_;
      SkipEmpty();
      return *this;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.block_ == b.block_ && a.slot_ == b.slot_; }

   private:
    friend class ObjectIndex;
    Iterator(const ObjectIndex& index, size_t block, size_t slot) : index_(&index), block_(block), slot_(slot) {
      SkipEmpty();
    }
    void SkipEmpty();

    const ObjectIndex* index_;
    size_t block_;
    size_t slot_;
  };

  Iterator begin() const { return {*this, 0, 0}; }
  Iterator end() const { return {*this, blocks_.size(), 0}; }
  // The first object whose key is greater.
  Iterator Behind(std::string_view namespace_, std::string_view name) const;
  // The first object of a later namespace.
  Iterator BehindNamespace(std::string_view namespace_) const;
  // How many objects there are from `first` on and before `last`.
  size_t Distance(const Iterator& first, const Iterator& last) const;

 private:
  // Invariant: the objects' keys are not less than the fence and less than the next block's; the first block's fence is
  // the empty key. Only the first block may be empty.
  struct Block {
    String fence_namespace = {};
    String fence_name = {};
    std::vector<ObjectPtr> objects = {};
    std::vector<uint16_t> prints = {};  // a few bits of each object's name, hashed
  };

  void Split(size_t block, size_t at);

  std::vector<Block> blocks_;
  size_t size_ = 0;
};

}  // namespace keelson::apiserver::internal
