// A type's table as the protobuf reader wants it: one compact row for each field, found by its tag.
//
// The tables of types serve many algorithms and are spread over many cache lines; this keeps what reading looks at
// close together. Plans are made when a type is first met and kept by the reader.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "keelson/api/type.h"
#include "keelson/codec/internal/protobuf_wire.h"

namespace keelson::internal {

struct ProtobufPlan;

struct ProtobufRow {
  // What to do; kGeneral looks at the field's type. Those up to kInt64 hold no messages.
  enum class Step : uint8_t {
    kString,
    kBool,
    kInt32,
    kInt64,
    kStruct,
    kNested,
    kOptionalStruct,
    kOptionalScalar,
    kList,
    kMap,
    kTime,
    kGeneral,
    kEnd,
  };

  uint32_t tag;  // with the wire type that Kubernetes writes
  uint16_t offset;
  Step step;
  bool unique : 1;
  bool holds_struct : 1;  // is one, or is a list, map or optional of one
  // Of the struct in it, or of the nested message; null when there is none or it has not been met yet.
  mutable const ProtobufPlan* child;
  const Field* field;  // null for a nested message
  union {
    const Type* type;  // of the field
    const Message* nested;
  };
};

struct ProtobufPlan {
  const Type* type;
  bool keeps_unknown;             // it may: a root object with an ObjectMeta
  std::vector<ProtobufRow> rows;  // by ascending tag; the last one is a sentinel with the highest
};

class ProtobufPlans {
 public:
  // Of a struct. One without a protobuf form knows no field.
  const ProtobufPlan& Of(const Type& type) { return Of(type, type.message); }
  const ProtobufPlan& NestedIn(const ProtobufPlan& plan, const ProtobufRow& row) {
    if (row.child == nullptr) row.child = &Of(*plan.type, row.nested);
    return *row.child;
  }
  // Of the struct that is the row's field, its element, or what it may hold; null when there is none.
  const ProtobufPlan* StructIn(const ProtobufRow& row) {
    return row.child != nullptr || !row.holds_struct ? row.child : row.child = &Of(StructTypeIn(*row.type));
  }

 private:
  const ProtobufPlan& Of(const Type& type, const Message* message);
  static const Type& StructTypeIn(const Type& type) { return type.is_struct() ? type : *type.element; }

  std::unordered_map<const void*, std::unique_ptr<ProtobufPlan>> plans_;  // by message
};

}  // namespace keelson::internal
