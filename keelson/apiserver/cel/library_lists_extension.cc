#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "keelson/apiserver/cel/library.h"
#include "keelson/apiserver/cel/library_cost.h"

namespace keelson::apiserver::cel {

namespace {

// So long a list is refused: no cost limit allows for one, but cost is counted when it has been made.
constexpr int64_t kMaxRange = 10'000'000;
constexpr int kMaxNesting = 1'000;

std::vector<Value> Items(EvalContext& context, const Value& list) {
  std::vector<Value> items;
  const size_t length = Length(list);
  items.reserve(length);
  for (size_t i = 0; i < length; ++i) items.push_back(ItemAt(list, i, context.arena()));
  return items;
}

Value Slice(EvalContext& context, std::span<const Value> args) {
  const int64_t begin = args[1].integer();
  const int64_t end = args[2].integer();
  const auto length = static_cast<int64_t>(Length(args[0]));
  if (begin < 0 || end < 0) {
    return context.Error(fmt::format("cannot slice({}, {}), negative indexes not supported", begin, end));
  }
  if (begin > end) {
    return context.Error(
        fmt::format("cannot slice({}, {}), start index must be less than or equal to end index", begin, end));
  }
  if (length < end) return context.Error(fmt::format("cannot slice({}, {}), list is length {}", begin, end, length));
  std::vector<Value> items;
  for (int64_t i = begin; i < end; ++i) items.push_back(ItemAt(args[0], static_cast<size_t>(i), context.arena()));
  return context.List(items);
}

void FlattenInto(EvalContext& context, const Value& list, int64_t depth, int nesting, std::vector<Value>& out) {
  for (size_t i = 0, length = Length(list); i < length; ++i) {
    const Value item = ItemAt(list, i, context.arena());
    if (item.is_list() && depth > 0 && nesting < kMaxNesting) {
      FlattenInto(context, item, depth - 1, nesting + 1, out);
    } else {
      out.push_back(item);
    }
  }
}

Value Flatten(EvalContext& context, std::span<const Value> args) {
  const int64_t depth = args.size() > 1 ? args[1].integer() : 1;
  if (depth < 0) return context.Error("level must be non-negative");
  std::vector<Value> items;
  FlattenInto(context, args[0], depth, 0, items);
  return context.List(items);
}

// `items` in the order that sorting their keys gives.
Value SortBy(EvalContext& context, const Value& list, const Value& keys) {
  if (!list.is_list() || !keys.is_list()) return Value::NoSuchOverload();
  const size_t length = Length(list);
  if (length != Length(keys)) {
    return context.Error(
        fmt::format("@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got {} "
                    "and {} elements respectively",
                    length, Length(keys)));
  }
  if (length == 0) return list;
  const std::vector<Value> sort_keys = Items(context, keys);
  if (!Compare(sort_keys[0], sort_keys[0]).is_int()) return context.Error("list elements must be comparable");
  for (const Value& key : sort_keys) {
    if (key.is_error()) return key;
    if (key.kind() != sort_keys[0].kind()) return context.Error("list elements must have the same type");
  }
  std::vector<size_t> order(length);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const Value compared = Compare(sort_keys[a], sort_keys[b]);
    const int64_t direction = compared.is_int() ? compared.integer() : 0;
    return direction < 0 || (direction == 0 && a < b);
  });
  std::vector<Value> sorted;
  sorted.reserve(length);
  for (const size_t i : order) sorted.push_back(ItemAt(list, i, context.arena()));
  return context.List(sorted);
}

Value Sort(EvalContext& context, std::span<const Value> args) { return SortBy(context, args[0], args[0]); }
Value SortByKeys(EvalContext& context, std::span<const Value> args) { return SortBy(context, args[0], args[1]); }

Value Range(EvalContext& context, std::span<const Value> args) {
  const int64_t count = args[0].integer();
  if (count > kMaxRange) return context.Error("operation cancelled: actual cost limit exceeded");
  std::vector<Value> items;
  for (int64_t i = 0; i < count; ++i) items.push_back(Value::OfInt(i));
  return context.List(items);
}

