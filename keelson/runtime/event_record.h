// One occurrence of an event, before it is folded with others like it and written: what sinks get (event_recorder.h).
#pragma once

#include <cstdint>
#include <string_view>

#include "keelson/api/core/v1.h"
#include "keelson/core/time.h"

namespace keelson {

enum class EventType : uint8_t { kNormal, kWarning };

// "Normal", "Warning"
constexpr std::string_view ToString(EventType type) { return type == EventType::kNormal ? "Normal" : "Warning"; }

// Which of the two APIs an event is written by. Readers of either see it.
enum class EventApi : uint8_t {
  kCore,    // v1: what `kubectl describe` was made for; counts, and the latest message
  kEvents,  // events.k8s.io/v1: an action, a related object, series
};

struct EventRecord {
  EventApi api = EventApi::kCore;
  EventType type = EventType::kNormal;
  corev1::ObjectReference regarding = {};
  Optional<corev1::ObjectReference> related = {};
  String reason = {};
  String action = {};
  String message = {};
  Map<String> annotations = {};
  String controller = {};  // who tells it
  String instance = {};    // of which process; for kCore the host, mostly empty
  // No two records of a broadcaster have the same.
  WallTime time = {};
  // The same moment, for measuring.
  TimePoint at = {};
};

}  // namespace keelson
