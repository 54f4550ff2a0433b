#include "keelson/transport/internal/curl_endpoint.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace keelson::internal {
namespace {

std::string Normalized(const std::string& url) {
  const Result<ServerAddress> server = ParseServerUrl(url);
  return server ? server->Url() : "error: " + server.error().message();
}

TEST(ParseServerUrl, TakesTheFormsOfKubeconfigs) {
  EXPECT_EQ(Normalized("https://10.0.0.1:6443"), "https://10.0.0.1:6443");
  EXPECT_EQ(Normalized("https://10.0.0.1:443/"), "https://10.0.0.1");
  EXPECT_EQ(Normalized("HTTPS://Example.com/k8s/clusters/c-1/"), "https://Example.com/k8s/clusters/c-1");
  EXPECT_EQ(Normalized("http://[fd00::1]:8080"), "http://[fd00::1]:8080");
  EXPECT_EQ(ParseServerUrl("http://[::1]")->host, "::1");
  EXPECT_EQ(ParseServerUrl("http://a")->port, 80);
}

TEST(ParseServerUrl, RefusesTheRest) {
  for (const char* url : {"", "a", "a:80", "ftp://a", "https://", "https://a:0", "https://a:99999", "https://a b",
                          "https://u:p@a", "https://a?b=c", "https://a#b"}) {
    EXPECT_FALSE(ParseServerUrl(url).has_value()) << url;
  }
  EXPECT_EQ(ParseServerUrl("https://u:hidden@a").error().message().find("hidden"), std::string::npos);
}

TEST(ParseProxyUrl, GivesEachSchemeItsPortAndHidesCredentials) {
  const auto check = [](const std::string& url, const std::string& wanted, const std::string& shown) {
    const Result<ProxyAddress> proxy = ParseProxyUrl(url);
    ASSERT_TRUE(proxy.has_value()) << proxy.error().message();
    EXPECT_EQ(proxy->url, wanted);
    EXPECT_EQ(proxy->shown, shown);
  };
  check("proxy", "http://proxy:80", "http://proxy:80");
  check("proxy:3128", "http://proxy:3128", "http://proxy:3128");
  check("https://proxy", "https://proxy:443", "https://proxy:443");
  check("socks5://u:p@proxy", "socks5h://u:p@proxy:1080", "socks5://proxy:1080");
  check("socks5h://[::1]:9", "socks5h://[::1]:9", "socks5h://[::1]:9");
  EXPECT_FALSE(ParseProxyUrl("socks4://proxy").has_value());
  EXPECT_FALSE(ParseProxyUrl("http://").has_value());
}

TEST(MatchesNoProxy, NamesHostsAsInGo) {
  EXPECT_TRUE(MatchesNoProxy("*", "a.com", 443));
  EXPECT_TRUE(MatchesNoProxy("a.com", "a.com", 443));
  EXPECT_TRUE(MatchesNoProxy("a.com", "A.COM.", 443));
  EXPECT_TRUE(MatchesNoProxy("a.com", "b.a.com", 443));
  EXPECT_FALSE(MatchesNoProxy("a.com", "ba.com", 443));
  EXPECT_FALSE(MatchesNoProxy(".a.com", "a.com", 443));
  EXPECT_TRUE(MatchesNoProxy(".a.com", "b.a.com", 443));
  EXPECT_TRUE(MatchesNoProxy("*.a.com", "b.a.com", 443));
  EXPECT_FALSE(MatchesNoProxy("*.a.com", "a.com", 443));
  EXPECT_TRUE(MatchesNoProxy("x.org , a.com:6443", "a.com", 6443));
  EXPECT_FALSE(MatchesNoProxy("a.com:6443", "a.com", 443));
  EXPECT_FALSE(MatchesNoProxy("", "a.com", 443));
  EXPECT_FALSE(MatchesNoProxy(",,", "a.com", 443));
}

TEST(MatchesNoProxy, NamesAddressesAndNetworks) {
  EXPECT_TRUE(MatchesNoProxy("10.0.0.1", "10.0.0.1", 443));
  EXPECT_FALSE(MatchesNoProxy("10.0.0.1", "10.0.0.10", 443));
  EXPECT_TRUE(MatchesNoProxy("10.0.0.1:443", "10.0.0.1", 443));
  EXPECT_FALSE(MatchesNoProxy("10.0.0.1:80", "10.0.0.1", 443));
  EXPECT_TRUE(MatchesNoProxy("10.0.0.0/8", "10.255.0.1", 443));
  EXPECT_FALSE(MatchesNoProxy("10.0.0.0/8", "11.0.0.1", 443));
  EXPECT_FALSE(MatchesNoProxy("10.0.0.0/8", "10.example.com", 443));
  EXPECT_TRUE(MatchesNoProxy("0.0.0.0/0", "8.8.8.8", 443));
  EXPECT_FALSE(MatchesNoProxy("0.0.0.0/0", "fd00::1", 443));
  EXPECT_TRUE(MatchesNoProxy("fd00::/8", "fd12::1", 443));
  EXPECT_TRUE(MatchesNoProxy("fd00::1", "fd00:0::1", 443));
  EXPECT_TRUE(MatchesNoProxy("[fd00::1]:6443", "fd00::1", 6443));
  EXPECT_FALSE(MatchesNoProxy("[fd00::1]:6443", "fd00::1", 443));
  EXPECT_FALSE(MatchesNoProxy("10.0.0.0/99", "10.0.0.1", 443));
}

TEST(ProxyFromEnvironment, ChoosesByScheme) {
  std::map<std::string, std::string> variables;
  const auto chosen = [&](const std::string& url) {
    const Result<ProxyAddress> proxy = ProxyFromEnvironment(
        *ParseServerUrl(url), [&](const char* name) { return variables.contains(name) ? variables[name] : ""; });
    return proxy ? proxy->shown : "error: " + proxy.error().message();
  };
  EXPECT_EQ(chosen("https://a"), "");
  variables = {{"HTTPS_PROXY", "secure:1"}, {"http_proxy", "plain:2"}, {"NO_PROXY", "b,10.0.0.0/8"}};
  EXPECT_EQ(chosen("https://a"), "http://secure:1");
  EXPECT_EQ(chosen("http://a"), "http://plain:2");
  EXPECT_EQ(chosen("https://b"), "");
  EXPECT_EQ(chosen("https://10.1.2.3:6443"), "");
  for (const char* own : {"https://localhost:1", "https://127.0.0.1", "https://127.8.8.8", "https://[::1]"}) {
    EXPECT_EQ(chosen(own), "") << own;
  }
  variables["REQUEST_METHOD"] = "GET";
  EXPECT_EQ(chosen("http://a"), "");
  EXPECT_EQ(chosen("https://a"), "http://secure:1");
  variables["HTTPS_PROXY"] = "ftp://secure";
  EXPECT_TRUE(chosen("https://a").starts_with("error: HTTPS_PROXY: ")) << chosen("https://a");
}

}  // namespace
}  // namespace keelson::internal
