// No write after the lease may be somebody else's: a gate that closes by itself, and a transport behind it.
//
//   auto transport = std::make_shared<FencedTransport>(plain_transport, elector.fence());
//   Client client(transport);                      // its writes fail unless this process leads
//
// A fence is open while its process leads, and closes no later than the renew deadline after the *start* of the last
// renewal that succeeded. Others wait for the lease's whole duration, which is longer, after they saw that renewal at
// the earliest: so no two fences of one lease are open at a time, however requests hang. What is relied on: clocks
// whose rates differ by less than the ratio of lease duration to renew deadline (1.5 by default), and that nobody edits
// the Lease by hand. A request that the network delivers after its sender gave up cannot be called back.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "keelson/core/cond_var.h"
#include "keelson/core/mutex.h"
#include "keelson/core/result.h"
#include "keelson/core/stop_token.h"
#include "keelson/core/time.h"
#include "keelson/transport/transport.h"

namespace keelson {

// Thread-safe. Opened and closed by a LeaderElector.
class LeadershipFence {
 public:
  explicit LeadershipFence(std::string lease) : lease_(std::move(lease)) {}

  // Whether a write may start now. Looks at a clock that counts the time for which the machine was suspended, so it
  // says no even before anybody noticed.
  bool IsOpen() const;
  // The token that stops when the present term ends; kCancelled when the fence is closed.
  Result<StopToken> Enter() const;

  // A new term, until the deadline.
  StopToken Open(BootTime deadline);
  // The term goes on. False when it has ended: too late, nothing changed.
  bool Extend(BootTime deadline);
  // Ends the term, if there is one. True for the call that ended it.
  bool Close();
  // Waits for the end of the term, and ends it at its deadline. Looks at the clock at least every `interval`, because
  // waits do not count the time of a suspension.
  void Guard(Duration interval, const StopToken& stop);

 private:
  const std::string lease_;

  mutable Mutex mutex_{"leadership fence"};
  CondVar closed_{"leadership fence closed"};
  // Guarded by mutex_.
  bool open_ = false;
  BootTime deadline_{};
  StopSource term_;
};

// Sends only through an open fence, and gives up what is under way when it closes. Reads (GET, HEAD, OPTIONS, thus
// watches too) pass always. Put it next to the transport that sends, below retries, so that each try is checked.
class FencedTransport final : public Transport {
 public:
  FencedTransport(std::shared_ptr<Transport> inner, std::shared_ptr<const LeadershipFence> fence)
      : inner_(std::move(inner)), fence_(std::move(fence)) {}

  // kCancelled when the fence is closed or closes.
  Result<HttpResponse> Send(HttpRequest request, const CallScope& scope) override;
  Result<HttpResponse> SendKept(HttpRequest& request, const CallScope& scope) override;

 private:
  template <class SendInner>
  Result<HttpResponse> Pass(std::string_view method, const CallScope& scope, const SendInner& send) const;

  const std::shared_ptr<Transport> inner_;
  const std::shared_ptr<const LeadershipFence> fence_;
};

}  // namespace keelson
