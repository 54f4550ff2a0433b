#include "keelson/runtime/event_series.h"

#include <algorithm>
#include <utility>

namespace keelson {

namespace {

constexpr size_t kMaxNote = 1024;  // bytes; the server refuses more

// Cut between two characters.
std::string_view Cut(std::string_view text) {
  if (text.size() <= kMaxNote) return text;
  size_t end = kMaxNote;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end);
}

std::string ReferencePart(const corev1::ObjectReference& object) {
  return internal::JoinKey(
      {object.kind, object.namespace_, object.name, object.uid, object.apiVersion, object.fieldPath});
}

std::string KeyOfSeries(const EventRecord& record) {
  return internal::JoinKey({ToString(record.type), record.action, record.reason, record.controller, record.instance,
                            ReferencePart(record.regarding),
                            record.related ? ReferencePart(*record.related) : std::string()});
}

}  // namespace

EventSeriesTable::EventSeriesTable(const EventCorrelatorOptions& limits, const EventSeriesOptions& options,
                                   TimePoint now)
    : options_(options),
      entries_(limits.remembered),
      limit_(limits),
      next_heartbeat_(now + options.heartbeat),
      next_end_(now + options.end_after) {}

std::optional<EventSeriesTable::Observed> EventSeriesTable::Observe(const EventRecord& record,
                                                                    std::vector<SeriesEvent>& displaced) {
  const std::string key = KeyOfSeries(record);
  if (Entry* entry = entries_.Find(key)) {
    const bool begins = !entry->event.series;
    entry->event.series =
        eventsv1::EventSeries{.count = CountOf(*entry) + 1, .lastObservedTime = metav1::MicroTime(record.time)};
    entry->last = record.at;
    if (begins) entry->written = CountOf(*entry);
    return Observed{.event = {.key = key, .event = entry->event, .exists = true}, .write = begins};
  }
  if (!limit_.Allow(record)) return std::nullopt;
  Entry entry{
      .key = key,
      .event = {.metadata = {.name = internal::EventName(record.regarding.name, record.time),
                             .namespace_ = internal::EventNamespace(record.regarding),
                             .annotations = record.annotations},
                .eventTime = metav1::MicroTime(record.time),
                .reportingController = record.controller,
                .reportingInstance = record.instance,
                .action = record.action,
                .reason = record.reason,
                .regarding = record.regarding,
                .related = record.related,
                .note = Cut(record.message),
                .type = ToString(record.type)},
      .last = record.at,
      .written = 1,
  };
  Observed observed{.event = {.key = key, .event = entry.event, .exists = false}, .write = true};
  if (std::optional<Entry> oldest = entries_.Add(key, std::move(entry))) Collect(*oldest, displaced);
  return observed;
}

void EventSeriesTable::MarkWritten(const std::string& key) {
  if (Entry* entry = entries_.Find(key)) entry->written = CountOf(*entry);
}

TimePoint EventSeriesTable::next_tick() const {
  return entries_.size() == 0 ? TimePoint::max() : std::min(next_heartbeat_, next_end_);
}

std::vector<SeriesEvent> EventSeriesTable::Tick(TimePoint now) {
  std::vector<SeriesEvent> writes;
  if (now >= next_heartbeat_) {
    next_heartbeat_ = now + options_.heartbeat;
    for (auto& [key, entry] : entries_) Collect(entry, writes);
  }
  if (now >= next_end_) {
    next_end_ = now + options_.end_after;
    for (auto it = entries_.begin(); it != entries_.end();) {
      if (now - it->second.last > options_.end_after) {
        Collect(it->second, writes);
        it = entries_.Erase(it);
      } else {
        ++it;
      }
    }
  }
  return writes;
}

std::vector<SeriesEvent> EventSeriesTable::Flush() {
  std::vector<SeriesEvent> writes;
  for (auto& [key, entry] : entries_) Collect(entry, writes);
  return writes;
}

void EventSeriesTable::Collect(Entry& entry, std::vector<SeriesEvent>& writes) {
  if (entry.written == CountOf(entry)) return;
  entry.written = CountOf(entry);
  writes.push_back({.key = entry.key, .event = entry.event, .exists = true});
}

}  // namespace keelson
