#include "keelson/api/access.h"

#include <algorithm>
#include <cstring>

#include "keelson/api/json.h"
#include "keelson/api/raw.h"
#include "keelson/api/string.h"

namespace keelson {

using internal::MapEntrySize;
using internal::Node;
using internal::SlotSize;

namespace {

Node*& NodeAt(void* slot) { return *static_cast<Node**>(slot); }
Node* NodeAt(const void* slot) { return *static_cast<Node* const*>(slot); }

// From a slot to the value in it: structs have a node of their own.
const void* InSlot(const Type& element, const std::byte* slot) {
  return element.is_struct() ? static_cast<const void*>(NodeAt(slot)->payload()) : slot;
}
void* WriteInSlot(const Type& element, std::byte* slot) {
  if (!element.is_struct()) return slot;
  Node*& node = NodeAt(static_cast<void*>(slot));
  node = internal::DetachNode(element, node);
  return node->payload();
}
void ConstructInSlot(const Type& element, std::byte* slot) {
  if (element.is_struct()) {
    NodeAt(static_cast<void*>(slot)) = internal::NewStructNode(element);
  } else {
    internal::ConstructValue(element, slot);
  }
}

std::string_view KeyAt(const std::byte* entry) { return reinterpret_cast<const String*>(entry)->view(); }

struct EntryPosition {
  size_t index;
  bool found;
};

EntryPosition FindEntry(const Node* node, size_t step, std::string_view key) {
  size_t low = 0;
  size_t high = node->length();
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (KeyAt(node->payload() + middle * step) < key) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return {low, low < node->length() && KeyAt(node->payload() + low * step) == key};
}

// Moves map entries by one place, where the two ranges overlap; what they leave is raw memory.
void MoveEntries(const Type& map, std::byte* to, std::byte* from, size_t count) {
  const size_t step = MapEntrySize(*map.element);
  if (!internal::IsManaged(*map.element) || map.element->is_struct()) {
    std::memmove(to, from, count * step);
    return;
  }
  for (size_t i = 0; i < count; ++i) {
    const size_t offset = (to < from ? i : count - 1 - i) * step;
    std::memcpy(to + offset, from + offset, sizeof(Node*));
    internal::RelocateSlot(*map.element, to + offset + sizeof(Node*), from + offset + sizeof(Node*));
  }
}

}  // namespace

std::string_view ReadString(const Type& type, const void* value) {
  if (type.ops != nullptr) return type.ops->string_get(value);
  const Node* node = NodeAt(value);
  if (node == nullptr) return {};
  return {reinterpret_cast<const char*>(node->payload()), node->length()};
}

bool WriteString(const Type& type, void* value, std::string_view text) {
  if (type.ops != nullptr) return type.ops->string_set(value, text);
  *static_cast<String*>(value) = String(text);
  return true;
}

const void* ReadOptional(const Type& type, const void* value) {
  if (type.ops != nullptr) return type.ops->optional_get(value);
  if (type.storage == Storage::kNode) {
    const Node* node = NodeAt(value);
    if (node == nullptr) return nullptr;
    return type.element->is_struct() ? static_cast<const void*>(node->payload()) : value;
  }
  const auto* bytes = static_cast<const std::byte*>(value);
  return bytes[type.element->size] == std::byte{0} ? nullptr : value;
}

void* EnsureOptional(const Type& type, void* value) {
  if (type.ops != nullptr) {
    const void* present = type.ops->optional_get(value);
    return present != nullptr ? const_cast<void*>(present) : type.ops->optional_emplace(value);
  }
  if (type.storage == Storage::kNode && !type.element->is_struct()) {
    internal::MakePresent(value);
    return value;
  }
  if (type.storage == Storage::kNode) {
    Node*& node = NodeAt(value);
    node = node == nullptr ? internal::NewStructNode(*type.element) : internal::DetachNode(*type.element, node);
    return node->payload();
  }
  static_cast<std::byte*>(value)[type.element->size] = std::byte{1};
  return value;
}

size_t Length(const Type& type, const void* value) {
  if (type.ops != nullptr) return type.ops->size(value);
  const Node* node = NodeAt(value);
  return node == nullptr ? 0 : node->length();
}

const void* ReadElement(const Type& type, const void* value, size_t index) {
  if (type.ops != nullptr) return type.ops->list_at(value, index);
  return InSlot(*type.element, NodeAt(value)->payload() + index * SlotSize(*type.element));
}

void* WriteElement(const Type& type, void* value, size_t index) {
  if (type.ops != nullptr) return const_cast<void*>(type.ops->list_at(value, index));
  Node*& node = NodeAt(value);
  node = internal::DetachNode(type, node);
  return WriteInSlot(*type.element, node->payload() + index * SlotSize(*type.element));
}

void* AppendElement(const Type& type, void* value) {
  if (type.ops != nullptr) return type.ops->list_append(value);
  Node*& node = NodeAt(value);
  node = node == nullptr ? internal::NewListNode(type, 1) : internal::GrowNode(type, internal::DetachNode(type, node));
  std::byte* slot = node->payload() + node->length() * SlotSize(*type.element);
  ConstructInSlot(*type.element, slot);
  node->set_length(node->length() + 1);
  return WriteInSlot(*type.element, slot);
}

void VisitEntries(const Type& type, const void* value, EntryVisitor visit, void* context) {
  if (type.ops != nullptr) return type.ops->map_each(value, visit, context);
  const Node* node = NodeAt(value);
  if (node == nullptr) return;
  const size_t step = MapEntrySize(*type.element);
  const std::byte* entry = node->payload();
  for (size_t i = 0; i < node->length(); ++i, entry += step) {
    if (!visit(context, KeyAt(entry), InSlot(*type.element, entry + sizeof(Node*)))) return;
  }
}

const void* ReadEntry(const Type& type, const void* value, std::string_view key) {
  if (type.ops != nullptr) return type.ops->map_find(value, key);
  const Node* node = NodeAt(value);
  if (node == nullptr) return nullptr;
  const size_t step = MapEntrySize(*type.element);
  const EntryPosition at = FindEntry(node, step, key);
  return at.found ? InSlot(*type.element, node->payload() + at.index * step + sizeof(Node*)) : nullptr;
}

void* EnsureEntry(const Type& type, void* value, std::string_view key) {
  if (type.ops != nullptr) return type.ops->map_insert(value, key);
  Node*& node = NodeAt(value);
  const size_t step = MapEntrySize(*type.element);
  node = node == nullptr ? internal::NewMapNode(type, 1) : internal::DetachNode(type, node);
  const EntryPosition at = FindEntry(node, step, key);
  if (!at.found) {
    String own_key(key);  // before the node moves: `key` may point into it
    node = internal::GrowNode(type, node);
    std::byte* entry = node->payload() + at.index * step;
    MoveEntries(type, entry + step, entry, node->length() - at.index);
    std::memset(entry, 0, step);
    new (entry) String(std::move(own_key));
    ConstructInSlot(*type.element, entry + sizeof(Node*));
    node->set_length(node->length() + 1);
  }
  return WriteInSlot(*type.element, node->payload() + at.index * step + sizeof(Node*));
}

bool EraseEntry(const Type& type, void* value, std::string_view key) {
  if (type.ops != nullptr) return type.ops->map_erase(value, key);
  Node*& node = NodeAt(value);
  if (node == nullptr) return false;
  const size_t step = MapEntrySize(*type.element);
  const EntryPosition at = FindEntry(node, step, key);
  if (!at.found) return false;
  node = internal::DetachNode(type, node);
  std::byte* entry = node->payload() + at.index * step;
  reinterpret_cast<String*>(entry)->~String();
  if (type.element->is_struct()) {
    internal::ReleaseNode(*type.element, NodeAt(static_cast<void*>(entry + sizeof(Node*))));
  } else {
    internal::DestroyValue(*type.element, entry + sizeof(Node*));
  }
  MoveEntries(type, entry, entry + step, node->length() - at.index - 1);
  node->set_length(node->length() - 1);
  return true;
}

void ResetValue(const Type& type, void* value) {
  internal::DestroyValue(type, value);
  internal::ConstructValue(type, value);
}

void AssignValue(const Type& type, void* value, const void* other) {
  AnyValue copy(type);
  internal::DestroyValue(type, copy.data());
  internal::CopyValue(type, copy.data(), other);  // first, in case `other` is a part of `value`
  internal::DestroyValue(type, value);
  internal::RelocateValue(type, value, copy.data());
  internal::ConstructValue(type, copy.data());
}

bool IsEmpty(const Type& type, const void* value) {
  switch (type.kind) {
    case Kind::kBool: return !*static_cast<const bool*>(value);
    case Kind::kInt32: return *static_cast<const int32_t*>(value) == 0;
    case Kind::kInt64: return *static_cast<const int64_t*>(value) == 0;
    case Kind::kDouble: return *static_cast<const double*>(value) == 0;
    case Kind::kString:
    case Kind::kBytes: return ReadString(type, value).empty();
    case Kind::kOptional: return ReadOptional(type, value) == nullptr;
    case Kind::kList:
    case Kind::kMap: return Length(type, value) == 0;
    case Kind::kJson: return static_cast<const Json*>(value)->is_null();
    case Kind::kTime:
    case Kind::kMicroTime:
    case Kind::kDuration:
    case Kind::kQuantity:
    case Kind::kIntOrString:
    case Kind::kRawExtension:
    case Kind::kFieldsV1:
    case Kind::kStruct:
    case Kind::kUnion: return false;
  }
  return false;
}

bool IsZero(const Type& type, const void* value) {
  if (type.is_struct()) {
    return std::all_of(type.fields.begin(), type.fields.end(),
                       [&](const Field& field) { return IsZero(*field.type, ReadField(field, value)); });
  }
  switch (type.kind) {
    case Kind::kTime:
    case Kind::kMicroTime:
    case Kind::kDuration: return *static_cast<const int64_t*>(value) == 0;
    case Kind::kRawExtension: return ReadString(type, value).empty();
    case Kind::kFieldsV1: return static_cast<const FieldsV1*>(value)->empty();
    case Kind::kQuantity:
    case Kind::kIntOrString: {
      static constexpr std::byte kZeros[16] = {};
      return std::memcmp(value, kZeros, sizeof kZeros) == 0;
    }
    default: return IsEmpty(type, value);
  }
}

AnyValue::AnyValue(const Type& type) : type_(&type), data_(::operator new(type.size)) {
  internal::ConstructValue(type, data_);
}
AnyValue::AnyValue(const AnyValue& other) : type_(other.type_), data_(::operator new(other.type_->size)) {
  internal::CopyValue(*type_, data_, other.data_);
}
AnyValue::AnyValue(AnyValue&& other) noexcept : type_(other.type_), data_(std::exchange(other.data_, nullptr)) {}
AnyValue& AnyValue::operator=(AnyValue other) noexcept {
  std::swap(type_, other.type_);
  std::swap(data_, other.data_);
  return *this;
}
AnyValue::~AnyValue() {
  if (data_ == nullptr) return;
  internal::DestroyValue(*type_, data_);
  ::operator delete(data_);
}

}  // namespace keelson
