#include "keelson/client/kubeconfig.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "keelson/api/names.h"
#include "keelson/client/auth_transport.h"
#include "keelson/client/credentials.h"
#include "keelson/codec/yaml_reader.h"

namespace keelson {

namespace {

using clientcmdv1::AuthInfo;
using clientcmdv1::Cluster;
using clientcmdv1::Config;
using clientcmdv1::Context;
using clientcmdv1::ExecConfig;

// The extension of a cluster that plugins are told of.
constexpr std::string_view kExecExtension = "client.authentication.k8s.io/exec";

// A name that comes twice in a list, or empty.
template <class Named>
std::string RepeatedName(const List<Named>& list) {
  std::set<std::string_view> names;
  for (const Named& named : list) {
    if (!names.insert(named.name.view()).second) return named.name.str();
  }
  return {};
}

template <class Named>
const Named* FindNamed(const List<Named>& list, std::string_view name) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const Named& named) { return named.name == name; });
  return found == list.end() ? nullptr : &*found;
}

template <class Named>
void AddMissing(List<Named>& list, const List<Named>& more) {
  for (const Named& named : more) {
    if (FindNamed(list, named.name) == nullptr) list.push_back(named);
  }
}

template <class Named>
void SortByName(List<Named>& list) {
  std::vector<Named> sorted = list;
  std::sort(sorted.begin(), sorted.end(), [](const Named& a, const Named& b) { return a.name < b.name; });
  list = sorted;
}

template <class Named>
std::string NamesOf(const List<Named>& list) {
  if (list.empty()) return "it has none";
  std::string names;
  for (const Named& named : list) names.append(names.empty() ? "it has " : ", ").append(named.name.view());
  return names;
}

String Resolved(const String& path, const std::filesystem::path& directory) {
  if (path.empty() || path.view().starts_with('/')) return path;
  return (directory / path.str()).lexically_normal().string();
}

// Everything that is wrong, so that it can be mended in one go.
class Problems {
 public:
  void Add(std::string problem) { problems_.push_back(std::move(problem)); }
  bool empty() const { return problems_.empty(); }
  Error ToError() const {
    std::string text = "the kubeconfig cannot be used: ";
    for (size_t i = 0; i < problems_.size(); ++i) text.append(i == 0 ? "" : "; ").append(problems_[i]);
    return Error::InvalidArgument(std::move(text));
  }

 private:
  std::vector<std::string> problems_;
};

void CheckExec(const std::string& user, const ExecConfig& exec, Problems& problems) {
  if (exec.command.empty()) problems.Add(user + " has an exec plugin without a command");
  if (exec.apiVersion.empty()) problems.Add(user + " has an exec plugin without an apiVersion");
  for (const clientcmdv1::ExecEnvVar& variable : exec.env) {
    if (variable.name.empty()) problems.Add(user + " has an exec plugin with an env variable without a name");
  }
  if (exec.interactiveMode.empty()) {
    problems.Add(user + " has an exec plugin without interactiveMode: expected Never, IfAvailable or Always");
  } else if (exec.interactiveMode != "Never" && exec.interactiveMode != "IfAvailable" &&
             exec.interactiveMode != "Always") {
    problems.Add(user + " has an exec plugin with interactiveMode \"" + exec.interactiveMode.str() +
                 "\": expected Never, IfAvailable or Always");
  }
}

void CheckUser(const std::string& name, const AuthInfo& info, Problems& problems) {
  const std::string user = "user \"" + name + "\"";
  if (!info.token.empty() && !(info.username.empty() && info.password.empty())) {
    problems.Add(user + " has both a token and a username with password: expected one of them");
  }
  const bool certificate = !info.clientCertificate.empty() || !info.clientCertificateData.empty();
  if (!info.clientCertificate.empty() && !info.clientCertificateData.empty()) {
    problems.Add(user + " has both client-certificate and client-certificate-data");
  }
  if (certificate && !info.clientKey.empty() && !info.clientKeyData.empty()) {
    problems.Add(user + " has both client-key and client-key-data");
  }
  if (certificate && info.clientKey.empty() && info.clientKeyData.empty()) {
    problems.Add(user + " has a client certificate without client-key or client-key-data");
  }
  if (info.authProvider) {
    problems.Add(user + " has auth-provider \"" + info.authProvider->name.str() +
                 "\", which Kubernetes removed: use an exec plugin");
  }
  if (info.exec) CheckExec(user, *info.exec, problems);
  if (info.as.empty() && !(info.asUid.empty() && info.asGroups.empty() && info.asUserExtra.empty())) {
    problems.Add(user + " has as-uid, as-groups or as-user-extra without `as`");
  }
}

