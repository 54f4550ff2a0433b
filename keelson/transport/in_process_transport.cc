#include "keelson/transport/in_process_transport.h"

#include <deque>
#include <optional>
#include <utility>

#include "keelson/core/cond_var.h"
#include "keelson/core/mutex.h"

namespace keelson {

namespace {

// What the handler wrote and the reader has not taken.
struct Pipe {
  Mutex mutex;
  CondVar changed;
  // Guarded by mutex.
  std::optional<int> status;
  Headers headers;
  std::deque<String> chunks;
  std::unique_ptr<BodySource> source;  // of what follows the chunks
  size_t pending = 0;
  bool finished = false;  // the handler is done
  bool broken = false;    // the handler dropped the writer before the end
  bool reader_gone = false;
  std::function<void()> drained;
  std::function<void()> closed;
};

class PipeWriter final : public ResponseWriter {
 public:
  explicit PipeWriter(std::shared_ptr<Pipe> pipe) : pipe_(std::move(pipe)) {}
  ~PipeWriter() override {
    std::function<void()> drained, closed;  // destroyed behind the lock: they may own much
    MutexLock lock(pipe_->mutex);
    drained = std::move(pipe_->drained);
    closed = std::move(pipe_->closed);
    pipe_->drained = pipe_->closed = nullptr;
    if (!pipe_->finished) pipe_->broken = true;
    pipe_->changed.NotifyAll();
  }

  void Start(int status, Headers headers) override {
    MutexLock lock(pipe_->mutex);
    if (pipe_->status) return;
    pipe_->status = status;
    pipe_->headers = std::move(headers);
    pipe_->changed.NotifyAll();
  }

  bool Write(String bytes) override {
    MutexLock lock(pipe_->mutex);
    if (pipe_->reader_gone) return false;
    if (bytes.empty() || pipe_->finished) return true;
    pipe_->pending += bytes.size();
    pipe_->chunks.push_back(std::move(bytes));
    pipe_->changed.NotifyAll();
    return true;
  }

  bool WriteFrom(std::unique_ptr<BodySource> body) override {
    MutexLock lock(pipe_->mutex);
    if (pipe_->reader_gone) return false;
    if (body->size() == 0 || pipe_->finished || pipe_->source != nullptr) return true;
    pipe_->pending += body->size();
    pipe_->source = std::move(body);
    pipe_->changed.NotifyAll();
    return true;
  }

  void Finish() override {
    MutexLock lock(pipe_->mutex);
    // Without a status there is no answer, and none can come any more.
    if (!pipe_->status) {
      pipe_->broken = true;
    } else {
      pipe_->finished = true;
    }
    pipe_->changed.NotifyAll();
  }

  size_t pending() const override {
    MutexLock lock(pipe_->mutex);
    return pipe_->pending;
  }

  void OnEvents(std::function<void()> drained, std::function<void()> closed) override {
    {
      MutexLock lock(pipe_->mutex);
      if (!pipe_->reader_gone) {
        pipe_->drained = std::move(drained);
        pipe_->closed = std::move(closed);
        return;
      }
    }
    if (closed) closed();
  }

 private:
  const std::shared_ptr<Pipe> pipe_;
};

Error Ended(const CallScope& scope) {
  if (scope.stop.StopRequested()) return Error::Cancelled("the request was cancelled");
  return Error(ErrorCode::kTimeout, "no answer within the request's deadline");
}

class PipeBody final : public BodyStream {
 public:
  PipeBody(std::shared_ptr<Pipe> pipe, CallScope scope) : pipe_(std::move(pipe)), scope_(std::move(scope)) {}
  ~PipeBody() override {
    std::function<void()> closed;
    std::unique_ptr<BodySource> source;  // destroyed behind the lock
    {
      MutexLock lock(pipe_->mutex);
      pipe_->reader_gone = true;
      pipe_->chunks.clear();
      source = std::move(pipe_->source);
      pipe_->pending = 0;
      if (!pipe_->finished) closed = pipe_->closed;
    }
    if (closed) closed();
  }

  Result<std::string_view> Next() override {
    if (source_ != nullptr) return NextOfSource();
    std::function<void()> drained;
    {
      MutexLock lock(pipe_->mutex);
      const Wake wake = pipe_->changed.WaitUntil(lock, scope_.deadline, scope_.stop, [&] {
        return !pipe_->chunks.empty() || pipe_->source != nullptr || pipe_->finished || pipe_->broken;
      });
      if (wake != Wake::kReady) return Ended(scope_);
      if (pipe_->chunks.empty() && pipe_->source != nullptr) {
        source_ = std::move(pipe_->source);
        lock.Unlock();
        return NextOfSource();
      }
      if (pipe_->chunks.empty()) {
        if (pipe_->finished) return std::string_view();
        return Error(ErrorCode::kUnavailable, "the server ended the answer before its end")
            .WithDetail(std::make_shared<TransportErrorDetail>(TransportFailure::kReset, true));
      }
      current_ = std::move(pipe_->chunks.front());
      pipe_->chunks.pop_front();
      pipe_->pending -= current_.size();
      if (pipe_->pending == 0 && !pipe_->finished) drained = pipe_->drained;
    }
    if (drained) drained();
    return std::string_view(current_);
  }

 private:
  static constexpr size_t kPart = 256 << 10;

  Result<std::string_view> NextOfSource() {
    if (scope_.stop.StopRequested()) return Ended(scope_);
    part_.clear();
    source_->Read(kPart, part_);
    if (source_->size() == 0) source_ = nullptr;
    MutexLock lock(pipe_->mutex);
    pipe_->pending -= part_.size();
    return std::string_view(part_);
  }

  const std::shared_ptr<Pipe> pipe_;
  const CallScope scope_;
  String current_;
  std::unique_ptr<BodySource> source_;  // of the rest, once it has begun
  std::string part_;
};

}  // namespace

Result<HttpResponse> InProcessTransport::Send(HttpRequest request, const CallScope& scope) {
  if (scope.stop.StopRequested()) return Ended(scope);
  auto pipe = std::make_shared<Pipe>();
  auto body = std::make_unique<PipeBody>(pipe, scope);  // marks the reader gone however we leave

  const size_t question = request.target.find('?');
  ServerRequest served{.method = std::move(request.method),
                       .path = request.target.substr(0, question),
                       .query = question == std::string::npos ? std::string() : request.target.substr(question + 1),
                       .headers = std::move(request.headers),
                       .body = std::move(request.body),
                       .peer = peer_};
  handler_.Handle(std::move(served), std::make_shared<PipeWriter>(pipe));

  HttpResponse response;
  {
    MutexLock lock(pipe->mutex);
    const Wake wake = pipe->changed.WaitUntil(lock, scope.deadline, scope.stop,
                                              [&] { return pipe->status.has_value() || pipe->broken; });
    if (wake != Wake::kReady) return Ended(scope);
    if (!pipe->status) {
      return Error(ErrorCode::kUnavailable, "the server gave no answer")
          .WithDetail(std::make_shared<TransportErrorDetail>(TransportFailure::kReset, true));
    }
    response.status = *pipe->status;
    response.headers = std::move(pipe->headers);
  }
  response.body = std::move(body);
  return response;
}

}  // namespace keelson
