#include "keelson/transport/internal/direct_connection.h"

#include <fcntl.h>
#include <openssl/err.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "keelson/core/clock.h"

namespace keelson::internal {

namespace {

constexpr size_t kInput = size_t{16} << 10;
// A long answer is read in larger pieces: each costs a call of the system and an acknowledgement.
constexpr size_t kLongInput = size_t{64} << 10;
// After as many reads that would have fit into less, the memory for them is given back.
constexpr int kShortReads = 64;
// Of a long answer: as much is waited for at a time, but no longer than that.
constexpr int kMuch = 48 << 10;
constexpr Duration kMoment = std::chrono::microseconds(300);
// Reading waits no longer than that at a time where there is a deadline, and not at all when the deadline is nearer.
// Streams wait long: they shall not be woken each second.
constexpr std::chrono::seconds kPatience(1);
constexpr std::chrono::seconds kPatienceOfStreams(60);
// Headers and the lines between chunks have limits of their own below this.
constexpr size_t kMaxInput = size_t{256} << 10;

// OpenSSL tells by its queue of errors what a call meant, so that has to be empty before. Clearing it costs more than
// looking.
void ForgetErrors() {
  if (ERR_peek_error() != 0) ERR_clear_error();
  errno = 0;
}

bool WouldBlock(int error) { return error == EAGAIN || error == EWOULDBLOCK; }

}  // namespace

DirectConnection::DirectConnection(int socket, std::shared_ptr<TlsClientContext> tls, const std::string& server_name)
    : socket_(socket), tls_(std::move(tls)), buffer_(socket), input_(kInput) {
  // Calls that are not to wait say so.
  (void)fcntl(socket_, F_SETFL, fcntl(socket_, F_GETFL) & ~O_NONBLOCK);
  if (tls_ == nullptr) return;
  ssl_ = tls_->NewConnection(server_name);
  BIO* bio = buffer_.NewBio();
  SSL_set_bio(ssl_, bio, bio);
  peer_ = std::make_unique<PeerCertificate>();
  RecordPeerCertificate(ssl_, peer_.get());
}

DirectConnection::~DirectConnection() {
  SSL_free(ssl_);
  close(socket_);
}

IoStatus DirectConnection::SocketOutcome() {
  if (WouldBlock(errno)) return IoStatus::kWantRead;
  failure_ = std::strerror(errno);
  return IoStatus::kFailed;
}

IoStatus DirectConnection::Outcome(int result) {
  const int system_error = errno;
  switch (SSL_get_error(ssl_, result)) {
    case SSL_ERROR_WANT_READ: return IoStatus::kWantRead;
    case SSL_ERROR_WANT_WRITE: return IoStatus::kWantWrite;
    case SSL_ERROR_ZERO_RETURN: return IoStatus::kEnd;
    case SSL_ERROR_SYSCALL:
      failure_ = system_error == 0 ? "the connection was cut" : std::strerror(system_error);
      ERR_clear_error();
      return IoStatus::kFailed;
    default:
      if (ERR_GET_REASON(ERR_peek_last_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING) {
        failure_ = "the connection was cut";
        ERR_clear_error();
      } else {
        failure_ = TakeTlsError();
        failed_in_tls_ = true;
      }
      return IoStatus::kFailed;
  }
}

IoStatus DirectConnection::Handshake() {
  if (ssl_ == nullptr) return IoStatus::kDone;
  ForgetErrors();
  const int result = SSL_do_handshake(ssl_);
  return result == 1 ? IoStatus::kDone : Outcome(result);
}

IoStatus DirectConnection::Write(std::string_view& bytes) {
  while (!bytes.empty()) {
    if (ssl_ == nullptr) {
      const ssize_t put = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (put < 0) {
        if (errno == EINTR) continue;
        return WouldBlock(errno) ? IoStatus::kWantWrite : SocketOutcome();
      }
      plain_written_ += static_cast<uint64_t>(put);
      bytes.remove_prefix(static_cast<size_t>(put));
      continue;
    }
    ForgetErrors();
    size_t put = 0;
    const int result = SSL_write_ex(ssl_, bytes.data(), bytes.size(), &put);
    if (result != 1) return Outcome(result);
    bytes.remove_prefix(put);
  }
  return IoStatus::kDone;
}

uint64_t DirectConnection::written() const { return ssl_ == nullptr ? plain_written_ : buffer_.written(); }

bool DirectConnection::CanWaitInFill(TimePoint deadline) const {
  return deadline == TimePoint::max() || deadline - Clock::Now() > patience();
}

std::chrono::seconds DirectConnection::patience() const { return streaming ? kPatienceOfStreams : kPatience; }

IoStatus DirectConnection::WaitAndFill(TimePoint deadline) {
  SetLowWater(1);
  if (deadline != TimePoint::max() && !is_patience_set_) {
    const timeval time = {.tv_sec = patience().count(), .tv_usec = 0};
    (void)setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
    is_patience_set_ = true;
  }
  buffer_.set_waits(true);
  const IoStatus status = Fill(true);
  buffer_.set_waits(false);
  return status;
}

IoStatus DirectConnection::Fill(bool wait) {
  if (begin_ == end_) {
    begin_ = end_ = 0;
    FitInput();
  }
  if (end_ == input_.size()) {
    if (begin_ != 0) {
      std::memmove(input_.data(), input_.data() + begin_, end_ - begin_);
      end_ -= begin_;
      begin_ = 0;
    } else if (input_.size() < kMaxInput) {
      input_.resize(input_.size() * 2);
    } else {
      failure_ = "a line of its answer is too long";
      return IoStatus::kFailed;
    }
  }
  char* const to = input_.data() + end_;
  const size_t room = input_.size() - end_;
  if (ssl_ == nullptr) {
    const ssize_t got = recv(socket_, to, room, wait ? 0 : MSG_DONTWAIT);
    if (got == 0) return IoStatus::kEnd;
    if (got < 0) return errno == EINTR ? IoStatus::kWantRead : SocketOutcome();
    end_ += static_cast<size_t>(got);
    drained_ = static_cast<size_t>(got) < room;
    last_read_ = static_cast<size_t>(got);
    return IoStatus::kDone;
  }
  ForgetErrors();
  size_t got = 0;
  const int result = SSL_read_ex(ssl_, to, room, &got);
  if (result != 1) return Outcome(result);
  end_ += got;
  last_read_ = got;
  // With room left nothing of the record is.
  drained_ = buffer_.IsDrained() && (got < room || SSL_pending(ssl_) == 0);
  return IoStatus::kDone;
}

void DirectConnection::FitInput() {
  if (last_read_ == input_.size() && input_.size() < kLongInput) {
    input_ = std::vector<char>(2 * input_.size());
  } else if (input_.size() > kInput) {
    short_reads_ = last_read_ < kInput ? short_reads_ + 1 : 0;
    if (short_reads_ == kShortReads) ShrinkInput();
  }
}

void DirectConnection::ShrinkInput() {
  short_reads_ = 0;
  last_read_ = 0;
  if (begin_ == end_ && input_.size() > kInput) {
    begin_ = end_ = 0;
    input_ = std::vector<char>(kInput);
  }
}

WaitOutcome DirectConnection::Wait(short events, const CallScope& scope) {
  SetLowWater(1);
  return Poll(events, scope, false);
}

WaitOutcome DirectConnection::WaitForMuch(const CallScope& scope) {
  SetLowWater(kMuch);
  return Poll(POLLIN, scope, true);
}

void DirectConnection::SetLowWater(int bytes) {
  if (bytes == low_water_) return;
  if (setsockopt(socket_, SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof bytes) == 0) low_water_ = bytes;
}

WaitOutcome DirectConnection::Poll(short events, const CallScope& scope, bool for_a_moment) {
  pollfd polled = {.fd = socket_, .events = events, .revents = 0};
  while (true) {
    Duration left = for_a_moment ? kMoment : Duration::max();
    if (scope.deadline != TimePoint::max()) {
      const TimePoint now = Clock::Now();
      if (scope.deadline <= now) return WaitOutcome::kTimeout;
      left = std::min(left, scope.deadline - now);
    }
    int ready = 0;
    if (left == Duration::max()) {
      ready = poll(&polled, 1, -1);
    } else {
      left = std::min<Duration>(left, std::chrono::minutes(1));
      const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
      const timespec time = {.tv_sec = seconds.count(),
                             .tv_nsec = std::chrono::duration_cast<std::chrono::nanoseconds>(left - seconds).count()};
      ready = ppoll(&polled, 1, &time, nullptr);
    }
    if (interrupted() || scope.stop.StopRequested()) return WaitOutcome::kStopped;
    if (ready > 0 || for_a_moment) return WaitOutcome::kReady;
    if (ready < 0 && errno != EINTR && errno != EAGAIN) return WaitOutcome::kReady;  // reading tells what is wrong
  }
}

void DirectConnection::Interrupt() {
  interrupted_.store(true, std::memory_order_release);
  shutdown(socket_, SHUT_RDWR);
}

bool DirectConnection::IsQuiet() const {
  if (begin_ != end_ || interrupted() || buffer_.HasUnread()) return false;
  char byte = 0;
  return recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && WouldBlock(errno);
}

void DirectConnection::SayGoodbye() {
  if (ssl_ == nullptr || interrupted()) return;
  ERR_clear_error();
  SSL_shutdown(ssl_);
  ERR_clear_error();
}

GzipInflater& DirectConnection::inflater() {
  if (inflater_ == nullptr) inflater_ = std::make_unique<GzipInflater>();
  return *inflater_;
}

}  // namespace keelson::internal
