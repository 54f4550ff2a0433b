#include "keelson/runtime/internal/event_writer.h"

#include <algorithm>
#include <utility>

#include "keelson/api/status_error.h"
#include "keelson/client/patch.h"
#include "keelson/core/clock.h"

namespace keelson::internal {

namespace {

using namespace std::chrono_literals;

constexpr Duration kDrainPause = 1s;
constexpr Duration kMaxRetryAfter = 60s;

const metav1::ObjectMeta& MetadataOf(const std::variant<corev1::Event, eventsv1::Event>& object) {
  return std::visit([](const auto& event) -> const metav1::ObjectMeta& { return event.metadata; }, object);
}

bool OccurredAgain(const corev1::Event& event) { return event.count > 1; }
bool OccurredAgain(const eventsv1::Event& event) { return event.series.has_value(); }

// What changes when an event occurs again.
Patch PatchOf(const corev1::Event& event) {
  return Patch::Strategic(Json::Object({{"count", int64_t{event.count}},
                                        {"lastTimestamp", event.lastTimestamp.ToString()},
                                        {"message", event.message}}));
}
Patch PatchOf(const eventsv1::Event& event) {
  const eventsv1::EventSeries series = event.series ? *event.series : eventsv1::EventSeries{};
  return Patch::Strategic(Json::Object(
      {{"series",
        Json::Object({{"count", int64_t{series.count}}, {"lastObservedTime", series.lastObservedTime.ToString()}})}}));
}

}  // namespace

EventWriter::EventWriter(Client client, const EventWriterOptions& options, EventTally& tally)
    : client_(std::move(client)),
      options_(options),
      tally_(tally),
      correlator_(options.correlator),
      series_(options.correlator, options.series, Clock::Now()),
      random_(Random::FromEntropy()) {}

void EventWriter::Add(const EventRecord& record) {
  if (record.api == EventApi::kCore) {
    std::optional<CorrelatedEvent> event = correlator_.Correlate(record);
    if (!event) return tally_.Count(EventOutcome::kRateLimited);
    return Enqueue("v1/" + event->key, std::move(event->event), event->exists);
  }
  std::vector<SeriesEvent> displaced;
  std::optional<EventSeriesTable::Observed> observed = series_.Observe(record, displaced);
  Enqueue(std::move(displaced));
  if (!observed) return tally_.Count(EventOutcome::kRateLimited);
  if (!observed->write) {
    if (!by_key_.contains(observed->event.key)) return;
    series_.MarkWritten(observed->event.key);
  }
  Enqueue(observed->event.key, std::move(observed->event.event), observed->event.exists);
}

void EventWriter::Enqueue(std::string key, Object object, bool exists) {
  const auto found = by_key_.find(key);
  if (found != by_key_.end() && MetadataOf(found->second->object).name == MetadataOf(object).name) {
    found->second->object = std::move(object);
    return;
  }
  writes_.push_back({.key = key, .object = std::move(object), .exists = exists});
  by_key_.insert_or_assign(std::move(key), std::prev(writes_.end()));
}

void EventWriter::Enqueue(std::vector<SeriesEvent> events) {
  for (SeriesEvent& event : events) Enqueue(std::move(event.key), std::move(event.event), event.exists);
}

void EventWriter::BeginDrain() {
  draining_ = true;
  next_try_ = {};
  Enqueue(series_.Flush());
}

TimePoint EventWriter::next_due() const {
  return std::min(series_.next_tick(), writes_.empty() ? TimePoint::max() : next_try_);
}

void EventWriter::Work(TimePoint now, const StopToken& stop) {
  if (now >= series_.next_tick()) Enqueue(series_.Tick(now));
  if (writes_.empty() || now < next_try_ || stop.StopRequested()) return;
  Write& write = writes_.front();
  const Result<void> sent = Send(write, {.stop = stop, .deadline = now + options_.request_timeout});
  if (sent) {
    tally_.Count(EventOutcome::kWritten);
    return Finish();
  }
  const metav1::ObjectMeta& metadata = MetadataOf(write.object);
  if (!IsPassing(sent.error())) {
    // Others may have ended the object's namespace, or written the same a moment ago.
    if (IsAlreadyExists(sent.error()) || HasStatusCause(sent.error(), "NamespaceTerminating")) {
      log_.V(5).Info("The server refused an event", "namespace", metadata.namespace_.view(), "name",
                     metadata.name.view(), "reason", sent.error().message());
    } else {
      log_.Error(sent.error(), "The server refused an event; it is not tried again", "namespace",
                 metadata.namespace_.view(), "name", metadata.name.view());
    }
    tally_.Count(EventOutcome::kRefused);
    return Finish();
  }
  if (stop.StopRequested()) return;  // it stays in waiting()
  // At the end the deadline decides, not the number of tries.
  if (++write.tries >= options_.max_tries && !draining_) {
    log_.Error(sent.error(), "An event could not be written; it is given up", "namespace", metadata.namespace_.view(),
               "name", metadata.name.view(), "tries", write.tries);
    tally_.Count(EventOutcome::kGaveUp);
    return Finish();
  }
  const Duration pause = PauseAfter(sent.error(), write.tries);
  log_.V(2).Info("An event could not be written; it will be tried again", "namespace", metadata.namespace_.view(),
                 "name", metadata.name.view(), "after", pause, "reason", sent.error().message());
  next_try_ = Clock::Now() + pause;
}

Result<void> EventWriter::Send(Write& write, const CallScope& scope) {
  return std::visit(
      [&](const auto& event) -> Result<void> {
        using Event = std::remove_cvref_t<decltype(event)>;
        const auto patch = [&]() -> Result<void> {
          const Result<Event> patched =
              client_.Patch<Event>(KeyOf(event), PatchOf(event), PatchOptions{.scope = scope});
          if (!patched) return patched.error();
          return {};
        };
        if (write.exists) {
          const Result<void> patched = patch();
          if (patched || !IsNotFound(patched.error())) return patched;
          write.exists = false;  // it has expired or was deleted: made again, with the whole count
        }
        const Result<Event> created = client_.Create(event, {.scope = scope});
        if (created) return {};
        // An earlier try arrived, and only its answer was lost.
        if (IsAlreadyExists(created.error()) && write.tries > 0) {
          write.exists = true;
          return OccurredAgain(event) ? patch() : Result<void>();
        }
        return created.error();
      },
      write.object);
}

void EventWriter::Finish() {
  const auto found = by_key_.find(writes_.front().key);
  if (found != by_key_.end() && found->second == writes_.begin()) by_key_.erase(found);
  writes_.pop_front();
  next_try_ = {};
}

bool EventWriter::IsPassing(const Error& error) {
  switch (error.code()) {
    case ErrorCode::kTooManyRequests:
    case ErrorCode::kTimeout:
    case ErrorCode::kUnavailable:
    case ErrorCode::kConflict:
    case ErrorCode::kUnauthorized:  // until credentials have been renewed
    case ErrorCode::kCancelled:
    case ErrorCode::kInternal: return true;
    default: return false;
  }
}

Duration EventWriter::PauseAfter(const Error& error, int tries) {
  Duration pause = options_.retry_delay;
  if (tries == 1) {
    pause = std::chrono::duration_cast<Duration>(pause * random_.UniformReal());
  }
  if (const std::optional<Duration> asked = RetryAfter(error))
    pause = std::max(pause, std::min(*asked, kMaxRetryAfter));
  return draining_ ? std::min(pause, kDrainPause) : pause;
}

}  // namespace keelson::internal
