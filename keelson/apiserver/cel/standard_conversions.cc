// Conversions between types: int(), string(), timestamp() …
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "keelson/apiserver/cel/scalar_text.h"
#include "keelson/apiserver/cel/standard.h"
#include "keelson/core/internal/utf8.h"

namespace keelson::apiserver::cel {

namespace {

using Args = std::span<const Value>;

constexpr std::string_view kIntOverflow = "integer overflow";
constexpr std::string_view kUintOverflow = "unsigned integer overflow";
constexpr std::string_view kTimestampOverflow = "timestamp overflow";

Value NoConversion(EvalContext& context, const Value& from, std::string_view to) {
  return context.Error(fmt::format("type conversion error from '{}' to '{}'", TypeName(from), to));
}

Value Identity(EvalContext&, Args args) { return args[0]; }

Value ToBool(EvalContext& context, Args args) {
  const std::string_view text = args[0].text();
  for (std::string_view yes : {"1", "t", "T", "true", "TRUE", "True"}) {
    if (text == yes) return Value::OfBool(true);
  }
  for (std::string_view no : {"0", "f", "F", "false", "FALSE", "False"}) {
    if (text == no) return Value::OfBool(false);
  }
  return NoConversion(context, args[0], "bool");
}

Value ToBytes(EvalContext&, Args args) { return Value::OfBytes(args[0].text()); }

Value ToDouble(EvalContext& context, Args args) {
  const Value& value = args[0];
  switch (value.kind()) {
    case ValueKind::kInt: return Value::OfDouble(static_cast<double>(value.integer()));
    case ValueKind::kUint: return Value::OfDouble(static_cast<double>(value.uinteger()));
    case ValueKind::kString:
      if (const auto number = ParseDouble(value.text())) return Value::OfDouble(*number);
      break;
    default: break;
  }
  return NoConversion(context, value, "double");
}

Value ToDuration(EvalContext& context, Args args) {
  if (args[0].is_string()) {
    if (const auto nanos = ParseDuration(args[0].text())) return Value::OfDuration(*nanos);
  }
  return NoConversion(context, args[0], "google.protobuf.Duration");
}

Value ToInt(EvalContext& context, Args args) {
  const Value& value = args[0];
  switch (value.kind()) {
    case ValueKind::kUint:
      if (value.uinteger() > INT64_MAX) return Value::OfError(kIntOverflow);
      return Value::OfInt(static_cast<int64_t>(value.uinteger()));
    case ValueKind::kDouble:
      if (!(value.number() > -0x1p63 && value.number() < 0x1p63)) return Value::OfError(kIntOverflow);
      return Value::OfInt(static_cast<int64_t>(value.number()));
    case ValueKind::kDuration: return Value::OfInt(value.duration());
    case ValueKind::kTimestamp: return Value::OfInt(value.seconds());
    case ValueKind::kString:
      if (const auto number = ParseInt(value.text())) return Value::OfInt(*number);
      break;
    default: break;
  }
  return NoConversion(context, value, "int");
}

Value ToUint(EvalContext& context, Args args) {
  const Value& value = args[0];
  switch (value.kind()) {
    case ValueKind::kInt:
      if (value.integer() < 0) return Value::OfError(kUintOverflow);
      return Value::OfUint(static_cast<uint64_t>(value.integer()));
    case ValueKind::kDouble:
      if (!(value.number() >= 0 && value.number() < 0x1p64)) return Value::OfError(kUintOverflow);
      return Value::OfUint(static_cast<uint64_t>(value.number()));
    case ValueKind::kString:
      if (const auto number = ParseUint(value.text())) return Value::OfUint(*number);
      break;
    default: break;
  }
  return NoConversion(context, value, "uint");
}

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const size_t length = internal::DecodeUtf8(text.substr(0, 4)).length;
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

Value ToString(EvalContext& context, Args args) {
  const Value& value = args[0];
  switch (value.kind()) {
    case ValueKind::kBool: return Value::OfString(value.boolean() ? "true" : "false");
    case ValueKind::kBytes:
      if (!IsUtf8(value.text())) return Value::OfError("invalid UTF-8 in bytes, cannot convert to string");
      return Value::OfString(value.text());
    case ValueKind::kInt: return context.Text(fmt::format("{}", value.integer()));
    case ValueKind::kUint: return context.Text(fmt::format("{}", value.uinteger()));
    case ValueKind::kDouble: return context.Text(FormatDouble(value.number()));
    case ValueKind::kDuration: return context.Text(FormatSeconds(value.duration()));
    case ValueKind::kTimestamp:
      return context.Text(FormatTimestamp({.seconds = value.seconds(),
                                           .nanos = value.nanos(),
                                           .offset_minutes = static_cast<int16_t>(value.offset_minutes())}));
    case ValueKind::kOpaque: return value.opaque()->ToText(context.arena());
    default: return NoConversion(context, value, "string");
  }
}

Value ToTimestamp(EvalContext& context, Args args) {
  const Value& value = args[0];
  if (value.is_int()) {
    if (value.integer() < kMinTimestamp || value.integer() > kMaxTimestamp) return Value::OfError(kTimestampOverflow);
    return Value::OfTimestamp(value.integer(), 0);
  }
  if (value.is_string()) {
    if (const auto time = ParseTimestamp(value.text())) {
      if (time->seconds < kMinTimestamp || time->seconds > kMaxTimestamp) return Value::OfError(kTimestampOverflow);
      return Value::OfTimestamp(time->seconds, time->nanos, time->offset_minutes);
    }
  }
  return NoConversion(context, value, "google.protobuf.Timestamp");
}

Value ToType(EvalContext&, Args args) { return Value::OfType(TypeName(args[0])); }

}  // namespace

void AddConversions(FunctionTable& table) {
  const Type a = Type::Parameter("A");
  table.Add("type", {.id = "type", .parameters = {a}, .result = Type::OfType(a)});
  table.SetImplementation("type", &ToType);

  const auto add = [&table](std::string_view name, std::string id, Type from, Type to, Implementation implementation,
                            CallCost cost = nullptr) {
    table.Add(
        name,
        {.id = std::move(id), .parameters = {from}, .result = to, .implementation = implementation, .cost = cost});
  };
  const Type boolean = Type::Bool();
  const Type bytes = Type::Bytes();
  const Type number = Type::Double();
  const Type duration = Type::Duration();
  const Type integer = Type::Int();
  const Type text = Type::String();
  const Type timestamp = Type::Timestamp();
  const Type uinteger = Type::Uint();
  add("bool", "bool_to_bool", boolean, boolean, &Identity);
  add("bool", "string_to_bool", text, boolean, &ToBool);
  add("bytes", "bytes_to_bytes", bytes, bytes, &Identity);
  add("bytes", "string_to_bytes", text, bytes, &ToBytes, &SizeOfFirstCost);
  add("double", "double_to_double", number, number, &Identity);
  add("double", "int64_to_double", integer, number, &ToDouble);
  add("double", "string_to_double", text, number, &ToDouble);
  add("double", "uint64_to_double", uinteger, number, &ToDouble);
  add("duration", "duration_to_duration", duration, duration, &Identity);
  add("duration", "int64_to_duration", integer, duration, &ToDuration);
  add("duration", "string_to_duration", text, duration, &ToDuration);
  table.Add("dyn", {.id = "to_dyn", .parameters = {a}, .result = Type::Dyn()});
  table.SetImplementation("dyn", &Identity);
  add("int", "int64_to_int64", integer, integer, &Identity);
  add("int", "double_to_int64", number, integer, &ToInt);
  add("int", "duration_to_int64", duration, integer, &ToInt);
  add("int", "string_to_int64", text, integer, &ToInt);
  add("int", "timestamp_to_int64", timestamp, integer, &ToInt);
  add("int", "uint64_to_int64", uinteger, integer, &ToInt);
  add("string", "string_to_string", text, text, &Identity);
  add("string", "bool_to_string", boolean, text, &ToString);
  add("string", "bytes_to_string", bytes, text, &ToString, &SizeOfFirstCost);
  add("string", "double_to_string", number, text, &ToString);
  add("string", "duration_to_string", duration, text, &ToString);
  add("string", "int64_to_string", integer, text, &ToString);
  add("string", "timestamp_to_string", timestamp, text, &ToString);
  add("string", "uint64_to_string", uinteger, text, &ToString);
  add("timestamp", "timestamp_to_timestamp", timestamp, timestamp, &Identity);
  add("timestamp", "int64_to_timestamp", integer, timestamp, &ToTimestamp);
  add("timestamp", "string_to_timestamp", text, timestamp, &ToTimestamp);
  add("uint", "uint64_to_uint64", uinteger, uinteger, &Identity);
  add("uint", "double_to_uint64", number, uinteger, &ToUint);
  add("uint", "int64_to_uint64", integer, uinteger, &ToUint);
  add("uint", "string_to_uint64", text, uinteger, &ToUint);
}

}  // namespace keelson::apiserver::cel
