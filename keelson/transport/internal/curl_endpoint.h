// Where a CurlTransport connects: the server's address, and the proxy on the way if there is one.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "keelson/core/result.h"

namespace keelson::internal {

struct ServerAddress {
  bool tls = false;
  std::string host = {};  // without the brackets of an IPv6 address
  uint16_t port = 0;
  std::string prefix = {};  // of every path: "" or "/clusters/a"

  // "https://10.0.0.1:6443/clusters/a", for messages.
  std::string Url() const;
  // "10.0.0.1:6443"; the port only where it is not the scheme's own.
  std::string Authority() const;
};

// "::1" in brackets, other hosts as they are.
std::string BracketedHost(const std::string& host);

Result<ServerAddress> ParseServerUrl(const std::string& url);

// What libcurl is told. `url` may hold a password: `shown` is for messages.
struct ProxyAddress {
  std::string url = {};  // empty: no proxy
  std::string shown = {};

  bool empty() const { return url.empty(); }
};

// http, https, socks5 and socks5h; without a scheme http. With either of the last two the proxy resolves names, as in
// Go.
Result<ProxyAddress> ParseProxyUrl(const std::string& url);

// The value of an environment variable; empty when it is not set.
using Environment = std::function<std::string(const char* name)>;

// By HTTPS_PROXY or HTTP_PROXY and NO_PROXY (or in small letters), by the rules of Go: this machine's own addresses are
// never reached through a proxy; HTTP_PROXY does not count in a CGI program, where a request's header can set it.
Result<ProxyAddress> ProxyFromEnvironment(const ServerAddress& server, const Environment& environment);

// By the environment of this process.
Result<ProxyAddress> ProxyFromEnvironment(const ServerAddress& server);

// Whether a proxy is on the way to the server: a given one or the environment's, never to a unix socket.
Result<bool> IsProxied(const std::string& server_url, const std::string& proxy_url, const std::string& unix_socket);

// Whether NO_PROXY names the host: "*"; an address or a CIDR; "a.b", which names also what is under it; ".a.b" or
// "*.a.b", which name only that; each but the CIDR with a port behind it or without.
bool MatchesNoProxy(std::string_view no_proxy, std::string_view host, uint16_t port);

}  // namespace keelson::internal
