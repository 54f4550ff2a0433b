// Text and values in the form that Go's library prints them, since Kubernetes' messages are made with it; and the code
// points of a text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/api/json.h"

namespace keelson::apiserver {

// As %q prints text: "a\tb", with \x, \u and \U for what cannot be shown.
std::string Quoted(std::string_view text);

// As %v prints a float64: 0.5, 1e+06, 1e-05.
std::string GoFloat(double value);
// As %v prints what was read from YAML, where every number is a float64: map[a:1 b:[x true <nil>]]
std::string GoText(const Json& value);
// The same as %#v prints it: map[string]interface {}{"a":1}
std::string GoSyntax(const Json& value);
// As %T names a decoded value: "int64", "map[string]interface {}".
std::string_view GoTypeName(const Json& value);

inline constexpr uint32_t kReplacementCharacter = 0xfffd;

// The code point at `position`, which is moved behind it. A byte that is no UTF-8 counts as one kReplacementCharacter.
uint32_t NextCodePoint(std::string_view text, size_t& position);
void AppendCodePoint(std::string& out, uint32_t code_point);
std::vector<uint32_t> DecodeCodePoints(std::string_view text);
std::string FromCodePoints(const uint32_t* begin, const uint32_t* end);

// Whether Unicode counts it as white space.
bool IsSpace(uint32_t code_point);
// Without white space at both ends.
std::string_view TrimSpace(std::string_view text);

}  // namespace keelson::apiserver
