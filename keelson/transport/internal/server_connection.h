// One accepted socket: its bytes, its time limits and the session that understands them.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>

#include <memory>
#include <string>
#include <vector>

#include "keelson/core/log.h"
#include "keelson/core/mutex.h"
#include "keelson/transport/internal/byte_stream.h"
#include "keelson/transport/internal/http_session.h"
#include "keelson/transport/internal/output_queue.h"

namespace keelson::internal {

class ServerConnection;

// The server, as its connections see it. Thread-safe.
class ConnectionHome {
 public:
  virtual ~ConnectionHome() = default;
  virtual HttpHandler& handler() = 0;
  virtual const HttpServerOptions& options() const = 0;
  virtual boost::asio::io_context& io() = 0;
  // That one is no more. Until then the home keeps it alive.
  virtual void Closed(ServerConnection* connection) = 0;
};

// The public functions may be called from any thread; all else runs on the strand.
class ServerConnection final : public SessionHost, public std::enable_shared_from_this<ServerConnection> {
 public:
  // Owns the socket.
  ServerConnection(std::shared_ptr<ConnectionHome> home, int socket, std::unique_ptr<ByteStream> stream,
                   std::string address);

  void Open();
  // Finishes what is under way and closes.
  void Drain();
  // Closes now.
  void Cut();

  void Wake(std::shared_ptr<Exchange> exchange) override;

 private:
  // SessionHost.
  const HttpServerOptions& options() const override { return home_->options(); }
  const std::shared_ptr<const Peer>& peer() const override { return peer_; }
  HttpHandler& handler() override { return home_->handler(); }
  OutputQueue& output() override { return output_; }
  void Schedule(TimePoint when) override;
  std::weak_ptr<ExchangeOwner> owner() override { return weak_from_this(); }

  // Reads, lets the session work, writes: as far as it goes without waiting.
  void Run();
  // True once there is a session.
  bool Establish();
  bool RecogniseProtocol();
  void ReadInput();
  void Discard();
  void Pump();
  void Arm();
  void WaitRead();
  void WaitWrite();
  // Runs again after others had their turn.
  void RunLater();
  void OnWoken();
  void OnTimer();
  bool StalledTooLong(TimePoint now);
  // All is written: lets the client read it before the socket closes.
  void Linger();
  void Close();

  const std::shared_ptr<ConnectionHome> home_;
  const Logger log_{"http-server"};
  const boost::asio::strand<boost::asio::io_context::executor_type> strand_;

  Mutex wake_mutex_;
  std::vector<std::shared_ptr<Exchange>> woken_;  // guarded by wake_mutex_

  // On the strand.
  boost::asio::posix::stream_descriptor socket_;
  boost::asio::steady_timer timer_;
  TimePoint timer_at_ = TimePoint::max();
  const std::unique_ptr<ByteStream> stream_;
  std::shared_ptr<const Peer> peer_;
  std::string early_;  // read before the protocol was known
  bool handshaken_ = false;
  std::unique_ptr<HttpSession> session_;
  OutputQueue output_;
  TimePoint opened_;
  TimePoint last_written_;
  bool waits_to_read_ = false;
  bool waits_to_write_ = false;
  bool runs_later_ = false;
  bool lingers_ = false;
  size_t discarded_ = 0;
  TimePoint linger_until_;
  bool closed_ = false;
};

}  // namespace keelson::internal
