// From a manager and a reconciler to a controller, in a sentence.
//
//   ControllerFor<App>(manager)
//       .Owns<appsv1::Deployment>()
//       .Owns<corev1::ConfigMap>({.metadata_only = true})
//       .Watches<corev1::Secret>(EnqueueMapped<corev1::Secret>([&](const corev1::Secret& s) { return AppsOf(s); }))
//       .WithEventFilter(GenerationChanged())
//       .WithOptions({.workers = 4, .reconcile_timeout = 1min})
//       .Complete(reconciler);
//
// A reconciler is a class with `Result<Outcome> Reconcile(Context&, const Request&)`, which several controllers may
// share and which outlives the manager's Run, or a function of that form. A controller for no kind in particular, or
// with requests of the user's own, begins with NewController<R>(manager, name).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "keelson/runtime/controller.h"
#include "keelson/runtime/enqueuer.h"
#include "keelson/runtime/kind_source.h"
#include "keelson/runtime/manager.h"
#include "keelson/runtime/predicate.h"

namespace keelson {

// How a kind is watched.
struct WatchedKindOptions {
  Predicate predicate = {};  // beside that of WithEventFilter
  // Only metadata is sent and held; the reconciler reads the rest from the server, or only GetMetadata from the cache.
  bool metadata_only = false;
  std::optional<Selection> selection = {};  // of the cache; else what the cache is configured to
  Cluster* cluster = nullptr;               // null: the manager's
  bool any_owner = false;                   // of Owns: also those that do not control
};

template <class R, class Reconciler>
concept ReconcilerOf = requires(Reconciler& reconciler, Context& context, const R& request) {
  { reconciler.Reconcile(context, request) } -> std::convertible_to<Result<Outcome>>;
};

template <class R = Request>
class ControllerBuilder {
 public:
  explicit ControllerBuilder(Manager& manager) : manager_(manager) {}

  // The kind that is reconciled: its own objects are the requests. Once.
  template <ApiObject T>
  ControllerBuilder& For(WatchedKindOptions options = {});
  ControllerBuilder& For(const GroupVersionKind& kind, WatchedKindOptions options = {});
  // Kinds whose objects it makes: their controller is the request.
  template <ApiObject T>
  ControllerBuilder& Owns(WatchedKindOptions options = {});
  ControllerBuilder& Owns(const GroupVersionKind& kind, WatchedKindOptions options = {});
  // Any other kind.
  template <ApiObject T>
  ControllerBuilder& Watches(Enqueuer<R> enqueuer, WatchedKindOptions options = {});
  ControllerBuilder& Watches(const GroupVersionKind& kind, Enqueuer<R> enqueuer, WatchedKindOptions options = {});
  // A channel, a timer, a source of one's own.
  ControllerBuilder& WatchesRaw(std::unique_ptr<Source<R>> source);

  // Of every kind that is watched.
  ControllerBuilder& WithEventFilter(Predicate predicate);
  ControllerBuilder& WithOptions(ControllerOptions options);
  ControllerBuilder& WithRateLimiter(std::unique_ptr<RateLimiter<R>> limiter);
  // Else the kind's name in lower case.
  ControllerBuilder& Named(std::string name);

  // Makes the controller part of the manager. The reconciler outlives the manager's Run.
  template <class Reconciler>
    requires ReconcilerOf<R, Reconciler>
  Result<std::shared_ptr<Controller<R>>> Complete(Reconciler& reconciler);
  Result<std::shared_ptr<Controller<R>>> Complete(ReconcileFunction<R> reconcile);

 private:
  Manager& manager_;
};

}  // namespace keelson
