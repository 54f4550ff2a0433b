#include "keelson/api/compare.h"

#include <gtest/gtest.h>

#include "keelson/api/access.h"
#include "keelson/api/builtin_types.h"
#include "keelson/api/core/v1.h"
#include "keelson/api/random_value.h"

namespace keelson {
namespace {

TEST(Compare, EveryFieldOfEveryTypeCounts) {
  for (const Type* type : BuiltinTypes()) {
    Random random(3);
    AnyValue value(*type);
    FillRandom(*type, value.data(), random, {.fill = 1, .max_elements = 2, .max_depth = 2});
    for (const Field& field : type->fields) {
      const void* member = ReadField(field, std::as_const(value).data());
      if (field.name.empty() || IsZero(*field.type, member)) continue;
      AnyValue other(value);
      EXPECT_TRUE(Equal(*type, value.data(), other.data())) << type->name;
      ResetValue(*field.type, WriteField(field, other.data()));
      EXPECT_FALSE(Equal(*type, value.data(), other.data())) << type->name << "." << field.name;
      EXPECT_NE(Hash(*type, value.data()), Hash(*type, other.data())) << type->name << "." << field.name;
      AssignValue(*field.type, WriteField(field, other.data()), member);
      EXPECT_TRUE(Equal(*type, value.data(), other.data())) << type->name << "." << field.name;
    }
  }
}

TEST(Compare, AbsentDiffersFromDefault) {
  corev1::PodSpec absent;
  corev1::PodSpec present;
  present.terminationGracePeriodSeconds = 0;
  EXPECT_FALSE(Equal(absent, present));
  EXPECT_NE(Hash(absent), Hash(present));
  present.terminationGracePeriodSeconds.reset();
  EXPECT_TRUE(Equal(absent, present));
  present.securityContext.Ensure();
  EXPECT_FALSE(Equal(absent, present));
}

TEST(Compare, QuantitiesCompareByAmount) {
  EXPECT_TRUE(Equal(Quantity("1000m"), Quantity("1")));
  EXPECT_EQ(Hash(Quantity("1000m")), Hash(Quantity("1")));
  EXPECT_FALSE(Equal(Quantity("1001m"), Quantity("1")));
}

TEST(Compare, IntOrStringTellsTextFromNumber) {
  EXPECT_FALSE(Equal(IntOrString(80), IntOrString("80")));
  EXPECT_NE(Hash(IntOrString(80)), Hash(IntOrString("80")));
  EXPECT_FALSE(Equal(IntOrString(0), IntOrString("")));
}

TEST(Compare, ElementsAreNotConfusedAcrossBoundaries) {
  EXPECT_NE(Hash(List<String>{"ab", "c"}), Hash(List<String>{"a", "bc"}));
  EXPECT_NE(Hash(List<String>{"a", ""}), Hash(List<String>{"a"}));
  EXPECT_NE(Hash(Map<String>{{"a", "b"}}), Hash(Map<String>{{"b", "a"}}));
  EXPECT_FALSE(Equal(List<String>{"a", ""}, List<String>{"a"}));
}

TEST(Compare, EmptinessIsGosAndZeroGoesDeeper) {
  const corev1::ResourceRequirements empty;
  const Type& type = TypeOf<corev1::ResourceRequirements>();
  EXPECT_FALSE(IsEmpty(type, &empty));
  EXPECT_TRUE(IsZero(type, &empty));
  const corev1::ResourceRequirements limited = {.limits = {{"cpu", "1"}}};
  EXPECT_FALSE(IsZero(type, &limited));
  const Optional<bool> present = false;
  EXPECT_FALSE(IsEmpty(TypeOf<Optional<bool>>(), &present));
  const bool no = false;
  EXPECT_TRUE(IsEmpty(TypeOf<bool>(), &no));
}

}  // namespace
}  // namespace keelson
