#include "keelson/api/int_or_string.h"

#include <gtest/gtest.h>

namespace keelson {
namespace {

TEST(IntOrString, IsOneOrTheOther) {
  const IntOrString number = 8080;
  const IntOrString text = "http";
  EXPECT_FALSE(number.is_string());
  EXPECT_TRUE(text.is_string());
  EXPECT_EQ(number.ToString(), "8080");
  EXPECT_EQ(text.ToString(), "http");
  EXPECT_EQ(text.number(), 0);
  EXPECT_EQ(IntOrString(), IntOrString(0));
  EXPECT_FALSE(IntOrString(5) == IntOrString("5"));
}

TEST(IntOrString, ScalesPercentagesBothWays) {
  EXPECT_EQ(*IntOrString("25%").Scaled(10, true), 3);
  EXPECT_EQ(*IntOrString("25%").Scaled(10, false), 2);
  EXPECT_EQ(*IntOrString("100%").Scaled(7, true), 7);
  EXPECT_EQ(*IntOrString("0%").Scaled(7, true), 0);
  EXPECT_EQ(*IntOrString(4).Scaled(10, true), 4);
  EXPECT_FALSE(IntOrString("25").Scaled(10, true));
  EXPECT_FALSE(IntOrString("x%").Scaled(10, true));
  EXPECT_FALSE(IntOrString("%").Scaled(10, true));
}

TEST(IntOrString, CopiesShareTheText) {
  const IntOrString text = "http";
  const IntOrString copy = text;
  EXPECT_EQ(copy.text().data(), text.text().data());
}

}  // namespace
}  // namespace keelson
