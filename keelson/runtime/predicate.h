// Which events a controller hears of.
//
//   ControllerFor<App>(manager).WithEventFilter(GenerationChanged() || AnnotationChanged())
//   .Owns<corev1::Pod>({.predicate = Predicate::OnUpdate<corev1::Pod>(
//        [](const corev1::Pod& old, const corev1::Pod& pod) { return old.status.phase != pod.status.phase; })})
//
// A predicate is a pure function of the event. It must let through what the reconciler has to act on: a controller does
// not hear of what its predicates drop, until the object changes again.
#pragma once

#include <functional>
#include <utility>

#include "keelson/api/label_selector.h"
#include "keelson/runtime/object_event.h"

namespace keelson {

// A value: copied freely, called by any thread.
class Predicate {
 public:
  using Function = std::function<bool(const ObjectEvent& event)>;

  // Lets everything through.
  Predicate() = default;
  explicit Predicate(Function function) : function_(std::move(function)) {}

  // By the object, for every type of event.
  template <class T>
  static Predicate Of(std::function<bool(const T& object)> wanted) {
    return Predicate([wanted = std::move(wanted)](const ObjectEvent& event) {
      const T* object = event.As<T>();
      return object != nullptr && wanted(*object);
    });
  }
  // One type of event by a function; the other types pass.
  template <class T>
  static Predicate OnCreate(std::function<bool(const T& object)> wanted) {
    return On<T>(ObjectEventType::kCreated, std::move(wanted));
  }
  template <class T>
  static Predicate OnUpdate(std::function<bool(const T& old, const T& object)> wanted) {
    return Predicate([wanted = std::move(wanted)](const ObjectEvent& event) {
      if (event.type() != ObjectEventType::kUpdated) return true;
      const T* old = event.OldAs<T>();
      const T* object = event.As<T>();
      return old != nullptr && object != nullptr && wanted(*old, *object);
    });
  }
  template <class T>
  static Predicate OnDelete(std::function<bool(const T& object)> wanted) {
    return On<T>(ObjectEventType::kDeleted, std::move(wanted));
  }
  template <class T>
  static Predicate OnGeneric(std::function<bool(const T& object)> wanted) {
    return On<T>(ObjectEventType::kGeneric, std::move(wanted));
  }

  bool operator()(const ObjectEvent& event) const { return !function_ || function_(event); }
  bool passes_all() const { return !function_; }

  friend Predicate operator&&(Predicate a, Predicate b);
  friend Predicate operator||(Predicate a, Predicate b);
  friend Predicate operator!(Predicate a);

 private:
  template <class T>
  static Predicate On(ObjectEventType type, std::function<bool(const T& object)> wanted) {
    return Predicate([type, wanted = std::move(wanted)](const ObjectEvent& event) {
      if (event.type() != type) return true;
      const T* object = event.As<T>();
      return object != nullptr && wanted(*object);
    });
  }

  Function function_;
};

// These look at updates; events of other types pass.
//
// Drops updates of metadata and status alone, of objects whose server counts generations: custom resources that have a
// status subresource, most built-in kinds with a spec. Objects without a generation (ConfigMaps, Secrets) pass as by
// ResourceVersionChanged.
Predicate GenerationChanged();
// Drops resyncs.
Predicate ResourceVersionChanged();
Predicate LabelChanged();
Predicate AnnotationChanged();
// Finalizers or deletionTimestamp. Usually beside GenerationChanged().
Predicate FinalizerOrDeletionChanged();

// By the object's labels, for every type of event. An update passes also where the object matched before it, so that
// one hears of those that leave.
Predicate LabelsMatch(labels::Selector selector);

}  // namespace keelson
