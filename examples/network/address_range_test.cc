#include "address_range.h"

#include <gtest/gtest.h>

namespace network {
namespace {

bool Overlap(const std::string& a, const std::string& b) {
  const AddressRange first = AddressRange::Parse(a).value();
  const AddressRange second = AddressRange::Parse(b).value();
  EXPECT_EQ(first.Overlaps(second), second.Overlaps(first)) << a << " " << b;
  return first.Overlaps(second);
}

TEST(AddressRange, OverlapsWhatItContainsAndWhatContainsIt) {
  EXPECT_TRUE(Overlap("192.168.0.0/16", "192.168.128.0/24"));
  EXPECT_TRUE(Overlap("192.168.0.0/16", "192.168.0.0/16"));
  EXPECT_TRUE(Overlap("0.0.0.0/0", "10.1.2.3/32"));
  EXPECT_TRUE(Overlap("10.0.0.9/29", "10.0.0.15/32")) << "what is behind the prefix does not count";
  EXPECT_TRUE(Overlap("fd00::/8", "fd12:3456::/32"));
}

TEST(AddressRange, DoesNotOverlapItsNeighbours) {
  EXPECT_FALSE(Overlap("192.168.0.0/16", "192.169.0.0/16"));
  EXPECT_FALSE(Overlap("10.0.0.0/25", "10.0.0.128/25"));
  EXPECT_FALSE(Overlap("fd00::/16", "fd01::/16"));
  EXPECT_FALSE(Overlap("0.0.0.0/0", "::/0")) << "other kinds of addresses";
}

TEST(AddressRange, IsWrittenWithItsPrefix) {
  for (const char* text : {"", "10.0.0.0", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8 ", "10.0.0/8",
                           "fd00::/129", "fd00:::/8", "/8", "network/8"}) {
    EXPECT_FALSE(AddressRange::Parse(text)) << text;
  }
}

}  // namespace
}  // namespace network
