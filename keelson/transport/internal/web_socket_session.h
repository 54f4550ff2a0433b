// The side of a WebSocket that runs on its own thread: connects, reads, writes, pings. The other side waits for it.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket/stream.hpp>

#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "keelson/core/cond_var.h"
#include "keelson/core/mutex.h"
#include "keelson/core/thread.h"
#include "keelson/transport/internal/client_stream.h"
#include "keelson/transport/web_socket.h"

namespace keelson::internal {

// What can be sent as it is: no line ends in headers or target. The error names the header and not its value.
Result<void> CheckUpgradeRequest(const HttpRequest& request);

class WebSocketSession {
 public:
  WebSocketSession(WebSocketOptions options, ClientStreamTarget target, HttpRequest request);
  ~WebSocketSession();

  // Once, before all else.
  Result<void> Connect(const CallScope& scope);

  // As of WebSocket.
  const std::string& subprotocol() const { return subprotocol_; }
  Result<void> Send(std::string bytes, const CallScope& scope);
  Result<WebSocketMessage> Receive(const CallScope& scope);
  void Close(uint16_t code, std::string_view reason, const CallScope& scope);
  void Abort();

 private:
  // Without compression: neither kubelet nor API server has it, and it would hold memory.
  using Stream = boost::beast::websocket::stream<ClientStream, false>;
  using Executor = boost::asio::io_context::executor_type;
  template <class T>
  using Awaitable = boost::asio::awaitable<T>;

  // These run on thread_.
  Awaitable<void> RunConnect();
  Awaitable<Result<void>> Upgrade();
  Awaitable<void> RunReader();
  Awaitable<void> RunWriter();
  Awaitable<void> RunPings();
  void OnControlFrame(boost::beast::websocket::frame_type kind, std::string_view payload);
  bool PeerIsSilent() const;
  // The first end counts; it wakes whoever waits, and ends the loops above.
  void End(Error error);
  void EndWith(const boost::system::error_code& error, bool reading);

  void StartReader();
  void StartWriter();
  Error ClosedError() const;

  const WebSocketOptions options_;
  const ClientStreamTarget target_;
  const HttpRequest request_;
  std::string subprotocol_;  // constant once Connect has returned

  boost::asio::io_context io_{1};
  std::optional<boost::asio::executor_work_guard<Executor>> work_;
  Stream stream_;
  // Used on thread_ only.
  boost::asio::steady_timer ping_timer_;
  boost::asio::steady_timer goodbye_timer_;
  boost::beast::flat_buffer read_buffer_;
  bool sent_ = false;          // the request may have reached the server
  bool reading_ = false;       // a read waits for the peer
  TimePoint last_heard_ = {};  // or since when we listen
  uint64_t pings_ = 0;
  uint64_t written_bytes_ = 0;        // of messages
  uint64_t written_before_ping_ = 0;  // when the last ping was sent
  uint64_t written_before_pong_ = 0;  // and the last one that was answered
  bool ended_ = false;

  mutable Mutex mutex_{"web-socket"};
  CondVar changed_;
  // Guarded by mutex_.
  std::optional<Result<void>> connected_;
  std::deque<WebSocketMessage> inbox_;
  size_t inbox_bytes_ = 0;
  bool reader_paused_ = false;
  std::deque<std::string> outbox_;
  size_t outbox_bytes_ = 0;  // with the message that is being written
  bool writer_runs_ = false;
  std::optional<WebSocketMessage::Close> closing_;     // our goodbye, once it is to be said
  std::optional<WebSocketMessage::Close> peer_close_;  // what ended the connection: this or
  std::optional<Error> failure_;                       // that

  Thread thread_;
};

}  // namespace keelson::internal
