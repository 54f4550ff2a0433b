#include "keelson/client/config.h"

#include <errno.h>

#include <algorithm>
#include <utility>

#include "keelson/client/auth_transport.h"
#include "keelson/client/credentials.h"
#include "keelson/client/exec_credential.h"
#include "keelson/client/rate_limit_transport.h"
#include "keelson/client/request_metrics.h"
#include "keelson/client/transport_family.h"
#include "keelson/client/warnings.h"
#include "keelson/core/clock.h"

namespace keelson {

namespace {

#if defined(__aarch64__)
constexpr std::string_view kMachine = "arm64";
#elif defined(__x86_64__)
constexpr std::string_view kMachine = "amd64";
#else
constexpr std::string_view kMachine = "unknown";
#endif

// "10.0.0.1:6443" of "https://10.0.0.1:6443/prefix", as Go's URL.Host.
std::string HostOf(std::string_view server) {
  if (const size_t scheme = server.find("://"); scheme != std::string_view::npos) server.remove_prefix(scheme + 3);
  server = server.substr(0, server.find_first_of("/?#"));
  if (const size_t at = server.rfind('@'); at != std::string_view::npos) server.remove_prefix(at + 1);
  return std::string(server);
}

// Bounds calls that are not meant to go on.
class TimeoutTransport final : public Transport {
 public:
  TimeoutTransport(std::shared_ptr<Transport> inner, Duration timeout) : inner_(std::move(inner)), timeout_(timeout) {}

  Result<HttpResponse> Send(HttpRequest request, const CallScope& scope) override { return SendKept(request, scope); }
  Result<HttpResponse> SendKept(HttpRequest& request, const CallScope& scope) override {
    if (request.streaming) return inner_->SendKept(request, scope);
    CallScope bounded = scope;
    bounded.deadline = std::min(scope.deadline, SaturatingAdd(Clock::Now(), timeout_));
    return inner_->SendKept(request, bounded);
  }

 private:
  const std::shared_ptr<Transport> inner_;
  const Duration timeout_;
};

// What an exec plugin is told of its cluster.
Result<clientauthenticationv1::Cluster> DescribeCluster(const ClientConfig& config) {
  clientauthenticationv1::Cluster cluster{.server = config.server,
                                          .tlsServerName = config.tls.server_name,
                                          .insecureSkipTlsVerify = config.tls.insecure_skip_verify,
                                          .proxyUrl = config.proxy_url,
                                          .disableCompression = config.disable_compression};
  if (!config.tls.ca.text.empty()) {
    cluster.certificateAuthorityData = Bytes(config.tls.ca.text);
  } else if (!config.tls.ca.file.empty()) {
    KEELSON_TRY(text, ReadSmallFile(config.tls.ca.file));
    cluster.certificateAuthorityData = Bytes(text);
  }
  return cluster;
}

// Null when the configuration has none, or a client certificate alone.
Result<std::shared_ptr<CredentialSource>> MakeCredentials(
    const ClientConfig& config, std::function<Result<void>(PemSource, PemSource)> use_certificate,
    std::shared_ptr<const RequestMetrics> metrics) {
  if (!config.bearer_token_file.empty()) return TokenFile(config.bearer_token_file, config.bearer_token);
  if (!config.bearer_token.empty()) return BearerToken(config.bearer_token);
  if (!config.username.empty() || !config.password.empty()) return BasicAuth(config.username, config.password);
  if (!config.exec || !config.tls.certificate.empty()) return std::shared_ptr<CredentialSource>();
  ExecCredentialOptions options{
      .plugin = *config.exec, .use_certificate = std::move(use_certificate), .metrics = std::move(metrics)};
  if (config.exec->config.provideClusterInfo) {
    KEELSON_TRY(cluster, DescribeCluster(config));
    options.cluster = std::move(cluster);
  }
  KEELSON_TRY(made, ExecCredentials::Create(std::move(options)));
  return std::shared_ptr<CredentialSource>(std::move(made));
}

}  // namespace

std::string DefaultUserAgent(std::string_view program, std::string_view version) {
  if (program.empty()) program = program_invocation_short_name;
  if (version.empty()) version = "unknown";
  std::string agent(program);
  return agent.append("/").append(version).append(" (linux/").append(kMachine).append(") keelson/" KEELSON_VERSION);
}

struct TransportFamily::Parts {
  std::shared_ptr<Transport> base;
  AuthOptions auth;
  std::shared_ptr<RequestBucket> bucket;  // null: no limit
  std::shared_ptr<const RequestMetrics> metrics;
  RetryOptions retry;
  Duration timeout{};
};

Result<TransportFamily> TransportFamily::Over(
    std::shared_ptr<Transport> base, const ClientConfig& config,
    std::function<Result<void>(PemSource certificate, PemSource key)> use_certificate) {
  KEELSON_RETURN_IF_ERROR(CheckImpersonation(config.impersonate));
  auto parts = std::make_shared<Parts>();
  parts->base = std::move(base);
  if (config.metrics != nullptr) {
    KEELSON_TRY(made, RequestMetrics::Create(*config.metrics, HostOf(config.server)));
    parts->metrics = std::move(made);
  }
  KEELSON_TRY(credentials, MakeCredentials(config, std::move(use_certificate), parts->metrics));
  parts->auth = {.credentials = std::move(credentials),
                 .impersonate = config.impersonate,
                 .user_agent = config.user_agent.empty() ? DefaultUserAgent() : config.user_agent};
  if (config.qps > 0) {
    parts->bucket = std::make_shared<RequestBucket>(RateLimitOptions{.qps = config.qps, .burst = config.burst});
  }
  parts->retry = config.retry;
  parts->timeout = config.timeout;
  return TransportFamily(std::move(parts));
}

std::shared_ptr<Transport> TransportFamily::NewTransport(const TransportWrapper& wrapper) const {
  std::shared_ptr<Transport> transport = wrapper ? wrapper(parts_->base) : parts_->base;
  transport = std::make_shared<AuthTransport>(std::move(transport), parts_->auth);
  if (parts_->bucket != nullptr) {
    transport = std::make_shared<RateLimitTransport>(std::move(transport), parts_->bucket, parts_->metrics);
  }
  if (parts_->metrics != nullptr) transport = std::make_shared<MetricsTransport>(std::move(transport), parts_->metrics);
  transport = std::make_shared<RetryTransport>(std::move(transport), parts_->retry, parts_->metrics);
  transport = std::make_shared<WarningTransport>(std::move(transport));
  if (parts_->timeout > Duration::zero()) {
    transport = std::make_shared<TimeoutTransport>(std::move(transport), parts_->timeout);
  }
  return transport;
}

Result<std::shared_ptr<Transport>> WrapTransport(
    std::shared_ptr<Transport> base, const ClientConfig& config,
    std::function<Result<void>(PemSource certificate, PemSource key)> use_certificate) {
  KEELSON_TRY(family, TransportFamily::Over(std::move(base), config, std::move(use_certificate)));
  return family.NewTransport();
}

}  // namespace keelson
