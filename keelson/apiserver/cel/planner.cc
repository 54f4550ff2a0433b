#include "keelson/apiserver/cel/planner.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "keelson/apiserver/cel/evaluation.h"
#include "keelson/apiserver/cel/map_builder.h"
#include "keelson/apiserver/schema/compile.h"

namespace keelson::apiserver::cel {

namespace {

// Deeper than what can be written within the parser's limits, except in long chains of operators.
constexpr int kMaxDepth = 3000;

bool IsConversion(std::string_view name) {
  constexpr std::array<std::string_view, 10> kNames = {"bool", "bytes",  "double",    "duration", "dyn",
                                                       "int",  "string", "timestamp", "type",     "uint"};
  return std::ranges::find(kNames, name) != kNames.end();
}

// Of the overloads that Go's implementation runs without looking at the types of the arguments first.
bool ChecksItsArguments(std::string_view function) {
  return function == "contains" || function == "startsWith" || function == "endsWith";
}

CallStep::Relation RelationOf(std::string_view name) {
  if (name == operators::kLess) return CallStep::Relation::kLess;
  if (name == operators::kLessEquals) return CallStep::Relation::kLessEquals;
  if (name == operators::kGreater) return CallStep::Relation::kGreater;
  if (name == operators::kGreaterEquals) return CallStep::Relation::kGreaterEquals;
  return CallStep::Relation::kNone;
}

const Value* ConstantOf(const Step* step) {
  return step->kind == StepKind::kConstant ? &static_cast<const ConstantStep*>(step)->value : nullptr;
}

Attribute* AttributeOf(const Step* step) {
  if (step->kind != StepKind::kAttribute && step->kind != StepKind::kHas) return nullptr;
  return static_cast<const AttributeStep*>(step)->attribute;
}

void Qualify(Attribute& attribute, const Qualifier& qualifier) {
  if (attribute.base == Attribute::Base::kConditional) {
    Qualify(*attribute.truthy, qualifier);
    Qualify(*attribute.falsy, qualifier);
    return;
  }
  attribute.qualifiers.push_back(qualifier);
}

}  // namespace

bool IsAssignable(const Type& type, const Value& value, Arena& arena) {
  switch (type.kind()) {
    case TypeKind::kDyn:
    case TypeKind::kAny:
    case TypeKind::kTypeParam: return true;
    case TypeKind::kList:
      if (!value.is_list()) return false;
      if (Length(value) == 0 || type.element().is_dyn() || type.element().Is(TypeKind::kTypeParam)) return true;
      return IsAssignable(type.element(), ItemAt(value, 0, arena), arena);
    case TypeKind::kMap: {
      if (!value.is_map()) return false;
      if (Length(value) == 0) return true;
      const auto any = [](const Type& t) { return t.is_dyn() || t.Is(TypeKind::kTypeParam); };
      if (any(type.key()) && any(type.value())) return true;
      const std::span<const Value> keys = KeysOf(value, arena);
      if (keys.empty()) return true;
      Value member;
      FindMember(value, keys[0], arena, &member);
      return IsAssignable(type.key(), keys[0], arena) && IsAssignable(type.value(), member, arena);
    }
    default: return (type.is_wrapper() && value.is_null()) || type.runtime_name() == TypeName(value);
  }
}

const Step* Planner::Constant(const Value& value) { return plan_.arena.New<ConstantStep>(value); }

const Step* Planner::Fail(std::string message) {
  if (plan_.error.empty()) plan_.error = std::move(message);
  return Constant(Value::Null());
}

const Step* Planner::Plan(const Expr& expr) {
  if (depth_ >= kMaxDepth) return Fail("expression is nested too deeply");
  ++depth_;
  const Step* step = PlanKind(expr);
  --depth_;
  return step;
}

const Step* Planner::PlanKind(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kConstant: return PlanConstant(expr);
    case ExprKind::kIdent: return PlanIdent(expr);
    case ExprKind::kSelect: return PlanSelect(expr);
    case ExprKind::kCall: return PlanCall(expr);
    case ExprKind::kList:
    case ExprKind::kMap:
    case ExprKind::kStruct: return PlanLiteral(expr);
    case ExprKind::kComprehension: return PlanFold(expr);
    case ExprKind::kError: break;
  }
  return Fail("expression has errors");
}

const Step* Planner::PlanConstant(const Expr& expr) {
  Arena& arena = plan_.arena;
  const auto value = [&arena](const auto& constant) {
    using T = std::decay_t<decltype(constant)>;
    if constexpr (std::is_same_v<T, bool>) return Value::OfBool(constant);
    if constexpr (std::is_same_v<T, int64_t>) return Value::OfInt(constant);
    if constexpr (std::is_same_v<T, uint64_t>) return Value::OfUint(constant);
    if constexpr (std::is_same_v<T, double>) return Value::OfDouble(constant);
    if constexpr (std::is_same_v<T, std::string>) return Value::OfString(arena.Copy(constant));
    if constexpr (std::is_same_v<T, BytesConstant>) return Value::OfBytes(arena.Copy(constant.bytes));
    return Value::Null();
  };
  return Constant(std::visit(value, expr.constant));
}

