// Who sent a request: by client certificate, by token, or nobody known.
//
//   Authenticator authenticator({.tokens = {{"s3cret", {.name = "ci", .groups = {"system:masters"}}}}});
//   KEELSON_TRY(user, authenticator.Authenticate(request));
//
// A certificate that the server's client CA vouches for names its user by its common name and the groups by its
// organizations; requests from the same process say who they are the same way. Who shows neither is system:anonymous of
// the group system:unauthenticated; everybody else is of system:authenticated too. Thread-safe.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "keelson/apiserver/user.h"
#include "keelson/core/mutex.h"
#include "keelson/core/result.h"
#include "keelson/transport/handler.h"

namespace keelson::apiserver {

inline constexpr std::string_view kMastersGroup = "system:masters";
inline constexpr std::string_view kAuthenticatedGroup = "system:authenticated";
inline constexpr std::string_view kUnauthenticatedGroup = "system:unauthenticated";
inline constexpr std::string_view kAnonymousUser = "system:anonymous";

// Whom tokens of this server are for, and who made those of service accounts.
inline constexpr std::string_view kApiAudience = "https://kubernetes.default.svc.cluster.local";

struct TokenOwner {
  User user = {};
  std::vector<std::string> audiences = {};  // those of the wanted ones that the token is for
};

// Knows some sort of tokens. Thread-safe.
class TokenAuthenticator {
 public:
  virtual ~TokenAuthenticator() = default;
  // kUnauthorized says why not.
  virtual Result<TokenOwner> Authenticate(std::string_view token, const std::vector<std::string>& audiences) const = 0;
};

struct AuthenticatorOptions {
  std::vector<std::pair<std::string, User>> tokens = {};  // bearer tokens and whose they are
};

class Authenticator {
 public:
  // `others` knows the tokens that are not among those of the options, and outlives this.
  explicit Authenticator(AuthenticatorOptions options = {}, const TokenAuthenticator* others = nullptr);
  ~Authenticator();

  // kUnauthorized for a token that is nobody's.
  Result<User> Authenticate(const ServerRequest& request) const;
  // Whose token it is, for one of the audiences; none: for this server.
  Result<TokenOwner> AuthenticateToken(std::string_view token, std::vector<std::string> audiences = {}) const;

 private:
  User UserOfCertificate(const Peer& peer) const;

  const AuthenticatorOptions options_;
  const TokenAuthenticator* const others_;

  // What a certificate says beside its names is read once: connections live long, and there are few users. Guarded by
  // mutex_.
  mutable SharedMutex mutex_;
  mutable std::map<std::string, User, std::less<>> users_of_certificates_;
};

}  // namespace keelson::apiserver
