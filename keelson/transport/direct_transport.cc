#include "keelson/transport/direct_transport.h"

#include <utility>

#include "keelson/core/clock.h"
#include "keelson/core/internal/scheduler.h"
#include "keelson/transport/internal/curl_call.h"
#include "keelson/transport/internal/curl_endpoint.h"
#include "keelson/transport/internal/direct_exchange.h"
#include "keelson/transport/internal/direct_pool.h"
#include "keelson/transport/internal/request_check.h"

namespace keelson {

DirectTransport::DirectTransport(std::shared_ptr<internal::DirectPool> pool) : pool_(std::move(pool)) {}

DirectTransport::~DirectTransport() { pool_->Close(); }

Result<std::unique_ptr<DirectTransport>> DirectTransport::Create(DirectTransportOptions options) {
  if (internal::CurrentScheduler() != nullptr) {
    return Error::Unsupported("a transport over sockets cannot run inside a simulation: use InProcessTransport there");
  }
  internal::CurlEndpoint endpoint{.unix_socket = options.unix_socket, .connect_timeout = options.connect_timeout};
  KEELSON_TRY(server, internal::ParseServerUrl(options.server));
  endpoint.server = std::move(server);
  endpoint.authority = endpoint.server.Authority();
  if (endpoint.server.tls) endpoint.server_name = options.tls.server_name;
  KEELSON_TRY(tls, internal::TlsFiles::Load(endpoint.server.tls ? options.tls : TlsClientOptions()));
  return std::unique_ptr<DirectTransport>(new DirectTransport(
      std::make_shared<internal::DirectPool>(std::move(options), std::move(endpoint), std::move(tls))));
}

Result<HttpResponse> DirectTransport::SendKept(HttpRequest& request, const CallScope& scope) {
  KEELSON_RETURN_IF_ERROR(internal::CheckRequest(request));
  if (scope.stop.StopRequested() || (scope.deadline != TimePoint::max() && scope.deadline <= Clock::Now())) {
    return internal::ScopeEnded(scope, pool_->url(), false);
  }
  return internal::SendDirectly(pool_, request, scope);
}

Result<void> DirectTransport::SetClientCertificate(PemSource certificate, PemSource key) {
  return pool_->SetClientCertificate(std::move(certificate), std::move(key));
}

void DirectTransport::CloseIdle() { pool_->CloseIdle(); }

}  // namespace keelson
