#include "keelson/codegen/builtin_schemas.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "keelson/codec/json_reader.h"
#include "keelson/codec/json_writer.h"

namespace keelson::codegen {
namespace {

TEST(BuiltinSchemas, AreThoseOfTheDataFile) {
  std::ifstream file(KEELSON_TEST_DATA "/../../data/kubernetes/crd_schemas.json");
  std::ostringstream text;
  text << file.rdbuf();
  const Json recorded = ParseJson(text.str()).value();
  size_t compared = 0;
  for (const auto& [name, schema] : recorded.object()) {
    if (name.view().starts_with('#')) continue;
    const Json* found = FindBuiltinSchema(name);
    ASSERT_NE(found, nullptr) << name;
    EXPECT_EQ(*found, schema) << name;
    ++compared;
  }
  EXPECT_GT(compared, 700u);
}

TEST(BuiltinSchemas, KeepPatternsAsTheyAre) {
  const Json* quantity = FindBuiltinSchema("api/resource.Quantity");
  ASSERT_NE(quantity, nullptr);
  EXPECT_EQ(
      quantity->find("pattern")->string(),
      R"re(^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$)re");
}

TEST(BuiltinSchemas, UnknownNamesHaveNone) {
  EXPECT_EQ(FindBuiltinSchema("core/v1.Nothing"), nullptr);
  EXPECT_EQ(FindBuiltinSchema("#overrides"), nullptr);
}

}  // namespace
}  // namespace keelson::codegen