const Step* Planner::PlanIdent(const Expr& expr) {
  if (expr.meaning == IdentMeaning::kType) {
    const Type& type = expr.type.parameters().empty() ? expr.type : expr.type.parameter(0);
    return Constant(Value::OfType(plan_.arena.Copy(type.runtime_name())));
  }
  auto* attribute = plan_.arena.New<Attribute>();
  attribute->base = expr.meaning == IdentMeaning::kLocal ? Attribute::Base::kLocal : Attribute::Base::kVariable;
  attribute->slot = expr.slot;
  return plan_.arena.New<AttributeStep>(StepKind::kAttribute, attribute);
}

const Step* Planner::AsAttribute(const Step* step) {
  if (AttributeOf(step) != nullptr) return step;
  auto* attribute = plan_.arena.New<Attribute>();
  attribute->operand = step;
  return plan_.arena.New<AttributeStep>(StepKind::kAttribute, attribute);
}

const Step* Planner::PlanSelect(const Expr& expr) {
  const Step* operand = AsAttribute(Plan(*expr.operand));
  Attribute* attribute = AttributeOf(operand);
  Qualify(*attribute, {.key = Value::OfString(plan_.arena.Copy(expr.name)), .test_only = expr.test_only});
  return expr.test_only ? plan_.arena.New<AttributeStep>(StepKind::kHas, attribute) : operand;
}

const Step* Planner::PlanIndex(const std::vector<const Step*>& args, bool optional) {
  const Step* operand = AsAttribute(args[0]);
  Qualifier qualifier{.optional = optional};
  if (const Value* constant = ConstantOf(args[1])) {
    if (!constant->is_bool() && !constant->is_number() && !constant->is_string()) {
      return Fail(fmt::format("invalid qualifier type: {}", GoTypeOf(*constant)));
    }
    qualifier.key = *constant;
  } else if (const Attribute* attribute = AttributeOf(args[1])) {
    qualifier.attribute = attribute;
  } else {
    qualifier.operand = args[1];
  }
  Qualify(*AttributeOf(operand), qualifier);
  return operand;
}

const Step* Planner::PlanConditional(const std::vector<const Step*>& args) {
  auto* attribute = plan_.arena.New<Attribute>();
  attribute->base = Attribute::Base::kConditional;
  attribute->operand = args[0];
  attribute->truthy = AttributeOf(AsAttribute(args[1]));
  attribute->falsy = AttributeOf(AsAttribute(args[2]));
  return plan_.arena.New<AttributeStep>(StepKind::kAttribute, attribute);
}

// `item in list` for a constant list; null when it has to be looked through at run time.
const Step* Planner::PlanMembership(const Step* item, const Value& list) {
  if (list.items().empty()) return Constant(Value::OfBool(false));
  Value set = Value::OfMap({});
  for (const Value& member : list.items()) {
    if (!member.is_bool() && !member.is_number() && !member.is_string()) return nullptr;
    if (MapBuilder::Find(set, member) == nullptr) MapBuilder::Set(plan_.arena, set, member, Value::OfBool(true));
  }
  return plan_.arena.New<MembershipStep>(item, set);
}

void Planner::CompilePatternOf(const CallStep& call) {
  const int argument = call.function->pattern_argument;
  if (argument < 0 || static_cast<size_t>(argument) >= call.args.size()) return;
  const Value* pattern = ConstantOf(call.args[static_cast<size_t>(argument)]);
  if (pattern == nullptr || !pattern->is_string()) return;
  auto compiled = CompilePattern(pattern->text());
  if (!compiled) {
    Fail(compiled.error().message());
    return;
  }
  plan_.patterns.push_back({.text = pattern->text(), .regex = *std::move(compiled)});
}

const Step* Planner::PlanCall(const Expr& expr) {
  std::vector<const Step*> args;
  if (expr.operand != nullptr) args.push_back(Plan(*expr.operand));
  for (const Expr* arg : expr.args) args.push_back(Plan(*arg));
  Arena& arena = plan_.arena;
  const std::string_view name = expr.name;
  if (name == operators::kLogicalAnd) return arena.New<PairStep>(StepKind::kAnd, args[0], args[1]);
  if (name == operators::kLogicalOr) return arena.New<PairStep>(StepKind::kOr, args[0], args[1]);
  if (name == operators::kConditional) return PlanConditional(args);
  if (name == operators::kIndex) return PlanIndex(args, false);
  if (name == operators::kOptionalIndex || name == operators::kOptionalSelect) return PlanIndex(args, true);

  const Overload* overload = expr.overloads.size() == 1 ? expr.overloads[0] : nullptr;
  if (overload != nullptr && overload->id == "optional_or_optional") {
    return arena.New<PairStep>(StepKind::kOptionalOr, args[0], args[1]);
  }
  if (overload != nullptr && overload->id == "optional_orValue_value") {
    return arena.New<PairStep>(StepKind::kOptionalValue, args[0], args[1]);
  }
  if (expr.function == nullptr) return Fail(fmt::format("no such overload: {}", name));
  if (overload != nullptr && overload->id == "in_list") {
    const Value* list = ConstantOf(args[1]);
    const Step* membership = list == nullptr ? nullptr : PlanMembership(args[0], *list);
    if (membership != nullptr) return membership;
  }
  return PlanFunction(*expr.function, overload, std::move(args));
}

