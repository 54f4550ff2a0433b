// A Kubernetes API server as an HTTP handler: it knows no sockets and opens none.
//
//   KEELSON_TRY(server, ApiServer::Make({}));
//   InProcessTransport transport(*server, {.common_name = "admin", .organizations = {"system:masters"}});
//   KEELSON_TRY(listener, HttpServer::Start(*server, {.tls = …}));       // the same server, for everybody else
//
// What a kube-apiserver v1.36 answers is its specification (docs/apiserver.md). A request passes: authentication,
// impersonation, authorization, the limit of requests at a time, then its verb. Requests are answered on the calling
// thread; watches go on from the store's. Works inside a simulation.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "keelson/apiserver/authentication.h"
#include "keelson/apiserver/custom/definitions.h"
#include "keelson/apiserver/namespace_keeper.h"
#include "keelson/apiserver/objects.h"
#include "keelson/apiserver/openapi.h"
#include "keelson/apiserver/resource.h"
#include "keelson/apiserver/service_account_admission.h"
#include "keelson/apiserver/service_account_tokens.h"
#include "keelson/apiserver/store/store.h"
#include "keelson/apiserver/user.h"
#include "keelson/apiserver/watch_session.h"
#include "keelson/core/metrics.h"
#include "keelson/core/result.h"
#include "keelson/transport/handler.h"

namespace keelson {

struct ApiServerOptions {
  apiserver::StoreOptions store = {};
  apiserver::AuthenticatorOptions authentication = {};
  std::shared_ptr<const apiserver::Authorizer> authorizer = {};  // null: MastersOnly
  apiserver::WatchLimits watch = {};
  size_t max_body_bytes = size_t{3} << 20;
  int max_reads_in_flight = 400;  // beyond that: 429. Watches do not count.
  int max_writes_in_flight = 200;
  // Do for namespaces what a cluster's controllers do (namespace_keeper.h). Without it they are as an API server alone
  // leaves them: bare, and never quite deleted.
  bool tend_namespaces = true;
  // The admission plugin ServiceAccount (service_account_admission.h): a new Pod needs a service account that is there.
  // Nothing: no, but in a control plane that has controllers and whose namespaces are tended.
  std::optional<bool> service_account_admission = {};
  std::string node = {};  // the name of a Ready Node that is there from the start; empty: none
};

// Thread-safe.
class ApiServer final : public HttpHandler {
 public:
  // Errors: the data directory cannot be used.
  static Result<std::unique_ptr<ApiServer>> Make(ApiServerOptions options = {});
  ~ApiServer() override;

  void Handle(ServerRequest request, std::shared_ptr<ResponseWriter> response) override;

  // Where clients reach it: shown by discovery and by the Service `kubernetes`.
  void SetAddress(const std::string& host, uint16_t port);
  // Whom clients of it may trust, in PEM: shown to Pods by the ConfigMap `kube-root-ca.crt` of their namespace.
  void SetRootCa(std::string certificate);
  // From now on /readyz fails: no new clients, please.
  void SetDraining() { draining_ = true; }

  apiserver::Store& store() { return *store_; }
  MetricRegistry& metrics() { return metrics_; }

 private:
  ApiServer(ApiServerOptions options, std::unique_ptr<apiserver::Store> store);

  void Serve(apiserver::Exchange exchange);
  void ServeResource(apiserver::Exchange& exchange);

  const ApiServerOptions options_;
  const std::shared_ptr<const apiserver::Authorizer> authorizer_;
  const apiserver::RulesTable rules_;
  const std::unique_ptr<apiserver::Store> store_;
  apiserver::ResourceTable resources_;
  apiserver::Objects objects_;
  const apiserver::ServiceAccountAdmission service_account_admission_;
  const apiserver::ServiceAccountTokens service_account_tokens_;
  const apiserver::Authenticator authenticator_;
  apiserver::Definitions definitions_;
  apiserver::NamespaceKeeper namespaces_;
  apiserver::OpenApi openapi_;
  MetricRegistry metrics_;
  MetricFamily<Counter> request_total_;
  std::atomic<int> reads_in_flight_{0};
  std::atomic<int> writes_in_flight_{0};
  std::atomic<bool> draining_{false};
  Mutex address_mutex_{"apiserver-address"};
  std::string address_ = "127.0.0.1:443";  // guarded by address_mutex_
};

}  // namespace keelson
