#include "mirror_reconciler.h"

#include <set>

#include "keelson/api/conditions.h"
#include "keelson/api/core/v1.h"
#include "keelson/api/finalizers.h"
#include "keelson/api/owner_references.h"
#include "keelson/client/ignore_not_found.h"
#include "keelson/client/owned.h"

namespace mirror {

using namespace keelson;
using v1::Mirror;

namespace {

std::string NameOfCopy(const Mirror& mirror, int32_t index) {
  return mirror.metadata.name.str() + "-" + std::to_string(index);
}

}  // namespace

Result<void> AddMirrorController(Manager& manager, MirrorReconciler& reconciler, int workers) {
  ControllerOptions options = manager.options().controllers;
  options.workers = workers;
  KEELSON_RETURN_IF_ERROR(
      ControllerFor<Mirror>(manager).Owns<corev1::ConfigMap>().WithOptions(options).Complete(reconciler));
  return {};
}

Result<Outcome> MirrorReconciler::Reconcile(Context& context, const Request& request) {
  KEELSON_TRY(found, IgnoreNotFound(client_.Get<Mirror>(request)));
  if (!found) return Outcome::Done();
  Mirror mirror = *std::move(found);
  bool changed = false;
  if (IsBeingDeleted(mirror)) {
    if (!HasFinalizer(mirror, kFinalizer)) return Outcome::Done();
    // Asks the server: once the finalizer is gone nobody looks again, and a cache may still lack what the leader before
    // this one made.
    KEELSON_RETURN_IF_ERROR(DeleteCopies(live_, mirror, 0, changed));
    RemoveFinalizer(mirror, kFinalizer);
    KEELSON_TRY(released, client_.Update(mirror));
    return Outcome::Done();
  }
  if (AddFinalizer(mirror, kFinalizer)) {
    KEELSON_TRY(held, client_.Update(mirror));
    mirror = std::move(held);
  }
  for (int32_t index = 0; index < mirror.spec.copies; ++index) {
    const Result<void> ensured = EnsureCopy(mirror, index, changed);
    if (!ensured && IsOwnerGone(ensured.error())) return Outcome::Done();  // the cache will hear of it
    KEELSON_RETURN_IF_ERROR(ensured);
  }
  KEELSON_RETURN_IF_ERROR(DeleteCopies(client_, mirror, mirror.spec.copies, changed));
  KEELSON_RETURN_IF_ERROR(Report(mirror));
  if (changed) {
    context.log().V(1).Info("Copies are as they should be", "copies", mirror.spec.copies);
    events_.Event(mirror, EventType::kNormal, "Synced", "Mirror synced successfully");
  }
  return Outcome::Done();
}

Result<void> MirrorReconciler::EnsureCopy(const Mirror& mirror, int32_t index, bool& changed) {
  corev1::ConfigMap wanted{.metadata = {.name = NameOfCopy(mirror, index), .namespace_ = mirror.metadata.namespace_}};
  KEELSON_TRY(outcome, CreateOrUpdateOwned(client_, mirror, std::move(wanted), [&](corev1::ConfigMap& copy) {
                copy.data = {{"text", mirror.spec.text}};
                copy.metadata.labels.Set(kLabel, mirror.metadata.name);
              }));
  changed |= outcome.change != Change::kNone;
  return {};
}

Result<void> MirrorReconciler::DeleteCopies(const Reader& reader, const Mirror& mirror, int32_t keep, bool& changed) {
  std::set<std::string> kept;
  for (int32_t index = 0; index < keep; ++index) kept.insert(NameOfCopy(mirror, index));
  KEELSON_TRY(selector, labels::Parse(std::string(kLabel) + "=" + mirror.metadata.name.str()));
  KEELSON_TRY(copies,
              reader.List<corev1::ConfigMap>({.namespace_ = mirror.metadata.namespace_.str(), .labels = selector}));
  for (const corev1::ConfigMap& copy : copies) {
    if (!IsControlledBy(copy, mirror) || kept.contains(copy.metadata.name.str())) continue;
    KEELSON_RETURN_IF_ERROR(IgnoreNotFound(client_.Delete(copy, {.uid = copy.metadata.uid.str()})));
    changed = true;
  }
  return {};
}

Result<void> MirrorReconciler::Report(Mirror mirror) {
  const v1::MirrorStatus before = mirror.status;
  mirror.status.copies = mirror.spec.copies;
  mirror.status.observedGeneration = mirror.metadata.generation;
  SetStatusCondition(mirror.status.conditions, {.type = "Ready",
                                                .status = kConditionTrue,
                                                .observedGeneration = mirror.metadata.generation,
                                                .reason = "Synced",
                                                .message = "every copy says the text"});
  if (Equal(before, mirror.status)) return {};
  KEELSON_TRY(reported, client_.Status().Update(mirror));
  return {};
}

}  // namespace mirror
