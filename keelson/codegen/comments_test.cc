#include "keelson/codegen/comments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace keelson::codegen {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<CommentBlock> Scan(std::string_view source) { return ScanComments(source, "a.h"); }

// "text@line:column"
std::vector<std::string> Markers(std::string_view source) {
  std::vector<std::string> all;
  for (const Marker& marker : ScanMarkers(source, "a.h")) {
    EXPECT_EQ(marker.position.file, "a.h");
    all.push_back(marker.text + "@" + std::to_string(marker.position.line) + ":" +
                  std::to_string(marker.position.column));
  }
  return all;
}

// "first-last" of each block, with "t" when it is trailing.
std::vector<std::string> Blocks(std::string_view source) {
  std::vector<std::string> all;
  for (const CommentBlock& block : Scan(source)) {
    all.push_back(std::to_string(block.first_line) + "-" + std::to_string(block.last_line) +
                  (block.trailing ? "t" : ""));
  }
  return all;
}

TEST(Comments, LinesLoseTheCommentCharactersAndOneSpace) {
  const auto blocks = Scan("// one\n//two\n//   three\n/// four\n//! five\n///< six\n//<b> seven\n");
  ASSERT_THAT(blocks, SizeIs(1));
  EXPECT_EQ(blocks[0].first_line, 1);
  EXPECT_EQ(blocks[0].last_line, 7);
  EXPECT_FALSE(blocks[0].trailing);
  EXPECT_THAT(blocks[0].comment.lines, ElementsAre("one", "two", "  three", "four", "five", "six", "<b> seven"));
}

TEST(Comments, BlockCommentsLoseTheirStars) {
  const auto blocks = Scan("/* one\n * two\n *   three\n   four\n */\n");
  ASSERT_THAT(blocks, SizeIs(1));
  EXPECT_THAT(blocks[0].comment.lines, ElementsAre("one", "two", "  three", "four"));
  EXPECT_EQ(blocks[0].last_line, 5);

  EXPECT_THAT(Scan("/** one */")[0].comment.lines, ElementsAre("one"));
  EXPECT_THAT(Scan("/**\n * one\n *\n * two\n **/")[0].comment.lines, ElementsAre("one", "", "two"));
  EXPECT_THAT(Scan("/**/")[0].comment.lines, IsEmpty());
  EXPECT_THAT(Scan("/***/")[0].comment.lines, IsEmpty());
}

TEST(Comments, EmptyLinesStayInsideAndGoAtTheEnds) {
  EXPECT_THAT(Scan("//\n// a\n//\n// b\n//////////\n")[0].comment.lines, ElementsAre("a", "", "b"));
}

TEST(Comments, MarkersAreNotDocumentation) {
  const auto blocks = Scan("// Replicas wanted.\n// +optional\n// More of it.\n");
  ASSERT_THAT(blocks, SizeIs(1));
  EXPECT_THAT(blocks[0].comment.lines, ElementsAre("Replicas wanted.", "More of it."));
  ASSERT_THAT(blocks[0].comment.markers, SizeIs(1));
  EXPECT_EQ(blocks[0].comment.markers[0].text, "optional");
}

TEST(Comments, WhatIsSaidToToolsIsLeftOut) {
  const auto blocks = Scan("// a\n//nolint:all\n//go:build x\n// go:b\n//http://c\n//Note:d\n///no:e\n");
  ASSERT_THAT(blocks, SizeIs(1));
  EXPECT_EQ(blocks[0].last_line, 7);
  EXPECT_THAT(blocks[0].comment.lines, ElementsAre("a", "go:b", "http://c", "Note:d", "no:e"));
}

TEST(Comments, MarkersAreFoundInEveryStyle) {
  EXPECT_THAT(Markers("//+a=1\n  //   +b\n/// +c\n/* +d */\n/**\n * +e\n   +f\n */\nint x;  // +g\n"),
              ElementsAre("a=1@1:3", "b@2:8", "c@3:5", "d@4:4", "e@6:4", "f@7:4", "g@9:12"));
}

TEST(Comments, AMarkerIsAPlusAndALetterAtTheBeginningOfALine) {
  EXPECT_THAT(Markers("// a +b\n// + c\n// +1\n// +\n// ++d\n//\t+e  \n"), ElementsAre("e@6:4"));
}

TEST(Comments, BlankLinesAndCodeEndABlock) {
  EXPECT_THAT(Blocks("// a\n// b\n\n// c\nint x;\n// d\n"), ElementsAre("1-2", "4-4", "6-6"));
  EXPECT_THAT(Blocks("/* a */ int x;\n// b\n"), ElementsAre("1-1", "2-2"));
}

