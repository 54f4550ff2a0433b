// Tokens of service accounts: made on demand (serviceaccounts/token) and taken as credentials.
//
// A token names its account, when it expires, whom it is for, and, if it is bound to one, a Pod, Secret or Node. It is
// good for as long as all of these are the ones that they were. All end with the process, since its key does.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "keelson/apiserver/authentication.h"
#include "keelson/apiserver/exchange.h"
#include "keelson/apiserver/objects.h"
#include "keelson/apiserver/token_signer.h"

namespace keelson::apiserver {

// Thread-safe.
class ServiceAccountTokens final : public TokenAuthenticator {
 public:
  explicit ServiceAccountTokens(const Objects& objects) : objects_(objects) {}

  // The answer to a TokenRequest.
  Result<Reply> Create(Exchange& exchange) const;

  Result<TokenOwner> Authenticate(std::string_view token, const std::vector<std::string>& audiences) const override;

 private:
  const Objects& objects_;
  mutable TokenSigner signer_;
};

}  // namespace keelson::apiserver
