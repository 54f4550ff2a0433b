#include "keelson/api/node.h"

#include <bit>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "keelson/api/box.h"
#include "keelson/api/json.h"
#include "keelson/api/list.h"
#include "keelson/api/sharing.h"

namespace keelson::internal {

namespace {

Node*& NodeAt(void* slot) { return *static_cast<Node**>(slot); }

const Type& JsonContentType(const Json& value) {
  return value.is_list() ? Describe<JsonList>::type : Describe<JsonObject>::type;
}

// Calls visit(type, address) for what may own memory in a struct without ops.
template <class Visit>
void ForEachOwningPart(const Type& type, void* value, Visit visit) {
  auto* bytes = static_cast<std::byte*>(value);
  for (const OwningPart& part : type.owning_parts) {
    if (NodeAt(bytes + part.offset) != nullptr) visit(*part.type, bytes + part.offset);
  }
  if (!type.owning_parts.empty()) return;
  for (const Field& field : type.fields) visit(*field.type, bytes + field.offset);
}

// Releases what values hold without recursing through nodes: a chain of a million nodes needs no deep stack.
class Reaper {
 public:
  void Drop(const Type& type, Node* node) {
    if (node != nullptr && DropReference(node)) Add(type, node);
  }

  void DropString(Node* node) {
    if (node != nullptr && DropReference(node)) FreeStringNode(node);
  }

  void DropValue(const Type& type, void* value) {
    if (type.ops != nullptr) return DestroyByItself(type, value);
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
      case Kind::kIntOrString:  // its text comes first
        return DropString(NodeAt(value));
      case Kind::kFieldsV1: return Drop(Describe<List<String>>::type, NodeAt(value));
      case Kind::kJson: {
        auto* json = static_cast<Json*>(value);
        Node* node = NodeAt(static_cast<std::byte*>(value) + sizeof(uint64_t));
        if (json->is_string()) return DropString(node);
        if (json->is_list() || json->is_object()) Drop(JsonContentType(*json), node);
        return;
      }
      case Kind::kStruct:
      case Kind::kUnion:
        ForEachOwningPart(type, value, [&](const Type& part, void* at) {
          if (&part == &Describe<String>::type) return DropString(NodeAt(at));  // most of them
          DropValue(part, at);
        });
        return;
      case Kind::kOptional:
        if (type.element->is_struct()) return Drop(*type.element, NodeAt(value));
        return DropValue(*type.element, value);
      case Kind::kList:
      case Kind::kMap: return Drop(type, NodeAt(value));
    }
  }

  // Until nothing is pending.
  void Run() {
    while (count_ > 0 || !spilled_.empty()) {
      const Pending next = spilled_.empty() ? pending_[--count_] : spilled_.back();
      if (!spilled_.empty()) spilled_.pop_back();
      FreeOne(*next.type, next.node);
    }
  }

  // The reaper that is running a C++ destructor on this thread, or null.
  static Reaper* Running() { return running_; }
  void Add(const Type& type, Node* node) {
    if (count_ < kInPlace) {
      pending_[count_++] = {&type, node};
    } else {
      spilled_.push_back({&type, node});
    }
  }

  void FreeOne(const Type& type, Node* node) {
    if (node->frozen()) ForgetSharedNode(type, node);
    if (type.kind == Kind::kList) {
      DropSlots(*type.element, node->payload(), SlotSize(*type.element), node->length());
    } else if (type.kind == Kind::kMap) {
      const size_t step = MapEntrySize(*type.element);
      for (size_t i = 0; i < node->length(); ++i) DropString(NodeAt(node->payload() + i * step));
      DropSlots(*type.element, node->payload() + sizeof(Node*), step, node->length());
    } else {
      DropValue(type, node->payload());
    }
    GiveNodeMemory(node);
  }

 private:
  struct Pending {
    const Type* type;
    Node* node;
  };

  // A user's struct has a destructor; nodes that its members let go are left to this reaper, so that a long chain of
  // such structs needs no deep stack either.
  void DestroyByItself(const Type& type, void* value) {
    Reaper* const before = std::exchange(running_, this);
    type.ops->destroy(value);
    running_ = before;
  }

