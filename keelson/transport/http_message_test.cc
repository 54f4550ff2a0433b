#include "keelson/transport/http_message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace keelson {
namespace {

using ::testing::ElementsAre;

TEST(Headers, AreFoundWithoutRegardToCase) {
  const Headers headers = {{"Content-Type", "application/json"}, {"Warning", "a"}, {"warning", "b"}};
  ASSERT_NE(headers.Find("content-type"), nullptr);
  EXPECT_EQ(*headers.Find("CONTENT-TYPE"), "application/json");
  EXPECT_EQ(headers.Find("Content"), nullptr);
  EXPECT_THAT(headers.All("WARNING"), ElementsAre("a", "b"));
}

TEST(Headers, SetReplacesEveryOneOfThatName) {
  Headers headers = {{"Accept", "a"}, {"X", "1"}, {"accept", "b"}};
  headers.Set("Accept", "c");
  EXPECT_THAT(headers.All("accept"), ElementsAre("c"));
  EXPECT_EQ(headers.size(), 2u);
  headers.Remove("x");
  EXPECT_EQ(headers.Find("X"), nullptr);
}

TEST(Headers, RemoveTakesEveryOneOfThatNameAndKeepsTheOrderOfTheOthers) {
  Headers headers = {{"A", "1"}, {"B", "2"}, {"a", "3"}, {"C", "4"}, {"A", "5"}};
  headers.Remove("D");
  EXPECT_EQ(headers.size(), 5u);
  headers.Remove("a");
  EXPECT_THAT(std::vector<Headers::Entry>(headers.begin(), headers.end()),
              ElementsAre(Headers::Entry("B", "2"), Headers::Entry("C", "4")));
  headers.Remove("C");
  EXPECT_THAT(std::vector<Headers::Entry>(headers.begin(), headers.end()), ElementsAre(Headers::Entry("B", "2")));
}

TEST(ReadAll, GivesTheWholeBodyWithinItsLimit) {
  EXPECT_EQ(ReadAll(*StreamOf("hello"), 5).value(), "hello");
  EXPECT_EQ(ReadAll(*StreamOf(""), 0).value(), "");
  const auto too_long = ReadAll(*StreamOf("hello"), 4);
  ASSERT_FALSE(too_long);
  EXPECT_EQ(too_long.error().code(), ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace keelson