Value Reverse(EvalContext& context, std::span<const Value> args) {
  std::vector<Value> items = Items(context, args[0]);
  std::reverse(items.begin(), items.end());
  return context.List(items);
}

Value Distinct(EvalContext& context, std::span<const Value> args) {
  std::vector<Value> distinct;
  for (const Value& item : Items(context, args[0])) {
    const bool seen = std::any_of(distinct.begin(), distinct.end(),
                                  [&](const Value& other) { return Equal(item, other, context.arena()).is_true(); });
    if (!seen) distinct.push_back(item);
  }
  return context.List(distinct);
}

uint64_t AllocationUnits(double factor, uint64_t size) {
  return static_cast<uint64_t>(static_cast<double>(size) * factor) + 1 + kListCreationCost;
}

std::optional<uint64_t> OutputCost(std::string_view, std::span<const Value>, const Value& result) {
  return AllocationUnits(1, CostSize(result));
}

std::optional<uint64_t> FlattenCost(std::string_view, std::span<const Value> args, const Value&) {
  const double depth = args.size() > 1 && args[1].is_int() ? static_cast<double>(args[1].integer()) : 1;
  return AllocationUnits(depth, CostSize(args[0]));
}

// Each with each; text costs a bit more.
uint64_t SelfCompareUnits(const Value& list) {
  const uint64_t size = CostSize(list);
  if (size == 0) return AllocationUnits(2, 0);
  Arena arena;
  const Value first = ItemAt(list, 0, arena);
  const bool text = first.is_string() || first.is(ValueKind::kBytes);
  return AllocationUnits(text ? 2 + kTraversalFactor : 2, size * size);
}

std::optional<uint64_t> SortCost(std::string_view, std::span<const Value> args, const Value&) {
  return SelfCompareUnits(args[0]);
}

std::optional<uint64_t> SortByCost(std::string_view, std::span<const Value> args, const Value&) {
  return SelfCompareUnits(args[1]);
}

}  // namespace

void AddListsExtension(FunctionTable& table) {
  const Type list = Type::List(Type::Parameter("T"));
  const Type list_of_any = Type::List(Type::Dyn());
  const auto member = [&](std::string_view name, std::string id, std::vector<Type> parameters, Type result,
                          Implementation implementation, CallCost cost) {
    table.Add(name, {.id = std::move(id),
                     .member = true,
                     .parameters = std::move(parameters),
                     .result = std::move(result),
                     .implementation = implementation,
                     .cost = cost});
  };
  member("slice", "list_slice", {list, Type::Int(), Type::Int()}, list, &Slice, &OutputCost);
  member("flatten", "list_flatten", {Type::List(list)}, list, &Flatten, &FlattenCost);
  member("flatten", "list_flatten_int", {list_of_any, Type::Int()}, list_of_any, &Flatten, &FlattenCost);
  for (const Type& type : {Type::Int(), Type::Uint(), Type::Double(), Type::Bool(), Type::Duration(), Type::Timestamp(),
                           Type::String(), Type::Bytes()}) {
    const std::string name(type.runtime_name());
    member("sort", "list_" + name + "_sort", {Type::List(type)}, Type::List(type), nullptr, &SortCost);
    member("@sortByAssociatedKeys", "list_" + name + "_sortByAssociatedKeys", {list, Type::List(type)}, list, nullptr,
           &SortByCost);
  }
  // One for all: where the elements' type is free the checker settles on any overload.
  table.SetImplementation("sort", &Sort);
  table.SetImplementation("@sortByAssociatedKeys", &SortByKeys);
  member("reverse", "list_reverse", {list}, list, &Reverse, &OutputCost);
  member("distinct", "list_distinct", {list}, list, &Distinct, &SortCost);
  table.Add("lists.range", {.id = "lists_range",
                            .parameters = {Type::Int()},
                            .result = Type::List(Type::Int()),
                            .implementation = &Range,
                            .cost = &OutputCost});
}

}  // namespace keelson::apiserver::cel
