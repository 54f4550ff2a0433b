// Asks the API server who a caller is (TokenReview) and whether they may have a path (SubjectAccessReview).
//
//   RequestAuthorizer authorizer(client);
//   const Verdict verdict = authorizer.Judge(request, "/metrics", stop);
//   if (verdict.status != 200) return Respond(*response, verdict.status, "text/plain", verdict.text);
//
// As controller-runtime's filter and kube-rbac-proxy do it: the caller sends a bearer token and needs the verb of its
// method, in lower case, on the path.
//
//   apiVersion: rbac.authorization.k8s.io/v1
//   kind: ClusterRole
//   metadata: {name: metrics-reader}
//   rules: [{nonResourceURLs: ["/metrics"], verbs: ["get"]}]
//
// The program itself needs to create both reviews: ClusterRole system:auth-delegator.
//
// Differences from controller-runtime: a token that the API server refuses is 401 (500 there), and a refusal is
// remembered whatever reason comes with it, so that a caller without rights cannot make us ask again and again.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/client/client.h"
#include "keelson/core/mutex.h"
#include "keelson/core/result.h"
#include "keelson/core/stop_token.h"
#include "keelson/core/time.h"
#include "keelson/runtime/internal/lru_map.h"
#include "keelson/transport/handler.h"

namespace keelson {

struct RequestAuthorizerOptions {
  Duration token_ttl = std::chrono::minutes(1);    // for how long the answer to a TokenReview is believed
  Duration allowed_ttl = std::chrono::minutes(5);  // the same of a SubjectAccessReview that allows
  Duration denied_ttl = std::chrono::seconds(30);  // and of one that does not
  Duration review_timeout = std::chrono::seconds(10);
  size_t max_answers = 1024;  // remembered of each kind; the one used longest ago goes first
};

struct Verdict {
  // 200: may have it. 401: no token, or none that the API server knows. 403: not allowed. 500: could not be found out,
  // which is logged.
  int status = 200;
  std::string text = {};  // what to answer when it is not 200
  std::string user = {};  // empty when nobody was recognised
};

// Thread-safe. Tokens are not kept: answers are remembered by a keyed hash of them.
class RequestAuthorizer {
 public:
  explicit RequestAuthorizer(Client reviewer, RequestAuthorizerOptions options = {});

  // `path` is the request's, decoded. Waits while the API server is asked.
  Verdict Judge(const ServerRequest& request, const std::string& path, const StopToken& stop);

 private:
  struct User {
    std::string name;
    std::string uid;
    std::vector<std::string> groups;
    std::map<std::string, std::vector<std::string>> extra;
  };
  template <class Value>
  struct Remembered {
    Value value;
    TimePoint until;
  };
  using Answers = internal::LruMap<Remembered<bool>>;

  // Nobody when the token is not known.
  Result<std::optional<User>> Authenticate(std::string_view token, const StopToken& stop);
  Result<bool> Authorize(const User& user, const std::string& verb, const std::string& path, const StopToken& stop);
  std::string DigestOf(std::string_view token) const;

  const Client reviewer_;
  const RequestAuthorizerOptions options_;
  const std::array<uint64_t, 4> secret_;

  Mutex mutex_{"request authorizer"};
  // Guarded by mutex_.
  internal::LruMap<Remembered<std::optional<User>>> users_;  // by digest of the token
  Answers access_;                                           // by user, verb and path
};

}  // namespace keelson
