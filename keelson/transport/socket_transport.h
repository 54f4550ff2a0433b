// The transport that clients get: on the calling thread (DirectTransport), or by libcurl where a proxy is on the way
// (CurlTransport).
//
//   KEELSON_TRY(transport, SocketTransport::Create({.server = "https://10.0.0.1:6443"}));
#pragma once

#include <memory>
#include <utility>

#include "keelson/transport/curl_transport.h"
#include "keelson/transport/direct_transport.h"

namespace keelson {

class SocketTransport final : public Transport {
 public:
  // Reads nothing from the network. Errors: a malformed URL, unreadable or malformed certificates, a simulation.
  static Result<std::unique_ptr<SocketTransport>> Create(CurlTransportOptions options);

  Result<HttpResponse> Send(HttpRequest request, const CallScope& scope) override;
  Result<HttpResponse> SendKept(HttpRequest& request, const CallScope& scope) override;

  // From now on new connections show this certificate (an exec plugin gave it) and present ones serve no new call.
  Result<void> SetClientCertificate(PemSource certificate, PemSource key);

 private:
  SocketTransport(std::unique_ptr<DirectTransport> direct, std::unique_ptr<CurlTransport> curl)
      : direct_(std::move(direct)), curl_(std::move(curl)) {}

  // One of them is null.
  const std::unique_ptr<DirectTransport> direct_;
  const std::unique_ptr<CurlTransport> curl_;
};

}  // namespace keelson
