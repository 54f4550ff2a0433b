#include "keelson/api/conditions.h"

#include <gtest/gtest.h>

#include "keelson/core/clock.h"
#include "keelson/core/simulation.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;

constexpr int64_t kStart = 1'735'689'600;  // what a simulation's calendar shows at first

metav1::Condition Ready(std::string_view status) {
  return {.type = "Ready", .status = status, .observedGeneration = 1, .reason = "Because", .message = "so"};
}

template <class Body>
void InSimulation(Body body) {
  Simulation simulation({.seed = 1});
  const Result<void> result = simulation.Run(body);
  ASSERT_TRUE(result) << result.error().message();
}

TEST(Conditions, NewConditionGetsThePresentTime) {
  InSimulation([] {
    List<metav1::Condition> conditions;
    EXPECT_TRUE(SetStatusCondition(conditions, Ready("True")));
    ASSERT_EQ(conditions.size(), 1u);
    EXPECT_EQ(std::as_const(conditions)[0].lastTransitionTime, metav1::Time::FromUnix(kStart));
  });
}

TEST(Conditions, TransitionTimeMovesOnlyWithTheStatus) {
  InSimulation([] {
    List<metav1::Condition> conditions = {Ready("False")};
    conditions[0].lastTransitionTime = metav1::Time::FromUnix(5);
    metav1::Condition next = Ready("False");
    next.reason = "Other";
    next.lastTransitionTime = metav1::Time::FromUnix(77);
    EXPECT_TRUE(SetStatusCondition(conditions, next));
    EXPECT_EQ(std::as_const(conditions)[0].reason, "Other");
    EXPECT_EQ(std::as_const(conditions)[0].lastTransitionTime, metav1::Time::FromUnix(5));

    SleepFor(90s, {});
    EXPECT_TRUE(SetStatusCondition(conditions, Ready("True")));
    EXPECT_EQ(std::as_const(conditions)[0].status, "True");
    EXPECT_EQ(std::as_const(conditions)[0].lastTransitionTime, metav1::Time::FromUnix(kStart + 90));

    EXPECT_TRUE(SetStatusCondition(conditions, [] {
      metav1::Condition given = Ready("Unknown");
      given.lastTransitionTime = metav1::Time::FromUnix(123);
      return given;
    }()));
    EXPECT_EQ(std::as_const(conditions)[0].lastTransitionTime, metav1::Time::FromUnix(123));
    EXPECT_EQ(conditions.size(), 1u);
  });
}

TEST(Conditions, SettingWhatIsThereChangesNothing) {
  List<metav1::Condition> conditions = {Ready("True")};
  const List<metav1::Condition> before = conditions;
  EXPECT_FALSE(SetStatusCondition(conditions, Ready("True")));
  EXPECT_EQ(&std::as_const(conditions)[0], &before[0]);  // not even detached
}

TEST(Conditions, EachOtherMemberCountsAsChange) {
  for (const auto& change : std::initializer_list<void (*)(metav1::Condition&)>{
           [](metav1::Condition& c) { c.reason = "x"; }, [](metav1::Condition& c) { c.message = "x"; },
           [](metav1::Condition& c) { c.observedGeneration = 9; }}) {
    List<metav1::Condition> conditions = {Ready("True")};
    metav1::Condition next = Ready("True");
    change(next);
    EXPECT_TRUE(SetStatusCondition(conditions, next));
    EXPECT_FALSE(SetStatusCondition(conditions, next));
  }
}

TEST(Conditions, AreFoundAndComparedByType) {
  const List<metav1::Condition> conditions = {Ready("True"), {.type = "Stuck", .status = "False"}};
  EXPECT_EQ(FindStatusCondition(conditions, "Stuck"), &conditions[1]);
  EXPECT_EQ(FindStatusCondition(conditions, "Missing"), nullptr);
  EXPECT_TRUE(IsStatusConditionTrue(conditions, "Ready"));
  EXPECT_FALSE(IsStatusConditionFalse(conditions, "Ready"));
  EXPECT_TRUE(IsStatusConditionFalse(conditions, "Stuck"));
  EXPECT_FALSE(IsStatusConditionTrue(conditions, "Missing"));
  EXPECT_FALSE(IsStatusConditionFalse(conditions, "Missing"));
  EXPECT_TRUE(IsStatusConditionPresentAndEqual(conditions, "Ready", kConditionTrue));
  EXPECT_FALSE(IsStatusConditionPresentAndEqual(conditions, "Ready", kConditionUnknown));
}

TEST(Conditions, AreRemovedByType) {
  List<metav1::Condition> conditions = {Ready("True"), {.type = "Stuck"}};
  EXPECT_TRUE(RemoveStatusCondition(conditions, std::as_const(conditions)[0].type));
  EXPECT_FALSE(RemoveStatusCondition(conditions, "Ready"));
  ASSERT_EQ(conditions.size(), 1u);
  EXPECT_EQ(std::as_const(conditions)[0].type, "Stuck");
}

TEST(Conditions, WorkInAStandardVector) {
  std::vector<metav1::Condition> conditions;
  EXPECT_TRUE(SetStatusCondition(conditions, Ready("True")));
  EXPECT_FALSE(SetStatusCondition(conditions, Ready("True")));
  EXPECT_TRUE(IsStatusConditionTrue(conditions, "Ready"));
  EXPECT_TRUE(RemoveStatusCondition(conditions, "Ready"));
  EXPECT_TRUE(conditions.empty());
}

}  // namespace
}  // namespace keelson
