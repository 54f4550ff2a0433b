#include <charconv>

#include "keelson/api/access.h"
#include "keelson/api/values.h"
#include "keelson/codec/internal/base64.h"
#include "keelson/codec/internal/scalar_text.h"
#include "keelson/codec/json_scalars.h"

namespace keelson::internal {

namespace {

void AppendInteger(int64_t number, std::string& out) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, number);
  out.append(digits, end.ptr);
}

// The integer whose own text is exactly this: "07" and "+7" are not.
std::optional<int64_t> CanonicalInteger(std::string_view text) {
  int64_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  std::string again;
  AppendInteger(number, again);
  return again == text ? std::optional(number) : std::nullopt;
}

ScalarState AppendJsonScalar(const Json& value, std::string& out) {
  switch (value.kind()) {
    case Json::Kind::kNull: return ScalarState::kAbsent;
    case Json::Kind::kBool: out += value.boolean() ? "true" : "false"; break;
    case Json::Kind::kInt: AppendInteger(value.integer(), out); break;
    case Json::Kind::kDouble: AppendJsonDouble(value.number(), out); break;
    case Json::Kind::kString: out += value.string().view(); break;
    case Json::Kind::kList:
    case Json::Kind::kObject: return ScalarState::kNested;
  }
  return ScalarState::kText;
}

// Of a time: the zero one is null in JSON.
template <class T>
ScalarState AppendTime(const void* value, std::string& out) {
  const auto& time = *static_cast<const T*>(value);
  if (time.IsZero()) return ScalarState::kAbsent;
  time.AppendTo(out);
  return ScalarState::kText;
}

}  // namespace

ScalarState AppendScalarText(const Type& type, const void* value, std::string& out) {
  switch (type.kind) {
    case Kind::kBool: out += *static_cast<const bool*>(value) ? "true" : "false"; break;
    case Kind::kInt32: AppendInteger(*static_cast<const int32_t*>(value), out); break;
    case Kind::kInt64: AppendInteger(*static_cast<const int64_t*>(value), out); break;
    case Kind::kDouble: AppendJsonDouble(*static_cast<const double*>(value), out); break;
    case Kind::kString: out += ReadString(type, value); break;
    case Kind::kBytes: AppendBase64(ReadString(type, value), out); break;
    case Kind::kTime: return AppendTime<metav1::Time>(value, out);
    case Kind::kMicroTime: return AppendTime<metav1::MicroTime>(value, out);
    case Kind::kDuration: static_cast<const metav1::Duration*>(value)->AppendTo(out); break;
    case Kind::kQuantity: static_cast<const Quantity*>(value)->AppendTo(out); break;
    case Kind::kIntOrString: out += static_cast<const IntOrString*>(value)->ToString(); break;
    case Kind::kJson: return AppendJsonScalar(*static_cast<const Json*>(value), out);
    case Kind::kOptional: {
      const void* present = ReadOptional(type, value);
      return present == nullptr ? ScalarState::kAbsent : AppendScalarText(*type.element, present, out);
    }
    case Kind::kRawExtension:
    case Kind::kFieldsV1:
    case Kind::kStruct:
    case Kind::kUnion:
    case Kind::kList:
    case Kind::kMap: return ScalarState::kNested;
  }
  return ScalarState::kText;
}

bool ScalarTextIs(const Type& type, const void* value, std::string_view text) {
  if (type.kind == Kind::kString) return ReadString(type, value) == text;
  std::string own;
  return AppendScalarText(type, value, own) != ScalarState::kNested && own == text;
}

Json ScalarFromText(const Type& type, std::string_view text) {
  switch (type.kind) {
    case Kind::kOptional: return text.empty() ? Json() : ScalarFromText(*type.element, text);
    case Kind::kString:
    case Kind::kBytes:
    case Kind::kTime:
    case Kind::kMicroTime:
    case Kind::kDuration:
    case Kind::kQuantity: return Json(text);
    default: break;
  }
  if (type.kind != Kind::kIntOrString && (text == "true" || text == "false")) return Json(text == "true");
  if (const auto number = CanonicalInteger(text)) return Json(*number);
  return Json(text);
}

}  // namespace keelson::internal