void CheckCluster(const std::string& name, const Cluster& cluster, const std::string& server, Problems& problems) {
  if (server.empty()) problems.Add("cluster \"" + name + "\" has no server");
  if (!cluster.certificateAuthority.empty() && !cluster.certificateAuthorityData.empty()) {
    problems.Add("cluster \"" + name + "\" has both certificate-authority and certificate-authority-data");
  }
  if (cluster.insecureSkipTlsVerify &&
      !(cluster.certificateAuthority.empty() && cluster.certificateAuthorityData.empty())) {
    problems.Add("cluster \"" + name + "\" has insecure-skip-tls-verify and a certificate authority: expected one");
  }
  if (!cluster.proxyUrl.empty()) {
    const std::string_view url = cluster.proxyUrl;
    const std::string_view scheme = url.substr(0, url.find("://"));
    if (scheme.size() == url.size() ||
        (scheme != "http" && scheme != "https" && scheme != "socks5" && scheme != "socks5h")) {
      problems.Add("cluster \"" + name + "\" has a proxy-url that does not start with http, https, socks5 or socks5h");
    }
  }
}

// Credentials and what goes along with them.
void ApplyUser(const AuthInfo& info, const Cluster& cluster, ClientConfig& config) {
  config.bearer_token = info.token.str();
  config.bearer_token_file = info.tokenFile.str();
  config.username = info.username.str();
  config.password = info.password.str();
  if (!info.clientCertificate.empty() || !info.clientCertificateData.empty()) {
    config.tls.certificate = {.text = info.clientCertificateData.str(), .file = info.clientCertificate.str()};
    config.tls.key = {.text = info.clientKeyData.str(), .file = info.clientKey.str()};
  }
  if (info.exec) {
    config.exec = ExecPlugin{.config = *info.exec};
    if (const auto* extension = FindNamed(cluster.extensions, kExecExtension)) {
      config.exec->cluster_config = extension->extension;
    }
  }
}

void ApplyTls(const Cluster& cluster, const KubeconfigOverrides& overrides, ClientConfig& config) {
  config.tls.ca = {.text = cluster.certificateAuthorityData.str(), .file = cluster.certificateAuthority.str()};
  config.tls.insecure_skip_verify = cluster.insecureSkipTlsVerify;
  if (overrides.server.empty()) config.tls.server_name = cluster.tlsServerName.str();
}

// As Go reads it: "host:6443" is a server without TLS.
std::string ServerUrl(const std::string& server) {
  return server.find("://") == std::string::npos && !server.empty() ? "http://" + server : server;
}

std::vector<std::string> SplitPaths(std::string_view list) {
  std::vector<std::string> paths;
  while (!list.empty()) {
    const size_t colon = list.find(':');
    const std::string path(list.substr(0, colon));
    if (!path.empty() && std::find(paths.begin(), paths.end(), path) == paths.end()) paths.push_back(path);
    list.remove_prefix(colon == std::string_view::npos ? list.size() : colon + 1);
  }
  return paths;
}

}  // namespace

Result<Config> ParseKubeconfig(std::string_view text) {
  KEELSON_TRY(config, FromYaml<Config>(text, {.max_bytes = size_t{4} << 20}));
  if (!config.kind.empty() && config.kind != "Config") {
    return Error::InvalidArgument("kind is \"" + config.kind.str() + "\": expected Config");
  }
  if (!config.apiVersion.empty() && config.apiVersion != "v1") {
    return Error::InvalidArgument("apiVersion is \"" + config.apiVersion.str() + "\": expected v1");
  }
  std::string repeated = RepeatedName(std::as_const(config).clusters);
  if (!repeated.empty()) return Error::InvalidArgument("there are two clusters named \"" + repeated + "\"");
  repeated = RepeatedName(std::as_const(config).users);
  if (!repeated.empty()) return Error::InvalidArgument("there are two users named \"" + repeated + "\"");
  repeated = RepeatedName(std::as_const(config).contexts);
  if (!repeated.empty()) return Error::InvalidArgument("there are two contexts named \"" + repeated + "\"");
  config.kind = "Config";
  config.apiVersion = "v1";
  // Version v1 wants it said; before, plugins could always ask.
  for (clientcmdv1::NamedAuthInfo& user : config.users.Mutable()) {
    if (!user.user.exec) continue;
    ExecConfig& exec = *user.user.exec;
    if (exec.interactiveMode.empty() && exec.apiVersion == "client.authentication.k8s.io/v1beta1") {
      exec.interactiveMode = "IfAvailable";
    }
  }
  return config;
}

