// What the servers of a manager have in common: listen, tell others that they do, drain at the end.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "keelson/core/cond_var.h"
#include "keelson/core/mutex.h"
#include "keelson/core/result.h"
#include "keelson/runtime/runnable.h"
#include "keelson/transport/handler.h"
#include "keelson/transport/tls.h"

namespace keelson::internal {

// Thread-safe.
class Listening {
 public:
  // `what` is for logs and errors.
  explicit Listening(std::string what) : what_(std::move(what)) {}

  // Listens until scope.stop, then gives requests under way a few seconds, or none after scope.abort. With no address
  // it returns at once. `address` is a bind address, `tls` is called once it is needed.
  Result<void> Run(const RunScope& scope, std::string_view address, HttpHandler& handler,
                   const std::function<Result<std::optional<TlsServerOptions>>()>& tls);
  // Until Run listens, failed or has returned.
  Result<void> WaitUntilReady(const StopToken& stop);
  uint16_t port() const;

 private:
  Result<void> Serve(const RunScope& scope, std::string_view address, HttpHandler& handler,
                     const std::function<Result<std::optional<TlsServerOptions>>()>& tls);
  void Tell(Result<void> outcome, uint16_t port);

  const std::string what_;
  mutable Mutex mutex_{"listening"};
  CondVar changed_{"listening"};
  // Guarded by mutex_.
  std::optional<Result<void>> outcome_;  // nothing: not known yet
  uint16_t port_ = 0;
};

}  // namespace keelson::internal
