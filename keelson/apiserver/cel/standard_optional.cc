// Optional values, and what comprehensions over two variables make maps with.
#include <fmt/format.h>

#include <string>

#include "keelson/apiserver/cel/ast.h"
#include "keelson/apiserver/cel/map_builder.h"
#include "keelson/apiserver/cel/scalar_text.h"
#include "keelson/apiserver/cel/standard.h"

namespace keelson::apiserver::cel {

namespace {

using Args = std::span<const Value>;

// What ofNonZeroValue takes for nothing. Values of a document's lists and objects never are, however empty.
bool IsZero(const Value& value) {
  switch (value.kind()) {
    case ValueKind::kNull: return true;
    case ValueKind::kBool: return !value.boolean();
    case ValueKind::kInt:
    case ValueKind::kUint:
    case ValueKind::kDuration: return value.uinteger() == 0;
    case ValueKind::kDouble: return value.number() == 0;
    case ValueKind::kString:
    case ValueKind::kBytes: return value.text().empty();
    case ValueKind::kList:
    case ValueKind::kMap: return (value.shape() == nullptr || value.shape() == &UntypedShape()) && Length(value) == 0;
    case ValueKind::kTimestamp: return value.seconds() == kMinTimestamp && value.nanos() == 0;
    default: return false;
  }
}

Value OptionalOf(EvalContext& context, Args args) { return context.Some(args[0]); }

Value OptionalOfNonZero(EvalContext& context, Args args) {
  return IsZero(args[0]) ? Value::None() : context.Some(args[0]);
}

Value OptionalNone(EvalContext&, Args) { return Value::None(); }

Value OptionalValue(EvalContext&, Args args) {
  const Value* value = args[0].optional();
  return value == nullptr ? Value::OfError("optional.none() dereference") : *value;
}

Value OptionalHasValue(EvalContext&, Args args) { return Value::OfBool(args[0].optional() != nullptr); }

Value First(EvalContext& context, Args args) {
  if (Length(args[0]) == 0) return Value::None();
  return context.Some(ItemAt(args[0], 0, context.arena()));
}

Value Last(EvalContext& context, Args args) {
  const size_t length = Length(args[0]);
  if (length == 0) return Value::None();
  return context.Some(ItemAt(args[0], length - 1, context.arena()));
}

Value Unwrap(EvalContext& context, Args args) {
  Arena& arena = context.arena();
  const size_t length = Length(args[0]);
  auto* items = arena.Array<Value>(length);
  size_t count = 0;
  for (size_t i = 0; i < length; ++i) {
    const Value item = ItemAt(args[0], i, arena);
    if (item.is_error()) return item;
    if (!item.is(ValueKind::kOptional)) {
      return context.Error(fmt::format("value {} is not optional", DebugText(item, arena)));
    }
    if (item.optional() != nullptr) items[count++] = *item.optional();
  }
  return Value::OfList({items, count});
}

// The evaluator has its own way for these, which leaves the alternative alone when it is not needed.
Value EvaluatedElsewhere(EvalContext&, Args) { return Value::NoSuchOverload(); }

Value Insert(EvalContext& context, const Value& map, const Value& key, const Value& value) {
  Value member;
  if (FindMember(map, key, context.arena(), &member) != Lookup::kMissing) {
    return context.Error(fmt::format("insert failed: key {} already exists", DebugText(key, context.arena())));
  }
  Value grown = map.is_json() ? MapBuilder::Copy(context.arena(), map) : map;
  MapBuilder::Set(context.arena(), grown, key, value);
  return grown;
}

Value InsertEntry(EvalContext& context, Args args) { return Insert(context, args[0], args[1], args[2]); }

Value InsertMap(EvalContext& context, Args args) {
  Value map = args[0];
  for (const Value& key : KeysOf(args[1], context.arena())) {
    Value member;
    if (FindMember(args[1], key, context.arena(), &member) == Lookup::kError) return member;
    map = Insert(context, map, key, member);
    if (map.is_error()) return map;
  }
  return map;
}

}  // namespace

void AddOptionalFunctions(FunctionTable& table) {
  const Type k = Type::Parameter("K");
  const Type v = Type::Parameter("V");
  const Type optional = Type::Optional(v);
  const Type list = Type::List(v);
  const Type map = Type::Map(k, v);

  table.Add("optional.of", {.id = "optional_of", .parameters = {v}, .result = optional, .implementation = &OptionalOf});
  table.Add(
      "optional.ofNonZeroValue",
      {.id = "optional_ofNonZeroValue", .parameters = {v}, .result = optional, .implementation = &OptionalOfNonZero});
  table.Add("optional.none", {.id = "optional_none", .result = optional, .implementation = &OptionalNone});
  const auto member = [&table](std::string_view name, std::string id, std::vector<Type> parameters, Type result,
                               Implementation implementation) {
    table.Add(name, {.id = std::move(id),
                     .member = true,
                     .parameters = std::move(parameters),
                     .result = result,
                     .implementation = implementation});
  };
  member("value", "optional_value", {optional}, v, &OptionalValue);
  member("hasValue", "optional_hasValue", {optional}, Type::Bool(), &OptionalHasValue);
  member("or", "optional_or_optional", {optional, optional}, optional, &EvaluatedElsewhere);
  member("orValue", "optional_orValue_value", {optional, v}, v, &EvaluatedElsewhere);
  member("last", "list_last", {list}, optional, &Last);
  member("first", "list_first", {list}, optional, &First);
  member("unwrapOpt", "optional_unwrapOpt", {Type::List(optional)}, list, &Unwrap);
  table.Add("optional.unwrap",
            {.id = "optional_unwrap", .parameters = {Type::List(optional)}, .result = list, .implementation = &Unwrap});

  const auto index = [&table](std::string_view name, std::string id, Type container, Type key, Type result) {
    table.Add(name, {.id = std::move(id), .parameters = {container, key}, .result = result});
    table.SetImplementation(name, &EvaluatedElsewhere);
  };
  index(operators::kOptionalSelect, "select_optional_field", Type::Dyn(), Type::String(), optional);
  index(operators::kOptionalIndex, "list_optindex_optional_int", list, Type::Int(), optional);
  index(operators::kOptionalIndex, "optional_list_optindex_optional_int", Type::Optional(list), Type::Int(), optional);
  index(operators::kOptionalIndex, "map_optindex_optional_value", map, k, optional);
  index(operators::kOptionalIndex, "optional_map_optindex_optional_value", Type::Optional(map), k, optional);
  index(operators::kIndex, "optional_list_index_int", Type::Optional(list), Type::Int(), optional);
  index(operators::kIndex, "optional_map_index_value", Type::Optional(map), k, optional);

  table.Add(
      "cel.@mapInsert",
      {.id = "@mapInsert_map_key_value", .parameters = {map, k, v}, .result = map, .implementation = &InsertEntry});
  table.Add("cel.@mapInsert",
            {.id = "@mapInsert_map_map", .parameters = {map, map}, .result = map, .implementation = &InsertMap});
}

}  // namespace keelson::apiserver::cel
