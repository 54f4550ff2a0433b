// The configuration that a pod finds inside its cluster.
//
//   KEELSON_TRY(config, InClusterConfig());
//
// Host and port come from KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT, token, CA and namespace from the files
// of the service account. Token and CA are read again as they rotate.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "keelson/client/config.h"

namespace keelson {

// What configuration is looked for in: this process's environment, or a test's own.
struct ClientEnvironment {
  // The value of an environment variable; null: getenv.
  std::function<std::optional<std::string>(const std::string& name)> variable = {};
  std::string service_account_directory = "/var/run/secrets/kubernetes.io/serviceaccount";

  // Empty when it is not set.
  std::string Variable(const std::string& name) const;
};

// kNotFound when this is no pod: variables or token are missing, and the message says which.
Result<ClientConfig> InClusterConfig(const ClientEnvironment& environment = {});

}  // namespace keelson
