#include "keelson/transport/internal/web_socket_session.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/http/string_body.hpp>

#include <algorithm>
#include <utility>

#include "keelson/core/ascii.h"
#include "keelson/core/clock.h"

namespace keelson::internal {

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
namespace websocket = boost::beast::websocket;
using asio::redirect_error;
using asio::use_awaitable;
using boost::system::error_code;

constexpr size_t kReadPiece = size_t{64} << 10;
constexpr auto kGoodbye = std::chrono::seconds(5);
constexpr size_t kMostOfReason = 123;  // what a control frame has room for

Error Unavailable(TransportFailure failure, bool sent, std::string message) {
  return Error(ErrorCode::kUnavailable, std::move(message))
      .WithDetail(std::make_shared<TransportErrorDetail>(failure, sent));
}

bool HasControlCharacters(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t') || byte == 0x7f;
  });
}

// Headers that the upgrade itself sets.
bool IsOfUpgrade(std::string_view name) {
  for (const std::string_view own : {"Connection", "Upgrade", "Host", "Sec-WebSocket-Key", "Sec-WebSocket-Version",
                                     "Sec-WebSocket-Extensions", "Content-Length", "Transfer-Encoding"}) {
    if (EqualsIgnoringCase(name, own)) return true;
  }
  return false;
}

// Whether a comma-separated list has it.
bool Offers(const Headers& headers, std::string_view protocol) {
  for (std::string_view list : headers.All("Sec-WebSocket-Protocol")) {
    while (!list.empty()) {
      std::string_view entry = list.substr(0, list.find(','));
      list.remove_prefix(std::min(list.size(), entry.size() + 1));
      while (entry.starts_with(' ')) entry.remove_prefix(1);
      while (entry.ends_with(' ')) entry.remove_suffix(1);
      if (entry == protocol) return true;
    }
  }
  return false;
}

Error RefusedError(const std::string& url, const http::response<http::string_body>& answer) {
  Headers headers;
  for (const auto& field : answer) headers.Add(std::string(field.name_string()), std::string(field.value()));
  const int status = static_cast<int>(answer.result_int());
  return Error(ErrorCode::kUnavailable,
               url + " answered the request for a WebSocket with status " + std::to_string(status))
      .WithDetail(std::make_shared<UpgradeRefusedDetail>(status, std::move(headers), answer.body()));
}

// The error of a wait that did not come to its end.
Error WaitError(Wake wake, std::string_view what) {
  if (wake == Wake::kStopped) return Error::Cancelled(std::string(what) + " was stopped");
  return Error(ErrorCode::kTimeout, std::string(what) + " did not end before its deadline");
}

}  // namespace

Result<void> CheckUpgradeRequest(const HttpRequest& request) {
  if (!request.target.starts_with('/') || HasControlCharacters(request.target) ||
      request.target.find(' ') != std::string::npos) {
    return Error::InvalidArgument("the target of a request must begin with / and be percent-encoded");
  }
  for (const auto& [name, value] : request.headers) {
    if (name.empty() || HasControlCharacters(name) || name.find_first_of(" :\t") != std::string::npos) {
      return Error::InvalidArgument("the name of a header has characters that may not stand there");
    }
    if (HasControlCharacters(value)) {
      return Error::InvalidArgument("the header " + std::string(name) + " has control characters in its value");
    }
  }
  return {};
}

WebSocketSession::WebSocketSession(WebSocketOptions options, ClientStreamTarget target, HttpRequest request)
    : options_(std::move(options)),
      target_(std::move(target)),
      request_(std::move(request)),
      work_(io_.get_executor()),
      stream_(io_.get_executor()),
      ping_timer_(io_.get_executor()),
      goodbye_timer_(io_.get_executor()),
      thread_("web-socket", [this] { io_.run(); }) {}

WebSocketSession::~WebSocketSession() {
  asio::post(io_, [this] {
    End(Error::Cancelled("the WebSocket was destroyed"));
    work_.reset();
  });
  thread_.Join();
}

