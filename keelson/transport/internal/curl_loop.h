// The thread of a CurlTransport: waits for sockets and runs all transfers.
//
// Connections come in sets. New calls go to the newest; one that is followed by another (certificates changed) ends
// with its last call. Each set is two libcurl multi handles, driven by one epoll: unary calls share connections in the
// one, every stream has its own in the other, so that the bound on shared connections does not count streams.
#pragma once

#include <curl/curl.h>

#include <memory>
#include <vector>

#include "keelson/core/mutex.h"
#include "keelson/core/thread.h"
#include "keelson/core/time.h"
#include "keelson/transport/curl_transport.h"
#include "keelson/transport/internal/curl_call.h"
#include "keelson/transport/internal/curl_errors.h"
#include "keelson/transport/internal/curl_tls.h"
#include "keelson/transport/internal/curl_transfer.h"

namespace keelson::internal {

class CurlLoop final : private CurlTransferEvents {
 public:
  CurlLoop(CurlTransportOptions options, CurlEndpoint endpoint, TlsFiles tls);
  ~CurlLoop();

  const std::shared_ptr<CurlInbox>& inbox() const { return inbox_; }
  Result<void> SetClientCertificate(PemSource certificate, PemSource key);

 private:
  // A multi handle and when it wants to be looked at.
  struct Driver {
    CurlLoop* loop = nullptr;
    CURLM* multi = nullptr;
    uint32_t id = 0;  // in what epoll reports; 0 is the inbox
    TimePoint due = TimePoint::max();
  };
  struct Connections;

  void Run();
  int WaitMilliseconds() const;
  void Obey(CurlCommand command);
  void StartCall(std::shared_ptr<CurlCall> call);
  void CancelCall(CurlTransfer& transfer);
  void OnReady(uint32_t driver_id, curl_socket_t socket, uint32_t events);
  void RunDueTimers();
  void CollectEnded();
  void WakeWaiters();
  Connections& Current();
  void DropUnused();

  void OnProgress(CurlTransfer& transfer) override;
  void OnPaused(CurlTransfer& transfer) override;

  static int OnSocket(CURL*, curl_socket_t socket, int what, void* driver, void* known);
  static int OnTimer(CURLM*, long milliseconds, void* driver);

  const CurlTransportOptions options_;
  const CurlEndpoint endpoint_;
  const std::shared_ptr<CurlInbox> inbox_;
  const int epoll_;

  Mutex tls_mutex_{"curl certificates"};
  TlsFiles tls_;  // guarded by tls_mutex_

  // Of the loop's thread. The last set is the one that new calls go to, unless `renew_`.
  std::vector<std::unique_ptr<Connections>> connections_;
  bool renew_ = false;
  uint32_t last_driver_id_ = 0;
  std::vector<std::shared_ptr<CurlCall>> touched_;

  Thread thread_;
};

}  // namespace keelson::internal
