#include "keelson/controllers/selection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace keelson::controllers {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(SelectControllers, AStarStandsForAll) { EXPECT_EQ(*SelectControllers({"*"}), ControllerNames()); }

TEST(SelectControllers, NamesStandForThemselvesAndAMinusLeavesOut) {
  EXPECT_THAT(*SelectControllers({"deployment-controller"}), ElementsAre("deployment-controller"));
  EXPECT_FALSE(SelectControllers({"-deployment-controller", "*"})->contains(kDeployment));
  EXPECT_TRUE(SelectControllers({"-deployment-controller", "*"})->contains(kReplicaSet));
  EXPECT_THAT(*SelectControllers({}), IsEmpty());
}

TEST(SelectControllers, AnUnknownNameIsToldWithTheKnownOnes) {
  const auto selected = SelectControllers({"*", "-deployments"});
  ASSERT_FALSE(selected);
  EXPECT_THAT(selected.error().message(), HasSubstr("there is no controller 'deployments'; there are: deployment-c"));
}

}  // namespace
}  // namespace keelson::controllers
