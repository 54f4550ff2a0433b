// What the generic algorithms know about a type: one constant table.
//
// Every API type is a plain struct plus a `Type`: its fields with JSON name, protobuf number, offset, presence, list
// type and merge keys. JSON, protobuf, YAML, equality, hashing, diff, patches, field paths and shared storage are each
// one algorithm that reads these tables; nothing else is generated per type.
//
//   const Type& type = TypeOf<corev1::Pod>();
//   for (const Field& field : type.fields) Print(field.name, field.type->name);
//
// Tables are constants: initialised at compile time, never changed, safe to read from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace keelson {

struct Type;

// How a value behaves in every encoding. A kind with a C++ class of its own names it.
enum class Kind : uint8_t {
  kBool,
  kInt32,
  kInt64,
  kDouble,
  kString,        // String, std::string, enums
  kBytes,         // Bytes: base64 in JSON
  kTime,          // metav1::Time
  kMicroTime,     // metav1::MicroTime
  kDuration,      // metav1::Duration
  kQuantity,      // Quantity
  kIntOrString,   // IntOrString
  kRawExtension,  // RawExtension: any JSON document, kept as it came
  kFieldsV1,      // FieldsV1: a set of fields as JSON
  kJson,          // Json: a dynamic value
  kStruct,
  kUnion,     // a struct whose JSON form is that of one of its fields (JSONSchemaPropsOrBool)
  kOptional,  // Optional, std::optional
  kList,      // List, std::vector
  kMap,       // Map, std::map: keys are strings
};

// Where a value's bytes are.
enum class Storage : uint8_t {
  kInline,    // in place; all-zero bytes are the default value
  kNode,      // one pointer to a shared node; null is the default value
  kStandard,  // a class of the standard library or a user's struct: only `ops` may touch it
};

enum class ListType : uint8_t {
  kAtomic,  // replaced as a whole; also: not a list
  kSet,     // scalars that do not repeat
  kMap,     // structs told apart by Field::list_keys
};

// A name's first eight characters as a number: two names of one length that differ in it differ.
constexpr uint64_t NamePrefix(std::string_view name) {
  uint64_t prefix = 0;
  for (size_t i = 0; i < name.size() && i < 8; ++i) {
    prefix |= static_cast<uint64_t>(static_cast<unsigned char>(name[i])) << (8 * i);
  }
  return prefix;
}

// A field of a struct. `name` is the JSON name; the C++ member is at `offset`.
struct Field {
  std::string_view name;
  uint64_t prefix = NamePrefix(name);
  const Type* type;
  uint16_t offset;
  // Go's `omitempty`: an empty scalar, string, list, map or optional is left out of JSON. Structs never are.
  bool omit_empty = false;
  // Go's `omitzero`: left out when its own idea of zero says so (a zero Time).
  bool omit_zero = false;
  // For server-side apply and for naming elements in paths.
  ListType list_type = ListType::kAtomic;
  std::string_view list_keys = {};  // comma-separated JSON names: "containerPort,protocol"
  // For strategic merge patch; empty merge key with patch_merge: a merged list of scalars.
  bool patch_merge = false;
  bool patch_replace = false;  // an object that is replaced as a whole
  bool patch_retain_keys = false;
  std::string_view patch_merge_key = {};
  // A struct that Go treats as atomic in server-side apply (`x-kubernetes-map-type: atomic`).
  bool atomic = false;
  // Differs in nearly every object (names, uids): looking for an equal one to share would be wasted.
  bool unique = false;
  bool required = false;

  // Whether this is its name, when the prefixes are known to be equal.
  bool Is(std::string_view other) const { return name.size() == other.size() && (name.size() <= 8 || name == other); }
};

struct Message;

// One row of a protobuf message, in ascending order of `number`.
struct MessageRow {
  uint16_t number;
  uint16_t field = 0;               // index into Type::fields, when `nested` is null
  const Message* nested = nullptr;  // Go's inlined struct: flat in JSON and in C++, a message of its own on the wire
};

