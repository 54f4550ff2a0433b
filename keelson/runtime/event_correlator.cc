#include "keelson/runtime/event_correlator.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "keelson/api/names.h"
#include "keelson/core/random.h"

namespace keelson {

namespace {

constexpr std::string_view kCombined = "(combined from similar events): ";

std::string RandomUuid() {
  std::array<std::byte, 16> bytes;
  SecureRandom::Fill(bytes);
  bytes[6] = (bytes[6] & std::byte{0x0f}) | std::byte{0x40};
  bytes[8] = (bytes[8] & std::byte{0x3f}) | std::byte{0x80};
  std::string text;
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned>(bytes[i]));
  }
  return text;
}

std::string ObjectPart(const EventRecord& record) {
  const corev1::ObjectReference& object = record.regarding;
  return internal::JoinKey({record.controller, record.instance, object.kind, object.namespace_, object.name, object.uid,
                            object.apiVersion, ToString(record.type)});
}

}  // namespace

namespace internal {

std::string EventName(std::string_view object, WallTime time) {
  std::string name = fmt::format("{}.{:x}", object, time.time_since_epoch().count());
  return names::IsDns1123Subdomain(name) ? name : RandomUuid();
}

String EventNamespace(const corev1::ObjectReference& object) {
  return object.namespace_.empty() ? String("default") : object.namespace_;
}

std::string JoinKey(std::initializer_list<std::string_view> parts) {
  std::string key;
  for (const std::string_view part : parts) {
    key += std::to_string(part.size());
    key += ':';
    key += part;
  }
  return key;
}

}  // namespace internal

EventRateLimit::EventRateLimit(const EventCorrelatorOptions& options)
    : refill_(options.refill),
      full_(options.refill * static_cast<int64_t>(options.burst)),
      buckets_(options.remembered) {}

bool EventRateLimit::Allow(const EventRecord& record) {
  const std::string key = ObjectPart(record);
  Bucket* bucket = buckets_.Find(key);
  if (bucket == nullptr) {
    buckets_.Add(key, {.saved = full_, .at = record.at});
    bucket = buckets_.Find(key);
  }
  bucket->saved = std::min(full_, bucket->saved + (record.at - bucket->at));
  bucket->at = record.at;
  if (bucket->saved < refill_) return false;
  bucket->saved -= refill_;
  return true;
}

EventCorrelator::EventCorrelator(const EventCorrelatorOptions& options)
    : options_(options), groups_(options.remembered), seen_(options.remembered), limit_(options) {}

std::optional<CorrelatedEvent> EventCorrelator::Correlate(const EventRecord& record) {
  const metav1::Time now(record.time);
  CorrelatedEvent result{
      .event = {.metadata = {.namespace_ = internal::EventNamespace(record.regarding)},
                .involvedObject = record.regarding,
                .reason = record.reason,
                .message = record.message,
                .source = {.component = record.controller, .host = record.instance},
                .firstTimestamp = now,
                .lastTimestamp = now,
                .count = 1,
                .type = ToString(record.type)},
  };
  corev1::Event& event = result.event;

  const std::string group_key = internal::JoinKey({ObjectPart(record), record.reason});
  Group* group = groups_.Find(group_key);
  if (group == nullptr) {
    groups_.Add(group_key, {.messages = {}, .at = record.at});
    group = groups_.Find(group_key);
  }
  if (record.at - group->at > options_.similar_interval) group->messages.clear();
  group->at = record.at;
  const auto [message, is_new] = group->messages.insert(record.message);
  if (group->messages.size() < options_.similar_messages) {
    result.key = internal::JoinKey({group_key, record.regarding.fieldPath, record.message});
    event.metadata.annotations = record.annotations;
    event.reportingComponent = record.controller;
    event.reportingInstance = record.instance;
  } else {
    // The messages that came first stay events of their own.
    group->messages.erase(message);
    result.key = group_key;
    event.message = std::string(kCombined) + record.message.str();
  }

  if (Seen* seen = seen_.Find(result.key)) {
    event.metadata.name = seen->name;
    event.firstTimestamp = seen->first;
    event.count = ++seen->count;
    result.exists = true;
  } else {
    event.metadata.name = internal::EventName(record.regarding.name, record.time);
    seen_.Add(result.key, {.count = 1, .first = now, .name = event.metadata.name});
  }
  if (!limit_.Allow(record)) return std::nullopt;
  return result;
}

}  // namespace keelson
