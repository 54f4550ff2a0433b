// What a Deployment decides, without doing it: how many replicas each of its ReplicaSets is to have next, which of them
// are no longer needed, and what their annotations say.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/api/apps/v1.h"
#include "keelson/core/result.h"

namespace keelson::controllers {

inline constexpr std::string_view kRevision = "deployment.kubernetes.io/revision";
inline constexpr std::string_view kRevisionHistory = "deployment.kubernetes.io/revision-history";
inline constexpr std::string_view kDesiredReplicas = "deployment.kubernetes.io/desired-replicas";
inline constexpr std::string_view kMaxReplicas = "deployment.kubernetes.io/max-replicas";
inline constexpr std::string_view kPodTemplateHash = "pod-template-hash";

// The ReplicaSets of a Deployment: the one that has its template now, if there is one, and all others, oldest first.
struct ReplicaSets {
  std::optional<appsv1::ReplicaSet> current = {};
  std::vector<appsv1::ReplicaSet> old = {};

  std::vector<const appsv1::ReplicaSet*> All() const;
};
// Of several with the template, the oldest is the current one.
ReplicaSets Arrange(const appsv1::Deployment& deployment, std::vector<appsv1::ReplicaSet> sets);
// But for the label pod-template-hash.
bool SameTemplate(const corev1::PodTemplateSpec& a, const corev1::PodTemplateSpec& b);

// As it is to be created; its replicas and annotations are not set yet. The name is cut so that it fits.
appsv1::ReplicaSet NewReplicaSet(const appsv1::Deployment& deployment, const std::string& hash);

bool IsRolling(const appsv1::Deployment& deployment);
int32_t DesiredReplicas(const appsv1::Deployment& deployment);
// How many pods more than desired there may be, and how many fewer available ones: percentages of the desired number,
// the first rounded up and the second down. Where both would be none, one may be unavailable. Both are 0 unless the
// update is rolling.
int32_t MaxSurge(const appsv1::Deployment& deployment);
int32_t MaxUnavailable(const appsv1::Deployment& deployment);

// A number of replicas for one of the ReplicaSets.
struct Resize {
  std::string name;
  int32_t replicas = 0;
  // Its annotations say the new size of the Deployment, whether or not its own changes.
  bool annotate = false;

  friend bool operator==(const Resize&, const Resize&) = default;
};

// What the current ReplicaSet, which may have `replicas` of `total` already, is to have next during a rollout.
int32_t NextReplicas(const appsv1::Deployment& deployment, int32_t replicas, int32_t total);
// How the old ones shrink next during a rolling update: first by what is not available anyway, then by as much as
// maxUnavailable allows. In the order of doing; one ReplicaSet may come twice.
std::vector<Resize> ShrinkOld(const appsv1::Deployment& deployment, const ReplicaSets& sets);

// Whether the Deployment was given another size since its active ReplicaSets were last sized.
bool IsScaled(const appsv1::Deployment& deployment, const ReplicaSets& sets);
// How they follow it: a single active one has all; several, in the middle of a rollout, share the difference by their
// sizes.
std::vector<Resize> FollowScale(const appsv1::Deployment& deployment, const ReplicaSets& sets);

// The old ones that go beyond revisionHistoryLimit and have no pods, lowest revision first.
std::vector<const appsv1::ReplicaSet*> Superfluous(const appsv1::Deployment& deployment, const ReplicaSets& sets);

// 0 where it has none, or one that is no number.
int64_t RevisionOf(const metav1::ObjectMeta& object);
// Gives the current ReplicaSet the Deployment's annotations and a revision above all old ones, and keeps its earlier
// revision in the history. Says whether anything changed.
bool Annotate(const appsv1::Deployment& deployment, const std::vector<appsv1::ReplicaSet>& old,
              appsv1::ReplicaSet& current);
bool AnnotateSize(const appsv1::Deployment& deployment, appsv1::ReplicaSet& set);

}  // namespace keelson::controllers
