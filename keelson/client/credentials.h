// What a request shows to prove who sends it, from wherever it comes.
//
//   std::shared_ptr<CredentialSource> token = BearerToken("abc").value();
//   std::shared_ptr<CredentialSource> file = TokenFile("/var/run/secrets/…/token").value();
//   AuthTransport transport(inner, {.credentials = file});     // auth_transport.h
//
// Credentials appear in no log and in no error's message.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "keelson/core/result.h"
#include "keelson/transport/transport.h"

namespace keelson {

struct Credential {
  std::string authorization = {};  // the header's value; empty: it is not sent
  uint64_t generation = 0;         // differs between credentials that one source gave
};

// Thread-safe.
class CredentialSource {
 public:
  virtual ~CredentialSource() = default;

  // The present credential. May wait, within the scope, while it is fetched.
  virtual Result<Credential> Get(const CallScope& scope) = 0;

  // Whether Renew can ever give anything.
  virtual bool CanRenew() const { return false; }
  // The server answered 401 to that one: another that is worth a try, or nothing.
  virtual std::optional<Credential> Renew(const Credential& refused, const CallScope& scope);
};

// Errors of these: a token or name that cannot stand in a header; a file that cannot be read or is empty.
Result<std::shared_ptr<CredentialSource>> BearerToken(std::string_view token);
Result<std::shared_ptr<CredentialSource>> BasicAuth(std::string_view username, std::string_view password);

// A token that others write to a file from time to time. It is read again every ten seconds, and at once when the
// server refuses the one in use. While the file cannot be read the last token counts; `first` is the one before the
// first reading, and when it is empty the file must be readable now.
Result<std::shared_ptr<CredentialSource>> TokenFile(std::string path, std::string_view first = {});

// "Bearer <token>", unless the token has characters that no header may have.
Result<std::string> BearerHeader(std::string_view token);

// The whole of a small file (at most 1 MiB). The error names the path and the system's reason.
Result<std::string> ReadSmallFile(const std::string& path);

}  // namespace keelson
