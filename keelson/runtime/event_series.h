// Folds events that are alike into series, by the rules of events.k8s.io/v1. No I/O, no clock.
//
// Events are alike when all but the note and the object's version is equal. The first is written, the second makes it a
// series, which is written too; from then on occurrences are counted here, and the count is written every half hour
// while it grows and once when none has come for six minutes, which ends the series. A controller's new events about
// one object are limited (EventCorrelatorOptions::burst), occurrences of known ones are not.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "keelson/api/events/v1.h"
#include "keelson/core/time.h"
#include "keelson/runtime/event_correlator.h"
#include "keelson/runtime/event_record.h"
#include "keelson/runtime/internal/lru_map.h"

namespace keelson {

struct EventSeriesOptions {
  Duration heartbeat = std::chrono::minutes(30);
  Duration end_after = std::chrono::minutes(6);
};

struct SeriesEvent {
  std::string key = {};
  eventsv1::Event event = {};
  bool exists = false;  // it was written before, without this count
};

// Not thread-safe.
class EventSeriesTable {
 public:
  EventSeriesTable(const EventCorrelatorOptions& limits, const EventSeriesOptions& options, TimePoint now);

  struct Observed {
    SeriesEvent event;
    bool write = false;  // now; otherwise it is enough to change a write that waits already
  };
  // Nothing when the limit forbids a new event. `displaced` gets what must be written because it made room.
  std::optional<Observed> Observe(const EventRecord& record, std::vector<SeriesEvent>& displaced);
  // The event with its present count is about to be written: the heartbeat need not.
  void MarkWritten(const std::string& key);

  // When Tick has something to do next.
  TimePoint next_tick() const;
  // What is to be written by now.
  std::vector<SeriesEvent> Tick(TimePoint now);
  // All counts that have not been written: at the end.
  std::vector<SeriesEvent> Flush();

 private:
  struct Entry {
    std::string key = {};
    eventsv1::Event event = {};
    TimePoint last{};
    int32_t written = 0;
  };
  static int32_t CountOf(const Entry& entry) { return entry.event.series ? entry.event.series->count : 1; }
  // Appends the entry if its count has not been written.
  static void Collect(Entry& entry, std::vector<SeriesEvent>& writes);

  const EventSeriesOptions options_;
  internal::LruMap<Entry> entries_;
  EventRateLimit limit_;
  TimePoint next_heartbeat_;
  TimePoint next_end_;
};

}  // namespace keelson
