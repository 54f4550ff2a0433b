// For tests: a WebSocket server on loopback that does what a function says, also what no good server does.
//
//   TestWebSocketServer server({.subprotocols = {"v5.channel.k8s.io"}}, [](TestPeer& peer) {
//     while (std::optional<std::string> message = peer.Read()) peer.Write(*message);
//   });
//   WebSocket::Connect({.server = server.url(), .tls = server.client_tls()}, …);
//
// The function runs on a thread of its own for each connection. When it returns, the connection is closed as it should
// be, unless it was cut. The server's end cuts what is left, so functions that wait on their peer return.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <boost/beast/websocket/ssl.hpp>

#include <sys/socket.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "keelson/core/clock.h"
#include "keelson/core/cond_var.h"
#include "keelson/core/mutex.h"
#include "keelson/core/thread.h"
#include "keelson/transport/test_certificates_test_support.h"
#include "keelson/transport/tls.h"
#include "keelson/transport/transport.h"

namespace keelson {

// Longer than anything here takes, even under a sanitizer on a busy machine.
inline CallScope Soon() { return {.deadline = Clock::Now() + std::chrono::seconds(60)}; }

// Something that a test waits for.
class TestEvent {
 public:
  void Set() {
    MutexLock lock(mutex_);
    set_ = true;
    changed_.NotifyAll();
  }
  // False when it did not come in time.
  bool Wait(TimePoint deadline = Soon().deadline) {
    MutexLock lock(mutex_);
    return changed_.WaitUntil(lock, deadline, {}, [&] { return set_; }) == Wake::kReady;
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  bool set_ = false;  // guarded by mutex_
};

// The server's end of one connection.
class TestPeer {
 public:
  using Request = boost::beast::http::request<boost::beast::http::string_body>;

  virtual ~TestPeer() = default;
  // The next message; nothing at the end.
  virtual std::optional<std::string> Read() = 0;
  // False when the client has gone.
  virtual bool Write(std::string_view bytes) = 0;
  virtual bool WriteText(std::string_view text) = 0;
  // Bytes that are no WebSocket frame, or one that Beast would not write.
  virtual void WriteRaw(std::string_view bytes) = 0;
  virtual std::string ReadRaw(size_t bytes) = 0;
  virtual void Close(uint16_t code, std::string_view reason) = 0;
  // Without a word.
  virtual void Cut() = 0;

  const Request& request() const { return request_; }
  std::string target() const { return std::string(request_.target()); }

 protected:
  explicit TestPeer(Request request) : request_(std::move(request)) {}
  const Request request_;
};

struct TestWebSocketServerOptions {
  bool tls = true;
  std::vector<std::string> subprotocols = {};  // that the server knows; the client's order decides
  std::string forced_subprotocol = {};         // chosen whether offered or not
  // An answer instead of the upgrade, with status, content type and body; status 0: none.
  struct Refusal {
    unsigned status = 0;
    std::string content_type = {};
    std::string body = {};
  };
  std::function<Refusal(const TestPeer::Request&)> refuse = {};
  // Runs when a connection has come, before its first byte is read.
  std::function<void()> accepted = {};
};

class TestWebSocketServer {
 public:
  using Script = std::function<void(TestPeer&)>;

  TestWebSocketServer(TestWebSocketServerOptions options, Script script)
      : options_(std::move(options)), script_(std::move(script)), acceptor_(io_) {
    const TestCertificate own = authority_.IssueServer();
    context_.use_certificate_chain(boost::asio::buffer(own.certificate));
    context_.use_private_key(boost::asio::buffer(own.key), boost::asio::ssl::context::pem);
    const Tcp::endpoint any(boost::asio::ip::address_v4::loopback(), 0);
    acceptor_.open(any.protocol());
    acceptor_.bind(any);
    acceptor_.listen();
    port_ = acceptor_.local_endpoint().port();
    thread_ = Thread("test-server", [this] { Accept(); });
  }
  ~TestWebSocketServer() {
    {
      MutexLock lock(mutex_);
      stopped_ = true;
      for (const int socket : sockets_) ::shutdown(socket, SHUT_RDWR);
    }
    ::shutdown(acceptor_.native_handle(), SHUT_RDWR);
    thread_.Join();
    connections_.clear();
    for (const int socket : sockets_) ::close(socket);
  }

  std::string url() const {
    return (options_.tls ? "https://127.0.0.1:" : "http://127.0.0.1:") + std::to_string(port_);
  }
  uint16_t port() const { return port_; }
  TlsClientOptions client_tls() const { return {.ca = {.text = authority_.certificate()}}; }

 private:
  using Tcp = boost::asio::ip::tcp;
  using Error = boost::system::error_code;

