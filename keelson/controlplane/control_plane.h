// A Kubernetes control plane in this process: for unit tests, examples and programs that bring their own.
//
//   ControlPlane control_plane;                                  // in memory, no port, no files
//   Client client = control_plane.client();                      // of an administrator
//   Client bob = control_plane.ClientAs("bob", {"dev"});
//
//   KEELSON_TRY(control_plane, ControlPlane::Start({.listen = ListenOptions{.port = 6443}, .data_dir = "state"}));
//   Write(control_plane->kubeconfig());                          // for kubectl and everybody else
//
// Thread-safe. Clients and their open watches end before their control plane does.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "keelson/apiserver/api_server.h"
#include "keelson/client/client.h"
#include "keelson/controlplane/controller_host.h"
#include "keelson/controlplane/upkeep.h"
#include "keelson/core/result.h"
#include "keelson/core/time.h"
#include "keelson/transport/certificate_authority.h"
#include "keelson/transport/http_server.h"

namespace keelson {

// Where others reach it: HTTPS.
struct ListenOptions {
  std::string address = "127.0.0.1";
  uint16_t port = 0;  // 0: any free one
  // Somebody else's certificates, who then makes the kubeconfigs too. Nothing: those of the control plane's own
  // authority, which also vouches for users.
  std::optional<TlsServerOptions> tls = {};
};

struct ControlPlaneOptions {
  std::optional<ListenOptions> listen = {};  // nothing: no port is opened
  // Keeps all objects and the certificate authority; made when it is not there. Empty: nothing outlives the process.
  std::string data_dir = {};
  // Its store.data_dir is the one above. With a node, that one's Lease is renewed every ten seconds.
  ApiServerOptions api_server = {};
  // Files and folders of CustomResourceDefinitions that are installed and Established when Start returns
  // (install_definitions.h).
  std::vector<std::string> crds = {};
  // Which of the controllers of a cluster run beside it, as kube-controller-manager's --controllers says it: {"*"} for
  // all, {"*", "-scheduler"}, {"garbage-collector-controller"} (controllers/selection.h).
  std::vector<std::string> controllers = {};
  // Names of nodes on which Pods run, as far as anybody can see (controllers/kubelet.h). None: that of api_server, if
  // it has one. Only with the controller "kubelet".
  std::vector<std::string> nodes = {};
  // How many times faster than their annotations say Pods on these nodes start, get ready, back off and end.
  double pod_speed = 1;
  // Revisions older than this can no longer be listed or watched from, as in a cluster whose etcd is compacted. Zero:
  // only the bounds of api_server.store count.
  Duration history = {};
  // How long requests under way may take at the end. Watches are told at once.
  Duration drain = std::chrono::seconds(5);
};

class ControlPlane {
 public:
  // In memory and without a port, which cannot fail.
  ControlPlane();
  // Ready when it returns. Errors: the address is taken or not ours; the data directory cannot be used, is in use or is
  // damaged; a definition cannot be installed.
  static Result<std::unique_ptr<ControlPlane>> Start(ControlPlaneOptions options = {});
  // Stops.
  ~ControlPlane();

  // A client without sockets, in group system:masters.
  Client client(ClientOptions options = {}) const;
  // One that the server takes for that user, who is in system:authenticated besides.
  Client ClientAs(std::string user, std::vector<std::string> groups = {}, ClientOptions options = {}) const;

  // "https://127.0.0.1:6443"; empty when it does not listen.
  std::string url() const;
  // YAML with embedded certificates for an administrator or another user. kUnsupported when it does not listen, or does
  // with certificates of others.
  Result<std::string> kubeconfig() const { return KubeconfigFor("admin", {"system:masters"}); }
  Result<std::string> KubeconfigFor(std::string_view user, const std::vector<std::string>& groups) const;

  // Opens no more watches and requests from sockets and waits for those under way; clients without sockets go on. True
  // when none had to be cut. More than once is as good as once.
  bool Stop();

  ApiServer& api_server() { return *api_server_; }

 private:
  ControlPlane(ControlPlaneOptions options, std::unique_ptr<ApiServer> api_server);
  Result<void> Listen();

  const ControlPlaneOptions options_;
  const std::unique_ptr<ApiServer> api_server_;
  std::optional<CertificateAuthority> authority_;  // when it listens
  std::unique_ptr<HttpServer> listener_;
  std::unique_ptr<Upkeep> upkeep_;  // when there is a node or a limit to history
  std::unique_ptr<ControllerHost> controllers_;
};

// Puts the kubeconfig into a file that only its owner may read. Other clusters, users and contexts that the file has
// stay in it; the current context becomes the new one. A file that is no kubeconfig is an error and stays as it is.
Result<void> WriteKubeconfig(const std::string& kubeconfig, const std::string& file);

}  // namespace keelson
