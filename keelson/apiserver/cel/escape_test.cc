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

}  // namespace

}  // namespace keelson::apiserver::cel
