// A kind's objects kept at hand, and being told when they change: SharedInformer with types.
//
//   Informer<corev1::Pod> pods = factory.For<corev1::Pod>();          // informer_factory.h
//   auto registration = pods.AddHandler({
//       .on_add = [&](const corev1::Pod& pod, bool initial) { queue.Add(KeyOf(pod)); },
//       .on_update = [&](const corev1::Pod& old, const corev1::Pod& pod) {
//         if (old.metadata.resourceVersion != pod.metadata.resourceVersion) queue.Add(KeyOf(pod));
//       },
//       .on_delete = [&](const corev1::Pod& pod, bool final_state_unknown) { queue.Add(KeyOf(pod)); },
//   });
//   Lister<corev1::Pod> lister = pods.lister();
//
// What handlers are promised is said in shared_informer.h.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "keelson/cache/lister.h"
#include "keelson/cache/shared_informer.h"
#include "keelson/cache/view.h"
#include "keelson/core/result.h"

namespace keelson {

// A class that is told of changes. By lambdas instead: Handlers.
template <class T>
class EventHandler {
 public:
  virtual ~EventHandler() = default;
  // `initial`: it was there already when the handler, or the informer, began.
  virtual void OnAdd(const T& object, bool initial) = 0;
  // A resync shows an object as old and new at once, with one resource version.
  virtual void OnUpdate(const T& old, const T& object) = 0;
  // `final_state_unknown`: the deletion itself was missed, and this is the last that was known.
  virtual void OnDelete(const T& object, bool final_state_unknown) = 0;
};

// Any of them may be left out.
template <class T>
struct Handlers {
  std::function<void(const T& object, bool initial)> on_add = {};
  std::function<void(const T& old, const T& object)> on_update = {};
  std::function<void(const T& object, bool final_state_unknown)> on_delete = {};
};

// A handle: cheap to copy, thread-safe. An informer of a factory lives as long as a handle, lister or registration of
// it.
template <class T>
class Informer {
 public:
  explicit Informer(std::shared_ptr<SharedInformer> core) : core_(std::move(core)) {}
  // One that nobody else shares.
  static Informer Make(Client client, ReflectorSource source = {}, InformerOptions options = {}) {
    if (!source.resource && source.kind.empty()) {
      if (const Resource* known = KnownResource<T>()) source.resource = *known;
      source.kind = GvkOf<T>();
    }
    return Informer(std::make_shared<SharedInformer>(std::move(client), std::move(source), ModelOf<T>(), options));
  }

  void Start(const StopToken& stop) const { core_->Start(stop); }
  // Returns when stop is requested.
  void Run(const StopToken& stop) const { core_->Run(stop); }

  Lister<T> lister() const { return Lister<T>(core_); }
  bool HasSynced() const { return core_->HasSynced(); }
  [[nodiscard]] Wake WaitForSync(const StopToken& stop, TimePoint deadline = TimePoint::max()) const {
    return core_->WaitForSync(stop, deadline);
  }

  // The handler is removed when the registration is destroyed.
  HandlerRegistration AddHandler(Handlers<T> handlers, HandlerOptions options = {}) const {
    return core_->AddHandler(Erased(std::move(handlers), core_->model()), std::move(options));
  }
  // The handler outlives the registration.
  HandlerRegistration AddHandler(EventHandler<T>& handler, HandlerOptions options = {}) const {
    return AddHandler(
        Handlers<T>{.on_add = [&handler](const T& object, bool initial) { handler.OnAdd(object, initial); },
                    .on_update = [&handler](const T& old, const T& object) { handler.OnUpdate(old, object); },
                    .on_delete = [&handler](const T& object, bool unknown) { handler.OnDelete(object, unknown); }},
        std::move(options));
  }

  // Before or after it runs. The function is pure; an object may have several values, or none.
  Result<void> AddIndex(std::string name, std::function<std::vector<std::string>(const T& object)> values_of) const {
    const ObjectModel& model = core_->model();
    return core_->AddIndex(std::move(name), [values_of = std::move(values_of), &model](const void* object) {
      if (IsStoredAs<T>(model)) return values_of(*static_cast<const T*>(object));
      T converted{};
      if (!internal::ConvertObject(*model.type, object, TypeOf<T>(), &converted)) return std::vector<std::string>();
      return values_of(converted);
    });
  }
  // By the text of a field, under its path: AddFieldIndex("spec.nodeName"). Paths are those of codec/field_path.h.
  Result<void> AddFieldIndex(std::string_view path) const { return core_->AddFieldIndex(path); }

  const std::shared_ptr<SharedInformer>& core() const { return core_; }
  std::string description() const { return core_->source().ToString(); }
  std::optional<Error> last_error() const { return core_->last_error(); }

 private:
  static SharedInformer::Handler Erased(Handlers<T> handlers, const ObjectModel& model) {
    return [handlers = std::move(handlers), &model](const Delta& delta) {
      const Result<std::shared_ptr<const T>> object = ViewAs<T>(model, delta.object);
      if (!object) return;  // does not fit the type that this handler reads it as
      if (delta.type == DeltaType::kDeleted) {
        if (handlers.on_delete) handlers.on_delete(**object, delta.final_state_unknown);
      } else if (delta.old == nullptr) {
        if (handlers.on_add) handlers.on_add(**object, delta.initial);
      } else if (handlers.on_update) {
        const Result<std::shared_ptr<const T>> old = delta.old == delta.object ? object : ViewAs<T>(model, delta.old);
        if (old) handlers.on_update(**old, **object);
      }
    };
  }

  std::shared_ptr<SharedInformer> core_;
};

}  // namespace keelson
