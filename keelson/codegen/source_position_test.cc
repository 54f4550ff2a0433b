#include "keelson/codegen/source_position.h"

#include <gtest/gtest.h>

namespace keelson::codegen {
namespace {

TEST(Diagnostics, AreRenderedInOrderAndOnce) {
  Diagnostics problems;
  EXPECT_TRUE(problems.empty());
  problems.Add({"b.h", 2, 1}, "later");
  problems.Add({"a.h", 10, 3}, "second");
  problems.Add({"a.h", 9, 30}, "first");
  problems.Add({"a.h", 10, 3}, "second");
  problems.Add({"a.h"}, "of the whole file");
  problems.Add({}, "of no file");
  EXPECT_EQ(problems.Render(),
            "error: of no file\n"
            "a.h: error: of the whole file\n"
            "a.h:9:30: error: first\n"
            "a.h:10:3: error: second\n"
            "b.h:2:1: error: later\n");
}

}  // namespace
}  // namespace keelson::codegen
