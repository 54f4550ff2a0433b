#include "keelson/codec/internal/protobuf_plan.h"

#include "keelson/api/access.h"
#include "keelson/codec/internal/protobuf_scalars.h"
#include "keelson/codec/internal/unknown_path.h"

namespace keelson::internal {

namespace {

using Step = ProtobufRow::Step;

bool IsStandard(const Type& type) {
  return type.ops != nullptr || (type.element != nullptr && type.element->ops != nullptr && !type.element->is_struct());
}

Step StepFor(const Type& type) {
  if (type.is_struct()) return Step::kStruct;
  if (IsStandard(type)) return Step::kGeneral;
  switch (type.kind) {
    case Kind::kString: return Step::kString;
    case Kind::kBool: return Step::kBool;
    case Kind::kInt32: return Step::kInt32;
    case Kind::kInt64: return Step::kInt64;
    case Kind::kOptional: return type.element->is_struct() ? Step::kOptionalStruct : Step::kOptionalScalar;
    case Kind::kList: return type.wrapped ? Step::kGeneral : Step::kList;
    case Kind::kMap: return Step::kMap;
    case Kind::kTime: return Step::kTime;
    default: return Step::kGeneral;
  }
}

bool HoldsStruct(const Type& type) {
  return type.is_struct() || (type.element != nullptr && type.element->is_struct());
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
    ProtobufRow made = {};
    if (row.nested != nullptr) {
      made.tag = MakeTag(row.number, WireType::kBytes);
      made.step = Step::kNested;
      made.nested = row.nested;
    } else {
      const Field& field = type.fields[row.field];
      made.tag = MakeTag(row.number, WireTypeOfField(*field.type));
      made.offset = field.offset;
      made.step = StepFor(*field.type);
      made.unique = field.unique;
      made.holds_struct = HoldsStruct(*field.type);
      made.field = &field;
      made.type = field.type;
    }
    plan->rows.push_back(made);
  }
  ProtobufRow end = {};
  end.tag = UINT32_MAX;
  end.step = Step::kEnd;
  plan->rows.push_back(end);
  return *plan;
}

}  // namespace keelson::internal
