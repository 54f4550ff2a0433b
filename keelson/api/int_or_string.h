// A number or a string: ports ("http", 8080) and amounts ("25%", 1).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "keelson/api/box.h"
#include "keelson/core/result.h"

namespace keelson {

class IntOrString {
 public:
  constexpr IntOrString() = default;  // the number 0
  constexpr IntOrString(int32_t number) : number_(number) {}
  IntOrString(String text) : text_(std::move(text)), is_string_(1) {}
  IntOrString(std::string_view text) : IntOrString(String(text)) {}
  IntOrString(const char* text) : IntOrString(String(text)) {}

  bool is_string() const { return is_string_ != 0; }
  int32_t number() const { return number_; }  // 0 when it is a string
  const String& text() const& { return text_; }
  const String& text() && = delete;
  std::string ToString() const { return is_string() ? text_.str() : std::to_string(number_); }

  // "25%" of `total`, rounded up or down, or the number itself.
  Result<int32_t> Scaled(int32_t total, bool round_up) const;

  // For the wire, where both halves travel.
  static IntOrString FromParts(bool is_string, int32_t number, String text) {
    IntOrString value;
    value.is_string_ = is_string ? 1 : 0;
    value.number_ = number;
    value.text_ = std::move(text);
    return value;
  }

  friend bool operator==(const IntOrString&, const IntOrString&) = default;

 private:
  String text_;
  int32_t number_ = 0;
  int32_t is_string_ = 0;  // as wide as the number, so that no padding follows
};

template <>
inline constexpr bool kIsPlainValue<IntOrString> = true;
template <>
struct Describe<IntOrString> {
  static const Type type;
};

}  // namespace keelson
