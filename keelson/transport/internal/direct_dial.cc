#include "keelson/transport/internal/direct_dial.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "keelson/core/clock.h"
#include "keelson/transport/internal/curl_call.h"
#include "keelson/transport/internal/name_lookup.h"

namespace keelson::internal {

namespace {

// How long an address may take before the next is tried beside it.
constexpr Duration kHeadStart = std::chrono::milliseconds(250);

class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  int get() const { return number_; }
  int Release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

// One attempt to connect. Stops by the call's token, by the transport's end and by the earlier of two deadlines.
class Dialer {
 public:
  Dialer(const DialOptions& options, const CallScope& scope)
      : options_(options),
        scope_(scope),
        patience_(SaturatingAdd(Clock::Now(), options.endpoint.connect_timeout)),
        woken_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

  Result<std::unique_ptr<DirectConnection>> Run() {
    const auto wake = [this] {
      stop_.RequestStop();
      const uint64_t one = 1;
      (void)!write(woken_.get(), &one, sizeof one);
    };
    StopCallback on_stop(scope_.stop, wake);
    StopCallback on_close(options_.closing, wake);
    KEELSON_TRY(addresses, Addresses());
    KEELSON_TRY(socket, Connect(addresses));
    SetOptions(socket.get());
    const CurlEndpoint& endpoint = options_.endpoint;
    auto connection = std::make_unique<DirectConnection>(
        socket.Release(), options_.tls, endpoint.server_name.empty() ? endpoint.server.host : endpoint.server_name);
    connection->loopback = loopback_;
    KEELSON_RETURN_IF_ERROR(ShakeHands(*connection));
    return connection;
  }

 private:
  TimePoint Deadline() const { return std::min(scope_.deadline, patience_); }

  // Why nothing goes on.
  Error GivenUp() const {
    if (scope_.stop.StopRequested()) return ScopeEnded(scope_, options_.endpoint.server.Url(), false);
    if (options_.closing.StopRequested()) return Error::Cancelled("the transport was closed");
    if (scope_.deadline <= Clock::Now()) return ScopeEnded(scope_, options_.endpoint.server.Url(), false);
    return ToError({.code = CURLE_OPERATION_TIMEDOUT}, options_.endpoint);
  }

  Error NotConnected(int error) const {
    return ToError({.code = CURLE_COULDNT_CONNECT, .os_error = error}, options_.endpoint);
  }

  Result<std::vector<SocketAddress>> Addresses() const {
    const std::string& path = options_.endpoint.unix_socket;
    if (!path.empty()) {
      SocketAddress address;
      auto* local = reinterpret_cast<sockaddr_un*>(&address.storage);
      if (path.size() >= sizeof local->sun_path) {
        return Error::InvalidArgument("the path \"" + path + "\" is too long for a unix socket");
      }
      local->sun_family = AF_UNIX;
      std::memcpy(local->sun_path, path.c_str(), path.size() + 1);
      address.size = sizeof *local;
      return std::vector<SocketAddress>{address};
    }
    const ServerAddress& server = options_.endpoint.server;
    NameLookup lookup = LookUp(server.host, server.port, Deadline(), stop_.token());
    switch (lookup.outcome) {
      case NameLookup::Outcome::kDone: return std::move(lookup.addresses);
      case NameLookup::Outcome::kUnknownHost: return ToError({.code = CURLE_COULDNT_RESOLVE_HOST}, options_.endpoint);
      default: return GivenUp();
    }
  }

