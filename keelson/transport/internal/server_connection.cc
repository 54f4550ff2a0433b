#include "keelson/transport/internal/server_connection.h"

#include <boost/asio/post.hpp>

#include <array>
#include <utility>

#include "keelson/core/clock.h"

namespace keelson::internal {

namespace {

namespace asio = boost::asio;

constexpr std::string_view kHttp2Preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
constexpr size_t kReadBuffer = 64 << 10;
// One connection's turn, before others have theirs.
constexpr size_t kReadTurn = 256 << 10;
constexpr int kWriteTurn = 16;
constexpr size_t kPieces = 64;
// What a refused client may still send, and for how long, so that it gets to read why.
constexpr auto kLinger = std::chrono::seconds(1);
constexpr size_t kMaxDiscarded = size_t{8} << 20;

std::span<char> ReadBuffer() {
  // On the heap: what is thread_local itself takes its memory in every thread of the process, used or not.
  thread_local const auto buffer = std::make_unique_for_overwrite<std::array<char, kReadBuffer>>();
  return *buffer;
}

}  // namespace

ServerConnection::ServerConnection(std::shared_ptr<ConnectionHome> home, int socket, std::unique_ptr<ByteStream> stream,
                                   std::string address)
    : home_(std::move(home)),
      strand_(asio::make_strand(home_->io())),
      socket_(strand_, socket),
      timer_(strand_),
      stream_(std::move(stream)) {
  peer_ = std::make_shared<Peer>(Peer{.address = std::move(address)});
}

void ServerConnection::Open() {
  asio::post(strand_, [self = shared_from_this()] {
    self->opened_ = self->last_written_ = Clock::Now();
    self->Schedule(SaturatingAdd(self->opened_, self->options().header_timeout));
    self->Run();
  });
}

void ServerConnection::Drain() {
  asio::post(strand_, [self = shared_from_this()] {
    if (self->closed_ || self->lingers_) return;
    if (self->session_ == nullptr) return self->Close();
    self->session_->Drain();
    self->Pump();
    self->Arm();
  });
}

void ServerConnection::Cut() {
  asio::post(strand_, [self = shared_from_this()] { self->Close(); });
}

void ServerConnection::Wake(std::shared_ptr<Exchange> exchange) {
  MutexLock lock(wake_mutex_);
  woken_.push_back(std::move(exchange));
  if (woken_.size() > 1) return;
  asio::post(strand_, [self = shared_from_this()] { self->OnWoken(); });
}

void ServerConnection::OnWoken() {
  std::vector<std::shared_ptr<Exchange>> woken;
  {
    MutexLock lock(wake_mutex_);
    woken.swap(woken_);
  }
  if (closed_) return;
  for (const std::shared_ptr<Exchange>& exchange : woken) {
    exchange->EndInline();
    // A stream that its handler finishes while the client is slow has its time from here.
    if (output_.first_exchange() == exchange.get()) last_written_ = Clock::Now();
    session_->AnswerChanged(*exchange);
  }
  Pump();
  Arm();
}

void ServerConnection::Run() {
  if (closed_) return;
  if (lingers_) return Discard();
  if (session_ == nullptr && !Establish()) return;
  ReadInput();
  if (closed_) return;
  Pump();
  Arm();
}

bool ServerConnection::Establish() {
  if (!handshaken_) {
    switch (stream_->Handshake().status) {
      case IoStatus::kDone: break;
      case IoStatus::kWantRead: WaitRead(); return false;
      case IoStatus::kWantWrite: WaitWrite(); return false;
      default:
        log_.V(2).Info("TLS handshake failed", "peer", peer_->address, "reason", stream_->failure());
        Close();
        return false;
    }
    handshaken_ = true;
    Peer described = *peer_;
    stream_->Describe(described);
    peer_ = std::make_shared<const Peer>(std::move(described));
  }
  if (peer_->tls) {
    session_ = stream_->ChoseHttp2() ? MakeHttp2Session(*this, opened_) : MakeHttp1Session(*this, opened_);
    return true;
  }
  return RecogniseProtocol();
}

bool ServerConnection::RecogniseProtocol() {
  while (true) {
    const IoResult result = stream_->Read(ReadBuffer());
    if (result.status == IoStatus::kWantRead) {
      WaitRead();
      return false;
    }
    if (result.status != IoStatus::kDone) {
      Close();
      return false;
    }
    early_.append(ReadBuffer().data(), result.bytes);
    const std::string_view begin = std::string_view(early_).substr(0, kHttp2Preface.size());
    const bool may_be_http2 = kHttp2Preface.starts_with(begin);
    if (may_be_http2 && begin.size() < kHttp2Preface.size()) continue;
    session_ = may_be_http2 ? MakeHttp2Session(*this, opened_) : MakeHttp1Session(*this, opened_);
    session_->Receive(std::exchange(early_, {}));
    return true;
  }
}

void ServerConnection::ReadInput() {
  const std::span<char> buffer = ReadBuffer();
  size_t turn = kReadTurn;
  while (session_->wants_input() && turn > 0) {
    const IoResult result = stream_->Read(buffer);
    switch (result.status) {
      case IoStatus::kDone:
        session_->Receive({buffer.data(), result.bytes});
        turn -= std::min(turn, result.bytes);
        // A short read means that the socket is empty; waiting finds out what came since.
        if (result.bytes < buffer.size() && !stream_->HasBuffered()) return;
        break;
      case IoStatus::kWantRead: return;
      case IoStatus::kWantWrite: return WaitWrite();
      case IoStatus::kEnd: return session_->EndInput();
      case IoStatus::kFailed: return Close();
    }
  }
}

void ServerConnection::Pump() {
  if (closed_ || lingers_) return;
  std::vector<std::shared_ptr<Exchange>> drained;
  for (int turn = kWriteTurn;; --turn) {
    session_->Advance();
    if (output_.empty() || waits_to_write_) break;
    if (turn == 0) {
      RunLater();
      break;
    }
    std::array<iovec, kPieces> pieces;
    const size_t count = output_.Gather(pieces);
    const IoResult result = stream_->Write({pieces.data(), count});
    if (result.status == IoStatus::kDone) {
      output_.Consume(result.bytes, drained);
      last_written_ = Clock::Now();
    } else if (result.status == IoStatus::kWantWrite) {
      WaitWrite();
    } else if (result.status == IoStatus::kWantRead) {
      WaitRead();
      break;
    } else {
      Close();
      break;
    }
  }
  for (const std::shared_ptr<Exchange>& exchange : drained) exchange->RunDrained();
  if (!closed_ && output_.empty() && session_->done()) Linger();
}

void ServerConnection::Arm() {
  if (closed_ || lingers_ || !session_->wants_input()) return;
  if (stream_->HasBuffered()) {
    RunLater();
  } else {
    WaitRead();
  }
}

void ServerConnection::WaitRead() {
  if (closed_ || std::exchange(waits_to_read_, true)) return;
  socket_.async_wait(asio::posix::descriptor_base::wait_read,
                     [self = shared_from_this()](const boost::system::error_code& error) {
                       self->waits_to_read_ = false;
                       if (!error) self->Run();
                     });
}

void ServerConnection::WaitWrite() {
  if (closed_ || std::exchange(waits_to_write_, true)) return;
  Schedule(SaturatingAdd(last_written_, options().body_timeout));
  socket_.async_wait(asio::posix::descriptor_base::wait_write,
                     [self = shared_from_this()](const boost::system::error_code& error) {
                       self->waits_to_write_ = false;
                       if (!error) self->Run();
                     });
}

void ServerConnection::RunLater() {
  if (std::exchange(runs_later_, true)) return;
  asio::post(strand_, [self = shared_from_this()] {
    self->runs_later_ = false;
    self->Run();
  });
}

void ServerConnection::Schedule(TimePoint when) {
  if (closed_ || when >= timer_at_) return;
  timer_at_ = when;
  timer_.expires_at(when);
  timer_.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
    if (error || self->closed_) return;
    self->timer_at_ = TimePoint::max();
    self->OnTimer();
  });
}

