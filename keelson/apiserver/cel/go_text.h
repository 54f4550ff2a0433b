// Text in the form that Go's library prints it, since Kubernetes' messages are made with it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace keelson::apiserver::cel {

// As %q prints text: "a\tb", with \x, \u and \U for what cannot be shown.
std::string Quoted(std::string_view text);

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

}  // namespace keelson::apiserver::cel
