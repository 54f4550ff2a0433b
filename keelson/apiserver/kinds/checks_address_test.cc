#include "keelson/apiserver/kinds/checks_address.h"

#include <gtest/gtest.h>

namespace keelson::apiserver {
namespace {

std::string Canonical(std::string_view text) {
  const std::optional<IpAddress> ip = ParseIp(text);
  return ip ? ip->ToString() : "none";
}

std::string CanonicalCidr(std::string_view text) {
  const std::optional<Cidr> cidr = ParseCidr(text);
  return cidr ? cidr->ToString() : "none";
}

TEST(Address, IsPrintedInItsShortestForm) {
  EXPECT_EQ(Canonical("10.0.0.1"), "10.0.0.1");
  EXPECT_EQ(Canonical("2001:DB8:0:0:0:0:0:1"), "2001:db8::1");
  EXPECT_EQ(Canonical("1:0:0:2:0:0:0:3"), "1:0:0:2::3");
  EXPECT_EQ(Canonical("1:0:2:3:4:5:6:7"), "1:0:2:3:4:5:6:7");
  EXPECT_EQ(Canonical("::"), "::");
  EXPECT_EQ(Canonical("1::"), "1::");
  EXPECT_EQ(Canonical("::ffff:10.0.0.1"), "10.0.0.1");
}

TEST(Address, WithLeadingZerosIsReadButNotStrict) {
  ASSERT_TRUE(ParseIp("010.0.0.1"));
  EXPECT_FALSE(ParseIp("010.0.0.1")->strict);
  EXPECT_EQ(Canonical("010.0.0.1"), "10.0.0.1");
  EXPECT_TRUE(ParseIp("fe80::0001")->strict);
}

TEST(Address, OfAnotherFormIsNone) {
  for (const std::string_view text :
       {"", "1.2.3", "1.2.3.4.5", "1.2.3.256", "a", "1::2::3", ":1", "1:", "12345::", "1:2:3:4:5:6:7",
        "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7::8", "::1.2.3", "1.2.3.4 "}) {
    EXPECT_EQ(Canonical(text), "none") << text;
  }
}

TEST(Cidr, IsPrintedWithoutHostBits) {
  EXPECT_EQ(CanonicalCidr("10.1.2.3/8"), "10.0.0.0/8");
  EXPECT_EQ(CanonicalCidr("fd00::1/64"), "fd00::/64");
  EXPECT_EQ(CanonicalCidr("10.0.0.0/33"), "none");
  EXPECT_EQ(CanonicalCidr("10.0.0.0/"), "none");
  EXPECT_EQ(CanonicalCidr("10.0.0.0"), "none");
  EXPECT_TRUE(ParseCidr("10.1.2.3/8")->HasHostBits());
  EXPECT_FALSE(ParseCidr("10.0.0.0/8")->HasHostBits());
}

TEST(Cidr, HoldsWhatSharesItsPrefixAndFamily) {
  const Cidr ten = *ParseCidr("10.0.0.0/8");
  EXPECT_TRUE(ten.Contains(*ParseCidr("10.1.0.0/16")));
  EXPECT_TRUE(ten.Contains(*ParseIp("10.255.0.1")));
  EXPECT_FALSE(ten.Contains(*ParseCidr("11.0.0.0/16")));
  EXPECT_FALSE(ten.Contains(*ParseCidr("0.0.0.0/0")));
  EXPECT_FALSE(ten.Contains(*ParseIp("fd00::1")));
}

}  // namespace
}  // namespace keelson::apiserver