void ServerConnection::OnTimer() {
  const TimePoint now = Clock::Now();
  if (lingers_) {
    if (now >= linger_until_) return Close();
    return Schedule(linger_until_);
  }
  if (session_ == nullptr) {
    const TimePoint deadline = SaturatingAdd(opened_, options().header_timeout);
    if (now >= deadline) return Close();
    return Schedule(deadline);
  }
  if (StalledTooLong(now)) {
    log_.V(2).Info("The client does not read its answer; the connection is cut", "peer", peer_->address);
    return Close();
  }
  session_->Expire(now);
  Pump();
  Arm();
}

bool ServerConnection::StalledTooLong(TimePoint now) {
  if (!waits_to_write_ || output_.empty()) return false;
  const TimePoint deadline = SaturatingAdd(last_written_, options().body_timeout);
  if (now < deadline) {
    Schedule(deadline);
    return false;
  }
  // An answer that goes on is its handler's to give up.
  if (const Exchange* first = output_.first_exchange()) {
    const Exchange::State state = first->state();
    if (!state.finished && !state.broken) {
      Schedule(SaturatingAdd(now, options().body_timeout));
      return false;
    }
  }
  return true;
}

void ServerConnection::Linger() {
  lingers_ = true;
  session_->Abandon();
  stream_->Shutdown();
  linger_until_ = Clock::Now() + kLinger;
  Schedule(linger_until_);
  Discard();
}

void ServerConnection::Discard() {
  while (discarded_ < kMaxDiscarded) {
    const IoResult result = stream_->Read(ReadBuffer());
    if (result.status == IoStatus::kWantRead) return WaitRead();
    if (result.status != IoStatus::kDone) break;
    discarded_ += result.bytes;
  }
  Close();
}

void ServerConnection::Close() {
  if (std::exchange(closed_, true)) return;
  if (session_ != nullptr) session_->Abandon();
  output_.Clear();
  timer_.cancel();
  boost::system::error_code ignored;
  socket_.close(ignored);
  home_->Closed(this);
}

}  // namespace keelson::internal