void ResolveKubeconfigPaths(Config& config, const std::string& directory) {
  const std::filesystem::path base(directory);
  for (clientcmdv1::NamedCluster& named : config.clusters.Mutable()) {
    named.cluster.certificateAuthority = Resolved(named.cluster.certificateAuthority, base);
  }
  for (clientcmdv1::NamedAuthInfo& named : config.users.Mutable()) {
    AuthInfo& user = named.user;
    user.clientCertificate = Resolved(user.clientCertificate, base);
    user.clientKey = Resolved(user.clientKey, base);
    user.tokenFile = Resolved(user.tokenFile, base);
    if (user.exec && std::as_const(user).exec->command.view().find('/') != std::string_view::npos) {
      user.exec->command = Resolved(std::as_const(user).exec->command, base);
    }
  }
}

Result<Config> LoadKubeconfig(const std::string& path) {
  KEELSON_TRY(text, ReadSmallFile(path));
  Result<Config> config = ParseKubeconfig(text);
  if (!config) return std::move(config).error().WithContext("kubeconfig " + path);
  std::error_code failed;
  const std::filesystem::path absolute = std::filesystem::absolute(path, failed);
  if (failed) return Error::InvalidArgument("kubeconfig " + path + ": " + failed.message());
  ResolveKubeconfigPaths(*config, absolute.parent_path().string());
  return config;
}

Result<Config> LoadKubeconfigs(const std::vector<std::string>& paths, std::vector<std::string>* missing) {
  std::vector<Config> configs;
  std::optional<Error> failed;
  for (const std::string& path : paths) {
    if (path.empty()) continue;
    Result<Config> config = LoadKubeconfig(path);
    if (config) {
      configs.push_back(std::move(*config));
    } else if (config.error().code() == ErrorCode::kNotFound) {
      if (missing != nullptr) missing->push_back(path);
    } else if (failed) {
      failed = Error::InvalidArgument(failed->message() + "; " + config.error().message());
    } else {
      failed = std::move(config).error();
    }
  }
  if (failed) return *std::move(failed);
  return MergeKubeconfigs(configs);
}

Config MergeKubeconfigs(const std::vector<Config>& configs) {
  Config merged{.kind = "Config", .apiVersion = "v1"};
  for (const Config& config : configs) {
    AddMissing(merged.clusters, config.clusters);
    AddMissing(merged.users, config.users);
    AddMissing(merged.contexts, config.contexts);
    AddMissing(merged.extensions, config.extensions);
    AddMissing(merged.preferences.extensions, config.preferences.extensions);
    if (config.preferences.colors) merged.preferences.colors = true;
    if (merged.currentContext.empty()) merged.currentContext = config.currentContext;
  }
  SortByName(merged.clusters);
  SortByName(merged.users);
  SortByName(merged.contexts);
  SortByName(merged.extensions);
  SortByName(merged.preferences.extensions);
  return merged;
}

