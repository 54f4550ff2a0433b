// Events of the program's own as requests: something outside of the cluster has changed, and a controller is to look.
//
//   auto reloads = std::make_shared<EventChannel<App>>("reload");
//   builder.WatchesRaw(ChannelSource<Request>::Make(reloads, EnqueueSelf()));
//   reloads->Push(app, stop);                                                      // from any thread
//
// An event is an object, for an enqueuer, or a value of any other type, for a function that adds to the sink:
//
//   auto alarms = std::make_shared<EventChannel<Alarm>>("alarms");
//   ChannelSource<Request>::Make(alarms, [](const Alarm& alarm, RequestSink<Request>& sink) { sink.Add(alarm.app); });
//
// Several controllers may subscribe to one channel; each gets every event. Nothing is lost unnoticed: a channel holds
// up to its capacity for each subscriber, and when one of them is full Push waits and TryPush says so. A source
// subscribes when it is made; until its controller runs, which it may not do in a replica that stands by, nobody takes
// its events.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "keelson/api/object.h"
#include "keelson/codec/unstructured.h"
#include "keelson/runtime/internal/channel_core.h"
#include "keelson/runtime/internal/source_thread.h"
#include "keelson/runtime/predicate.h"
#include "keelson/runtime/source.h"

namespace keelson {

// Thread-safe. Sources of it may outlive it.
template <class T>
class EventChannel {
 public:
  static constexpr size_t kDefaultCapacity = 1024;

  // The name is for logs and causes: "reload". While nobody subscribes, up to `capacity` events wait for the first who
  // does.
  explicit EventChannel(std::string name, size_t capacity = kDefaultCapacity)
      : name_(std::move(name)), core_(std::make_shared<internal::ChannelCore>(capacity)) {}

  // Waits until every subscriber has room. False, and nobody has the event, when stop came first or the channel is
  // closed.
  [[nodiscard]] bool Push(T event, const StopToken& stop) {
    return core_->Push(std::make_shared<const T>(std::move(event)), stop) == Wake::kReady;
  }
  // Does not wait. False, and nobody has the event, when a subscriber has no room or the channel is closed.
  [[nodiscard]] bool TryPush(T event) { return core_->TryPush(std::make_shared<const T>(std::move(event))); }
  // Nothing comes any more; what waits is still delivered.
  void Close() { core_->Close(); }

  const std::string& name() const { return name_; }

 private:
  template <class R>
  friend class ChannelSource;

  const std::string name_;
  const std::shared_ptr<internal::ChannelCore> core_;
};

// As Source. Events are handled one after another on a thread of its own. What the enqueuer throws is logged, and the
// next event comes. Those that it has not taken when it stops are dropped.
template <class R = Request>
class ChannelSource final : public Source<R> {
 public:
  // `enqueue` is an Enqueuer, whose events are of type kGeneric, or a function of the event itself and the sink. The
  // predicate is asked before an Enqueuer.
  template <class T, class Enqueue>
  static std::unique_ptr<ChannelSource> Make(const std::shared_ptr<EventChannel<T>>& channel, Enqueue enqueue,
                                             Predicate predicate = {}) {
    Deliver deliver;
    if constexpr (std::is_invocable_v<Enqueue&, const ObjectEvent&, RequestSink<R>&>) {
      static_assert(ApiObject<T> || std::same_as<T, Unstructured>,
                    "an Enqueuer takes objects: give a function of the event and the sink instead");
      deliver = OfObjects(ModelOf<T>(), std::move(enqueue), std::move(predicate));
    } else {
      static_assert(std::is_invocable_v<Enqueue&, const T&, RequestSink<R>&>,
                    "give an Enqueuer, or a function of the event and the sink");
      deliver = [enqueue = std::move(enqueue)](const Event& event, Cause cause, RequestQueue<R>& queue,
                                               const StopToken& stop) mutable {
        RequestSink<R> sink(queue, std::move(cause), 0, stop);
        enqueue(*static_cast<const T*>(event.get()), sink);
      };
    }
    return std::unique_ptr<ChannelSource>(
        new ChannelSource("channel " + channel->name(), channel->core_, std::move(deliver)));
  }
  ~ChannelSource() override { Stop(); }

  std::string description() const override { return description_; }
  Result<void> Start(RequestQueue<R>& queue, const StopToken& stop) override {
    return thread_.Start(description_, stop, [this, &queue](const StopToken& end) {
      const Cause cause{.type = CauseType::kGeneric, .source = description_};
      while (const Event event = subscription_.Pop(end)) {
        internal::CallGuarded(description_, [&] { deliver_(event, cause, queue, end); });
      }
    });
  }
  void Stop() override {
    thread_.Stop();
    subscription_.End();
  }

 private:
  using Event = internal::ChannelCore::Event;
  using Deliver = std::function<void(const Event& event, Cause cause, RequestQueue<R>& queue, const StopToken& stop)>;

  ChannelSource(std::string description, std::shared_ptr<internal::ChannelCore> core, Deliver deliver)
      : description_(std::move(description)), deliver_(std::move(deliver)), subscription_(std::move(core)) {}

  static Deliver OfObjects(const ObjectModel& model, Enqueuer<R> enqueuer, Predicate predicate) {
    return [&model, enqueuer = std::move(enqueuer), predicate = std::move(predicate)](
               const Event& event, Cause cause, RequestQueue<R>& queue, const StopToken& stop) {
      const ObjectEvent object = ObjectEvent::Generic(model, event);
      if (!predicate(object)) return;
      cause.namespace_ = object.namespace_();
      cause.name = object.name();
      RequestSink<R> sink(queue, std::move(cause), 0, stop);
      enqueuer(object, sink);
    };
  }

  const std::string description_;
  const Deliver deliver_;
  internal::ChannelSubscription subscription_;
  internal::SourceThread thread_;  // last: ends first
};

}  // namespace keelson