struct Message {
  std::span<const MessageRow> rows;
};

// A value inside a struct, at any depth of structs in place, that may own memory. Its first word is zero when it does
// not.
struct OwningPart {
  uint32_t offset;
  const Type* type;
};

// The operations of a value in Storage::kStandard. Members that do not apply to the type's kind are null.
struct TypeOps {
  void (*construct)(void* value);
  void (*copy)(void* to, const void* from);  // `to` is raw memory
  void (*move)(void* to, void* from);        // likewise; `from` stays to be destroyed
  void (*destroy)(void* value);

  std::string_view (*string_get)(const void* value) = nullptr;
  bool (*string_set)(void* value, std::string_view text) = nullptr;  // false: not one of Type::texts

  const void* (*optional_get)(const void* value) = nullptr;  // null when absent
  void* (*optional_emplace)(void* value) = nullptr;
  void (*optional_reset)(void* value) = nullptr;

  size_t (*size)(const void* value) = nullptr;  // of a list or map
  void (*clear)(void* value) = nullptr;
  const void* (*list_at)(const void* value, size_t index) = nullptr;
  void* (*list_append)(void* value) = nullptr;

  // Calls visit(context, key, element) in key order until it returns false.
  void (*map_each)(const void* value, bool (*visit)(void* context, std::string_view key, const void* element),
                   void* context) = nullptr;
  const void* (*map_find)(const void* value, std::string_view key) = nullptr;  // null when absent
  void* (*map_insert)(void* value, std::string_view key) = nullptr;  // the element of that key, made if it is not there
  bool (*map_erase)(void* value, std::string_view key) = nullptr;
};

struct Type {
  std::string_view name;  // "core/v1.Pod", "string", "list"
  Kind kind;
  Storage storage;
  uint32_t size;                  // sizeof the C++ type
  const Type* element = nullptr;  // of an optional, list or map
  std::span<const Field> fields = {};
  const Message* message = nullptr;  // null: has no protobuf form
  const TypeOps* ops = nullptr;      // set when storage is kStandard
  // Of a struct without ops: what copying and destroying must look at, and nothing else.
  std::span<const OwningPart> owning_parts = {};
  // Of a string that cannot have any other value: an enum (enum_type.h).
  std::span<const std::string_view> texts = {};
  // A list that is a message `{repeated items = 1}` on the wire, where Go's is plain (Verbs, ExtraValue).
  bool wrapped = false;
  // Set for root objects.
  std::string_view group = {};
  std::string_view version = {};
  std::string_view object_kind = {};

  bool is_root() const { return !object_kind.empty(); }
  bool is_struct() const { return kind == Kind::kStruct || kind == Kind::kUnion; }

  // The field of that JSON name, or null. Starts looking at `*hint` and leaves it behind the field found, so that a
  // document whose fields come in declaration order, as servers write them, is matched in one pass over the table.
  const Field* FindField(std::string_view field_name, uint64_t prefix, size_t* hint) const {
    const Field* const first = fields.data();
    const Field* const end = first + fields.size();
    const Field* const start = first + (*hint < fields.size() ? *hint : 0);
    for (const Field* field = start; field != end; ++field) {
      if (field->prefix == prefix && field->Is(field_name))
        return *hint = static_cast<size_t>(field + 1 - first), field;
    }
    for (const Field* field = first; field != start; ++field) {
      if (field->prefix == prefix && field->Is(field_name))
        return *hint = static_cast<size_t>(field + 1 - first), field;
    }
    return nullptr;
  }
  const Field* FindField(std::string_view field_name) const {
    size_t hint = 0;
    return FindField(field_name, NamePrefix(field_name), &hint);
  }
};

// Specialised for every described type: `static const Type type;`. Generated beside each struct.
template <class T>
struct Describe;

template <class T>
constexpr const Type& TypeOf() {
  return Describe<T>::type;
}

}  // namespace keelson
