#include "keelson/apiserver/cel/ip_prefix.h"

#include <gtest/gtest.h>

namespace keelson::apiserver::cel {

namespace {

std::string Canonical(std::string_view text) {
  const Result<IpAddr> address = IpAddr::Parse(text);
  return address ? address->ToString() : address.error().message();
}

TEST(IpAddr, PrintsCanonically) {
  EXPECT_EQ(Canonical("10.0.0.1"), "10.0.0.1");
  EXPECT_EQ(Canonical("2001:DB8:0:0:0:0:0:1"), "2001:db8::1");
  EXPECT_EQ(Canonical("1:0:0:2:0:0:0:3"), "1:0:0:2::3");
  EXPECT_EQ(Canonical("::"), "::");
  EXPECT_EQ(Canonical("1::"), "1::");
  EXPECT_EQ(Canonical("0:1:0:1:0:1:0:1"), "0:1:0:1:0:1:0:1");
  EXPECT_EQ(Canonical("::ffff:1.2.3.4"), "::ffff:1.2.3.4");
}

TEST(IpAddr, RefusesWhatIsAmbiguous) {
  EXPECT_EQ(Canonical("1.2.3.04"), "ParseAddr(\"1.2.3.04\"): IPv4 field has octet with leading zero");
  EXPECT_EQ(Canonical("1::2::3"), "ParseAddr(\"1::2::3\"): multiple :: in address (at \":3\")");
  EXPECT_EQ(Canonical("x"), "ParseAddr(\"x\"): unable to parse IP");
}

TEST(IpPrefix, ContainsWhatSharesItsFirstBits) {
  const IpPrefix network = IpPrefix::Parse("10.1.0.0/20").OrExit();
  EXPECT_TRUE(network.Contains(IpAddr::Parse("10.1.15.255").OrExit()));
  EXPECT_FALSE(network.Contains(IpAddr::Parse("10.1.16.0").OrExit()));
  EXPECT_FALSE(network.Contains(IpAddr::Parse("::").OrExit()));
  EXPECT_EQ(IpPrefix::Parse("10.1.9.9/20").OrExit().Masked().ToString(), "10.1.0.0/20");
  EXPECT_TRUE(IpPrefix::Parse("::/0").OrExit().Contains(IpAddr::Parse("1::").OrExit()));
}

}  // namespace

}  // namespace keelson::apiserver::cel
