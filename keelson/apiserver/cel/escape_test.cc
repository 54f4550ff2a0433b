#include "keelson/apiserver/cel/escape.h"

#include <gtest/gtest.h>

namespace keelson::apiserver::cel {

namespace {

TEST(EscapeName, SpellsOutWhatIdentifiersCannotHold) {
  EXPECT_EQ(EscapeName("plain"), "plain");
  EXPECT_EQ(EscapeName("foo-bar"), "foo__dash__bar");
  EXPECT_EQ(EscapeName("a.b/c"), "a__dot__b__slash__c");
  EXPECT_EQ(EscapeName("a__b"), "a__underscores__b");
  EXPECT_EQ(EscapeName("a___b"), "a__underscores___b");
  EXPECT_EQ(EscapeName("namespace"), "__namespace__");
  EXPECT_EQ(EscapeName("namespaces"), "namespaces");
}

TEST(EscapeName, HasNoSpellingForSomeNames) {
  EXPECT_EQ(EscapeName(""), std::nullopt);
  EXPECT_EQ(EscapeName("1st"), std::nullopt);
  EXPECT_EQ(EscapeName("a b"), std::nullopt);
  EXPECT_EQ(EscapeName("ä"), std::nullopt);
}

TEST(UnescapeName, IsTheInverse) {
  for (const char* name :
       {"plain", "foo-bar", "a.b/c", "a__b", "a___b", "____", "namespace", "in", "_", "__", "a_-_b"}) {
    EXPECT_EQ(UnescapeName(EscapeName(name).value()), name);
  }
}

TEST(UnescapeName, RefusesSequencesThatMeanNothing) {
  EXPECT_EQ(UnescapeName("a__nope__b"), std::nullopt);
  EXPECT_EQ(UnescapeName("x__in__"), std::nullopt);
  EXPECT_EQ(UnescapeName("__in__"), "in");
  EXPECT_EQ(UnescapeName("a__b"), "a__b");
}

}  // namespace

}  // namespace keelson::apiserver::cel
