#include "keelson/runtime/predicate.h"

#include <string_view>

namespace keelson {

namespace {

// A part of the metadata of an object without a type; null stands for an empty one too.
const Json* PartOf(const ObjectPtr& object, std::string_view name) {
  const Json* metadata = static_cast<const Unstructured*>(object.get())->content().find("metadata");
  const Json* part = metadata != nullptr && metadata->is_object() ? metadata->find(name) : nullptr;
  if (part == nullptr || part->is_null()) return nullptr;
  if (part->is_object() && part->object().empty()) return nullptr;
  if (part->is_list() && part->list().empty()) return nullptr;
  return part;
}

// Whether an update changed that part of the metadata. Only this part is looked at.
template <class Part>
bool Changed(const ObjectEvent& event, std::string_view name, Part metav1::ObjectMeta::* part) {
  if (event.object() == event.old_object()) return false;
  if (event.model().type != &TypeOf<Unstructured>()) {
    return !(event.old_metadata()->*part == event.metadata().*part);
  }
  const Json* before = PartOf(event.old_object(), name);
  const Json* now = PartOf(event.object(), name);
  return before == nullptr || now == nullptr ? before != now : !(*before == *now);
}

// By a function of updates; other events pass.
Predicate OfUpdates(bool (*wanted)(const ObjectEvent& event)) {
  return Predicate(
      [wanted](const ObjectEvent& event) { return event.type() != ObjectEventType::kUpdated || wanted(event); });
}

bool HasGeneration(const ObjectEvent& event) {
  if (event.model().type != &TypeOf<Unstructured>()) return event.metadata().generation != 0;
  return PartOf(event.object(), "generation") != nullptr;
}

}  // namespace

Predicate operator&&(Predicate a, Predicate b) {
  if (a.passes_all()) return b;
  if (b.passes_all()) return a;
  return Predicate([a = std::move(a), b = std::move(b)](const ObjectEvent& event) { return a(event) && b(event); });
}

Predicate operator||(Predicate a, Predicate b) {
  if (a.passes_all() || b.passes_all()) return {};
  return Predicate([a = std::move(a), b = std::move(b)](const ObjectEvent& event) { return a(event) || b(event); });
}

Predicate operator!(Predicate a) {
  return Predicate([a = std::move(a)](const ObjectEvent& event) { return !a(event); });
}

Predicate GenerationChanged() {
  return OfUpdates([](const ObjectEvent& event) {
    if (!HasGeneration(event)) return Changed(event, "resourceVersion", &metav1::ObjectMeta::resourceVersion);
    return Changed(event, "generation", &metav1::ObjectMeta::generation);
  });
}

Predicate ResourceVersionChanged() {
  return OfUpdates(
      [](const ObjectEvent& event) { return Changed(event, "resourceVersion", &metav1::ObjectMeta::resourceVersion); });
}

Predicate LabelChanged() {
  return OfUpdates([](const ObjectEvent& event) { return Changed(event, "labels", &metav1::ObjectMeta::labels); });
}

Predicate AnnotationChanged() {
  return OfUpdates(
      [](const ObjectEvent& event) { return Changed(event, "annotations", &metav1::ObjectMeta::annotations); });
}

Predicate FinalizerOrDeletionChanged() {
  return OfUpdates([](const ObjectEvent& event) {
    return Changed(event, "finalizers", &metav1::ObjectMeta::finalizers) ||
           Changed(event, "deletionTimestamp", &metav1::ObjectMeta::deletionTimestamp);
  });
}

Predicate LabelsMatch(labels::Selector selector) {
  return Predicate([selector = std::move(selector)](const ObjectEvent& event) {
    const auto match = [&](const ObjectPtr& object) {
      return object != nullptr && event.model().labels_match(object.get(), selector);
    };
    return match(event.object()) || match(event.old_object());
  });
}

}  // namespace keelson
