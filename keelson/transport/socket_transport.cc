#include "keelson/transport/socket_transport.h"

#include "keelson/transport/internal/curl_endpoint.h"

namespace keelson {

Result<std::unique_ptr<SocketTransport>> SocketTransport::Create(CurlTransportOptions options) {
  KEELSON_TRY(proxied, internal::IsProxied(options.server, options.proxy_url, options.unix_socket));
  if (proxied) {
    KEELSON_TRY(curl, CurlTransport::Create(std::move(options)));
    return std::unique_ptr<SocketTransport>(new SocketTransport(nullptr, std::move(curl)));
  }
  KEELSON_TRY(direct, DirectTransport::Create({.server = std::move(options.server),
                                               .tls = std::move(options.tls),
                                               .unix_socket = std::move(options.unix_socket),
                                               .disable_compression = options.disable_compression,
                                               .connect_timeout = options.connect_timeout,
                                               .keep_alive = options.keep_alive,
                                               .max_connections = options.max_connections}));
  return std::unique_ptr<SocketTransport>(new SocketTransport(std::move(direct), nullptr));
}

Result<HttpResponse> SocketTransport::Send(HttpRequest request, const CallScope& scope) {
  return direct_ != nullptr ? direct_->Send(std::move(request), scope) : curl_->Send(std::move(request), scope);
}

Result<HttpResponse> SocketTransport::SendKept(HttpRequest& request, const CallScope& scope) {
  return direct_ != nullptr ? direct_->SendKept(request, scope) : curl_->SendKept(request, scope);
}

Result<void> SocketTransport::SetClientCertificate(PemSource certificate, PemSource key) {
  return direct_ != nullptr ? direct_->SetClientCertificate(std::move(certificate), std::move(key))
                            : curl_->SetClientCertificate(std::move(certificate), std::move(key));
}

}  // namespace keelson
