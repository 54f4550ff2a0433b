// The values that CEL expressions work on.
//
//   Arena arena;
//   Value self = UntypedShape().Wrap(content, arena);          // a view: nothing is converted
//   Value name = Value::OfString("web");
//   if (Value out; FindMember(self, name, arena, &out) == Lookup::kFound) …
//
// A Value is 24 bytes, copied as bytes, and owns nothing: what it points to is in the document, in the program's
// constants, or in the Arena of the evaluation, and must outlive it. A document's lists and objects stay where they
// are; the Shape beside them says, place by place, as what CEL sees the JSON found there.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "keelson/api/json.h"

namespace keelson::apiserver::cel {

class Opaque;
class Shape;
class Value;
struct MapEntry;
struct MapTable;

// Memory for the values that one evaluation makes, freed together. Not thread-safe.
class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena() { Clear(); }

  void* Allocate(size_t bytes);  // aligned to 8
  std::string_view Copy(std::string_view text);
  template <class T>
  T* Array(size_t count) {
    static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= 8);
    return static_cast<T*>(Allocate(count * sizeof(T)));
  }
  // An object that lives as long as the arena's content; its destructor runs.
  template <class T, class... Args>
  T* New(Args&&... args) {
    static_assert(alignof(T) <= 8);
    T* object = new (Allocate(sizeof(T))) T(std::forward<Args>(args)...);
    if constexpr (!std::is_trivially_destructible_v<T>) {
      owned_.push_back({object, [](void* at) { static_cast<T*>(at)->~T(); }});
    }
    return object;
  }

  // Bytes given out, and steps of hidden loops (the items that a comparison went through), since the last Clear.
  size_t used() const { return used_; }
  void AddWork(size_t steps) { work_ += steps; }
  // So much of either that evaluation should stop: an expression, or a document made for it, means harm.
  bool exhausted() const { return used_ > kMaxBytes || work_ > kMaxWork; }
  // Forgets everything; keeps the first block for the next evaluation.
  void Clear();

 private:
  struct Owned {
    void* object;
    void (*destroy)(void*);
  };

  static constexpr size_t kMaxBytes = size_t{256} << 20;
  static constexpr size_t kMaxWork = 50'000'000;

  char* at_ = nullptr;
  char* end_ = nullptr;
  size_t used_ = 0;
  size_t work_ = 0;
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::vector<Owned> owned_;
};

enum class ValueKind : uint8_t {
  kError,
  kNull,
  kBool,
  kInt,
  kUint,
  kDouble,
  kString,
  kBytes,
  kTimestamp,
  kDuration,
  kList,
  kMap,  // objects with fields as well
  kType,
  kOptional,
  kOpaque,  // of a library: a URL, an IP address
};

class Value {
 public:
  Value() = default;  // null
  static Value Null() { return {}; }
  static Value OfBool(bool value) { return Value(ValueKind::kBool, value ? 1 : 0); }
  static Value OfInt(int64_t value) { return Value(ValueKind::kInt, static_cast<uint64_t>(value)); }
  static Value OfUint(uint64_t value) { return Value(ValueKind::kUint, value); }
  static Value OfDouble(double value) { return Value(ValueKind::kDouble, std::bit_cast<uint64_t>(value)); }
  // These view their argument: of something that lives on, or of Arena::Copy.
  static Value OfString(std::string_view text) { return OfText(ValueKind::kString, text); }
  static Value OfBytes(std::string_view bytes) { return OfText(ValueKind::kBytes, bytes); }
  static Value OfType(std::string_view name) { return OfText(ValueKind::kType, name); }  // "int", "list", "net.IP"
  static Value OfError(std::string_view message) { return OfText(ValueKind::kError, message); }
  // An error that tells of a value that no overload takes.
  static Value NoSuchOverload() { return OfError("no such overload"); }
  // Seconds since 1970 and 0…999,999,999 ns; the offset from UTC that the text had matters for string() alone.
  static Value OfTimestamp(int64_t seconds, uint32_t nanos, int16_t offset_minutes = 0) {
    Value value(ValueKind::kTimestamp, static_cast<uint64_t>(seconds));
    value.size_ = nanos;
    value.offset_minutes_ = offset_minutes;
    return value;
  }
  static Value OfDuration(int64_t nanos) { return Value(ValueKind::kDuration, static_cast<uint64_t>(nanos)); }
  // `items` lives on. With a shape, equality and `+` follow the shape's list type.
  static Value OfList(std::span<const Value> items, const Shape* shape = nullptr) {
    Value value(ValueKind::kList, Address(items.data()), shape);
    value.size_ = static_cast<uint32_t>(items.size());
    return value;
  }
  // Entries with distinct keys, in the order of iteration. For many of them use a MapBuilder (map_builder.h).
  static Value OfMap(std::span<const MapEntry> entries, const MapTable* table = nullptr) {
    Value value(ValueKind::kMap, Address(entries.data()));
    value.size_ = static_cast<uint32_t>(entries.size());
    value.table_ = table;
    return value;
  }
  // A list or an object of a document, seen through a shape.
  static Value OfJson(const Json& json, const Shape& shape) {
    Value value(json.is_list() ? ValueKind::kList : ValueKind::kMap, Address(&json), &shape);
    value.is_json_ = true;
    return value;
  }
  static Value None() { return Value(ValueKind::kOptional, 0); }
  static Value OfOptional(const Value* value) { return Value(ValueKind::kOptional, Address(value)); }
  static Value OfOpaque(const Opaque* object) { return Value(ValueKind::kOpaque, Address(object)); }

