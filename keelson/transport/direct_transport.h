// Calls on the calling thread: HTTP/1.1 over kept connections, TCP, TLS or a unix socket.
//
//   KEELSON_TRY(transport, DirectTransport::Create({.server = "https://10.0.0.1:6443", .tls = {.ca = {.file =
//   "ca.crt"}}}));
//
// A call writes its request and reads its answer itself; no other thread takes part, so a call costs little more than
// the system's own work. The body is read from the socket as its reader asks for it, so a slow reader holds back the
// server and nothing else. Each call under way has a connection: unary calls one that is kept, streaming ones one of
// their own. Files of certificates are read again when they change: new connections use them, and old ones are not used
// for new calls. Made inside a simulation it is an error.
//
// gzip is asked for unless the server is on this machine, where it would cost both sides work and save nothing.
#pragma once

#include <memory>
#include <string>

#include "keelson/transport/tls.h"
#include "keelson/transport/transport.h"

namespace keelson {

namespace internal {
class DirectPool;
}

struct DirectTransportOptions {
  std::string server = {};  // "https://host:6443/prefix", "http://127.0.0.1:8080"
  TlsClientOptions tls = {};
  std::string unix_socket = {};  // path of the socket to connect to instead of the server's host
  bool disable_compression = false;
  Duration connect_timeout = std::chrono::seconds(30);
  Duration keep_alive = std::chrono::seconds(30);    // between probes of a silent connection
  Duration idle_timeout = std::chrono::seconds(90);  // after which a connection serves no new call
  size_t max_connections = 64;                       // of unary calls; calls beyond that wait
};

class DirectTransport final : public Transport {
 public:
  // Reads nothing from the network. Errors: a malformed URL, unreadable or malformed certificates, a simulation.
  static Result<std::unique_ptr<DirectTransport>> Create(DirectTransportOptions options);
  // Calls under way end with kCancelled.
  ~DirectTransport() override;

  Result<HttpResponse> Send(HttpRequest request, const CallScope& scope) override { return SendKept(request, scope); }
  Result<HttpResponse> SendKept(HttpRequest& request, const CallScope& scope) override;

  // From now on new connections show this certificate (an exec plugin gave it) and present ones serve no new call.
  Result<void> SetClientCertificate(PemSource certificate, PemSource key);
  // Present connections serve no new call.
  void CloseIdle();

 private:
  explicit DirectTransport(std::shared_ptr<internal::DirectPool> pool);
  const std::shared_ptr<internal::DirectPool> pool_;
};

}  // namespace keelson
