#include "keelson/transport/http_server.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>

#include <cerrno>
#include <cstring>
#include <unordered_map>
#include <utility>
#include <vector>

#include "keelson/core/clock.h"
#include "keelson/core/cond_var.h"
#include "keelson/core/internal/scheduler.h"
#include "keelson/core/log.h"
#include "keelson/core/mutex.h"
#include "keelson/core/thread.h"
#include "keelson/transport/internal/byte_stream.h"
#include "keelson/transport/internal/server_connection.h"
#include "keelson/transport/internal/tls_server_context.h"

namespace keelson {

namespace {

namespace asio = boost::asio;
using internal::ByteStream;
using internal::ServerConnection;
using internal::TlsServerContext;

constexpr int kBacklog = 1024;
constexpr int kAcceptTurn = 64;
constexpr auto kPauseWithoutDescriptors = std::chrono::milliseconds(100);

std::string Bracketed(const std::string& address) {
  return address.find(':') == std::string::npos ? address : '[' + address + ']';
}

std::string AddressText(const sockaddr_storage& address) {
  char text[INET6_ADDRSTRLEN] = {};
  if (address.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    inet_ntop(AF_INET, &v4.sin_addr, text, sizeof text);
    return std::string(text) + ':' + std::to_string(ntohs(v4.sin_port));
  }
  if (address.ss_family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
    inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof text);
    return '[' + std::string(text) + "]:" + std::to_string(ntohs(v6.sin6_port));
  }
  return "unix";
}

Error CannotListen(const std::string& where, int error) {
  std::string message = "cannot listen on " + where + ": " + std::strerror(error);
  if (error == EADDRINUSE) message += "; another program listens there: stop it or choose another port";
  return Error(ErrorCode::kUnavailable, std::move(message));
}

// Closes the descriptor unless it is released.
class OwnedDescriptor {
 public:
  explicit OwnedDescriptor(int descriptor) : descriptor_(descriptor) {}
  ~OwnedDescriptor() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  OwnedDescriptor(OwnedDescriptor&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  OwnedDescriptor& operator=(OwnedDescriptor&&) = delete;
  int get() const { return descriptor_; }
  int release() { return std::exchange(descriptor_, -1); }

 private:
  int descriptor_;
};

Result<OwnedDescriptor> ListenTcp(const std::string& address, uint16_t port) {
  const std::string where = Bracketed(address) + ':' + std::to_string(port);
  addrinfo hints = {};
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int failure =
      getaddrinfo(address.empty() ? nullptr : address.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (failure != 0) {
    return Error::InvalidArgument("cannot listen on " + where + ": " + gai_strerror(failure) +
                                  "; expected an address of this machine");
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> addresses(found, freeaddrinfo);
  OwnedDescriptor listener(socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const int on = 1;
  if (listener.get() < 0 || setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
      bind(listener.get(), found->ai_addr, found->ai_addrlen) != 0 || listen(listener.get(), kBacklog) != 0) {
    return CannotListen(where, errno);
  }
  return listener;
}

Result<OwnedDescriptor> ListenUnix(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    return Error::InvalidArgument("cannot listen on " + path + ": a unix socket's path has at most " +
                                  std::to_string(sizeof address.sun_path - 1) + " bytes");
  }
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  // A socket that nobody listens on any more is left over from a program that crashed.
  {
    const OwnedDescriptor probe(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (connect(probe.get(), generic, sizeof address) != 0 && errno == ECONNREFUSED) unlink(path.c_str());
  }
  OwnedDescriptor listener(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (listener.get() < 0 || bind(listener.get(), generic, sizeof address) != 0 ||
      listen(listener.get(), kBacklog) != 0) {
    return CannotListen(path, errno);
  }
  return listener;
}

uint16_t PortOf(int listener) {
  sockaddr_storage address = {};
  socklen_t size = sizeof address;
  if (getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  if (address.ss_family == AF_INET) return ntohs(reinterpret_cast<const sockaddr_in&>(address).sin_port);
  if (address.ss_family == AF_INET6) return ntohs(reinterpret_cast<const sockaddr_in6&>(address).sin6_port);
  return 0;
}

// Answers go out at once, and a client that vanished without a word is noticed.
void TuneTcp(int socket) {
  const auto set = [&](int level, int option, int value) { setsockopt(socket, level, option, &value, sizeof value); };
  set(IPPROTO_TCP, TCP_NODELAY, 1);
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 30);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 10);
  set(IPPROTO_TCP, TCP_KEEPCNT, 3);
}

// What connections share. They keep it alive, and it them until they are closed.
class ServerCore final : public internal::ConnectionHome, public std::enable_shared_from_this<ServerCore> {
 public:
  ServerCore(HttpHandler& handler, HttpServerOptions options, std::unique_ptr<TlsServerContext> tls, int listener,
             unsigned threads)
      : handler_(handler),
        options_(std::move(options)),
        tls_(std::move(tls)),
        io_(static_cast<int>(threads)),
        strand_(asio::make_strand(io_)),
        listener_(strand_, listener),
        pause_(strand_) {}

  HttpHandler& handler() override { return handler_; }
  const HttpServerOptions& options() const override { return options_; }
  asio::io_context& io() override { return io_; }

  void Closed(ServerConnection* connection) override {
    std::shared_ptr<ServerConnection> last;  // outlives the lock
    MutexLock lock(mutex_);
    if (const auto found = connections_.find(connection); found != connections_.end()) {
      last = std::move(found->second);
      connections_.erase(found);
    }
    if (connections_.empty()) none_left_.NotifyAll();
  }

  void StartAccepting() {
    asio::post(strand_, [self = shared_from_this()] { self->WaitAccept(); });
  }

  // No connection is added after this.
  void StopAccepting() {
    {
      MutexLock lock(mutex_);
      if (std::exchange(stopped_, true)) return;
    }
    if (!options_.unix_socket.empty()) unlink(options_.unix_socket.c_str());
    asio::post(strand_, [self = shared_from_this()] {
      boost::system::error_code ignored;
      self->listener_.close(ignored);
      self->pause_.cancel();
    });
  }

  std::vector<std::shared_ptr<ServerConnection>> Connections() {
    MutexLock lock(mutex_);
    std::vector<std::shared_ptr<ServerConnection>> all;
    all.reserve(connections_.size());
    for (const auto& [key, connection] : connections_) all.push_back(connection);
    return all;
  }

  void WaitForNone() {
    MutexLock lock(mutex_);
    none_left_.Wait(lock, [&] { return connections_.empty(); });
  }
  // True when there is none in time.
  bool WaitForNone(TimePoint deadline) {
    MutexLock lock(mutex_);
    return none_left_.WaitUntil(lock, deadline, StopToken(), [&] { return connections_.empty(); }) == Wake::kReady;
  }

 private:
  void WaitAccept() {
    if (!listener_.is_open()) return;
    listener_.async_wait(asio::posix::descriptor_base::wait_read,
                         [self = shared_from_this()](const boost::system::error_code& error) {
                           if (!error) self->AcceptSome();
                         });
  }

  void AcceptSome() {
    for (int turn = 0; turn < kAcceptTurn; ++turn) {
      sockaddr_storage address = {};
      socklen_t size = sizeof address;
      const int socket = accept4(listener_.native_handle(), reinterpret_cast<sockaddr*>(&address), &size,
                                 SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (socket >= 0) {
        Admit(OwnedDescriptor(socket), address);
        continue;
      }
      if (errno == EAGAIN || errno == EWOULDBLOCK) break;
      if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) return PauseAccepting(errno);
      // Otherwise it is that connection's own trouble.
    }
    WaitAccept();
  }

  void PauseAccepting(int error) {
    if (!std::exchange(told_of_pause_, true)) {
      log_.Warning("Cannot accept connections for now; raise the limit of open files", "error", std::strerror(error));
    }
    pause_.expires_after(kPauseWithoutDescriptors);
    pause_.async_wait([self = shared_from_this()](const boost::system::error_code& failed) {
      if (!failed) self->WaitAccept();
    });
  }

  void Admit(OwnedDescriptor socket, const sockaddr_storage& address) {
    {
      MutexLock lock(mutex_);
      if (stopped_ || connections_.size() >= options_.max_connections) return;
    }
    if (address.ss_family != AF_UNIX) TuneTcp(socket.get());
    std::unique_ptr<ByteStream> stream =
        tls_ == nullptr ? ByteStream::Plain(socket.get()) : ByteStream::Tls(socket.get(), tls_->Current());
    const auto connection =
        std::make_shared<ServerConnection>(shared_from_this(), socket.get(), std::move(stream), AddressText(address));
    socket.release();
    MutexLock lock(mutex_);
    if (stopped_) return;
    connections_.emplace(connection.get(), connection);
    connection->Open();
  }

  HttpHandler& handler_;
  const HttpServerOptions options_;
  const Logger log_{"http-server"};
  const std::unique_ptr<TlsServerContext> tls_;
  asio::io_context io_;

  // On the strand of accepting.
  const asio::strand<asio::io_context::executor_type> strand_;
  asio::posix::stream_descriptor listener_;
  asio::steady_timer pause_;
  bool told_of_pause_ = false;

  Mutex mutex_;
  CondVar none_left_;
  // Guarded by mutex_.
  bool stopped_ = false;
  std::unordered_map<ServerConnection*, std::shared_ptr<ServerConnection>> connections_;
};

}  // namespace

class HttpServer::Impl {
 public:
  Impl(std::shared_ptr<ServerCore> core, uint16_t port, unsigned threads)
      : core_(std::move(core)), port_(port), work_(asio::make_work_guard(core_->io())) {
    core_->StartAccepting();
    for (unsigned i = 0; i < threads; ++i) {
      threads_.emplace_back("http-server-" + std::to_string(i), [core = core_.get()] { core->io().run(); });
    }
  }

  // Once every connection is closed nothing can be posted any more, so the threads run out of work and end.
  ~Impl() {
    core_->StopAccepting();
    CutAll();
    work_.reset();
    for (Thread& thread : threads_) thread.Join();
  }

  uint16_t port() const { return port_; }
  const HttpServerOptions& options() const { return core_->options(); }

  bool Drain(Duration at_most) {
    const TimePoint deadline = SaturatingAdd(Clock::Now(), at_most);
    core_->StopAccepting();
    for (const auto& connection : core_->Connections()) connection->Drain();
    const bool in_time = core_->WaitForNone(deadline);
    if (!in_time) CutAll();
    return in_time;
  }

 private:
  void CutAll() {
    for (const auto& connection : core_->Connections()) connection->Cut();
    core_->WaitForNone();
  }

  const std::shared_ptr<ServerCore> core_;
  const uint16_t port_;
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  std::vector<Thread> threads_;
};

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpServer::~HttpServer() = default;

Result<std::unique_ptr<HttpServer>> HttpServer::Start(HttpHandler& handler, HttpServerOptions options) {
  if (internal::CurrentScheduler() != nullptr) {
    return Error::Unsupported("an HTTP server cannot run inside a simulation: use InProcessTransport there");
  }
  std::unique_ptr<TlsServerContext> tls;
  if (options.tls) {
    KEELSON_TRY(context, TlsServerContext::Create(*options.tls));
    tls = std::move(context);
  }
  KEELSON_TRY(listener,
              options.unix_socket.empty() ? ListenTcp(options.address, options.port) : ListenUnix(options.unix_socket));
  const uint16_t port = PortOf(listener.get());
  const unsigned threads = options.threads == 0 ? Thread::HardwareConcurrency() : options.threads;
  auto core = std::make_shared<ServerCore>(handler, std::move(options), std::move(tls), listener.get(), threads);
  (void)listener.release();
  return std::unique_ptr<HttpServer>(new HttpServer(std::make_unique<Impl>(std::move(core), port, threads)));
}

uint16_t HttpServer::port() const { return impl_->port(); }

std::string HttpServer::url() const {
  const HttpServerOptions& options = impl_->options();
  const std::string scheme = options.tls ? "https" : "http";
  if (!options.unix_socket.empty()) return scheme + "+unix://" + options.unix_socket;
  return scheme + "://" + Bracketed(options.address) + ':' + std::to_string(port());
}

bool HttpServer::Drain(Duration at_most) { return impl_->Drain(at_most); }

}  // namespace keelson
