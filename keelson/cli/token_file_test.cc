#include "keelson/cli/token_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace keelson::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(TokenFile, ALineIsATokenAndWhoseItIs) {
  const auto tokens = ParseTokenFile("s3cret,ci,1000,\"system:masters,dev\"\n\n t2 , bob , 2 \n", "tokens.csv").value();
  ASSERT_EQ(tokens.size(), 2u);
  EXPECT_EQ(tokens[0].first, "s3cret");
  EXPECT_EQ(tokens[0].second.name, "ci");
  EXPECT_EQ(tokens[0].second.uid, "1000");
  EXPECT_THAT(tokens[0].second.groups, ElementsAre("system:masters", "dev"));
  EXPECT_EQ(tokens[1].first, "t2");
  EXPECT_EQ(tokens[1].second.name, "bob");
  EXPECT_TRUE(tokens[1].second.groups.empty());
}

TEST(TokenFile, SaysWhichLineIsWrong) {
  EXPECT_THAT(ParseTokenFile("a,b,c\nd,e\n", "tokens.csv").error().message(),
              HasSubstr("tokens.csv:2: expected token"));
  EXPECT_THAT(ParseTokenFile("a,b,c,\"d\n", "tokens.csv").error().message(), HasSubstr("tokens.csv:1: a quote"));
  EXPECT_THAT(ParseTokenFile(",b,c\n", "tokens.csv").error().message(), HasSubstr("tokens.csv:1: expected"));
}

}  // namespace
}  // namespace keelson::cli
