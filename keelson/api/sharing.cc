#include "keelson/api/sharing.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "keelson/api/json.h"
#include "keelson/api/list.h"
#include "keelson/api/raw.h"
#include "keelson/core/hash.h"
#include "keelson/core/leaf_mutex.h"
#include "keelson/core/random.h"

namespace keelson::internal {

namespace {

// Open addressing with linear probing. A slot keeps the hash beside the pointer: probing rarely touches a node, and
// growing never does. Grows by less than doubling, because the table is a good part of what a shared node costs.
class Shard {
 public:
  // A shared node equal to the candidate, with a reference for the caller, or null.
  Node* Acquire(uint32_t hash, uint32_t bits, const std::byte* payload, size_t bytes) {
    if (nodes_.empty()) return nullptr;
    for (size_t i = Home(hash); nodes_[i] != nullptr || hashes_[i] == kErased; i = Next(i)) {
      Node* node = nodes_[i];
      if (node == nullptr || hashes_[i] != hash || node->bits != bits) continue;
      if (std::memcmp(node->payload(), payload, bytes) != 0) continue;
      // A count of zero belongs to a node on its way out: it is waiting for this shard to forget it.
      uint32_t count = node->references.load(std::memory_order_relaxed);
      while (count != 0) {
        if (node->references.compare_exchange_weak(count, count + 1, std::memory_order_acquire)) return node;
      }
    }
    return nullptr;
  }

  void Insert(uint32_t hash, Node* node) {
    if ((used_ + 1) * 5 > nodes_.size() * 4) Rehash();
    size_t i = Home(hash);
    while (nodes_[i] != nullptr) i = Next(i);
    if (hashes_[i] != kErased) ++used_;
    nodes_[i] = node;
    hashes_[i] = hash;
    ++live_;
  }

  void Erase(uint32_t hash, const Node* node) {
    size_t i = Home(hash);
    while (nodes_[i] != node) i = Next(i);
    nodes_[i] = nullptr;
    hashes_[i] = kErased;
    --live_;
  }

  size_t live() const { return live_; }

  LeafMutex mutex;

 private:
  static constexpr uint32_t kErased = 1;  // of an empty slot: probing goes on behind it

  // Where probing starts: the hash scaled to the size.
  size_t Home(uint32_t hash) const { return static_cast<size_t>((uint64_t{hash} * nodes_.size()) >> 32); }
  size_t Next(size_t i) const { return i + 1 == nodes_.size() ? 0 : i + 1; }

  void Rehash() {
    const size_t size = std::max<size_t>(64, live_ + live_ * 3 / 4);
    std::vector<Node*> old_nodes(size);
    std::vector<uint32_t> old_hashes(size);
    old_nodes.swap(nodes_);
    old_hashes.swap(hashes_);
    used_ = live_ = 0;
    for (size_t i = 0; i < old_nodes.size(); ++i) {
      if (old_nodes[i] != nullptr) Insert(old_hashes[i], old_nodes[i]);
    }
  }

