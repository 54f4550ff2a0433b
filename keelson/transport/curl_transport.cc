#include "keelson/transport/curl_transport.h"

#include <curl/curl.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "keelson/core/clock.h"
#include "keelson/core/internal/scheduler.h"
#include "keelson/transport/internal/curl_call.h"
#include "keelson/transport/internal/curl_endpoint.h"
#include "keelson/transport/internal/curl_loop.h"

namespace keelson {

namespace {

std::string FromEnvironment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

Result<void> InitializeOnce() {
  static const CURLcode code = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (code != CURLE_OK) return Error::Internal(std::string("libcurl cannot be used: ") + curl_easy_strerror(code));
  return {};
}

bool IsToken(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return c > ' ' && c < 0x7f && std::string_view("\"(),/:;<=>?@[\\]{}").find(c) == std::string_view::npos;
  });
}

// What would end a line or a request in the middle.
Result<void> Check(const HttpRequest& request) {
  if (!IsToken(request.method)) return Error::InvalidArgument("the request's method is not a word of letters");
  if (!request.target.starts_with('/') || std::any_of(request.target.begin(), request.target.end(), [](char c) {
        return (c >= 0 && c <= ' ') || c == 0x7f || c == '#';
      })) {
    return Error::InvalidArgument(
        "the target of a request begins with / and has neither blanks nor # in it; percent-encode them");
  }
  for (const auto& [name, value] : request.headers) {
    if (!IsToken(name)) return Error::InvalidArgument("the name of a request's header is not a word of letters");
    if (value.find_first_of(std::string_view("\r\n\0", 3)) != std::string::npos) {
      return Error::InvalidArgument("the request's header " + name + " has the end of a line in it");
    }
  }
  return {};
}

}  // namespace

CurlTransport::CurlTransport(std::unique_ptr<internal::CurlLoop> loop) : loop_(std::move(loop)) {}

CurlTransport::~CurlTransport() = default;

Result<std::unique_ptr<CurlTransport>> CurlTransport::Create(CurlTransportOptions options) {
  if (internal::CurrentScheduler() != nullptr) {
    return Error::Unsupported("a transport over sockets cannot run inside a simulation: use InProcessTransport there");
  }
  KEELSON_RETURN_IF_ERROR(InitializeOnce());
  internal::CurlEndpoint endpoint{.unix_socket = options.unix_socket, .connect_timeout = options.connect_timeout};
  KEELSON_TRY(server, internal::ParseServerUrl(options.server));
  endpoint.server = std::move(server);
  if (endpoint.server.tls) endpoint.server_name = options.tls.server_name;
  if (endpoint.unix_socket.empty()) {
    KEELSON_TRY(proxy, options.proxy_url.empty() ? internal::ProxyFromEnvironment(endpoint.server, FromEnvironment)
                                                 : internal::ParseProxyUrl(options.proxy_url));
    endpoint.proxy = std::move(proxy);
  }
  KEELSON_TRY(tls, internal::TlsFiles::Load(endpoint.server.tls ? options.tls : TlsClientOptions()));
  return std::unique_ptr<CurlTransport>(
      new CurlTransport(std::make_unique<internal::CurlLoop>(std::move(options), std::move(endpoint), std::move(tls))));
}

Result<HttpResponse> CurlTransport::Send(HttpRequest request, const CallScope& scope) {
  KEELSON_RETURN_IF_ERROR(Check(request));
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
