// Reading and writing a value by its type alone, whether it is one of ours or of the standard library.
//
//   const Type& type = TypeOf<List<String>>();
//   for (size_t i = 0; i < Length(type, &args); ++i) Print(ReadString(*type.element, ReadElement(type, &args, i)));
//
// This is what the generic algorithms stand on; each function expects a value of the kinds its comment names. Pointers
// given out for writing are good until the next write to the same value and must not be kept: unlike the references
// that List, Map and Optional give out, they do not mark the node as exposed.
#pragma once

#include <cstddef>
#include <string_view>

#include "keelson/api/node.h"

namespace keelson {

// kString, kBytes, kRawExtension.
std::string_view ReadString(const Type& type, const void* value);
// False when the type has texts and this is none of them; the value stays as it was.
bool WriteString(const Type& type, void* value, std::string_view text);

// kOptional. Null when absent.
const void* ReadOptional(const Type& type, const void* value);
void* EnsureOptional(const Type& type, void* value);  // made first when absent

// kList, kMap.
size_t Length(const Type& type, const void* value);

// kList.
const void* ReadElement(const Type& type, const void* value, size_t index);
void* WriteElement(const Type& type, void* value, size_t index);
void* AppendElement(const Type& type, void* value);  // a default element at the end

// kMap. Entries come in key order.
using EntryVisitor = bool (*)(void* context, std::string_view key, const void* element);
void VisitEntries(const Type& type, const void* value, EntryVisitor visit, void* context);
// visit(key, element) → bool: whether to go on.
template <class Visit>
void ForEachEntry(const Type& type, const void* value, Visit visit) {
  VisitEntries(
      type, value,
      [](void* context, std::string_view key, const void* element) {
        return (*static_cast<Visit*>(context))(key, element);
      },
      &visit);
}
const void* ReadEntry(const Type& type, const void* value, std::string_view key);  // null when absent
void* EnsureEntry(const Type& type, void* value, std::string_view key);            // made first when absent
bool EraseEntry(const Type& type, void* value, std::string_view key);

// kStruct, kUnion.
inline const void* ReadField(const Field& field, const void* value) {
  return static_cast<const std::byte*>(value) + field.offset;
}
inline void* WriteField(const Field& field, void* value) { return static_cast<std::byte*>(value) + field.offset; }

// Any kind.
void ResetValue(const Type& type, void* value);                      // to its default
void AssignValue(const Type& type, void* value, const void* other);  // a copy that shares nodes

// What Go's `omitempty` leaves out: false, 0, "", an absent optional, an empty list or map. Never a struct.
bool IsEmpty(const Type& type, const void* value);
// What Go's `omitzero` and a strict reader would call unset: also a struct all of whose fields are unset.
bool IsZero(const Type& type, const void* value);

// A value of any described type, owned. For code that learns the type at run time.
class AnyValue {
 public:
  explicit AnyValue(const Type& type);
  AnyValue(const AnyValue& other);
  AnyValue(AnyValue&& other) noexcept;
  AnyValue& operator=(AnyValue other) noexcept;
  ~AnyValue();

  const Type& type() const { return *type_; }
  void* data() & { return data_; }
  const void* data() const& { return data_; }
  const void* data() && = delete;

 private:
  const Type* type_;
  void* data_;
};

}  // namespace keelson
