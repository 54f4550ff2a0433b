#include "keelson/apiserver/serving_names.h"

#include <unistd.h>

#include <algorithm>

namespace keelson::apiserver {

std::vector<std::string> ServingNames(std::string_view bind_address) {
  std::vector<std::string> names = {"localhost",
                                    "127.0.0.1",
                                    "::1",
                                    "kubernetes",
                                    "kubernetes.default",
                                    "kubernetes.default.svc",
                                    "kubernetes.default.svc.cluster.local",
                                    "10.0.0.1"};
  const auto add = [&](std::string_view name) {
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.emplace_back(name);
  };
  add(bind_address);
  char host[256] = {};
  if (gethostname(host, sizeof host - 1) == 0) add(host);
  return names;
}

}  // namespace keelson::apiserver
