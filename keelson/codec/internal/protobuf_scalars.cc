#include "keelson/codec/internal/protobuf_scalars.h"

#include <simdjson.h>

#include <algorithm>
#include <bit>
#include <chrono>

#include "keelson/api/values.h"

namespace keelson::internal {

namespace {

std::string NameOf(WireType wire) {
  switch (wire) {
    case WireType::kVarint: return "a varint (wire type 0)";
    case WireType::kFixed64: return "eight bytes (wire type 1)";
    case WireType::kBytes: return "bytes with a length (wire type 2)";
    case WireType::kGroupStart: return "the start of a group (wire type 3)";
    case WireType::kGroupEnd: return "the end of a group (wire type 4)";
    case WireType::kFixed32: return "four bytes (wire type 5)";
  }
  return "wire type " + std::to_string(static_cast<uint32_t>(wire)) + ", which does not exist";
}

}  // namespace

bool IsUtf8(std::string_view text) { return simdjson::validate_utf8(text.data(), text.size()); }

std::string ProtobufScalars::Description() const {
  std::string text;
  for (size_t i = path_.size(); i-- > 0;) {
    if (!text.empty() && path_[i].front() != '[') text += '.';
    text += path_[i];
  }
  if (!text.empty()) text += ": ";
  return text + reason_;
}

bool ProtobufScalars::FailOnWireType(WireType expected, WireType found) {
  return Fail("expected " + NameOf(expected) + ", found " + NameOf(found));
}

bool ProtobufScalars::FailOnVarint(const Input& in) {
  return Fail(in.left() < kMaxVarintBytes ? "expected a varint, found the end of the message"
                                          : "expected a varint of at most 64 bits, found a longer one");
}

bool ProtobufScalars::FailOnEnd(uint64_t expected, size_t found) {
  return Fail("expected " + std::to_string(expected) + " bytes, found the end of the message after " +
              std::to_string(found));
}

bool ProtobufScalars::FailOnLength() {
  return Fail("there are more than " + std::to_string(kMaxNodeLength) + " bytes, elements or entries");
}

bool ProtobufScalars::CheckView(std::string_view view, bool is_text) {
  if (is_text && !IsUtf8(view)) return Fail("expected text in UTF-8, found other bytes");
  return CheckLength(view.size());
}

bool ProtobufScalars::Skip(Input& in, uint32_t tag) {
  const uint8_t* next = SkipField(in.at, in.end, tag);
  if (next == nullptr) {
    return Fail("field " + std::to_string(FieldNumber(tag)) + ", which is unknown here, is malformed or cut off");
  }
  in.at = next;
  return true;
}

bool ProtobufScalars::ReadNumber(Kind kind, std::byte* value, WireType wire, Input& in) {
  if (kind == Kind::kDouble) {
    if (wire != WireType::kFixed64) return FailOnWireType(WireType::kFixed64, wire);
    if (in.left() < 8) return FailOnEnd(8, in.left());
    uint64_t bits = 0;
    for (int i = 7; i >= 0; --i) bits = bits << 8 | in.at[i];
    in.at += 8;
    *reinterpret_cast<double*>(value) = std::bit_cast<double>(bits);
    return true;
  }
  uint64_t number = 0;
  if (!ReadInteger(in, wire, &number)) return false;
  if (kind == Kind::kBool) {
    *reinterpret_cast<bool*>(value) = number != 0;
  } else if (kind == Kind::kInt32) {
    *reinterpret_cast<int32_t*>(value) = static_cast<int32_t>(static_cast<uint32_t>(number));
  } else {
    *reinterpret_cast<int64_t*>(value) = static_cast<int64_t>(number);
  }
  return true;
}

bool ProtobufScalars::ReadTimestamp(Input in, int64_t* seconds, int64_t* nanoseconds) {
  uint64_t values[2] = {};
  const bool read = ReadSmallMessage(in, [&](uint32_t number, WireType wire, Input& field, bool* known) {
    *known = number == 1 || number == 2;
    return !*known || ReadInteger(field, wire, &values[number - 1]);
  });
  *seconds = static_cast<int64_t>(values[0]);
  *nanoseconds = static_cast<int32_t>(static_cast<uint32_t>(values[1]));
  return read;
}

// A message without any field is Go's zero time; one with fields counts from 1970. Parts of a second are cut off as Go
// does, because JSON has no place for them.
bool ProtobufScalars::ReadTime(Input in, std::byte* value) {
  int64_t seconds = 0;
  int64_t nanoseconds = 0;
  if (!ReadTimestamp(in, &seconds, &nanoseconds)) return false;
  *reinterpret_cast<metav1::Time*>(value) = in.done() ? metav1::Time() : metav1::Time::FromUnix(seconds);
  return true;
}

bool ProtobufScalars::ReadMicroTime(Input in, std::byte* value) {
  int64_t seconds = 0;
  int64_t nanoseconds = 0;
  if (!ReadTimestamp(in, &seconds, &nanoseconds)) return false;
  const __int128 exact = static_cast<__int128>(seconds) * 1'000'000 + FloorDivide(nanoseconds, 1000);
  const auto micros = static_cast<int64_t>(std::clamp<__int128>(exact, INT64_MIN, INT64_MAX));
  *reinterpret_cast<metav1::MicroTime*>(value) =
      in.done() ? metav1::MicroTime() : metav1::MicroTime::FromUnixMicros(micros);
  return true;
}

bool ProtobufScalars::ReadDuration(Input in, std::byte* value) {
  uint64_t nanoseconds = 0;
  const bool read = ReadSmallMessage(in, [&](uint32_t number, WireType wire, Input& field, bool* known) {
    *known = number == 1;
    return !*known || ReadInteger(field, wire, &nanoseconds);
  });
  const std::chrono::nanoseconds span(static_cast<int64_t>(nanoseconds));
  *reinterpret_cast<metav1::Duration*>(value) = metav1::Duration(span);
  return read;
}

bool ProtobufScalars::ReadOnlyString(Input in, bool is_text, std::string_view* view) {
  return ReadSmallMessage(in, [&](uint32_t number, WireType wire, Input& field, bool* known) {
    *known = number == 1;
    return !*known || ReadView(field, wire, is_text, view);
  });
}

bool ProtobufScalars::ReadQuantity(Input in, std::byte* value) {
  std::string_view text;
  if (!ReadOnlyString(in, true, &text)) return false;
  if (text.empty()) text = "0";
  Result<Quantity> quantity = Quantity::Parse(text);
  if (!quantity) return Fail(std::move(quantity).error().message());
  *reinterpret_cast<Quantity*>(value) = *quantity;
  return true;
}

bool ProtobufScalars::ReadIntOrString(Input in, std::byte* value, bool share) {
  uint64_t numbers[2] = {};  // the type and the number
  std::string_view text;
  const bool read = ReadSmallMessage(in, [&](uint32_t number, WireType wire, Input& field, bool* known) {
    if (number == 1 || number == 2) return ReadInteger(field, wire, &numbers[number - 1]);
    *known = number == 3;
    return !*known || ReadView(field, wire, true, &text);
  });
  if (!read) return false;
  if (numbers[0] > 1) return Fail("expected type 0 (a number) or 1 (text), found " + std::to_string(numbers[0]));
  String own;
  SetString(reinterpret_cast<std::byte*>(&own), text, share);
  *reinterpret_cast<IntOrString*>(value) =
      IntOrString::FromParts(numbers[0] == 1, static_cast<int32_t>(static_cast<uint32_t>(numbers[1])), std::move(own));
  return true;
}

bool ProtobufScalars::ReadRawExtension(Input in, std::byte* value, bool share) {
  std::string_view raw;
  if (!ReadOnlyString(in, false, &raw)) return false;
  SetString(value, raw, share);
  return true;
}

}  // namespace keelson::internal