  template <class Stream>
  class Peer final : public TestPeer {
   public:
    Peer(Request request, Stream& stream, int socket)
        : TestPeer(std::move(request)), stream_(stream), socket_(socket) {}

    std::optional<std::string> Read() override {
      boost::beast::flat_buffer buffer;
      Error error;
      stream_.read(buffer, error);
      if (error) return std::nullopt;
      return boost::beast::buffers_to_string(buffer.data());
    }
    bool Write(std::string_view bytes) override { return WriteAs(true, bytes); }
    bool WriteText(std::string_view text) override { return WriteAs(false, text); }
    void WriteRaw(std::string_view bytes) override {
      Error error;
      boost::asio::write(stream_.next_layer(), boost::asio::buffer(bytes), error);
    }
    std::string ReadRaw(size_t bytes) override {
      std::string read(bytes, '\0');
      Error error;
      read.resize(boost::asio::read(stream_.next_layer(), boost::asio::buffer(read), error));
      return read;
    }
    void Close(uint16_t code, std::string_view reason) override {
      Error error;
      stream_.close({static_cast<boost::beast::websocket::close_code>(code), reason}, error);
    }
    void Cut() override { ::shutdown(socket_, SHUT_RDWR); }

   private:
    bool WriteAs(bool binary, std::string_view bytes) {
      Error error;
      stream_.binary(binary);
      stream_.write(boost::asio::buffer(bytes), error);
      return !error;
    }
    Stream& stream_;
    const int socket_;
  };

  void Accept() {
    while (true) {
      Tcp::socket socket(io_);
      Error error;
      acceptor_.accept(socket, error);
      MutexLock lock(mutex_);
      if (error || stopped_) return;
      sockets_.push_back(::dup(socket.native_handle()));
      connections_.emplace_back(
          "test-connection", [this, fd = sockets_.back(), socket = std::make_shared<Tcp::socket>(std::move(socket))]() {
            if (options_.accepted) options_.accepted();
            Serve(*socket);
            ::shutdown(fd, SHUT_RDWR);
          });
    }
  }

  void Serve(Tcp::socket& socket) {
    Error error;
    const int fd = socket.native_handle();
    if (options_.tls) {
      boost::asio::ssl::stream<Tcp::socket&> tls(socket, context_);
      tls.handshake(boost::asio::ssl::stream_base::server, error);
      if (!error) Talk(tls, fd);
    } else {
      Talk(socket, fd);
    }
  }

  template <class Stream>
  void Talk(Stream& stream, int fd) {
    namespace http = boost::beast::http;
    namespace websocket = boost::beast::websocket;
    Error error;
    boost::beast::flat_buffer buffer;
    TestPeer::Request request;
    http::read(stream, buffer, request, error);
    if (error) return;
    if (options_.refuse) {
      if (const auto refusal = options_.refuse(request); refusal.status != 0) {
        http::response<http::string_body> answer(static_cast<http::status>(refusal.status), 11, refusal.body);
        answer.set(http::field::content_type, refusal.content_type);
        answer.prepare_payload();
        http::write(stream, answer, error);
        return;
      }
    }
    websocket::stream<Stream&> upgraded(stream);
    const std::string chosen = Choose(request);
    upgraded.set_option(websocket::stream_base::decorator([&](websocket::response_type& answer) {
      if (!chosen.empty()) answer.set(http::field::sec_websocket_protocol, chosen);
    }));
    upgraded.accept(request, error);
    if (error) return;
    Peer<websocket::stream<Stream&>> peer(std::move(request), upgraded, fd);
    script_(peer);
    if (upgraded.is_open()) upgraded.close(websocket::close_code::normal, error);
  }

  std::string Choose(const TestPeer::Request& request) const {
    if (!options_.forced_subprotocol.empty()) return options_.forced_subprotocol;
    const auto header = request[boost::beast::http::field::sec_websocket_protocol];
    for (const auto& offered : boost::beast::http::token_list(header)) {
      for (const std::string& known : options_.subprotocols) {
        if (std::string_view(offered.data(), offered.size()) == known) return known;
      }
    }
    return {};
  }

  const TestWebSocketServerOptions options_;
  const Script script_;
  const TestAuthority authority_;
  boost::asio::io_context io_;
  boost::asio::ssl::context context_{boost::asio::ssl::context::tls_server};
  Tcp::acceptor acceptor_;
  uint16_t port_ = 0;

  Mutex mutex_;
  // Guarded by mutex_.
  bool stopped_ = false;
  std::vector<int> sockets_;  // duplicates, so that they can be shut down whatever the thread does

  std::vector<Thread> connections_;  // added to by thread_ only
  Thread thread_;
};

}  // namespace keelson