const Step* Planner::PlanFunction(const Function& function, const Overload* overload, std::vector<const Step*> args) {
  StepKind kind = StepKind::kCall;
  if (function.name == operators::kEquals) kind = StepKind::kEqual;
  if (function.name == operators::kNotEquals) kind = StepKind::kNotEqual;
  const CallStep::Relation relation = RelationOf(function.name);
  if (relation != CallStep::Relation::kNone) kind = StepKind::kCompare;
  if (function.name == operators::kAdd && IsAccumulator(args[0])) kind = StepKind::kAppend;

  auto* call = plan_.arena.New<CallStep>(kind);
  call->function = &function;
  call->overload = overload;
  call->relation = relation;
  call->args = std::move(args);
  if (overload != nullptr && overload->implementation != nullptr) {
    call->implementation = overload->implementation;
    call->check_types = overload->strict && !ChecksItsArguments(function.name);
  } else {
    call->implementation = function.implementation;
  }
  call->strict = overload == nullptr || overload->strict;
  if (kind == StepKind::kEqual || kind == StepKind::kNotEqual) call->overload = &function.overloads.front();
  const size_t patterns = plan_.patterns.size();
  CompilePatternOf(*call);
  call->stops_at_error = call->args.size() > 2 || call->implementation == nullptr || plan_.patterns.size() != patterns;

  if (call->args.size() == 1 && IsConversion(function.name) && ConstantOf(call->args[0]) != nullptr) return Fold(*call);
  return call;
}

const Step* Planner::Fold(const Step& step) {
  EvalContext context(plan_.arena);
  const Value value = Evaluation(context, {}, 0).Eval(step);
  if (value.is_error()) return Fail(std::string(value.text()));
  // A constant is read by many evaluations: none may add to it in place.
  if (value.is_map()) MapBuilder::Freeze(value);
  return Constant(value);
}

const Step* Planner::PlanLiteral(const Expr& expr) {
  const StepKind kind = expr.kind == ExprKind::kList  ? StepKind::kList
                        : expr.kind == ExprKind::kMap ? StepKind::kMap
                                                      : StepKind::kStruct;
  auto* literal = plan_.arena.New<LiteralStep>(kind);
  literal->name = expr.name;
  bool constant = kind != StepKind::kStruct;
  for (const Expr* item : expr.args) {
    literal->items.push_back({.key = nullptr, .value = Plan(*item), .optional = false});
  }
  for (int32_t index : expr.optional_elements) literal->items[static_cast<size_t>(index)].optional = true;
  for (const Entry& entry : expr.entries) {
    const Step* key = entry.key == nullptr ? nullptr : Plan(*entry.key);
    literal->items.push_back({.key = key, .value = Plan(*entry.value), .optional = entry.optional});
  }
  for (const LiteralStep::Item& item : literal->items) {
    constant =
        constant && ConstantOf(item.value) != nullptr && (item.key == nullptr || ConstantOf(item.key) != nullptr);
  }
  return constant ? Fold(*literal) : literal;
}

bool Planner::IsAccumulator(const Step* step) const {
  const Attribute* attribute = AttributeOf(step);
  return step->kind == StepKind::kAttribute && attribute->base == Attribute::Base::kLocal &&
         attribute->qualifiers.empty() && growing_.contains(attribute->slot);
}

const Step* Planner::PlanFold(const Expr& expr) {
  const Comprehension& source = *expr.comprehension;
  auto* fold = plan_.arena.New<FoldStep>();
  fold->init = Plan(*source.init);
  fold->range = Plan(*source.range);
  fold->variable = source.variable_slot;
  fold->variable2 = source.variable2_slot;
  fold->accumulator = source.accumulator_slot;
  const Value* init = ConstantOf(fold->init);
  if (init != nullptr && init->is_list() && Length(*init) == 0) growing_.insert(source.accumulator_slot);
  fold->condition = Plan(*source.condition);
  fold->step = Plan(*source.step);
  growing_.erase(source.accumulator_slot);
  fold->result = Plan(*source.result);
  return fold;
}

}  // namespace keelson::apiserver::cel
