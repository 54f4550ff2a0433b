// /metrics: what Prometheus asks a program.
//
//   MetricsServer server({.bind_address = ":8443", .secure = true}, registry, client);
//   manager.Add(server);
//
//   $ curl -k -H "Authorization: Bearer $(kubectl create token prometheus)" https://10.0.0.7:8443/metrics
//
// The registry's metrics and those of the process (process_metrics.h) in Prometheus' text format, compressed for who
// asks for it. Requests are served on threads of the server's own, four at most: a request that finds too many waiting
// gets 503.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "keelson/client/client.h"
#include "keelson/core/metrics.h"
#include "keelson/core/result.h"
#include "keelson/runtime/runnable.h"
#include "keelson/transport/handler.h"
#include "keelson/transport/tls.h"

namespace keelson {

struct MetricsServerOptions {
  // "127.0.0.1:8080", ":8443" for all addresses, port 0 for any free one; "" and "0": no server (bind_address.h).
  std::string bind_address = {};
  // HTTPS, for callers that the API server knows (TokenReview) and allows to get the path (SubjectAccessReview); see
  // request_authorizer.h.
  bool secure = false;
  // With `secure`: the certificate; none: one made at start that nobody can verify.
  std::optional<TlsServerOptions> tls = {};
  // /debug/threads, /debug/profile and /debug/memory (debug_pages.h).
  bool profiling = false;
};

// Thread-safe. With no address to listen on, Run returns at once.
class MetricsServer final : public Runnable {
 public:
  // `reviewer` asks the API server who may see what, so its writes must not depend on leadership; needed with `secure`.
  // The registry outlives the server.
  MetricsServer(MetricsServerOptions options, const MetricRegistry& registry, std::optional<Client> reviewer = {});
  ~MetricsServer() override;

  // Another path, with the same authorization. One that ends with a slash stands for all below it. The handler may
  // block. kAlreadyExists when the path is taken, kInvalidArgument when it does not begin with a slash.
  Result<void> AddHandler(std::string path, std::shared_ptr<HttpHandler> handler);

  std::string name() const override { return "metrics server"; }
  RunnableGroup group() const override { return RunnableGroup::kServers; }
  // Errors: an address that is malformed, taken or not ours; unusable certificates; no reviewer; a simulation.
  Result<void> Run(const RunScope& scope) override;
  // Until it listens, or cannot.
  Result<void> WaitUntilReady(const StopToken& stop) override;
  uint16_t port() const;  // 0: it does not listen

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace keelson