Result<ClientConfig> ClientConfigFrom(const Config& kubeconfig, const KubeconfigOverrides& overrides) {
  Problems problems;
  Context context;
  const std::string context_name = overrides.context.empty() ? kubeconfig.currentContext.str() : overrides.context;
  if (const auto* named = FindNamed(kubeconfig.contexts, context_name)) {
    context = named->context;
  } else if (!context_name.empty()) {
    return Error::InvalidArgument("the kubeconfig has no context \"" + context_name +
                                  "\": " + NamesOf(kubeconfig.contexts));
  } else if (overrides.cluster.empty() && overrides.server.empty()) {
    return Error::InvalidArgument(
        "the kubeconfig has no current-context: choose a context by --context or by kubectl config use-context (" +
        NamesOf(kubeconfig.contexts) + ")");
  }
  if (!overrides.cluster.empty()) context.cluster = overrides.cluster;
  if (!overrides.user.empty()) context.user = overrides.user;
  if (!overrides.namespace_.empty()) context.namespace_ = overrides.namespace_;

  Cluster cluster;
  if (const auto* named = FindNamed(kubeconfig.clusters, context.cluster)) {
    cluster = named->cluster;
  } else if (!context.cluster.empty()) {
    problems.Add("context \"" + context_name + "\" names cluster \"" + context.cluster.str() +
                 "\", which is not there: " + NamesOf(kubeconfig.clusters));
  }
  AuthInfo user;
  if (const auto* named = FindNamed(kubeconfig.users, context.user)) {
    user = named->user;
  } else if (!context.user.empty()) {
    problems.Add("context \"" + context_name + "\" names user \"" + context.user.str() +
                 "\", which is not there: " + NamesOf(kubeconfig.users));
  }

  ClientConfig config;
  config.server = ServerUrl(overrides.server.empty() ? cluster.server.str() : overrides.server);
  if (problems.empty()) {
    CheckCluster(context.cluster, cluster, config.server, problems);
    CheckUser(context.user, user, problems);
    if (!context.namespace_.empty() && !names::IsDns1123Label(context.namespace_)) {
      problems.Add("context \"" + context_name + "\" has namespace \"" + context.namespace_.str() +
                   "\", which is no valid name of one");
    }
  }
  if (!problems.empty()) return problems.ToError();

  config.proxy_url = cluster.proxyUrl.str();
  config.disable_compression = cluster.disableCompression;
  if (!context.namespace_.empty()) config.namespace_ = context.namespace_.str();
  config.impersonate = {.user = user.as.str(), .uid = user.asUid.str()};
  for (const String& group : user.asGroups) config.impersonate.groups.push_back(group.str());
  for (const auto& [key, values] : user.asUserExtra) {
    for (const String& value : values) config.impersonate.extra[key.str()].push_back(value.str());
  }
  KEELSON_RETURN_IF_ERROR(CheckImpersonation(config.impersonate));
  if (config.server.starts_with("https://")) {
    ApplyUser(user, cluster, config);
    ApplyTls(cluster, overrides, config);
  }
  return config;
}

Result<ClientConfig> LoadClientConfig(const ClientFlags& flags, const ClientEnvironment& environment) {
  const KubeconfigOverrides overrides{.context = flags.context, .server = flags.master};
  const auto from_files = [&](const Config& files, const std::string& where) {
    return ClientConfigFrom(files, overrides).transform_error([&](Error error) {
      return std::move(error).WithContext(where);
    });
  };
  if (!flags.kubeconfig.empty()) {
    Result<Config> file = LoadKubeconfig(flags.kubeconfig);
    if (!file) return std::move(file).error().WithContext("--kubeconfig");
    return from_files(*file, flags.kubeconfig);
  }

  std::string looked_for = "--kubeconfig was not given";
  const std::string listed = environment.Variable("KUBECONFIG");
  std::vector<std::string> missing;
  if (!listed.empty()) {
    const std::vector<std::string> paths = SplitPaths(listed);
    Result<Config> files = LoadKubeconfigs(paths, &missing);
    if (!files) return std::move(files).error().WithContext("KUBECONFIG");
    if (missing.size() < paths.size()) return from_files(*files, "KUBECONFIG=" + listed);
    looked_for += "; KUBECONFIG=" + listed + " names no file that is there";
  } else {
    looked_for += "; KUBECONFIG is not set";
    if (flags.context.empty()) {
      Result<ClientConfig> in_cluster = InClusterConfig(environment);
      if (in_cluster) {
        if (!flags.master.empty()) in_cluster->server = ServerUrl(flags.master);
        return in_cluster;
      }
      looked_for += "; " + in_cluster.error().message();
    } else {
      looked_for += "; a pod's own configuration has no contexts";
    }
    const std::string home = environment.Variable("HOME");
    if (home.empty()) {
      looked_for += "; HOME is not set";
    } else {
      const std::string path = home + "/.kube/config";
      Result<Config> file = LoadKubeconfig(path);
      if (file) return from_files(*file, path);
      if (file.error().code() != ErrorCode::kNotFound) return std::move(file).error();
      looked_for += "; there is no " + path;
    }
  }

  if (!flags.master.empty() && flags.context.empty()) return ClientConfigFrom({}, overrides);
  return Error::NotFound("no configuration of a Kubernetes client found: " + looked_for +
                         ". Give --kubeconfig=FILE or --master=URL, set KUBECONFIG, or run in a pod");
}

}  // namespace keelson
