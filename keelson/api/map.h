// A shared, copy-on-write map with String keys, kept in key order.
//
//   metadata.labels = {{"app", "web"}};
//   metadata.labels.Set("tier", "front");
//   if (const String* app = metadata.labels.find("app")) …
//   for (const auto& [key, value] : metadata.labels) …       // in key order; reads never copy
//
// One pointer wide; empty maps take no memory. Lookup is a binary search. Converts from and to std::map.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <map>
#include <string>

#include "keelson/api/box.h"
#include "keelson/api/string.h"

namespace keelson {

template <class V>
class Map {
  struct Entry {
    String key;
    alignas(8) internal::Slot<V> slot;
  };

 public:
  using key_type = String;
  using mapped_type = V;

  constexpr Map() = default;
  Map(std::initializer_list<std::pair<String, V>> entries) {
    for (const auto& [key, value] : entries) Set(key, value);
  }
  template <class K, class U>
  Map(const std::map<K, U>& entries) {
    for (const auto& [key, value] : entries) Set(String(key), V(value));
  }
  Map(const Map& other) : node_(internal::ShareNode(Describe<Map>::type, other.node_)) {}
  Map(Map&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
  Map& operator=(Map other) noexcept {
    std::swap(node_, other.node_);
    return *this;
  }
  ~Map() { internal::ReleaseNode(Describe<Map>::type, node_); }

  bool empty() const { return size() == 0; }
  size_t size() const { return node_ == nullptr ? 0 : node_->length(); }
  bool contains(std::string_view key) const { return find(key) != nullptr; }

  // Null when the key is not there.
  const V* find(std::string_view key) const& {
    const size_t index = LowerBound(key);
    return Matches(index, key) ? &internal::ReadSlot<V>(entries()[index].slot) : nullptr;
  }
  const V* find(std::string_view key) && = delete;
  const V& at(std::string_view key) const& {
    const V* value = find(key);
    if (value == nullptr) internal::DieOnEmptyAccess("Map key not found");
    return *value;
  }
  const V& at(std::string_view key) && = delete;
  // The value of that key for writing, made first when absent.
  V& operator[](std::string_view key) & {
    Entry& entry = *Ensure(key);
    node_->bits |= internal::Node::kExposed;
    return internal::WriteSlot<V>(entry.slot);
  }
  void Set(const String& key, V value) { Ensure(key)->slot = internal::Slot<V>(std::move(value)); }
  bool erase(std::string_view key) {
    const size_t index = LowerBound(key);
    if (!Matches(index, key)) return false;
    node_ = internal::DetachNode(Describe<Map>::type, node_);
    Entry* at = entries() + index;
    for (Entry* end = entries() + size(); at + 1 < end; ++at) *at = std::move(at[1]);
    at->~Entry();
    node_->set_length(node_->length() - 1);
    return true;
  }
  void clear() { *this = Map(); }

  struct Item {
    const String& key;
    const V& value;
  };
  class const_iterator {
   public:
    using value_type = Item;
    using difference_type = std::ptrdiff_t;
    using reference = Item;
    using iterator_category = std::input_iterator_tag;

    const_iterator() = default;
    explicit const_iterator(const Entry* entry) : entry_(entry) {}
    Item operator*() const { return {entry_->key, internal::ReadSlot<V>(entry_->slot)}; }
    const_iterator& operator++() { return ++entry_, *this; }
    const_iterator operator++(int) { return const_iterator(entry_++); }
    friend bool operator==(const_iterator a, const_iterator b) = default;

   private:
    const Entry* entry_ = nullptr;
  };
  using iterator = const_iterator;
  const_iterator begin() const { return const_iterator(entries()); }
  const_iterator end() const { return const_iterator(entries() + size()); }

  template <class K, class U>
  operator std::map<K, U>() const {
    std::map<K, U> out;
    for (const auto& [key, value] : *this) out.emplace_hint(out.end(), K(key), U(value));
    return out;
  }

  friend bool operator==(const Map& a, const Map& b) { return internal::EqualAt(Describe<Map>::type, &a, &b); }

 private:
  Entry* entries() const { return node_ == nullptr ? nullptr : reinterpret_cast<Entry*>(node_->payload()); }
  size_t LowerBound(std::string_view key) const {
    const Entry* first = entries();
    return static_cast<size_t>(
        std::lower_bound(first, first + size(), key,
                         [](const Entry& entry, std::string_view wanted) { return entry.key.view() < wanted; }) -
        first);
  }
  bool Matches(size_t index, std::string_view key) const { return index < size() && entries()[index].key == key; }
  // The entry of that key in a node of our own, inserted with a default value when absent.
  Entry* Ensure(std::string_view key) {
    const Type& type = Describe<Map>::type;
    const size_t index = LowerBound(key);
    if (Matches(index, key)) {
      node_ = internal::DetachNode(type, node_);
      return entries() + index;
    }
    String own_key(key);  // before the node moves: `key` may point into it
    internal::Slot<V> slot(V{});
    node_ =
        node_ == nullptr ? internal::NewMapNode(type, 1) : internal::GrowNode(type, internal::DetachNode(type, node_));
    const size_t count = size();
    Entry* end = new (entries() + count) Entry{};
    node_->set_length(static_cast<uint32_t>(count + 1));
    for (Entry* at = end; at > entries() + index; --at) *at = std::move(at[-1]);
    entries()[index].key = std::move(own_key);
    entries()[index].slot = std::move(slot);
    return entries() + index;
  }

  internal::Node* node_ = nullptr;
};

template <class V>
inline constexpr bool kIsPlainValue<Map<V>> = true;

template <class V>
struct Describe<Map<V>> {
  static constexpr Type type = {.name = "map",
                                .kind = Kind::kMap,
                                .storage = Storage::kNode,
                                .size = sizeof(Map<V>),
                                .element = &Describe<V>::type};
};

}  // namespace keelson
