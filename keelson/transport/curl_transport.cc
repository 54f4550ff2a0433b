#include "keelson/transport/curl_transport.h"

#include <utility>

#include "keelson/core/clock.h"
#include "keelson/core/internal/scheduler.h"
#include "keelson/transport/internal/curl_call.h"
#include "keelson/transport/internal/curl_endpoint.h"
#include "keelson/transport/internal/curl_library.h"
#include "keelson/transport/internal/curl_loop.h"
#include "keelson/transport/internal/request_check.h"

namespace keelson {

CurlTransport::CurlTransport(std::unique_ptr<internal::CurlLoop> loop) : loop_(std::move(loop)) {}

CurlTransport::~CurlTransport() = default;

Result<std::unique_ptr<CurlTransport>> CurlTransport::Create(CurlTransportOptions options) {
  if (internal::CurrentScheduler() != nullptr) {
    return Error::Unsupported("a transport over sockets cannot run inside a simulation: use InProcessTransport there");
  }
  KEELSON_RETURN_IF_ERROR(internal::CurlLibrary::Load());
  internal::CurlEndpoint endpoint{.unix_socket = options.unix_socket, .connect_timeout = options.connect_timeout};
  KEELSON_TRY(server, internal::ParseServerUrl(options.server));
  endpoint.server = std::move(server);
  if (endpoint.server.tls) endpoint.server_name = options.tls.server_name;
  if (endpoint.unix_socket.empty()) {
    KEELSON_TRY(proxy, options.proxy_url.empty() ? internal::ProxyFromEnvironment(endpoint.server)
                                                 : internal::ParseProxyUrl(options.proxy_url));
    endpoint.proxy = std::move(proxy);
  }
  KEELSON_TRY(tls, internal::TlsFiles::Load(endpoint.server.tls ? options.tls : TlsClientOptions()));
  return std::unique_ptr<CurlTransport>(
      new CurlTransport(std::make_unique<internal::CurlLoop>(std::move(options), std::move(endpoint), std::move(tls))));
}

Result<HttpResponse> CurlTransport::Send(HttpRequest request, const CallScope& scope) {
  KEELSON_RETURN_IF_ERROR(internal::CheckRequest(request));
  const std::shared_ptr<internal::CurlInbox> inbox = loop_->inbox();
  if (scope.stop.StopRequested() || (scope.deadline != TimePoint::max() && scope.deadline <= Clock::Now())) {
    return internal::ScopeEnded(scope, inbox->server(), false);
  }
  auto call = std::make_shared<internal::CurlCall>(std::move(request));
  if (!inbox->Post({.kind = internal::CurlCommand::Kind::kStart, .call = call})) {
    return Error::Cancelled("the transport was closed");
  }
  return internal::AwaitAnswer(std::move(call), inbox, scope);
}

Result<void> CurlTransport::SetClientCertificate(PemSource certificate, PemSource key) {
  return loop_->SetClientCertificate(std::move(certificate), std::move(key));
}

void CurlTransport::CloseIdle() { loop_->inbox()->Post({.kind = internal::CurlCommand::Kind::kRenewConnections}); }

}  // namespace keelson
