#include "keelson/api/random_value.h"

#include <gtest/gtest.h>

#include <set>

#include "keelson/api/access.h"
#include "keelson/api/apiextensions/v1.h"
#include "keelson/api/builtin_types.h"
#include "keelson/api/compare.h"
#include "keelson/api/core/v1.h"

namespace keelson {
namespace {

TEST(RandomValue, SameSeedGivesSameValue) {
  for (const Type* type : BuiltinTypes()) {
    AnyValue a(*type);
    AnyValue b(*type);
    Random first(7);
    Random second(7);
    FillRandom(*type, a.data(), first);
    FillRandom(*type, b.data(), second);
    EXPECT_TRUE(Equal(*type, a.data(), b.data())) << type->name;
    EXPECT_EQ(Hash(*type, a.data()), Hash(*type, b.data())) << type->name;
  }
}

TEST(RandomValue, EveryFieldIsSetSoonerOrLater) {
  for (const Type* type : BuiltinTypes()) {
    std::set<std::string_view> unset;
    for (const Field& field : type->fields) {
      if (!field.name.empty()) unset.insert(field.name);
    }
    for (uint64_t seed = 0; seed < 100 && !unset.empty(); ++seed) {
      AnyValue value(*type);
      Random random(seed);
      FillRandom(*type, value.data(), random, {.max_elements = 2, .max_depth = 2});
      for (const Field& field : type->fields) {
        if (!IsZero(*field.type, ReadField(field, value.data()))) unset.erase(field.name);
      }
    }
    EXPECT_TRUE(unset.empty()) << type->name << "." << (unset.empty() ? "" : *unset.begin());
  }
}

int DepthOf(const apiextensionsv1::JSONSchemaProps& schema) {
  int deepest = 0;
  if (schema.not_) deepest = std::max(deepest, DepthOf(*schema.not_));
  for (const auto& next : schema.allOf) deepest = std::max(deepest, DepthOf(next));
  for (const auto& [name, next] : schema.properties) deepest = std::max(deepest, DepthOf(next));
  return deepest + 1;
}

TEST(RandomValue, DepthIsBounded) {
  int deepest = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    const auto schema = RandomValue<apiextensionsv1::JSONSchemaProps>(random, {.fill = 0.3, .max_depth = 3});
    deepest = std::max(deepest, DepthOf(schema));
  }
  EXPECT_EQ(deepest, 4);
}

TEST(RandomValue, ListMapKeysDoNotRepeat) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    Random random(seed);
    const auto spec = RandomValue<corev1::PodSpec>(random, {.max_elements = 8, .max_text = 1, .max_depth = 1});
    std::set<std::string> names;
    for (const corev1::Container& container : spec.containers) {
      EXPECT_TRUE(names.insert(container.name.str()).second) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace keelson