  ValueKind kind() const { return kind_; }
  bool is(ValueKind kind) const { return kind_ == kind; }
  bool is_error() const { return kind_ == ValueKind::kError; }
  bool is_null() const { return kind_ == ValueKind::kNull; }
  bool is_bool() const { return kind_ == ValueKind::kBool; }
  bool is_int() const { return kind_ == ValueKind::kInt; }
  bool is_string() const { return kind_ == ValueKind::kString; }
  bool is_list() const { return kind_ == ValueKind::kList; }
  bool is_map() const { return kind_ == ValueKind::kMap; }
  bool is_number() const {
    return kind_ == ValueKind::kInt || kind_ == ValueKind::kUint || kind_ == ValueKind::kDouble;
  }
  bool is_true() const { return kind_ == ValueKind::kBool && bits_ != 0; }

  // Each expects its kind and does not check it.
  bool boolean() const { return bits_ != 0; }
  int64_t integer() const { return static_cast<int64_t>(bits_); }
  uint64_t uinteger() const { return bits_; }
  double number() const { return std::bit_cast<double>(bits_); }
  std::string_view text() const { return {At<const char>(), size_}; }  // string, bytes, type's name, error's message
  int64_t seconds() const { return static_cast<int64_t>(bits_); }      // of a timestamp
  uint32_t nanos() const { return size_; }
  int offset_minutes() const { return offset_minutes_; }
  int64_t duration() const { return static_cast<int64_t>(bits_); }  // nanoseconds
  const Value* optional() const { return At<const Value>(); }       // null: none
  const Opaque* opaque() const { return At<const Opaque>(); }

  // Lists and maps: of a document, or of values.
  bool is_json() const { return is_json_; }
  const Json& json() const { return *At<const Json>(); }
  // Null for maps that are not of a document; for lists that are not, perhaps.
  const Shape* shape() const { return kind_ == ValueKind::kMap && !is_json_ ? nullptr : shape_; }
  // Of a map of values; null when it has none.
  const MapTable* table() const { return is_json_ ? nullptr : table_; }
  std::span<const Value> items() const;
  std::span<const MapEntry> entries() const;

 private:
  friend class ListBuilder;
  friend class MapBuilder;

  Value(ValueKind kind, uint64_t bits, const Shape* shape = nullptr) : kind_(kind), bits_(bits), shape_(shape) {}
  static Value OfText(ValueKind kind, std::string_view text) {
    Value value(kind, Address(text.data()));
    value.size_ = static_cast<uint32_t>(text.size());
    return value;
  }
  static uint64_t Address(const void* pointer) { return std::bit_cast<uint64_t>(pointer); }
  template <class T>
  T* At() const {
    return std::bit_cast<T*>(bits_);
  }

