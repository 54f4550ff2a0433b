// Operators of the language: their overloads, and what they do with values.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "keelson/apiserver/cel/ast.h"
#include "keelson/apiserver/cel/map_builder.h"
#include "keelson/apiserver/cel/scalar_text.h"
#include "keelson/apiserver/cel/standard.h"

namespace keelson::apiserver::cel {

namespace {

using Args = std::span<const Value>;

constexpr std::string_view kIntOverflow = "integer overflow";
constexpr std::string_view kUintOverflow = "unsigned integer overflow";
constexpr std::string_view kDivisionByZero = "division by zero";
constexpr std::string_view kModulusByZero = "modulus by zero";
constexpr std::string_view kTimestampOverflow = "timestamp overflow";
constexpr int64_t kNanosPerSecond = 1'000'000'000;

// What cel-go answers when the left side of an operator has no such operation.
Value NoOperation(EvalContext& context, std::string_view name, const Value& left) {
  switch (left.kind()) {
    case ValueKind::kString:
    case ValueKind::kTimestamp:
    case ValueKind::kDuration: return Value::NoSuchOverload();
    default: return context.Error(fmt::format("no such overload: {}", name));
  }
}

Value Overflow(bool overflow, int64_t result) { return overflow ? Value::OfError(kIntOverflow) : Value::OfInt(result); }

Value DurationOr(bool overflow, int64_t result) {
  return overflow ? Value::OfError(kIntOverflow) : Value::OfDuration(result);
}

Value Subtract(EvalContext& context, Args args) {
  const Value& a = args[0];
  const Value& b = args[1];
  switch (a.kind()) {
    case ValueKind::kInt: {
      if (!b.is_int()) return Value::NoSuchOverload();
      int64_t result = 0;
      const bool overflow = __builtin_sub_overflow(a.integer(), b.integer(), &result);
      return Overflow(overflow, result);
    }
    case ValueKind::kUint:
      if (!b.is(ValueKind::kUint)) return Value::NoSuchOverload();
      if (b.uinteger() > a.uinteger()) return Value::OfError(kUintOverflow);
      return Value::OfUint(a.uinteger() - b.uinteger());
    case ValueKind::kDouble:
      if (!b.is(ValueKind::kDouble)) return Value::NoSuchOverload();
      return Value::OfDouble(a.number() - b.number());
    case ValueKind::kDuration: {
      if (!b.is(ValueKind::kDuration)) return Value::NoSuchOverload();
      int64_t result = 0;
      const bool overflow = __builtin_sub_overflow(a.duration(), b.duration(), &result);
      return DurationOr(overflow, result);
    }
    case ValueKind::kTimestamp:
      if (b.is(ValueKind::kTimestamp)) return SubtractTimestamps(a, b);
      if (!b.is(ValueKind::kDuration)) return Value::NoSuchOverload();
      if (b.duration() == INT64_MIN) return Value::OfError(kIntOverflow);
      return AddToTimestamp(a, -b.duration());
    default: return NoOperation(context, operators::kSubtract, a);
  }
}

Value Multiply(EvalContext& context, Args args) {
  const Value& a = args[0];
  const Value& b = args[1];
  switch (a.kind()) {
    case ValueKind::kInt: {
      if (!b.is_int()) return Value::NoSuchOverload();
      int64_t result = 0;
      const bool overflow = __builtin_mul_overflow(a.integer(), b.integer(), &result);
      return Overflow(overflow, result);
    }
    case ValueKind::kUint: {
      if (!b.is(ValueKind::kUint)) return Value::NoSuchOverload();
      uint64_t result = 0;
      if (__builtin_mul_overflow(a.uinteger(), b.uinteger(), &result)) return Value::OfError(kUintOverflow);
      return Value::OfUint(result);
    }
    case ValueKind::kDouble:
      if (!b.is(ValueKind::kDouble)) return Value::NoSuchOverload();
      return Value::OfDouble(a.number() * b.number());
    default: return NoOperation(context, operators::kMultiply, a);
  }
}

Value Divide(EvalContext& context, Args args) {
  const Value& a = args[0];
  const Value& b = args[1];
  switch (a.kind()) {
    case ValueKind::kInt:
      if (!b.is_int()) return Value::NoSuchOverload();
      if (b.integer() == 0) return Value::OfError(kDivisionByZero);
      if (a.integer() == INT64_MIN && b.integer() == -1) return Value::OfError(kIntOverflow);
      return Value::OfInt(a.integer() / b.integer());
    case ValueKind::kUint:
      if (!b.is(ValueKind::kUint)) return Value::NoSuchOverload();
      if (b.uinteger() == 0) return Value::OfError(kDivisionByZero);
      return Value::OfUint(a.uinteger() / b.uinteger());
    case ValueKind::kDouble:
      if (!b.is(ValueKind::kDouble)) return Value::NoSuchOverload();
      if (b.number() == 0) {
        // Said in full, since dividing by zero is outside of what C++ defines.
        if (a.number() == 0 || std::isnan(a.number())) return Value::OfDouble(std::nan(""));
        const bool negative = std::signbit(a.number()) != std::signbit(b.number());
        return Value::OfDouble(negative ? -INFINITY : INFINITY);
      }
      return Value::OfDouble(a.number() / b.number());
    default: return NoOperation(context, operators::kDivide, a);
  }
}

Value Modulo(EvalContext& context, Args args) {
  const Value& a = args[0];
  const Value& b = args[1];
  switch (a.kind()) {
    case ValueKind::kInt:
      if (!b.is_int()) return Value::NoSuchOverload();
      if (b.integer() == 0) return Value::OfError(kModulusByZero);
      if (a.integer() == INT64_MIN && b.integer() == -1) return Value::OfError(kIntOverflow);
      return Value::OfInt(a.integer() % b.integer());
    case ValueKind::kUint:
      if (!b.is(ValueKind::kUint)) return Value::NoSuchOverload();
      if (b.uinteger() == 0) return Value::OfError(kModulusByZero);
      return Value::OfUint(a.uinteger() % b.uinteger());
    default: return NoOperation(context, operators::kModulo, a);
  }
}

Value Negate(EvalContext& context, Args args) {
  const Value& a = args[0];
  switch (a.kind()) {
    case ValueKind::kInt:
      if (a.integer() == INT64_MIN) return Value::OfError(kIntOverflow);
      return Value::OfInt(-a.integer());
    case ValueKind::kDouble: return Value::OfDouble(-a.number());
    case ValueKind::kDuration:
      if (a.duration() == INT64_MIN) return Value::OfError(kIntOverflow);
      return Value::OfDuration(-a.duration());
    case ValueKind::kBool: return Value::NoSuchOverload();
    default: return NoOperation(context, operators::kNegate, a);
  }
}

Value Not(EvalContext&, Args args) {
  return args[0].is_bool() ? Value::OfBool(!args[0].boolean()) : Value::NoSuchOverload();
}

Value NotStrictlyFalse(EvalContext&, Args args) { return args[0].is_bool() ? args[0] : Value::OfBool(true); }

Value Equals(EvalContext& context, Args args) { return Equal(args[0], args[1], context.arena()); }

Value NotEquals(EvalContext& context, Args args) {
  return Value::OfBool(!Equal(args[0], args[1], context.arena()).is_true());
}

enum class Relation : uint8_t { kLess, kLessEquals, kGreater, kGreaterEquals };

constexpr std::string_view NameOf(Relation relation) {
  switch (relation) {
    case Relation::kLess: return operators::kLess;
    case Relation::kLessEquals: return operators::kLessEquals;
    case Relation::kGreater: return operators::kGreater;
    case Relation::kGreaterEquals: return operators::kGreaterEquals;
  }
  return "";
}

template <Relation relation>
Value Relate(EvalContext& context, Args args) {
  switch (args[0].kind()) {
    case ValueKind::kBool:
    case ValueKind::kInt:
    case ValueKind::kUint:
    case ValueKind::kDouble:
    case ValueKind::kString:
    case ValueKind::kBytes:
    case ValueKind::kTimestamp:
    case ValueKind::kDuration:
    case ValueKind::kOpaque: break;
    default: return NoOperation(context, NameOf(relation), args[0]);
  }
  const Value order = Compare(args[0], args[1]);
  if (order.is_error()) return order;
  switch (relation) {
    case Relation::kLess: return Value::OfBool(order.integer() < 0);
    case Relation::kLessEquals: return Value::OfBool(order.integer() <= 0);
    case Relation::kGreater: return Value::OfBool(order.integer() > 0);
    case Relation::kGreaterEquals: return Value::OfBool(order.integer() >= 0);
  }
  return order;
}

Value AddOperator(EvalContext& context, Args args) { return Add(context, args[0], args[1]); }
Value InOperator(EvalContext& context, Args args) { return In(context, args[0], args[1]); }
Value SizeFunction(EvalContext& context, Args args) { return SizeOf(context, args[0]); }

// The evaluator has its own way for these; they stand in the table to be checked.
Value EvaluatedElsewhere(EvalContext&, Args) { return Value::NoSuchOverload(); }

std::optional<uint64_t> SmallerSizeCost(std::string_view, Args args, const Value&) {
  return TenthOf(std::min(CostSize(args[0]), CostSize(args[1])));
}

std::optional<uint64_t> SumOfSizesCost(std::string_view, Args args, const Value&) {
  return TenthOf(CostSize(args[0]) + CostSize(args[1]));
}

std::optional<uint64_t> ListSizeCost(std::string_view, Args args, const Value&) { return CostSize(args[1]); }

void AddRelation(FunctionTable& table, std::string_view name, std::string_view prefix, Implementation implementation) {
  struct Row {
    std::string_view suffix;
    Type left;
    Type right;
    CallCost cost = nullptr;
  };
  const std::initializer_list<Row> rows = {
      {"bool", Type::Bool(), Type::Bool()},
      {"int64", Type::Int(), Type::Int()},
      {"int64_double", Type::Int(), Type::Double()},
      {"int64_uint64", Type::Int(), Type::Uint()},
      {"uint64", Type::Uint(), Type::Uint()},
      {"uint64_double", Type::Uint(), Type::Double()},
      {"uint64_int64", Type::Uint(), Type::Int()},
      {"double", Type::Double(), Type::Double()},
      {"double_int64", Type::Double(), Type::Int()},
      {"double_uint64", Type::Double(), Type::Uint()},
      {"string", Type::String(), Type::String(), &SmallerSizeCost},
      {"bytes", Type::Bytes(), Type::Bytes(), &SmallerSizeCost},
      {"timestamp", Type::Timestamp(), Type::Timestamp()},
      {"duration", Type::Duration(), Type::Duration()},
  };
  for (const Row& row : rows) {
    table.Add(name, {.id = fmt::format("{}_{}", prefix, row.suffix),
                     .parameters = {row.left, row.right},
                     .result = Type::Bool(),
                     .cost = row.cost});
  }
  table.SetImplementation(name, implementation);
}

}  // namespace

uint64_t TenthOf(uint64_t size) { return static_cast<uint64_t>(std::ceil(static_cast<double>(size) * 0.1)); }

std::optional<uint64_t> SizeOfFirstCost(std::string_view, std::span<const Value> args, const Value&) {
  return TenthOf(CostSize(args[0]));
}

Value AddToTimestamp(const Value& timestamp, int64_t nanos) {
  int64_t seconds = 0;
  if (__builtin_add_overflow(timestamp.seconds(), nanos / kNanosPerSecond, &seconds)) {
    return Value::OfError(kIntOverflow);
  }
  int64_t rest = int64_t{timestamp.nanos()} + nanos % kNanosPerSecond;
  if (rest < 0) {
    rest += kNanosPerSecond;
    --seconds;
  } else if (rest >= kNanosPerSecond) {
    rest -= kNanosPerSecond;
    ++seconds;
  }
  if (seconds < kMinTimestamp || seconds > kMaxTimestamp) return Value::OfError(kTimestampOverflow);
  return Value::OfTimestamp(seconds, static_cast<uint32_t>(rest), static_cast<int16_t>(timestamp.offset_minutes()));
}

Value SubtractTimestamps(const Value& a, const Value& b) {
  int64_t result = 0;
  if (__builtin_sub_overflow(a.seconds(), b.seconds(), &result) ||
      __builtin_mul_overflow(result, kNanosPerSecond, &result) ||
      __builtin_add_overflow(result, int64_t{a.nanos()} - int64_t{b.nanos()}, &result)) {
    return Value::OfError(kIntOverflow);
  }
  return Value::OfDuration(result);
}

Value Add(EvalContext& context, const Value& a, const Value& b) {
  switch (a.kind()) {
    case ValueKind::kInt: {
      if (!b.is_int()) return Value::NoSuchOverload();
      int64_t result = 0;
      const bool overflow = __builtin_add_overflow(a.integer(), b.integer(), &result);
      return Overflow(overflow, result);
    }
    case ValueKind::kUint: {
      if (!b.is(ValueKind::kUint)) return Value::NoSuchOverload();
      uint64_t result = 0;
      if (__builtin_add_overflow(a.uinteger(), b.uinteger(), &result)) return Value::OfError(kUintOverflow);
      return Value::OfUint(result);
    }
    case ValueKind::kDouble:
      if (!b.is(ValueKind::kDouble)) return Value::NoSuchOverload();
      return Value::OfDouble(a.number() + b.number());
    case ValueKind::kString:
    case ValueKind::kBytes: {
      if (a.kind() != b.kind()) return Value::NoSuchOverload();
      const size_t size = a.text().size() + b.text().size();
      if (size > UINT32_MAX) return Value::OfError("operation cancelled: text too long");
      char* text = static_cast<char*>(context.arena().Allocate(size));
      std::ranges::copy(b.text(), std::ranges::copy(a.text(), text).out);
      return a.is_string() ? Value::OfString({text, size}) : Value::OfBytes({text, size});
    }
    case ValueKind::kList:
      if (!b.is_list()) return Value::NoSuchOverload();
      if (a.shape() != nullptr) return a.shape()->AddLists(a, b, context.arena());
      return ListBuilder::Concatenate(context.arena(), a, b);
    case ValueKind::kDuration:
      if (b.is(ValueKind::kTimestamp)) return AddToTimestamp(b, a.duration());
      if (b.is(ValueKind::kDuration)) {
        int64_t result = 0;
        const bool overflow = __builtin_add_overflow(a.duration(), b.duration(), &result);
        return DurationOr(overflow, result);
      }
      return Value::NoSuchOverload();
    case ValueKind::kTimestamp:
      return b.is(ValueKind::kDuration) ? AddToTimestamp(a, b.duration()) : Value::NoSuchOverload();
    default: return NoOperation(context, operators::kAdd, a);
  }
}

Value In(EvalContext& context, const Value& item, const Value& container) {
  Arena& arena = context.arena();
  if (container.is_map()) {
    Value member;
    switch (FindMember(container, item, arena, &member)) {
      case Lookup::kFound: return Value::OfBool(true);
      case Lookup::kMissing: return Value::OfBool(false);
      // A value that cannot be read is there nonetheless, unless the map says no to such keys.
      case Lookup::kError: return container.is_json() ? member : Value::OfBool(true);
    }
  }
  if (!container.is_list()) return Value::NoSuchOverload();
  const size_t length = Length(container);
  const bool typed = container.shape() != nullptr && container.shape() != &UntypedShape();
  Value error;
  for (size_t i = 0; i < length; ++i) {
    const Value candidate = ItemAt(container, i, arena);
    const Value equal = typed ? Equal(candidate, item, arena) : Equal(item, candidate, arena);
    if (equal.is_true()) return equal;
    if (typed && equal.is_error() && !error.is_error()) error = equal;
  }
  return error.is_error() ? error : Value::OfBool(false);
}

Value SizeOf(EvalContext& context, const Value& value) {
  switch (value.kind()) {
    case ValueKind::kString: return Value::OfInt(static_cast<int64_t>(CodePoints(value.text())));
    case ValueKind::kBytes: return Value::OfInt(static_cast<int64_t>(value.text().size()));
    case ValueKind::kList:
    case ValueKind::kMap: return Value::OfInt(static_cast<int64_t>(Length(value)));
    default: return NoOperation(context, "size", value);
  }
}

Value IndexOf(EvalContext& context, const Value& index) {
  switch (index.kind()) {
    case ValueKind::kInt: return index;
    case ValueKind::kDouble:
      if (const double number = index.number(); number > -0x1p63 && number < 0x1p63 && number == std::trunc(number)) {
        return Value::OfInt(static_cast<int64_t>(number));
      }
      return context.Error(fmt::format("unsupported index value {} in list", FormatDouble(index.number())));
    case ValueKind::kUint:
      if (index.uinteger() <= INT64_MAX) return Value::OfInt(static_cast<int64_t>(index.uinteger()));
      return context.Error(fmt::format("unsupported index value {} in list", index.uinteger()));
    default: return context.Error(fmt::format("unsupported index type '{}' in list", TypeName(index)));
  }
}

void AddOperators(FunctionTable& table) {
  const Type a = Type::Parameter("A");
  const Type b = Type::Parameter("B");
  const Type list = Type::List(a);
  const Type map = Type::Map(a, b);

  table.Add(operators::kConditional,
            {.id = "conditional", .parameters = {Type::Bool(), a, a}, .result = a, .strict = false});
  table.SetImplementation(operators::kConditional, &EvaluatedElsewhere);
  for (const auto& [name, id] :
       {std::pair{operators::kLogicalAnd, "logical_and"}, {operators::kLogicalOr, "logical_or"}}) {
    table.Add(name, {.id = id, .parameters = {Type::Bool(), Type::Bool()}, .result = Type::Bool(), .strict = false});
    table.SetImplementation(name, &EvaluatedElsewhere);
  }
  table.Add(operators::kLogicalNot, {.id = "logical_not", .parameters = {Type::Bool()}, .result = Type::Bool()});
  table.SetImplementation(operators::kLogicalNot, &Not);
  table.Add(operators::kNotStrictlyFalse, {.id = "not_strictly_false",
                                           .parameters = {Type::Bool()},
                                           .result = Type::Bool(),
                                           .implementation = &NotStrictlyFalse,
                                           .strict = false});
  table.Add(operators::kEquals,
            {.id = "equals", .parameters = {a, a}, .result = Type::Bool(), .cost = &SmallerSizeCost});
  table.SetImplementation(operators::kEquals, &Equals);
  table.Add(operators::kNotEquals,
            {.id = "not_equals", .parameters = {a, a}, .result = Type::Bool(), .cost = &SmallerSizeCost});
  table.SetImplementation(operators::kNotEquals, &NotEquals);

  const auto arithmetic = [&table](std::string_view name, std::string id, Type left, Type right, Type result,
                                   CallCost cost = nullptr) {
    table.Add(name, {.id = std::move(id), .parameters = {left, right}, .result = result, .cost = cost});
  };
  const Type integer = Type::Int();
  const Type uinteger = Type::Uint();
  const Type number = Type::Double();
  const Type duration = Type::Duration();
  const Type timestamp = Type::Timestamp();
  arithmetic(operators::kAdd, "add_bytes", Type::Bytes(), Type::Bytes(), Type::Bytes(), &SumOfSizesCost);
  arithmetic(operators::kAdd, "add_double", number, number, number);
  arithmetic(operators::kAdd, "add_duration_duration", duration, duration, duration);
  arithmetic(operators::kAdd, "add_duration_timestamp", duration, timestamp, timestamp);
  arithmetic(operators::kAdd, "add_timestamp_duration", timestamp, duration, timestamp);
  arithmetic(operators::kAdd, "add_int64", integer, integer, integer);
  arithmetic(operators::kAdd, "add_list", list, list, list);
  arithmetic(operators::kAdd, "add_string", Type::String(), Type::String(), Type::String(), &SumOfSizesCost);
  arithmetic(operators::kAdd, "add_uint64", uinteger, uinteger, uinteger);
  table.SetImplementation(operators::kAdd, &AddOperator);
  arithmetic(operators::kDivide, "divide_double", number, number, number);
  arithmetic(operators::kDivide, "divide_int64", integer, integer, integer);
  arithmetic(operators::kDivide, "divide_uint64", uinteger, uinteger, uinteger);
  table.SetImplementation(operators::kDivide, &Divide);
  arithmetic(operators::kModulo, "modulo_int64", integer, integer, integer);
  arithmetic(operators::kModulo, "modulo_uint64", uinteger, uinteger, uinteger);
  table.SetImplementation(operators::kModulo, &Modulo);
  arithmetic(operators::kMultiply, "multiply_double", number, number, number);
  arithmetic(operators::kMultiply, "multiply_int64", integer, integer, integer);
  arithmetic(operators::kMultiply, "multiply_uint64", uinteger, uinteger, uinteger);
  table.SetImplementation(operators::kMultiply, &Multiply);
  arithmetic(operators::kSubtract, "subtract_double", number, number, number);
  arithmetic(operators::kSubtract, "subtract_duration_duration", duration, duration, duration);
  arithmetic(operators::kSubtract, "subtract_int64", integer, integer, integer);
  arithmetic(operators::kSubtract, "subtract_timestamp_duration", timestamp, duration, timestamp);
  arithmetic(operators::kSubtract, "subtract_timestamp_timestamp", timestamp, timestamp, duration);
  arithmetic(operators::kSubtract, "subtract_uint64", uinteger, uinteger, uinteger);
  table.SetImplementation(operators::kSubtract, &Subtract);
  table.Add(operators::kNegate, {.id = "negate_double", .parameters = {number}, .result = number});
  table.Add(operators::kNegate, {.id = "negate_int64", .parameters = {integer}, .result = integer});
  table.SetImplementation(operators::kNegate, &Negate);

  AddRelation(table, operators::kLess, "less", &Relate<Relation::kLess>);
  AddRelation(table, operators::kLessEquals, "less_equals", &Relate<Relation::kLessEquals>);
  AddRelation(table, operators::kGreater, "greater", &Relate<Relation::kGreater>);
  AddRelation(table, operators::kGreaterEquals, "greater_equals", &Relate<Relation::kGreaterEquals>);

  table.Add(operators::kIndex, {.id = "index_list", .parameters = {list, integer}, .result = a});
  table.Add(operators::kIndex, {.id = "index_map", .parameters = {map, a}, .result = b});
  table.SetImplementation(operators::kIndex, &EvaluatedElsewhere);
  table.Add(operators::kIn, {.id = "in_list", .parameters = {a, list}, .result = Type::Bool(), .cost = &ListSizeCost});
  table.Add(operators::kIn, {.id = "in_map", .parameters = {a, map}, .result = Type::Bool()});
  table.SetImplementation(operators::kIn, &InOperator);

  const auto size = [&table, &integer](std::string kind, Type of) {
    table.Add("size", {.id = "size_" + kind, .parameters = {of}, .result = integer});
    table.Add("size", {.id = kind + "_size", .member = true, .parameters = {of}, .result = integer});
  };
  size("bytes", Type::Bytes());
  size("list", list);
  size("map", map);
  size("string", Type::String());
  table.SetImplementation("size", &SizeFunction);
}

}  // namespace keelson::apiserver::cel
