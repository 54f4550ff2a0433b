#include "keelson/controllers/deployment_plan.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "keelson/api/compare.h"
#include "keelson/api/finalizers.h"
#include "keelson/api/names.h"
#include "keelson/api/owner_references.h"

namespace keelson::controllers {

namespace {

using appsv1::Deployment;
using appsv1::ReplicaSet;

// About a hundred revisions.
constexpr size_t kMaxHistoryLength = 2000;

// Set by controllers and kubectl for one object: not for its ReplicaSets.
constexpr std::string_view kNotCopied[] = {"kubectl.kubernetes.io/last-applied-configuration",
                                           kRevision,
                                           kRevisionHistory,
                                           kDesiredReplicas,
                                           kMaxReplicas,
                                           "deprecated.deployment.rollback.to"};

int32_t SizeOf(const ReplicaSet& set) { return set.spec.replicas.value_or(1); }

bool IsOlder(const ReplicaSet& a, const ReplicaSet& b) {
  if (a.metadata.creationTimestamp != b.metadata.creationTimestamp) {
    return a.metadata.creationTimestamp < b.metadata.creationTimestamp;
  }
  return a.metadata.name < b.metadata.name;
}

template <class Number>
std::optional<Number> NumberIn(const metav1::ObjectMeta& object, std::string_view annotation) {
  const String* text = object.annotations.find(annotation);
  if (text == nullptr) return std::nullopt;
  Number number = 0;
  const char* const end = text->data() + text->size();
  const auto [stopped, error] = std::from_chars(text->data(), end, number);
  if (error != std::errc() || stopped != end) return std::nullopt;
  return number;
}

std::optional<int32_t> SizeIn(const ReplicaSet& set, std::string_view annotation) {
  const std::optional<int32_t> size = NumberIn<int32_t>(set.metadata, annotation);
  return size && *size >= 0 ? size : std::nullopt;
}

bool SetAnnotation(metav1::ObjectMeta& object, std::string_view key, const String& value) {
  const String* has = object.annotations.find(key);
  if (has != nullptr && *has == value) return false;
  object.annotations.Set(String(key), value);
  return true;
}

struct Fenceposts {
  int32_t surge = 0;
  int32_t unavailable = 0;
};
Fenceposts FencepostsOf(const Deployment& deployment) {
  const int32_t desired = DesiredReplicas(deployment);
  const appsv1::RollingUpdateDeployment& rolling = deployment.spec.strategy.rollingUpdate.OrDefault();
  // What a server has taken can be read.
  Fenceposts posts{.surge = rolling.maxSurge.OrDefault().Scaled(desired, true).value_or(0),
                   .unavailable = rolling.maxUnavailable.OrDefault().Scaled(desired, false).value_or(0)};
  if (posts.surge == 0 && posts.unavailable == 0) posts.unavailable = 1;
  return posts;
}

std::vector<const ReplicaSet*> ActiveOf(const ReplicaSets& sets) {
  std::vector<const ReplicaSet*> active = sets.All();
  std::erase_if(active, [](const ReplicaSet* set) { return SizeOf(*set) <= 0; });
  return active;
}

int32_t TotalSize(const std::vector<const ReplicaSet*>& sets) {
  int32_t total = 0;
  for (const ReplicaSet* set : sets) total += SizeOf(*set);
  return total;
}

// All that it may have is there and available, and it was sized for the Deployment as it is.
bool IsSaturated(const Deployment& deployment, const ReplicaSets& sets) {
  const int32_t desired = DesiredReplicas(deployment);
  return sets.current && SizeOf(*sets.current) == desired && SizeIn(*sets.current, kDesiredReplicas) == desired &&
         sets.current->status.availableReplicas == desired;
}

// By how much the set's share of the Deployment changes.
int32_t ShareOfChange(const Deployment& deployment, const ReplicaSet& set) {
  if (DesiredReplicas(deployment) == 0) return -SizeOf(set);
  const int32_t before = SizeIn(set, kMaxReplicas).value_or(0);
  // Without the annotation the present number of pods has to do.
  const int32_t total = before > 0 ? before : deployment.status.replicas;
  if (total == 0) return 0;
  const int64_t allowed = DesiredReplicas(deployment) + MaxSurge(deployment);
  const double share = static_cast<double>(SizeOf(set) * allowed) / static_cast<double>(total);
  return static_cast<int32_t>(std::llround(share)) - SizeOf(set);
}

std::vector<Resize> ShareOut(const Deployment& deployment, const ReplicaSets& sets) {
  std::vector<const ReplicaSet*> active = ActiveOf(sets);
  const int32_t desired = DesiredReplicas(deployment);
  const int32_t change = (desired > 0 ? desired + MaxSurge(deployment) : 0) - TotalSize(active);
  // The largest first; of equal ones the newer when growing, the older when shrinking.
  std::sort(active.begin(), active.end(), [change](const ReplicaSet* a, const ReplicaSet* b) {
    if (SizeOf(*a) != SizeOf(*b)) return SizeOf(*a) > SizeOf(*b);
    return change > 0 ? IsOlder(*b, *a) : IsOlder(*a, *b);
  });
  std::vector<Resize> resizes;
  int32_t left = change;
  for (const ReplicaSet* set : active) {
    const int32_t share = left == 0 ? 0 : ShareOfChange(deployment, *set);
    const int32_t part = change > 0 ? std::min(share, left) : std::max(share, left);
    resizes.push_back({.name = set->metadata.name.str(), .replicas = SizeOf(*set) + part, .annotate = true});
    left -= part;
  }
  if (!resizes.empty()) resizes[0].replicas = std::max(resizes[0].replicas + left, 0);
  return resizes;
}

}  // namespace

std::vector<const ReplicaSet*> ReplicaSets::All() const {
  std::vector<const ReplicaSet*> all;
  for (const ReplicaSet& set : old) all.push_back(&set);
  if (current) all.push_back(&*current);
  return all;
}

bool SameTemplate(const corev1::PodTemplateSpec& a, const corev1::PodTemplateSpec& b) {
  corev1::PodTemplateSpec first = a, second = b;
  first.metadata.labels.erase(kPodTemplateHash);
  second.metadata.labels.erase(kPodTemplateHash);
  return Equal(first, second);
}

ReplicaSets Arrange(const Deployment& deployment, std::vector<ReplicaSet> sets) {
  std::sort(sets.begin(), sets.end(), IsOlder);
  ReplicaSets arranged;
  for (ReplicaSet& set : sets) {
    if (!arranged.current && SameTemplate(set.spec.template_, deployment.spec.template_)) {
      arranged.current = std::move(set);
    } else {
      arranged.old.push_back(std::move(set));
    }
  }
  return arranged;
}

ReplicaSet NewReplicaSet(const Deployment& deployment, const std::string& hash) {
  std::string name = deployment.metadata.name.str().substr(0, names::kMaxSubdomainLength - 1 - hash.size());
  corev1::PodTemplateSpec pod_template = deployment.spec.template_;
  pod_template.metadata.labels.Set(kPodTemplateHash, hash);
  metav1::LabelSelector selector = deployment.spec.selector.OrDefault();
  selector.matchLabels.Set(kPodTemplateHash, hash);
  return {.metadata = {.name = name + "-" + hash,
                       .namespace_ = deployment.metadata.namespace_,
                       .labels = pod_template.metadata.labels},
          .spec = {.replicas = 0,
                   .minReadySeconds = deployment.spec.minReadySeconds,
                   .selector = selector,
                   .template_ = pod_template}};
}

bool IsRolling(const Deployment& deployment) { return deployment.spec.strategy.type == "RollingUpdate"; }

int32_t DesiredReplicas(const Deployment& deployment) { return deployment.spec.replicas.value_or(1); }

int32_t MaxSurge(const Deployment& deployment) { return IsRolling(deployment) ? FencepostsOf(deployment).surge : 0; }

int32_t MaxUnavailable(const Deployment& deployment) {
  if (!IsRolling(deployment)) return 0;
  return std::min(FencepostsOf(deployment).unavailable, DesiredReplicas(deployment));
}

int32_t NextReplicas(const Deployment& deployment, int32_t replicas, int32_t total) {
  const int32_t desired = DesiredReplicas(deployment);
  if (!IsRolling(deployment) || replicas >= desired) return desired;
  const int32_t room = desired + MaxSurge(deployment) - total;
  return room <= 0 ? replicas : replicas + std::min(room, desired - replicas);
}

std::vector<Resize> ShrinkOld(const Deployment& deployment, const ReplicaSets& sets) {
  std::vector<Resize> resizes;
  const int32_t least_available = DesiredReplicas(deployment) - MaxUnavailable(deployment);
  int32_t available = 0;
  // A status may be from before the last step: what was taken away since is not available any more.
  for (const ReplicaSet* set : sets.All()) available += std::min(set->status.availableReplicas, SizeOf(*set));
  // What the current one has asked for and does not have yet counts as missing.
  const int32_t missing = sets.current ? SizeOf(*sets.current) - sets.current->status.availableReplicas : 0;
  int32_t removable = TotalSize(sets.All()) - least_available - missing;
  if (removable <= 0) return resizes;

  std::vector<int32_t> sizes;
  for (const ReplicaSet& set : sets.old) sizes.push_back(SizeOf(set));
  const auto shrink = [&](size_t index, int32_t by) {
    sizes[index] -= by;
    resizes.push_back({.name = sets.old[index].metadata.name.str(), .replicas = sizes[index]});
  };
  for (size_t i = 0; i < sizes.size() && removable > 0; ++i) {
    const int32_t broken = sizes[i] - sets.old[i].status.availableReplicas;
    if (sizes[i] == 0 || broken <= 0) continue;
    const int32_t by = std::min(broken, removable);
    shrink(i, by);
    removable -= by;
  }
  int32_t spare = available - least_available;
  for (size_t i = 0; i < sizes.size() && spare > 0; ++i) {
    if (sizes[i] == 0) continue;
    const int32_t by = std::min(sizes[i], spare);
    shrink(i, by);
    spare -= by;
  }
  return resizes;
}

bool IsScaled(const Deployment& deployment, const ReplicaSets& sets) {
  for (const ReplicaSet* set : ActiveOf(sets)) {
    const std::optional<int32_t> sized_for = SizeIn(*set, kDesiredReplicas);
    if (sized_for && *sized_for != DesiredReplicas(deployment)) return true;
  }
  return false;
}

std::vector<Resize> FollowScale(const Deployment& deployment, const ReplicaSets& sets) {
  const std::vector<const ReplicaSet*> active = ActiveOf(sets);
  if (active.size() <= 1) {
    const ReplicaSet* only = !active.empty()     ? active[0]
                             : sets.current      ? &*sets.current
                             : !sets.old.empty() ? &sets.old.back()
                                                 : nullptr;
    if (only == nullptr || SizeOf(*only) == DesiredReplicas(deployment)) return {};
    return {{.name = only->metadata.name.str(), .replicas = DesiredReplicas(deployment)}};
  }
  if (IsSaturated(deployment, sets)) {
    std::vector<Resize> resizes;
    for (const ReplicaSet& set : sets.old) {
      if (SizeOf(set) > 0) resizes.push_back({.name = set.metadata.name.str(), .replicas = 0});
    }
    return resizes;
  }
  if (!IsRolling(deployment)) return {};
  return ShareOut(deployment, sets);
}

std::vector<const ReplicaSet*> Superfluous(const Deployment& deployment, const ReplicaSets& sets) {
  const int32_t limit = deployment.spec.revisionHistoryLimit.value_or(std::numeric_limits<int32_t>::max());
  std::vector<const ReplicaSet*> kept;
  for (const ReplicaSet& set : sets.old) {
    if (!IsBeingDeleted(set)) kept.push_back(&set);
  }
  if (limit == std::numeric_limits<int32_t>::max() || kept.size() <= static_cast<size_t>(std::max(limit, 0))) return {};
  std::sort(kept.begin(), kept.end(), [](const ReplicaSet* a, const ReplicaSet* b) {
    const int64_t first = RevisionOf(a->metadata), second = RevisionOf(b->metadata);
    return first != second ? first < second : IsOlder(*a, *b);
  });
  kept.resize(kept.size() - static_cast<size_t>(std::max(limit, 0)));
  std::erase_if(kept, [](const ReplicaSet* set) {
    return set->status.replicas != 0 || SizeOf(*set) != 0 || set->metadata.generation > set->status.observedGeneration;
  });
  return kept;
}

int64_t RevisionOf(const metav1::ObjectMeta& object) { return NumberIn<int64_t>(object, kRevision).value_or(0); }

bool Annotate(const Deployment& deployment, const std::vector<ReplicaSet>& old, ReplicaSet& current) {
  bool changed = false;
  for (const auto& [key, value] : deployment.metadata.annotations) {
    if (std::find(std::begin(kNotCopied), std::end(kNotCopied), key.view()) != std::end(kNotCopied)) continue;
    changed |= SetAnnotation(current.metadata, key.view(), value);
  }
  int64_t highest = 0;
  for (const ReplicaSet& set : old) highest = std::max(highest, RevisionOf(set.metadata));
  const String* text = current.metadata.annotations.find(kRevision);
  const std::string before = text != nullptr ? text->str() : "";
  // Somebody's own idea of a revision stays.
  if (!before.empty() && !NumberIn<int64_t>(current.metadata, kRevision)) return changed;
  if (RevisionOf(current.metadata) > highest) return changed;
  SetAnnotation(current.metadata, kRevision, std::to_string(highest + 1));
  if (before.empty()) return true;

  // A revision that it had before: this is a rollback to it.
  const String* kept = current.metadata.annotations.find(kRevisionHistory);
  std::string history = kept != nullptr ? kept->str() : "";
  while (!history.empty() && history.size() + 1 + before.size() > kMaxHistoryLength) {
    const size_t comma = history.find(',');
    history = comma == std::string::npos ? "" : history.substr(comma + 1);
  }
  SetAnnotation(current.metadata, kRevisionHistory, history.empty() ? before : history + "," + before);
  return true;
}

bool AnnotateSize(const Deployment& deployment, ReplicaSet& set) {
  const int32_t desired = DesiredReplicas(deployment);
  const bool changed = SetAnnotation(set.metadata, kDesiredReplicas, std::to_string(desired));
  return SetAnnotation(set.metadata, kMaxReplicas, std::to_string(desired + MaxSurge(deployment))) || changed;
}

}  // namespace keelson::controllers
