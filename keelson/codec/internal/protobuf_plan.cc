#include "keelson/codec/internal/protobuf_plan.h"

#include "keelson/api/access.h"
#include "keelson/codec/internal/protobuf_scalars.h"
#include "keelson/codec/internal/unknown_path.h"

namespace keelson::internal {

namespace {

using Step = ProtobufRow::Step;

Step StepFor(const Type& type) {
  if (type.ops != nullptr) return type.is_struct() ? Step::kStruct : Step::kGeneral;
  switch (type.kind) {
    case Kind::kString: return Step::kString;
    case Kind::kBool: return Step::kBool;
    case Kind::kInt32: return Step::kInt32;
    case Kind::kInt64: return Step::kInt64;
    case Kind::kStruct:
    case Kind::kUnion: return Step::kStruct;
    default: return Step::kGeneral;
  }
}

// What Kubernetes writes for a field of this type.
WireType WireTypeOfField(const Type& type) {
  const bool has_element = type.kind == Kind::kOptional || (type.kind == Kind::kList && !type.wrapped);
  return WireTypeFor(has_element ? type.element->kind : type.kind);
}

}  // namespace

const ProtobufPlan& ProtobufPlans::Of(const Type& type, const Message* message) {
  std::unique_ptr<ProtobufPlan>& plan = plans_[message != nullptr ? static_cast<const void*>(message) : &type];
  if (plan != nullptr) return *plan;
  plan = std::make_unique<ProtobufPlan>();
  plan->type = &type;
  const AnyValue sample(type);
  plan->keeps_unknown = type.is_root() && FindUnknownFields(type, sample.data()) != nullptr;
  for (const MessageRow& row : message != nullptr ? message->rows : std::span<const MessageRow>()) {
    if (row.nested != nullptr) {
      plan->rows.push_back({.tag = MakeTag(row.number, WireType::kBytes),
                            .offset = 0,
                            .step = Step::kNested,
                            .unique = false,
                            .child = nullptr,
                            .field = nullptr,
                            .nested = row.nested});
      continue;
    }
    const Field& field = type.fields[row.field];
    plan->rows.push_back({.tag = MakeTag(row.number, WireTypeOfField(*field.type)),
                          .offset = field.offset,
                          .step = StepFor(*field.type),
                          .unique = field.unique,
                          .child = nullptr,
                          .field = &field,
                          .nested = nullptr});
  }
  plan->rows.push_back({.tag = UINT32_MAX,
                        .offset = 0,
                        .step = Step::kEnd,
                        .unique = false,
                        .child = nullptr,
                        .field = nullptr,
                        .nested = nullptr});
  return *plan;
}

const ProtobufPlan* ProtobufPlans::FindStructIn(const ProtobufRow& row) {
  const Type& type = *row.field->type;
  const Type* held = type.is_struct() ? &type : type.element;
  if (held != nullptr && held->is_struct()) row.child = &Of(*held);
  return row.child;
}

}  // namespace keelson::internal
