#include "keelson/apiserver/cel/value.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "keelson/apiserver/cel/map_builder.h"
#include "keelson/core/internal/utf8.h"

namespace keelson::apiserver::cel {

namespace {

constexpr size_t kFirstBlock = 4096;
constexpr size_t kLargestBlock = size_t{1} << 20;

constexpr std::string_view kNanNotOrdered = "NaN values cannot be ordered";

int Order(double a, double b) { return a < b ? -1 : a > b ? 1 : 0; }
int Order(int64_t a, int64_t b) { return a < b ? -1 : a > b ? 1 : 0; }
int Order(uint64_t a, uint64_t b) { return a < b ? -1 : a > b ? 1 : 0; }
int Order(double a, int64_t b) {
  if (a < -0x1p63) return -1;
  if (a > 0x1p63) return 1;
  return Order(a, static_cast<double>(b));
}
int Order(double a, uint64_t b) {
  if (a < 0) return -1;
  if (a > 0x1p64) return 1;
  return Order(a, static_cast<double>(b));
}
int Order(int64_t a, uint64_t b) { return a < 0 ? -1 : Order(static_cast<uint64_t>(a), b); }

// Of two numbers of any types, none of which is NaN.
int OrderNumbers(const Value& a, const Value& b) {
  switch (a.kind()) {
    case ValueKind::kInt:
      switch (b.kind()) {
        case ValueKind::kInt: return Order(a.integer(), b.integer());
        case ValueKind::kUint: return Order(a.integer(), b.uinteger());
        default: return -Order(b.number(), a.integer());
      }
    case ValueKind::kUint:
      switch (b.kind()) {
        case ValueKind::kInt: return -Order(b.integer(), a.uinteger());
        case ValueKind::kUint: return Order(a.uinteger(), b.uinteger());
        default: return -Order(b.number(), a.uinteger());
      }
    default:
      switch (b.kind()) {
        case ValueKind::kInt: return Order(a.number(), b.integer());
        case ValueKind::kUint: return Order(a.number(), b.uinteger());
        default: return Order(a.number(), b.number());
      }
  }
}

bool IsNan(const Value& value) { return value.is(ValueKind::kDouble) && std::isnan(value.number()); }

Value ListsEqualInOrder(const Value& a, const Value& b, Arena& arena) {
  if (!b.is_list()) return Value::OfBool(false);
  const size_t length = Length(a);
  if (length != Length(b)) return Value::OfBool(false);
  for (size_t i = 0; i < length; ++i) {
    const Value equal = Equal(ItemAt(a, i, arena), ItemAt(b, i, arena), arena);
    if (equal.is_bool() && !equal.boolean()) return equal;
  }
  return Value::OfBool(true);
}

// Whether a member of one map is in the other with an equal value; an error counts as equal, as in cel-go.
bool MemberDiffers(const Value& key, const Value& mine, const Value& other_map, Arena& arena) {
  Value other;
  if (FindMember(other_map, key, arena, &other) == Lookup::kMissing) return true;
  const Value equal = Equal(mine, other, arena);
  return equal.is_bool() && !equal.boolean();
}

Value MapsEqualByKey(const Value& a, const Value& b, Arena& arena) {
  if (!b.is_map() || Length(a) != Length(b)) return Value::OfBool(false);
  if (!a.is_json()) {
    for (const MapEntry& entry : a.entries()) {
      if (MemberDiffers(entry.key, entry.value, b, arena)) return Value::OfBool(false);
    }
    return Value::OfBool(true);
  }
  for (const auto& [key, member] : a.json().object()) {
    std::string_view name;
    if (!a.shape()->NameOfKey(key, arena, &name)) continue;
    Value mine;
    if (!a.shape()->Find(a.json().object(), name, arena, &mine)) continue;
    if (MemberDiffers(Value::OfString(name), mine, b, arena)) return Value::OfBool(false);
  }
  return Value::OfBool(true);
}

}  // namespace

void* Arena::Allocate(size_t bytes) {
  bytes = (bytes + 7) & ~size_t{7};
  used_ += bytes;
  if (static_cast<size_t>(end_ - at_) < bytes) {
    const size_t grown = std::min(kFirstBlock << std::min<size_t>(blocks_.size(), 8), kLargestBlock);
    const size_t size = std::max(bytes, grown);
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(size));
    at_ = blocks_.back().get();
    end_ = at_ + size;
  }
  void* result = at_;
  at_ += bytes;
  return result;
}

