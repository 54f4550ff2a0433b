// Events: what a controller tells people about an object, as `kubectl describe` shows it.
//
//   EventBroadcaster events({.client = client});
//   EventRecorder recorder = events.RecorderFor("count-controller");
//   recorder.Event(count, EventType::kNormal, "Synced", "Count synced successfully");
//   recorder.Eventf(count, EventType::kWarning, "Failed", "cannot reach {}: {}", url, error.message());
//
// To record never waits: events go to a bounded queue and from there, by one thread, to the API server, the log and a
// function of one's own. What does not fit in the queue is dropped and counted. Events that are alike are one object
// with a count or series; there are limits for each object (event_correlator.h, event_series.h). A write that fails for
// a passing reason is tried twelve times; meanwhile the others wait in their order.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "keelson/api/map.h"
#include "keelson/api/string.h"
#include "keelson/client/client.h"
#include "keelson/core/result.h"
#include "keelson/core/thread.h"
#include "keelson/core/time.h"
#include "keelson/runtime/event_correlator.h"
#include "keelson/runtime/event_metrics.h"
#include "keelson/runtime/event_record.h"
#include "keelson/runtime/event_series.h"
#include "keelson/runtime/object_reference.h"

// So that fields of objects can be formatted.
template <>
struct fmt::formatter<keelson::String> : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(const keelson::String& text, Context& context) const {
    return fmt::formatter<std::string_view>::format(text.view(), context);
  }
};

namespace keelson {

struct EventBroadcasterOptions {
  // Of the API server to write to; it needs create and patch on events. Nothing: no server.
  std::optional<Client> client = {};
  // Events appear in the log from this -v on.
  int log_verbosity = 1;
  // Gets every occurrence, in order, on the broadcaster's thread. One that takes long delays the others; one that
  // throws is logged.
  std::function<void(const EventRecord&)> sink = {};
  // Occurrences and writes that may wait.
  size_t capacity = 1000;
  // How long destruction waits for what is not written yet, where Stop was not called.
  Duration drain = std::chrono::seconds(5);
  int max_tries = 12;
  Duration retry_delay = std::chrono::seconds(10);
  Duration request_timeout = std::chrono::seconds(10);
  EventCorrelatorOptions correlator = {};
  EventSeriesOptions series = {};
  EventMetrics metrics = {};
};

struct EventRecorderOptions {
  EventApi api = EventApi::kCore;
  // Which process of the controller tells it. Empty: nothing in core/v1, controller and host name in events.k8s.io.
  std::string instance = {};
};

// What an event may say beside its four main parts.
struct EventDetails {
  Map<String> annotations = {};
  // events.k8s.io only. The action is what the controller did or tried ("Scale"); the reason where none is given.
  Optional<corev1::ObjectReference> related = {};
  std::string action = {};
};

namespace internal {
class EventQueue;
}

// Tells events in the name of one controller. A handle, cheap to copy, thread-safe; after the end of its broadcaster
// what it is told is counted as dropped.
class EventRecorder {
 public:
  // The object is a typed or Unstructured one, or a reference (object_reference.h). The reason is one word in
  // CamelCase, for programs; the message is a sentence, for people.
  template <ReferableObject T>
  void Event(const T& object, EventType type, std::string_view reason, std::string_view message,
             EventDetails details = {}) const {
    Record(ReferenceTo(object), type, reason, message, std::move(details));
  }
  template <ReferableObject T, class... Arguments>
  void Eventf(const T& object, EventType type, std::string_view reason, fmt::format_string<Arguments...> format,
              Arguments&&... arguments) const {
    Record(ReferenceTo(object), type, reason, fmt::format(format, std::forward<Arguments>(arguments)...), {});
  }

 private:
  friend class EventBroadcaster;
  EventRecorder(std::shared_ptr<internal::EventQueue> queue, std::string_view controller,
                const EventRecorderOptions& options);
  void Record(corev1::ObjectReference object, EventType type, std::string_view reason, std::string_view message,
              EventDetails details) const;

  std::shared_ptr<internal::EventQueue> queue_;
  EventApi api_;
  String controller_;
  String instance_;
};

// The way of a program's events to the server. Thread-safe but for Stop and destruction.
class EventBroadcaster {
 public:
  explicit EventBroadcaster(EventBroadcasterOptions options);
  // Stop(options.drain)
  ~EventBroadcaster();
  EventBroadcaster(const EventBroadcaster&) = delete;
  EventBroadcaster& operator=(const EventBroadcaster&) = delete;

  EventRecorder RecorderFor(std::string_view controller, const EventRecorderOptions& options = {}) const;

  // Takes no more events and writes those that were taken, counts of series too; failed writes are tried again every
  // second, however often. kTimeout when some are not written in time: how many, and kStopped counts them. Later calls
  // give the same.
  Result<void> Stop(Duration patience);

  uint64_t count(EventOutcome outcome) const;

 private:
  class Loop;

  const EventBroadcasterOptions options_;
  const std::shared_ptr<internal::EventQueue> queue_;
  std::optional<Result<void>> stopped_;
  Thread thread_;  // declared last: ends first
};

}  // namespace keelson
