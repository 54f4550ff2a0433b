// Scalars as JSON text, byte for byte as Go's encoding/json writes them.
//
//   AppendJsonString("a<b", out);     // "a\u003cb"
//   AppendJsonDouble(1e21, out);      // 1e+21
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace keelson {

// Quoted. '<', '>', '&', U+2028 and U+2029 are escaped, so that the text is safe inside HTML and JavaScript; each byte
// that is not valid UTF-8 becomes U+FFFD.
void AppendJsonString(std::string_view text, std::string& out);

// The shortest digits that read back as the same number, with an exponent below 1e-6 and from 1e21 on. JSON has no NaN
// and no infinity: they become null.
void AppendJsonDouble(double value, std::string& out);

// Spreads compact JSON over lines, as `kubectl -o json` shows it. Empty objects and lists stay `{}` and `[]`.
void AppendIndentedJson(std::string_view compact, int indent, std::string& out);

namespace internal {

// The escaped text without quotes. `to` has room for kMaxEscapedLength(text.size()); returns the end.
constexpr size_t kMaxEscapedLength(size_t length) { return length * 6 + 16; }
char* WriteEscaped(char* to, std::string_view text);

// Length of the valid UTF-8 sequence at the start of `text`, which is not empty; 0 when there is none.
size_t ValidUtf8Length(std::string_view text);

// Longest text of AppendJsonDouble.
inline constexpr size_t kMaxDoubleLength = 32;
char* WriteDouble(char* to, double value);

// Appends `text` without the space between its tokens, escaped as strings are. When it is not one JSON value, or is
// nested deeper than kMaxRawDepth, returns false and leaves `out` as it was.
inline constexpr int kMaxRawDepth = 10'000;
[[nodiscard]] bool AppendCompactJson(std::string_view text, std::string& out);

}  // namespace internal
}  // namespace keelson