std::string_view Arena::Copy(std::string_view text) {
  if (text.empty()) return {};
  char* copy = static_cast<char*>(Allocate(text.size()));
  std::memcpy(copy, text.data(), text.size());
  return {copy, text.size()};
}

void Arena::Clear() {
  for (auto owned = owned_.rbegin(); owned != owned_.rend(); ++owned) owned->destroy(owned->object);
  owned_.clear();
  used_ = 0;
  work_ = 0;
  if (blocks_.empty()) return;
  // A first block that a large object took is not worth keeping.
  if (blocks_.size() > 1 || static_cast<size_t>(end_ - blocks_.front().get()) > kFirstBlock) {
    blocks_.clear();
    at_ = end_ = nullptr;
    return;
  }
  at_ = blocks_.front().get();
}

Value Opaque::ToText(Arena& arena) const {
  return MakeError(arena, "type conversion error from '" + std::string(TypeName()) + "' to 'string'");
}

Value Opaque::Compare(const Value&) const { return Value::NoSuchOverload(); }

Value Shape::Wrap(const Json& json, Arena&) const {
  switch (json.kind()) {
    case Json::Kind::kNull: return Value::Null();
    case Json::Kind::kBool: return Value::OfBool(json.boolean());
    case Json::Kind::kInt: return Value::OfInt(json.integer());
    case Json::Kind::kDouble: return Value::OfDouble(json.number());
    case Json::Kind::kString: return Value::OfString(json.string().view());
    case Json::Kind::kList:
    case Json::Kind::kObject: return Value::OfJson(json, *this);
  }
  return Value::Null();
}

bool Shape::Find(const JsonObject& object, std::string_view name, Arena& arena, Value* out) const {
  const Json* member = object.find(name);
  if (member == nullptr) return false;
  *out = Wrap(*member, arena);
  return true;
}

bool Shape::NameOfKey(std::string_view key, Arena&, std::string_view* name) const {
  *name = key;
  return true;
}

Value Shape::ListsEqual(const Value& list, const Value& other, Arena& arena) const {
  return ListsEqualInOrder(list, other, arena);
}

Value Shape::AddLists(const Value& list, const Value& other, Arena& arena) const {
  return ListBuilder::Concatenate(arena, list, other);
}

Value Shape::MapsEqual(const Value& map, const Value& other, Arena& arena) const {
  return MapsEqualByKey(map, other, arena);
}

const Shape& UntypedShape() {
  static const Shape kShape;
  return kShape;
}

std::string_view TypeName(const Value& value) {
  switch (value.kind()) {
    case ValueKind::kError: return "error";
    case ValueKind::kNull: return "null_type";
    case ValueKind::kBool: return "bool";
    case ValueKind::kInt: return "int";
    case ValueKind::kUint: return "uint";
    case ValueKind::kDouble: return "double";
    case ValueKind::kString: return "string";
    case ValueKind::kBytes: return "bytes";
    case ValueKind::kTimestamp: return "google.protobuf.Timestamp";
    case ValueKind::kDuration: return "google.protobuf.Duration";
    case ValueKind::kList: return "list";
    case ValueKind::kMap: return "map";
    case ValueKind::kType: return "type";
    case ValueKind::kOptional: return "optional_type";
    case ValueKind::kOpaque: return value.opaque()->TypeName();
  }
  return "";
}

size_t Length(const Value& value) {
  if (value.is_json()) return value.is_list() ? value.json().list().size() : value.json().object().size();
  if (value.is_list()) return value.items().size();
  return value.is_map() ? value.entries().size() : 0;
}

Value ItemAt(const Value& list, size_t index, Arena& arena) {
  if (!list.is_list()) return list;
  if (list.is_json()) return list.shape()->WrapItem(list.json().list()[index], arena);
  return list.items()[index];
}

Lookup FindMember(const Value& map, const Value& key, Arena& arena, Value* out) {
  if (!map.is_json()) {
    const MapEntry* entry = MapBuilder::Find(map, key);
    if (entry == nullptr) return Lookup::kMissing;
    *out = entry->value;
  } else if (!key.is_string()) {
    if (!map.shape()->KeysAreStrings()) return Lookup::kMissing;
    *out = Value::NoSuchOverload();
  } else if (!map.shape()->Find(map.json().object(), key.text(), arena, out)) {
    return Lookup::kMissing;
  }
  return out->is_error() ? Lookup::kError : Lookup::kFound;
}

