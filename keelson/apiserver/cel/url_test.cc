#include "keelson/apiserver/cel/url.h"

#include <gtest/gtest.h>

namespace keelson::apiserver::cel {

namespace {

std::string WhyNot(std::string_view text) {
  const Result<Url> url = Url::ParseRequest(text);
  return url ? "" : url.error().message();
}

TEST(Url, IsTakenApart) {
  const Url url = Url::Parse("https://us%65r:pa@ss@example.com:8080/a%2fb/c d?x=1&y=a+b&x=2#frag").OrExit();
  EXPECT_EQ(url.scheme, "https");
  EXPECT_EQ(url.user->first, "user");
  EXPECT_EQ(url.user->second, "pa@ss");
  EXPECT_EQ(url.host, "example.com:8080");
  EXPECT_EQ(url.Hostname(), "example.com");
  EXPECT_EQ(url.Port(), "8080");
  EXPECT_EQ(url.path, "/a/b/c d");
  EXPECT_EQ(url.EscapedPath(), "/a/b/c%20d");
  EXPECT_EQ(url.fragment, "frag");
  ASSERT_EQ(url.Query().size(), 2u);
  EXPECT_EQ(url.Query()[0].second, (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(url.Query()[1].second, std::vector<std::string>{"a b"});
}

TEST(Url, PrintsTheSameAgain) {
  for (const char* text : {"https://example.com/a%2Fb?q#f", "mailto:me@example.com", "/path?", "//host/path",
                           "https://u:p@h:1/", "https://[fe80::1]:80/x", "scheme:/path", "./a:b"}) {
    EXPECT_EQ(Url::Parse(text).OrExit().ToString(), text);
  }
}

TEST(Url, SaysWhyItIsNone) {
  EXPECT_EQ(WhyNot("../x"), "parse \"../x\": invalid URI for request");
  EXPECT_EQ(WhyNot(""), "parse \"\": empty url");
  EXPECT_EQ(WhyNot(":x"), "parse \":x\": missing protocol scheme");
  EXPECT_EQ(WhyNot("http://a:b/"), "parse \"http://a:b/\": invalid port \":b\" after host");
  EXPECT_EQ(WhyNot("http://a/%g1"), "parse \"http://a/%g1\": invalid URL escape \"%g1\"");
  EXPECT_EQ(WhyNot("http://a b/"), "parse \"http://a b/\": invalid character \" \" in host name");
  EXPECT_EQ(WhyNot("/fine"), "");
}

}  // namespace

}  // namespace keelson::apiserver::cel
