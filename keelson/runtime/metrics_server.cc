#include "keelson/runtime/metrics_server.h"

#include <unistd.h>

#include <utility>

#include "keelson/runtime/debug_pages.h"
#include "keelson/runtime/internal/listening.h"
#include "keelson/runtime/process_metrics.h"
#include "keelson/runtime/request_authorizer.h"
#include "keelson/runtime/request_workers.h"
#include "keelson/runtime/routes.h"
#include "keelson/transport/certificate_authority.h"
#include "keelson/transport/gzip.h"

namespace keelson {

namespace {

constexpr std::string_view kTextFormat = "text/plain; version=0.0.4; charset=utf-8";

Page MetricsPage(const ServerRequest& request, const MetricRegistry& registry) {
  Page page{.content_type = std::string(kTextFormat), .body = registry.Render() + RenderProcessMetrics()};
  if (!WantsGzip(request.headers)) return page;
  std::string packed = Gzip(page.body);
  if (packed.empty()) return page;
  page.body = std::move(packed);
  page.headers = {{"Content-Encoding", "gzip"}, {"Vary", "Accept-Encoding"}};
  return page;
}

// Lets through whom the API server lets through. Unknown paths are asked for too: what there is, is nobody's business.
class Guard final : public HttpHandler {
 public:
  Guard(HttpHandler& inner, Client reviewer, StopToken stop)
      : inner_(inner), authorizer_(std::move(reviewer)), stop_(std::move(stop)) {}

  void Handle(ServerRequest request, std::shared_ptr<ResponseWriter> response) override {
    const std::optional<std::string> path = DecodedPath(request);
    if (!path) {
      return SendPage(request, *response, {.status = 400, .body = "400 bad request: this path is not well-formed\n"});
    }
    Verdict verdict = authorizer_.Judge(request, *path, stop_);
    if (verdict.status == 200) {
      // Handlers have no use for it, and what they log cannot tell it.
      request.headers.Remove("Authorization");
      return inner_.Handle(std::move(request), std::move(response));
    }
    Page refusal{.status = verdict.status, .body = std::move(verdict.text)};
    if (verdict.status == 401) refusal.headers = {{"WWW-Authenticate", "Bearer"}};
    SendPage(request, *response, std::move(refusal));
  }

 private:
  HttpHandler& inner_;
  RequestAuthorizer authorizer_;
  const StopToken stop_;
};

// Of an authority that nobody knows: it keeps the connection secret and proves nothing.
Result<TlsServerOptions> UnverifiableCertificate() {
  KEELSON_TRY(authority, CertificateAuthority::Make());
  std::vector<std::string> names = {"localhost", "127.0.0.1", "::1"};
  char host[256] = {};
  if (gethostname(host, sizeof host - 1) == 0 && host[0] != '\0') names.emplace_back(host);
  KEELSON_TRY(own, authority.IssueServing("keelson-metrics", names));
  return TlsServerOptions{.certificate = {.text = own.certificate + authority.certificate()}, .key = {.text = own.key}};
}

}  // namespace

class MetricsServer::Impl {
 public:
  Impl(MetricsServerOptions given, const MetricRegistry& registry, std::optional<Client> client)
      : options(std::move(given)), reviewer(std::move(client)) {
    // Both cannot fail: nobody has added a path yet.
    (void)routes.Add("/metrics",
                     ServePage([&registry](const ServerRequest& request) { return MetricsPage(request, registry); }));
    if (options.profiling) (void)AddDebugPages(routes, stopping.token());
  }

  Result<void> Run(const RunScope& scope) {
    // A profile under way ends at once, reviews when the drain is over.
    const StopCallback on_stop(scope.stop, [this] { stopping.RequestStop(); });
    const StopSource ended;
    std::optional<Guard> guard;
    if (options.secure && reviewer) guard.emplace(routes, *reviewer, ended.token());
    RequestWorkers workers(guard ? static_cast<HttpHandler&>(*guard) : routes, {.name = "metrics", .threads = 4});
    Result<void> result = listening.Run(scope, options.bind_address, workers, [this] { return Certificates(); });
    ended.RequestStop();
    return result;
  }

  const MetricsServerOptions options;
  const std::optional<Client> reviewer;
  const StopSource stopping;
  Routes routes;
  internal::Listening listening{"metrics server"};

 private:
  Result<std::optional<TlsServerOptions>> Certificates() const {
    if (!options.secure) {
      if (options.tls) {
        return Error::InvalidArgument(
            "the metrics server has a certificate and is not secure; set `secure`, or leave the certificate out");
      }
      return std::optional<TlsServerOptions>();
    }
    if (!reviewer) {
      return Error::InvalidArgument("a secure metrics server needs a client, to ask the API server who may see it");
    }
    if (options.tls) return options.tls;
    KEELSON_TRY(made, UnverifiableCertificate());
    return std::optional<TlsServerOptions>(std::move(made));
  }
};

MetricsServer::MetricsServer(MetricsServerOptions options, const MetricRegistry& registry,
                             std::optional<Client> reviewer)
    : impl_(std::make_unique<Impl>(std::move(options), registry, std::move(reviewer))) {}
MetricsServer::~MetricsServer() = default;

Result<void> MetricsServer::AddHandler(std::string path, std::shared_ptr<HttpHandler> handler) {
  return impl_->routes.Add(std::move(path), std::move(handler));
}
Result<void> MetricsServer::Run(const RunScope& scope) { return impl_->Run(scope); }
Result<void> MetricsServer::WaitUntilReady(const StopToken& stop) { return impl_->listening.WaitUntilReady(stop); }
uint16_t MetricsServer::port() const { return impl_->listening.port(); }

}  // namespace keelson
