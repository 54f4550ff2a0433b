#include "keelson/runtime/bind_address.h"

#include <fmt/format.h>

#include <charconv>

namespace keelson {

namespace {

std::optional<uint16_t> ParsePort(std::string_view text) {
  uint16_t port = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return port;
}

// What may stand in a name or a number: anything else is a slip, such as a URL.
bool IsHost(std::string_view text, bool bracketed) {
  for (const char c : text) {
    const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    const bool sign = c == '.' || c == '-' || c == '_' || (bracketed && (c == ':' || c == '%'));
    if (!word && !sign) return false;
  }
  return true;
}

}  // namespace

Result<std::optional<BindAddress>> ParseBindAddress(std::string_view what, std::string_view text) {
  if (text.empty() || text == "0") return std::optional<BindAddress>();
  const auto refused = [&](std::string_view why) {
    return Error::InvalidArgument(
        fmt::format("{} is \"{}\", {}; expected an address and a port, such as \":8080\", \"127.0.0.1:8080\" or "
                    "\"[::1]:8080\", or \"0\" for no server",
                    what, text.substr(0, 200), why));
  };
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return refused("which has no port");
  std::string_view host = text.substr(0, colon);
  const std::optional<uint16_t> port = ParsePort(text.substr(colon + 1));
  const bool bracketed = host.starts_with('[') && host.ends_with(']') && host.size() > 2;
  if (bracketed) host = host.substr(1, host.size() - 2);
  if (!bracketed && host.find(':') != std::string_view::npos) return refused("in which an IPv6 address needs brackets");
  if (!port) return refused("whose port is no number up to 65535");
  if (!IsHost(host, bracketed)) return refused("in which the part before the port is no address");
  return std::optional<BindAddress>(BindAddress{.host = std::string(host), .port = *port});
}

}  // namespace keelson
