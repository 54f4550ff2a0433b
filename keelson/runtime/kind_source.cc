#include "keelson/runtime/kind_source.h"

#include <exception>

#include "keelson/core/log.h"

namespace keelson::internal {

namespace {

CauseType CauseTypeOf(const ObjectEvent& event) {
  switch (event.type()) {
    case ObjectEventType::kCreated: return event.initial() ? CauseType::kInitial : CauseType::kCreated;
    case ObjectEventType::kUpdated: return event.resync() ? CauseType::kResync : CauseType::kUpdated;
    case ObjectEventType::kDeleted: return CauseType::kDeleted;
    case ObjectEventType::kGeneric: break;
  }
  return CauseType::kGeneric;
}

}  // namespace

KindWatch::KindWatch(std::vector<std::shared_ptr<SharedInformer>> informers, KindSourceOptions options)
    : informers_(std::move(informers)), options_(std::move(options)), kind_(options_.kind) {}

Result<void> KindWatch::Start(Enqueue enqueue, const StopToken& stop) {
  if (enqueue_) return Error::InvalidArgument("the watch of " + options_.kind + " was started already");
  enqueue_ = std::move(enqueue);
  chain_ = std::make_unique<StopCallback<std::function<void()>>>(stop, [source = stop_] { source.RequestStop(); });
  for (const std::shared_ptr<SharedInformer>& informer : informers_) {
    registrations_.push_back(
        informer->AddHandler([this, &informer = *informer](const Delta& delta) { Handle(informer, delta); },
                             {.name = options_.kind, .brief = options_.brief}));
  }
  return {};
}

void KindWatch::Stop() {
  stop_.RequestStop();
  registrations_.clear();
  chain_.reset();
}

Wake KindWatch::WaitForSync(const StopToken& stop, TimePoint deadline) const {
  for (const HandlerRegistration& registration : registrations_) {
    if (const Wake wake = registration.WaitForSync(stop, deadline); wake != Wake::kReady) return wake;
  }
  return Wake::kReady;
}

std::optional<Error> KindWatch::last_error() const {
  for (const std::shared_ptr<SharedInformer>& informer : informers_) {
    if (std::optional<Error> error = informer->last_error()) return error;
  }
  return std::nullopt;
}

Cause KindWatch::CauseOf(const ObjectEvent& event) const {
  Cause cause{.type = CauseTypeOf(event), .source = kind_};
  if (!options_.own_kind) {
    cause.namespace_ = event.namespace_();
    cause.name = event.name();
  }
  return cause;
}

void KindWatch::Handle(const SharedInformer& informer, const Delta& delta) const {
  const auto failed = [&](std::string why) {
    Logger("controller")
        .Error(Error::Internal(std::move(why)), "An event is lost: its predicate or enqueuer threw", "source",
               options_.kind, "object", informer.model().identify(delta.object.get()).key().ToString());
  };
  try {
    const ObjectEvent event(informer.model(), delta, &informer.source().kind);
    if (!options_.predicate(event)) return;
    const bool unchanged = event.initial() || event.resync();
    enqueue_(event, CauseOf(event), unchanged && options_.low_priority_for_unchanged ? kLowPriority : 0);
  } catch (const std::exception& thrown) {
    failed(thrown.what());
  } catch (...) {
    failed("an exception that is no std::exception");
  }
}

}  // namespace keelson::internal
