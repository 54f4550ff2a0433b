// /metrics: what Prometheus asks a program.
#pragma once

#include <optional>
#include <string>

#include "keelson/core/result.h"
#include "keelson/transport/tls.h"

namespace keelson {

struct MetricsServerOptions {
  // "127.0.0.1:8080", ":8443" for all addresses, port 0 for any free one; "" and "0": no server.
  std::string bind_address = {};
  // HTTPS, for callers that the API server knows (TokenReview) and allows to get the path (SubjectAccessReview).
  bool secure = false;
  // With `secure`: the certificate; none: one made at start that nobody can verify.
  std::optional<TlsServerOptions> tls = {};
  // /debug/profile and the like.
  bool profiling = false;
};

}  // namespace keelson
