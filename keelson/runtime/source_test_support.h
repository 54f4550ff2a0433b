// For tests of sources: events of one object in every form that a cache may hold it in, and what is in a queue.
//
//   for (const Form form : kForms) EXPECT_TRUE(LabelChanged()(Updated(form, before, now)));
//   EXPECT_THAT(Drain(queue), ElementsAre("default/web: ConfigMap updated"));
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "keelson/api/core/v1.h"
#include "keelson/codec/unstructured.h"
#include "keelson/core/log.h"
#include "keelson/core/simulation.h"
#include "keelson/runtime/enqueuer.h"
#include "keelson/runtime/object_event.h"

namespace keelson {

enum class Form { kTyped, kUnstructured, kMetadata };
inline constexpr Form kForms[] = {Form::kTyped, Form::kUnstructured, Form::kMetadata};
inline std::ostream& operator<<(std::ostream& out, Form form) {
  return out << (form == Form::kTyped ? "typed" : form == Form::kUnstructured ? "unstructured" : "metadata");
}

inline const ObjectModel& ModelIn(Form form) {
  switch (form) {
    case Form::kTyped: return ModelOf<corev1::ConfigMap>();
    case Form::kUnstructured: return ModelOf<Unstructured>();
    case Form::kMetadata: break;
  }
  return ModelOf<metav1::PartialObjectMetadata>();
}

inline ObjectPtr ObjectIn(Form form, const corev1::ConfigMap& object) {
  switch (form) {
    case Form::kTyped: return std::make_shared<corev1::ConfigMap>(object);
    case Form::kUnstructured: return std::make_shared<Unstructured>(ToUnstructured(object));
    case Form::kMetadata: break;
  }
  // As servers send it: the kind is that of the envelope.
  return std::make_shared<metav1::PartialObjectMetadata>(metav1::PartialObjectMetadata{
      .kind = "PartialObjectMetadata", .apiVersion = "meta.k8s.io/v1", .metadata = object.metadata});
}

inline ObjectEvent EventIn(Form form, const Delta& delta) {
  static const GroupVersionKind kind = GvkOf<corev1::ConfigMap>();
  return ObjectEvent(ModelIn(form), delta, &kind);
}
inline ObjectEvent Created(Form form, const corev1::ConfigMap& object) {
  return EventIn(form, {.type = DeltaType::kAdded, .object = ObjectIn(form, object)});
}
inline ObjectEvent Updated(Form form, const corev1::ConfigMap& old, const corev1::ConfigMap& object) {
  return EventIn(form, {.type = DeltaType::kUpdated, .object = ObjectIn(form, object), .old = ObjectIn(form, old)});
}
inline ObjectEvent Deleted(Form form, const corev1::ConfigMap& object) {
  const ObjectPtr last = ObjectIn(form, object);
  return EventIn(form, {.type = DeltaType::kDeleted, .object = last, .old = last});
}
inline ObjectEvent Resynced(Form form, const corev1::ConfigMap& object) {
  const ObjectPtr same = ObjectIn(form, object);
  return EventIn(form, {.type = DeltaType::kSync, .object = same, .old = same});
}
inline ObjectEvent Generic(Form form, const corev1::ConfigMap& object) {
  return ObjectEvent::Generic(ModelIn(form), ObjectIn(form, object));
}

// Takes all that waits: "default/web: ConfigMap updated, ConfigMap deleted", with " (low)" behind those of low
// priority.
inline std::vector<std::string> Drain(RequestQueue<Request>& queue) {
  std::vector<std::string> lines;
  while (const auto item = queue.TryGet()) {
    std::string line = item->key.ToString() + ":";
    for (const Cause& cause : item->causes) line += (line.ends_with(':') ? " " : ", ") + ToString(cause);
    if (item->priority != 0) line += item->priority == kLowPriority ? " (low)" : " " + std::to_string(item->priority);
    lines.push_back(std::move(line));
  }
  return lines;
}

// Runs a test's body on virtual time.
inline void InSimulation(const std::function<void()>& body, uint64_t seed = 1) {
  Simulation simulation({.seed = seed});
  const Result<void> done = simulation.Run(body);
  ASSERT_TRUE(done) << "seed " << seed << ": " << done.error().message();
}

}  // namespace keelson
