// What became of events, for Prometheus: event_recorder_events_total by "outcome".
//
//   KEELSON_TRY(metrics, EventMetrics::Create(registry));
//   EventBroadcaster events({.client = client, .metrics = metrics});
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "keelson/core/metrics.h"
#include "keelson/core/result.h"

namespace keelson {

// The first counts occurrences as they are told, the second writes to the server (one may stand for many occurrences).
// The others say why something was not written.
enum class EventOutcome : uint8_t {
  kRecorded,
  kWritten,
  kRateLimited,  // too many about one object; a later write has them in its count
  kQueueFull,    // an occurrence was dropped
  kStopped,      // the broadcaster has been stopped, or its deadline ended a write
  kRefused,      // by the server, for good: the event is invalid, the namespace ends, no permission
  kGaveUp,       // the server was not to be reached, twelve times
  kNoReference,  // the object does not say its kind
};
inline constexpr size_t kEventOutcomes = 8;

// "rate_limited"
std::string_view ToString(EventOutcome outcome);

// Default-constructed ones go nowhere. Must not be used after the registry.
struct EventMetrics {
  // kAlreadyExists when the registry has the name with other labels.
  static Result<EventMetrics> Create(MetricRegistry& registry);

  std::array<Counter, kEventOutcomes> outcomes = {};
};

}  // namespace keelson
