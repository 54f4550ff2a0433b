#include "keelson/cli/foreign_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace keelson::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr ForeignFlag kKnown[] = {{"port", "number", "Where"}, {"dir", "path"}, {"privileged"}, {"help", "", "This"}};

ForeignFlags Parsed(const std::vector<std::string>& arguments) {
  return ForeignFlags::Parse(arguments, kKnown).value();
}

TEST(ForeignFlags, ValuesStandBehindAnEqualsSignOrNext) {
  const ForeignFlags flags = Parsed({"--port=1", "--dir", "/some/where"});
  EXPECT_EQ(flags.Get("port"), "1");
  EXPECT_EQ(flags.Get("dir"), "/some/where");
  EXPECT_EQ(flags.Get("privileged"), std::nullopt);
  EXPECT_THAT(flags.unknown(), IsEmpty());
}

TEST(ForeignFlags, TheLastOfSeveralWins) { EXPECT_EQ(Parsed({"--port=1", "--port=2"}).Get("port"), "2"); }

TEST(ForeignFlags, OneDashIsAsGoodAsTwo) {
  EXPECT_EQ(Parsed({"-dir", "x"}).Get("dir"), "x");
  EXPECT_TRUE(Parsed({"-h"}).IsTrue("help"));
}

TEST(ForeignFlags, AValueMayBeginWithADash) { EXPECT_EQ(Parsed({"--port", "-1"}).Get("port"), "-1"); }

TEST(ForeignFlags, ASwitchTakesNoNextArgument) {
  const ForeignFlags flags = Parsed({"--privileged", "rest"});
  EXPECT_TRUE(flags.IsTrue("privileged"));
  EXPECT_THAT(flags.arguments(), ElementsAre("rest"));
  EXPECT_FALSE(Parsed({"--privileged=false"}).IsTrue("privileged"));
}

TEST(ForeignFlags, AnUnknownFlagTakesTheNextArgumentUnlessThatIsAFlag) {
  const ForeignFlags flags = Parsed({"--new=1", "--newer", "2", "--newest", "--port=3"});
  EXPECT_THAT(flags.unknown(), ElementsAre("--new", "--newer", "--newest"));
  EXPECT_EQ(flags.Get("port"), "3");
  EXPECT_THAT(flags.arguments(), IsEmpty());
}

TEST(ForeignFlags, TwoDashesEndThem) {
  const ForeignFlags flags = Parsed({"--", "--port=1"});
  EXPECT_EQ(flags.Get("port"), std::nullopt);
  EXPECT_THAT(flags.arguments(), ElementsAre("--port=1"));
}

TEST(ForeignFlags, AFlagWithoutItsValueIsAnError) {
  const Result<ForeignFlags> flags = ForeignFlags::Parse({"--port"}, kKnown);
  ASSERT_FALSE(flags);
  EXPECT_EQ(flags.error().message(), "flag needs an argument: --port");
}

}  // namespace
}  // namespace keelson::cli
