#include "keelson/client/port_forward.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "keelson/core/clock.h"

namespace keelson {

namespace {

constexpr std::string_view kProtocol = "v4.channel.k8s.io";
constexpr char kData = 0;  // channels of the first and only port
constexpr char kError = 1;
constexpr size_t kMostAtOnce = size_t{32} << 10;
constexpr size_t kMostOfMessage = 4096;

Error Failed(TransportFailure failure, std::string message) {
  return Error(ErrorCode::kUnavailable, std::move(message))
      .WithDetail(std::make_shared<TransportErrorDetail>(failure, true));
}

}  // namespace

Result<std::string> PodConnection::Read(const CallScope& scope) {
  while (true) {
    KEELSON_TRY(message, socket_->Receive(scope));
    if (message.close) {
      if (message.close->code == 1000 || message.close->code == 1005) return std::string();
      return Failed(TransportFailure::kReset, "the server ended the connection (" +
                                                  std::to_string(message.close->code) + " " + message.close->reason +
                                                  ")");
    }
    if (message.text) {
      return Failed(TransportFailure::kProtocol, "the server sent text where the protocol has binary messages only");
    }
    std::string& bytes = message.bytes;
    if (bytes.empty() || (bytes[0] != kData && bytes[0] != kError)) continue;
    const char channel = bytes[0];
    size_t& head = head_[static_cast<size_t>(channel)];
    const size_t skipped = std::min(head, bytes.size() - 1);
    head -= skipped;
    bytes.erase(0, 1 + skipped);
    if (bytes.empty()) continue;
    if (channel == kData) return std::move(bytes);
    return Failed(TransportFailure::kReset, bytes.substr(0, kMostOfMessage));
  }
}

Result<void> PodConnection::Write(std::string_view bytes, const CallScope& scope) {
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, kMostAtOnce);
    KEELSON_RETURN_IF_ERROR(socket_->Send(std::string(1, kData).append(piece), scope));
    bytes.remove_prefix(piece.size());
  }
  return {};
}

void PodConnection::Close(const CallScope& scope) { socket_->Close(1000, "", scope); }

Result<std::unique_ptr<PodConnection>> DialPodPort(WebSocketDialer& dialer, const ObjectKey& pod, uint16_t port,
                                                   const CallScope& scope) {
  if (port == 0) return Error::InvalidArgument("a port of pod " + pod.ToString() + " is needed, found 0");
  const auto context = [&] { return "port " + std::to_string(port) + " of pod " + pod.ToString(); };
  Result<std::unique_ptr<WebSocket>> socket =
      dialer.DialPod(pod, "portforward", Query().Add("ports", port), kProtocol, scope);
  if (!socket) return std::move(socket).error().WithContext(context());
  if ((*socket)->subprotocol() != kProtocol) {
    return Error::Unsupported(context() + ": the server does not speak the subprotocol " + std::string(kProtocol));
  }
  return std::make_unique<PodConnection>(*std::move(socket));
}

Result<std::unique_ptr<PortForward>> PortForward::Start(std::shared_ptr<WebSocketDialer> dialer, ObjectKey pod,
                                                        PortForwardOptions options) {
  if (options.port == 0) return Error::InvalidArgument("a port of pod " + pod.ToString() + " is needed, found 0");
  KEELSON_TRY(listener, TcpListener::Listen(options.address, options.local_port));
  return std::unique_ptr<PortForward>(
      new PortForward(std::move(dialer), std::move(pod), std::move(options), std::move(listener)));
}

PortForward::PortForward(std::shared_ptr<WebSocketDialer> dialer, ObjectKey pod, PortForwardOptions options,
                         std::unique_ptr<TcpListener> listener)
    : dialer_(std::move(dialer)),
      pod_(std::move(pod)),
      options_(std::move(options)),
      listener_(std::move(listener)),
      thread_("port-forward", [this](const StopToken& stop) { AcceptAll(stop); }) {}

PortForward::~PortForward() {
  thread_.RequestStop();
  thread_.Join();
}

