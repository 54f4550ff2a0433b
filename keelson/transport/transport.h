// How a client reaches a server: a blocking call, however the bytes travel.
//
//   Result<HttpResponse> answer = transport.Send({.target = "/api/v1/pods"}, {.deadline = Clock::Now() + 30s});
//
// Implementations: SocketTransport, which is a DirectTransport (sockets and TLS on the calling thread) or, behind a
// proxy, a CurlTransport; InProcessTransport (a function call into a handler of the same process); and wrappers around
// any of them.
#pragma once

#include "keelson/core/stop_token.h"
#include "keelson/core/time.h"
#include "keelson/transport/http_message.h"

namespace keelson {

// How long a call may take, and who may end it before.
struct CallScope {
  StopToken stop = {};
  TimePoint deadline = TimePoint::max();
};

// Thread-safe.
class Transport {
 public:
  virtual ~Transport() = default;

  // Returns when status and headers are there. An answer of any status is a success here. Errors: kUnavailable
  // (refused, reset, not resolved, TLS; see TransportErrorDetail), kTimeout (deadline), kCancelled (stop).
  virtual Result<HttpResponse> Send(HttpRequest request, const CallScope& scope) = 0;
  // The same for one who may send the request again: when this returns it is as it was. Wrappers that change nothing or
  // add headers, and the transports over sockets, do it without a copy.
  virtual Result<HttpResponse> SendKept(HttpRequest& request, const CallScope& scope) { return Send(request, scope); }
};

// What went wrong below HTTP, for those who treat the cases differently.
enum class TransportFailure { kRefused, kResolve, kTls, kReset, kTimeout, kProtocol, kProxy };

class TransportErrorDetail : public ErrorDetail {
 public:
  TransportErrorDetail(TransportFailure failure, bool sent) : failure_(failure), sent_(sent) {}
  TransportFailure failure() const { return failure_; }
  // Whether the request may have reached the server: if not, it can be repeated without doubt.
  bool sent() const { return sent_; }

 private:
  const TransportFailure failure_;
  const bool sent_;
};

}  // namespace keelson
