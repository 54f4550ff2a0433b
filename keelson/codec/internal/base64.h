// Base64 as JSON carries binary data: the standard alphabet with padding.
//
//   std::string text;
//   AppendBase64("\x01\x02", text);            // "AQI="
//   std::string bytes;
//   if (!DecodeBase64(text, bytes)) …           // not base64: `bytes` is unchanged
#pragma once

#include <string>
#include <string_view>

namespace keelson::internal {

void AppendBase64(std::string_view bytes, std::string& out);

// Appends the bytes to `out`. Accepts what Go's encoding/json accepts: complete groups of four with padding, '\r' and
// '\n' anywhere, any value in the bits that the last character has to spare.
[[nodiscard]] bool DecodeBase64(std::string_view text, std::string& out);

}  // namespace keelson::internal
