#include "keelson/codec/json_equal.h"

#include <gtest/gtest.h>

#include <limits>

namespace keelson {
namespace {

TEST(NumericallyEqual, IntegerEqualsTheDoubleOfItsValue) {
  EXPECT_TRUE(NumericallyEqual(1, 1.0));
  EXPECT_TRUE(NumericallyEqual(-0.0, 0));
  EXPECT_FALSE(NumericallyEqual(1, 1.5));
  EXPECT_FALSE(NumericallyEqual(1, "1"));
  EXPECT_FALSE(NumericallyEqual(1, true));
}

TEST(NumericallyEqual, LargeIntegersAreNotRounded) {
  EXPECT_FALSE(NumericallyEqual(int64_t{9007199254740993}, 9007199254740992.0));
  EXPECT_TRUE(NumericallyEqual(int64_t{9007199254740992}, 9007199254740992.0));
  EXPECT_FALSE(NumericallyEqual(std::numeric_limits<int64_t>::max(), 9223372036854775808.0));
  EXPECT_TRUE(NumericallyEqual(std::numeric_limits<int64_t>::min(), -9223372036854775808.0));
  EXPECT_FALSE(NumericallyEqual(0, std::numeric_limits<double>::quiet_NaN()));
}

TEST(NumericallyEqual, LooksIntoListsAndObjects) {
  EXPECT_TRUE(
      NumericallyEqual(Json::Array({1, Json::Object({{"a", 2.0}})}), Json::Array({1.0, Json::Object({{"a", 2}})})));
  EXPECT_FALSE(NumericallyEqual(Json::Array({1}), Json::Array({1, 2})));
  EXPECT_FALSE(NumericallyEqual(Json::Object({{"a", 1}}), Json::Object({{"b", 1}})));
  EXPECT_FALSE(NumericallyEqual(Json::Object(), Json::Array()));
}

}  // namespace
}  // namespace keelson
