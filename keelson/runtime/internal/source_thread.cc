#include "keelson/runtime/internal/source_thread.h"

#include <exception>
#include <utility>

#include "keelson/core/log.h"

namespace keelson::internal {

Result<void> SourceThread::Start(const std::string& description, const StopToken& stop, Body body) {
  if (started_) return Error::InvalidArgument("the source \"" + description + "\" was started already");
  started_ = true;
  const StopSource end;
  chain_ = std::make_unique<StopCallback<std::function<void()>>>(stop, [end] { end.RequestStop(); });
  thread_ = Thread(description, [end, body = std::move(body)](const StopToken& stop) {
    const StopCallback chain(stop, [&] { end.RequestStop(); });
    body(end.token());
  });
  return {};
}

void SourceThread::Stop() {
  thread_.RequestStop();
  thread_.Join();
  chain_.reset();
}

void CallGuarded(const std::string& description, const std::function<void()>& call) {
  const auto failed = [&](std::string why) {
    Logger("controller").Error(Error::Internal(std::move(why)), "A source of requests threw", "source", description);
  };
  try {
    call();
  } catch (const std::exception& thrown) {
    failed(thrown.what());
  } catch (...) {
    failed("an exception that is no std::exception");
  }
}

}  // namespace keelson::internal
