// Signs statements so that the server knows them again: JSON Web Tokens with a key of its own (ECDSA on P-256, ES256).
//
//   TokenSigner signer;
//   KEELSON_TRY(token, signer.Sign(Json::Object({{"sub", "somebody"}})));
//   KEELSON_TRY(claims, signer.Verify(token));
//
// The key is made when it is first needed and goes with the process. Thread-safe.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "keelson/api/json.h"
#include "keelson/core/mutex.h"
#include "keelson/core/result.h"

namespace keelson::apiserver {

class TokenSigner {
 public:
  TokenSigner();
  ~TokenSigner();

  Result<std::string> Sign(const Json& claims);
  // What was signed; kUnauthorized when it was not by this key. Whether the claims hold now is the caller's to say.
  Result<Json> Verify(std::string_view token);

 private:
  struct Key;
  Result<const Key*> GetKey();

  Mutex mutex_{"token-signer"};
  std::unique_ptr<Key> key_;  // guarded by mutex_ until it is made
};

}  // namespace keelson::apiserver
