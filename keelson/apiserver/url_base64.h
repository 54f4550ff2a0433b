// Base64 as URLs and tokens carry it: the alphabet with - and _, without padding.
#pragma once

#include <string>
#include <string_view>

namespace keelson::apiserver {

std::string EncodeUrlBase64(std::string_view bytes);
// Appends the bytes to `out`; false when the text is not of that kind.
[[nodiscard]] bool DecodeUrlBase64(std::string_view text, std::string& out);

}  // namespace keelson::apiserver
