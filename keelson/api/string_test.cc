#include "keelson/api/string.h"

#include <gtest/gtest.h>

#include <sstream>
#include <unordered_set>

#include "keelson/api/sharing.h"

namespace keelson {
namespace {

TEST(String, IsOnePointerWide) {
  EXPECT_EQ(sizeof(String), sizeof(void*));
  EXPECT_EQ(sizeof(Bytes), sizeof(void*));
}

TEST(String, ConvertsFromAndToStandardText) {
  const String from_literal = "web";
  const String from_string = std::string("web");
  const String from_view = std::string_view("web");
  EXPECT_EQ(from_literal, from_string);
  EXPECT_EQ(from_string, from_view);
  const std::string back = from_literal;
  const std::string_view view = from_literal;
  EXPECT_EQ(back, "web");
  EXPECT_EQ(view, "web");
  EXPECT_EQ(from_literal + "-1", "web-1");
  EXPECT_EQ("my-" + from_literal, "my-web");
  std::ostringstream out;
  out << from_literal;
  EXPECT_EQ(out.str(), "web");
}

TEST(String, HoldsAnyCharacters) {
  const String text(std::string_view("a\0b\xff", 4));
  EXPECT_EQ(text.size(), 4u);
  EXPECT_EQ(text.view(), std::string_view("a\0b\xff", 4));
}

TEST(String, EmptyTakesNoNode) {
  const String empty;
  EXPECT_TRUE(empty.empty());
  EXPECT_EQ(empty.view(), "");
  EXPECT_EQ(empty, String(""));
  EXPECT_NE(empty.data(), nullptr);
}

TEST(String, CopiesShareTheCharacters) {
  const String text = "shared text";
  const String copy = text;
  EXPECT_EQ(copy.data(), text.data());
  String moved = copy;
  const String target = std::move(moved);
  EXPECT_EQ(target.data(), text.data());
}

TEST(String, AssigningLeavesCopiesAlone) {
  String text = "before";
  const String copy = text;
  text = "after";
  EXPECT_EQ(copy, "before");
  EXPECT_EQ(text, "after");
  text = *&text;
  EXPECT_EQ(text, "after");
  text.clear();
  EXPECT_TRUE(text.empty());
}

TEST(String, OrdersAndHashesByContent) {
  EXPECT_LT(String("a"), String("b"));
  EXPECT_LT(String("a"), std::string_view("aa"));
  EXPECT_GT(String("\xff"), String("a"));  // bytes, not signed characters
  std::unordered_set<String> set = {"a", "b", "a"};
  EXPECT_EQ(set.size(), 2u);
  EXPECT_TRUE(set.contains(String("a")));
}

TEST(String, LongerThanTheLimitIsRefused) {
  const std::string longest(internal::kMaxNodeLength, 'x');
  EXPECT_EQ(String(longest).size(), longest.size());
  EXPECT_THROW(String(longest + "x"), std::length_error);
}

TEST(String, EqualTextsAreStoredOnceWhenShared) {
  String one = std::string("stored once");
  String two = std::string("stored once");
  EXPECT_NE(one.data(), two.data());
  ShareNodes(one);
  ShareNodes(two);
  EXPECT_EQ(one.data(), two.data());
}

}  // namespace
}  // namespace keelson
