#include "keelson/controllers/garbage_collector_work.h"

#include <algorithm>
#include <utility>

#include "keelson/api/status_error.h"
#include "keelson/client/rest_mapper.h"
#include "keelson/codec/convert.h"
#include "keelson/core/clock.h"

namespace keelson::controllers {

using namespace std::chrono_literals;

namespace {

constexpr int kMostConflicts = 5;

ObjectPlace PlaceOf(const Resource& resource, const metav1::ObjectMeta& metadata) {
  return {.kind = resource.kind,
          .api_version = GroupVersion{resource.group, resource.version}.ToString(),
          .namespace_ = metadata.namespace_,
          .name = metadata.name,
          .uid = metadata.uid};
}

Error NotServed(const ObjectPlace& place) {
  return Error::Unsupported("the server has no kind " + place.kind.str() + " in " + place.api_version.str())
      .WithDetail(std::make_shared<NoMatchDetail>());
}

bool IsGone(const Result<void>& result) { return !result && IsNotFound(result.error()); }

}  // namespace

GarbageCollector::GarbageCollector(Client reader, Client writer, EventRecorder events, MonitorOptions options,
                                   Duration patience)
    : client_(std::move(writer)),
      reader_(std::move(reader)),
      events_(std::move(events)),
      options_(std::move(options)),
      patience_(patience) {}

GarbageCollector::~GarbageCollector() = default;

Result<void> GarbageCollector::Start(RequestQueue<std::string>& queue) {
  {
    MutexLock lock(mutex_);
    queue_ = &queue;
  }
  monitors_ = std::make_unique<KindMonitors>(reader_, *this, options_);
  monitors_->Start();
  return {};
}

Wake GarbageCollector::WaitForSync(const StopToken& stop, TimePoint deadline) const {
  return monitors_->WaitForSync(patience_, stop, deadline);
}

void GarbageCollector::Stop() {
  monitors_->Stop();
  MutexLock lock(mutex_);
  queue_ = nullptr;
}

void GarbageCollector::Enqueue(const String& uid) {
  if (queue_ != nullptr) queue_->Add(uid.str());
}

void GarbageCollector::Remember(GraphEffects effects) {
  for (const ObjectPlace& place : effects.absent) {
    const std::string text = ToString(place);
    if (absent_.Find(text) == nullptr) absent_.Add(text, true);
  }
  for (const auto& [dependent, owner] : effects.foreign_owners) {
    const corev1::ObjectReference reference{.kind = dependent.kind,
                                            .namespace_ = dependent.namespace_,
                                            .name = dependent.name,
                                            .uid = dependent.uid,
                                            .apiVersion = dependent.api_version};
    events_.Eventf(reference, EventType::kWarning, "OwnerRefInvalidNamespace",
                   "ownerRef {} does not exist in namespace \"{}\"", ToString(owner), dependent.namespace_);
  }
  for (const String& uid : effects.look) Enqueue(uid);
  for (const String& uid : effects.look_later) {
    if (queue_ != nullptr) queue_->AddRateLimited(uid.str());
  }
}

void GarbageCollector::OnList(const Resource& resource, const std::vector<ObjectPtr>& objects) {
  std::set<String> listed;
  for (const ObjectPtr& object : objects) {
    const metav1::ObjectMeta& metadata = static_cast<const metav1::PartialObjectMetadata*>(object.get())->metadata;
    listed.insert(metadata.uid);
    OnChange(resource, metadata);
  }
  MutexLock lock(mutex_);
  Remember(graph_.ForgetOthers(GroupVersion{resource.group, resource.version}.ToString(), resource.kind, listed));
}

void GarbageCollector::OnChange(const Resource& resource, const metav1::ObjectMeta& metadata) {
  if (metadata.uid.empty()) return;
  MutexLock lock(mutex_);
  Remember(graph_.Observe(PlaceOf(resource, metadata), metadata));
}

void GarbageCollector::OnDelete(const Resource&, const metav1::ObjectMeta& metadata) {
  MutexLock lock(mutex_);
  Remember(graph_.Forget(metadata.uid));
}

void GarbageCollector::OnUnwatched(const Resource& resource) {
  MutexLock lock(mutex_);
  Remember(graph_.Unwatch(GroupVersion{resource.group, resource.version}.ToString(), resource.kind));
}

void GarbageCollector::OnKindsChanged() {
  MutexLock lock(mutex_);
  ++kinds_version_;
  for (const String& uid : std::exchange(of_unknown_kind_, {})) Enqueue(uid);
}

Result<Outcome> GarbageCollector::Reconcile(Context& context, const std::string& uid) {
  GraphNode node;
  uint64_t kinds_version = 0;
  {
    MutexLock lock(mutex_);
    const GraphNode* found = graph_.Find(uid);
    if (found == nullptr) {
      orphaning_.erase(uid);
      return Outcome::Done();
    }
    // All but the dependents, which may be many.
    node = {.place = found->place,
            .observed = found->observed,
            .deleting = found->deleting,
            .resource_version = found->resource_version,
            .finalizers = found->finalizers,
            .owners = found->owners};
    kinds_version = kinds_version_;
  }
  Result<Outcome> outcome = Look(context, node);
  if (outcome || !IsNoMatch(outcome.error())) return outcome;
  context.log().V(2).Info("Left alone until the server has the kind", "item", ToString(node.place), "reason",
                          outcome.error().message());
  MutexLock lock(mutex_);
  of_unknown_kind_.insert(uid);
  if (kinds_version != kinds_version_) return Outcome::After(0s);
  return Outcome::Done();
}

Result<Outcome> GarbageCollector::Look(Context& context, const GraphNode& node) {
  if (!node.observed) return LookForVirtual(context, node);
  if (node.waits_for_orphaning()) return Orphan(context, node);
  if (node.waits_for_deletion()) return CompleteForeground(context, node);
  // A deletion that waits for others cannot be called off, and its end will be told.
  if (node.deleting || node.owners.empty()) return Outcome::Done();
  return Collect(context, node);
}

Result<Resource> GarbageCollector::ResourceOf(const ObjectPlace& place) const {
  const Result<GroupVersion> version = GroupVersion::Parse(place.api_version);
  if (!version) return NotServed(place);
  std::optional<Resource> resource = monitors_->ResourceOf({version->group, version->version, place.kind.str()});
  if (!resource) return NotServed(place);
  return *std::move(resource);
}

Result<GarbageCollector::Item> GarbageCollector::ItemOf(const GraphNode& node) const {
  KEELSON_TRY(resource, ResourceOf(node.place));
  return Item{.place = node.place,
              .resource = std::move(resource),
              .resource_version = node.resource_version,
              .finalizers = node.finalizers,
              .owners = node.owners,
              .deleting = node.deleting};
}

ObjectKey GarbageCollector::Item::key() const { return {.namespace_ = place.namespace_, .name = place.name}; }

Result<std::optional<metav1::PartialObjectMetadata>> GarbageCollector::GetLive(const Resource& resource,
                                                                               const ObjectKey& key) const {
  Result<metav1::PartialObjectMetadata> found = client_.GetMetadata(resource, key);
  if (found) return std::optional(*std::move(found));
  if (!IsNotFound(found.error())) return found.error();
  // Not the object is unknown but its resource: that says nothing about the object.
  if (HasStatusCause(found.error(), "UnexpectedServerResponse")) {
    monitors_->LookAgain();
    return Error(found.error()).WithDetail(std::make_shared<NoMatchDetail>());
  }
  return std::optional<metav1::PartialObjectMetadata>();
}

Result<std::optional<GarbageCollector::Item>> GarbageCollector::Refreshed(const Item& item) const {
  KEELSON_TRY(live, GetLive(item.resource, item.key()));
  if (!live || live->metadata.uid != item.place.uid) return std::optional<Item>();
  Item fresh = item;
  fresh.resource_version = live->metadata.resourceVersion;
  fresh.finalizers = live->metadata.finalizers;
  fresh.owners = live->metadata.ownerReferences;
  fresh.deleting = live->metadata.deletionTimestamp.has_value();
  return std::optional(std::move(fresh));
}

Result<Outcome> GarbageCollector::LookForVirtual(Context& context, const GraphNode& node) {
  ObjectPlace place = node.place;
  KEELSON_TRY(resource, ResourceOf(place));
  if (resource.scope == ResourceScope::kNamespaced) {
    // Somebody without a namespace refers to it: there is no place to look at.
    if (place.namespace_.empty()) return Outcome::Done();
  } else {
    place.namespace_.clear();
  }
  KEELSON_TRY(live, GetLive(resource, {.namespace_ = place.namespace_, .name = place.name}));
  // It is there, and its watch will show it.
  if (live && live->metadata.uid == place.uid) return Outcome::Retry();
  context.log().V(2).Info("An owner is not there", "owner", ToString(place));
  MutexLock lock(mutex_);
  Remember(graph_.Deny(place));
  return Outcome::Done();
}

Result<GarbageCollector::OwnerState> GarbageCollector::StateOf(const metav1::OwnerReference& owner,
                                                               const ObjectPlace& of) {
  ObjectPlace place = ObjectPlace::Of(owner, of.namespace_);
  {
    MutexLock lock(mutex_);
    if (absent_.Find(ToString(place)) != nullptr) return OwnerState::kAbsent;
    if (absent_.Find(ToString(ObjectPlace::Of(owner, {}))) != nullptr) return OwnerState::kAbsent;
    const GraphNode* node = graph_.Find(owner.uid);
    if (node != nullptr && node->observed && node->place.IsMeantBy(owner) &&
        (node->place.namespace_.empty() || node->place.namespace_ == of.namespace_)) {
      return node->waits_for_deletion() ? OwnerState::kWaiting : OwnerState::kSolid;
    }
  }
  KEELSON_TRY(resource, ResourceOf(place));
  if (resource.scope != ResourceScope::kNamespaced) {
    place.namespace_.clear();
  } else if (of.namespace_.empty()) {
    return OwnerState::kMisplaced;
  }
  KEELSON_TRY(live, GetLive(resource, {.namespace_ = place.namespace_, .name = place.name}));
  if (!live || live->metadata.uid != owner.uid) {
    MutexLock lock(mutex_);
    Remember({.absent = {place}});
    return OwnerState::kAbsent;
  }
  const GraphNode seen{.deleting = live->metadata.deletionTimestamp.has_value(),
                       .finalizers = live->metadata.finalizers};
  return seen.waits_for_deletion() ? OwnerState::kWaiting : OwnerState::kSolid;
}

Result<GarbageCollector::Owners> GarbageCollector::Classify(const Item& item) {
  Owners owners;
  for (const metav1::OwnerReference& owner : item.owners) {
    KEELSON_TRY(state, StateOf(owner, item.place));
    switch (state) {
      case OwnerState::kSolid: owners.solid = true; break;
      case OwnerState::kMisplaced: owners.misplaced = true; break;
      case OwnerState::kWaiting: owners.waiting = true; [[fallthrough]];
      case OwnerState::kAbsent: owners.not_solid.push_back(owner); break;
    }
  }
  return owners;
}

Result<Propagation> GarbageCollector::PropagationFor(Context& context, Item& item, const Owners& owners) const {
  bool has_dependents = false;
  bool has_waiting_dependent = false;
  {
    MutexLock lock(mutex_);
    if (const GraphNode* node = graph_.Find(item.place.uid)) {
      has_dependents = !node->dependents.empty();
      has_waiting_dependent = std::any_of(node->dependents.begin(), node->dependents.end(), [&](const String& uid) {
        const GraphNode* dependent = graph_.Find(uid);
        return dependent != nullptr && dependent->waits_for_deletion();
      });
    }
  }
  if (owners.waiting && has_dependents) {
    if (has_waiting_dependent) {
      // Perhaps a cycle, in which each would wait for the next for ever.
      context.log().V(2).Info("Takes care that the item does not block its owners", "item", ToString(item.place));
      KEELSON_RETURN_IF_ERROR(Unblock(item));
      KEELSON_TRY(fresh, Refreshed(item));
      if (fresh) item = *std::move(fresh);
    }
    return Propagation::kForeground;
  }
  const GraphNode wishes{.finalizers = item.finalizers};
  if (wishes.HasFinalizer(kOrphanFinalizer)) return Propagation::kOrphan;
  if (wishes.HasFinalizer(kForegroundFinalizer)) return Propagation::kForeground;
  return Propagation::kBackground;
}

Result<Outcome> GarbageCollector::Collect(Context& context, const GraphNode& node) {
  KEELSON_TRY(item, ItemOf(node));
  Result<void> deleted;
  for (int attempt = 0; attempt < kMostConflicts; ++attempt) {
    if (item.deleting || item.owners.empty()) return Outcome::Done();
    KEELSON_TRY(owners, Classify(item));
    if (owners.misplaced) return Outcome::Done();
    if (owners.solid) {
      if (owners.not_solid.empty()) return Outcome::Done();
      KEELSON_RETURN_IF_ERROR(RemoveOwners(item, [&](const auto& owner) { return Contains(owners.not_solid, owner); }));
      return Outcome::Done();
    }
    KEELSON_TRY(propagation, PropagationFor(context, item, owners));
    context.log().V(2).Info("Deleting item", "item", ToString(item.place));
    DeleteOptions options{.uid = item.place.uid, .resource_version = item.resource_version, .propagation = propagation};
    deleted = client_.Delete(item.resource, item.key(), options);
    if (deleted || IsGone(deleted)) return Outcome::Done();
    if (!IsConflict(deleted.error())) return deleted.error();
    KEELSON_TRY(fresh, Refreshed(item));
    if (!fresh) return Outcome::Done();
    if (fresh->owners == item.owners) {
      // The change has nothing to do with owners: objects that change all the time must go too.
      options.resource_version.clear();
      deleted = client_.Delete(item.resource, item.key(), options);
      if (deleted || IsGone(deleted)) return Outcome::Done();
      return deleted.error();
    }
    item = *std::move(fresh);
  }
  return deleted.error();
}

Result<Outcome> GarbageCollector::CompleteForeground(Context& context, const GraphNode& node) {
  {
    MutexLock lock(mutex_);
    const GraphNode* owner = graph_.Find(node.place.uid);
    if (owner == nullptr) return Outcome::Done();
    const std::vector<const GraphNode*> blocking = graph_.BlockingDependents(*owner);
    for (const GraphNode* dependent : blocking) {
      if (!dependent->waits_for_deletion()) Enqueue(dependent->place.uid);
    }
    if (!blocking.empty()) return Outcome::Done();
  }
  context.log().V(2).Info("The item's dependents are gone", "item", ToString(node.place));
  KEELSON_TRY(item, ItemOf(node));
  KEELSON_RETURN_IF_ERROR(RemoveFinalizer(item, kForegroundFinalizer));
  return Outcome::Done();
}

bool GarbageCollector::MustWaitForOthers(const String& uid) {
  const bool all_seen = monitors_->AllSeen();
  MutexLock lock(mutex_);
  const TimePoint since = orphaning_.try_emplace(uid, Clock::Now()).first->second;
  if (!all_seen && Clock::Now() < since + patience_) return true;
  orphaning_.erase(uid);
  return false;
}

Result<Outcome> GarbageCollector::Orphan(Context& context, const GraphNode& node) {
  // What is not seen as a dependent now would be deleted as one later.
  if (MustWaitForOthers(node.place.uid)) return Outcome::After(1s);
  std::vector<GraphNode> dependents;
  {
    MutexLock lock(mutex_);
    const GraphNode* owner = graph_.Find(node.place.uid);
    if (owner == nullptr) return Outcome::Done();
    for (const String& uid : owner->dependents) {
      const GraphNode* dependent = graph_.Find(uid);
      if (dependent == nullptr) continue;
      dependents.push_back({.place = dependent->place,
                            .observed = true,
                            .resource_version = dependent->resource_version,
                            .finalizers = dependent->finalizers,
                            .owners = dependent->owners});
    }
  }
  context.log().V(2).Info("Lets dependents go", "item", ToString(node.place), "dependents", dependents.size());
  for (const GraphNode& dependent : dependents) {
    KEELSON_TRY(item, ItemOf(dependent));
    const Result<void> left = RemoveOwners(item, [&](const auto& owner) { return owner.uid == node.place.uid; });
    if (!left) return Error(left.error()).WithContext("orphaning " + ToString(dependent.place));
  }
  KEELSON_TRY(item, ItemOf(node));
  KEELSON_RETURN_IF_ERROR(RemoveFinalizer(item, kOrphanFinalizer));
  return Outcome::Done();
}

Result<void> GarbageCollector::PatchMetadata(Item item,
                                             const std::function<std::optional<Json>(const Item&)>& change) const {
  const Target target{.type = &TypeOf<metav1::PartialObjectMetadata>(), .resource = &item.resource};
  Result<void> patched;
  for (int attempt = 0; attempt < kMostConflicts; ++attempt) {
    std::optional<Json> metadata = change(item);
    if (!metadata) return {};
    // Only if nobody has changed it meanwhile.
    metadata->object()["resourceVersion"] = item.resource_version;
    metav1::PartialObjectMetadata answer;
    patched =
        client_.PatchObject(target, item.key(), {}, Patch::Merge(Json::Object({{"metadata", *metadata}})), {}, &answer);
    if (patched || IsGone(patched)) return {};
    if (!IsConflict(patched.error())) return patched;
    KEELSON_TRY(fresh, Refreshed(item));
    if (!fresh) return {};
    item = *std::move(fresh);
  }
  return patched;
}

Result<void> GarbageCollector::RemoveOwners(const Item& item, const OwnerPredicate& removed) const {
  return PatchMetadata(item, [&](const Item& now) -> std::optional<Json> {
    List<metav1::OwnerReference> kept;
    for (const metav1::OwnerReference& owner : now.owners) {
      if (!removed(owner)) kept.push_back(owner);
    }
    if (kept.size() == now.owners.size()) return std::nullopt;
    return Json::Object({{"ownerReferences", kept.empty() ? Json() : ToJsonValue(kept)}});
  });
}

Result<void> GarbageCollector::Unblock(const Item& item) const {
  return PatchMetadata(item, [](const Item& now) -> std::optional<Json> {
    List<metav1::OwnerReference> owners = now.owners;
    for (size_t i = 0; i < owners.size(); ++i) {
      if (std::as_const(owners)[i].blockOwnerDeletion == true) owners[i].blockOwnerDeletion = false;
    }
    if (owners == now.owners) return std::nullopt;
    return Json::Object({{"ownerReferences", ToJsonValue(owners)}});
  });
}

Result<void> GarbageCollector::RemoveFinalizer(const Item& item, std::string_view finalizer) const {
  return PatchMetadata(item, [&](const Item& now) -> std::optional<Json> {
    List<String> kept;
    for (const String& one : now.finalizers) {
      if (one != finalizer) kept.push_back(one);
    }
    if (kept.size() == now.finalizers.size()) return std::nullopt;
    return Json::Object({{"finalizers", kept.empty() ? Json() : ToJsonValue(kept)}});
  });
}

}  // namespace keelson::controllers
