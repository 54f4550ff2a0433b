// The transport that clients get: unary calls on the calling thread (DirectTransport), the rest by libcurl
// (CurlTransport): streams, and everything behind a proxy.
//
//   KEELSON_TRY(transport, SocketTransport::Create({.server = "https://10.0.0.1:6443"}));
#pragma once

#include <memory>

#include "keelson/core/mutex.h"
#include "keelson/transport/curl_transport.h"
#include "keelson/transport/direct_transport.h"

namespace keelson {

class SocketTransport final : public Transport {
 public:
  // As of CurlTransport, whose thread is started by the first call that needs it.
  static Result<std::unique_ptr<SocketTransport>> Create(CurlTransportOptions options);

  Result<HttpResponse> Send(HttpRequest request, const CallScope& scope) override;

  // From now on new connections show this certificate (an exec plugin gave it) and present ones serve no new call.
  Result<void> SetClientCertificate(PemSource certificate, PemSource key);

 private:
  SocketTransport(CurlTransportOptions options, std::unique_ptr<DirectTransport> direct)
      : direct_(std::move(direct)), options_(std::move(options)) {}
  Result<CurlTransport*> Curl();

  const std::unique_ptr<DirectTransport> direct_;  // null behind a proxy

  Mutex mutex_{"socket transport"};
  // Guarded by mutex_.
  CurlTransportOptions options_;
  std::unique_ptr<CurlTransport> curl_;  // once made, it stays
};

}  // namespace keelson