  ValueKind kind_ = ValueKind::kNull;
  bool is_json_ = false;
  int16_t offset_minutes_ = 0;  // of a list: whether a ListBuilder made its memory
  uint32_t size_ = 0;
  uint64_t bits_ = 0;
  union {
    const Shape* shape_ = nullptr;
    const MapTable* table_;
  };
};
static_assert(sizeof(Value) == 24 && std::is_trivially_copyable_v<Value>);

struct MapEntry {
  Value key;
  Value value;
};

inline std::span<const Value> Value::items() const { return {At<const Value>(), size_}; }
inline std::span<const MapEntry> Value::entries() const { return {At<const MapEntry>(), size_}; }

// A value of a library's own type. Immutable; made with Arena::New.
class Opaque {
 public:
  virtual ~Opaque() = default;
  virtual std::string_view TypeName() const = 0;  // "net.IP"
  // `other` is of any kind. A bool or an error.
  virtual Value Equal(const Value& other) const = 0;
  // What string() gives; an error unless the type has a text.
  virtual Value ToText(Arena& arena) const;
  // Of `<` and its like: an int below, at or above 0, or an error.
  virtual Value Compare(const Value& other) const;
  // What cost counts for it: 1 unless it has a length.
  virtual uint64_t CostSize() const { return 1; }
};

// As what CEL sees the JSON at one place of a document. One implementation follows the schema of a custom resource;
// this base class sees every JSON value as it is, members of any name. Immutable, thread-safe.
class Shape {
 public:
  virtual ~Shape() = default;

  // The value of JSON that has this shape: a view, a scalar, or an error where the JSON is not of the shape.
  virtual Value Wrap(const Json& json, Arena& arena) const;
  // An item of a list of this shape.
  virtual Value WrapItem(const Json& item, Arena& arena) const { return Wrap(item, arena); }
  // The member that CEL knows by this name; false when there is none.
  virtual bool Find(const JsonObject& object, std::string_view name, Arena& arena, Value* out) const;
  // As what CEL iterates over a member of this key; false: it is not seen.
  virtual bool NameOfKey(std::string_view key, Arena& arena, std::string_view* name) const;

  // Whether a key that is no string is an error, rather than of no member.
  virtual bool KeysAreStrings() const { return false; }

  // `list` has this shape, `other` is any value. By default in order, item by item.
  virtual Value ListsEqual(const Value& list, const Value& other, Arena& arena) const;
  // `list` has this shape, `other` is any list.
  virtual Value AddLists(const Value& list, const Value& other, Arena& arena) const;
  // `map` has this shape, `other` is any value. By default the same keys with equal values.
  virtual Value MapsEqual(const Value& map, const Value& other, Arena& arena) const;
};

// The shape of anything: JSON as it is.
const Shape& UntypedShape();

// --- What one can do with values of any make. ---

// "int", "list", "google.protobuf.Timestamp", an opaque type's name.
std::string_view TypeName(const Value& value);

// Of a list: how many items; of a map: how many entries; else 0.
size_t Length(const Value& value);
// `index` is below Length. What is no list comes back as it is.
Value ItemAt(const Value& list, size_t index, Arena& arena);

enum class Lookup : uint8_t { kFound, kMissing, kError };  // kError: `out` is the error
Lookup FindMember(const Value& map, const Value& key, Arena& arena, Value* out);

// The keys of a map in its order of iteration.
std::span<const Value> KeysOf(const Value& map, Arena& arena);

// A bool; numbers compare across their types, values of different kinds are unequal. Seldom an error.
Value Equal(const Value& a, const Value& b, Arena& arena);
// An int below, at or above 0; an error when the two have no order.
Value Compare(const Value& a, const Value& b);

// Code points of a UTF-8 text; a byte that is no part of one counts as one.
size_t CodePoints(std::string_view text);

// What cost functions call the size of a value: length of text, lists and maps, 1 for the rest.
uint64_t CostSize(const Value& value);

// An error with this message, which is copied.
Value MakeError(Arena& arena, std::string_view message);

// For messages, as cel-go prints a value with %v: numbers, text bare, lists and maps with brackets.
std::string DebugText(const Value& value, Arena& arena);

}  // namespace keelson::apiserver::cel
