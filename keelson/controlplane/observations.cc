#include "keelson/controlplane/observations.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace keelson {
namespace {

std::string TextOf(const Unstructured& condition, std::string_view member) {
  return condition.NestedString({member}).value_or("");
}

std::string ConditionIn(const Unstructured& object, std::string_view type) {
  const Json* conditions = object.Nested({"status", "conditions"});
  if (conditions == nullptr || !conditions->is_list()) return "nothing is said";
  for (const Json& item : conditions->list()) {
    const Unstructured condition(item);
    if (TextOf(condition, "type") != type) continue;
    const auto observed = condition.NestedInt({"observedGeneration"});  // some of the built-in kinds have none
    if (observed && *observed != object.GetGeneration()) return "it speaks of an older generation";
    return fmt::format("{}={} {}: {}", type, TextOf(condition, "status"), TextOf(condition, "reason"),
                       TextOf(condition, "message"));
  }
  return "nothing is said";
}

}  // namespace

std::string internal::ConditionOf(const Client& client, const Target& target, const ObjectKey& key,
                                  std::string_view type) {
  Unstructured object;
  const Result<void> found = client.GetObject(target, key, {}, &object);
  return found ? ConditionIn(object, type) : found.error().message();
}

std::string ConditionOf(const Client& client, const Unstructured& object, std::string_view type) {
  return internal::ConditionOf(client, {.type = &TypeOf<Unstructured>(), .kind = object.GetGvk()}, object.GetKey(),
                               type);
}

std::vector<corev1::Event> ListEventsOf(const Client& client, const GroupVersionKind& kind, const ObjectKey& key) {
  const std::string namespace_ = key.namespace_.empty() ? "default" : key.namespace_;
  const ObjectList<corev1::Event> all = client.List<corev1::Event>({.namespace_ = namespace_}).value();
  std::vector<corev1::Event> events;
  for (const corev1::Event& event : all) {
    const corev1::ObjectReference& about = event.involvedObject;
    if (about.kind == kind.kind && about.name == key.name && about.namespace_ == key.namespace_) {
      events.push_back(event);
    }
  }
  // Their names end in the time at which they were first told, more exactly.
  const auto age = [](const corev1::Event& event) {
    return std::tuple(event.metadata.creationTimestamp, event.metadata.name.view());
  };
  std::sort(events.begin(), events.end(),
            [&](const corev1::Event& a, const corev1::Event& b) { return age(a) < age(b); });
  return events;
}

std::vector<std::string> EventsOf(const Client& client, const GroupVersionKind& kind, const ObjectKey& key) {
  std::vector<std::string> events;
  for (const corev1::Event& event : ListEventsOf(client, kind, key)) {
    events.push_back(event.type.str() + " " + event.reason.str());
  }
  return events;
}

}  // namespace keelson
