#include "keelson/apiserver/cel/evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "keelson/apiserver/cel/map_builder.h"
#include "keelson/apiserver/cel/standard.h"

namespace keelson::apiserver::cel {

namespace {

constexpr std::string_view kCancelled = "operation cancelled: actual cost limit exceeded";
constexpr uint64_t kListCost = 10;
constexpr uint64_t kMapCost = 30;
constexpr uint64_t kStructCost = 40;

// What is left of a value once it was in an optional and is referred to: cel-go forgets the schema there, and that the
// value is an optional itself.
Value FromOptional(const Value& value) {
  if (value.is(ValueKind::kOptional))
    return value.optional() == nullptr ? Value::Null() : FromOptional(*value.optional());
  return value.is_json() ? Value::OfJson(value.json(), UntypedShape()) : value;
}

const Value* FirstError(std::span<const Value> args) {
  for (const Value& arg : args) {
    if (arg.is_error()) return &arg;
  }
  return nullptr;
}

}  // namespace

std::string_view GoTypeOf(const Value& value) {
  switch (value.kind()) {
    case ValueKind::kNull: return "types.Null";
    case ValueKind::kBool: return "types.Bool";
    case ValueKind::kInt: return "types.Int";
    case ValueKind::kUint: return "types.Uint";
    case ValueKind::kDouble: return "types.Double";
    case ValueKind::kString: return "types.String";
    case ValueKind::kBytes: return "types.Bytes";
    case ValueKind::kTimestamp: return "types.Timestamp";
    case ValueKind::kDuration: return "types.Duration";
    case ValueKind::kList:
      if (value.is_json()) return value.shape() == &UntypedShape() ? "[]interface {}" : "*common.unstructuredList";
      return "*types.baseList";
    case ValueKind::kMap:
      if (value.is_json())
        return value.shape() == &UntypedShape() ? "map[string]interface {}" : "*common.unstructuredMap";
      return "*types.baseMap";
    case ValueKind::kType: return "*types.Type";
    case ValueKind::kOptional: return "*types.Optional";
    default: return TypeName(value);
  }
}

Evaluation::Evaluation(EvalContext& context, std::span<const Value> variables, int local_count)
    : context_(context), arena_(context.arena()), variables_(variables) {
  const auto count = static_cast<size_t>(local_count);
  auto* locals = arena_.Array<Local>(count);
  for (size_t i = 0; i < count; ++i) new (locals + i) Local();
  locals_ = {locals, count};
}

void Evaluation::Cancel() { context_.cancelled_ = true; }

bool Evaluation::Charge(uint64_t cost) {
  context_.cost_ += cost;
  if (context_.cost_ <= context_.cost_limit_ && !arena_.exhausted()) return true;
  Cancel();
  return false;
}

Value Evaluation::Eval(const Step& step) {
  if (context_.cancelled_) return Value::OfError(kCancelled);
  switch (step.kind) {
    case StepKind::kConstant: return static_cast<const ConstantStep&>(step).value;
    case StepKind::kAttribute: return EvalAttribute(static_cast<const AttributeStep&>(step));
    case StepKind::kHas: return EvalHas(static_cast<const AttributeStep&>(step));
    case StepKind::kAnd: return EvalLogic(static_cast<const PairStep&>(step), false);
    case StepKind::kOr: return EvalLogic(static_cast<const PairStep&>(step), true);
    case StepKind::kEqual:
    case StepKind::kNotEqual:
    case StepKind::kCompare:
    case StepKind::kAppend: return EvalBinary(static_cast<const CallStep&>(step));
    case StepKind::kCall: return EvalCall(static_cast<const CallStep&>(step));
    case StepKind::kMembership: return EvalMembership(static_cast<const MembershipStep&>(step));
    case StepKind::kOptionalOr:
    case StepKind::kOptionalValue: return EvalOptional(static_cast<const PairStep&>(step));
    case StepKind::kList: return EvalList(static_cast<const LiteralStep&>(step));
    case StepKind::kMap: return EvalMap(static_cast<const LiteralStep&>(step));
    case StepKind::kStruct: return EvalStruct(static_cast<const LiteralStep&>(step));
    case StepKind::kFold: return EvalFold(static_cast<const FoldStep&>(step));
  }
  return Value::Null();
}

Value Evaluation::EvalAttribute(const AttributeStep& step) {
  const Value value = Resolve(*step.attribute);
  if (step.attribute->base != Attribute::Base::kConditional) Charge(1);
  return value;
}

// As cel-go is set up for Kubernetes, it takes back the 1 that every attribute costs; from a conditional as well, which
// did not cost it.
Value Evaluation::EvalHas(const AttributeStep& step) {
  const Value value = Resolve(*step.attribute);
  if (step.attribute->base == Attribute::Base::kConditional && context_.cost_ > 0) --context_.cost_;
  if (value.is(ValueKind::kOptional)) return Value::OfBool(value.optional() != nullptr);
  return value;
}

Value Evaluation::Resolve(const Attribute& attribute) {
  switch (attribute.base) {
    case Attribute::Base::kVariable:
      return ResolveQualifiers(variables_[static_cast<size_t>(attribute.slot)], attribute);
    case Attribute::Base::kLocal: {
      const auto slot = static_cast<size_t>(attribute.slot);
      if (locals_[slot].init != nullptr) Initialize(slot);
      return ResolveQualifiers(locals_[slot].value, attribute);
    }
    case Attribute::Base::kOperand: return ResolveQualifiers(Eval(*attribute.operand), attribute);
    case Attribute::Base::kConditional: break;
  }
  const Value condition = Eval(*attribute.operand);
  if (condition.is_error()) return condition;
  if (!condition.is_bool()) return Value::NoSuchOverload();
  return Resolve(condition.boolean() ? *attribute.truthy : *attribute.falsy);
}

// The expression was checked before the accumulator had its slot, so that comprehensions in it use that slot and the
// ones above, which by now may belong to comprehensions that are under way.
void Evaluation::Initialize(size_t slot) {
  const std::span<Local> above = locals_.subspan(slot);
  auto* saved = arena_.Array<Local>(above.size());
  std::ranges::copy(above, saved);
  const Value value = Eval(*above[0].init);
  std::copy_n(saved, above.size(), above.begin());
  above[0] = {.value = value, .init = nullptr};
}

Value Evaluation::ResolveQualifiers(Value object, const Attribute& attribute) {
  if (object.is_error()) return object;
  bool optional = object.is(ValueKind::kOptional);
  if (optional) {
    if (object.optional() == nullptr) return object;
    object = FromOptional(*object.optional());
  }
  for (const Qualifier& qualifier : attribute.qualifiers) {
    optional = optional || qualifier.optional;
    const Value key = KeyOf(qualifier);
    if (context_.cancelled_) return Value::OfError(kCancelled);
    Value member;
    Lookup outcome = Lookup::kError;
    if (key.is_error()) {
      member = key;
    } else {
      outcome = Qualify(object, key, &member);
    }
    if (!optional || outcome == Lookup::kFound) {
      if (!Charge(1)) return Value::OfError(kCancelled);
    }
    if (outcome == Lookup::kError) return member;
    if (qualifier.test_only && !optional) return Value::OfBool(outcome == Lookup::kFound);
    if (outcome == Lookup::kMissing) return optional ? Value::None() : Missing(object, key);
    object = member;
  }
  return optional ? context_.Some(object) : object;
}

Value Evaluation::KeyOf(const Qualifier& qualifier) {
  if (qualifier.attribute == nullptr && qualifier.operand == nullptr) return qualifier.key;
  const Value key = qualifier.attribute != nullptr ? Resolve(*qualifier.attribute) : Eval(*qualifier.operand);
  switch (key.kind()) {
    case ValueKind::kError:
    case ValueKind::kBool:
    case ValueKind::kInt:
    case ValueKind::kUint:
    case ValueKind::kDouble:
    case ValueKind::kString: return key;
    default: return context_.Error(fmt::format("invalid qualifier type: {}", GoTypeOf(key)));
  }
}

Lookup Evaluation::Qualify(const Value& object, const Value& key, Value* out) {
  if (object.is_map()) return FindMember(object, key, arena_, out);
  if (!object.is_list()) return Lookup::kMissing;
  const Value index = IndexOf(context_, key);
  if (index.is_error()) {
    *out = index;
    return Lookup::kError;
  }
  if (index.integer() < 0 || static_cast<uint64_t>(index.integer()) >= Length(object)) return Lookup::kMissing;
  if (!key.is_int() && object.is_json() && object.shape() != &UntypedShape()) {
    *out = context_.Error(fmt::format("unsupported index: {}", DebugText(key, arena_)));
    return Lookup::kError;
  }
  *out = ItemAt(object, static_cast<size_t>(index.integer()), arena_);
  return out->is_error() ? Lookup::kError : Lookup::kFound;
}

Value Evaluation::Missing(const Value& object, const Value& key) {
  return context_.Error(
      fmt::format("{}: {}", object.is_list() ? "index out of bounds" : "no such key", DebugText(key, arena_)));
}

// An error on one side does not matter when the other side decides.
Value Evaluation::EvalLogic(const PairStep& step, bool decisive) {
  const Value left = Eval(*step.left);
  if (left.is_bool() && left.boolean() == decisive) return left;
  const Value right = Eval(*step.right);
  if (context_.cancelled_) return Value::OfError(kCancelled);
  if (right.is_bool() && right.boolean() == decisive) return right;
  if (!left.is_bool()) return left.is_error() ? left : Value::NoSuchOverload();
  if (!right.is_bool()) return right.is_error() ? right : Value::NoSuchOverload();
  return Value::OfBool(!decisive);
}

Value Evaluation::EvalBinary(const CallStep& step) {
  const std::array<Value, 2> args = {Eval(*step.args[0]), Eval(*step.args[1])};
  if (context_.cancelled_) return Value::OfError(kCancelled);
  const auto& [a, b] = args;
  Value result;
  if (const Value* error = FirstError(args)) {
    result = *error;
  } else if (step.kind == StepKind::kCompare) {
    if (a.is_int() && b.is_int() && step.function->cost == nullptr) {
      Charge(1);
      switch (step.relation) {
        case CallStep::Relation::kLess: return Value::OfBool(a.integer() < b.integer());
        case CallStep::Relation::kLessEquals: return Value::OfBool(a.integer() <= b.integer());
        case CallStep::Relation::kGreater: return Value::OfBool(a.integer() > b.integer());
        default: return Value::OfBool(a.integer() >= b.integer());
      }
    }
    result = step.implementation(context_, args);
  } else if (step.kind == StepKind::kAppend && a.is_list() && !a.is_json() && a.shape() == nullptr && b.is_list()) {
    result = a;
    const size_t length = Length(b);
    for (size_t i = 0; i < length; ++i) result = ListBuilder::Append(arena_, result, ItemAt(b, i, arena_));
  } else {
    result = step.implementation(context_, args);
  }
  Charge(CostOf(step, args, result));
  return result;
}

Value Evaluation::EvalCall(const CallStep& step) {
  const size_t count = step.args.size();
  std::array<Value, 4> few;
  Value* args = count <= few.size() ? few.data() : arena_.Array<Value>(count);
  for (size_t i = 0; i < count; ++i) {
    args[i] = Eval(*step.args[i]);
    // The last argument has cel-go count the call, whatever it is.
    if (args[i].is_error() && step.strict && step.stops_at_error && i + 1 < count) return args[i];
  }
  if (context_.cancelled_) return Value::OfError(kCancelled);
  const std::span<const Value> given(args, count);
  Value result;
  if (const Value* error = step.strict ? FirstError(given) : nullptr) {
    result = *error;
  } else {
    result = Dispatch(step, given);
  }
  Charge(CostOf(step, given, result));
  return result;
}

Value Evaluation::Dispatch(const CallStep& step, std::span<const Value> args) {
  if (step.implementation != nullptr) {
    if (step.check_types) {
      const std::vector<Type>& parameters = step.overload->parameters;
      for (size_t i = 0; i < args.size(); ++i) {
        if (!IsAssignable(parameters[i], args[i], arena_)) return NoSuchOverload(step, args);
      }
    }
    return step.implementation(context_, args);
  }
  for (const Overload& overload : step.function->overloads) {
    if (overload.implementation == nullptr || overload.parameters.size() != args.size()) continue;
    bool fits = true;
    for (size_t i = 0; i < args.size() && fits; ++i) fits = IsAssignable(overload.parameters[i], args[i], arena_);
    if (fits) return overload.implementation(context_, args);
  }
  return NoSuchOverload(step, args);
}

Value Evaluation::NoSuchOverload(const CallStep& step, std::span<const Value> args) {
  std::string types;
  for (const Value& arg : args) {
    if (!types.empty()) types += ", ";
    types += TypeName(arg);
  }
  return context_.Error(fmt::format("no such overload: {}({})", step.function->name, types));
}

uint64_t Evaluation::CostOf(const CallStep& step, std::span<const Value> args, const Value& result) {
  const CallCost own = step.overload == nullptr ? nullptr : step.overload->cost;
  if (step.function->cost == nullptr && own == nullptr) return 1;
  const std::string_view id = step.overload == nullptr ? std::string_view() : step.overload->id;
  if (step.function->cost != nullptr) {
    if (const auto cost = step.function->cost(id, args, result)) return *cost;
  }
  if (own != nullptr) {
    if (const auto cost = own(id, args, result)) return *cost;
  }
  return 1;
}

Value Evaluation::EvalMembership(const MembershipStep& step) {
  const Value item = Eval(*step.item);
  if (item.is_error()) return item;
  return Value::OfBool(MapBuilder::Find(step.set, item) != nullptr);
}

Value Evaluation::EvalOptional(const PairStep& step) {
  const Value left = Eval(*step.left);
  if (!left.is(ValueKind::kOptional)) return left;
  if (left.optional() == nullptr) return Eval(*step.right);
  return step.kind == StepKind::kOptionalOr ? left : *left.optional();
}

Value Evaluation::EvalList(const LiteralStep& step) {
  auto* items = arena_.Array<Value>(step.items.size());
  size_t count = 0;
  for (const LiteralStep::Item& item : step.items) {
    Value value = Eval(*item.value);
    if (item.optional && !value.is_error()) {
      if (!value.is(ValueKind::kOptional)) {
        value = context_.Error(fmt::format("cannot initialize optional list element from non-optional value {}",
                                           DebugText(value, arena_)));
      } else if (value.optional() == nullptr) {
        continue;
      } else {
        value = *value.optional();
      }
    }
    if (value.is_error()) {
      Charge(kListCost);
      return value;
    }
    items[count++] = value;
  }
  Charge(kListCost);
  return Value::OfList({items, count});
}

Value Evaluation::EvalMap(const LiteralStep& step) {
  Value map = Value::OfMap({});
  for (const LiteralStep::Item& item : step.items) {
    const Value key = Eval(*item.key);
    Value value = key.is_error() ? key : Eval(*item.value);
    if (item.optional && !value.is_error()) {
      if (!value.is(ValueKind::kOptional)) {
        value = context_.Error(fmt::format("cannot initialize optional entry '{}' from non-optional value {}",
                                           DebugText(key, arena_), DebugText(value, arena_)));
      } else if (value.optional() == nullptr) {
        MapBuilder::Erase(arena_, map, key);
        continue;
      } else {
        value = *value.optional();
      }
    }
    if (value.is_error()) {
      Charge(kMapCost);
      return value;
    }
    MapBuilder::Set(arena_, map, key, value);
  }
  Charge(kMapCost);
  return map;
}

// There is no type of which an expression could make an object.
Value Evaluation::EvalStruct(const LiteralStep& step) {
  Value result;
  for (const LiteralStep::Item& item : step.items) {
    result = Eval(*item.value);
    if (result.is_error()) break;
  }
  Charge(kStructCost);
  return result.is_error() ? result : context_.Error(fmt::format("unknown type '{}'", step.name));
}

Value Evaluation::EvalFold(const FoldStep& step) {
  const Value range = Eval(*step.range);
  if (range.is_error()) return range;
  if (!range.is_list() && !range.is_map()) {
    return context_.Error(step.variable2 < 0
                              ? fmt::format("got '{}', expected iterable type", GoTypeOf(range))
                              : fmt::format("unsupported comprehension range type: {}", GoTypeOf(range)));
  }
  Local& accumulator = locals_[static_cast<size_t>(step.accumulator)];
  if (step.init->kind == StepKind::kConstant) {
    accumulator = {.value = static_cast<const ConstantStep*>(step.init)->value, .init = nullptr};
  } else {
    accumulator = {.value = {}, .init = step.init};
  }
  return Iterate(step, range);
}

Value Evaluation::Iterate(const FoldStep& step, const Value& range) {
  const std::span<const Value> keys = range.is_map() ? KeysOf(range, arena_) : std::span<const Value>();
  const size_t length = range.is_map() ? keys.size() : Length(range);
  Local& accumulator = locals_[static_cast<size_t>(step.accumulator)];
  for (size_t i = 0; i < length; ++i) {
    Value first;
    Value second;
    if (range.is_map()) {
      first = keys[i];
      if (step.variable2 >= 0 && FindMember(range, first, arena_, &second) == Lookup::kMissing) continue;
    } else if (step.variable2 < 0) {
      first = ItemAt(range, i, arena_);
    } else {
      first = Value::OfInt(static_cast<int64_t>(i));
      second = ItemAt(range, i, arena_);
    }
    if (step.variable >= 0) locals_[static_cast<size_t>(step.variable)].value = first;
    if (step.variable2 >= 0) locals_[static_cast<size_t>(step.variable2)].value = second;
    const Value go_on = Eval(*step.condition);
    if (go_on.is_bool() && !go_on.boolean()) break;
    accumulator.value = Eval(*step.step);
    accumulator.init = nullptr;
    if (context_.cancelled_) return Value::OfError(kCancelled);
  }
  return Eval(*step.result);
}

}  // namespace keelson::apiserver::cel
