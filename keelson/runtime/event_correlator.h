// Folds events that are alike, by the rules that client-go has for events of core/v1. No I/O, no clock.
//
//   EventCorrelator correlator({});
//   if (std::optional<CorrelatedEvent> event = correlator.Correlate(record)) Write(*event);
//
// 1. Similar ones (all but the message equal): the tenth message within ten minutes and those after it become one
//    event, "(combined from similar events): " and the latest message.
// 2. Equal ones become one event with a count.
// 3. What a controller says about one object is limited: 25 writes at once, then one more every five minutes.
//    Occurrences above that are counted and appear in the count when something is written again.
//
// Each rule remembers 4,096 events, objects or groups, those used last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "keelson/api/core/v1.h"
#include "keelson/core/time.h"
#include "keelson/runtime/event_record.h"
#include "keelson/runtime/internal/lru_map.h"

namespace keelson {

struct EventCorrelatorOptions {
  // Messages that differ, within so long of one another, until they are combined.
  size_t similar_messages = 10;
  Duration similar_interval = std::chrono::minutes(10);
  // Writes about one object, and how long until there may be one more.
  size_t burst = 25;
  Duration refill = std::chrono::minutes(5);
  size_t remembered = 4096;
};

// Not thread-safe. A bucket of tokens for each controller, object and type of event.
class EventRateLimit {
 public:
  explicit EventRateLimit(const EventCorrelatorOptions& options);

  // Takes a token, if there is one. `record.at` does not go back.
  bool Allow(const EventRecord& record);

 private:
  struct Bucket {
    Duration saved{};  // a token is `refill_` of it
    TimePoint at{};
  };

  const Duration refill_;
  const Duration full_;
  internal::LruMap<Bucket> buckets_;
};

struct CorrelatedEvent {
  std::string key = {};  // equal for what is one object on the server
  corev1::Event event = {};
  bool exists = false;  // it has been given out before, with a smaller count
};

// Not thread-safe.
class EventCorrelator {
 public:
  explicit EventCorrelator(const EventCorrelatorOptions& options);

  // Nothing when the limit forbids a write.
  std::optional<CorrelatedEvent> Correlate(const EventRecord& record);

 private:
  struct Group {
    std::set<String> messages;
    TimePoint at{};
  };
  struct Seen {
    int32_t count = 0;
    metav1::Time first = {};
    String name = {};
  };

  const EventCorrelatorOptions options_;
  internal::LruMap<Group> groups_;
  internal::LruMap<Seen> seen_;
  EventRateLimit limit_;
};

namespace internal {
// "web.17a4c5e0b8d3f200": the object's name and the time in hexadecimal nanoseconds. A UUID where that is no name that
// an event can have.
std::string EventName(std::string_view object, WallTime time);
// That of the object; "default" for one that has none.
String EventNamespace(const corev1::ObjectReference& object);
// The parts joined so that different parts give different keys.
std::string JoinKey(std::initializer_list<std::string_view> parts);
}  // namespace internal
}  // namespace keelson
