#include "keelson/transport/http_message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

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

TEST(Headers, ManyAndLongOnesStayAsTheyWereAdded) {
  Headers headers;
  std::vector<std::pair<std::string, std::string>> added;
  for (size_t i = 0; i < 100; ++i) {
    added.emplace_back("X-" + std::to_string(i), std::string(i * 7 % 50, static_cast<char>('a' + i % 26)));
    headers.Add(added.back().first, added.back().second);
    for (const auto& [name, value] : added) ASSERT_EQ(*headers.Find(name), value) << "after " << i;
  }
}

TEST(Headers, CopiesAndMovedOnesHaveTextsOfTheirOwn) {
  Headers first = {{"A", "1"}, {"B", "a value that is longer than short"}};
  Headers copy = first;
  Headers moved = std::move(first);
  copy.Set("A", "2");
  moved.Add("C", "3");
  EXPECT_EQ(*copy.Find("A"), "2");
  EXPECT_EQ(*copy.Find("B"), "a value that is longer than short");
  EXPECT_EQ(*moved.Find("A"), "1");
  EXPECT_EQ(*moved.Find("B"), "a value that is longer than short");
  EXPECT_EQ(*moved.Find("C"), "3");
  copy = moved;
  moved = Headers();
  EXPECT_EQ(*copy.Find("C"), "3");
  EXPECT_EQ(moved.Find("A"), nullptr);
  moved.Add("D", "4");
  EXPECT_EQ(*moved.Find("D"), "4");
}

TEST(Headers, TextsOfTheirOwnMayBeAddedAgain) {
  Headers headers = {{"A", "a value"}};
  for (int i = 0; i < 50; ++i) headers.Add("B" + std::to_string(i), *headers.Find("A"));
  for (int i = 0; i < 50; ++i) ASSERT_EQ(*headers.Find("B" + std::to_string(i)), "a value");
  headers.Set("A", *headers.Find("A"));
  EXPECT_EQ(*headers.Find("A"), "a value");
}

TEST(Headers, PartsOfKeptLinesAreHeadersBesideOthers) {
  Headers headers;
  headers.Keep("Name: value\r\nOther: thing\r\n");
  headers.AddKept(0, 4, 6, 5);
  headers.Add("Between", "them");
  headers.AddKept(13, 5, 20, 5);
  EXPECT_THAT(std::vector<Headers::Entry>(headers.begin(), headers.end()),
              ElementsAre(Headers::Entry("Name", "value"), Headers::Entry("Between", "them"),
                          Headers::Entry("Other", "thing")));
}

TEST(ReadAll, GivesTheWholeBodyWithinItsLimit) {
  EXPECT_EQ(ReadAll(*StreamOf("hello"), 5).value(), "hello");
  EXPECT_EQ(ReadAll(*StreamOf(""), 0).value(), "");
  const auto too_long = ReadAll(*StreamOf("hello"), 4);
  ASSERT_FALSE(too_long);
  EXPECT_EQ(too_long.error().code(), ErrorCode::kInvalidArgument);
}

TEST(ReadInPlace, PutsTogetherOnlyWhatCameInPieces) {
  std::string buffer = "of the last answer";
  const std::unique_ptr<BodyStream> whole = StreamOf("hello");
  EXPECT_EQ(ReadInPlace(*whole, 5, buffer).value(), "hello");
  EXPECT_EQ(buffer, "");
  EXPECT_EQ(ReadInPlace(*StreamOf("hello"), 4, buffer).error().code(), ErrorCode::kInvalidArgument);

  class Pieces final : public BodyStream {
   public:
    Result<std::string_view> Next() override { return next_ < 2 ? pieces_[next_++] : std::string_view(); }

   private:
    const std::string_view pieces_[2] = {"hel", "lo"};
    size_t next_ = 0;
  } pieces;
  EXPECT_EQ(ReadInPlace(pieces, 5, buffer).value(), "hello");
  EXPECT_EQ(buffer, "hello");
}

}  // namespace
}  // namespace keelson
