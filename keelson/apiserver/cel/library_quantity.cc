#include "keelson/api/quantity.h"
#include "keelson/apiserver/cel/library.h"
#include "keelson/apiserver/cel/library_cost.h"
#include "keelson/apiserver/cel/library_object.h"

namespace keelson::apiserver::cel {

namespace {

struct QuantityValue final : LibraryObject<QuantityValue> {
  static constexpr std::string_view kTypeName = "kubernetes.Quantity";
  explicit QuantityValue(const Quantity& amount, bool is_computed = false) : quantity(amount), computed(is_computed) {}
  bool SameAs(const QuantityValue& other) const { return quantity == other.quantity; }
  // A kube-apiserver does not recognise the result of add() and sub() on the right hand side of an equality.
  Value Equal(const Value& other) const override {
    const QuantityValue* quantity_value = From(other);
    if (quantity_value != nullptr && quantity_value->computed) return Value::NoSuchOverload();
    return LibraryObject::Equal(other);
  }

  Quantity quantity;
  bool computed;
};

const Quantity& QuantityOf(const Value& value) { return QuantityValue::Of(value).quantity; }

// The whole number that it is; false when it is none or has no room in an int.
bool AsInteger(const Quantity& quantity, int64_t* integer) {
  *integer = quantity.Value();
  return Quantity::FromInt(*integer) == quantity;
}

Value ToQuantity(EvalContext& context, std::span<const Value> args) {
  const Result<Quantity> quantity = Quantity::Parse(args[0].text());
  if (!quantity) return context.Error(quantity.error().message());
  return QuantityValue::Make(context, *quantity);
}

Value IsQuantity(EvalContext&, std::span<const Value> args) {
  return Value::OfBool(Quantity::Parse(args[0].text()).has_value());
}

Value Sign(EvalContext&, std::span<const Value> args) { return Value::OfInt(QuantityOf(args[0]).Sign()); }

Value IsGreaterThan(EvalContext&, std::span<const Value> args) {
  return Value::OfBool(QuantityOf(args[0]).Cmp(QuantityOf(args[1])) > 0);
}

Value IsLessThan(EvalContext&, std::span<const Value> args) {
  return Value::OfBool(QuantityOf(args[0]).Cmp(QuantityOf(args[1])) < 0);
}

Value CompareTo(EvalContext&, std::span<const Value> args) {
  return Value::OfInt(QuantityOf(args[0]).Cmp(QuantityOf(args[1])));
}

Value AsApproximateFloat(EvalContext&, std::span<const Value> args) {
  return Value::OfDouble(QuantityOf(args[0]).AsDouble());
}

Value AsIntegerValue(EvalContext& context, std::span<const Value> args) {
  int64_t integer = 0;
  if (!AsInteger(QuantityOf(args[0]), &integer)) return context.Error("cannot convert value to integer");
  return Value::OfInt(integer);
}

Value IsInteger(EvalContext&, std::span<const Value> args) {
  int64_t integer = 0;
  return Value::OfBool(AsInteger(QuantityOf(args[0]), &integer));
}

Quantity Operand(const Value& value) {
  return value.is_int() ? Quantity::FromInt(value.integer(), resource::Format::kDecimalExponent) : QuantityOf(value);
}

Value Add(EvalContext& context, std::span<const Value> args) {
  return QuantityValue::Make(context, QuantityOf(args[0]) + Operand(args[1]), true);
}

Value Subtract(EvalContext& context, std::span<const Value> args) {
  return QuantityValue::Make(context, QuantityOf(args[0]) - Operand(args[1]), true);
}

}  // namespace

Type QuantityType() { return LibraryObjectType(QuantityValue::kTypeName); }

void AddQuantityLibrary(FunctionTable& table) {
  const Type quantity = QuantityType();
  const std::vector<Type> text = {Type::String()};
  table.Add("quantity",
            {.id = "string_to_quantity", .parameters = text, .result = quantity, .implementation = &ToQuantity});
  table.Add("isQuantity",
            {.id = "is_quantity_string", .parameters = text, .result = Type::Bool(), .implementation = &IsQuantity});
  table.SetCost("quantity", &TraversalCost);
  table.SetCost("isQuantity", &TraversalCost);
  table.Add("sign", {.id = "quantity_sign", .parameters = {quantity}, .result = Type::Int(), .implementation = &Sign});
  table.SetCost("sign", &UnitCost);
  const auto member = [&](std::string_view name, std::string id, std::vector<Type> parameters, Type result,
                          Implementation implementation) {
    table.Add(name, {.id = std::move(id),
                     .member = true,
                     .parameters = std::move(parameters),
                     .result = std::move(result),
                     .implementation = implementation});
    table.SetCost(name, &UnitCost);
  };
  member("isGreaterThan", "quantity_is_greater_than", {quantity, quantity}, Type::Bool(), &IsGreaterThan);
  member("isLessThan", "quantity_is_less_than", {quantity, quantity}, Type::Bool(), &IsLessThan);
  member("compareTo", "quantity_compare_to", {quantity, quantity}, Type::Int(), &CompareTo);
  member("asApproximateFloat", "quantity_get_float", {quantity}, Type::Double(), &AsApproximateFloat);
  member("asInteger", "quantity_get_int", {quantity}, Type::Int(), &AsIntegerValue);
  member("isInteger", "quantity_is_integer", {quantity}, Type::Bool(), &IsInteger);
  member("add", "quantity_add", {quantity, quantity}, quantity, &Add);
  member("add", "quantity_add_int", {quantity, Type::Int()}, quantity, &Add);
  member("sub", "quantity_sub", {quantity, quantity}, quantity, &Subtract);
  member("sub", "quantity_sub_int", {quantity, Type::Int()}, quantity, &Subtract);
}

}  // namespace keelson::apiserver::cel
