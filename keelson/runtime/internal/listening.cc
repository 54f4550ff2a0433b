#include "keelson/runtime/internal/listening.h"

#include <memory>

#include "keelson/core/clock.h"
#include "keelson/core/log.h"
#include "keelson/runtime/bind_address.h"
#include "keelson/transport/http_server.h"

namespace keelson::internal {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

namespace {

// Scrapes and probes take milliseconds: what takes longer at the end is not worth waiting for.
constexpr Duration kDrain = 5s;
constexpr Duration kDrainStep = 100ms;

}  // namespace

Result<void> Listening::Run(const RunScope& scope, std::string_view address, HttpHandler& handler,
                            const std::function<Result<std::optional<TlsServerOptions>>()>& tls) {
  Result<void> result = Serve(scope, address, handler, tls);
  Tell(result, 0);
  return result;
}

Result<void> Listening::Serve(const RunScope& scope, std::string_view address, HttpHandler& handler,
                              const std::function<Result<std::optional<TlsServerOptions>>()>& tls) {
  KEELSON_TRY(where, ParseBindAddress("the address of the " + what_, address));
  if (!where) return {};
  KEELSON_TRY(certificates, tls());
  const bool secure = certificates.has_value();
  // One thread moves the bytes; handlers have threads of their own.
  KEELSON_TRY(server, HttpServer::Start(handler, {.address = where->host,
                                                  .port = where->port,
                                                  .tls = std::move(certificates),
                                                  .threads = 1,
                                                  .max_body_bytes = size_t{1} << 20,
                                                  .max_connections = 500}));
  const Logger log("server");
  log.Info("Listening", "server", what_, "address", where->host, "port", server->port(), "secure", secure);
  Tell({}, server->port());

  Mutex mutex;
  CondVar never;
  MutexLock lock(mutex);
  (void)never.Wait(lock, scope.stop, [] { return false; });
  if (!server->Drain(scope.abort.StopRequested() ? kDrainStep : kDrain)) {
    log.Info("Requests under way were cut", "server", what_);
  }
  return {};
}

void Listening::Tell(Result<void> outcome, uint16_t port) {
  {
    MutexLock lock(mutex_);
    port_ = port;
    outcome_ = std::move(outcome);
  }
  changed_.NotifyAll();
}

Result<void> Listening::WaitUntilReady(const StopToken& stop) {
  MutexLock lock(mutex_);
  if (changed_.Wait(lock, stop, [&] { return outcome_.has_value(); }) == Wake::kStopped) {
    return Error::Cancelled("stopped while the " + what_ + " began to listen");
  }
  return *outcome_;
}

uint16_t Listening::port() const {
  MutexLock lock(mutex_);
  return port_;
}

}  // namespace keelson::internal
