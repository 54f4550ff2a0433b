#include "keelson/transport/internal/name_lookup.h"

#include <gtest/gtest.h>
#include <sys/un.h>

#include "keelson/core/clock.h"

namespace keelson::internal {
namespace {

using namespace std::chrono_literals;

NameLookup Of(const std::string& host) { return LookUp(host, 6443, Clock::Now() + 60s, StopToken()); }

TEST(NameLookup, KnowsAddressesOfThisMachineFromOthers) {
  for (const char* host : {"127.0.0.1", "127.8.9.10", "::1"}) {
    ASSERT_EQ(Of(host).addresses.size(), 1u) << host;
    EXPECT_TRUE(Of(host).addresses[0].IsLoopback()) << host;
  }
  for (const char* host : {"10.0.0.1", "128.0.0.1", "fe80::1", "::"}) {
    ASSERT_EQ(Of(host).addresses.size(), 1u) << host;
    EXPECT_FALSE(Of(host).addresses[0].IsLoopback()) << host;
  }
  SocketAddress local;
  local.storage.ss_family = AF_UNIX;
  EXPECT_TRUE(local.IsLoopback());
}

TEST(NameLookup, NamesAreLookedUp) {
  const NameLookup found = Of("localhost");
  ASSERT_EQ(found.outcome, NameLookup::Outcome::kDone);
  EXPECT_TRUE(found.addresses[0].IsLoopback());
  EXPECT_EQ(Of(std::string(70, 'a') + ".invalid").outcome, NameLookup::Outcome::kUnknownHost);
}

}  // namespace
}  // namespace keelson::internal