  std::vector<Node*> nodes_;
  std::vector<uint32_t> hashes_;
  size_t used_ = 0;  // occupied or erased
  size_t live_ = 0;
};

constexpr size_t kShardBits = 6;

struct Table {
  Shard shards[size_t{1} << kShardBits];
  const uint64_t seed = SecureRandom::Next();  // colliding keys cannot be prepared in advance
};

// Never destroyed: values with static lifetime may still release nodes after main.
Table& TheTable() {
  static Table& table = *new Table;
  return table;
}
// Made before main, and so outside of every simulation: inside, its seed would come from that one's entropy, and the
// first run of a process would differ from a later one of the same seed.
[[maybe_unused]] const Table& made_before_main = TheTable();

struct Place {
  Shard& shard;
  uint32_t hash;
};

Place PlaceOf(uint32_t bits, const std::byte* payload, size_t bytes) {
  Table& table = TheTable();
  const uint64_t hash = HashBytes(payload, bytes, table.seed ^ bits);
  return {table.shards[hash >> (64 - kShardBits)], static_cast<uint32_t>(hash)};
}

uint32_t FrozenBits(NodeKind kind, const Type& type, size_t length) {
  const auto low = kind == NodeKind::kStruct ? TypeId(type) : static_cast<uint32_t>(length);
  return (static_cast<uint32_t>(kind) << Node::kKindShift) | Node::kFrozen | Node::kExact | low;
}

// Releases the references of a payload whose equal is in the table already.
void DropPayload(NodeKind kind, const Type& type, std::byte* payload, size_t length) {
  if (kind == NodeKind::kStruct) return DestroyValue(type, payload);
  const Type& element = *type.element;
  const size_t step = kind == NodeKind::kMap ? MapEntrySize(element) : SlotSize(element);
  for (size_t i = 0; i < length; ++i, payload += step) {
    std::byte* slot = payload;
    if (kind == NodeKind::kMap) {
      DestroyValue(Describe<String>::type, slot);
      slot += sizeof(Node*);
    }
    if (element.is_struct()) {
      ReleaseNode(element, *reinterpret_cast<Node**>(slot));
    } else {
      DestroyValue(element, slot);
    }
  }
}

}  // namespace

size_t PayloadSize(NodeKind kind, const Type& type, size_t length) {
  switch (kind) {
    case NodeKind::kString: return length;
    case NodeKind::kStruct: return type.size;
    case NodeKind::kList: return length * SlotSize(*type.element);
    case NodeKind::kMap: return length * MapEntrySize(*type.element);
  }
  return 0;
}

Node* SharedString(std::string_view text) {
  if (text.empty()) return nullptr;
  if (text.size() > kMaxNodeLength) ThrowNodeTooLong(text.size());
  const auto* payload = reinterpret_cast<const std::byte*>(text.data());
  const uint32_t bits = FrozenBits(NodeKind::kString, Describe<String>::type, text.size());
  const Place place = PlaceOf(bits, payload, text.size());
  LeafLock lock(place.shard.mutex);
  if (Node* found = place.shard.Acquire(place.hash, bits, payload, text.size())) return found;
  Node* node = AllocateNode(NodeKind::kString, text.size(), text.size(), Node::kExact | Node::kFrozen);
  std::memcpy(node->payload(), text.data(), text.size());
  place.shard.Insert(place.hash, node);
  return node;
}

Node* SharedNode(NodeKind kind, const Type& type, std::byte* payload, size_t length, bool* found) {
  const size_t bytes = PayloadSize(kind, type, length);
  const uint32_t bits = FrozenBits(kind, type, length);
  const Place place = PlaceOf(bits, payload, bytes);
  Node* present;
  {
    LeafLock lock(place.shard.mutex);
    present = place.shard.Acquire(place.hash, bits, payload, bytes);
    if (found != nullptr) *found = present != nullptr;
    if (present == nullptr) {
      Node* node = AllocateNode(kind, bytes, bits & Node::kLengthMask, Node::kExact | Node::kFrozen);
      std::memcpy(node->payload(), payload, bytes);
      place.shard.Insert(place.hash, node);
      return node;
    }
  }
  DropPayload(kind, type, payload, length);
  return present;
}

Node* OwnNode(NodeKind kind, const Type& type, const std::byte* payload, size_t length) {
  const size_t bytes = PayloadSize(kind, type, length);
  Node* node = AllocateNode(kind, bytes, length, Node::kExact);
  std::memcpy(node->payload(), payload, bytes);
  return node;
}

void ForgetSharedNode(const Type& type, Node* node) {
  const size_t bytes = PayloadSize(node->kind(), type, node->length());
  const Place place = PlaceOf(node->bits, node->payload(), bytes);
  LeafLock lock(place.shard.mutex);
  place.shard.Erase(place.hash, node);
}

namespace {

Node*& NodeAt(void* slot) { return *static_cast<Node**>(slot); }

void ShareString(void* slot) {
  Node*& node = NodeAt(slot);
  if (node == nullptr || node->frozen() || node->length() == 0) return;
  Node* shared = SharedString({reinterpret_cast<const char*>(node->payload()), node->length()});
  if (DropReference(node)) FreeStringNode(node);
  node = shared;
}

// Copies without the padding between members, which would make equal structs look different. `to` is zero.
void CopyMeaningfulBytes(const Type& type, std::byte* to, const std::byte* from) {
  if (type.is_struct()) {
    for (const Field& field : type.fields) CopyMeaningfulBytes(*field.type, to + field.offset, from + field.offset);
  } else if (type.kind == Kind::kOptional && type.storage == Storage::kInline) {
    if (from[type.element->size] == std::byte{0}) return;
    CopyMeaningfulBytes(*type.element, to, from);
    to[type.element->size] = std::byte{1};
  } else {
    std::memcpy(to, from, type.size);
  }
}

void ShareNodeAt(NodeKind kind, const Type& type, void* slot) {
  Node*& node = NodeAt(slot);
  if (node == nullptr || node->frozen()) return;
  if (kind != NodeKind::kStruct && node->length() == 0) return;
  if (kind == NodeKind::kStruct && type.ops != nullptr) return;  // holds values that only C++ can compare
  if (kind != NodeKind::kStruct && IsManaged(*type.element) && !type.element->is_struct()) return;
  // The canonical copy takes its own references; the original keeps its until it is released below.
  Node* original = CloneNode(type, node);
  ReleaseNode(type, node);
  const size_t length = kind == NodeKind::kStruct ? 0 : original->length();
  std::vector<std::byte> payload(PayloadSize(kind, type, length));
  if (kind == NodeKind::kStruct) {
    CopyMeaningfulBytes(type, payload.data(), original->payload());
    ShareNodes(type, payload.data());
  } else {
    const Type& element = *type.element;
    const bool is_map = kind == NodeKind::kMap;
    const size_t step = is_map ? MapEntrySize(element) : SlotSize(element);
    for (size_t i = 0; i < length; ++i) {
      std::byte* to = payload.data() + i * step;
      const std::byte* from = original->payload() + i * step;
      if (is_map) {
        std::memcpy(to, from, sizeof(Node*));
        ShareString(to);
        to += sizeof(Node*);
        from += sizeof(Node*);
      }
      if (element.is_struct()) {
        std::memcpy(to, from, sizeof(Node*));
        ShareNodeAt(NodeKind::kStruct, element, to);
      } else {
        CopyMeaningfulBytes(element, to, from);
        ShareNodes(element, to);
      }
    }
  }
  GiveNodeMemory(original);  // its references went to the payload
  node = SharedNode(kind, type, payload.data(), length);
}

}  // namespace
}  // namespace keelson::internal

