// Where a server is and who we are to it: what every client is made from.
//
//   ClientConfig config{.server = "https://10.0.0.1:6443", .tls = {.ca = {.file = "ca.crt"}}, .bearer_token_file =
//   "token"};
//   KEELSON_TRY(transport, MakeTransport(config));
//
// Programs seldom fill one by hand: LoadClientConfig (kubeconfig.h) finds it as Kubernetes programs do.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "keelson/api/clientcmd/v1.h"
#include "keelson/client/retry_transport.h"
#include "keelson/core/metrics.h"
#include "keelson/core/time.h"
#include "keelson/transport/tls.h"
#include "keelson/transport/transport.h"

namespace keelson {

// As whom to act, where the server lets us.
struct Impersonation {
  std::string user = {};  // empty: as ourselves
  std::string uid = {};
  std::vector<std::string> groups = {};
  std::map<std::string, std::vector<std::string>> extra = {};
};

// A program that gives credentials (exec_credential.h).
struct ExecPlugin {
  clientcmdv1::ExecConfig config = {};
  RawExtension cluster_config = {};  // what the kubeconfig's cluster says to plugins
};

// Of several credentials the first of these counts: bearer token or its file, username and password, exec plugin. A
// client certificate in `tls` goes along with any but the exec plugin, which then is not asked.
struct ClientConfig {
  std::string server = {};  // "https://host:6443/prefix"
  TlsClientOptions tls = {};
  std::string unix_socket = {};  // connects there instead of to the server's host

  std::string bearer_token = {};
  std::string bearer_token_file = {};  // read again as it rotates; the token above counts until it can be read
  std::string username = {};
  std::string password = {};
  std::optional<ExecPlugin> exec = {};
  Impersonation impersonate = {};

  std::string proxy_url = {};
  bool disable_compression = false;
  std::string user_agent = {};  // empty: DefaultUserAgent()

  double qps = 0;      // requests a second that this client limits itself to; 0: no limit
  int burst = 0;       // that may be sent at once before; 0: 1
  Duration timeout{};  // of a call with its retries, streaming ones excepted; 0: none but the caller's
  RetryOptions retry = {};

  std::string namespace_ = "default";  // for requests that name none
  MetricRegistry* metrics = nullptr;   // outlives the transport; null: nothing is counted
};

// "<program>/<version> (linux/amd64) keelson/<version>". An empty program is the running one's file name; an empty
// version is "unknown".
std::string DefaultUserAgent(std::string_view program = {}, std::string_view version = {});

// A transport over sockets with all that the configuration asks for. Errors: a malformed URL, unreadable certificates,
// an unknown kind of exec plugin. Nothing is sent yet. Several that share connections: transport_family.h.
Result<std::shared_ptr<Transport>> MakeTransport(const ClientConfig& config);

// The same around a transport that is there already. `use_certificate` is told the client certificates that an exec
// plugin gives; without it such plugins can give tokens only.
//
//   SocketTransport → credentials, impersonation, user agent → rate limit → metrics → retry → warnings → timeout
Result<std::shared_ptr<Transport>> WrapTransport(
    std::shared_ptr<Transport> base, const ClientConfig& config,
    std::function<Result<void>(PemSource certificate, PemSource key)> use_certificate = {});

}  // namespace keelson
