#include <array>
#include <limits>

#include "keelson/apiserver/cel/library.h"
#include "keelson/apiserver/cel/library_cost.h"

namespace keelson::apiserver::cel {

namespace {

struct NamedType {
  std::string_view name;
  Type type;
};

const std::vector<NamedType>& ComparableTypes() {
  static const std::vector<NamedType> kTypes = {
      {"int", Type::Int()},       {"uint", Type::Uint()},         {"double", Type::Double()},
      {"bool", Type::Bool()},     {"duration", Type::Duration()}, {"timestamp", Type::Timestamp()},
      {"string", Type::String()}, {"bytes", Type::Bytes()},
  };
  return kTypes;
}

bool IsAbove(const Value& order) { return order.is_int() && order.integer() > 0; }
bool IsBelow(const Value& order) { return order.is_int() && order.integer() < 0; }

Value IsSorted(EvalContext& context, std::span<const Value> args) {
  Value previous;
  for (size_t i = 0, length = Length(args[0]); i < length; ++i) {
    const Value item = ItemAt(args[0], i, context.arena());
    if (item.is_error()) return item;
    if (i > 0 && IsAbove(Compare(previous, item))) return Value::OfBool(false);
    previous = item;
  }
  return Value::OfBool(true);
}

// The item that no other one beats; the first of equals.
Value Best(EvalContext& context, const Value& list, bool (*beaten)(const Value& order), std::string_view name) {
  const size_t length = Length(list);
  if (length == 0) return context.Error(std::string(name) + " called on empty list");
  Value best;
  for (size_t i = 0; i < length; ++i) {
    const Value item = ItemAt(list, i, context.arena());
    if (item.is_error()) return item;
    if (i == 0 || beaten(Compare(best, item))) best = item;
  }
  return best;
}

Value Min(EvalContext& context, std::span<const Value> args) { return Best(context, args[0], &IsAbove, "min"); }
Value Max(EvalContext& context, std::span<const Value> args) { return Best(context, args[0], &IsBelow, "max"); }

// The sum of two of one kind.
Value Add(EvalContext& context, const Value& a, const Value& b) {
  if (a.kind() != b.kind()) return b.is_error() ? b : Value::NoSuchOverload();
  int64_t sum = 0;
  switch (a.kind()) {
    case ValueKind::kInt:
      if (__builtin_add_overflow(a.integer(), b.integer(), &sum)) return context.Error("integer overflow");
      return Value::OfInt(sum);
    case ValueKind::kUint: {
      uint64_t unsigned_sum = 0;
      if (__builtin_add_overflow(a.uinteger(), b.uinteger(), &unsigned_sum)) {
        return context.Error("unsigned integer overflow");
      }
      return Value::OfUint(unsigned_sum);
    }
    case ValueKind::kDouble: return Value::OfDouble(a.number() + b.number());
    case ValueKind::kDuration:
      if (__builtin_add_overflow(a.duration(), b.duration(), &sum)) return context.Error("duration overflow");
      return Value::OfDuration(sum);
    default: return Value::NoSuchOverload();
  }
}

Value Sum(EvalContext& context, const Value& list, Value sum) {
  for (size_t i = 0, length = Length(list); i < length && !sum.is_error(); ++i) {
    sum = Add(context, sum, ItemAt(list, i, context.arena()));
  }
  return sum;
}

Value SumInts(EvalContext& context, std::span<const Value> args) { return Sum(context, args[0], Value::OfInt(0)); }
Value SumUints(EvalContext& context, std::span<const Value> args) { return Sum(context, args[0], Value::OfUint(0)); }
Value SumDoubles(EvalContext& context, std::span<const Value> args) {
  return Sum(context, args[0], Value::OfDouble(0));
}
Value SumDurations(EvalContext& context, std::span<const Value> args) {
  return Sum(context, args[0], Value::OfDuration(0));
}

Value IndexOf(EvalContext& context, std::span<const Value> args) {
  for (size_t i = 0, length = Length(args[0]); i < length; ++i) {
    if (Equal(ItemAt(args[0], i, context.arena()), args[1], context.arena()).is_true()) {
      return Value::OfInt(static_cast<int64_t>(i));
    }
  }
  return Value::OfInt(-1);
}

Value LastIndexOf(EvalContext& context, std::span<const Value> args) {
  for (size_t i = Length(args[0]); i > 0; --i) {
    if (Equal(ItemAt(args[0], i - 1, context.arena()), args[1], context.arena()).is_true()) {
      return Value::OfInt(static_cast<int64_t>(i - 1));
    }
  }
  return Value::OfInt(-1);
}

// Text costs a tenth of its bytes, rounded down for each; everything else that is no container costs 1.
uint64_t TreeUnits(const Value& value, Arena& arena) {
  uint64_t units = 0;
  switch (value.kind()) {
    case ValueKind::kString:
    case ValueKind::kBytes: return static_cast<uint64_t>(static_cast<double>(value.text().size()) * kTraversalFactor);
    case ValueKind::kList:
      for (size_t i = 0, length = Length(value); i < length; ++i) units += TreeUnits(ItemAt(value, i, arena), arena);
      return units;
    case ValueKind::kMap:
      for (const Value& key : KeysOf(value, arena)) {
        Value member;
        units += TreeUnits(key, arena);
        if (FindMember(value, key, arena, &member) == Lookup::kFound) units += TreeUnits(member, arena);
      }
      return units;
    default: return 1;
  }
}

// Also of indexOf and lastIndexOf of text.
std::optional<uint64_t> ListTraversalCost(std::string_view, std::span<const Value> args, const Value&) {
  Arena arena;
  return TreeUnits(args[0], arena);
}

}  // namespace

void AddListsLibrary(FunctionTable& table) {
  const auto member = [&](std::string_view name, std::string id, std::vector<Type> parameters, Type result,
                          Implementation implementation) {
    table.Add(name, {.id = std::move(id),
                     .member = true,
                     .parameters = std::move(parameters),
                     .result = std::move(result),
                     .implementation = implementation});
  };
  const auto id = [](std::string_view name, std::string_view function, std::string_view suffix) {
    return std::string("list_").append(name).append("_").append(function).append("_").append(suffix);
  };
  for (const auto& [name, type] : ComparableTypes()) {
    member("isSorted", id(name, "is_sorted", "bool"), {Type::List(type)}, Type::Bool(), &IsSorted);
    member("max", id(name, "max", name), {Type::List(type)}, type, &Max);
    member("min", id(name, "min", name), {Type::List(type)}, type, &Min);
  }
  member("sum", "list_int_sum_int", {Type::List(Type::Int())}, Type::Int(), &SumInts);
  member("sum", "list_uint_sum_uint", {Type::List(Type::Uint())}, Type::Uint(), &SumUints);
  member("sum", "list_double_sum_double", {Type::List(Type::Double())}, Type::Double(), &SumDoubles);
  member("sum", "list_duration_sum_duration", {Type::List(Type::Duration())}, Type::Duration(), &SumDurations);
  const Type item = Type::Parameter("A");
  member("indexOf", "list_a_index_of_int", {Type::List(item), item}, Type::Int(), &IndexOf);
  member("lastIndexOf", "list_a_last_index_of_int", {Type::List(item), item}, Type::Int(), &LastIndexOf);
  for (const std::string_view name : {"isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"}) {
    table.SetCost(name, &ListTraversalCost);
  }
}

}  // namespace keelson::apiserver::cel
