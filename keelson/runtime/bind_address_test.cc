#include "keelson/runtime/bind_address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace keelson {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(BindAddress, IsReadAsGoReadsIt) {
  const auto parse = [](std::string_view text) { return ParseBindAddress("--address", text).value().value(); };
  EXPECT_EQ(parse(":8080"), (BindAddress{"", 8080}));
  EXPECT_EQ(parse(":0"), (BindAddress{"", 0}));
  EXPECT_EQ(parse("127.0.0.1:0"), (BindAddress{"127.0.0.1", 0}));
  EXPECT_EQ(parse("0.0.0.0:65535"), (BindAddress{"0.0.0.0", 65535}));
  EXPECT_EQ(parse("[::1]:80"), (BindAddress{"::1", 80}));
  EXPECT_EQ(parse("[fe80::1%eth0]:80"), (BindAddress{"fe80::1%eth0", 80}));
  EXPECT_EQ(parse("my-host_1.example.com:443"), (BindAddress{"my-host_1.example.com", 443}));
}

TEST(BindAddress, NothingAndZeroMeanNoServer) {
  EXPECT_EQ(ParseBindAddress("--address", "").value(), std::nullopt);
  EXPECT_EQ(ParseBindAddress("--address", "0").value(), std::nullopt);
}

TEST(BindAddress, SlipsAreRefusedWithAWordAboutThem) {
  const std::pair<const char*, const char*> cases[] = {
      {"8080", "which has no port"},
      {"localhost", "which has no port"},
      {":", "whose port is no number"},
      {":http", "whose port is no number"},
      {":-1", "whose port is no number"},
      {":+1", "whose port is no number"},
      {": 1", "whose port is no number"},
      {":65536", "whose port is no number"},
      {":99999999999999999999", "whose port is no number"},
      {"::1:80", "needs brackets"},
      {"[::1:80", "needs brackets"},
      {"::1]:80", "needs brackets"},
      {"[]:80", "is no address"},
      {"[::1]x:80", "needs brackets"},
      {"http://localhost:80", "needs brackets"},
      {"a b:80", "is no address"},
      {"a/b:80", "is no address"},
  };
  for (const auto& [text, reason] : cases) {
    const auto parsed = ParseBindAddress("--address", text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code(), ErrorCode::kInvalidArgument);
    EXPECT_THAT(parsed.error().message(), AllOf(HasSubstr(reason), HasSubstr("--address is \""))) << text;
  }
  EXPECT_LT(ParseBindAddress("x", std::string(100000, 'y')).error().message().size(), 500u);
}

}  // namespace
}  // namespace keelson
