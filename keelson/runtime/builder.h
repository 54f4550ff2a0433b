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

#include <algorithm>
#include <concepts>
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
  // Only metadata is sent and held: the reconciler reads GetMetadata from the cache, and all else from the server.
  bool metadata_only = false;
  std::optional<Selection> selection = {};  // else what the cache is configured to
  Cluster* cluster = nullptr;               // null: the manager's
  bool any_owner = false;                   // of Owns: also owners that do not control
};

template <class Reconciler, class R>
concept ReconcilerOf = requires(Reconciler& reconciler, Context& context, const R& request) {
  { reconciler.Reconcile(context, request) } -> std::convertible_to<Result<Outcome>>;
};

namespace internal {

// The informers that a controller watches one kind by.
struct WatchedKind {
  GroupVersionKind kind = {};
  const Resource* resource = nullptr;  // of a type that says so
  std::vector<std::shared_ptr<SharedInformer>> informers = {};
};
template <ApiObject T>
WatchedKind Watched(Manager& manager, const WatchedKindOptions& options) {
  InformerFactory& cache = (options.cluster != nullptr ? *options.cluster : manager.cluster()).cache();
  WatchedKind watched{.kind = GvkOf<T>(), .resource = KnownResource<T>()};
  if (options.metadata_only) {
    for (const auto& informer : cache.AllMetadataOf<T>(options.selection)) watched.informers.push_back(informer.core());
  } else {
    for (const auto& informer : cache.AllOf<T>(options.selection)) watched.informers.push_back(informer.core());
  }
  return watched;
}
WatchedKind Watched(Manager& manager, const GroupVersionKind& kind, const WatchedKindOptions& options);

// "app" of App; with its group where the manager has an "app" already.
Result<std::string> ClaimName(Manager& manager, const std::string& given, const std::optional<WatchedKind>& reconciled);

}  // namespace internal

// Errors of a sentence are given by its end, Complete. Used by one thread.
template <class R = Request>
class ControllerBuilder {
 public:
  explicit ControllerBuilder(Manager& manager) : manager_(manager), options_(manager.options().controllers) {}

  // The kind that is reconciled: its objects are the requests. Once, and before Owns.
  template <ApiObject T>
  ControllerBuilder& For(const WatchedKindOptions& options = {})
    requires std::same_as<R, Request>
  {
    return ForKind(internal::Watched<T>(manager_, options), options);
  }
  ControllerBuilder& For(const GroupVersionKind& kind, const WatchedKindOptions& options = {})
    requires std::same_as<R, Request>
  {
    return ForKind(internal::Watched(manager_, kind, options), options);
  }
  // Kinds whose objects it makes: the object that controls them is the request.
  template <ApiObject T>
  ControllerBuilder& Owns(const WatchedKindOptions& options = {})
    requires std::same_as<R, Request>
  {
    return OwnsKind(internal::Watched<T>(manager_, options), options);
  }
  ControllerBuilder& Owns(const GroupVersionKind& kind, const WatchedKindOptions& options = {})
    requires std::same_as<R, Request>
  {
    return OwnsKind(internal::Watched(manager_, kind, options), options);
  }
  // Any other kind.
  template <ApiObject T>
  ControllerBuilder& Watches(Enqueuer<R> enqueuer, const WatchedKindOptions& options = {}) {
    return WatchKind(internal::Watched<T>(manager_, options), std::move(enqueuer), options.predicate, {});
  }
  ControllerBuilder& Watches(const GroupVersionKind& kind, Enqueuer<R> enqueuer,
                             const WatchedKindOptions& options = {}) {
    return WatchKind(internal::Watched(manager_, kind, options), std::move(enqueuer), options.predicate, {});
  }
  // A channel, a timer, a source of one's own.
  ControllerBuilder& WatchesRaw(std::unique_ptr<Source<R>> source) {
    sources_.push_back([source = std::make_shared<std::unique_ptr<Source<R>>>(std::move(source))](
                           const Predicate&, const ControllerOptions&) { return std::move(*source); });
    return *this;
  }

  // Of every kind that is watched; several must all let an event through.
  ControllerBuilder& WithEventFilter(Predicate predicate) {
    filter_ = std::move(filter_) && std::move(predicate);
    return *this;
  }
  ControllerBuilder& WithOptions(ControllerOptions options) {
    options_ = options;
    return *this;
  }
  ControllerBuilder& WithRateLimiter(std::unique_ptr<RateLimiter<R>> limiter) {
    limiter_ = std::move(limiter);
    return *this;
  }
  // Else the kind's name in lower case.
  ControllerBuilder& Named(std::string name) {
    name_ = std::move(name);
    return *this;
  }

  // Makes the controller a part of the manager. The reconciler outlives the manager's Run.
  template <class Reconciler>
    requires ReconcilerOf<Reconciler, R>
  Result<std::shared_ptr<Controller<R>>> Complete(Reconciler& reconciler) {
    return Complete([&reconciler](Context& context, const R& request) -> Result<Outcome> {
      return reconciler.Reconcile(context, request);
    });
  }
  Result<std::shared_ptr<Controller<R>>> Complete(ReconcileFunction<R> reconcile);