namespace keelson {

using internal::NodeKind;

void ShareNodes(const Type& type, void* value) {
  if (type.storage == Storage::kStandard && !type.is_struct()) return;
  switch (type.kind) {
    case Kind::kBool:
    case Kind::kInt32:
    case Kind::kInt64:
    case Kind::kDouble:
    case Kind::kTime:
    case Kind::kMicroTime:
    case Kind::kDuration:
    case Kind::kQuantity: return;
    case Kind::kString:
    case Kind::kBytes:
    case Kind::kRawExtension:
    case Kind::kIntOrString: return internal::ShareString(value);
    case Kind::kFieldsV1:
      static_cast<FieldsV1*>(value)->CutIntoPieces();
      return internal::ShareNodeAt(NodeKind::kList, Describe<List<String>>::type, value);
    case Kind::kJson: {
      const auto* json = static_cast<const Json*>(value);
      void* slot = static_cast<std::byte*>(value) + sizeof(uint64_t);
      if (json->is_string()) internal::ShareString(slot);
      if (json->is_list()) internal::ShareNodeAt(NodeKind::kList, Describe<JsonList>::type, slot);
      if (json->is_object()) internal::ShareNodeAt(NodeKind::kMap, Describe<JsonObject>::type, slot);
      return;
    }
    case Kind::kStruct:
    case Kind::kUnion:
      for (const Field& field : type.fields) {
        if (!field.unique) ShareNodes(*field.type, static_cast<std::byte*>(value) + field.offset);
      }
      return;
    case Kind::kOptional:
      if (type.element->is_struct()) return internal::ShareNodeAt(NodeKind::kStruct, *type.element, value);
      return ShareNodes(*type.element, value);
    case Kind::kList: return internal::ShareNodeAt(NodeKind::kList, type, value);
    case Kind::kMap: return internal::ShareNodeAt(NodeKind::kMap, type, value);
  }
}

size_t SharedNodeCount() {
  size_t count = 0;
  for (auto& shard : internal::TheTable().shards) {
    LeafLock lock(shard.mutex);
    count += shard.live();
  }
  return count;
}

}  // namespace keelson