Result<void> WebSocketSession::Connect(const CallScope& scope) {
  const TimePoint patience = SaturatingAdd(Clock::Now(), options_.connect_timeout);
  asio::co_spawn(io_, RunConnect(), asio::detached);
  MutexLock lock(mutex_);
  const Wake wake =
      changed_.WaitUntil(lock, std::min(scope.deadline, patience), scope.stop, [&] { return connected_.has_value(); });
  if (wake == Wake::kReady) return *connected_;
  if (wake == Wake::kStopped || scope.deadline <= patience) {
    return WaitError(wake, "connecting to " + target_.endpoint.server.Url());
  }
  return ToError({.code = CURLE_OPERATION_TIMEDOUT}, target_.endpoint);
}

asio::awaitable<void> WebSocketSession::RunConnect() {
  Result<void> done = co_await stream_.next_layer().Connect(target_);
  if (done) done = co_await Upgrade();
  if (done && ended_) done = Error::Cancelled("the WebSocket was given up before it was made");
  {
    MutexLock lock(mutex_);
    connected_ = done;
  }
  changed_.NotifyAll();
  if (!done) co_return;
  last_heard_ = Clock::Now();
  StartReader();
  asio::co_spawn(io_, RunPings(), asio::detached);
}

asio::awaitable<Result<void>> WebSocketSession::Upgrade() {
  const ServerAddress& server = target_.endpoint.server;
  stream_.set_option(websocket::stream_base::timeout{websocket::stream_base::none(), websocket::stream_base::none(),
                                                     false});  // ours are in Connect and RunPings
  stream_.set_option(websocket::stream_base::decorator([this](websocket::request_type& request) {
    for (const auto& [name, value] : request_.headers) {
      if (!IsOfUpgrade(name)) request.insert(name, value);
    }
  }));
  stream_.control_callback([this](websocket::frame_type kind, boost::beast::string_view payload) {
    OnControlFrame(kind, std::string_view(payload.data(), payload.size()));
  });
  stream_.read_message_max(0);  // RunReader counts: Beast's own check would end in a TLS error of its goodbye
  stream_.auto_fragment(false);
  stream_.write_buffer_bytes(kReadPiece);
  stream_.binary(true);

  const std::string authority = server.Authority();
  const std::string path = server.prefix + request_.target;
  websocket::response_type answer;
  error_code error;
  sent_ = true;
  co_await stream_.async_handshake(answer, authority, path, redirect_error(use_awaitable, error));
  if (error == websocket::error::upgrade_declined) co_return RefusedError(server.Url(), answer);
  if (error) {
    if (error.category() == make_error_code(websocket::error::closed).category() ||
        error.category() == make_error_code(http::error::bad_method).category()) {
      const bool cut = error == http::error::end_of_stream || error == http::error::partial_message;
      co_return ToError({.code = cut ? CURLE_GOT_NOTHING : CURLE_WEIRD_SERVER_REPLY,
                         .text = cut ? "" : "the upgrade to a WebSocket failed: " + error.message(),
                         .sent = true},
                        target_.endpoint);
    }
    co_return ToError({.code = CURLE_RECV_ERROR, .text = error.message(), .sent = true}, target_.endpoint);
  }
  const auto chosen = answer[http::field::sec_websocket_protocol];
  subprotocol_.assign(chosen.data(), chosen.size());
  if (!subprotocol_.empty() && !Offers(request_.headers, subprotocol_)) {
    co_return ToError({.code = CURLE_WEIRD_SERVER_REPLY,
                       .text = "it chose the subprotocol \"" + subprotocol_ + "\", which was not offered",
                       .sent = true},
                      target_.endpoint);
  }
  co_return Result<void>();
}

void WebSocketSession::StartReader() { asio::co_spawn(io_, RunReader(), asio::detached); }

asio::awaitable<void> WebSocketSession::RunReader() {
  while (!ended_) {
    {
      MutexLock lock(mutex_);
      if (inbox_bytes_ >= options_.receive_buffer) {
        reader_paused_ = true;
        co_return;  // Receive starts it again
      }
    }
    reading_ = true;
    last_heard_ = Clock::Now();
    error_code error;
    do {
      co_await stream_.async_read_some(read_buffer_, kReadPiece, redirect_error(use_awaitable, error));
      last_heard_ = Clock::Now();
      if (!error && read_buffer_.size() > options_.max_message) error = websocket::error::message_too_big;
    } while (!error && !stream_.is_message_done());
    reading_ = false;
    if (error) {
      EndWith(error, true);
      co_return;
    }
    const auto data = read_buffer_.cdata();
    WebSocketMessage message{.bytes = std::string(static_cast<const char*>(data.data()), data.size()),
                             .text = stream_.got_text()};
    read_buffer_.consume(data.size());
    if (read_buffer_.capacity() > 4 * kReadPiece) read_buffer_.shrink_to_fit();
    {
      MutexLock lock(mutex_);
      inbox_bytes_ += std::max<size_t>(message.bytes.size(), 64);  // empty ones are not free
      inbox_.push_back(std::move(message));
    }
    changed_.NotifyAll();
  }
}

