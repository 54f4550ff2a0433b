// One protocol spoken on one connection, without its socket: bytes in, requests to the handler, bytes out.
//
// A session runs on the strand of its connection, which reads and writes the socket and keeps the time for it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "keelson/core/time.h"
#include "keelson/transport/handler.h"
#include "keelson/transport/http_server.h"
#include "keelson/transport/internal/exchange.h"
#include "keelson/transport/internal/output_queue.h"

namespace keelson::internal {

// The connection, as its session sees it.
class SessionHost : public ExchangeOwner {
 public:
  virtual const HttpServerOptions& options() const = 0;
  virtual const std::shared_ptr<const Peer>& peer() const = 0;
  virtual HttpHandler& handler() = 0;
  virtual OutputQueue& output() = 0;
  // Expire() is to be called at that time or soon after; the earliest counts.
  virtual void Schedule(TimePoint when) = 0;
  virtual std::weak_ptr<ExchangeOwner> owner() = 0;
};

class HttpSession {
 public:
  virtual ~HttpSession() = default;

  virtual void Receive(std::string_view bytes) = 0;
  // The client sends no more.
  virtual void EndInput() = 0;
  // Something happened in the handler's part of that exchange.
  virtual void AnswerChanged(Exchange& exchange) = 0;
  // Handles the requests that are complete and queues what can be sent, within the bound of the output queue.
  virtual void Advance() = 0;
  // Ends what has taken too long, and schedules the next look.
  virtual void Expire(TimePoint now) = 0;
  // Takes no more requests; done() when those under way are answered.
  virtual void Drain() = 0;
  // The connection is no more. Called before the session's end, always.
  virtual void Abandon() = 0;

  virtual bool wants_input() const = 0;
  // Whatever is queued is the last.
  virtual bool done() const = 0;

  // Nothing is queued beyond this; bodies wait in their exchanges.
  static constexpr size_t kOutputBound = size_t{256} << 10;
};

std::unique_ptr<HttpSession> MakeHttp1Session(SessionHost& host, TimePoint opened);
std::unique_ptr<HttpSession> MakeHttp2Session(SessionHost& host, TimePoint opened);

// Calls the handler with the exchange's writer. The handler's exceptions end that answer only.
void RunHandler(SessionHost& host, ServerRequest request, const std::shared_ptr<Exchange>& exchange,
                std::shared_ptr<const void> alive);

// "/a?b" into its parts; an absolute URL's scheme and host are dropped. False when it is no target of a request.
bool SplitTarget(std::string_view target, std::string_view method, std::string& path, std::string& query);

// "Not Found"; empty for an unknown status.
std::string_view ReasonPhrase(int status);

// The value of a Date header, for the present second.
std::string HttpDate();

// A field's value as it may be sent: without control characters, which could begin another field.
std::string SafeFieldValue(std::string_view value);
bool IsToken(std::string_view name);

// The Content-Length among these, when it is there and a number.
bool FindContentLength(const Headers& headers, uint64_t& length);

}  // namespace keelson::internal
