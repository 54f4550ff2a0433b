// The HTTP server of everything here that serves: API server, webhooks, metrics, health.
//
//   KEELSON_TRY(server, HttpServer::Start(handler, {.address = "127.0.0.1", .port = 0}));
//   Print("listening on {}", server->port());
//   server->Drain(10s);
//
// HTTP/1.1 and HTTP/2 (by ALPN over TLS, by prior knowledge without), on Boost.Asio and nghttp2. Certificate, key and
// client CA are read again when their files change; open connections go on. Made inside a simulation it is an error.
// The limits below hold in spite of clients that want to do harm: a refused request costs less here than there.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "keelson/core/result.h"
#include "keelson/core/time.h"
#include "keelson/transport/handler.h"
#include "keelson/transport/tls.h"

namespace keelson {

struct HttpServerOptions {
  std::string address = "127.0.0.1";
  uint16_t port = 0;             // 0: any free one
  std::string unix_socket = {};  // listens there instead
  std::optional<TlsServerOptions> tls = {};
  unsigned threads = 0;  // that read and write sockets and call the handler; 0: as many as the machine has

  size_t max_header_bytes = size_t{64} << 10;
  size_t max_body_bytes = size_t{3} << 20;
  uint32_t max_streams = 250;      // at a time on one HTTP/2 connection
  size_t max_connections = 10000;  // more are closed at once
  Duration header_timeout =
      std::chrono::seconds(10);  // from connect, or a later request's first byte, to whole headers
  // For a request's body to arrive, and for a finished answer to wait without the client taking a byte.
  Duration body_timeout = std::chrono::seconds(60);
  Duration idle_timeout = std::chrono::seconds(120);  // without a request on the connection
  // Bytes of answers that one HTTP/2 client has not taken before its further requests wait.
  size_t write_buffer = size_t{16} << 20;
};

class HttpServer {
 public:
  // The handler outlives the server. Errors: the address is taken or not ours, unusable certificates, a simulation.
  static Result<std::unique_ptr<HttpServer>> Start(HttpHandler& handler, HttpServerOptions options = {});
  // Drops what is left.
  ~HttpServer();

  uint16_t port() const;
  // "https://127.0.0.1:6443"
  std::string url() const;

  // Accepts no more, tells HTTP/2 clients to go away, calls `closed` of streaming answers, and waits for requests under
  // way. True when all were done in time; the rest is cut.
  bool Drain(Duration at_most);

 private:
  class Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);
  const std::unique_ptr<Impl> impl_;
};

}  // namespace keelson
