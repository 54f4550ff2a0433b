// keelson under the name etcd
#include <fmt/format.h>

#include <memory>
#include <string_view>

#include "keelson/cli/drop_in.h"
#include "keelson/cli/stop_signals.h"
#include "keelson/core/log.h"
#include "keelson/transport/handler.h"
#include "keelson/transport/http_server.h"

namespace keelson::cli {

namespace {

constexpr ForeignFlag kFlags[] = {
    {"listen-client-urls", "urls",
     "Where to answer /health, /livez, /readyz and /version (default http://127.0.0.1:2379)"},
    {"cert-file", "file", "Certificate for https URLs"},
    {"key-file", "file", "Its key"},
    {"trusted-ca-file", "file", "Authorities that vouch for clients' certificates"},
    {"client-cert-auth", "", "Refuse clients without a certificate"},
    {"version", "", "Print the version and exit"},
    {"help", "", "Print this text and exit"},
    {"advertise-client-urls", "urls"},
    {"auto-compaction-mode", "string"},
    {"auto-compaction-retention", "string"},
    {"auto-tls"},
    {"data-dir", "dir"},
    {"initial-advertise-peer-urls", "urls"},
    {"initial-cluster", "members"},
    {"initial-cluster-state", "string"},
    {"initial-cluster-token", "string"},
    {"listen-metrics-urls", "urls"},
    {"listen-peer-urls", "urls"},
    {"log-level", "string"},
    {"log-outputs", "strings"},
    {"logger", "string"},
    {"max-request-bytes", "bytes"},
    {"name", "string"},
    {"quota-backend-bytes", "bytes"},
    {"snapshot-count", "int"},
    {"unsafe-no-fsync"},
    {"wal-dir", "dir"},
};

constexpr std::string_view kText = "text/plain; charset=utf-8";

class Health final : public HttpHandler {
 public:
  void Handle(ServerRequest request, std::shared_ptr<ResponseWriter> response) override {
    const std::string& path = request.path;
    if (path == "/health") return Respond(*response, 200, kText, R"({"health":"true","reason":""})");
    if (path == "/livez" || path == "/readyz") return Respond(*response, 200, kText, "ok\n");
    if (path == "/version") {
      return Respond(*response, 200, "application/json",
                     R"({"etcdserver":"3.6.8","etcdcluster":"3.6.0","storage":"3.6.0"})");
    }
    Respond(*response, 404, kText, "404 page not found\n");
  }
};

// What "http://127.0.0.1:2379" or "https://[::1]:0/" says about a listener.
Result<HttpServerOptions> ListenerOf(std::string_view url, const ForeignFlags& flags) {
  const Error unreadable = Error::InvalidArgument(
      fmt::format("--listen-client-urls must be URLs like http://127.0.0.1:2379, not \"{}\"", url));
  HttpServerOptions options;
  std::string_view rest = url;
  if (rest.starts_with("https://")) {
    rest.remove_prefix(8);
    options.tls = TlsServerOptions{.certificate = {.file = flags.Get("cert-file").value_or("")},
                                   .key = {.file = flags.Get("key-file").value_or("")},
                                   .client_ca = {.file = flags.Get("trusted-ca-file").value_or("")},
                                   .require_client_certificate = flags.IsTrue("client-cert-auth")};
  } else if (rest.starts_with("http://")) {
    rest.remove_prefix(7);
  } else {
    return unreadable;
  }
  rest = rest.substr(0, rest.find('/'));
  const size_t colon = rest.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return unreadable;
  std::string_view host = rest.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  unsigned port = 0;
  for (const char c : rest.substr(colon + 1)) {
    if (c < '0' || c > '9') return unreadable;
    port = port * 10 + static_cast<unsigned>(c - '0');
    if (port > 65535) return unreadable;
  }
  options.address = host == "localhost" ? "127.0.0.1" : std::string(host);
  options.port = static_cast<uint16_t>(port);
  options.threads = 1;
  return options;
}

Result<void> Serve(const ForeignFlags& flags) {
  StopSignals signals;
  const std::string urls = flags.Get("listen-client-urls").value_or("http://127.0.0.1:2379");
  Health health;
  std::vector<std::unique_ptr<HttpServer>> servers;
  for (size_t begin = 0; begin <= urls.size();) {
    const size_t end = std::min(urls.find(',', begin), urls.size());
    KEELSON_TRY(options, ListenerOf(std::string_view(urls).substr(begin, end - begin), flags));
    KEELSON_TRY(server, HttpServer::Start(health, std::move(options)));
    Logger("etcd").Info("Serving health", "url", server->url());
    servers.push_back(std::move(server));
    begin = end + 1;
  }
  signals.Await();
  signals.Release();
  for (const auto& server : servers) server->Drain(std::chrono::seconds(1));
  return {};
}

}  // namespace

const DropIn kEtcd = {
    .name = "etcd",
    .about =
        "keelson in the place of etcd: it says that it is well and stores nothing, because keelson's kube-apiserver\n"
        "keeps its objects itself.",
    .version = "etcd Version: 3.6.8",
    .flags = kFlags,
    .serve = Serve,
};

}  // namespace keelson::cli
