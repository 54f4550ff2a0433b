// The byte stream to a server under a WebSocket: TCP or a unix socket, a proxy on the way, TLS or not.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/flat_stream.hpp>
#include <boost/beast/websocket/ssl.hpp>
#include <boost/beast/websocket/teardown.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "keelson/core/result.h"
#include "keelson/transport/internal/curl_errors.h"
#include "keelson/transport/tls.h"

namespace keelson::internal {

// Where to connect and whom to trust, checked.
struct ClientStreamTarget {
  CurlEndpoint endpoint = {};
  // Of the proxy, if there is one.
  std::string proxy_host = {};
  uint16_t proxy_port = 0;
  std::string proxy_authorization = {};  // the header's value; a secret
  // Null without TLS.
  std::shared_ptr<boost::asio::ssl::context> tls = {};
  std::shared_ptr<PeerCertificate> peer = {};  // filled in during the handshake
};

// Errors: a malformed URL, a kind of proxy that is not served, unusable certificates.
Result<ClientStreamTarget> ResolveClientStreamTarget(const std::string& server, const TlsClientOptions& tls,
                                                     const std::string& proxy_url, const std::string& unix_socket,
                                                     Duration connect_timeout);

// An AsyncStream for Beast. Used on the thread that runs its executor.
class ClientStream {
 public:
  using Socket = boost::asio::generic::stream_protocol::socket;
  using executor_type = Socket::executor_type;

  explicit ClientStream(executor_type executor) : socket_(executor), resolver_(executor) {}
  ClientStream(const ClientStream&) = delete;
  ClientStream& operator=(const ClientStream&) = delete;

  executor_type get_executor() { return socket_.get_executor(); }

  // All that is needed before the first byte of HTTP. After Cancel it ends soon, with whatever error.
  boost::asio::awaitable<Result<void>> Connect(const ClientStreamTarget& target);
  // Whatever is under way ends with an error.
  void Cancel();

  template <class Buffers, class Handler>
  auto async_read_some(const Buffers& buffers, Handler&& handler) {
    if (tls_) return tls_->async_read_some(buffers, std::forward<Handler>(handler));
    return socket_.async_read_some(buffers, std::forward<Handler>(handler));
  }
  template <class Buffers, class Handler>
  auto async_write_some(const Buffers& buffers, Handler&& handler) {
    if (tls_) return tls_->async_write_some(buffers, std::forward<Handler>(handler));
    return socket_.async_write_some(buffers, std::forward<Handler>(handler));
  }
  // What Beast calls at a connection's end.
  template <class Handler>
  friend void async_teardown(boost::beast::role_type role, ClientStream& stream, Handler&& handler) {
    using boost::beast::websocket::async_teardown;
    if (stream.tls_) return async_teardown(role, stream.tls_->next_layer(), std::forward<Handler>(handler));
    async_teardown(role, stream.socket_, std::forward<Handler>(handler));
  }
  friend void teardown(boost::beast::role_type, ClientStream& stream, boost::system::error_code& error) {
    stream.socket_.close(error);
  }
  friend void beast_close_socket(ClientStream& stream) { stream.Cancel(); }

 private:
  // Copies small pieces together, so that a frame's head and content are one record.
  using Tls = boost::beast::flat_stream<boost::asio::ssl::stream<Socket&>>;

  boost::asio::awaitable<Result<void>> ConnectTcp(const ClientStreamTarget& target);
  boost::asio::awaitable<Result<void>> ConnectUnix(const ClientStreamTarget& target);
  boost::asio::awaitable<Result<void>> PassProxy(const ClientStreamTarget& target);
  boost::asio::awaitable<Result<void>> Handshake(const ClientStreamTarget& target);

  Socket socket_;
  boost::asio::ip::tcp::resolver resolver_;
  std::optional<Tls> tls_;
  bool cancelled_ = false;
};

}  // namespace keelson::internal
