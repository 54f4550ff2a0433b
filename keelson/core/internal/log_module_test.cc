#include "keelson/core/internal/log_module.h"

#include <gtest/gtest.h>

#include <string>

namespace keelson::internal {
namespace {

TEST(LogModule, GlobMatchesAsGoDoes) {
  EXPECT_TRUE(MatchesGlob("abc", "abc"));
  EXPECT_TRUE(MatchesGlob("*", "abc"));
  EXPECT_TRUE(MatchesGlob("*", ""));
  EXPECT_TRUE(MatchesGlob("*c", "abc"));
  EXPECT_TRUE(MatchesGlob("a*", "a"));
  EXPECT_TRUE(MatchesGlob("a*b*c*d*e*", "axbxcxdxexxx"));
  EXPECT_FALSE(MatchesGlob("a*b*c*d*e*", "axbxcxdxxxx"));
  EXPECT_TRUE(MatchesGlob("a*b?c*x", "abxbbxdbxebxczzx"));
  EXPECT_FALSE(MatchesGlob("a*b?c*x", "abxbbxdbxebxczzy"));
  EXPECT_TRUE(MatchesGlob("a?c", "abc"));
  EXPECT_FALSE(MatchesGlob("a?c", "ac"));
  EXPECT_FALSE(MatchesGlob("ab", "abc"));
  EXPECT_FALSE(MatchesGlob("abc", "ab"));
  EXPECT_FALSE(MatchesGlob("", "a"));
  EXPECT_TRUE(MatchesGlob("", ""));
}

TEST(LogModule, GlobDoesNotCrossSlashes) {
  EXPECT_FALSE(MatchesGlob("*", "a/b"));
  EXPECT_FALSE(MatchesGlob("a?b", "a/b"));
  EXPECT_TRUE(MatchesGlob("*/b", "a/b"));
  EXPECT_FALSE(MatchesGlob("a*/b", "a/c/b"));
}

TEST(LogModule, GlobHasSetsAndEscapes) {
  EXPECT_TRUE(MatchesGlob("ab[c]", "abc"));
  EXPECT_TRUE(MatchesGlob("ab[b-d]", "abc"));
  EXPECT_FALSE(MatchesGlob("ab[e-g]", "abc"));
  EXPECT_FALSE(MatchesGlob("ab[^b-d]", "abc"));
  EXPECT_TRUE(MatchesGlob("ab[^e-g]", "abc"));
  EXPECT_TRUE(MatchesGlob("[\\]a]", "]"));
  EXPECT_TRUE(MatchesGlob("[\\-x]", "-"));
  EXPECT_TRUE(MatchesGlob("a\\*b", "a*b"));
  EXPECT_FALSE(MatchesGlob("a\\*b", "axb"));
}

TEST(LogModule, MalformedPatternMatchesNothing) {
  for (const char* pattern : {"[", "[a", "[]a]", "[-]", "[x-]", "[-x]", "[^", "[a-b-c]", "\\", "a\\", "[\\"}) {
    EXPECT_FALSE(IsGlob(pattern)) << pattern;
    EXPECT_FALSE(MatchesGlob(pattern, "a")) << pattern;
    EXPECT_FALSE(MatchesGlob(pattern, pattern)) << pattern;
  }
  EXPECT_TRUE(IsGlob("a]b*?[^x-z]"));
}

TEST(LogModule, ManyStarsTakeNoExponentialTime) {
  std::string pattern;
  for (int i = 0; i < 200; ++i) pattern += "*a";
  EXPECT_FALSE(MatchesGlob(pattern + "b", std::string(1000, 'a')));
  EXPECT_TRUE(MatchesGlob(pattern, std::string(1000, 'a')));
}

TEST(LogModule, PatternIsComparedWithTheNameWithoutExtension) {
  EXPECT_TRUE(MatchesSourceFile("reflector", "/src/keelson/cache/reflector.cc"));
  EXPECT_TRUE(MatchesSourceFile("refl*", "reflector.h"));
  EXPECT_FALSE(MatchesSourceFile("reflector.cc", "/src/keelson/cache/reflector.cc"));
  EXPECT_FALSE(MatchesSourceFile("cache", "/src/keelson/cache/reflector.cc"));
  EXPECT_TRUE(MatchesSourceFile("a.pb", "a.pb.cc"));
  EXPECT_TRUE(MatchesSourceFile("main", "dir.d/main"));
  EXPECT_TRUE(MatchesSourceFile(".hidden", "x/.hidden"));
}

TEST(LogModule, PatternWithSlashesIsComparedWithAsManyDirectories) {
  const char* path = "/src/keelson/cache/reflector.cc";
  EXPECT_TRUE(MatchesSourceFile("cache/reflector", path));
  EXPECT_TRUE(MatchesSourceFile("cache/*", path));
  EXPECT_TRUE(MatchesSourceFile("*/cache/r*", path));
  EXPECT_TRUE(MatchesSourceFile("/src/*/*/reflector", path));
  EXPECT_FALSE(MatchesSourceFile("client/*", path));
  EXPECT_FALSE(MatchesSourceFile("/keelson/cache/*", path));
  EXPECT_FALSE(MatchesSourceFile("a/b/c/d/e/reflector", path));
  EXPECT_TRUE(MatchesSourceFile("cache/*", "cache/reflector.cc"));
  EXPECT_FALSE(MatchesSourceFile("x/cache/*", "cache/reflector.cc"));
}

}  // namespace
}  // namespace keelson::internal
