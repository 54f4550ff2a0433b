#include <gtest/gtest.h>

#include "keelson/api/builtin_types.h"

namespace keelson {

size_t CountDesignated();  // generated: initialises every struct with each of its members named, in declaration order

namespace {

TEST(GeneratedTypes, EveryStructCanBeInitialisedByDesignators) { EXPECT_EQ(CountDesignated(), BuiltinTypes().size()); }

}  // namespace
}  // namespace keelson
