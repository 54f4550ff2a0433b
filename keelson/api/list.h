// A shared, copy-on-write list.
//
//   List<String> args = {"--port", "80"};
//   for (const Container& container : pod.spec.containers) …        // reads never copy
//   pod.spec.containers[0].image = "nginx";                         // clones what is shared, then writes
//   for (Container& container : pod.spec.containers.Mutable()) …    // the same for all
//
// One pointer wide; empty lists take no memory. A struct element has a node of its own, so a reference to it stays
// valid while the list grows; a reference to a scalar element does not. T may be incomplete where the member is
// declared. Converts from and to std::vector.
#pragma once

#include <initializer_list>
#include <iterator>
#include <vector>

#include "keelson/api/box.h"

namespace keelson {

template <class T>
class List {
  using Slot = internal::Slot<T>;

 public:
  using value_type = T;

  constexpr List() = default;
  List(std::initializer_list<T> values) { Assign(values.begin(), values.end(), values.size()); }
  List(const std::vector<T>& values) { Assign(values.begin(), values.end(), values.size()); }
  List(const List& other) : node_(internal::ShareNode(Describe<List>::type, other.node_)) {}
  List(List&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
  List& operator=(List other) noexcept {
    std::swap(node_, other.node_);
    return *this;
  }
  ~List() { internal::ReleaseNode(Describe<List>::type, node_); }

  bool empty() const { return size() == 0; }
  size_t size() const { return node_ == nullptr ? 0 : node_->length(); }

  const T& operator[](size_t index) const& { return internal::ReadSlot<T>(slots()[Checked(index)]); }
  T& operator[](size_t index) & { return internal::WriteSlot<T>(Expose()[Checked(index)]); }
  const T& operator[](size_t index) && = delete;
  const T& front() const& { return (*this)[0]; }
  T& front() & { return (*this)[0]; }
  const T& back() const& { return (*this)[size() - 1]; }
  T& back() & { return (*this)[size() - 1]; }

  void push_back(T value) {
    Slot slot(std::move(value));
    new (AppendRaw()) Slot(std::move(slot));
  }
  // Appends a default element and gives it for writing.
  T& emplace_back() {
    push_back(T{});
    return back();
  }
  void pop_back() { erase(size() - 1); }
  void erase(size_t index) {
    Slot* at = Detach() + Checked(index);
    for (Slot* end = slots() + size(); at + 1 < end; ++at) *at = std::move(at[1]);
    at->~Slot();
    node_->set_length(node_->length() - 1);
  }
  template <class Predicate>
  size_t EraseIf(Predicate predicate) {
    size_t erased = 0;
    for (size_t i = size(); i-- > 0;) {
      if (predicate(std::as_const(*this)[i])) {
        erase(i);
        ++erased;
      }
    }
    return erased;
  }
  void clear() { *this = List(); }

  class const_iterator {
   public:
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using reference = const T&;
    using pointer = const T*;
    using iterator_category = std::random_access_iterator_tag;

    const_iterator() = default;
    explicit const_iterator(const Slot* slot) : slot_(slot) {}
    const T& operator*() const { return internal::ReadSlot<T>(*slot_); }
    const T* operator->() const { return &**this; }
    const T& operator[](difference_type n) const { return internal::ReadSlot<T>(slot_[n]); }
    const_iterator& operator++() { return ++slot_, *this; }
    const_iterator operator++(int) { return const_iterator(slot_++); }
    const_iterator& operator--() { return --slot_, *this; }
    const_iterator operator--(int) { return const_iterator(slot_--); }
    const_iterator& operator+=(difference_type n) { return slot_ += n, *this; }
    const_iterator& operator-=(difference_type n) { return slot_ -= n, *this; }
    friend const_iterator operator+(const_iterator a, difference_type n) { return a += n; }
    friend const_iterator operator+(difference_type n, const_iterator a) { return a += n; }
    friend const_iterator operator-(const_iterator a, difference_type n) { return a -= n; }
    friend difference_type operator-(const_iterator a, const_iterator b) { return a.slot_ - b.slot_; }
    friend auto operator<=>(const_iterator a, const_iterator b) = default;

   private:
    const Slot* slot_ = nullptr;
  };
  using iterator = const_iterator;
  const_iterator begin() const { return const_iterator(slots()); }
  const_iterator end() const { return const_iterator(slots() + size()); }

  // A range of T&. Everything shared is cloned first.
  class MutableRange {
   public:
    class iterator {
     public:
      explicit iterator(Slot* slot) : slot_(slot) {}
      T& operator*() const { return internal::WriteSlot<T>(*slot_); }
      iterator& operator++() { return ++slot_, *this; }
      friend bool operator==(iterator a, iterator b) = default;

     private:
      Slot* slot_;
    };
    explicit MutableRange(Slot* first, size_t size) : first_(first), size_(size) {}
    iterator begin() const { return iterator(first_); }
    iterator end() const { return iterator(first_ + size_); }

   private:
    Slot* first_;
    size_t size_;
  };
  MutableRange Mutable() & { return empty() ? MutableRange(nullptr, 0) : MutableRange(Expose(), size()); }

  operator std::vector<T>() const { return std::vector<T>(begin(), end()); }

  friend bool operator==(const List& a, const List& b) { return internal::EqualAt(Describe<List>::type, &a, &b); }

 private:
  Slot* slots() const { return node_ == nullptr ? nullptr : reinterpret_cast<Slot*>(node_->payload()); }
  size_t Checked(size_t index) const {
    if (index >= size()) internal::DieOnEmptyAccess("List element out of range");
    return index;
  }
  Slot* Detach() {
    if (node_ == nullptr) return nullptr;
    node_ = internal::DetachNode(Describe<List>::type, node_);
    return slots();
  }
  Slot* Expose() {
    if (Detach() != nullptr) node_->bits |= internal::Node::kExposed;
    return slots();
  }
  void* AppendRaw() {
    node_ = node_ == nullptr
                ? internal::NewListNode(Describe<List>::type, 1)
                : internal::GrowNode(Describe<List>::type, internal::DetachNode(Describe<List>::type, node_));
    const uint32_t index = node_->length();
    node_->set_length(index + 1);
    return slots() + index;
  }
  template <class Iterator>
  void Assign(Iterator first, Iterator last, size_t count) {
    if (count == 0) return;
    node_ = internal::NewListNode(Describe<List>::type, count);
    for (; first != last; ++first) {
      new (slots() + node_->length()) Slot(*first);
      node_->set_length(node_->length() + 1);
    }
  }

  internal::Node* node_ = nullptr;
};

template <class T>
inline constexpr bool kIsPlainValue<List<T>> = true;

template <class T>
struct Describe<List<T>> {
  static constexpr Type type = {.name = "list",
                                .kind = Kind::kList,
                                .storage = Storage::kNode,
                                .size = sizeof(List<T>),
                                .element = &Describe<T>::type};
};

}  // namespace keelson
