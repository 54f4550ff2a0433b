// Says with each request who sends it: credentials, impersonation, user agent.
//
//   AuthTransport transport(inner, {.credentials = TokenFile(path).value(), .user_agent = "demo/1.0"});
//
// Headers that a request has already are left alone. When the server answers 401 and the source of the credentials has
// newer ones, the request is sent once more with them; a server that answers 401 has done nothing.
#pragma once

#include <memory>
#include <string>

#include "keelson/client/config.h"
#include "keelson/client/credentials.h"
#include "keelson/transport/transport.h"

namespace keelson {

struct AuthOptions {
  std::shared_ptr<CredentialSource> credentials = nullptr;  // null: none, or a client certificate is enough
  Impersonation impersonate = {};
  std::string user_agent = {};
};

class AuthTransport final : public Transport {
 public:
  AuthTransport(std::shared_ptr<Transport> inner, AuthOptions options);

  Result<HttpResponse> Send(HttpRequest request, const CallScope& scope) override { return SendKept(request, scope); }
  Result<HttpResponse> SendKept(HttpRequest& request, const CallScope& scope) override;

 private:
  Result<HttpResponse> SendAuthorized(HttpRequest& request, const CallScope& scope);
  Result<HttpResponse> SendWith(const Credential& credential, HttpRequest& request, const CallScope& scope);

  const std::shared_ptr<Transport> inner_;
  const std::shared_ptr<CredentialSource> credentials_;
  const Headers impersonation_;  // ready to be added
  const std::string user_agent_;
};

// The key of an extra as it stands in a header's name: characters that may not stand there are percent-encoded.
std::string EscapeHeaderKey(std::string_view key);

// An error when a value could not be sent as a header.
Result<void> CheckImpersonation(const Impersonation& impersonate);

}  // namespace keelson
