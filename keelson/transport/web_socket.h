// A WebSocket to a server elsewhere, with blocking calls: what exec, attach and port-forward travel on.
//
//   KEELSON_TRY(socket, WebSocket::Connect({.server = "https://10.0.0.1:6443", .tls = tls},
//                                          {.target = "/api/v1/…/exec?command=ls",
//                                           .headers = {{"Sec-WebSocket-Protocol", "v5.channel.k8s.io"}}},
//                                          {.deadline = Clock::Now() + 30s}));
//   KEELSON_RETURN_IF_ERROR(socket->Send("\x00ls\n", scope));
//   KEELSON_TRY(message, socket->Receive(scope));
//
// Over HTTP/1.1, directly, by a unix socket or through an HTTP proxy (CONNECT), on Boost.Beast. Every message goes out
// as one frame, because the servers of Kubernetes take each frame for a message. Made inside a simulation it is an
// error.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "keelson/core/result.h"
#include "keelson/core/time.h"
#include "keelson/transport/http_message.h"
#include "keelson/transport/tls.h"
#include "keelson/transport/transport.h"

namespace keelson {

struct WebSocketOptions {
  std::string server = {};  // "https://host:6443/prefix"
  TlsClientOptions tls = {};
  std::string proxy_url = {};    // http only; empty: HTTPS_PROXY, HTTP_PROXY and NO_PROXY of the environment
  std::string unix_socket = {};  // path of the socket to connect to instead of the server's host
  Duration connect_timeout = std::chrono::seconds(30);  // until the server has agreed to the upgrade
  Duration ping_interval = std::chrono::seconds(5);
  // Without a sign of life for so long while one is waited for, the connection is given up. A peer that has unread
  // messages of ours before it may be unable to answer pings: then only TCP tells whether it is there.
  Duration peer_timeout = std::chrono::seconds(60);
  size_t max_message = size_t{4} << 20;       // a longer one ends the connection
  size_t send_buffer = size_t{256} << 10;     // bytes of messages that wait to be written before Send blocks
  size_t receive_buffer = size_t{256} << 10;  // bytes of messages that wait for Receive before the socket is not read
};

// The server answered the request for a WebSocket with something else.
class UpgradeRefusedDetail : public ErrorDetail {
 public:
  UpgradeRefusedDetail(int status, Headers headers, std::string body)
      : status_(status), headers_(std::move(headers)), body_(std::move(body)) {}
  int status() const { return status_; }
  const Headers& headers() const& { return headers_; }
  const std::string& body() const& { return body_; }

 private:
  const int status_;
  const Headers headers_;
  const std::string body_;
};

struct WebSocketMessage {
  // The peer's last word: nothing comes behind it.
  struct Close {
    uint16_t code = 0;  // 1000 is the ordinary one, 1005 none given
    std::string reason = {};
  };

  std::string bytes = {};
  bool text = false;
  std::optional<Close> close = {};
};

namespace internal {
class WebSocketSession;
}

// Thread-safe; meant for one thread that sends and another that receives.
class WebSocket {
 public:
  // The request's method and body do not count; the headers of the upgrade itself are added. Errors as of
  // Transport::Send, kUnavailable with an UpgradeRefusedDetail, and kInvalidArgument for what cannot be sent. A stop
  // takes effect at once, except that a lookup of the host's name is waited for.
  static Result<std::unique_ptr<WebSocket>> Connect(WebSocketOptions options, HttpRequest request,
                                                    const CallScope& scope);
  // Cuts the connection; messages that were not written yet are lost.
  ~WebSocket();
  WebSocket(const WebSocket&) = delete;
  WebSocket& operator=(const WebSocket&) = delete;

  // That the server chose of those offered; empty when it chose none.
  const std::string& subprotocol() const&;

  // Waits for room in the send buffer. On an error nothing of this message was or will be sent; kCancelled and kTimeout
  // leave the connection as it is.
  Result<void> Send(std::string bytes, const CallScope& scope);

  // Messages in order, then the peer's close, or an error (kUnavailable) when the connection ended without one: that
  // again and again. kCancelled and kTimeout leave the connection as it is.
  Result<WebSocketMessage> Receive(const CallScope& scope);

  // Writes what waits, says goodbye and waits for the peer's goodbye: at most until the scope's end and for five
  // seconds. What arrives meanwhile can still be received or is dropped. Afterwards the connection is closed.
  void Close(uint16_t code, std::string_view reason, const CallScope& scope);

  // Ends the connection now: calls that wait on it return with an error.
  void Abort();

 private:
  explicit WebSocket(std::unique_ptr<internal::WebSocketSession> session);
  const std::unique_ptr<internal::WebSocketSession> session_;
};

}  // namespace keelson
