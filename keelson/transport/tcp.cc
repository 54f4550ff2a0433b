#include "keelson/transport/tcp.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "keelson/core/clock.h"
#include "keelson/core/internal/scheduler.h"

namespace keelson {

namespace {

constexpr size_t kMostAtOnce = size_t{64} << 10;

Error Failed(const std::string& what, int error) {
  const bool refused = error == ECONNREFUSED || error == EADDRINUSE || error == EADDRNOTAVAIL || error == EACCES;
  return Error(ErrorCode::kUnavailable, what + ": " + std::strerror(error))
      .WithDetail(std::make_shared<TransportErrorDetail>(
          refused ? TransportFailure::kRefused : TransportFailure::kReset, !refused));
}

// Until the socket can do it, or has failed.
Result<void> WaitFor(int socket, short events, const CallScope& scope, std::string_view what) {
  const auto stopped = [&] { return Error::Cancelled(std::string(what) + " was stopped"); };
  if (scope.stop.StopRequested()) return stopped();
  struct Wakeup {
    const int descriptor = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    ~Wakeup() { ::close(descriptor); }
  };
  std::unique_ptr<Wakeup> wakeup;  // declared before the callback that uses it
  pollfd polled[2] = {{.fd = socket, .events = events, .revents = 0}, {.fd = -1, .events = POLLIN, .revents = 0}};
  if (::poll(polled, 1, 0) > 0) return {};
  if (scope.stop.StopPossible()) {
    wakeup = std::make_unique<Wakeup>();
    polled[1].fd = wakeup->descriptor;
  }
  StopCallback wake(scope.stop, [&] {
    const uint64_t one = 1;
    (void)!::write(wakeup->descriptor, &one, sizeof one);
  });
  while (true) {
    int milliseconds = -1;
    if (scope.deadline != TimePoint::max()) {
      const TimePoint now = Clock::Now();
      if (scope.deadline <= now) {
        return Error(ErrorCode::kTimeout, std::string(what) + " did not end before its deadline");
      }
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(scope.deadline - now).count();
      milliseconds = static_cast<int>(std::min<int64_t>(left, 60'000));
    }
    if (::poll(polled, 2, milliseconds) < 0 && errno != EINTR) return Failed(std::string(what), errno);
    if (polled[0].revents != 0) return {};
    if (scope.stop.StopRequested()) return stopped();
  }
}

struct SocketAddress {
  sockaddr_storage storage = {};
  socklen_t size = 0;
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

Result<SocketAddress> Parse(const std::string& text, uint16_t port) {
  SocketAddress address;
  auto* four = reinterpret_cast<sockaddr_in*>(&address.storage);
  auto* six = reinterpret_cast<sockaddr_in6*>(&address.storage);
  if (inet_pton(AF_INET, text.c_str(), &four->sin_addr) == 1) {
    four->sin_family = AF_INET;
    four->sin_port = htons(port);
    address.size = sizeof *four;
  } else if (inet_pton(AF_INET6, text.c_str(), &six->sin6_addr) == 1) {
    six->sin6_family = AF_INET6;
    six->sin6_port = htons(port);
    address.size = sizeof *six;
  } else {
    return Error::InvalidArgument("expected an IP address such as 127.0.0.1 or ::1, found \"" + text + "\"");
  }
  return address;
}

Result<int> NewSocket(const SocketAddress& address) {
  if (internal::CurrentScheduler() != nullptr) {
    return Error::InvalidArgument("a socket cannot be made inside a simulation");
  }
  const int socket = ::socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (socket < 0) return Failed("cannot make a socket", errno);
  return socket;
}

std::string Place(const std::string& address, uint16_t port) {
  return (address.find(':') == std::string::npos ? address : "[" + address + "]") + ":" + std::to_string(port);
}

void SendAtOnce(int socket) {
  const int on = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

}  // namespace

Result<std::unique_ptr<TcpStream>> TcpStream::Connect(const std::string& address, uint16_t port,
                                                      const CallScope& scope) {
  KEELSON_TRY(peer, Parse(address, port));
  KEELSON_TRY(socket, NewSocket(peer));
  std::unique_ptr<TcpStream> made(new TcpStream(socket));
  const std::string what = "connecting to " + Place(address, port);
  if (::connect(socket, peer.get(), peer.size) != 0) {
    if (errno != EINPROGRESS) return Failed(what, errno);
    KEELSON_RETURN_IF_ERROR(WaitFor(socket, POLLOUT, scope, what));
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) return Failed(what, error);
  }
  SendAtOnce(socket);
  return made;
}

TcpStream::~TcpStream() { ::close(socket_); }

Result<std::string> TcpStream::Read(const CallScope& scope) {
  std::string bytes(kMostAtOnce, '\0');
  while (true) {
    KEELSON_RETURN_IF_ERROR(WaitFor(socket_, POLLIN, scope, "reading from a TCP connection"));
    const ssize_t size = ::recv(socket_, bytes.data(), bytes.size(), 0);
    if (size >= 0) {
      bytes.resize(static_cast<size_t>(size));
      return bytes;
    }
    if (errno != EAGAIN && errno != EINTR) return Failed("reading from a TCP connection", errno);
  }
}

Result<void> TcpStream::Write(std::string_view bytes, const CallScope& scope) {
  while (!bytes.empty()) {
    KEELSON_RETURN_IF_ERROR(WaitFor(socket_, POLLOUT, scope, "writing to a TCP connection"));
    const ssize_t size = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (size >= 0) {
      bytes.remove_prefix(static_cast<size_t>(size));
    } else if (errno != EAGAIN && errno != EINTR) {
      return Failed("writing to a TCP connection", errno);
    }
  }
  return {};
}

void TcpStream::FinishWriting() { ::shutdown(socket_, SHUT_WR); }

void TcpStream::Abort() { ::shutdown(socket_, SHUT_RDWR); }

Result<std::unique_ptr<TcpListener>> TcpListener::Listen(const std::string& address, uint16_t port) {
  KEELSON_TRY(local, Parse(address, port));
  KEELSON_TRY(socket, NewSocket(local));
  const int on = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  SocketAddress bound{.size = sizeof bound.storage};
  if (::bind(socket, local.get(), local.size) != 0 || ::listen(socket, SOMAXCONN) != 0 ||
      ::getsockname(socket, bound.get(), &bound.size) != 0) {
    const int error = errno;
    ::close(socket);
    return Failed("cannot listen on " + Place(address, port), error);
  }
  const uint16_t chosen = bound.storage.ss_family == AF_INET
                              ? ntohs(reinterpret_cast<const sockaddr_in*>(&bound.storage)->sin_port)
                              : ntohs(reinterpret_cast<const sockaddr_in6*>(&bound.storage)->sin6_port);
  return std::unique_ptr<TcpListener>(new TcpListener(socket, chosen));
}

TcpListener::~TcpListener() { ::close(socket_); }

Result<std::unique_ptr<TcpStream>> TcpListener::Accept(const CallScope& scope) {
  while (true) {
    KEELSON_RETURN_IF_ERROR(WaitFor(socket_, POLLIN, scope, "accepting a TCP connection"));
    const int socket = ::accept4(socket_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket >= 0) {
      SendAtOnce(socket);
      return std::unique_ptr<TcpStream>(new TcpStream(socket));
    }
    // The rest are connections that were gone before they were accepted.
    if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS || errno == EBADF ||
        errno == EINVAL) {
      return Failed("accepting a TCP connection", errno);
    }
  }
}

}  // namespace keelson
