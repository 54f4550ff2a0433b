#include "keelson/transport/socket_transport.h"

#include <utility>

#include "keelson/transport/internal/curl_endpoint.h"

namespace keelson {

Result<std::unique_ptr<SocketTransport>> SocketTransport::Create(CurlTransportOptions options) {
  std::unique_ptr<DirectTransport> direct;
  KEELSON_TRY(proxied, internal::IsProxied(options.server, options.proxy_url, options.unix_socket));
  if (!proxied) {
    KEELSON_TRY(made, DirectTransport::Create({.server = options.server,
                                               .tls = options.tls,
                                               .unix_socket = options.unix_socket,
                                               .disable_compression = options.disable_compression,
                                               .connect_timeout = options.connect_timeout,
                                               .keep_alive = options.keep_alive,
                                               .max_connections = options.max_connections}));
    direct = std::move(made);
  }
  std::unique_ptr<SocketTransport> transport(new SocketTransport(std::move(options), std::move(direct)));
  if (proxied) KEELSON_RETURN_IF_ERROR(transport->Curl());  // now, so that its errors come now
  return transport;
}

Result<CurlTransport*> SocketTransport::Curl() {
  MutexLock lock(mutex_);
  if (curl_ == nullptr) {
    KEELSON_TRY(made, CurlTransport::Create(options_));
    curl_ = std::move(made);
  }
  return curl_.get();
}

Result<HttpResponse> SocketTransport::Send(HttpRequest request, const CallScope& scope) {
  if (direct_ != nullptr && !request.streaming) return direct_->Send(std::move(request), scope);
  KEELSON_TRY(curl, Curl());
  return curl->Send(std::move(request), scope);
}

Result<void> SocketTransport::SetClientCertificate(PemSource certificate, PemSource key) {
  if (direct_ != nullptr) KEELSON_RETURN_IF_ERROR(direct_->SetClientCertificate(certificate, key));
  MutexLock lock(mutex_);
  if (curl_ != nullptr) KEELSON_RETURN_IF_ERROR(curl_->SetClientCertificate(certificate, key));
  options_.tls.certificate = std::move(certificate);
  options_.tls.key = std::move(key);
  return {};
}

}  // namespace keelson
