// A source of requests by two functions, for what no other source does.
//
//   FunctionSource<Request>::Make("queue of jobs", {
//       .start = [&](RequestQueue<Request>& queue, const StopToken&) { return jobs.Subscribe(queue); },
//       .stop = [&] { jobs.Unsubscribe(); }})
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "keelson/runtime/source.h"

namespace keelson {

template <class R>
struct SourceFunctions {
  // From now on requests go to the queue. Does not wait.
  std::function<Result<void>(RequestQueue<R>& queue, const StopToken& stop)> start = {};
  // Nothing goes to the queue when it has returned. Called once where start has succeeded.
  std::function<void()> stop = {};
  // Waits until all that was there at the start is in the queue. Without it: at once.
  std::function<Wake(const StopToken& stop, TimePoint deadline)> wait_for_sync = {};
};

// As Source.
template <class R = Request>
class FunctionSource final : public Source<R> {
 public:
  static std::unique_ptr<FunctionSource> Make(std::string name, SourceFunctions<R> functions) {
    return std::unique_ptr<FunctionSource>(new FunctionSource(std::move(name), std::move(functions)));
  }
  ~FunctionSource() override { Stop(); }

  std::string description() const override { return name_; }
  Result<void> Start(RequestQueue<R>& queue, const StopToken& stop) override {
    if (functions_.start) KEELSON_RETURN_IF_ERROR(functions_.start(queue, stop));
    started_ = true;
    return {};
  }
  Wake WaitForSync(const StopToken& stop, TimePoint deadline) override {
    return functions_.wait_for_sync ? functions_.wait_for_sync(stop, deadline) : Source<R>::WaitForSync(stop, deadline);
  }
  void Stop() override {
    if (std::exchange(started_, false) && functions_.stop) functions_.stop();
  }

 private:
  FunctionSource(std::string name, SourceFunctions<R> functions)
      : name_(std::move(name)), functions_(std::move(functions)) {}

  const std::string name_;
  const SourceFunctions<R> functions_;
  bool started_ = false;
};

}  // namespace keelson
