#include "keelson/controllers/deployment_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "keelson/controllers/deployment_status.h"

namespace keelson::controllers {
namespace {

using namespace std::chrono_literals;
using appsv1::Deployment;
using appsv1::ReplicaSet;
using testing::ElementsAre;

constexpr int64_t kNow = 1'800'000'000;
const WallTime kWallNow = WallTime(std::chrono::seconds(kNow));

Deployment Rolling(int32_t replicas, IntOrString surge, IntOrString unavailable) {
  Deployment deployment;
  deployment.metadata = {.name = "web", .namespace_ = "default", .uid = "1", .generation = 1};
  deployment.spec.replicas = replicas;
  deployment.spec.strategy.type = "RollingUpdate";
  deployment.spec.strategy.rollingUpdate =
      appsv1::RollingUpdateDeployment{.maxUnavailable = unavailable, .maxSurge = surge};
  return deployment;
}
ReplicaSet Set(const std::string& name, int32_t replicas, int32_t available, int64_t age = 100) {
  ReplicaSet set;
  set.metadata = {.name = name, .creationTimestamp = metav1::Time::FromUnix(kNow - age)};
  set.spec.replicas = replicas;
  set.status = {.replicas = replicas, .readyReplicas = available, .availableReplicas = available};
  return set;
}
ReplicaSet SizedFor(ReplicaSet set, int desired, int most) {
  set.metadata.annotations.Set(kDesiredReplicas, std::to_string(desired));
  set.metadata.annotations.Set(kMaxReplicas, std::to_string(most));
  return set;
}
std::vector<std::string> Texts(const std::vector<Resize>& resizes) {
  std::vector<std::string> texts;
  for (const Resize& one : resizes) texts.push_back(one.name + "=" + std::to_string(one.replicas));
  return texts;
}

TEST(DeploymentPlan, SurgeIsRoundedUpAndUnavailabilityDown) {
  struct Case {
    int32_t replicas;
    IntOrString surge, unavailable;
    int32_t more, fewer;
  };
  const Case cases[] = {{4, "25%", "25%", 1, 1}, {10, "25%", "25%", 3, 2}, {1, "25%", "25%", 1, 0},
                        {2, "0%", "1%", 0, 1},   {2, 0, 0, 0, 1},          {3, 5, 10, 5, 3},
                        {0, "25%", "25%", 0, 0}, {7, "100%", "0%", 7, 0},  {100, "1%", "1%", 1, 1}};
  for (const Case& one : cases) {
    const Deployment deployment = Rolling(one.replicas, one.surge, one.unavailable);
    EXPECT_EQ(MaxSurge(deployment), one.more) << one.replicas << " " << one.surge.ToString();
    EXPECT_EQ(MaxUnavailable(deployment), one.fewer) << one.replicas << " " << one.unavailable.ToString();
  }
  Deployment recreated = Rolling(4, "25%", "25%");
  recreated.spec.strategy.type = "Recreate";
  EXPECT_EQ(MaxSurge(recreated), 0);
  EXPECT_EQ(MaxUnavailable(recreated), 0);
}

TEST(DeploymentPlan, TheCurrentReplicaSetGrowsIntoTheRoomThatThereIs) {
  struct Case {
    int32_t desired, surge, replicas, total, next;
  };
  const Case cases[] = {{10, 3, 0, 10, 3}, {10, 3, 3, 13, 3}, {10, 3, 3, 11, 5}, {10, 3, 9, 9, 10},
                        {10, 0, 0, 10, 0}, {10, 0, 0, 8, 2},  {5, 1, 8, 8, 5},   {0, 1, 0, 0, 0}};
  for (const Case& one : cases) {
    EXPECT_EQ(NextReplicas(Rolling(one.desired, one.surge, 1), one.replicas, one.total), one.next)
        << one.desired << " with " << one.replicas << " of " << one.total;
  }
  Deployment recreated = Rolling(4, 1, 1);
  recreated.spec.strategy.type = "Recreate";
  EXPECT_EQ(NextReplicas(recreated, 0, 0), 4);
}

TEST(DeploymentPlan, OldReplicaSetsShrinkByWhatIsBrokenThenByWhatCanBeSpared) {
  const Deployment deployment = Rolling(10, 3, 2);
  // All available: two may go at once.
  EXPECT_THAT(Texts(ShrinkOld(deployment, {.current = Set("new", 3, 0), .old = {Set("old", 10, 10)}})),
              ElementsAre("old=8"));
  // What the new one lacks is not taken from the old one as well.
  EXPECT_THAT(Texts(ShrinkOld(deployment, {.current = Set("new", 5, 0), .old = {Set("old", 8, 8)}})), ElementsAre());
  EXPECT_THAT(Texts(ShrinkOld(deployment, {.current = Set("new", 5, 0), .old = {Set("old", 8, 7)}})), ElementsAre());
  // As its pods become available, so many go.
  EXPECT_THAT(Texts(ShrinkOld(deployment, {.current = Set("new", 5, 4), .old = {Set("old", 8, 8)}})),
              ElementsAre("old=4"));
  // Broken ones first, oldest ReplicaSet first, and one may come twice.
  EXPECT_THAT(
      Texts(ShrinkOld(deployment, {.current = Set("new", 2, 2), .old = {Set("older", 4, 1), Set("old", 7, 7)}})),
      ElementsAre("older=1", "older=0", "old=6"));
  EXPECT_THAT(Texts(ShrinkOld(deployment, {.current = Set("new", 0, 0), .old = {Set("a", 8, 8), Set("b", 5, 0)}})),
              ElementsAre("b=0"));
  // A status from before the last step does not let more go.
  EXPECT_THAT(Texts(ShrinkOld(Rolling(4, 1, 1), {.current = Set("new", 3, 2), .old = {Set("old", 2, 3)}})),
              ElementsAre("old=1"));
}

TEST(DeploymentPlan, AScaledDeploymentIsSharedBySize) {
  struct Case {
    int32_t desired, surge;
    int before, most;            // what the ReplicaSets were sized for
    std::vector<int32_t> sizes;  // of the current one, then of old ones from the newest
    std::vector<std::string> expected;
  };
  const Case cases[] = {
      {12, 0, 10, 10, {10}, {"current=12"}},
      {5, 0, 10, 10, {10}, {"current=5"}},
      {12, 0, 10, 10, {5, 5}, {"current=6", "old-0=6"}},
      {5, 0, 10, 10, {5, 5}, {"old-0=2", "current=3"}},
      {20, 0, 10, 10, {1, 2, 7}, {"old-1=14", "old-0=4", "current=2"}},
      {0, 0, 10, 10, {3, 7}, {"old-0=0", "current=0"}},
      {30, 3, 10, 13, {5, 8}, {"old-0=20", "current=13"}},
      {10, 0, 10, 10, {4, 6}, {"old-0=6", "current=4"}},
  };
  for (const Case& one : cases) {
    const Deployment deployment = Rolling(one.desired, one.surge, 1);
    ReplicaSets sets;
    sets.current = SizedFor(Set("current", one.sizes[0], 0, 10), one.before, one.most);
    for (size_t i = one.sizes.size(); i-- > 1;) {
      sets.old.push_back(
          SizedFor(Set("old-" + std::to_string(i - 1), one.sizes[i], one.sizes[i], static_cast<int64_t>(100 * i)),
                   one.before, one.most));
    }
    EXPECT_EQ(IsScaled(deployment, sets), one.desired != one.before) << one.desired;
    EXPECT_EQ(Texts(FollowScale(deployment, sets)), one.expected) << one.before << " to " << one.desired;
  }
}

TEST(DeploymentPlan, WithoutActiveReplicaSetsTheNewestIsScaled) {
  const Deployment deployment = Rolling(3, 1, 1);
  EXPECT_THAT(Texts(FollowScale(deployment, {.old = {Set("older", 0, 0, 200), Set("old", 0, 0, 100)}})),
              ElementsAre("old=3"));
  EXPECT_THAT(Texts(FollowScale(deployment, {})), ElementsAre());
  // Beside a current one that has everything, others have nothing.
  EXPECT_THAT(Texts(FollowScale(deployment, {.current = SizedFor(Set("new", 3, 3), 3, 4), .old = {Set("old", 2, 2)}})),
              ElementsAre("old=0"));
}

TEST(DeploymentPlan, HistoryBeyondTheLimitGoesUnlessItHasPods) {
  Deployment deployment = Rolling(1, 1, 1);
  ReplicaSets sets;
  for (int revision : {3, 1, 2, 4}) {
    ReplicaSet set = Set("r" + std::to_string(revision), revision == 2 ? 1 : 0, 0);
    set.metadata.annotations.Set(kRevision, std::to_string(revision));
    sets.old.push_back(set);
  }
  EXPECT_TRUE(Superfluous(deployment, sets).empty()) << "no limit";
  deployment.spec.revisionHistoryLimit = 1;
  std::vector<std::string> names;
  for (const ReplicaSet* set : Superfluous(deployment, sets)) names.push_back(set->metadata.name.str());
  EXPECT_THAT(names, ElementsAre("r1", "r3"));
  deployment.spec.revisionHistoryLimit = 4;
  EXPECT_TRUE(Superfluous(deployment, sets).empty());
}

TEST(DeploymentPlan, AnnotationsAreCopiedAndRevisionsCounted) {
  Deployment deployment = Rolling(1, 1, 1);
  deployment.metadata.annotations = {
      {"note", "kept"}, {kRevision, "9"}, {"kubectl.kubernetes.io/last-applied-configuration", "{}"}};
  ReplicaSet old = Set("old", 0, 0), current = Set("new", 1, 1);
  old.metadata.annotations.Set(kRevision, "4");
  EXPECT_TRUE(Annotate(deployment, {old}, current));
  EXPECT_EQ(current.metadata.annotations, (Map<String>{{kRevision, "5"}, {"note", "kept"}}));
  EXPECT_FALSE(Annotate(deployment, {old}, current)) << "nothing is left to do";
  EXPECT_FALSE(Annotate(deployment, {}, current)) << "a revision is not taken back";
  // Others came between: this is a rollback.
  old.metadata.annotations.Set(kRevision, "7");
  EXPECT_TRUE(Annotate(deployment, {old}, current));
  EXPECT_EQ(current.metadata.annotations.at(kRevision), "8");
  EXPECT_EQ(current.metadata.annotations.at(kRevisionHistory), "5");
  current.metadata.annotations.Set(kRevisionHistory, "1,2," + std::string(1996, '3'));
  old.metadata.annotations.Set(kRevision, "100000");
  EXPECT_TRUE(Annotate(deployment, {old}, current));
  EXPECT_EQ(current.metadata.annotations.at(kRevisionHistory).str(), "2," + std::string(1996, '3') + ",8");
}

TEST(DeploymentPlan, TheOldestReplicaSetOfTheTemplateIsTheCurrentOne) {
  Deployment deployment = Rolling(1, 1, 1);
  deployment.spec.template_.metadata.labels = {{"app", "web"}};
  deployment.spec.selector = metav1::LabelSelector{.matchLabels = {{"app", "web"}}};
  ReplicaSet made = NewReplicaSet(deployment, "abc");
  EXPECT_EQ(made.metadata.name, "web-abc");
  EXPECT_EQ(made.spec.selector->matchLabels, (Map<String>{{"app", "web"}, {kPodTemplateHash, "abc"}}));
  EXPECT_EQ(made.spec.template_.metadata.labels, made.metadata.labels);
  ReplicaSet twin = made, other = Set("other", 0, 0, 500);
  twin.metadata.name = "web-twin";
  made.metadata.creationTimestamp = metav1::Time::FromUnix(kNow - 50);
  twin.metadata.creationTimestamp = metav1::Time::FromUnix(kNow - 10);
  const ReplicaSets sets = Arrange(deployment, {twin, made, other});
  EXPECT_EQ(sets.current->metadata.name, "web-abc");
  ASSERT_EQ(sets.old.size(), 2u);
  EXPECT_EQ(sets.old[0].metadata.name, "other");
  deployment.metadata.name = std::string(253, 'a');
  EXPECT_EQ(NewReplicaSet(deployment, "abc").metadata.name.size(), 253u);
}

TEST(DeploymentStatus, ARolloutProgressesTimesOutAndCompletes) {
  Deployment deployment = Rolling(2, 1, 0);
  deployment.spec.progressDeadlineSeconds = 60;
  ReplicaSets sets{.current = Set("web-1", 2, 0)};
  deployment.status = RolloutStatus(deployment, sets, kWallNow);
  const auto progress = [&] {
    const appsv1::DeploymentCondition* found = FindCondition(deployment.status, "Progressing");
    return found->status.str() + " " + found->reason.str() + ": " + found->message.str();
  };
  EXPECT_EQ(progress(), "True ReplicaSetUpdated: ReplicaSet \"web-1\" is progressing.");
  EXPECT_EQ(FindCondition(deployment.status, "Available")->status, "False");
  EXPECT_EQ(deployment.status.unavailableReplicas, 2);
  EXPECT_EQ(UntilDeadline(deployment, deployment.status, kWallNow + 20s), 41s);

  // A step forward moves the time that counts, and not that of the transition.
  sets.current->status.readyReplicas = 1;
  deployment.status = RolloutStatus(deployment, sets, kWallNow + 50s);
  EXPECT_EQ(FindCondition(deployment.status, "Progressing")->lastUpdateTime.unix_seconds(), kNow + 50);
  EXPECT_EQ(FindCondition(deployment.status, "Progressing")->lastTransitionTime.unix_seconds(), kNow);
  deployment.status = RolloutStatus(deployment, sets, kWallNow + 110s);
  EXPECT_EQ(progress(), "True ReplicaSetUpdated: ReplicaSet \"web-1\" is progressing.");
  deployment.status = RolloutStatus(deployment, sets, kWallNow + 111s);
  EXPECT_EQ(progress(), "False ProgressDeadlineExceeded: ReplicaSet \"web-1\" has timed out progressing.");
  EXPECT_EQ(UntilDeadline(deployment, deployment.status, kWallNow), std::nullopt);

  sets.current = Set("web-1", 2, 2);
  deployment.status = RolloutStatus(deployment, sets, kWallNow + 200s);
  EXPECT_EQ(progress(), "True NewReplicaSetAvailable: ReplicaSet \"web-1\" has successfully progressed.");
  EXPECT_EQ(FindCondition(deployment.status, "Available")->reason, "MinimumReplicasAvailable");
  // Later losses are no rollout.
  sets.current->status.availableReplicas = 1;
  deployment.status = RolloutStatus(deployment, sets, kWallNow + 9000s);
  EXPECT_EQ(progress(), "True NewReplicaSetAvailable: ReplicaSet \"web-1\" has successfully progressed.");
}

TEST(DeploymentStatus, FailuresOfReplicaSetsAreTheDeployments) {
  Deployment deployment = Rolling(2, 1, 0);
  ReplicaSets sets{.current = Set("new", 2, 0), .old = {Set("old", 1, 1)}};
  sets.old[0].status.conditions = {
      {.type = "ReplicaFailure", .status = "True", .reason = "FailedCreate", .message = "old"}};
  deployment.status = RolloutStatus(deployment, sets, kWallNow);
  EXPECT_EQ(FindCondition(deployment.status, "ReplicaFailure")->message, "old");
  EXPECT_EQ(FindCondition(deployment.status, "Progressing"), nullptr) << "it has no deadline";
  sets.old[0].status.conditions.clear();
  EXPECT_EQ(FindCondition(RolloutStatus(deployment, sets, kWallNow), "ReplicaFailure"), nullptr);
}

TEST(DeploymentStatus, APauseIsNotedUnlessALackOfProgressWas) {
  Deployment deployment = Rolling(2, 1, 0);
  deployment.spec.progressDeadlineSeconds = 60;
  deployment.spec.paused = true;
  NotePause(deployment, kWallNow);
  EXPECT_EQ(FindCondition(deployment.status, "Progressing")->reason, "DeploymentPaused");
  deployment.spec.paused = false;
  NotePause(deployment, kWallNow);
  EXPECT_EQ(FindCondition(deployment.status, "Progressing")->reason, "DeploymentResumed");
  SetCondition(deployment.status, Progressing("False", "ProgressDeadlineExceeded", "", kWallNow));
  deployment.spec.paused = true;
  NotePause(deployment, kWallNow);
  EXPECT_EQ(FindCondition(deployment.status, "Progressing")->reason, "ProgressDeadlineExceeded");
}

}  // namespace
}  // namespace keelson::controllers
