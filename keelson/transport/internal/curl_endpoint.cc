#include "keelson/transport/internal/curl_endpoint.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

#include "keelson/core/ascii.h"
#include "keelson/transport/http_message.h"
#include "keelson/transport/internal/url.h"

namespace keelson::internal {

namespace {

uint16_t DefaultPort(std::string_view scheme) {
  if (scheme == "https") return 443;
  return scheme == "http" ? 80 : 1080;
}

// Go's form of an address in 16 bytes: IPv4 is mapped into IPv6.
using Address = std::array<uint8_t, 16>;

struct ParsedAddress {
  Address bytes = {};
  bool v4 = false;
};

std::optional<ParsedAddress> ParseAddress(std::string_view text) {
  const std::string terminated(text);
  ParsedAddress address;
  in_addr four = {};
  if (inet_pton(AF_INET, terminated.c_str(), &four) == 1) {
    address.v4 = true;
    address.bytes[10] = address.bytes[11] = 0xff;
    std::memcpy(address.bytes.data() + 12, &four, sizeof four);
    return address;
  }
  if (inet_pton(AF_INET6, terminated.c_str(), address.bytes.data()) != 1) return std::nullopt;
  static constexpr uint8_t kMapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  address.v4 = std::memcmp(address.bytes.data(), kMapped, sizeof kMapped) == 0;
  return address;
}

bool IsLoopback(const ParsedAddress& address) {
  if (address.v4) return address.bytes[12] == 127;
  Address one = {};
  one[15] = 1;
  return address.bytes == one;
}

template <class Number>
std::optional<Number> ParseNumber(std::string_view text) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool InNetwork(std::string_view network, unsigned bits, const ParsedAddress& address) {
  const std::optional<ParsedAddress> base = ParseAddress(network);
  if (!base || base->v4 != address.v4) return false;
  if (base->v4) bits += 96;
  if (bits > 128) return false;
  for (unsigned bit = 0; bit < bits; ++bit) {
    const uint8_t mask = static_cast<uint8_t>(0x80 >> bit % 8);
    if ((base->bytes[bit / 8] ^ address.bytes[bit / 8]) & mask) return false;
  }
  return true;
}

bool MatchesEntry(std::string_view entry, std::string_view host, uint16_t port,
                  const std::optional<ParsedAddress>& address) {
  if (entry == "*") return true;
  if (const size_t slash = entry.find('/'); slash != entry.npos) {
    const std::optional<unsigned> bits = ParseNumber<unsigned>(entry.substr(slash + 1));
    if (bits) return address && InNetwork(entry.substr(0, slash), *bits, *address);
  }
  // host:port, [v6]:port, [v6], v6
  std::string_view name = entry;
  if (name.starts_with('[')) {
    const size_t closing = name.find(']');
    if (closing == name.npos) return false;
    std::string_view behind = name.substr(closing + 1);
    name = name.substr(1, closing - 1);
    if (behind.starts_with(':') && ParseNumber<uint16_t>(behind.substr(1)) != port) return false;
  } else if (const size_t colon = name.find(':'); colon != name.npos && name.find(':', colon + 1) == name.npos) {
    if (ParseNumber<uint16_t>(name.substr(colon + 1)) != port) return false;
    name = name.substr(0, colon);
  }
  if (name.empty()) return false;
  if (const std::optional<ParsedAddress> named = ParseAddress(name)) return address && named->bytes == address->bytes;
  if (name.starts_with("*.")) name.remove_prefix(1);
  if (name.starts_with('.')) return host.size() > name.size() && host.ends_with(name);
  return host == name ||
         (host.size() > name.size() && host.ends_with(name) && host[host.size() - name.size() - 1] == '.');
}

}  // namespace

std::string BracketedHost(const std::string& host) { return host.find(':') == host.npos ? host : "[" + host + "]"; }

std::string ServerAddress::Authority() const {
  std::string authority = BracketedHost(host);
  if (port != DefaultPort(tls ? "https" : "http")) authority += ":" + std::to_string(port);
  return authority;
}

std::string ServerAddress::Url() const { return (tls ? "https://" : "http://") + Authority() + prefix; }

Result<ServerAddress> ParseServerUrl(const std::string& text) {
  const auto malformed = [&](std::string_view what) {
    // A password may stand in front of an @: such a URL is not repeated.
    const std::string shown = text.find('@') == text.npos ? "\"" + text + "\" " : "";
    return Error::InvalidArgument("the server's URL " + shown + std::string(what) +
                                  "; expected for example https://10.0.0.1:6443");
  };
  Result<internal::Url> url = ParseUrl(text);
  if (!url) return malformed(url.error().message());
  if (url->scheme != "http" && url->scheme != "https") return malformed("is neither http nor https");
  if (url->user || url->password) return malformed("holds a user or password, which belong in the credentials");
  if (!url->query.empty() || !url->fragment.empty()) return malformed("goes on behind its path");
  ServerAddress address{.tls = url->scheme == "https",
                        .host = std::move(url->host),
                        .port = url->port.value_or(DefaultPort(url->scheme)),
                        .prefix = std::move(url->path)};
  while (address.prefix.ends_with('/')) address.prefix.pop_back();
  return address;
}

Result<ProxyAddress> ParseProxyUrl(const std::string& text) {
  const auto malformed = [&](const std::string& what) {
    return Error::InvalidArgument("the proxy's URL " + what +
                                  "; expected http://, https://, socks5:// or socks5h:// and a host and port");
  };
  const Result<internal::Url> url = ParseUrl(text.find("://") == text.npos ? "http://" + text : text);
  if (!url) return malformed(url.error().message());
  const std::string& scheme = url->scheme;
  if (scheme != "http" && scheme != "https" && scheme != "socks5" && scheme != "socks5h") {
    return malformed("has the scheme \"" + scheme + "\"");
  }
  std::string credentials;
  if (url->user) credentials = *url->user + (url->password ? ":" + *url->password : "") + "@";
  const std::string location = BracketedHost(url->host) + ":" + std::to_string(url->port.value_or(DefaultPort(scheme)));
  const std::string_view spoken = scheme == "socks5" ? "socks5h" : std::string_view(scheme);
  return ProxyAddress{.url = std::string(spoken) + "://" + credentials + location, .shown = scheme + "://" + location};
}

bool MatchesNoProxy(std::string_view no_proxy, std::string_view host, uint16_t port) {
  std::string wanted = AsciiLower(host);
  if (wanted.ends_with('.')) wanted.pop_back();
  const std::optional<ParsedAddress> address = ParseAddress(wanted);
  while (!no_proxy.empty()) {
    const size_t comma = std::min(no_proxy.find(','), no_proxy.size());
    const std::string entry = AsciiLower(Trim(no_proxy.substr(0, comma), " \t"));
    no_proxy.remove_prefix(std::min(comma + 1, no_proxy.size()));
    if (!entry.empty() && MatchesEntry(entry, wanted, port, address)) return true;
  }
  return false;
}

Result<ProxyAddress> ProxyFromEnvironment(const ServerAddress& server, const Environment& environment) {
  const auto either = [&](const char* large, const char* small) {
    std::string value = environment(large);
    return value.empty() ? environment(small) : value;
  };
  std::string url;
  if (server.tls) {
    url = either("HTTPS_PROXY", "https_proxy");
  } else if (environment("REQUEST_METHOD").empty()) {
    url = either("HTTP_PROXY", "http_proxy");
  }
  if (url.empty()) return ProxyAddress();
  if (EqualsIgnoringCase(server.host, "localhost")) return ProxyAddress();
  if (const auto address = ParseAddress(server.host); address && IsLoopback(*address)) return ProxyAddress();
  if (MatchesNoProxy(either("NO_PROXY", "no_proxy"), server.host, server.port)) return ProxyAddress();
  Result<ProxyAddress> proxy = ParseProxyUrl(url);
  if (!proxy) return Error(proxy.error()).WithContext(server.tls ? "HTTPS_PROXY" : "HTTP_PROXY");
  return proxy;
}

Result<ProxyAddress> ProxyFromEnvironment(const ServerAddress& server) {
  return ProxyFromEnvironment(server, [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  });
}

Result<bool> IsProxied(const std::string& server_url, const std::string& proxy_url, const std::string& unix_socket) {
  KEELSON_TRY(server, ParseServerUrl(server_url));
  if (!unix_socket.empty()) return false;
  if (!proxy_url.empty()) return true;
  KEELSON_TRY(proxy, ProxyFromEnvironment(server));
  return !proxy.empty();
}

}  // namespace keelson::internal