void WebSocketSession::StartWriter() {
  asio::post(io_, [this] { asio::co_spawn(io_, RunWriter(), asio::detached); });
}

asio::awaitable<void> WebSocketSession::RunWriter() {
  while (!ended_) {
    std::string message;
    std::optional<WebSocketMessage::Close> goodbye;
    {
      MutexLock lock(mutex_);
      if (!outbox_.empty()) {
        message = std::move(outbox_.front());
        outbox_.pop_front();
      } else if (closing_) {
        goodbye = closing_;  // writer_runs_ stays: nothing is written behind it
      } else {
        writer_runs_ = false;
        co_return;
      }
    }
    error_code error;
    if (goodbye) {
      const websocket::close_reason reason(static_cast<websocket::close_code>(goodbye->code), goodbye->reason);
      co_await stream_.async_close(reason, redirect_error(use_awaitable, error));
      // The reader, where one runs, reads the peer's goodbye and ends the session before this.
      EndWith(error ? error : error_code(websocket::error::closed), false);
      co_return;
    }
    const asio::const_buffer bytes(message.data(), message.size());
    co_await stream_.async_write(bytes, redirect_error(use_awaitable, error));
    if (error) {
      EndWith(error, false);
      co_return;
    }
    written_bytes_ += message.size();
    {
      MutexLock lock(mutex_);
      outbox_bytes_ -= message.size();
    }
    changed_.NotifyAll();
  }
}

bool WebSocketSession::PeerIsSilent() const {
  if (!reading_ || Clock::Now() - last_heard_ <= options_.peer_timeout) return false;
  MutexLock lock(mutex_);
  // The servers of Kubernetes read our messages and our pings in one loop, which waits while a container does not read.
  return outbox_bytes_ == 0 && written_bytes_ == written_before_pong_;
}

asio::awaitable<void> WebSocketSession::RunPings() {
  while (!ended_) {
    error_code error;
    ping_timer_.expires_after(std::chrono::duration_cast<asio::steady_timer::duration>(options_.ping_interval));
    co_await ping_timer_.async_wait(redirect_error(use_awaitable, error));
    if (ended_) co_return;
    if (PeerIsSilent()) {
      End(Unavailable(TransportFailure::kTimeout, true,
                      target_.endpoint.server.Url() + " gave no sign of life for " +
                          FormatDuration(options_.peer_timeout) + "; the connection was given up"));
      co_return;
    }
    const std::string number = std::to_string(++pings_);
    written_before_ping_ = written_bytes_;
    const websocket::ping_data payload(number);
    co_await stream_.async_ping(payload, redirect_error(use_awaitable, error));
    if (error) co_return;  // the reader says why
  }
}

void WebSocketSession::OnControlFrame(websocket::frame_type kind, std::string_view payload) {
  last_heard_ = Clock::Now();
  if (kind == websocket::frame_type::pong && payload == std::to_string(pings_)) {
    written_before_pong_ = written_before_ping_;
  }
  if (kind == websocket::frame_type::close) {
    // From here on the peer only has to end the connection, for which Beast would wait for ever.
    goodbye_timer_.expires_after(kGoodbye);
    goodbye_timer_.async_wait([this](const error_code& error) {
      if (!error) EndWith(websocket::error::closed, true);
    });
  }
}

