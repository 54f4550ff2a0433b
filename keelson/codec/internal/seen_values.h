// What a reader has decoded before, found again by the bytes it was decoded from.
//
// The Pods of one ReplicaSet repeat most of their sub-objects to the letter. When the text of a sub-object has been seen,
// its shared node is the answer and the text is skipped: decoding becomes faster than parsing. The bytes are kept and
// compared, so a colliding hash costs a look and nothing else.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/api/node.h"
#include "keelson/api/sharing.h"
#include "keelson/core/hash.h"

namespace keelson::internal {

// Bounded in entries and in bytes; a new value replaces an old one of the same place. Not thread-safe.
class SeenValues {
 public:
  // Shorter is quicker to parse, longer is rarely repeated.
  static constexpr size_t kShortest = 24;
  static constexpr size_t kLongest = 4096;

  struct Key {
    const Type* type;
    std::string_view bytes;
    uint64_t hash;
  };

  SeenValues() = default;
  ~SeenValues() { Clear(); }
  SeenValues(const SeenValues&) = delete;
  SeenValues& operator=(const SeenValues&) = delete;

  // `type` is the content type of the node.
  Key KeyOf(const Type& type, std::string_view bytes) const {
    return {&type, bytes, HashBytes(bytes.data(), bytes.size(), reinterpret_cast<uintptr_t>(&type))};
  }

  // With a reference for the caller, or null.
  Node* Find(const Key& key) const {
    if (entries_.empty()) return nullptr;
    const Entry& entry = entries_[key.hash % kEntries];
    if (entry.hash != key.hash || entry.type != key.type || entry.bytes != key.bytes) return nullptr;
    entry.node->references.fetch_add(1, std::memory_order_relaxed);
    return entry.node;
  }

  // `node` is frozen.
  void Keep(const Key& key, Node* node) {
    if (entries_.empty()) entries_.resize(kEntries);
    Entry& entry = entries_[key.hash % kEntries];
    Drop(entry);
    // Full: begins anew, so that what is seen no more does not stay for ever.
    if (bytes_ + key.bytes.size() > kMostBytes) Clear();
    bytes_ += key.bytes.size();
    node->references.fetch_add(1, std::memory_order_relaxed);
    entry = {key.hash, key.type, node, std::string(key.bytes)};
  }

 private:
  static constexpr size_t kEntries = size_t{1} << 15;
  static constexpr size_t kMostBytes = size_t{8} << 20;

  struct Entry {
    uint64_t hash = 0;
    const Type* type = nullptr;
    Node* node = nullptr;
    std::string bytes;
  };

  void Clear() {
    for (Entry& entry : entries_) Drop(entry);
  }
  void Drop(Entry& entry) {
    if (entry.node == nullptr) return;
    bytes_ -= entry.bytes.size();
    ReleaseNode(*entry.type, entry.node);
    entry = {};
  }

  std::vector<Entry> entries_;
  size_t bytes_ = 0;
};

// The shared nodes of the texts met lately: found here without the table's lock. Not thread-safe.
class SeenStrings {
 public:
  SeenStrings() : nodes_(kPlaces) {}
  ~SeenStrings() {
    for (Node* node : nodes_) Drop(node);
  }
  SeenStrings(const SeenStrings&) = delete;
  SeenStrings& operator=(const SeenStrings&) = delete;

  // As SharedString does.
  Node* Find(std::string_view text) {
    if (text.empty()) return nullptr;
    Node*& place = nodes_[HashBytes(text.data(), text.size(), 0) % kPlaces];
    if (place == nullptr || place->length() != text.size() ||
        std::memcmp(place->payload(), text.data(), text.size()) != 0) {
      Drop(place);
      place = SharedString(text);
    }
    place->references.fetch_add(1, std::memory_order_relaxed);
    return place;
  }

 private:
  static constexpr size_t kPlaces = 4096;

  static void Drop(Node* node) {
    if (node != nullptr && DropReference(node)) FreeStringNode(node);
  }

  std::vector<Node*> nodes_;
};

// How likely a value has been seen: learnt from what became of the ones at the same place with the same beginning. A
// condition with its times is always new, and looking it up would be wasted; a toleration is always the same.
class SeenOdds {
 public:
  // `place` is a field or an element type, `text` goes on behind the value's beginning.
  uint8_t& At(const void* place, std::string_view text) {
    return scores_[HashBytes(text.data(), std::min<size_t>(text.size(), 16), reinterpret_cast<uintptr_t>(place)) % kPlaces];
  }
  static bool Likely(uint8_t score) { return score >= kLikely; }
  static void Note(uint8_t& score, bool seen) {
    if (seen) {
      score = static_cast<uint8_t>(std::min(score + kGain, int{kMost}));
    } else if (score > 0) {
      --score;
    }
  }

 private:
  // A look costs about half of what a find saves: worth it when every third one finds.
  static constexpr uint8_t kLikely = 2;
  static constexpr uint8_t kMost = 15;
  static constexpr int kGain = 2;
  static constexpr size_t kPlaces = 4096;

  uint8_t scores_[kPlaces] = {};
};

}  // namespace keelson::internal
