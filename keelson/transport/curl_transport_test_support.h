// For tests of the HTTP clients: servers and proxies that can do what no library lets one do, and the transports over
// sockets behind one interface.
//
//   ScriptedServer server([](Connection& client) {
//     client.ReadUntil("\r\n\r\n");
//     client.Send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel");   // and no more
//   });
//   auto transport = TransportTo({.server = server.url()});
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "keelson/core/clock.h"
#include "keelson/core/mutex.h"
#include "keelson/core/thread.h"
#include "keelson/transport/curl_transport.h"
#include "keelson/transport/direct_transport.h"
#include "keelson/transport/http_server_test_support.h"

namespace keelson {

// A socket and what was read from it and not used.
class Connection {
 public:
  explicit Connection(int socket) : socket_(socket) {}
  ~Connection() { close(socket_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  int socket() const { return socket_; }

  // False when the other end has gone.
  bool Send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t put = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (put <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(put));
    }
    return true;
  }

  // That many bytes, or fewer at the end.
  std::string Read(size_t size) {
    while (buffer_.size() < size && Fill()) {
    }
    std::string taken = buffer_.substr(0, size);
    buffer_.erase(0, taken.size());
    return taken;
  }

  // With the text; empty when it does not come.
  std::string ReadUntil(std::string_view text) {
    size_t found = 0;
    while ((found = buffer_.find(text)) == std::string::npos) {
      if (!Fill()) return {};
    }
    return Read(found + text.size());
  }

  // Headers and body of a request; empty at the end.
  std::string ReadRequest() {
    std::string head = ReadUntil("\r\n\r\n");
    const size_t length = head.find("Content-Length: ");
    if (length != std::string::npos) head += Read(std::stoul(head.substr(length + 16)));
    return head;
  }

  // Until the client closes.
  void ReadToEnd() {
    while (Fill()) buffer_.clear();
  }

  // Closes with a reset instead of an end.
  void ResetAtClose() {
    const linger now = {.l_onoff = 1, .l_linger = 0};
    setsockopt(socket_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  }

 private:
  bool Fill() {
    char bytes[16 << 10];
    const ssize_t got = recv(socket_, bytes, sizeof bytes, 0);
    if (got <= 0) return false;
    buffer_.append(bytes, static_cast<size_t>(got));
    return true;
  }

  const int socket_;
  std::string buffer_;
};

// Runs a script for each connection, each on a thread of its own.
class ScriptedServer {
 public:
  using Script = std::function<void(Connection& client)>;

  explicit ScriptedServer(Script script) : script_(std::move(script)), listener_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(listen(listener_, 128), 0);
    EXPECT_EQ(getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
    acceptor_ = Thread("acceptor", [this] { Accept(); });
  }
  ~ScriptedServer() {
    shutdown(listener_, SHUT_RDWR);
    acceptor_.Join();
    {
      MutexLock lock(mutex_);
      for (const int open : open_) shutdown(open, SHUT_RDWR);
    }
    threads_.clear();
    close(listener_);
  }

  uint16_t port() const { return port_; }
  std::string url(const std::string& scheme = "http") const { return scheme + "://127.0.0.1:" + std::to_string(port_); }
  int accepted() const { return accepted_; }

 private:
  void Accept() {
    while (true) {
      const int socket = accept(listener_, nullptr, nullptr);
      if (socket < 0) return;
      ++accepted_;
      {
        MutexLock lock(mutex_);
        open_.push_back(socket);
      }
      threads_.emplace_back("script", [this, socket] {
        auto client = std::make_unique<Connection>(socket);
        script_(*client);
        MutexLock lock(mutex_);
        std::erase(open_, socket);
        client.reset();
      });
    }
  }

