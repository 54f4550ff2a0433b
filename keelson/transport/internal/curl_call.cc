#include "keelson/transport/internal/curl_call.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>
#include <utility>

namespace keelson::internal {

namespace {

class CurlBody final : public BodyStream {
 public:
  CurlBody(std::shared_ptr<CurlCall> call, std::shared_ptr<CurlInbox> inbox, CallScope scope)
      : call_(std::move(call)), inbox_(std::move(inbox)), scope_(std::move(scope)) {}

  ~CurlBody() override { Abandon(); }

  Result<std::string_view> Next() override {
    if (error_) return *error_;
    if (scope_.stop.StopRequested()) return Fail(ScopeEnded(scope_, inbox_->server(), true));
    bool resume = false;
    {
      MutexLock lock(call_->mutex);
      const Wake wake = call_->changed.WaitUntil(lock, scope_.deadline, scope_.stop,
                                                 [&] { return !call_->incoming.empty() || call_->ended; });
      if (wake != Wake::kReady) {
        lock.Unlock();
        return Fail(ScopeEnded(scope_, inbox_->server(), true));
      }
      current_.clear();
      std::swap(current_, call_->incoming);
      if (current_.empty()) {
        if (!call_->error) return std::string_view();
        return *(error_ = call_->error);
      }
      resume = std::exchange(call_->paused, false);
    }
    if (resume) inbox_->Post({.kind = CurlCommand::Kind::kResume, .call = call_});
    return std::string_view(current_);
  }

 private:
  Error Fail(Error error) {
    Abandon();
    error_ = error;
    return error;
  }

  void Abandon() {
    {
      MutexLock lock(call_->mutex);
      if (call_->ended) return;
    }
    inbox_->Post({.kind = CurlCommand::Kind::kCancel, .call = call_});
  }

  const std::shared_ptr<CurlCall> call_;
  const std::shared_ptr<CurlInbox> inbox_;
  const CallScope scope_;
  std::string current_;  // what Next gave last
  std::optional<Error> error_;
};

}  // namespace

CurlInbox::CurlInbox(std::string server)
    : server_(std::move(server)), wake_fd_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}

CurlInbox::~CurlInbox() {
  if (wake_fd_ >= 0) close(wake_fd_);
}

void CurlInbox::Wake() const {
  const uint64_t one = 1;
  // The counter cannot be full, and a wake-up that is there already does as well.
  if (write(wake_fd_, &one, sizeof one) < 0) return;
}

bool CurlInbox::Post(CurlCommand command) {
  {
    MutexLock lock(mutex_);
    if (closed_) return false;
    commands_.push_back(std::move(command));
    if (std::exchange(awake_, true)) return true;
  }
  Wake();
  return true;
}

bool CurlInbox::Take(std::vector<CurlCommand>& commands) {
  MutexLock lock(mutex_);
  awake_ = false;
  commands.swap(commands_);
  return !closed_;
}

void CurlInbox::Close() {
  {
    MutexLock lock(mutex_);
    closed_ = true;
  }
  Wake();
}

Error ScopeEnded(const CallScope& scope, const std::string& server, bool sent) {
  if (scope.stop.StopRequested()) return Error::Cancelled("the request to " + server + " was cancelled");
  return Error(ErrorCode::kTimeout, "no answer from " + server + " within the request's deadline")
      .WithDetail(std::make_shared<TransportErrorDetail>(TransportFailure::kTimeout, sent));
}

Result<HttpResponse> AwaitAnswer(std::shared_ptr<CurlCall> call, std::shared_ptr<CurlInbox> inbox,
                                 const CallScope& scope) {
  HttpResponse response;
  {
    MutexLock lock(call->mutex);
    const Wake wake =
        call->changed.WaitUntil(lock, scope.deadline, scope.stop, [&] { return call->answered || call->ended; });
    if (wake != Wake::kReady) {
      lock.Unlock();
      inbox->Post({.kind = CurlCommand::Kind::kCancel, .call = call});
      return ScopeEnded(scope, inbox->server(), call->sent.load());
    }
    if (!call->answered) return *call->error;
    response.status = call->status;
    response.headers = std::move(call->headers);
  }
  response.body = std::make_unique<CurlBody>(std::move(call), std::move(inbox), scope);
  return response;
}

}  // namespace keelson::internal
