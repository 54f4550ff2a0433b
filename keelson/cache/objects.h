// What a list from a cache gives: the objects of one moment, shared with the cache and constant.
//
//   for (const corev1::Pod& pod : lister.List()) names.push_back(pod.metadata.name.str());
//   std::shared_ptr<const corev1::Pod> first = lister.List().share(0);    // to keep one
//
// Making it copies no object and, without a selector, takes no longer for many than for one. A reference is good as
// long as the Objects it came from.
#pragma once

#include <cstddef>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "keelson/cache/store.h"
#include "keelson/cache/view.h"

namespace keelson {

template <class T>
class Objects {
 public:
  Objects() = default;
  // All of the snapshot; they are T's.
  explicit Objects(Snapshot all) : all_(std::move(all)) {}
  // Some of the snapshot.
  Objects(Snapshot all, std::vector<const ObjectPtr*> chosen)
      : all_(std::move(all)), chosen_(std::make_shared<const std::vector<const ObjectPtr*>>(std::move(chosen))) {}
  // Objects that were made for this list.
  explicit Objects(std::vector<ObjectPtr> made)
      : made_(std::make_shared<const std::vector<ObjectPtr>>(std::move(made))) {
    std::vector<const ObjectPtr*> chosen;
    chosen.reserve(made_->size());
    for (const ObjectPtr& object : *made_) chosen.push_back(&object);
    chosen_ = std::make_shared<const std::vector<const ObjectPtr*>>(std::move(chosen));
  }

  size_t size() const { return chosen_ ? chosen_->size() : all_.size(); }
  bool empty() const { return size() == 0; }
  const T& operator[](size_t index) const& { return *static_cast<const T*>(at(index).get()); }
  const T& operator[](size_t index) && = delete;
  std::shared_ptr<const T> share(size_t index) const { return std::static_pointer_cast<const T>(at(index)); }

  class iterator {
   public:
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::forward_iterator_tag;
    using reference = const T&;
    using pointer = const T*;

    iterator() = default;
    explicit iterator(Snapshot::iterator at) : all_(at) {}
    explicit iterator(const ObjectPtr* const* chosen) : chosen_(chosen) {}
    reference operator*() const { return *static_cast<const T*>((chosen_ ? **chosen_ : *all_).get()); }
    pointer operator->() const { return &**this; }
    iterator& operator++() {
      if (chosen_) {
        ++chosen_;
      } else {
        ++all_;
      }
      return *this;
    }
    iterator operator++(int) {
      iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const iterator&, const iterator&) = default;

   private:
    Snapshot::iterator all_;
    const ObjectPtr* const* chosen_ = nullptr;
  };
  iterator begin() const { return chosen_ ? iterator(chosen_->data()) : iterator(all_.begin()); }
  iterator end() const { return chosen_ ? iterator(chosen_->data() + chosen_->size()) : iterator(all_.end()); }

 private:
  const ObjectPtr& at(size_t index) const { return chosen_ ? *(*chosen_)[index] : all_[index]; }

  Snapshot all_;
  std::shared_ptr<const std::vector<ObjectPtr>> made_;
  std::shared_ptr<const std::vector<const ObjectPtr*>> chosen_;  // into all_ or made_
};

}  // namespace keelson
