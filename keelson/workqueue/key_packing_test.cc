#include "keelson/workqueue/key_packing.h"

#include <gtest/gtest.h>

#include "keelson/workqueue/internal/delayed_keys.h"

namespace keelson {
namespace {

struct Pair {
  std::string namespace_;
  std::string name;
  bool operator==(const Pair&) const = default;
};

struct Triple {
  std::string namespace_;
  std::string name;
  std::string more;
  bool operator==(const Triple&) const = default;
};

static_assert(internal::PackedKey<std::string>);
static_assert(internal::PackedKey<Pair>);
static_assert(!internal::PackedKey<Triple>, "a third member would be lost");

TEST(KeyPacking, NamespaceAndNameComeBack) {
  for (const Pair& key : {Pair{"default", "web"}, Pair{"", "node-1"}}) {
    EXPECT_EQ(KeyPacking<Pair>::Unpack(KeyPacking<Pair>::Pack(key)), key);
  }
}

}  // namespace
}  // namespace keelson
