#include "keelson/runtime/health_server.h"

#include <optional>
#include <utility>

#include "keelson/runtime/internal/listening.h"
#include "keelson/runtime/request_workers.h"
#include "keelson/runtime/routes.h"
#include "keelson/transport/form_query.h"

namespace keelson {

namespace {

Page PageOf(HealthAnswer answer) { return {.status = answer.status, .body = std::move(answer.text)}; }

// All checks at `path` and `path`/, each at `path`/name.
Result<void> Serve(Routes& routes, const std::string& path, const HealthChecks& checks) {
  const std::string below = path.ends_with('/') ? path : path + '/';
  const auto handler = ServePage([below, &checks](const ServerRequest& request) {
    std::string name = DecodedPath(request).value_or("");
    name = name.starts_with(below) ? name.substr(below.size()) : std::string();
    if (name.ends_with('/')) name.pop_back();
    return PageOf(name.empty() ? checks.AnswerAll(FormQuery::Parse(request.query)) : checks.AnswerOne(name));
  });
  if (path != below) KEELSON_RETURN_IF_ERROR(routes.Add(path, handler));
  return routes.Add(below, handler);
}

}  // namespace

class HealthServer::Impl {
 public:
  explicit Impl(HealthServerOptions given) : options(std::move(given)) {}

  Result<void> Run(const RunScope& scope) {
    Routes routes;
    const Result<void> served = [&]() -> Result<void> {
      KEELSON_RETURN_IF_ERROR(Serve(routes, options.live_path, live));
      return Serve(routes, options.ready_path, ready);
    }();
    RequestWorkers workers(routes, {.name = "health", .threads = 2, .queue = 32});
    return listening.Run(scope, options.bind_address, workers, [&]() -> Result<std::optional<TlsServerOptions>> {
      if (!served) return served.error();
      return std::optional<TlsServerOptions>();
    });
  }

  const HealthServerOptions options;
  HealthChecks live;
  HealthChecks ready;
  internal::Listening listening{"health server"};
};

HealthServer::HealthServer(HealthServerOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
HealthServer::~HealthServer() = default;

HealthChecks& HealthServer::live() { return impl_->live; }
HealthChecks& HealthServer::ready() { return impl_->ready; }
Result<void> HealthServer::Run(const RunScope& scope) { return impl_->Run(scope); }
Result<void> HealthServer::WaitUntilReady(const StopToken& stop) { return impl_->listening.WaitUntilReady(stop); }
uint16_t HealthServer::port() const { return impl_->listening.port(); }

}  // namespace keelson
