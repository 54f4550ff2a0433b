#include "keelson/api/object_key.h"

#include <gtest/gtest.h>

#include <unordered_set>

namespace keelson {
namespace {

TEST(ObjectKey, ReadsWhatItPrints) {
  EXPECT_EQ(*ObjectKey::Parse("default/web"), (ObjectKey{"default", "web"}));
  EXPECT_EQ(*ObjectKey::Parse("node-1"), (ObjectKey{"", "node-1"}));
  EXPECT_EQ(*ObjectKey::Parse("/web"), (ObjectKey{"", "web"}));
  EXPECT_EQ(*ObjectKey::Parse(""), ObjectKey());
  EXPECT_EQ((ObjectKey{"default", "web"}).ToString(), "default/web");
  EXPECT_EQ((ObjectKey{"", "node-1"}).ToString(), "node-1");
}

TEST(ObjectKey, MoreThanOneSlashIsRefused) {
  const Result<ObjectKey> parsed = ObjectKey::Parse("a/\"b\"/c\n");
  ASSERT_FALSE(parsed.has_value());
  EXPECT_EQ(parsed.error().message(), R"(unexpected key format: "a/\"b\"/c\n")");
  EXPECT_EQ(ObjectKey::Parse("a/b/\xff\xc3\xa9\x01").error().message(),
            "unexpected key format: \"a/b/\\xff\xc3\xa9\\x01\"");
}

TEST(ObjectKey, OrdersByNamespaceThenName) {
  EXPECT_LT((ObjectKey{"a", "z"}), (ObjectKey{"b", "a"}));
  EXPECT_LT((ObjectKey{"a", "a"}), (ObjectKey{"a", "b"}));
  const std::unordered_set<ObjectKey> keys = {{"a", "b"}, {"b", "a"}, {"a", "b"}};
  EXPECT_EQ(keys.size(), 2u);
  EXPECT_NE(std::hash<ObjectKey>()({"a", "b"}), std::hash<ObjectKey>()({"b", "a"}));
}

}  // namespace
}  // namespace keelson
