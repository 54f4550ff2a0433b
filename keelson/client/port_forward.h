// Reaches ports of pods from outside the cluster: what `kubectl port-forward` does.
//
//   KEELSON_TRY(forward, PortForward::Start(dialer, {"default", "web"}, {.port = 8080}));
//   Print("listening on 127.0.0.1:{}", forward->port());       // until `forward` is destroyed
//
//   KEELSON_TRY(connection, DialPodPort(*dialer, {"default", "web"}, 8080, scope));   // without listening
//
// Each connection is a WebSocket of its own with the subprotocol v4.channel.k8s.io, which the API server passes on to
// the container runtime. That protocol cannot say that one side has no more to send while the other has: see
// PortForwardOptions::half_close_timeout.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>

#include "keelson/api/object_key.h"
#include "keelson/client/web_socket_dialer.h"
#include "keelson/core/cond_var.h"
#include "keelson/core/log.h"
#include "keelson/core/mutex.h"
#include "keelson/core/result.h"
#include "keelson/core/thread.h"
#include "keelson/transport/tcp.h"

namespace keelson {

// One connection to a port of a pod. One thread may read while another writes.
class PodConnection {
 public:
  explicit PodConnection(std::unique_ptr<WebSocket> socket) : socket_(std::move(socket)) {}

  // What has arrived; empty at the end. Errors: kUnavailable with the node's words when nobody listens on the port or
  // the connection was cut; kCancelled and kTimeout by the scope leave the connection as it is.
  Result<std::string> Read(const CallScope& scope);
  // All of it is on its way, but for a buffer; after an error it is unknown how much.
  Result<void> Write(std::string_view bytes, const CallScope& scope);
  // Sends what is written and ends the connection in both directions.
  void Close(const CallScope& scope);
  // At once, also for calls that wait.
  void Abort() { socket_->Abort(); }

 private:
  const std::unique_ptr<WebSocket> socket_;
  // Used by the reading thread only: bytes of the port's number that each channel still begins with.
  size_t head_[2] = {2, 2};
};

// Succeeds when the node has taken the request; whether anybody listens on the port shows when reading.
Result<std::unique_ptr<PodConnection>> DialPodPort(WebSocketDialer& dialer, const ObjectKey& pod, uint16_t port,
                                                   const CallScope& scope);

struct PortForwardOptions {
  uint16_t port = 0;                  // of the pod
  std::string address = "127.0.0.1";  // to listen on
  uint16_t local_port = 0;            // 0: any free one
  size_t max_connections = 128;       // at a time; more wait
  Duration dial_timeout = std::chrono::seconds(60);
  // A client that has closed its side may still wait for an answer, or be gone. It counts as gone when the pod has sent
  // nothing for so long.
  Duration half_close_timeout = std::chrono::seconds(10);
  // Told why a connection ended, if that was an error; from several threads. Without it, it is logged.
  std::function<void(const Error& error)> on_error = {};
};

class PortForward {
 public:
  // Errors: the address is not ours or the port taken. The pod is reached only when a connection comes.
  static Result<std::unique_ptr<PortForward>> Start(std::shared_ptr<WebSocketDialer> dialer, ObjectKey pod,
                                                    PortForwardOptions options);
  // Ends all connections.
  ~PortForward();

  uint16_t port() const { return listener_->port(); }

 private:
  struct Connection {
    bool done = false;  // guarded by mutex_
    Thread thread;
  };

  PortForward(std::shared_ptr<WebSocketDialer> dialer, ObjectKey pod, PortForwardOptions options,
              std::unique_ptr<TcpListener> listener);
  void AcceptAll(const StopToken& stop);
  Result<void> Serve(TcpStream& local, const StopToken& stop) const;
  void Report(const Error& error) const;

  const std::shared_ptr<WebSocketDialer> dialer_;
  const ObjectKey pod_;
  const PortForwardOptions options_;
  const std::unique_ptr<TcpListener> listener_;
  const Logger log_{"port-forward"};

  Mutex mutex_{"port-forward"};
  CondVar changed_;
  size_t open_ = 0;  // guarded by mutex_

  std::list<Connection> connections_;  // used by thread_ only
  Thread thread_;
};

}  // namespace keelson
