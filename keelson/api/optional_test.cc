#include "keelson/api/optional.h"

#include <gtest/gtest.h>

#include "keelson/api/apiextensions/v1.h"
#include "keelson/api/core/v1.h"
#include "keelson/api/sharing.h"

namespace keelson {
namespace {

using corev1::SecurityContext;

TEST(Optional, StructIsOnePointerAndScalarSitsInPlace) {
  EXPECT_EQ(sizeof(Optional<SecurityContext>), sizeof(void*));
  EXPECT_EQ(sizeof(Optional<bool>), 2u);
  EXPECT_EQ(sizeof(Optional<int32_t>), 8u);
}

TEST(Optional, AbsentDiffersFromDefault) {
  Optional<int32_t> number;
  EXPECT_FALSE(number);
  EXPECT_EQ(number, std::nullopt);
  EXPECT_NE(number, Optional<int32_t>(0));
  number = 0;
  EXPECT_TRUE(number.has_value());
  EXPECT_EQ(number, 0);
  Optional<SecurityContext> context;
  EXPECT_FALSE(context == Optional<SecurityContext>(SecurityContext{}));
  EXPECT_TRUE(context == Optional<SecurityContext>());
}

TEST(Optional, ConvertsFromAndToStandardOptional) {
  const std::optional<int32_t> standard = 3;
  const Optional<int32_t> number = standard;
  EXPECT_EQ(number, 3);
  const std::optional<int32_t> back = number;
  EXPECT_EQ(back, standard);
  EXPECT_EQ(Optional<int32_t>(std::optional<int32_t>()), std::nullopt);
  const Optional<String> text = "literal";
  EXPECT_EQ(text, String("literal"));
}

TEST(Optional, GivesFallbacks) {
  const Optional<int32_t> absent;
  EXPECT_EQ(absent.value_or(7), 7);
  EXPECT_EQ(Optional<int32_t>(1).value_or(7), 1);
  const corev1::PodSpec spec;
  EXPECT_EQ(spec.securityContext.OrDefault().runAsUser, std::nullopt);
}

TEST(Optional, EnsureMakesOnceAndEmplaceAnew) {
  Optional<SecurityContext> context;
  context.Ensure().runAsUser = 5;
  context.Ensure().runAsGroup = 6;
  EXPECT_EQ(std::as_const(context)->runAsUser, 5);
  context.emplace().runAsGroup = 7;
  EXPECT_EQ(std::as_const(context)->runAsUser, std::nullopt);
  context.reset();
  EXPECT_FALSE(context);
}

TEST(Optional, ReadingThroughConstNeverDetaches) {
  Optional<SecurityContext> context = SecurityContext{.runAsUser = 1};
  const Optional<SecurityContext> copy = context;
  const SecurityContext* before = &*copy;
  EXPECT_EQ(std::as_const(context)->runAsUser, 1);
  EXPECT_EQ(&std::as_const(context).value(), before);
  EXPECT_EQ(&copy.OrDefault(), before);
  EXPECT_EQ(&*copy, before);
}

TEST(Optional, ReferenceThatOutlivesACopyDoesNotWriteIntoIt) {
  Optional<SecurityContext> context = SecurityContext{};
  SecurityContext& reference = *context;
  const Optional<SecurityContext> copy = context;
  reference.privileged = true;
  EXPECT_EQ(copy->privileged, std::nullopt);
  EXPECT_EQ(std::as_const(context)->privileged, true);

  corev1::Pod pod;
  corev1::PodSecurityContext& inside = pod.spec.securityContext.Ensure();
  const corev1::Pod other = pod;
  inside.runAsUser = 9;
  EXPECT_EQ(other.spec.securityContext->runAsUser, std::nullopt);
}

TEST(Optional, FrozenNodeIsClonedOnWrite) {
  Optional<SecurityContext> context = SecurityContext{.runAsUser = 1};
  Optional<SecurityContext> equal = SecurityContext{.runAsUser = 1};
  ShareNodes(context);
  ShareNodes(equal);
  EXPECT_EQ(&*std::as_const(context), &*std::as_const(equal));
  context->runAsUser = 2;
  EXPECT_EQ(std::as_const(equal)->runAsUser, 1);
  equal.reset();
  EXPECT_EQ(std::as_const(context)->runAsUser, 2);
}

TEST(Optional, MayContainItself) {
  apiextensionsv1::JSONSchemaProps schema;
  schema.not_.Ensure().not_.Ensure().type = "string";
  EXPECT_EQ(std::as_const(schema).not_->not_->type, "string");
}

TEST(OptionalDeathTest, ReadingAnAbsentValueEndsTheProcess) {
  const Optional<int32_t> absent;
  EXPECT_DEATH((void)*absent, "Optional");
}

}  // namespace
}  // namespace keelson
