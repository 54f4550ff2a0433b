#include "keelson/api/quantity.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "keelson/apiserver/cel/library.h"
#include "keelson/apiserver/cel/library_cost.h"
#include "keelson/apiserver/cel/library_object.h"

namespace keelson::apiserver::cel {

namespace {

// Kubernetes knows two forms of an amount, and takes only the simple one, a number and a power of ten that is not
// negative, for an integer: "1.0" is none.
class SimpleAmount {
 public:
  // Of an amount that is known to be well-formed.
  static SimpleAmount Of(std::string_view text);
  static SimpleAmount Of(int64_t number) { return {number, 0}; }

  void Add(const SimpleAmount& other);
  void Subtract(const SimpleAmount& other);
  std::optional<int64_t> AsInteger() const { return simple_ && scale_ >= 0 ? Scaled(number_, scale_) : std::nullopt; }

 private:
  SimpleAmount() = default;
  SimpleAmount(int64_t number, int scale) : simple_(true), number_(number), scale_(scale) {}
  static std::optional<int64_t> Scaled(int64_t number, int scale);

  bool simple_ = false;
  int64_t number_ = 0;
  int scale_ = 0;
};

std::optional<int64_t> SimpleAmount::Scaled(int64_t number, int scale) {
  for (; scale > 0 && number != 0; --scale) {
    if (__builtin_mul_overflow(number, int64_t{10}, &number)) return std::nullopt;
  }
  return number;
}

SimpleAmount SimpleAmount::Of(std::string_view text) {
  constexpr int kMaxDigits = 18;
  constexpr int kNanoScale = -9;
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  std::string_view number = text.substr(0, end);
  const std::string_view suffix = text.substr(end);
  const size_t point = std::min(number.find('.'), number.size());
  std::string_view whole = number.substr(0, point);
  whole.remove_prefix(std::min(whole.find_first_not_of('0'), whole.size()));
  const std::string_view fraction = point < number.size() ? number.substr(point + 1) : std::string_view();
  const std::string digits = (whole.empty() ? "0" : std::string(whole)) + std::string(fraction);
  const int count = static_cast<int>(digits.size());
  int scale = 0;
  int64_t factor = 1;
  if (suffix.ends_with('i')) {
    const size_t power = std::string_view("KMGTPE").find(suffix[0]) + 1;
    const int bits = static_cast<int>(power) * 10;
    // So many digits are taken to have room.
    if (!fraction.empty() || 15 - count - static_cast<int>(static_cast<float>(bits) * 3 / 10) - 1 < 0) return {};
    factor = int64_t{1} << bits;
  } else {
    if (count > kMaxDigits) return {};
    if (!suffix.empty() && (suffix[0] == 'e' || suffix[0] == 'E') && suffix.size() > 1) {
      std::string_view exponent = suffix.substr(1);
      if (exponent.starts_with('+')) exponent.remove_prefix(1);
      std::from_chars(exponent.data(), exponent.data() + exponent.size(), scale);
    } else if (!suffix.empty()) {
      scale = (static_cast<int>(std::string_view("num kMGTPE").find(suffix[0])) - 3) * 3;
    }
    scale -= static_cast<int>(fraction.size());
    if (scale < kNanoScale) return {};
  }
  int64_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (__builtin_mul_overflow(value, factor, &value)) return {};
  return {negative ? -value : value, scale};
}

void SimpleAmount::Add(const SimpleAmount& other) {
  simple_ = simple_ && other.simple_;
  if (!simple_ || other.number_ == 0) return;
  if (number_ == 0) {
    *this = other;
    return;
  }
  const int scale = std::min(scale_, other.scale_);
  const std::optional<int64_t> mine = Scaled(number_, scale_ - scale);
  const std::optional<int64_t> theirs = Scaled(other.number_, other.scale_ - scale);
  simple_ = mine && theirs && !__builtin_add_overflow(*mine, *theirs, &number_);
  scale_ = scale;
}

void SimpleAmount::Subtract(const SimpleAmount& other) {
  SimpleAmount negated = other;
  negated.number_ = static_cast<int64_t>(0 - static_cast<uint64_t>(other.number_));
  Add(negated);
}

struct QuantityValue final : LibraryObject<QuantityValue> {
  static constexpr std::string_view kTypeName = "kubernetes.Quantity";
  QuantityValue(const Quantity& value, const SimpleAmount& amount, bool is_computed)
      : quantity(value), simple(amount), computed(is_computed) {}
  bool SameAs(const QuantityValue& other) const { return quantity == other.quantity; }
  // A kube-apiserver does not recognise the result of add() and sub() on the right hand side of an equality.
  Value Equal(const Value& other) const override {
    const QuantityValue* quantity_value = From(other);
    if (quantity_value != nullptr && quantity_value->computed) return Value::NoSuchOverload();
    return LibraryObject::Equal(other);
  }

  Quantity quantity;
  SimpleAmount simple;
  bool computed;
};

const Quantity& QuantityOf(const Value& value) { return QuantityValue::Of(value).quantity; }

Value ToQuantity(EvalContext& context, std::span<const Value> args) {
  const Result<Quantity> quantity = Quantity::Parse(args[0].text());
  if (!quantity) return context.Error(quantity.error().message());
  return QuantityValue::Make(context, *quantity, SimpleAmount::Of(args[0].text()), false);
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

Value AsInteger(EvalContext& context, std::span<const Value> args) {
  const std::optional<int64_t> integer = QuantityValue::Of(args[0]).simple.AsInteger();
  return integer ? Value::OfInt(*integer) : context.Error("cannot convert value to integer");
}

Value IsInteger(EvalContext&, std::span<const Value> args) {
  return Value::OfBool(QuantityValue::Of(args[0]).simple.AsInteger().has_value());
}

// The second operand is a quantity or an int.
Value Combine(EvalContext& context, std::span<const Value> args, bool add) {
  Quantity quantity = QuantityOf(args[0]);
  SimpleAmount simple = QuantityValue::Of(args[0]).simple;
  const bool integer = args[1].is_int();
  const Quantity other =
      integer ? Quantity::FromInt(args[1].integer(), resource::Format::kDecimalExponent) : QuantityOf(args[1]);
  const SimpleAmount other_simple = integer ? SimpleAmount::Of(args[1].integer()) : QuantityValue::Of(args[1]).simple;
  if (add) {
    quantity += other;
    simple.Add(other_simple);
  } else {
    quantity -= other;
    simple.Subtract(other_simple);
  }
  return QuantityValue::Make(context, quantity, simple, true);
}

Value Add(EvalContext& context, std::span<const Value> args) { return Combine(context, args, true); }
Value Subtract(EvalContext& context, std::span<const Value> args) { return Combine(context, args, false); }

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
  member("asInteger", "quantity_get_int", {quantity}, Type::Int(), &AsInteger);
  member("isInteger", "quantity_is_integer", {quantity}, Type::Bool(), &IsInteger);
  member("add", "quantity_add", {quantity, quantity}, quantity, &Add);
  member("add", "quantity_add_int", {quantity, Type::Int()}, quantity, &Add);
  member("sub", "quantity_sub", {quantity, quantity}, quantity, &Subtract);
  member("sub", "quantity_sub_int", {quantity, Type::Int()}, quantity, &Subtract);
}

}  // namespace keelson::apiserver::cel
