// A vector whose copies are O(1) and stay as they were: what lets a reader list 100,000 objects while a writer goes on.
//
// A tree of nodes with up to 32 children or elements. A copy shares the root. A write goes down from the root and
// copies each node that somebody else shares, so it costs at most a node a level, and nothing is copied while no
// snapshot is out.
//
// A vector that is written needs a lock, under which copies of it are taken too; the copies need none, and may be read
// and dropped on any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace keelson::internal {

template <class T>
class SnapshotVector {
  static constexpr size_t kBits = 5;
  static constexpr size_t kFan = size_t{1} << kBits;

  struct Node;
  // Counted by hand, because whether a node is shared must be seen in order with what its last sharer read.
  class Ref {
   public:
    Ref() = default;
    explicit Ref(Node* node) : node_(node) {}
    Ref(const Ref& other) : node_(other.node_) {
      if (node_ != nullptr) node_->references.fetch_add(1, std::memory_order_relaxed);
    }
    Ref(Ref&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
    Ref& operator=(Ref other) noexcept {
      std::swap(node_, other.node_);
      return *this;
    }
    ~Ref() {
      if (node_ != nullptr && node_->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete node_;
    }
    explicit operator bool() const { return node_ != nullptr; }
    const Node* operator->() const { return node_; }
    // For writing: nobody else sees it.
    Node& Own() {
      if (node_->references.load(std::memory_order_acquire) != 1) *this = Ref(new Node(*node_));
      return *node_;
    }

   private:
    Node* node_ = nullptr;
  };
  struct Node {
    Node() = default;
    Node(const Node& other) : items(other.items), children(other.children) {}
    std::atomic<uint32_t> references = 1;
    std::vector<T> items;       // of a leaf
    std::vector<Ref> children;  // of the others
  };

 public:
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  const T& operator[](size_t index) const { return Leaf(index)->items[index % kFan]; }

  void PushBack(T value) {
    if (!root_) root_ = Ref(new Node);
    if (size_ == kFan << (kBits * height_)) {
      Ref above(new Node);
      above.Own().children.push_back(std::move(root_));
      root_ = std::move(above);
      ++height_;
    }
    Node* node = &root_.Own();
    for (size_t level = height_; level > 0; --level) {
      const size_t child = Slot(size_, level);
      if (child == node->children.size()) node->children.emplace_back(new Node);
      node = &node->children[child].Own();
    }
    node->items.push_back(std::move(value));
    ++size_;
  }

  // Two steps for who is going to Set an element: each asks for the memory that the next looks at.
  void FetchLeaf(size_t index) const {
    if (index < size_) __builtin_prefetch(Leaf(index));
  }
  void FetchElement(size_t index) const {
    if (index < size_) __builtin_prefetch(&(*this)[index], 1);
  }

  // Gives back what was there, so that the caller may destroy it behind the lock.
  T Set(size_t index, T value) { return std::exchange(Writable(index), std::move(value)); }

  T PopBack() {
    T last = std::move(Writable(size_ - 1));
    --size_;
    Trim(root_.Own(), height_);
    while (height_ > 0 && root_->children.size() == 1) {
      root_ = Ref(root_->children.front());
      --height_;
    }
    if (size_ == 0) root_ = Ref();
    return last;
  }

  class iterator {
   public:
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::forward_iterator_tag;
    using reference = const T&;
    using pointer = const T*;

    iterator() = default;
    iterator(const SnapshotVector* vector, size_t index) : vector_(vector), index_(index) { Enter(); }
    reference operator*() const { return *at_; }
    pointer operator->() const { return at_; }
    iterator& operator++() {
      ++index_;
      if (index_ % kFan == 0) {
        Enter();
      } else {
        ++at_;
      }
      return *this;
    }
    iterator operator++(int) {
      iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const iterator& a, const iterator& b) { return a.index_ == b.index_; }

   private:
    void Enter() { at_ = index_ < vector_->size_ ? &(*vector_)[index_] : nullptr; }

    const SnapshotVector* vector_ = nullptr;
    size_t index_ = 0;
    const T* at_ = nullptr;
  };
  iterator begin() const { return iterator(this, 0); }
  iterator end() const { return iterator(this, size_); }

 private:
  static size_t Slot(size_t index, size_t level) { return (index >> (kBits * level)) % kFan; }

  const Node* Leaf(size_t index) const {
    const Node* node = root_.operator->();
    for (size_t level = height_; level > 0; --level) node = node->children[Slot(index, level)].operator->();
    return node;
  }
  T& Writable(size_t index) {
    Node* node = &root_.Own();
    for (size_t level = height_; level > 0; --level) node = &node->children[Slot(index, level)].Own();
    return node->items[index % kFan];
  }
  // Takes the element behind the last one, and the nodes it leaves empty, away.
  void Trim(Node& node, size_t level) {
    if (level == 0) {
      node.items.pop_back();
      return;
    }
    Node& last = node.children.back().Own();
    Trim(last, level - 1);
    if (last.items.empty() && last.children.empty()) node.children.pop_back();
  }

  Ref root_;
  size_t height_ = 0;  // levels above the leaves
  size_t size_ = 0;
};

}  // namespace keelson::internal
