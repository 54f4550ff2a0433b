// A request on its way through a CurlTransport: what the thread that waits for it and the thread that runs the
// transfers share. The first may give up at any time, the second may end first.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "keelson/core/cond_var.h"
#include "keelson/core/mutex.h"
#include "keelson/transport/transport.h"

namespace keelson::internal {

class CurlTransfer;

struct CurlCall {
  explicit CurlCall(HttpRequest request) : request(std::move(request)) {}

  const HttpRequest request;
  std::atomic<bool> sent = false;  // the request may have reached the server

  // Of the thread that runs transfers.
  CurlTransfer* transfer = nullptr;  // while one runs
  bool touched = false;              // its waiter is to be woken at the end of this round

  Mutex mutex;
  CondVar changed;
  // Guarded by mutex.
  int status = 0;
  Headers headers;
  bool answered = false;  // status and headers are whole
  std::string incoming;   // of the body, not taken yet
  bool paused = false;    // because too much of it was not taken
  bool ended = false;     // nothing more comes; with an error, or whole
  std::optional<Error> error;
};

struct CurlCommand {
  enum class Kind : uint8_t { kStart, kResume, kCancel, kRenewConnections };
  Kind kind;
  std::shared_ptr<CurlCall> call = {};
};

// What the thread that runs transfers is asked to do. Thread-safe; outlives that thread with those who hold it.
class CurlInbox {
 public:
  // `server` is for messages.
  explicit CurlInbox(std::string server);
  ~CurlInbox();
  CurlInbox(const CurlInbox&) = delete;
  CurlInbox& operator=(const CurlInbox&) = delete;

  const std::string& server() const { return server_; }
  // Readable (edge by edge) when there is something to take.
  int wake_fd() const { return wake_fd_; }

  // False once closed.
  bool Post(CurlCommand command);
  // Exchanges `commands`, which is empty, for those posted. False once closed; then none come any more.
  bool Take(std::vector<CurlCommand>& commands);
  void Close();

 private:
  void Wake() const;

  const std::string server_;
  const int wake_fd_;
  Mutex mutex_{"curl inbox"};
  // Guarded by mutex_.
  std::vector<CurlCommand> commands_;
  bool awake_ = false;  // the taker has been woken and has not looked yet
  bool closed_ = false;
};

// Waits for the answer of a call that was posted; when the scope ends first, cancels it.
Result<HttpResponse> AwaitAnswer(std::shared_ptr<CurlCall> call, std::shared_ptr<CurlInbox> inbox,
                                 const CallScope& scope);

// The scope is at its end: cancelled or too late.
Error ScopeEnded(const CallScope& scope, const std::string& server, bool sent);

}  // namespace keelson::internal
