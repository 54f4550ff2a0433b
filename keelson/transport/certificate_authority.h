// The certificates that a server lives by: an authority of its own, and what that one vouches for.
//
//   KEELSON_TRY(authority, CertificateAuthority::Make());                       // for this run only
//   KEELSON_TRY(authority, CertificateAuthority::Open("/var/lib/keelson/ca.pem"));   // kept; made when it is not there
//   KEELSON_TRY(serving, authority.IssueServing("kube-apiserver", {"localhost", "127.0.0.1"}));
//   KEELSON_TRY(admin, authority.IssueClient("admin", {"system:masters"}));
//
// Every key is a fresh ECDSA key on P-256: making one costs less than signing a mail. Immutable, thread-safe.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/core/result.h"
#include "keelson/core/time.h"

namespace keelson {

// Both in PEM.
struct CertifiedKey {
  std::string certificate = {};
  std::string key = {};
};

class CertificateAuthority {
 public:
  static Result<CertificateAuthority> Make();
  // Of a file, which only its owner may read. Made with a new authority when there is none; its directory exists. A
  // file that is damaged, expired or open to others is an error and stays as it is.
  static Result<CertificateAuthority> Open(const std::string& file);

  // What clients and servers trust, in PEM.
  const std::string& certificate() const { return certificate_pem_; }

  // For a server that is reached by these host names and addresses. `common_name` is for people.
  Result<CertifiedKey> IssueServing(std::string_view common_name, const std::vector<std::string>& names) const;
  // For a user: Kubernetes reads the name off the common name, the groups off the organizations.
  Result<CertifiedKey> IssueClient(std::string_view user, const std::vector<std::string>& groups) const;

 private:
  struct Parts;
  explicit CertificateAuthority(std::shared_ptr<const Parts> parts);

  std::shared_ptr<const Parts> parts_;
  std::string certificate_pem_;
};

}  // namespace keelson
