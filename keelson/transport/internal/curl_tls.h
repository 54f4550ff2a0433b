// The certificates of a client: read, checked, and read again when their files change.
#pragma once

#include <sys/types.h>

#include <array>
#include <string>
#include <vector>

#include "keelson/core/result.h"
#include "keelson/core/time.h"
#include "keelson/transport/tls.h"

struct ssl_st;

namespace keelson::internal {

// Texts in PEM that were checked to be of use. Empty where none was given.
struct TlsTexts {
  std::string ca = {};
  std::string certificate = {};
  std::string key = {};

  bool operator==(const TlsTexts&) const = default;
};

// Used by one thread at a time.
class TlsFiles {
 public:
  // Errors: a file that cannot be read, no certificate in it, a key that is not the certificate's.
  static Result<TlsFiles> Load(TlsClientOptions options);

  const TlsTexts& texts() const { return texts_; }

  // True when the texts are others now. Looks at the files at most once a second; what cannot be used (a key that is
  // not written yet) is logged once, and the texts stay as they are.
  bool Refresh(TimePoint now);

  Result<void> SetClientCertificate(PemSource certificate, PemSource key);

 private:
  // What changes when a file does.
  struct Stamp {
    bool there = false;
    ino_t inode = 0;
    off_t size = 0;
    int64_t seconds = 0;
    int64_t nanoseconds = 0;
    bool operator==(const Stamp&) const = default;
  };
  using Stamps = std::array<Stamp, 3>;

  explicit TlsFiles(TlsClientOptions options) : options_(std::move(options)) {}
  Stamps Look() const;
  static Result<TlsTexts> Read(const TlsClientOptions& options);

  TlsClientOptions options_;
  TlsTexts texts_;
  Stamps stamps_ = {};
  TimePoint looked_at_ = TimePoint::min();
  std::string logged_;  // the message of the last failure, so that it is logged once
};

// What the server's certificate said in the last handshake, for the message when that fails.
struct PeerCertificate {
  std::string problem = {};  // of the chain, in words; empty: none
  int problem_code = 0;      // X509_V_ERR_…
  std::string subject = {};  // of the certificate that has the problem
  std::string issuer = {};
  std::string valid_until = {};
  std::vector<std::string> names = {};  // that the server's certificate is for
};

// Makes handshakes under this SSL_CTX fill `peer`, which outlives it.
void RecordPeerCertificate(void* ssl_ctx, PeerCertificate* peer);
// The handshake of this SSL alone.
void RecordPeerCertificate(ssl_st* ssl, PeerCertificate* peer);

}  // namespace keelson::internal