void WebSocketSession::EndWith(const error_code& error, bool reading) {
  if (ended_) return;
  const std::string url = target_.endpoint.server.Url();
  if (error == websocket::error::closed) {
    const websocket::close_reason& reason = stream_.reason();
    const WebSocketMessage::Close close{
        .code = reason.code == websocket::close_code::none ? uint16_t{1005} : static_cast<uint16_t>(reason.code),
        .reason = std::string(reason.reason.data(), reason.reason.size())};
    {
      MutexLock lock(mutex_);
      peer_close_ = close;
    }
    return End(Error::Cancelled("the WebSocket was closed"));
  }
  if (error == websocket::error::message_too_big || error == websocket::error::buffer_overflow) {
    return End(Unavailable(TransportFailure::kProtocol, true,
                           url + " sent a message of more than " + std::to_string(options_.max_message) + " bytes"));
  }
  if (error.category() == make_error_code(websocket::error::closed).category()) {
    return End(
        Unavailable(TransportFailure::kProtocol, true, url + " sent what is no WebSocket message: " + error.message()));
  }
  // A write fails as soon as the peer has closed; why it did so is still to be read. Only when the reader rests because
  // nobody receives is that lost.
  if (!reading && reading_) return;
  End(Unavailable(TransportFailure::kReset, true, "the connection to " + url + " was cut (" + error.message() + ")"));
}

void WebSocketSession::End(Error error) {
  if (std::exchange(ended_, true)) return;
  {
    MutexLock lock(mutex_);
    if (!peer_close_) failure_ = std::move(error);
    outbox_.clear();
  }
  changed_.NotifyAll();
  ping_timer_.cancel();
  goodbye_timer_.cancel();
  stream_.next_layer().Cancel();
}

Error WebSocketSession::ClosedError() const {
  if (failure_) return *failure_;
  return Unavailable(TransportFailure::kReset, true,
                     target_.endpoint.server.Url() + " has closed the WebSocket (" +
                         std::to_string(peer_close_ ? peer_close_->code : 0) + ")");
}

Result<void> WebSocketSession::Send(std::string bytes, const CallScope& scope) {
  if (scope.stop.StopRequested()) return WaitError(Wake::kStopped, "sending");
  MutexLock lock(mutex_);
  const auto over = [&] { return failure_ || peer_close_ || closing_; };
  const Wake wake = changed_.WaitUntil(lock, scope.deadline, scope.stop, [&] {
    return over() || outbox_bytes_ == 0 || outbox_bytes_ + bytes.size() <= options_.send_buffer;
  });
  if (wake != Wake::kReady) return WaitError(wake, "sending to " + target_.endpoint.server.Url());
  if (failure_ || peer_close_) return ClosedError();
  if (closing_) return Error::InvalidArgument("the WebSocket is being closed: nothing more can be sent");
  outbox_bytes_ += bytes.size();
  outbox_.push_back(std::move(bytes));
  if (!std::exchange(writer_runs_, true)) StartWriter();
  return {};
}

Result<WebSocketMessage> WebSocketSession::Receive(const CallScope& scope) {
  if (scope.stop.StopRequested()) return WaitError(Wake::kStopped, "receiving");
  MutexLock lock(mutex_);
  const Wake wake =
      changed_.WaitUntil(lock, scope.deadline, scope.stop, [&] { return !inbox_.empty() || failure_ || peer_close_; });
  if (wake != Wake::kReady) return WaitError(wake, "receiving from " + target_.endpoint.server.Url());
  if (inbox_.empty()) {
    if (failure_) return *failure_;
    return WebSocketMessage{.close = peer_close_};
  }
  WebSocketMessage message = std::move(inbox_.front());
  inbox_.pop_front();
  inbox_bytes_ -= std::max<size_t>(message.bytes.size(), 64);
  if (reader_paused_ && inbox_bytes_ < options_.receive_buffer) {
    reader_paused_ = false;
    asio::post(io_, [this] { StartReader(); });
  }
  return message;
}

void WebSocketSession::Close(uint16_t code, std::string_view reason, const CallScope& scope) {
  const TimePoint patience = SaturatingAdd(Clock::Now(), kGoodbye);
  {
    MutexLock lock(mutex_);
    if (!closing_) {
      closing_ = WebSocketMessage::Close{.code = code, .reason = std::string(reason.substr(0, kMostOfReason))};
      if (!std::exchange(writer_runs_, true)) StartWriter();
    }
    changed_.NotifyAll();
    (void)changed_.WaitUntil(lock, std::min(scope.deadline, patience), scope.stop,
                             [&] { return failure_ || peer_close_; });
  }
  Abort();
}

void WebSocketSession::Abort() {
  asio::post(io_, [this] { End(Error::Cancelled("the WebSocket was closed on this side")); });
}

}  // namespace keelson::internal