  void DropSlots(const Type& element, std::byte* first, size_t step, size_t count) {
    for (size_t i = 0; i < count; ++i, first += step) {
      if (element.is_struct()) {
        Drop(element, NodeAt(first));
      } else {
        DropValue(element, first);
      }
    }
  }

  static thread_local Reaper* running_;

  // Enough for most objects without a trip to the heap.
  static constexpr size_t kInPlace = 32;
  Pending pending_[kInPlace];
  size_t count_ = 0;
  std::vector<Pending> spilled_;
};

thread_local Reaper* Reaper::running_ = nullptr;

// The bytes at `value` are a copy of another value's: takes references of its own for every handle in them.
void AdoptCopiedBytes(const Type& type, void* value);

void AdoptNode(const Type& type, void* slot) { NodeAt(slot) = ShareNode(type, NodeAt(slot)); }

void AdoptString(void* slot) {
  if (Node* node = NodeAt(slot)) node->references.fetch_add(1, std::memory_order_relaxed);
}

void AdoptCopiedBytes(const Type& type, void* value) {
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
    case Kind::kIntOrString: return AdoptString(value);
    case Kind::kFieldsV1: return AdoptNode(Describe<List<String>>::type, value);
    case Kind::kJson: {
      const auto* json = static_cast<const Json*>(value);
      void* slot = static_cast<std::byte*>(value) + sizeof(uint64_t);
      if (json->is_string()) return AdoptString(slot);
      if (json->is_list() || json->is_object()) AdoptNode(JsonContentType(*json), slot);
      return;
    }
    case Kind::kStruct:
    case Kind::kUnion:
      ForEachOwningPart(type, value, [](const Type& part, void* at) { AdoptCopiedBytes(part, at); });
      return;
    case Kind::kOptional:
      if (type.element->is_struct()) return AdoptNode(*type.element, value);
      return AdoptCopiedBytes(*type.element, value);
    case Kind::kList:
    case Kind::kMap: return AdoptNode(type, value);
  }
}

// Copies list or map slots into raw memory.
void CopySlots(const Type& element, std::byte* to, const std::byte* from, size_t step, size_t count) {
  for (size_t i = 0; i < count; ++i, to += step, from += step) {
    if (element.is_struct()) {
      NodeAt(to) = ShareNode(element, *reinterpret_cast<Node* const*>(from));
    } else {
      CopyValue(element, to, from);
    }
  }
}

size_t Capacity(const Node* node) {
  return (node->bits & Node::kExact) != 0 ? node->length() : CapacityFor(node->length());
}

size_t StepOf(const Type& type) {
  return type.kind == Kind::kMap ? MapEntrySize(*type.element) : SlotSize(*type.element);
}

}  // namespace

void ThrowNodeTooLong(size_t length) {
  throw std::length_error("a string, list or map of " + std::to_string(length) +
                          " elements is longer than the limit of " + std::to_string(kMaxNodeLength));
}

void DieOnEmptyAccess(const char* what) {
  std::fprintf(stderr, "keelson: %s was read without asking whether it is there\n", what);
  std::abort();
}

void MakePresent(void* handle) {
  // Never freed: this first reference is never given back.
  static Node* const empty = AllocateNode(NodeKind::kString, 0, 0, Node::kExact);
  if (NodeAt(handle) != nullptr) return;
  empty->references.fetch_add(1, std::memory_order_relaxed);
  NodeAt(handle) = empty;
}

size_t CapacityFor(size_t length) { return std::bit_ceil(length == 0 ? size_t{1} : length); }

uint32_t TypeId(const Type& type) {
  // Distinct for all tables within 512 MiB of each other, which is any one program or library.
  return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(&type) >> 3) & Node::kLengthMask;
}

void FreeNode(const Type& type, Node* node) {
  if (Reaper* running = Reaper::Running()) return running->Add(type, node);
  Reaper reaper;
  reaper.FreeOne(type, node);
  reaper.Run();
}

void FreeStringNode(Node* node) {
  if (node->frozen()) ForgetSharedNode(Describe<String>::type, node);
  GiveNodeMemory(node);
}

