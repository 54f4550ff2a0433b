// What a reader has decoded before, found again by the bytes it was decoded from.
//
// The Pods of one ReplicaSet repeat most of their sub-objects to the letter. When the bytes of a sub-object have been
// seen before, the node they gave is the answer and they are skipped: decoding becomes faster than parsing. Nodes given
// out so are shared as by any copy; a write to one clones it. The bytes are kept and compared, so a colliding hash
// costs a look and nothing else.
//
//   const auto place = seen.PlaceAt(&field, bytes);
//   if (!seen.WorthALook(place)) return Decode(bytes);
//   if (const auto* last = seen.LastAt(place, type); last != nullptr && last->bytes == bytes) return Take(*last);
//   const auto key = seen.KeyOf(type, bytes);
//   if (Node* node = seen.Find(key, place)) return node;
//   Node* node = Decode(bytes);
//   seen.Note(key, place, node);
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "keelson/api/node.h"
#include "keelson/api/sharing.h"
#include "keelson/api/string.h"
#include "keelson/core/hash.h"

namespace keelson::internal {

// Bounded in entries and in bytes; small at first, because every thread that decodes has one. Not thread-safe.
class SeenValues {
 public:
  // Shorter is quicker to parse, longer is rarely repeated.
  static constexpr size_t kShortest = 8;
  static constexpr size_t kLongest = 4096;

  struct Key {
    const Type* type;
    std::string_view bytes;
    uint64_t hash;
  };

  // A place of a type, with one beginning of its values: where one expects them to be alike.
  using Place = uint16_t;

  struct Entry {
    uint64_t hash = 0;
    const Type* type = nullptr;
    Node* node = nullptr;
    std::string bytes;
    uint32_t tokens = 0;  // of JSON: how many the bytes are
  };

  SeenValues() : scores_(kPlaces, kFirstOdds), hashes_(kFewHashes) {}
  ~SeenValues() { Clear(); }
  SeenValues(const SeenValues&) = delete;
  SeenValues& operator=(const SeenValues&) = delete;

  // `beginning` may go on behind the value.
  static Place PlaceAt(const void* place, std::string_view beginning) {
    const size_t length = std::min<size_t>(beginning.size(), 16);
    return HashBytes(beginning.data(), length, reinterpret_cast<uintptr_t>(place)) % kPlaces;
  }
  // How likely values at this place have been seen is learnt from the ones before: a condition with its times is always
  // new, and looking it up would be wasted; a toleration is always the same. Against the odds every now and then, to
  // learn of a change. A look counts as a find until Note says otherwise.
  bool WorthALook(Place place) {
    uint8_t& odds = scores_[place];
    if (odds == 0 && ++unlikely_ % kSampled != 0) return false;
    odds = static_cast<uint8_t>(std::min(odds + kFound, kMostOdds));
    return true;
  }

  // What was found last at this place, or null. In a list sorted by name the next one is mostly the same, and comparing
  // with it is quicker than finding it. `type` is the content type of the node.
  const Entry* LastAt(Place place, const Type& type) const {
    if (last_.empty()) return nullptr;
    const Entry& entry = entries_[last_[place] & (entries_.size() - 1)];
    return entry.type == &type ? &entry : nullptr;
  }
  // With a reference for the caller.
  static Node* Take(const Entry& entry) {
    entry.node->references.fetch_add(1, std::memory_order_relaxed);
    return entry.node;
  }

  Key KeyOf(const Type& type, std::string_view bytes) const {
    return {&type, bytes, HashBytes(bytes.data(), bytes.size(), reinterpret_cast<uintptr_t>(&type))};
  }

  // With a reference for the caller, or null.
  Node* Find(const Key& key, Place place) {
    if (entries_.empty()) return nullptr;
    for (size_t i = key.hash & (entries_.size() - 1), tried = 0; tried < 2; ++tried, i ^= 1) {
      const Entry& entry = entries_[i];
      if (entry.hash != key.hash || entry.type != key.type || entry.bytes != key.bytes) continue;
      last_[place] = static_cast<uint16_t>(i);
      return Take(entry);
    }
    return nullptr;
  }

  // What decoding gave after Find had found nothing; null when it must not be given again. Kept at the second time:
  // most of what is new never comes again.
  void Note(const Key& key, Place place, Node* node, size_t tokens = 0) {
    uint8_t& odds = scores_[place];
    if (node == nullptr) {
      odds = 0;
      return;
    }
    odds = static_cast<uint8_t>(std::max(odds - kFound - kMissed, 0));
    const auto mark = static_cast<uint32_t>(key.hash >> 32);
    uint32_t& last = hashes_[mark & (hashes_.size() - 1)];
    if (last == mark) {
      Keep(key, node, tokens);
      return;
    }
    last = mark;
    if (++noted_ == hashes_.size() / 2 && hashes_.size() < kHashes) GrowHashes();
  }

