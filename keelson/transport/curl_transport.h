// The transport to a server elsewhere: HTTP/1.1 and HTTP/2 over TCP, TLS or a unix socket, by libcurl.
//
//   KEELSON_TRY(transport, CurlTransport::Create({.server = "https://10.0.0.1:6443", .tls = {.ca = {.file =
//   "ca.crt"}}}));
//
// One thread runs all transfers; Send blocks on it. Unary calls share connections (HTTP/2 streams); a streaming call
// has its own, whose socket is not read while its reader is slow. Files of certificates are read again when they
// change: new connections use them, and old ones are not used for new calls. Made inside a simulation it is an error.
#pragma once

#include <memory>
#include <string>

#include "keelson/transport/tls.h"
#include "keelson/transport/transport.h"

namespace keelson {

namespace internal {
class CurlLoop;
}

struct CurlTransportOptions {
  std::string server = {};  // "https://host:6443/prefix", "http://127.0.0.1:8080"
  TlsClientOptions tls = {};
  std::string proxy_url = {};  // http, https, socks5(h); empty: HTTPS_PROXY, HTTP_PROXY and NO_PROXY of the environment
  std::string unix_socket = {};  // path of the socket to connect to instead of the server's host
  bool disable_compression = false;
  bool http2 = true;  // over TLS, where the server offers it
  Duration connect_timeout = std::chrono::seconds(30);
  Duration keep_alive = std::chrono::seconds(30);  // between probes of a silent connection
  size_t max_connections = 64;                     // that unary calls share
  size_t stream_buffer = size_t{1} << 20;          // bytes of a streaming answer held for a slow reader
};

class CurlTransport final : public Transport {
 public:
  // Reads nothing from the network. Errors: a malformed URL, unreadable or malformed certificates, a simulation.
  static Result<std::unique_ptr<CurlTransport>> Create(CurlTransportOptions options);
  // Calls under way end with kCancelled.
  ~CurlTransport() override;

  Result<HttpResponse> Send(HttpRequest request, const CallScope& scope) override;

  // From now on new connections show this certificate (an exec plugin gave it) and present ones serve no new call.
  Result<void> SetClientCertificate(PemSource certificate, PemSource key);
  // Present connections serve no new call.
  void CloseIdle();

 private:
  explicit CurlTransport(std::unique_ptr<internal::CurlLoop> loop);
  const std::unique_ptr<internal::CurlLoop> loop_;
};

}  // namespace keelson
