#include "keelson/api/list.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "keelson/api/core/v1.h"
#include "keelson/api/sharing.h"

namespace keelson {
namespace {

using corev1::Container;

List<Container> Two() { return {{.name = "a"}, {.name = "b"}}; }

TEST(List, IsOnePointerWideAndEmptyAtFirst) {
  EXPECT_EQ(sizeof(List<Container>), sizeof(void*));
  const List<Container> list;
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(list.begin(), list.end());
}

TEST(List, ConvertsFromAndToVector) {
  const std::vector<std::string> words = {"x", "y"};
  const List<String> list = std::vector<String>(words.begin(), words.end());
  EXPECT_EQ(list, (List<String>{"x", "y"}));
  const std::vector<String> back = list;
  EXPECT_EQ(back.size(), 2u);
  EXPECT_EQ(back[1], "y");
}

TEST(List, ReadingThroughConstNeverDetaches) {
  List<Container> list = Two();
  const List<Container> copy = list;
  const Container* before = &copy[1];
  for (const Container& container : copy) EXPECT_FALSE(container.name.empty());
  EXPECT_EQ(std::as_const(list)[1].name, "b");
  EXPECT_EQ(&*std::find_if(list.begin(), list.end(), [](const Container& c) { return c.name == "b"; }), before);
  EXPECT_EQ(&std::as_const(list).back(), before);
  EXPECT_EQ(&copy[1], before);
  EXPECT_EQ(&std::as_const(list)[1], before);
}

TEST(List, FirstWriteClonesWhatIsShared) {
  List<Container> list = Two();
  const List<Container> copy = list;
  list[0].image = "nginx";
  EXPECT_EQ(std::as_const(list)[0].image, "nginx");
  EXPECT_EQ(copy[0].image, "");
  EXPECT_NE(&std::as_const(list)[0], &copy[0]);
  EXPECT_EQ(&std::as_const(list)[1], &copy[1]);  // the element beside it is still shared
}

TEST(List, ReferenceThatOutlivesACopyDoesNotWriteIntoIt) {
  List<Container> list = Two();
  Container& reference = list[0];
  const List<Container> copy = list;
  reference.name = "changed";
  EXPECT_EQ(copy[0].name, "a");
  EXPECT_EQ(std::as_const(list)[0].name, "changed");

  List<int32_t> numbers = {1, 2};
  int32_t& number = numbers[1];
  const List<int32_t> other = numbers;
  number = 9;
  EXPECT_EQ(other, (List<int32_t>{1, 2}));
  EXPECT_EQ(numbers, (List<int32_t>{1, 9}));
}

TEST(List, ReferenceDeepInsideIsNoLeakEither) {
  List<Container> list = Two();
  corev1::EnvVar& variable = list[0].env.emplace_back();
  const List<Container> copy = list;
  const Container one = std::as_const(list)[0];
  variable.name = "LATE";
  EXPECT_EQ(copy[0].env[0].name, "");
  EXPECT_EQ(one.env[0].name, "");
  EXPECT_EQ(std::as_const(list)[0].env[0].name, "LATE");
}

TEST(List, MutableRangeClonesAllOfIt) {
  List<Container> list = Two();
  const List<Container> copy = list;
  for (Container& container : list.Mutable()) container.image = "i";
  EXPECT_EQ(std::as_const(list)[1].image, "i");
  EXPECT_EQ(copy[1].image, "");
  List<Container> empty;
  for (Container& container : empty.Mutable()) container.image = "never";
  EXPECT_TRUE(empty.empty());
}

TEST(List, ReferenceToAStructStaysValidWhileTheListGrows) {
  List<Container> list;
  Container& first = list.emplace_back();
  for (int i = 0; i < 100; ++i) list.push_back({});
  first.name = "first";
  EXPECT_EQ(std::as_const(list)[0].name, "first");
}

TEST(List, GrowsAndShrinks) {
  List<int64_t> list;
  for (int i = 0; i < 1000; ++i) list.push_back(i);
  const List<int64_t> all = list;
  EXPECT_EQ(list.EraseIf([](int64_t n) { return n % 2 == 0; }), 500u);
  EXPECT_EQ(list.size(), 500u);
  EXPECT_EQ(std::as_const(list)[0], 1);
  list.pop_back();
  list.erase(0);
  EXPECT_EQ(std::as_const(list).front(), 3);
  EXPECT_EQ(std::as_const(list).back(), 997);
  EXPECT_EQ(all.size(), 1000u);
  EXPECT_EQ(all[999], 999);
  list.clear();
  EXPECT_TRUE(list.empty());
}

TEST(List, PushingItsOwnElementIsSafe) {
  List<String> list = {"a"};
  for (int i = 0; i < 20; ++i) list.push_back(std::as_const(list)[0]);
  EXPECT_EQ(list.size(), 21u);
  EXPECT_EQ(std::as_const(list)[20], "a");
}

TEST(List, FrozenNodeIsClonedOnWriteThoughItsHandleIsTheOnlyOne) {
  List<Container> list = Two();
  ShareNodes(list);
  const Container* frozen = &std::as_const(list)[0];
  List<Container> equal = Two();
  ShareNodes(equal);
  EXPECT_EQ(&std::as_const(equal)[0], frozen);  // found by content
  equal = {};
  list[0].name = "changed";
  EXPECT_NE(&std::as_const(list)[0], frozen);
  EXPECT_EQ(std::as_const(list)[0].name, "changed");
  list.push_back({.name = "c"});
  list.erase(1);
  EXPECT_EQ(list, (List<Container>{{.name = "changed"}, {.name = "c"}}));
}

TEST(List, ComparesByContent) {
  EXPECT_EQ(Two(), Two());
  List<Container> other = Two();
  other[1].tty = true;
  EXPECT_NE(other, Two());
  EXPECT_NE((List<String>{"a"}), (List<String>{"a", "b"}));
}

TEST(ListDeathTest, IndexOutOfRangeEndsTheProcess) {
  const List<String> list = {"a"};
  EXPECT_DEATH((void)list[1], "List element out of range");
}

}  // namespace
}  // namespace keelson
