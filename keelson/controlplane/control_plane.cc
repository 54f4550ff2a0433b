#include "keelson/controlplane/control_plane.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "keelson/apiserver/serving_names.h"
#include "keelson/client/config.h"
#include "keelson/client/kubeconfig.h"
#include "keelson/codec/yaml_writer.h"
#include "keelson/controllers/selection.h"
#include "keelson/controlplane/install_definitions.h"
#include "keelson/core/log.h"
#include "keelson/transport/in_process_transport.h"

namespace keelson {
namespace {

constexpr std::string_view kName = "keelson";  // of cluster and context in kubeconfigs

// Like mkdir -p, but what it makes is for the owner alone.
Result<void> MakePrivateDirectory(const std::string& path) {
  for (size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    if (mkdir(part.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
      return Error(ErrorCode::kUnavailable,
                   fmt::format("cannot make the data directory '{}': {}", part, std::strerror(errno)));
    }
    if (end == std::string::npos) return {};
  }
}

}  // namespace

ControlPlane::ControlPlane(ControlPlaneOptions options, std::unique_ptr<ApiServer> api_server)
    : options_(std::move(options)), api_server_(std::move(api_server)) {}

ControlPlane::ControlPlane()
    : api_server_([] {
        Result<std::unique_ptr<ApiServer>> made = ApiServer::Make();
        if (!made) {
          Logger("controlplane").Error(made.error(), "An API server in memory could not be made");
          std::abort();
        }
        return std::move(*made);
      }()) {}

Result<std::unique_ptr<ControlPlane>> ControlPlane::Start(ControlPlaneOptions options) {
  if (!options.data_dir.empty()) {
    KEELSON_RETURN_IF_ERROR(MakePrivateDirectory(options.data_dir));
    options.api_server.store.data_dir = options.data_dir;
  }
  if (!options.api_server.service_account_admission) {
    options.api_server.service_account_admission = !options.controllers.empty() && options.api_server.tend_namespaces;
  }
  KEELSON_TRY(api_server, ApiServer::Make(options.api_server));
  std::unique_ptr<ControlPlane> made(new ControlPlane(std::move(options), std::move(api_server)));
  const ControlPlaneOptions& given = made->options_;
  // Before anybody can ask for their objects.
  if (!given.crds.empty()) KEELSON_RETURN_IF_ERROR(InstallDefinitions(made->client(), given.crds));
  if (given.listen) KEELSON_RETURN_IF_ERROR(made->Listen());
  bool kubelet = false;
  if (!given.controllers.empty()) {
    KEELSON_TRY(selected, controllers::SelectControllers(given.controllers));
    kubelet = selected.contains(controllers::kKubelet);
    ControllerHostOptions hosted{.controllers = given.controllers, .nodes = given.nodes, .pod_speed = given.pod_speed};
    if (hosted.nodes.empty() && !given.api_server.node.empty()) hosted.nodes = {given.api_server.node};
    // Without the wrappers of other clients: warnings are for people.
    const Client client(
        std::make_shared<InProcessTransport>(*made->api_server_, Peer{.address = "in-process",
                                                                      .common_name = "system:kube-controller-manager",
                                                                      .organizations = {"system:masters"}}));
    KEELSON_TRY(host, ControllerHost::Start(client, hosted));
    made->controllers_ = std::move(host);
  }
  // A kubelet renews the Lease of its node itself.
  const std::string beating = kubelet ? std::string() : given.api_server.node;
  if (!beating.empty() || given.history > Duration::zero()) {
    made->upkeep_ = std::make_unique<Upkeep>(UpkeepOptions{.node = beating, .history = given.history}, made->client(),
                                             made->api_server_->store());
  }
  return made;
}

Result<void> ControlPlane::Listen() {
  const ListenOptions& listen = *options_.listen;
  std::optional<TlsServerOptions> tls = listen.tls;
  if (!tls) {
    // The store is open and holds its lock by now: nobody else makes an authority in that directory.
    KEELSON_TRY(authority, options_.data_dir.empty() ? CertificateAuthority::Make()
                                                     : CertificateAuthority::Open(options_.data_dir + "/ca.pem"));
    KEELSON_TRY(serving, authority.IssueServing("kube-apiserver", apiserver::ServingNames(listen.address)));
    tls = TlsServerOptions{.certificate = {.text = serving.certificate},
                           .key = {.text = serving.key},
                           .client_ca = {.text = authority.certificate()}};
    authority_ = std::move(authority);
  }
  KEELSON_TRY(listener, HttpServer::Start(*api_server_, {.address = listen.address,
                                                         .port = listen.port,
                                                         .tls = std::move(tls),
                                                         .max_body_bytes = options_.api_server.max_body_bytes}));
  api_server_->SetAddress(listen.address, listener->port());
  if (authority_) api_server_->SetRootCa(authority_->certificate());
  listener_ = std::move(listener);
  return {};
}

ControlPlane::~ControlPlane() { Stop(); }

bool ControlPlane::Stop() {
  controllers_.reset();
  if (listener_ == nullptr) return true;
  api_server_->SetDraining();
  return listener_->Drain(options_.drain);
}

Client ControlPlane::client(ClientOptions options) const {
  return ClientAs("admin", {"system:masters"}, std::move(options));
}

Client ControlPlane::ClientAs(std::string user, std::vector<std::string> groups, ClientOptions options) const {
  const auto transport = std::make_shared<InProcessTransport>(
      *api_server_, Peer{.address = "in-process", .common_name = std::move(user), .organizations = std::move(groups)});
  // Retries, warnings and the user agent as over sockets: what a test sees is what a cluster gives.
  Result<std::shared_ptr<Transport>> wrapped = WrapTransport(transport, {});
  return Client(wrapped ? *wrapped : transport, std::move(options));
}

std::string ControlPlane::url() const { return listener_ != nullptr ? listener_->url() : std::string(); }

Result<std::string> ControlPlane::KubeconfigFor(std::string_view user, const std::vector<std::string>& groups) const {
  if (!authority_) {
    return Error::Unsupported(
        "there is no kubeconfig for a control plane that does not listen, or does with certificates of others; set "
        "ControlPlaneOptions::listen without tls, or use client() and ClientAs()");
  }
  KEELSON_TRY(own, authority_->IssueClient(user, groups));
  const std::string user_name = fmt::format("{}-{}", kName, user);
  clientcmdv1::Config config;
  config.kind = "Config";
  config.apiVersion = "v1";
  config.currentContext = kName;
  config.clusters = {
      {.name = kName, .cluster = {.server = url(), .certificateAuthorityData = Bytes(authority_->certificate())}}};
  config.users = {
      {.name = user_name, .user = {.clientCertificateData = Bytes(own.certificate), .clientKeyData = Bytes(own.key)}}};
  config.contexts = {{.name = kName, .context = {.cluster = kName, .user = user_name}}};
  return ToYaml(config);
}

}  // namespace keelson