std::span<const Value> KeysOf(const Value& map, Arena& arena) {
  const size_t length = Length(map);
  arena.AddWork(length);
  auto* keys = arena.Array<Value>(length);
  size_t count = 0;
  if (!map.is_json()) {
    for (const MapEntry& entry : map.entries()) keys[count++] = entry.key;
    return {keys, count};
  }
  for (const auto& [key, member] : map.json().object()) {
    std::string_view name;
    if (map.shape()->NameOfKey(key, arena, &name)) keys[count++] = Value::OfString(name);
  }
  return {keys, count};
}

Value Equal(const Value& a, const Value& b, Arena& arena) {
  if (a.is_null() || b.is_null()) return Value::OfBool(a.is_null() && b.is_null());
  switch (a.kind()) {
    case ValueKind::kError: return a;
    case ValueKind::kInt:
    case ValueKind::kUint:
    case ValueKind::kDouble:
      if (!b.is_number() || IsNan(a) || IsNan(b)) return Value::OfBool(false);
      return Value::OfBool(OrderNumbers(a, b) == 0);
    case ValueKind::kList:
      arena.AddWork(1 + Length(a));
      if (arena.exhausted()) return Value::OfBool(false);
      if (a.shape() != nullptr) return a.shape()->ListsEqual(a, b, arena);
      return ListsEqualInOrder(a, b, arena);
    case ValueKind::kMap:
      arena.AddWork(1 + Length(a));
      if (arena.exhausted()) return Value::OfBool(false);
      if (a.is_json()) return a.shape()->MapsEqual(a, b, arena);
      return MapsEqualByKey(a, b, arena);
    case ValueKind::kOptional:
      if (!b.is(ValueKind::kOptional)) return Value::OfBool(false);
      if (a.optional() == nullptr || b.optional() == nullptr) {
        return Value::OfBool(a.optional() == nullptr && b.optional() == nullptr);
      }
      return Equal(*a.optional(), *b.optional(), arena);
    case ValueKind::kOpaque: return a.opaque()->Equal(b);
    default: return Value::OfBool(SameKey(a, b));
  }
}

Value Compare(const Value& a, const Value& b) {
  if (a.is_number()) {
    if (IsNan(a)) return Value::OfError(kNanNotOrdered);
    if (!b.is_number()) return Value::NoSuchOverload();
    if (IsNan(b)) return Value::OfError(kNanNotOrdered);
    return Value::OfInt(OrderNumbers(a, b));
  }
  if (a.is(ValueKind::kOpaque)) return a.opaque()->Compare(b);
  if (a.kind() != b.kind()) return Value::NoSuchOverload();
  switch (a.kind()) {
    case ValueKind::kBool:
      return Value::OfInt(Order(static_cast<int64_t>(a.boolean()), static_cast<int64_t>(b.boolean())));
    case ValueKind::kString:
    case ValueKind::kBytes: {
      const int order = a.text().compare(b.text());
      return Value::OfInt(order < 0 ? -1 : order > 0 ? 1 : 0);
    }
    case ValueKind::kDuration: return Value::OfInt(Order(a.duration(), b.duration()));
    case ValueKind::kTimestamp: {
      const int order = Order(a.seconds(), b.seconds());
      return Value::OfInt(order != 0 ? order : Order(int64_t{a.nanos()}, int64_t{b.nanos()}));
    }
    default: return Value::NoSuchOverload();
  }
}

size_t CodePoints(std::string_view text) {
  size_t count = 0;
  for (size_t i = 0; i < text.size();) {
    ++count;
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x80) {
      ++i;
      continue;
    }
    const internal::CodePoint point = internal::DecodeUtf8(text.substr(i, 4));
    i += point.length == 0 ? 1 : point.length;
  }
  return count;
}

uint64_t CostSize(const Value& value) {
  switch (value.kind()) {
    case ValueKind::kString: return CodePoints(value.text());
    case ValueKind::kBytes: return value.text().size();
    case ValueKind::kList:
    case ValueKind::kMap: return Length(value);
    case ValueKind::kOptional: return value.optional() == nullptr ? 1 : CostSize(*value.optional());
    case ValueKind::kOpaque: return value.opaque()->CostSize();
    default: return 1;
  }
}

Value MakeError(Arena& arena, std::string_view message) { return Value::OfError(arena.Copy(message)); }

}  // namespace keelson::apiserver::cel