  void Clear() {
    for (Entry& entry : entries_) Drop(entry);
  }

 private:
  // Each table grows fourfold from the one size to the other, both powers of two.
  static constexpr size_t kFewEntries = 64, kEntries = 4096;
  static constexpr size_t kFewHashes = 1024, kHashes = size_t{1} << 14;
  static constexpr size_t kMostBytes = size_t{2} << 20;
  static constexpr size_t kPlaces = 4096;
  // Looking goes on where two of three looks find something. A find among values that come rarely is hardly quicker
  // than decoding them: the bytes kept and the node are far away in memory.
  static constexpr uint8_t kFirstOdds = 16;
  static constexpr int kMostOdds = 64;
  static constexpr int kFound = 1;
  static constexpr int kMissed = 2;
  static constexpr uint32_t kSampled = 16;

  void Keep(const Key& key, Node* node, size_t tokens) {
    if (entries_.empty()) {
      entries_.resize(kFewEntries);
      last_.resize(kPlaces);
    }
    if (++kept_ > entries_.size() / 4 && entries_.size() < kEntries) GrowEntries();
    Entry& entry = PlaceFor(key.hash);
    Drop(entry);
    // Full: begins anew, so that what is seen no more does not stay for ever.
    if (bytes_ + key.bytes.size() > kMostBytes) Clear();
    bytes_ += key.bytes.size();
    node->references.fetch_add(1, std::memory_order_relaxed);
    entry = {key.hash, key.type, node, std::string(key.bytes), static_cast<uint32_t>(tokens)};
  }
  // The first of its two places, or the second when that is taken.
  Entry& PlaceFor(uint64_t hash) {
    const size_t home = hash & (entries_.size() - 1);
    return entries_[entries_[home].node == nullptr ? home : home ^ 1];
  }
  void GrowHashes() {
    std::vector<uint32_t> before(4 * hashes_.size());
    before.swap(hashes_);
    for (const uint32_t mark : before) hashes_[mark & (hashes_.size() - 1)] = mark;
    noted_ = before.size() / 2;
  }
  void GrowEntries() {
    std::vector<Entry> before(4 * entries_.size());
    before.swap(entries_);
    kept_ = 0;
    for (Entry& entry : before) {
      if (entry.node == nullptr) continue;
      Entry& place = PlaceFor(entry.hash);
      Drop(place);
      place = std::move(entry);
      ++kept_;
    }
  }
  void Drop(Entry& entry) {
    if (entry.node == nullptr) return;
    bytes_ -= entry.bytes.size();
    ReleaseNode(*entry.type, entry.node);
    entry = {};
  }

  std::vector<Entry> entries_;
  std::vector<uint16_t> last_;  // by place: the entry that was found there, if nothing has taken its place since
  size_t bytes_ = 0;
  size_t kept_ = 0;  // since entries_ has its size
  std::vector<uint8_t> scores_;
  std::vector<uint32_t> hashes_;  // of what was decoded lately
  size_t noted_ = 0;              // since hashes_ has its size
  uint32_t unlikely_ = 0;
};

// Nodes of texts. Those shared and met lately are found here without a look into the table of shared nodes, which takes
// a lock; where nothing is shared, a new node is quicker than any look. Not thread-safe.
class SeenStrings {
 public:
  // With `shared`, nodes come from the table of shared nodes.
  explicit SeenStrings(bool shared) : nodes_(shared ? kPlaces : 0), shared_(shared) {}
  ~SeenStrings() {
    for (Node* node : nodes_) Drop(node);
  }
  SeenStrings(SeenStrings&&) noexcept = default;
  SeenStrings& operator=(SeenStrings&& other) noexcept {
    nodes_.swap(other.nodes_);
    std::swap(shared_, other.shared_);
    return *this;
  }

  bool shared() const { return shared_; }

  // With a reference for the caller; null for the empty text.
  Node* Find(std::string_view text) {
    if (text.empty()) return nullptr;
    if (!shared_) return NewStringNode(text);
    if (text.size() > kLongest) return SharedString(text);
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
  static constexpr size_t kLongest = 256;

  static void Drop(Node* node) {
    if (node != nullptr && DropReference(node)) FreeStringNode(node);
  }

  std::vector<Node*> nodes_;
  bool shared_;
};

}  // namespace keelson::internal
