// TCP sockets with blocking calls that can be stopped: for programs that pass bytes on.
//
//   KEELSON_TRY(listener, TcpListener::Listen("127.0.0.1", 0));
//   KEELSON_TRY(connection, listener->Accept(scope));
//   KEELSON_TRY(bytes, connection->Read(scope));
//
// Errors of waiting are kCancelled (stop) and kTimeout (deadline), which leave the socket as it is; others
// kUnavailable.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "keelson/core/result.h"
#include "keelson/transport/transport.h"

namespace keelson {

// One thread may read while another writes; Abort comes from any.
class TcpStream {
 public:
  static Result<std::unique_ptr<TcpStream>> Connect(const std::string& address, uint16_t port, const CallScope& scope);
  ~TcpStream();
  TcpStream(const TcpStream&) = delete;
  TcpStream& operator=(const TcpStream&) = delete;

  // What has arrived, at most 64 KiB; empty at the end.
  Result<std::string> Read(const CallScope& scope);
  // All of it; after an error it is unknown how much was written.
  Result<void> Write(std::string_view bytes, const CallScope& scope);
  // The other side reads the end; it can still send.
  void FinishWriting();
  // Both directions end now, also for calls that wait.
  void Abort();

 private:
  friend class TcpListener;
  explicit TcpStream(int socket) : socket_(socket) {}
  const int socket_;
};

// Thread-safe.
class TcpListener {
 public:
  // An address of this machine in digits; port 0: any free one. Inside a simulation it is an error.
  static Result<std::unique_ptr<TcpListener>> Listen(const std::string& address, uint16_t port);
  ~TcpListener();
  TcpListener(const TcpListener&) = delete;
  TcpListener& operator=(const TcpListener&) = delete;

  uint16_t port() const { return port_; }
  Result<std::unique_ptr<TcpStream>> Accept(const CallScope& scope);

 private:
  TcpListener(int socket, uint16_t port) : socket_(socket), port_(port) {}
  const int socket_;
  const uint16_t port_;
};

}  // namespace keelson
