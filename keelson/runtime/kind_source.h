// A controller's watch of a kind: the objects of an informer become requests.
//
//   auto source = std::make_unique<KindSource<Request>>(
//       std::vector{factory.For<corev1::ConfigMap>().core()}, EnqueueOwner<App>(),
//       KindSourceOptions{.kind = "ConfigMap", .predicate = ResourceVersionChanged()});
//
// Most programs have the builder make them (builder.h). The informers are held from construction on, so that their
// caches fill while a replica stands by; they run as long as whoever made them says. What was there already comes with
// low priority and cause "initial".
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "keelson/cache/shared_informer.h"
#include "keelson/runtime/predicate.h"
#include "keelson/runtime/source.h"

namespace keelson {

struct KindSourceOptions {
  std::string kind = {};  // "ConfigMap": for logs, errors and causes
  Predicate predicate = {};
  // What was there already, and resyncs, come behind what changes.
  bool low_priority_for_unchanged = true;
  // Requests are the objects themselves: a cause need not name them again.
  bool own_kind = false;
  // The enqueuer and the predicate never wait and call no informer, so that the informers' own threads may call them.
  bool brief = false;
};

namespace internal {

// All of a KindSource that does not depend on the type of its requests.
class KindWatch {
 public:
  using Enqueue = std::function<void(const ObjectEvent& event, Cause cause, int32_t priority)>;

  KindWatch(std::vector<std::shared_ptr<SharedInformer>> informers, KindSourceOptions options);

  Result<void> Start(Enqueue enqueue, const StopToken& stop);
  [[nodiscard]] Wake WaitForSync(const StopToken& stop, TimePoint deadline) const;
  std::optional<Error> last_error() const;
  void Stop();
  const std::string& kind() const { return options_.kind; }
  // Stops with the token of Start, or with Stop.
  const StopToken& stop() const { return stop_token_; }

 private:
  void Handle(const SharedInformer& informer, const Delta& delta) const;
  Cause CauseOf(const ObjectEvent& event) const;

  // Constant after construction.
  const std::vector<std::shared_ptr<SharedInformer>> informers_;
  const KindSourceOptions options_;
  const String kind_;  // that of the options, to be shared by all causes
  const StopSource stop_;
  const StopToken stop_token_ = stop_.token();

  Enqueue enqueue_;  // constant while there are registrations
  std::unique_ptr<StopCallback<std::function<void()>>> chain_;
  std::vector<HandlerRegistration> registrations_;
};

}  // namespace internal

// As Source. The enqueuer and the predicate run on a thread for each informer, or on the informer's own. What they
// throw is logged, and the next event comes.
template <class R = Request>
class KindSource final : public Source<R> {
 public:
  // One informer for each namespace that is watched, or one for all.
  KindSource(std::vector<std::shared_ptr<SharedInformer>> informers, Enqueuer<R> enqueuer, KindSourceOptions options)
      : enqueuer_(std::move(enqueuer)), watch_(std::move(informers), std::move(options)) {}

  std::string description() const override { return watch_.kind(); }
  Result<void> Start(RequestQueue<R>& queue, const StopToken& stop) override {
    const auto enqueue = [this, &queue](const ObjectEvent& event, Cause cause, int32_t priority) {
      RequestSink<R> sink(queue, std::move(cause), priority, watch_.stop());
      enqueuer_(event, sink);
    };
    return watch_.Start(enqueue, stop);
  }
  Wake WaitForSync(const StopToken& stop, TimePoint deadline) override { return watch_.WaitForSync(stop, deadline); }
  std::optional<Error> last_error() const override { return watch_.last_error(); }
  void Stop() override { watch_.Stop(); }

 private:
  const Enqueuer<R> enqueuer_;
  internal::KindWatch watch_;  // last: ends first
};

}  // namespace keelson
