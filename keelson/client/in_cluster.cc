#include "keelson/client/in_cluster.h"

#include <cstdlib>
#include <utility>

#include "keelson/client/credentials.h"
#include "keelson/core/ascii.h"
#include "keelson/core/log.h"

namespace keelson {

namespace {

// The pod's own namespace.
std::string NamespaceOf(const ClientEnvironment& environment) {
  if (std::string name = environment.Variable("POD_NAMESPACE"); !name.empty()) return name;
  if (const Result<std::string> text = ReadSmallFile(environment.service_account_directory + "/namespace")) {
    if (const std::string_view name = Trim(*text); !name.empty()) return std::string(name);
  }
  return "default";
}

}  // namespace

std::string ClientEnvironment::Variable(const std::string& name) const {
  if (variable) return variable(name).value_or("");
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? "" : value;
}

Result<ClientConfig> InClusterConfig(const ClientEnvironment& environment) {
  const std::string host = environment.Variable("KUBERNETES_SERVICE_HOST");
  const std::string port = environment.Variable("KUBERNETES_SERVICE_PORT");
  if (host.empty() || port.empty()) {
    return Error::NotFound("not in a pod: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set");
  }
  const std::string token_file = environment.service_account_directory + "/token";
  const std::string ca_file = environment.service_account_directory + "/ca.crt";
  KEELSON_TRY(token, ReadSmallFile(token_file));

  ClientConfig config;
  const bool bare_ipv6 = host.find(':') != std::string::npos && !host.starts_with('[');
  config.server = "https://" + (bare_ipv6 ? "[" + host + "]" : host) + ":" + port;
  config.bearer_token = Trim(token);
  config.bearer_token_file = token_file;
  if (const Result<std::string> ca = ReadSmallFile(ca_file)) {
    config.tls.ca.file = ca_file;
  } else {
    Logger("client").Error(ca.error(), "The cluster's CA cannot be read; the system's authorities are used instead");
  }
  config.namespace_ = NamespaceOf(environment);
  return config;
}

}  // namespace keelson