Node* NewStructNode(const Type& type) {
  Node* node = AllocateNode(NodeKind::kStruct, type.size, 0, 0);
  ConstructValue(type, node->payload());
  return node;
}

Node* NewListNode(const Type& list, size_t capacity) {
  return AllocateNode(NodeKind::kList, CapacityFor(capacity) * StepOf(list), 0, 0);
}

Node* NewMapNode(const Type& map, size_t capacity) {
  return AllocateNode(NodeKind::kMap, CapacityFor(capacity) * StepOf(map), 0, 0);
}

namespace {

// Where elements may point into themselves, as a short std::string does, the bytes cannot just move.
Node* GrowManagedNode(const Type& type, Node* node, size_t wanted) {
  const size_t step = StepOf(type);
  const size_t length = node->length();
  Node* grown = AllocateNode(node->kind(), CapacityFor(wanted) * step, length, node->bits & Node::kExposed);
  const size_t key = type.kind == Kind::kMap ? sizeof(Node*) : 0;
  for (size_t i = 0; i < length; ++i) {
    std::byte* to = grown->payload() + i * step;
    std::byte* from = node->payload() + i * step;
    std::memcpy(to, from, key);
    RelocateSlot(*type.element, to + key, from + key);
  }
  GiveNodeMemory(node);
  return grown;
}

}  // namespace

Node* GrowNode(const Type& type, Node* node) {
  if (Capacity(node) > node->length()) return node;
  const size_t wanted = size_t{node->length()} + 1;
  if (wanted > kMaxNodeLength) ThrowNodeTooLong(wanted);
  if (!type.element->is_struct() && IsManaged(*type.element)) return GrowManagedNode(type, node, wanted);
  auto* grown = static_cast<Node*>(GrowNodeMemory(node, sizeof(Node) + CapacityFor(wanted) * StepOf(type)));
  grown->bits &= ~Node::kExact;
  return grown;
}

Node* CloneNode(const Type& type, const Node* source) {
  const size_t length = source->length();
  if (type.kind == Kind::kList) {
    Node* node = NewListNode(type, length);
    CopySlots(*type.element, node->payload(), source->payload(), SlotSize(*type.element), length);
    node->set_length(static_cast<uint32_t>(length));
    return node;
  }
  if (type.kind == Kind::kMap) {
    Node* node = NewMapNode(type, length);
    const size_t step = MapEntrySize(*type.element);
    for (size_t i = 0; i < length; ++i) {
      CopyValue(Describe<String>::type, node->payload() + i * step, source->payload() + i * step);
    }
    CopySlots(*type.element, node->payload() + sizeof(Node*), source->payload() + sizeof(Node*), step, length);
    node->set_length(static_cast<uint32_t>(length));
    return node;
  }
  Node* node = AllocateNode(NodeKind::kStruct, type.size, 0, 0);
  CopyValue(type, node->payload(), source->payload());
  return node;
}

void ConstructValue(const Type& type, void* value) {
  if (type.ops != nullptr) return type.ops->construct(value);
  std::memset(value, 0, type.size);
  if (IsManaged(type)) ConstructValue(*type.element, value);  // in an Optional, absent
}

void CopyValue(const Type& type, void* to, const void* from) {
  if (type.ops != nullptr) return type.ops->copy(to, from);
  std::memcpy(to, from, type.size);
  if (IsManaged(type)) return CopyValue(*type.element, to, from);  // in an Optional, whose mark is copied by now
  AdoptCopiedBytes(type, to);
}

void RelocateValue(const Type& type, void* to, void* from) {
  if (type.ops != nullptr) {
    type.ops->move(to, from);
    type.ops->destroy(from);
    return;
  }
  std::memcpy(to, from, type.size);
  if (IsManaged(type)) RelocateValue(*type.element, to, from);
}

void RelocateSlot(const Type& element, void* to, void* from) {
  if (element.is_struct()) {
    NodeAt(to) = NodeAt(from);
  } else {
    RelocateValue(element, to, from);
  }
}

void DestroyValue(const Type& type, void* value) {
  Reaper reaper;
  reaper.DropValue(type, value);
  reaper.Run();
}

}  // namespace keelson::internal
