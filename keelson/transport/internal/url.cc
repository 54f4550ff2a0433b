#include "keelson/transport/internal/url.h"

#include <algorithm>
#include <charconv>

#include "keelson/core/ascii.h"

namespace keelson::internal {

namespace {

bool IsAlphanumeric(char c) { return (c >= '0' && c <= '9') || (AsciiLower(c) >= 'a' && AsciiLower(c) <= 'z'); }

bool AllOf(std::string_view text, std::string_view also) {
  return std::all_of(text.begin(), text.end(), [&](char c) { return IsAlphanumeric(c) || also.find(c) != also.npos; });
}

Error Malformed(std::string_view what) { return Error::InvalidArgument(std::string(what)); }

Result<uint16_t> ParsePort(std::string_view text) {
  uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size() || port == 0) {
    return Malformed("has a port that is not between 1 and 65535");
  }
  return port;
}

Result<void> ParseHostAndPort(std::string_view text, Url& url) {
  std::string_view port;
  if (text.starts_with('[')) {
    const size_t closing = text.find(']');
    if (closing == text.npos) return Malformed("has a bracket that is not closed");
    url.host = text.substr(1, closing - 1);
    port = text.substr(closing + 1);
    // An address may name its interface behind a percent sign.
    if (url.host.find(':') == url.host.npos || !AllOf(url.host, ":.%-_")) {
      return Malformed("has brackets around what is no IPv6 address");
    }
  } else {
    const size_t colon = std::min(text.find(':'), text.size());
    url.host = text.substr(0, colon);
    port = text.substr(colon);
    if (!AllOf(url.host, "-._~")) return Malformed("has a host with characters that hosts do not have");
  }
  if (url.host.empty()) return Malformed("names no host");
  if (port.empty() || port == ":") return {};
  if (!port.starts_with(':')) return Malformed("goes on behind the brackets of its host");
  KEELSON_TRY(number, ParsePort(port.substr(1)));
  url.port = number;
  return {};
}

}  // namespace

Result<Url> ParseUrl(std::string_view text) {
  if (std::any_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == 0x7f; })) {
    return Malformed("holds a blank or a control character");
  }
  const size_t scheme_end = text.find("://");
  if (scheme_end == text.npos || scheme_end == 0 || !AllOf(text.substr(0, scheme_end), "+-.")) {
    return Malformed("has no scheme");
  }
  Url url{.scheme = AsciiLower(text.substr(0, scheme_end))};
  text.remove_prefix(scheme_end + 3);
  const auto cut_from = [&](char first) {
    const size_t at = std::min(text.find(first), text.size());
    const std::string_view rest = text.substr(std::min(at + 1, text.size()));
    text = text.substr(0, at);
    return std::string(rest);
  };
  url.fragment = cut_from('#');
  url.query = cut_from('?');
  const size_t slash = std::min(text.find('/'), text.size());
  url.path = text.substr(slash);
  text = text.substr(0, slash);
  if (const size_t at = text.rfind('@'); at != text.npos) {
    const std::string_view credentials = text.substr(0, at);
    const size_t colon = std::min(credentials.find(':'), credentials.size());
    url.user = credentials.substr(0, colon);
    if (colon < credentials.size()) url.password = credentials.substr(colon + 1);
    text.remove_prefix(at + 1);
  }
  KEELSON_RETURN_IF_ERROR(ParseHostAndPort(text, url));
  return url;
}

}  // namespace keelson::internal
