#include "keelson/transport/internal/url.h"

#include <gtest/gtest.h>

#include <string>

namespace keelson::internal {
namespace {

TEST(ParseUrl, GivesAllParts) {
  const Result<Url> url = ParseUrl("HTTPS://me:s%40cret:x@Example.com:6443/a/b?c=d?#e#f");
  ASSERT_TRUE(url.has_value()) << url.error().message();
  EXPECT_EQ(url->scheme, "https");
  EXPECT_EQ(url->user, "me");
  EXPECT_EQ(url->password, "s%40cret:x");
  EXPECT_EQ(url->host, "Example.com");
  EXPECT_EQ(url->port, 6443);
  EXPECT_EQ(url->path, "/a/b");
  EXPECT_EQ(url->query, "c=d?");
  EXPECT_EQ(url->fragment, "e#f");
}

TEST(ParseUrl, LeavesOutWhatIsNotThere) {
  const Result<Url> url = ParseUrl("http://a");
  ASSERT_TRUE(url.has_value()) << url.error().message();
  EXPECT_EQ(url->host, "a");
  EXPECT_FALSE(url->user || url->password || url->port);
  EXPECT_EQ(url->path + url->query + url->fragment, "");
  EXPECT_EQ(ParseUrl("http://a:")->port, std::nullopt);
  EXPECT_EQ(ParseUrl("http://me@a")->password, std::nullopt);
}

TEST(ParseUrl, TakesTheBracketsOffAnAddress) {
  EXPECT_EQ(ParseUrl("http://[fd00::1]:80")->host, "fd00::1");
  EXPECT_EQ(ParseUrl("http://[fe80::1%25eth0]")->host, "fe80::1%25eth0");
  EXPECT_EQ(ParseUrl("http://u:p@[::ffff:10.0.0.1]/")->host, "::ffff:10.0.0.1");
}

TEST(ParseUrl, RefusesWhatIsNone) {
  for (const char* text :
       {"",           "a",           "a:80",           "://a",        "h@p://a",        "http://",    "http:///a",
        "http://:80", "http://a:0",  "http://a:65536", "http://a:-1", "http://a:8o",    "http://a b", "http://a\n",
        "http://a,b", "http://[::1", "http://[]",      "http://[a]",  "http://[::1]80", "http://a]",  "http://u@"}) {
    EXPECT_FALSE(ParseUrl(text).has_value()) << text;
  }
}

TEST(ParseUrl, RepeatsNoPasswordInItsErrors) {
  EXPECT_EQ(ParseUrl("http://me:hidden@a:hidden").error().message().find("hidden"), std::string::npos);
}

}  // namespace
}  // namespace keelson::internal
