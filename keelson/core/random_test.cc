#include "keelson/core/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace keelson {
namespace {

using namespace std::chrono_literals;

// Numbers are part of the contract: a seed in a bug report must replay on any machine and in any later version.
TEST(Random, SequenceOfASeedIsFixed) {
  Random random(42);
  EXPECT_EQ(random.Next(), 1546998764402558742u);
  EXPECT_EQ(random.Next(), 6990951692964543102u);
  EXPECT_EQ(Random(42).Next(), 1546998764402558742u);
  EXPECT_NE(Random(43).Next(), 1546998764402558742u);
}

TEST(Random, UniformCoversItsRangeEvenly) {
  Random random(1);
  std::map<int, int> counts;
  for (int i = 0; i < 60000; ++i) ++counts[random.Uniform(-2, 3)];
  ASSERT_EQ(counts.size(), 6u);
  EXPECT_EQ(counts.begin()->first, -2);
  EXPECT_EQ(counts.rbegin()->first, 3);
  for (const auto& [value, count] : counts) EXPECT_NEAR(count, 10000, 500) << value;
}

TEST(Random, UniformTakesTheWholeRangeOfAType) {
  Random random(2);
  EXPECT_EQ(random.Uniform(5, 5), 5);
  std::set<int64_t> signs;
  for (int i = 0; i < 64; ++i) {
    signs.insert(random.Uniform(std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()) < 0);
  }
  EXPECT_EQ(signs.size(), 2u);
}

TEST(Random, RealsAreBelowOne) {
  Random random(3);
  double least = 1, most = 0, sum = 0;
  for (int i = 0; i < 10000; ++i) {
    const double value = random.UniformReal();
    least = std::min(least, value);
    most = std::max(most, value);
    sum += value;
  }
  EXPECT_GE(least, 0);
  EXPECT_LT(least, 0.01);
  EXPECT_LT(most, 1);
  EXPECT_GT(most, 0.99);
  EXPECT_NEAR(sum / 10000, 0.5, 0.02);
}

TEST(Random, ChanceKeepsItsProbability) {
  Random random(4);
  int hits = 0;
  for (int i = 0; i < 10000; ++i) hits += random.Chance(0.25) ? 1 : 0;
  EXPECT_NEAR(hits, 2500, 150);
  EXPECT_FALSE(random.Chance(0));
  EXPECT_TRUE(random.Chance(1));
}

TEST(Random, JitterOnlyLengthens) {
  Random random(5);
  std::set<Duration> seen;
  for (int i = 0; i < 100; ++i) {
    const Duration jittered = random.Jitter(1s, 0.1);
    EXPECT_GE(jittered, 1s);
    EXPECT_LT(jittered, 1100ms);
    seen.insert(jittered);
  }
  EXPECT_GT(seen.size(), 90u);
  EXPECT_EQ(random.Jitter(1s, 0), 1s);
}

TEST(Random, SuffixHasLengthAndAlphabetOfGeneratedNames) {
  Random random(6);
  const std::string suffix = random.Suffix(5000);
  EXPECT_EQ(suffix.size(), 5000u);
  const std::set<char> letters(suffix.begin(), suffix.end());
  EXPECT_EQ(std::string(letters.begin(), letters.end()), "2456789bcdfghjklmnpqrstvwxz");
  EXPECT_EQ(random.Suffix(0), "");
}

TEST(Random, DrivesStandardAlgorithms) {
  std::vector<int> numbers = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  const std::vector<int> sorted = numbers;
  Random random(7);
  std::shuffle(numbers.begin(), numbers.end(), random);
  EXPECT_NE(numbers, sorted);
  EXPECT_TRUE(std::is_permutation(numbers.begin(), numbers.end(), sorted.begin()));
}

TEST(SecureRandom, FillsAllBytesDifferentlyEachTime) {
  std::vector<std::byte> first(1000), second(1000);
  SecureRandom::Fill(first);
  SecureRandom::Fill(second);
  EXPECT_NE(first, second);
  EXPECT_NE(std::vector<std::byte>(first.end() - 16, first.end()), std::vector<std::byte>(16));
  EXPECT_NE(SecureRandom::Next(), SecureRandom::Next());
  EXPECT_NE(Random::FromEntropy().Next(), Random::FromEntropy().Next());
}

}  // namespace
}  // namespace keelson