TEST(Comments, StylesMayBeMixedInABlock) {
  const auto blocks = Scan("/**\n * a\n */\n// +b\n/* c */ /* d */\n");
  ASSERT_THAT(blocks, SizeIs(1));
  EXPECT_THAT(blocks[0].comment.lines, ElementsAre("a", "", "c", "d"));
  EXPECT_THAT(blocks[0].comment.markers, SizeIs(1));
}

TEST(Comments, ATrailingCommentIsABlockByItself) {
  EXPECT_THAT(Blocks("// a\nint x;  // b\n// c\nint y;\n"), ElementsAre("1-1", "2-2t", "3-3"));
  EXPECT_THAT(Blocks("int x;  // b\nint y;  // c\n"), ElementsAre("1-1t", "2-2t"));
}

TEST(Comments, ATrailingCommentGoesOnInTheSameColumn) {
  const auto blocks = Scan("int x;  // one\n        // two\n  // three\nint y;\n");
  ASSERT_THAT(blocks, SizeIs(2));
  EXPECT_TRUE(blocks[0].trailing);
  EXPECT_THAT(blocks[0].comment.lines, ElementsAre("one", "two"));
  EXPECT_THAT(blocks[1].comment.lines, ElementsAre("three"));
}

TEST(Comments, LiteralsHaveNone) {
  EXPECT_THAT(Blocks("auto a = \"// +x\"; auto b = '\"'; auto c = \"\\\" // +y\";\n"), IsEmpty());
  EXPECT_THAT(Blocks("auto a = R\"(// +x \" )\";\n"), IsEmpty());
  EXPECT_THAT(Blocks("auto a = u8R\"xy(\n)\" // +x\n)xy\"; // b\n"), ElementsAre("3-3t"));
  EXPECT_THAT(Blocks("auto a = FOOR\"(\"; // b\n"), ElementsAre("1-1t"));
  EXPECT_THAT(Blocks("auto a = 1'000'000 + 0x1'F; // b\n"), ElementsAre("1-1t"));
  EXPECT_THAT(Blocks("auto a = '/'; auto b = u8'\\''; // b\n"), ElementsAre("1-1t"));
  EXPECT_THAT(Blocks("#include <a//b.h>\n#error don't\n// c\n"), ElementsAre("3-3"));
  EXPECT_THAT(Blocks("auto a = \"x\\\n // y\"; // b\n"), ElementsAre("2-2t"));
}

TEST(Comments, ABackslashContinuesALineComment) {
  const auto blocks = Scan("// +a=1,\\\nb=2\nint x;\n");
  ASSERT_THAT(blocks, SizeIs(1));
  EXPECT_EQ(blocks[0].last_line, 2);
  EXPECT_EQ(blocks[0].comment.markers[0].text, "a=1,b=2");
}

TEST(Comments, AnyLineEndingAndAByteOrderMarkAreUnderstood) {
  EXPECT_THAT(Markers("\xEF\xBB\xBF// +a\r\n// +b\r\n\r\n/*\r\n +c\r\n*/\r\n"), ElementsAre("a@1:4", "b@2:4", "c@5:2"));
  EXPECT_THAT(Markers("// +a\r// +b\r"), ElementsAre("a@1:4", "b@2:4"));
  EXPECT_THAT(Scan("// a\r\n// b\r\n")[0].comment.lines, ElementsAre("a", "b"));
}

TEST(Comments, WhatIsNotClosedEndsWithTheFileOrLine) {
  EXPECT_THAT(Markers("/* +a\n +b"), ElementsAre("a@1:4", "b@2:2"));
  EXPECT_THAT(Blocks("auto a = \"x // y\n// b\n"), ElementsAre("2-2"));
  EXPECT_THAT(Blocks("auto a = 'x // y\n// b\n"), ElementsAre("2-2"));
  EXPECT_THAT(Blocks("auto a = R\"x(\n// b\n"), IsEmpty());
  EXPECT_THAT(Blocks("//"), ElementsAre("1-1"));
  EXPECT_THAT(Blocks("// a\\"), ElementsAre("1-1"));
  EXPECT_THAT(Blocks("/"), IsEmpty());
  EXPECT_THAT(Blocks("/*"), ElementsAre("1-1"));
  EXPECT_THAT(Blocks(""), IsEmpty());
}

}  // namespace
}  // namespace keelson::codegen
