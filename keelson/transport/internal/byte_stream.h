// A socket that does not block, with or without TLS.
#pragma once

#include <openssl/ssl.h>
#include <sys/uio.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "keelson/transport/handler.h"

namespace keelson::internal {

enum class IoStatus { kDone, kWantRead, kWantWrite, kEnd, kFailed };

struct IoResult {
  IoStatus status = IoStatus::kDone;
  size_t bytes = 0;  // with kDone, at least 1
};

// Used by one thread at a time. Does not own the socket.
class ByteStream {
 public:
  static std::unique_ptr<ByteStream> Plain(int socket);
  static std::unique_ptr<ByteStream> Tls(int socket, std::shared_ptr<SSL_CTX> context);
  virtual ~ByteStream() = default;

  // To be repeated until kDone, before anything else.
  virtual IoResult Handshake() = 0;
  virtual IoResult Read(std::span<char> buffer) = 0;
  // After kWantWrite the next call begins with the same bytes; there may be more of them.
  virtual IoResult Write(std::span<const iovec> pieces) = 0;
  // Says that nothing more will be written.
  virtual void Shutdown() = 0;
  // Bytes may be read though the socket has none.
  virtual bool HasBuffered() const = 0;
  virtual bool ChoseHttp2() const = 0;
  virtual void Describe(Peer& peer) const = 0;
  // Why Handshake failed.
  virtual std::string failure() const = 0;
};

}  // namespace keelson::internal
