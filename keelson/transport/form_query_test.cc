#include "keelson/transport/form_query.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace keelson {
namespace {

using ::testing::ElementsAre;

TEST(FormQuery, KeepsOrderAndRepetition) {
  const FormQuery query = FormQuery::Parse("verbose&exclude=b&exclude=a%26c&&x=1=2&exclude=");
  EXPECT_THAT(query.All("exclude"), ElementsAre("b", "a&c", ""));
  ASSERT_NE(query.First("verbose"), nullptr);
  EXPECT_EQ(*query.First("verbose"), "");
  EXPECT_EQ(*query.First("x"), "1=2");
  EXPECT_FALSE(query.Has(""));
  EXPECT_FALSE(query.Has("Verbose"));
}

TEST(FormQuery, DecodesPlusAndEscapesInNamesToo) {
  EXPECT_EQ(*FormQuery::Parse("a+b%3D=c%2Bd+e").First("a b="), "c+d e");
}

TEST(FormQuery, LeavesOutWhatCannotBeDecoded) {
  const FormQuery query = FormQuery::Parse("a=%zz&b=%4&c=%&d;e=1&%41=ok&f=%00");
  for (const char* name : {"a", "b", "c", "d", "d;e", "e"}) EXPECT_FALSE(query.Has(name)) << name;
  EXPECT_EQ(*query.First("A"), "ok");
  EXPECT_EQ(*query.First("f"), std::string(1, '\0'));
}

TEST(FormQuery, OfNothingIsEmpty) {
  EXPECT_FALSE(FormQuery::Parse("").Has(""));
  EXPECT_FALSE(FormQuery::Parse("&&&").Has(""));
  EXPECT_TRUE(FormQuery::Parse("=").Has(""));
}

}  // namespace
}  // namespace keelson
