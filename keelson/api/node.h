// The shared, reference-counted node behind every String, List, Map, and optional struct.
//
// A handle is one pointer to a node. Copying a handle shares the node; the first write through a shared handle clones
// it (copy on write). Two marks close the known traps:
//
//  - exposed: a mutable reference into the node has been given out. Whoever holds it may write at any later time, so
//  the
//    node is never shared from then on: copying its handle copies the node, deep along the exposed path. An exposed
//    node has exactly one handle.
//  - frozen: the node is in the table of shared nodes (sharing.h), where other threads may find it at any time. It is
//    never written again; a write clones it even when its handle is the only one.
//
// Counting is atomic, so handles may be copied and destroyed on any thread; as with any value, one handle must not be
// written by one thread while another uses it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

#include "keelson/api/internal/node_memory.h"
#include "keelson/api/type.h"

namespace keelson::internal {

enum class NodeKind : uint32_t { kString = 0, kStruct = 1, kList = 2, kMap = 3 };

// Eight bytes, then the payload: characters, a struct, slots, or key and slot pairs.
struct Node {
  static constexpr uint32_t kLengthBits = 26;
  static constexpr uint32_t kLengthMask = (1u << kLengthBits) - 1;
  static constexpr uint32_t kFrozen = 1u << 26;
  static constexpr uint32_t kExposed = 1u << 27;
  static constexpr uint32_t kExact = 1u << 28;  // no room beyond the length; otherwise capacity is CapacityFor(length)
  static constexpr uint32_t kKindShift = 29;

  std::atomic<uint32_t> references;
  uint32_t bits;  // kind, marks, and the length (of a struct: its type's TypeId)

  NodeKind kind() const { return static_cast<NodeKind>(bits >> kKindShift); }
  uint32_t length() const { return bits & kLengthMask; }
  bool frozen() const { return (bits & kFrozen) != 0; }
  bool exposed() const { return (bits & kExposed) != 0; }
  void set_length(uint32_t length) { bits = (bits & ~kLengthMask) | length; }

  std::byte* payload() { return reinterpret_cast<std::byte*>(this + 1); }
  const std::byte* payload() const { return reinterpret_cast<const std::byte*>(this + 1); }

  // No other handle and no table can reach it: it may be written in place.
  bool writable() const { return !frozen() && references.load(std::memory_order_acquire) == 1; }
};
static_assert(sizeof(Node) == 8);

inline constexpr size_t kMaxNodeLength = Node::kLengthMask;
[[noreturn]] void ThrowNodeTooLong(size_t length);

inline Node* AllocateNode(NodeKind kind, size_t payload_bytes, size_t length, uint32_t marks) {
  if (length > kMaxNodeLength) ThrowNodeTooLong(length);
  Node* node = static_cast<Node*>(TakeNodeMemory(sizeof(Node) + payload_bytes));
  new (&node->references) std::atomic<uint32_t>(1);
  node->bits = (static_cast<uint32_t>(kind) << Node::kKindShift) | marks | static_cast<uint32_t>(length);
  return node;
}

// A struct in a list, a map or an optional has a node of its own; every other value sits in place.
inline constexpr size_t SlotSize(const Type& element) {
  return element.kind == Kind::kStruct || element.kind == Kind::kUnion ? sizeof(Node*) : element.size;
}
// A map's entry is the key and the slot, both kept aligned to a pointer.
inline constexpr size_t MapEntrySize(const Type& element) {
  return sizeof(Node*) + ((SlotSize(element) + 7) & ~size_t{7});
}

// Room for a list or map that grows; doubling.
size_t CapacityFor(size_t length);

// The functions below take the type of the node's content: a struct's own type, or that of the List or Map handle.

void FreeNode(const Type& type, Node* node);            // the count has reached zero
void FreeStringNode(Node* node);                        // likewise
Node* CloneNode(const Type& type, const Node* source);  // one reference, no marks
Node* NewStructNode(const Type& type);                  // default value
Node* NewListNode(const Type& list, size_t capacity);   // empty, with room
Node* NewMapNode(const Type& map, size_t capacity);
// The same content with room for one more; takes over the caller's reference.
Node* GrowNode(const Type& type, Node* node);
uint32_t TypeId(const Type& type);

inline Node* ShareNode(const Type& type, Node* node) {
  if (node == nullptr) return nullptr;
  if (node->exposed()) return CloneNode(type, node);
  node->references.fetch_add(1, std::memory_order_relaxed);
  return node;
}

// Drops one reference. A sole handle of an ordinary node needs no atomic write: nobody else can reach the count.
inline bool DropReference(Node* node) {
  if (node->writable()) return true;
  return node->references.fetch_sub(1, std::memory_order_acq_rel) == 1;
}

inline void ReleaseNode(const Type& type, Node* node) {
  if (node != nullptr && DropReference(node)) FreeNode(type, node);
}

// Makes `node` writable in place, cloning it when it is shared or frozen.
inline Node* DetachNode(const Type& type, Node* node) {
  if (node->writable()) return node;
  Node* own = CloneNode(type, node);
  ReleaseNode(type, node);
  return own;
}

// Whether only its own C++ class may copy or move it: it is in Storage::kStandard, or holds such a value in place.
inline constexpr bool IsManaged(const Type& type) {
  return type.ops != nullptr ||
         (type.kind == Kind::kOptional && type.storage == Storage::kInline && IsManaged(*type.element));
}

// Generic lifetime of a value at an address, by its type. Copies share nodes; destruction is iterative.
void ConstructValue(const Type& type, void* value);
void CopyValue(const Type& type, void* to, const void* from);  // `to` is raw memory
void RelocateValue(const Type& type, void* to, void* from);    // `to` is raw memory before, `from` afterwards
void DestroyValue(const Type& type, void* value);
// The same for what a list or map has in a slot: a struct's node, or the value itself.
void RelocateSlot(const Type& element, void* to, void* from);

}  // namespace keelson::internal
