// The server's certificate, key and client authorities, read again when their files change.
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>

#include "keelson/core/log.h"
#include "keelson/core/mutex.h"
#include "keelson/core/result.h"
#include "keelson/transport/handler.h"
#include "keelson/transport/tls.h"

namespace keelson::internal {

// A PEM source and what it held when it was last read.
class WatchedPem {
 public:
  explicit WatchedPem(PemSource source) : source_(std::move(source)) {}

  // Reads the file if it may have changed. True when the text is another than before; an error when there is none.
  Result<bool> Refresh();
  const std::string& text() const { return text_; }

 private:
  struct Stamp {
    uint64_t device = 0, inode = 0;
    int64_t size = 0, seconds = 0, nanoseconds = 0;
    bool operator==(const Stamp&) const = default;
  };

  const PemSource source_;
  std::string text_;
  Stamp stamp_;
  // A file written just before it was read may be written again without its stamp telling.
  bool settled_ = false;
  bool read_ = false;
};

// Thread-safe. Connections keep the context they were made with.
class TlsServerContext {
 public:
  static Result<std::unique_ptr<TlsServerContext>> Create(TlsServerOptions options);

  // Looks at the files' stamps, so it is cheap beside a handshake. What cannot be used is logged once, and the last
  // good one serves on.
  std::shared_ptr<SSL_CTX> Current();

 private:
  explicit TlsServerContext(TlsServerOptions options);
  // True when any text changed.
  Result<bool> Refresh();
  Result<std::shared_ptr<SSL_CTX>> Build() const;

  const bool require_client_certificate_;
  const bool has_client_ca_;
  const Logger log_{"http-server"};
  Mutex mutex_;
  // Guarded by mutex_.
  WatchedPem certificate_, key_, client_ca_;
  std::shared_ptr<SSL_CTX> current_;
  std::string last_failure_;
};

// Fills in what a verified client certificate says, if the client showed one.
void DescribeClient(const SSL* ssl, Peer& peer);

}  // namespace keelson::internal
