#include "keelson/runtime/event_metrics.h"

namespace keelson {

std::string_view ToString(EventOutcome outcome) {
  switch (outcome) {
    case EventOutcome::kRecorded: return "recorded";
    case EventOutcome::kWritten: return "written";
    case EventOutcome::kRateLimited: return "rate_limited";
    case EventOutcome::kQueueFull: return "queue_full";
    case EventOutcome::kStopped: return "stopped";
    case EventOutcome::kRefused: return "refused";
    case EventOutcome::kGaveUp: return "gave_up";
    case EventOutcome::kNoReference: return "no_reference";
  }
  return "unknown";
}

Result<EventMetrics> EventMetrics::Create(MetricRegistry& registry) {
  KEELSON_TRY(family, registry.AddCounter({.name = "event_recorder_events_total",
                                           .help = "Events recorded and written, and those that were not, by reason.",
                                           .labels = {"outcome"}}));
  EventMetrics metrics;
  for (size_t i = 0; i < kEventOutcomes; ++i) {
    metrics.outcomes[i] = family.With({ToString(static_cast<EventOutcome>(i))});
  }
  return metrics;
}

}  // namespace keelson
