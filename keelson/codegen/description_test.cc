#include "keelson/codegen/description.h"

#include <gtest/gtest.h>

namespace keelson::codegen {
namespace {

std::string Describe(std::vector<std::string> lines) {
  return DescriptionOf({.lines = std::move(lines), .markers = {}});
}

TEST(Description, KeepsLinesAndParagraphs) {
  EXPECT_EQ(Describe({"One.", "Two.", "", "Three."}), "One.\nTwo.\n\nThree.");
  EXPECT_EQ(Describe({}), "");
}

TEST(Description, BlankLinesAtBothEndsAndRepeatedOnesGo) {
  EXPECT_EQ(Describe({"", " ", "One.", "", "", "Two.", "", ""}), "One.\n\nTwo.");
}

TEST(Description, SpacesAtTheEndOfALineGoButIndentationStays) {
  EXPECT_EQ(Describe({"List:  ", "  - a\t", "\tcode"}), "List:\n  - a\n\tcode");
}

TEST(Description, LinesToDoAreLeftOut) {
  EXPECT_EQ(Describe({"One.", "TODO(ann): more", "Two."}), "One.\nTwo.");
  EXPECT_EQ(Describe({"TODO: all"}), "");
  EXPECT_EQ(Describe({" TODO: indented"}), " TODO: indented");
}

TEST(Description, EverythingBehindADashedLineIsLeftOut) {
  EXPECT_EQ(Describe({"One.", "---", "Two."}), "One.");
  // The blank line before it belongs to what stays.
  EXPECT_EQ(Describe({"One.", "", "--- internal", "Two."}), "One.\n");
}

TEST(Description, FencedCodeStaysAsItIs) {
  EXPECT_EQ(Describe({"```", "---", "TODO", "```", "Then.", "---", "gone"}), "```\n---\nTODO\n```\nThen.");
}

TEST(Description, WordsForToolsAreNotPartOfIt) {
  EXPECT_EQ(Describe({"One.", "NOLINTNEXTLINE(readability-*)", "clang-format off"}), "One.");
}

TEST(CutDescription, EndsAtASentence) {
  EXPECT_EQ(CutDescription("One. Two! Three", 12), "One. Two!");
  EXPECT_EQ(CutDescription("One. Two", 8), "One. Two");
  EXPECT_EQ(CutDescription("文。字です", 11), "文。");
}

TEST(CutDescription, EndsAtAWordWhereThereIsNoSentence) {
  EXPECT_EQ(CutDescription("one two three", 9), "one two...");
  EXPECT_EQ(CutDescription("onetwothree", 4), "onet...");
}

TEST(CutDescription, NeverCutsACharacter) {
  EXPECT_EQ(CutDescription("ééé", 3), "é...");
  EXPECT_EQ(CutDescription("é", 1), "...");
}

}  // namespace
}  // namespace keelson::codegen
