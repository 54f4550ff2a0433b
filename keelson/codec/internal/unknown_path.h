// How fields that a type does not know are filed in ObjectMeta::unknownFields, shared by all readers and writers.
//
// The key of an entry is the path of the struct that held the field, a mark for the format, and for JSON the field's
// name; the value is the bytes as they came. Elements of list-maps are named by their keys, so the entry follows its
// element when the list changes; elements of other lists by position. An entry is written back only in the format it
// came in.
//
//   path                    steps, each behind kStep: a field's JSON name, "[name=app]", "[2]", "{map key}"
//   path kJsonMark name     one field: its JSON value
//   path kProtobufMark      all unknown fields of that message, tags included, in the order they came
#pragma once

#include <string>
#include <string_view>

#include "keelson/api/type.h"
#include "keelson/api/values.h"

namespace keelson::internal {

inline constexpr char kStep = '\x1f';
inline constexpr char kJsonMark = '\x1e';
inline constexpr char kProtobufMark = '\x1d';

void AppendFieldStep(std::string& path, std::string_view name);
// `field` is the list's own field, which says whether elements have keys.
void AppendElementStep(std::string& path, const Field& field, const Type& element_type, const void* element,
                       size_t index);
void AppendEntryStep(std::string& path, std::string_view key);

// Where a root object keeps them: null when the type has no ObjectMeta.
const UnknownFields* FindUnknownFields(const Type& root, const void* object);
UnknownFields* FindUnknownFields(const Type& root, void* object);

}  // namespace keelson::internal