  // False at the deadline; a stop counts as something that happened.
  bool Poll(std::vector<pollfd>& polled, TimePoint until) const {
    polled.push_back({.fd = woken_.get(), .events = POLLIN, .revents = 0});
    int ready = 0;
    while (true) {
      int milliseconds = -1;
      if (until != TimePoint::max()) {
        const TimePoint now = Clock::Now();
        if (until <= now) break;
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - now).count();
        milliseconds = static_cast<int>(std::min<int64_t>(left, 60'000));
      }
      ready = poll(polled.data(), polled.size(), milliseconds);
      if (ready != 0 && !(ready < 0 && errno == EINTR)) break;
    }
    polled.pop_back();
    return ready != 0;
  }

  Result<Descriptor> Connect(const std::vector<SocketAddress>& addresses) {
    struct Attempt {
      Descriptor socket;
      bool loopback;
    };
    std::vector<Attempt> attempts;
    int error = 0;
    for (size_t next = 0; next < addresses.size() || !attempts.empty();) {
      if (next < addresses.size()) {
        const SocketAddress& address = addresses[next++];
        Descriptor socket(::socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
        if (socket.get() >= 0 && connect(socket.get(), address.get(), address.size) == 0) {
          loopback_ = address.IsLoopback();
          return socket;
        }
        if (socket.get() < 0 || errno != EINPROGRESS) {
          error = errno;
          continue;
        }
        attempts.push_back({std::move(socket), address.IsLoopback()});
      }
      std::vector<pollfd> polled;
      for (const Attempt& attempt : attempts) {
        polled.push_back({.fd = attempt.socket.get(), .events = POLLOUT, .revents = 0});
      }
      TimePoint until = Deadline();
      if (next < addresses.size()) until = std::min(until, Clock::Now() + kHeadStart);
      Poll(polled, until);
      if (stop_.StopRequested() || Deadline() <= Clock::Now()) return GivenUp();
      for (size_t i = polled.size(); i-- > 0;) {
        if (polled[i].revents == 0) continue;
        int outcome = 0;
        socklen_t size = sizeof outcome;
        getsockopt(polled[i].fd, SOL_SOCKET, SO_ERROR, &outcome, &size);
        if (outcome == 0) {
          loopback_ = attempts[i].loopback;
          return std::move(attempts[i].socket);
        }
        error = outcome;
        attempts.erase(attempts.begin() + static_cast<ptrdiff_t>(i));
      }
    }
    return NotConnected(error);
  }

  // A peer that is gone without a word is noticed when what we sent (a probe, if we had nothing to say) stays
  // unanswered. Of no effect on unix sockets.
  void SetOptions(int socket) const {
    const auto set = [socket](int level, int name, auto value) {
      const int number = static_cast<int>(std::max<int64_t>(1, value));
      (void)setsockopt(socket, level, name, &number, sizeof number);
    };
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(options_.keep_alive).count();
    const auto patience =
        std::chrono::duration_cast<std::chrono::milliseconds>(options_.keep_alive + options_.keep_alive / 2).count();
    set(IPPROTO_TCP, TCP_NODELAY, 1);
    set(SOL_SOCKET, SO_KEEPALIVE, 1);
    set(IPPROTO_TCP, TCP_KEEPIDLE, seconds);
    set(IPPROTO_TCP, TCP_KEEPINTVL, seconds / 4);
    set(IPPROTO_TCP, TCP_USER_TIMEOUT, patience);
  }

  Result<void> ShakeHands(DirectConnection& connection) const {
    while (true) {
      const IoStatus status = connection.Handshake();
      if (status == IoStatus::kDone) return {};
      if (status != IoStatus::kWantRead && status != IoStatus::kWantWrite) {
        return HandshakeError(connection.failure(), connection.failed_in_tls(), connection.peer(), options_.endpoint);
      }
      const short events = status == IoStatus::kWantRead ? POLLIN : POLLOUT;
      std::vector<pollfd> polled = {{.fd = connection.socket(), .events = events, .revents = 0}};
      Poll(polled, Deadline());
      if (stop_.StopRequested() || Deadline() <= Clock::Now()) return GivenUp();
    }
  }

  const DialOptions& options_;
  const CallScope& scope_;
  const TimePoint patience_;
  const Descriptor woken_;
  StopSource stop_;
  bool loopback_ = false;
};

}  // namespace

Result<std::unique_ptr<DirectConnection>> Dial(const DialOptions& options, const CallScope& scope) {
  return Dialer(options, scope).Run();
}

}  // namespace keelson::internal
