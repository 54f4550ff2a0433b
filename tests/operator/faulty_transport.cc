#include "faulty_transport.h"

namespace mirror {

using namespace keelson;

// The body of a watch that breaks off.
class FaultyTransport::BreakingStream final : public BodyStream {
 public:
  BreakingStream(FaultyTransport& transport, std::unique_ptr<BodyStream> inner)
      : transport_(transport), inner_(std::move(inner)) {}

  Result<std::string_view> Next() override {
    if (broken_ || transport_.Happens(&Faults::cut_watch)) {
      broken_ = true;
      return Error(ErrorCode::kUnavailable, "the connection broke");
    }
    return inner_->Next();
  }

 private:
  FaultyTransport& transport_;
  const std::unique_ptr<BodyStream> inner_;
  bool broken_ = false;
};

bool FaultyTransport::Happens(double Faults::* fault) {
  MutexLock lock(mutex_);
  return faults_.*fault > 0 && random_.Chance(faults_.*fault);
}

void FaultyTransport::Delay(const CallScope& scope) {
  Duration delay;
  {
    MutexLock lock(mutex_);
    delay = Duration(random_.Uniform<int64_t>(0, faults_.latency.count()));
  }
  if (delay > Duration::zero()) (void)SleepFor(delay, scope.stop);
}

Result<HttpResponse> FaultyTransport::Send(HttpRequest request, const CallScope& scope) {
  const bool reads = request.method == "GET";
  const bool counts = !reads && request.target.find("/leases") == std::string::npos;
  if (Happens(&Faults::refuse)) return Error(ErrorCode::kUnavailable, "connection refused");
  if (Happens(&Faults::throttle)) {
    return HttpResponse{.status = 429, .headers = {{"Retry-After", "1"}}, .body = StreamOf("slow down")};
  }
  Delay(scope);
  const bool streaming = request.streaming;
  Result<HttpResponse> answer = inner_->Send(std::move(request), scope);
  if (counts && answer && answer->status < 300) ++writes_;
  Delay(scope);
  if (Happens(&Faults::lose_answer)) return Error(ErrorCode::kUnavailable, "the connection broke");
  if (answer && streaming) answer->body = std::make_unique<BreakingStream>(*this, std::move(answer->body));
  return answer;
}

}  // namespace mirror
