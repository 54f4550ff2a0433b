#include "keelson/apiserver/cel/library.h"
#include "keelson/apiserver/cel/library_cost.h"

namespace keelson::apiserver::cel {

namespace {

// Whether the list has the item: a bool, or the first error met when it has not.
Value Has(EvalContext& context, const Value& list, const Value& item) {
  Value error = Value::OfBool(false);
  for (size_t i = 0, length = Length(list); i < length; ++i) {
    const Value equal = Equal(ItemAt(list, i, context.arena()), item, context.arena());
    if (equal.is_true()) return equal;
    if (equal.is_error() && !error.is_error()) error = equal;
  }
  return error;
}

Value HasAll(EvalContext& context, const Value& list, const Value& items) {
  for (size_t i = 0, length = Length(items); i < length; ++i) {
    const Value has = Has(context, list, ItemAt(items, i, context.arena()));
    if (!has.is_true()) return has;
  }
  return Value::OfBool(true);
}

Value Contains(EvalContext& context, std::span<const Value> args) { return HasAll(context, args[0], args[1]); }

Value Equivalent(EvalContext& context, std::span<const Value> args) {
  const Value there = HasAll(context, args[0], args[1]);
  return there.is_true() ? HasAll(context, args[1], args[0]) : there;
}

Value Intersects(EvalContext& context, std::span<const Value> args) {
  for (size_t i = 0, length = Length(args[0]); i < length; ++i) {
    if (Has(context, args[1], ItemAt(args[0], i, context.arena())).is_true()) return Value::OfBool(true);
  }
  return Value::OfBool(false);
}

template <uint64_t kFactor>
std::optional<uint64_t> PairsCost(std::string_view, std::span<const Value> args, const Value&) {
  return 1 + CostSize(args[0]) * CostSize(args[1]) * kFactor;
}

}  // namespace

void AddSetsLibrary(FunctionTable& table) {
  const Type list = Type::List(Type::Parameter("T"));
  const auto add = [&](std::string_view name, std::string id, Implementation implementation, CallCost cost) {
    table.Add(name, {.id = std::move(id),
                     .parameters = {list, list},
                     .result = Type::Bool(),
                     .implementation = implementation,
                     .cost = cost});
  };
  add("sets.contains", "list_sets_contains_list", &Contains, &PairsCost<1>);
  add("sets.equivalent", "list_sets_equivalent_list", &Equivalent, &PairsCost<2>);
  add("sets.intersects", "list_sets_intersects_list", &Intersects, &PairsCost<1>);
}

}  // namespace keelson::apiserver::cel
