// The connections of a DirectTransport: kept while idle, bounded in number, closed when certificates change.
//
// Shared by the transport and the calls under way, which may outlive it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "keelson/core/cond_var.h"
#include "keelson/core/mutex.h"
#include "keelson/core/stop_token.h"
#include "keelson/transport/direct_transport.h"
#include "keelson/transport/internal/curl_errors.h"
#include "keelson/transport/internal/curl_tls.h"
#include "keelson/transport/internal/direct_connection.h"

namespace keelson::internal {

// Thread-safe.
class DirectPool {
 public:
  DirectPool(DirectTransportOptions options, CurlEndpoint endpoint, TlsFiles tls);

  const DirectTransportOptions& options() const { return options_; }
  const CurlEndpoint& endpoint() const { return endpoint_; }
  const std::string& url() const { return url_; }

  enum class Want {
    kAny,     // an idle one, the one used last, or else a new one
    kNew,     // the idle ones may be dead
    kStream,  // a new one that is closed behind its answer and does not count among those whose number is bounded
  };
  // Waits when too many are in use or being made: for whichever comes first, one that is given back or the leave to
  // make one.
  Result<std::unique_ptr<DirectConnection>> Take(const CallScope& scope, Want want);
  // Every connection that was taken comes back; one that is not reusable is closed.
  void Give(std::unique_ptr<DirectConnection> connection, bool reusable);

  Result<void> SetClientCertificate(PemSource certificate, PemSource key);
  // Present connections serve no new call.
  void CloseIdle();
  // Calls under way are interrupted, later ones refused.
  void Close();
  bool closed() const { return closing_.StopRequested(); }

 private:
  using Connections = std::vector<std::unique_ptr<DirectConnection>>;

  // These hold mutex_. What they take out of the pool is put into `dropped`, to be closed without the lock.
  void Renew(Connections& dropped);
  void DropOld(TimePoint now, Connections& dropped);
  void Enlist(DirectConnection& connection);
  bool MayDial(Want want, bool impatient) const;
  Result<std::shared_ptr<TlsClientContext>> Context();

  const DirectTransportOptions options_;
  const CurlEndpoint endpoint_;
  const std::string url_;
  const StopSource closing_;

  Mutex mutex_{"connections"};
  CondVar changed_;
  // Guarded by mutex_.
  TlsFiles tls_;
  std::shared_ptr<TlsClientContext> context_;  // of the texts in tls_; null until needed
  uint64_t generation_ = 0;
  Connections idle_;                     // the one used last at the end
  std::vector<DirectConnection*> busy_;  // each at its own `slot`
  size_t dialing_ = 0;
  size_t waiting_ = 0;
  size_t waiting_for_new_ = 0;  // of those
  size_t streams_ = 0;          // of those in use
};

}  // namespace keelson::internal
