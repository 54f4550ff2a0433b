#include "keelson/controllers/ownership.h"

#include <fmt/format.h>

#include <unordered_set>

#include "keelson/api/compare.h"

namespace keelson::controllers::internal {

Claim ClaimOn(const metav1::ObjectMeta& object, const metav1::ObjectMeta& owner, const labels::Selector& selector) {
  const bool matches = selector.Matches(object.labels);
  if (const metav1::OwnerReference* controller = GetControllerOf(object)) {
    if (controller->uid != owner.uid) return Claim::kNotMine;
    if (matches) return Claim::kMine;
    return IsBeingDeleted(owner) ? Claim::kNotMine : Claim::kRelease;
  }
  if (!matches || IsBeingDeleted(owner) || IsBeingDeleted(object)) return Claim::kNotMine;
  return owner.namespace_ == object.namespace_ ? Claim::kAdopt : Claim::kNotMine;
}

Patch AdoptionPatch(const metav1::ObjectMeta& object, const Owner& owner) {
  return Patch::Strategic(Json::Object(
      {{"metadata", Json::Object({{"ownerReferences",
                                   Json::Array({Json::Object({{"apiVersion", owner.kind.group_version().ToString()},
                                                              {"kind", owner.kind.kind},
                                                              {"name", owner.metadata.name},
                                                              {"uid", owner.metadata.uid},
                                                              {"controller", true},
                                                              {"blockOwnerDeletion", true}})})},
                                  {"uid", object.uid}})}}));
}

Patch ReleasePatch(const metav1::ObjectMeta& object, const metav1::ObjectMeta& owner) {
  return Patch::Strategic(Json::Object(
      {{"metadata",
        Json::Object({{"ownerReferences", Json::Array({Json::Object({{"$patch", "delete"}, {"uid", owner.uid}})})},
                      {"uid", object.uid}})}}));
}

Result<void> CheckAdopter(const metav1::ObjectMeta& owner, const metav1::ObjectMeta& now, std::string_view kind) {
  const std::string key = KeyOf(owner).ToString();
  if (now.uid != owner.uid) {
    return Error::NotFound(fmt::format("{} {} is gone: one with uid {} has its name, the cache knew {}", kind, key,
                                       now.uid.view(), owner.uid.view()));
  }
  if (IsBeingDeleted(now)) {
    return Error::Conflict(fmt::format("{} {} is being deleted since {}: it adopts nothing", kind, key,
                                       now.deletionTimestamp->ToString()));
  }
  return {};
}

std::string ControllerUidOf(const metav1::ObjectMeta& object) {
  const metav1::OwnerReference* controller = GetControllerOf(object);
  return controller != nullptr ? controller->uid.str() : std::string(kOrphan);
}

void EnqueueOwners(const ObjectEvent& event, const GroupKind& owner, const OwnersMatching& matching,
                   RequestSink<Request>& sink) {
  if (event.resync()) return;
  const metav1::ObjectMeta& now = event.metadata();
  const metav1::ObjectMeta* before = event.old_metadata();
  std::unordered_set<Request> added;
  const auto add = [&](const Request& request) {
    if (added.insert(request).second) sink.Add(request);
  };
  for (const metav1::ObjectMeta* state : {before, &now}) {
    const metav1::OwnerReference* controller = state != nullptr ? GetControllerOf(*state) : nullptr;
    if (controller == nullptr || controller->kind != owner.kind) continue;
    const std::string_view group_version = controller->apiVersion.view();
    const size_t slash = group_version.find('/');
    if ((slash == std::string_view::npos ? "" : group_version.substr(0, slash)) != owner.group) continue;
    add({.namespace_ = state->namespace_.str(), .name = controller->name.str()});
  }
  if (GetControllerOf(now) != nullptr || event.type() == ObjectEventType::kDeleted || IsBeingDeleted(now)) return;
  if (before != nullptr && GetControllerOf(*before) == nullptr && Equal(before->labels, now.labels)) return;
  for (const Request& request : matching(now)) add(request);
}

}  // namespace keelson::controllers::internal