  const Script script_;
  const int listener_;
  uint16_t port_ = 0;
  std::atomic<int> accepted_ = 0;
  Mutex mutex_;
  std::vector<int> open_;  // guarded by mutex_
  std::vector<Thread> threads_;
  Thread acceptor_;
};

inline int ConnectTo(uint16_t port) {
  const int made = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(connect(made, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  return made;
}

// Passes bytes on both ways until one side ends.
inline void Relay(Connection& client, uint16_t port) {
  Connection server(ConnectTo(port));
  pollfd ends[2] = {{.fd = client.socket(), .events = POLLIN, .revents = 0},
                    {.fd = server.socket(), .events = POLLIN, .revents = 0}};
  while (poll(ends, 2, -1) > 0) {
    for (int i = 0; i < 2; ++i) {
      if (ends[i].revents == 0) continue;
      char bytes[16 << 10];
      const ssize_t got = recv(ends[i].fd, bytes, sizeof bytes, 0);
      if (got <= 0) return;
      if (!(i == 0 ? server : client).Send({bytes, static_cast<size_t>(got)})) return;
    }
  }
}

enum class TransportKind { kCurl, kDirect };

// A transport of either kind, with what they have in common beyond Transport.
class AnyTransport final : public Transport {
 public:
  static Result<std::unique_ptr<AnyTransport>> Create(TransportKind kind, CurlTransportOptions options) {
    auto any = std::make_unique<AnyTransport>();
    if (kind == TransportKind::kCurl) {
      KEELSON_TRY(made, CurlTransport::Create(std::move(options)));
      any->curl_ = std::move(made);
      return any;
    }
    KEELSON_TRY(made, DirectTransport::Create({.server = options.server,
                                               .tls = options.tls,
                                               .unix_socket = options.unix_socket,
                                               .disable_compression = options.disable_compression,
                                               .connect_timeout = options.connect_timeout,
                                               .keep_alive = options.keep_alive,
                                               .max_connections = options.max_connections}));
    any->direct_ = std::move(made);
    return any;
  }

  Result<HttpResponse> Send(HttpRequest request, const CallScope& scope) override {
    return curl_ ? curl_->Send(std::move(request), scope) : direct_->Send(std::move(request), scope);
  }
  Result<void> SetClientCertificate(PemSource certificate, PemSource key) {
    return curl_ ? curl_->SetClientCertificate(certificate, key) : direct_->SetClientCertificate(certificate, key);
  }
  void CloseIdle() { curl_ ? curl_->CloseIdle() : direct_->CloseIdle(); }

 private:
  std::unique_ptr<CurlTransport> curl_;  // or
  std::unique_ptr<DirectTransport> direct_;
};

inline std::unique_ptr<AnyTransport> TransportTo(CurlTransportOptions options,
                                                 TransportKind kind = TransportKind::kCurl) {
  Result<std::unique_ptr<AnyTransport>> transport = AnyTransport::Create(kind, std::move(options));
  EXPECT_TRUE(transport.has_value()) << (transport ? "" : transport.error().message());
  return *std::move(transport);
}

// For tests that hold for both kinds.
class EitherTransportTest : public testing::TestWithParam<TransportKind> {
 protected:
  static std::unique_ptr<AnyTransport> TransportTo(CurlTransportOptions options) {
    return keelson::TransportTo(std::move(options), GetParam());
  }
  static bool IsDirect() { return GetParam() == TransportKind::kDirect; }
};

inline auto EitherTransport() { return testing::Values(TransportKind::kCurl, TransportKind::kDirect); }
inline std::string NameOfKind(const testing::TestParamInfo<TransportKind>& kind) {
  return kind.param == TransportKind::kCurl ? "Curl" : "Direct";
}

inline CallScope Soon() { return {.deadline = Clock::Now() + kPatience}; }

// The status and body, or the error, as text.
inline std::string Outcome(Transport& transport, HttpRequest request, const CallScope& scope = Soon()) {
  Result<HttpResponse> answer = transport.Send(std::move(request), scope);
  if (!answer) return "error: " + answer.error().message();
  const Result<std::string> body = ReadAll(*answer->body, size_t{1} << 30);
  if (!body) return "error in body: " + body.error().message();
  return std::to_string(answer->status) + " " + *body;
}

inline const TransportErrorDetail& DetailOf(const Error& error) {
  const auto* detail = error.detail<TransportErrorDetail>();
  static const TransportErrorDetail kNone(TransportFailure::kProtocol, false);
  EXPECT_NE(detail, nullptr) << error.message();
  return detail == nullptr ? kNone : *detail;
}

}  // namespace keelson
