#include "keelson/controllers/owner_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "keelson/api/compare.h"

namespace keelson::controllers {

namespace {

bool Blocks(const metav1::OwnerReference& owner) { return owner.blockOwnerDeletion && *owner.blockOwnerDeletion; }

bool RefersTo(const List<metav1::OwnerReference>& owners, const String& uid) {
  return std::any_of(owners.begin(), owners.end(), [&](const auto& owner) { return owner.uid == uid; });
}

bool IsBlocking(const List<metav1::OwnerReference>& owners, const String& uid) {
  return std::any_of(owners.begin(), owners.end(),
                     [&](const auto& owner) { return owner.uid == uid && Blocks(owner); });
}

// Another place for which some of the dependents take the owner that is not at `absent`: the next in order behind it,
// so that each place has its turn, or else the first.
std::optional<ObjectPlace> OtherPlace(const std::vector<const GraphNode*>& dependents, const ObjectPlace& absent) {
  const bool cluster_scoped = absent.namespace_.empty();
  std::set<ObjectPlace> places;
  for (const GraphNode* dependent : dependents) {
    for (const metav1::OwnerReference& owner : dependent->owners) {
      if (owner.uid != absent.uid) continue;
      ObjectPlace place = ObjectPlace::Of(owner, dependent->place.namespace_);
      // Of that kind it is known that it has no namespaces.
      if (cluster_scoped && place.kind == absent.kind && place.api_version == absent.api_version) {
        place.namespace_.clear();
      }
      if (place != absent) places.insert(std::move(place));
    }
  }
  if (places.empty()) return std::nullopt;
  const auto next = places.upper_bound(absent);
  return next != places.end() ? *next : *places.begin();
}

}  // namespace

std::string ToString(const ObjectPlace& place) {
  return fmt::format("[{}/{}, namespace: {}, name: {}, uid: {}]", place.api_version.view(), place.kind.view(),
                     place.namespace_.view(), place.name.view(), place.uid.view());
}

bool Contains(const List<metav1::OwnerReference>& owners, const metav1::OwnerReference& owner) {
  return std::any_of(owners.begin(), owners.end(), [&](const auto& one) { return Equal(one, owner); });
}

bool GraphNode::HasFinalizer(std::string_view name) const {
  return std::find(finalizers.begin(), finalizers.end(), name) != finalizers.end();
}

const GraphNode* OwnerGraph::Find(const String& uid) const {
  const auto found = nodes_.find(uid);
  return found == nodes_.end() ? nullptr : &found->second;
}

GraphNode* OwnerGraph::FindNode(const String& uid) {
  const auto found = nodes_.find(uid);
  return found == nodes_.end() ? nullptr : &found->second;
}

std::vector<const GraphNode*> OwnerGraph::BlockingDependents(const GraphNode& node, size_t most) const {
  std::vector<const GraphNode*> blocking;
  for (const String& uid : node.dependents) {
    if (blocking.size() >= most) break;
    const GraphNode* dependent = Find(uid);
    if (dependent != nullptr && IsBlocking(dependent->owners, node.place.uid)) blocking.push_back(dependent);
  }
  return blocking;
}

OwnerGraph::Partition OwnerGraph::DependentsBy(const GraphNode& owner, const ObjectPlace& place) const {
  Partition partition;
  for (const String& uid : owner.dependents) {
    const GraphNode* dependent = Find(uid);
    if (dependent == nullptr) continue;
    const bool reachable = place.namespace_.empty() || place.namespace_ == dependent->place.namespace_;
    bool matches = false, differs = false;
    for (const metav1::OwnerReference& reference : dependent->owners) {
      if (reference.uid != place.uid) continue;
      (reachable && place.IsMeantBy(reference) ? matches : differs) = true;
    }
    if (matches) partition.matching.push_back(dependent);
    if (differs) partition.nonmatching.push_back(dependent);
  }
  return partition;
}

void OwnerGraph::Link(const GraphNode& node, const std::vector<metav1::OwnerReference>& owners, GraphEffects& effects) {
  bool doubtful = false;
  const ObjectPlace place = node.place;
  for (const metav1::OwnerReference& reference : owners) {
    // `node` stays where it is: the map's elements do not move.
    const auto [found, is_new] = nodes_.try_emplace(reference.uid);
    GraphNode& owner = found->second;
    if (is_new) {
      owner.place = ObjectPlace::Of(reference, place.namespace_);
      effects.look.push_back(reference.uid);
    }
    owner.dependents.insert(place.uid);
    if (is_new) continue;
    // Its others were looked at when its deletion began.
    if (owner.waits_for_deletion()) doubtful = true;
    if (!owner.place.namespace_.empty() && owner.place.namespace_ != place.namespace_) {
      if (owner.observed) {
        effects.foreign_owners.emplace_back(place, ObjectPlace::Of(reference, place.namespace_));
      }
      doubtful = true;
    } else if (!owner.place.IsMeantBy(reference)) {
      doubtful = true;
    } else if (!owner.observed && owner.place.namespace_ != place.namespace_) {
      // Somebody without a namespace refers to it, and it may be of a kind that has them.
      doubtful = true;
    }
  }
  if (doubtful) effects.look.push_back(place.uid);
}

void OwnerGraph::Unlink(const String& dependent, const List<metav1::OwnerReference>& owners) {
  for (const metav1::OwnerReference& reference : owners) {
    const auto owner = nodes_.find(reference.uid);
    if (owner == nodes_.end()) continue;
    owner->second.dependents.erase(dependent);
    // Nobody refers to a virtual node any more, and no watch will say that it is gone.
    if (!owner->second.observed && owner->second.dependents.empty()) nodes_.erase(owner);
  }
}

void OwnerGraph::SetOwners(GraphNode& node, const List<metav1::OwnerReference>& owners, GraphEffects& effects) {
  const List<metav1::OwnerReference> before = std::exchange(node.owners, owners);
  if (before == owners) return;
  List<metav1::OwnerReference> left;
  for (const metav1::OwnerReference& reference : before) {
    if (!RefersTo(owners, reference.uid)) left.push_back(reference);
    // An owner whose deletion waited for this object may have waited for it alone.
    if (Blocks(reference) && !IsBlocking(owners, reference.uid) && Find(reference.uid) != nullptr) {
      effects.look.push_back(reference.uid);
    }
  }
  Unlink(node.place.uid, left);
  std::vector<metav1::OwnerReference> changed;
  for (const metav1::OwnerReference& reference : owners) {
    if (!Contains(before, reference)) changed.push_back(reference);
  }
  Link(node, changed, effects);
}

// The node is seen somewhere else than where it was thought to be.
void OwnerGraph::MoveTo(GraphNode& node, const ObjectPlace& place, GraphEffects& effects) {
  for (const GraphNode* dependent : DependentsBy(node, place).nonmatching) {
    const ObjectPlace& from = dependent->place;
    if (!place.namespace_.empty() && from.namespace_ != place.namespace_) {
      for (const metav1::OwnerReference& reference : dependent->owners) {
        if (reference.uid != place.uid) continue;
        effects.foreign_owners.emplace_back(from, ObjectPlace::Of(reference, from.namespace_));
        break;
      }
    }
    effects.look.push_back(from.uid);
  }
  node.place = place;
}

GraphEffects OwnerGraph::Observe(const ObjectPlace& place, const metav1::ObjectMeta& metadata) {
  GraphEffects effects;
  GraphNode& node = nodes_[place.uid];
  if (node.place.uid.empty()) {
    node.place = place;
  } else if (node.place != place) {
    MoveTo(node, place, effects);
  }
  const bool was_orphaning = node.waits_for_orphaning();
  const bool was_waiting = node.waits_for_deletion();
  node.observed = true;
  node.deleting = metadata.deletionTimestamp.has_value();
  node.resource_version = metadata.resourceVersion;
  node.finalizers = metadata.finalizers;
  SetOwners(node, metadata.ownerReferences, effects);
  if (node.waits_for_orphaning()) {
    if (!was_orphaning) effects.look.push_back(place.uid);
  } else if (node.waits_for_deletion() && !was_waiting) {
    effects.look.insert(effects.look.end(), node.dependents.begin(), node.dependents.end());
    effects.look.push_back(place.uid);
  }
  return effects;
}

void OwnerGraph::Remove(GraphNode& node, const ObjectPlace& place, GraphEffects& effects) {
  if (!node.dependents.empty()) effects.absent.push_back(place);
  effects.look.insert(effects.look.end(), node.dependents.begin(), node.dependents.end());
  Unlink(place.uid, node.owners);
  for (const metav1::OwnerReference& reference : node.owners) {
    const GraphNode* owner = Find(reference.uid);
    if (owner != nullptr && owner->waits_for_deletion() && BlockingDependents(*owner, 1).empty()) {
      effects.look.push_back(reference.uid);
    }
  }
  nodes_.erase(place.uid);
}

GraphEffects OwnerGraph::Forget(const String& uid) {
  GraphEffects effects;
  if (GraphNode* node = FindNode(uid)) Remove(*node, ObjectPlace(node->place), effects);
  return effects;
}

GraphEffects OwnerGraph::Deny(const ObjectPlace& place) {
  GraphEffects effects;
  GraphNode* node = FindNode(place.uid);
  if (node == nullptr) return effects;
  if (node->observed && node->place == place) return effects;  // the watch of it will say so
  const Partition dependents = DependentsBy(*node, place);
  if (!node->observed && dependents.nonmatching.empty()) {
    Remove(*node, place, effects);
    return effects;
  }
  // Others take it to be elsewhere, or it is.
  if (!dependents.matching.empty()) effects.absent.push_back(place);
  for (const GraphNode* dependent : dependents.matching) effects.look.push_back(dependent->place.uid);
  ObjectPlace thought = node->place;
  if (place.namespace_.empty()) thought.namespace_.clear();
  if (!node->observed && thought == place) {
    if (const std::optional<ObjectPlace> other = OtherPlace(dependents.nonmatching, place)) {
      node->place = *other;
      effects.look_later.push_back(place.uid);
    }
  }
  return effects;
}

namespace {

void Append(GraphEffects& all, GraphEffects more) {
  all.look.insert(all.look.end(), more.look.begin(), more.look.end());
  all.look_later.insert(all.look_later.end(), more.look_later.begin(), more.look_later.end());
  all.foreign_owners.insert(all.foreign_owners.end(), more.foreign_owners.begin(), more.foreign_owners.end());
  all.absent.insert(all.absent.end(), more.absent.begin(), more.absent.end());
}

}  // namespace

GraphEffects OwnerGraph::ForgetOthers(std::string_view api_version, std::string_view kind,
                                      const std::set<String>& listed) {
  std::set<String> gone;
  for (const auto& [uid, node] : nodes_) {
    if (node.observed && node.place.kind == kind && node.place.api_version == api_version && !listed.contains(uid)) {
      gone.insert(uid);
    }
  }
  GraphEffects effects;
  for (const String& uid : gone) Append(effects, Forget(uid));
  return effects;
}

GraphEffects OwnerGraph::Unwatch(std::string_view api_version, std::string_view kind) {
  std::set<String> unseen;
  for (const auto& [uid, node] : nodes_) {
    if (node.observed && node.place.kind == kind && node.place.api_version == api_version) unseen.insert(uid);
  }
  GraphEffects effects;
  for (const String& uid : unseen) {
    GraphNode& node = nodes_.at(uid);
    if (node.dependents.empty()) {
      Remove(node, ObjectPlace(node.place), effects);
      continue;
    }
    SetOwners(node, {}, effects);
    node.observed = node.deleting = false;
    node.finalizers = {};
    node.resource_version = {};
    effects.look.push_back(uid);
  }
  return effects;
}

}  // namespace keelson::controllers