void PortForward::Report(const Error& error) const {
  if (options_.on_error) return options_.on_error(error);
  log_.Error(error, "A forwarded connection failed", "pod", pod_.ToString(), "port", options_.port);
}

void PortForward::AcceptAll(const StopToken& stop) {
  while (!stop.StopRequested()) {
    {
      MutexLock lock(mutex_);
      if (changed_.Wait(lock, stop, [&] { return open_ < std::max<size_t>(options_.max_connections, 1); }) !=
          Wake::kReady) {
        break;
      }
    }
    Result<std::unique_ptr<TcpStream>> accepted = listener_->Accept({.stop = stop});
    if (!accepted) {
      if (accepted.error().code() == ErrorCode::kCancelled) break;
      Report(accepted.error());
      // The machine is short of something: it may have it again soon.
      if (SleepFor(std::chrono::milliseconds(100), stop) == Wake::kStopped) break;
      continue;
    }
    std::list<Connection> finished;
    {
      MutexLock lock(mutex_);
      ++open_;
      for (auto next = connections_.begin(); next != connections_.end();) {
        const auto each = next++;
        if (each->done) finished.splice(finished.end(), connections_, each);
      }
    }
    Connection& connection = connections_.emplace_back();
    connection.thread = Thread("port-forward-connection",
                               [this, &connection, stop, local = std::shared_ptr<TcpStream>(*std::move(accepted))] {
                                 const Result<void> outcome = Serve(*local, stop);
                                 local->Abort();
                                 if (!outcome && outcome.error().code() != ErrorCode::kCancelled)
                                   Report(outcome.error());
                                 {
                                   MutexLock lock(mutex_);
                                   connection.done = true;
                                   --open_;
                                 }
                                 changed_.NotifyAll();
                               });
  }
  connections_.clear();  // they have the same stop
}

Result<void> PortForward::Serve(TcpStream& local, const StopToken& stop) const {
  KEELSON_TRY(remote, DialPodPort(*dialer_, pod_, options_.port,
                                  {.stop = stop, .deadline = SaturatingAdd(Clock::Now(), options_.dial_timeout)}));
  const StopSource over;
  const StopCallback follow(stop, [&] { over.RequestStop(); });
  const StopSource half_closed;  // the client sends no more
  Result<void> upward;           // written by the thread below, read when it has ended
  Thread up("port-forward-up", [&] {
    while (true) {
      Result<std::string> bytes = local.Read({.stop = over.token()});
      if (!bytes || bytes->empty()) break;  // a client that resets its connection is gone too
      upward = remote->Write(*bytes, {.stop = over.token()});
      if (!upward) return;  // the other direction learns why
    }
    half_closed.RequestStop();
  });

  Result<void> downward;
  while (true) {
    CallScope waiting{.stop = over.token()};
    Result<std::string> bytes = std::string();
    if (!half_closed.StopRequested()) {
      const StopSource either;
      const StopCallback by_end(over.token(), [&] { either.RequestStop(); });
      const StopCallback by_half(half_closed.token(), [&] { either.RequestStop(); });
      bytes = remote->Read({.stop = either.token()});
      if (!bytes && bytes.error().code() == ErrorCode::kCancelled && !over.StopRequested()) continue;
    } else {
      waiting.deadline = SaturatingAdd(Clock::Now(), options_.half_close_timeout);
      bytes = remote->Read(waiting);
      if (!bytes && bytes.error().code() == ErrorCode::kTimeout) break;
    }
    if (!bytes) {
      downward = std::move(bytes).error();
      break;
    }
    if (bytes->empty()) break;
    if (!local.Write(*bytes, {.stop = over.token()})) break;  // the client is gone
  }
  if (downward) local.FinishWriting();
  over.RequestStop();
  if (downward) {
    remote->Close({.stop = stop});
  } else {
    remote->Abort();
  }
  up.Join();
  if (!downward) {
    return std::move(downward).error().WithContext("port " + std::to_string(options_.port) + " of pod " +
                                                   pod_.ToString());
  }
  return {};
}

}  // namespace keelson