 private:
  using MakeSource =
      std::function<std::unique_ptr<Source<R>>(const Predicate& filter, const ControllerOptions& options)>;

  ControllerBuilder& ForKind(internal::WatchedKind watched, const WatchedKindOptions& options) {
    if (reconciled_) {
      Fail("it is for " + reconciled_->kind.kind + " already: For is said once, other kinds are for Owns and Watches");
    }
    reconciled_ = watched;
    return WatchKind(std::move(watched), EnqueueSelf(), options.predicate, {.own_kind = true, .brief = true});
  }
  ControllerBuilder& OwnsKind(internal::WatchedKind watched, const WatchedKindOptions& options) {
    if (!reconciled_) {
      Fail("Owns says that the kind of For owns others: say For before");
      return *this;
    }
    const OwnerOptions owners{.any_owner = options.any_owner};
    Enqueuer<Request> enqueuer = reconciled_->resource != nullptr
                                     ? EnqueueOwner(GroupKind{reconciled_->kind.group, reconciled_->kind.kind},
                                                    reconciled_->resource->scope != ResourceScope::kCluster, owners)
                                     : EnqueueOwner(reconciled_->kind, manager_.live(), owners);
    // Without a resource it waits until the server says whether the owners have a namespace.
    return WatchKind(std::move(watched), std::move(enqueuer), options.predicate,
                     {.brief = reconciled_->resource != nullptr});
  }
  // What is known of an enqueuer.
  struct EnqueuerTraits {
    bool own_kind = false;
    bool brief = false;
  };
  ControllerBuilder& WatchKind(internal::WatchedKind watched, Enqueuer<R> enqueuer, Predicate predicate,
                               EnqueuerTraits traits) {
    sources_.push_back(
        [watched = std::move(watched), enqueuer = std::move(enqueuer), predicate = std::move(predicate), traits](
            const Predicate& filter, const ControllerOptions& options) -> std::unique_ptr<Source<R>> {
          return std::make_unique<KindSource<R>>(
              watched.informers, enqueuer,
              KindSourceOptions{.kind = watched.kind.kind,
                                .predicate = filter && predicate,
                                .low_priority_for_unchanged = options.low_priority_for_unchanged,
                                .own_kind = traits.own_kind,
                                .brief = traits.brief && filter.passes_all() && predicate.passes_all()});
        });
    return *this;
  }
  void Fail(std::string why) {
    if (!error_) error_ = Error::InvalidArgument("controller " + name_ + ": " + why);
  }

  Manager& manager_;
  ControllerOptions options_;
  std::string name_;
  Predicate filter_;
  std::unique_ptr<RateLimiter<R>> limiter_;
  std::optional<internal::WatchedKind> reconciled_;
  std::vector<MakeSource> sources_;
  std::optional<Error> error_;
};

template <class R>
Result<std::shared_ptr<Controller<R>>> ControllerBuilder<R>::Complete(ReconcileFunction<R> reconcile) {
  if (sources_.empty()) Fail("nothing is watched: say For, Watches or WatchesRaw");
  if (options_.workers < 1) Fail("it needs one worker at least");
  if (error_) return *error_;
  options_.log_verbosity = std::max(options_.log_verbosity, manager_.options().log_verbosity);
  KEELSON_TRY(name, internal::ClaimName(manager_, name_, reconciled_));
  ControllerParts<R> parts{.options = options_};
  if (limiter_ != nullptr) parts.rate_limiter = std::move(limiter_);
  KEELSON_TRY(metrics, ControllerMetrics::Create(manager_.metrics(), name));
  KEELSON_TRY(queue_metrics, QueueMetrics::Create(manager_.metrics(), name));
  parts.metrics = metrics;
  parts.queue_metrics = queue_metrics;
  parts.log = parts.log.WithValues("controller", name);
  if (reconciled_) {
    parts.log =
        parts.log.WithValues("controllerGroup", reconciled_->kind.group, "controllerKind", reconciled_->kind.kind);
  }
  auto controller = std::make_shared<Controller<R>>(std::move(name), std::move(reconcile), std::move(parts));
  for (const MakeSource& make : sources_) controller->AddSource(make(filter_, options_));
  KEELSON_RETURN_IF_ERROR(manager_.Add(controller));
  return controller;
}

// A controller of T's objects.
template <ApiObject T>
ControllerBuilder<Request> ControllerFor(Manager& manager, const WatchedKindOptions& options = {}) {
  ControllerBuilder<Request> builder(manager);
  builder.For<T>(options);
  return builder;
}
inline ControllerBuilder<Request> ControllerFor(Manager& manager, const GroupVersionKind& kind,
                                                const WatchedKindOptions& options = {}) {
  ControllerBuilder<Request> builder(manager);
  builder.For(kind, options);
  return builder;
}
// One for no kind in particular, whose requests may be of the user's own type.
template <class R = Request>
ControllerBuilder<R> NewController(Manager& manager, std::string name) {
  ControllerBuilder<R> builder(manager);
  builder.Named(std::move(name));
  return builder;
}

}  // namespace keelson
