#include "keelson/core/ascii.h"

#include <gtest/gtest.h>

namespace keelson {
namespace {

TEST(Ascii, LowerLeavesEverythingButLetters) {
  EXPECT_EQ(AsciiLower("AppService-9_Ä"), "appservice-9_Ä");
  EXPECT_EQ(AsciiLower('Z'), 'z');
  EXPECT_EQ(AsciiLower('['), '[');
}

TEST(Ascii, EqualsIgnoringCaseComparesLengthsToo) {
  EXPECT_TRUE(EqualsIgnoringCase("Content-Type", "content-TYPE"));
  EXPECT_FALSE(EqualsIgnoringCase("Content", "Content-Type"));
  EXPECT_FALSE(EqualsIgnoringCase("@", "`"));
}

TEST(Ascii, TrimTakesBlanksFromBothEnds) {
  EXPECT_EQ(Trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(Trim(" \n "), "");
  EXPECT_EQ(Trim(" \n x", " "), "\n x");
}

}  // namespace
}  // namespace keelson
