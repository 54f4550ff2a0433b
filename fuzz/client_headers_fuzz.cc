// Headers of answers that clients act on: Warning and Retry-After.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "keelson/client/retry_transport.h"
#include "keelson/client/warnings.h"

namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

std::string Print(const std::vector<keelson::ServerWarning>& warnings) {
  std::string header;
  for (const keelson::ServerWarning& warning : warnings) {
    if (!header.empty()) header += ", ";
    std::string code = std::to_string(warning.code);
    header += std::string(3 - code.size(), '0') + code + " " + warning.agent + " \"";
    for (const char c : warning.text) {
      if (c == '"' || c == '\\') header += '\\';
      header += c;
    }
    header += '"';
  }
  return header;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);

  // What is read prints to a header that reads the same, and nothing in it could steer a terminal.
  const std::vector<keelson::ServerWarning> warnings = keelson::ParseWarnings(text);
  const std::string printed = Print(warnings);
  Require(Print(keelson::ParseWarnings(printed)) == printed);
  for (const char c : printed) Require(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);

  const std::optional<keelson::Duration> delay = keelson::ParseRetryAfter(text, keelson::WallTime());
  Require(!delay || (*delay >= keelson::Duration::zero() && *delay <= std::chrono::hours(24 * 365)));
  return 0;
}
