#include "keelson/client/web_socket_dialer.h"

#include <string>
#include <utility>

#include "keelson/client/response_error.h"
#include "keelson/core/mutex.h"

namespace keelson {

namespace {

constexpr size_t kMaxErrorBytes = size_t{1} << 20;

// The body of an answer 101: not to be read, but to be taken over.
class UpgradedBody final : public BodyStream {
 public:
  explicit UpgradedBody(std::unique_ptr<WebSocket> made) : socket(std::move(made)) {}
  Result<std::string_view> Next() override { return std::string_view(); }

  std::unique_ptr<WebSocket> socket;
};

// Makes the upgrade look like any request, so that what gives credentials to requests serves here too.
class UpgradeTransport final : public Transport {
 public:
  explicit UpgradeTransport(WebSocketOptions options) : options_(std::move(options)) {}

  Result<HttpResponse> Send(HttpRequest request, const CallScope& scope) override {
    WebSocketOptions options;
    {
      MutexLock lock(mutex_);
      options = options_;
    }
    Result<std::unique_ptr<WebSocket>> socket = WebSocket::Connect(std::move(options), std::move(request), scope);
    if (socket) return HttpResponse{.status = 101, .body = std::make_unique<UpgradedBody>(*std::move(socket))};
    if (const auto* refused = socket.error().detail<UpgradeRefusedDetail>()) {
      return HttpResponse{
          .status = refused->status(), .headers = refused->headers(), .body = StreamOf(refused->body())};
    }
    return std::move(socket).error();
  }

  Result<void> SetClientCertificate(PemSource certificate, PemSource key) {
    MutexLock lock(mutex_);
    options_.tls.certificate = std::move(certificate);
    options_.tls.key = std::move(key);
    return {};
  }

 private:
  Mutex mutex_;
  WebSocketOptions options_;  // guarded by mutex_
};

}  // namespace

Result<std::shared_ptr<WebSocketDialer>> WebSocketDialer::Create(const ClientConfig& config) {
  auto upgrade = std::make_shared<UpgradeTransport>(WebSocketOptions{
      .server = config.server, .tls = config.tls, .proxy_url = config.proxy_url, .unix_socket = config.unix_socket});
  ClientConfig wrapped = config;
  wrapped.metrics = nullptr;                 // would wrap the body that is taken over below
  wrapped.retry.max_connection_retries = 0;  // a GET here runs a command: it is not repeated when in doubt
  KEELSON_TRY(transport, WrapTransport(upgrade, wrapped, [upgrade](PemSource certificate, PemSource key) {
                return upgrade->SetClientCertificate(std::move(certificate), std::move(key));
              }));
  return std::shared_ptr<WebSocketDialer>(new WebSocketDialer(std::move(transport), config.namespace_));
}

Result<std::unique_ptr<WebSocket>> WebSocketDialer::DialPod(const ObjectKey& pod, std::string_view subresource,
                                                            const Query& query, std::string_view subprotocols,
                                                            const CallScope& scope) {
  static const Resource kPods{.version = "v1", .plural = "pods", .kind = "Pod", .scope = ResourceScope::kNamespaced};
  if (pod.name.empty()) return Error::InvalidArgument("the name of a pod is needed, found an empty one");
  const std::string& in = pod.namespace_.empty() ? namespace_ : pod.namespace_;
  KEELSON_TRY(path, ResourcePath(kPods, in, pod.name, subresource));
  HttpRequest request{
      .target = path + (query.empty() ? "" : "?" + query.ToString()),
      .headers = {{"Accept", "application/json"}, {"Sec-WebSocket-Protocol", std::string(subprotocols)}},
      .streaming = true};
  KEELSON_TRY(answer, transport_->Send(std::move(request), scope));
  if (answer.status == 101) {
    auto* upgraded = dynamic_cast<UpgradedBody*>(answer.body.get());
    if (upgraded == nullptr) return Error::Internal("a transport on the way replaced the WebSocket by something else");
    return std::move(upgraded->socket);
  }
  KEELSON_TRY(body, ReadAll(*answer.body, kMaxErrorBytes));
  return internal::ErrorFromResponse(answer.status, answer.headers, body,
                                     {.method = "GET", .resource = kPods.group_resource(), .name = pod.name});
}

}  // namespace keelson
