#include "keelson/api/owner_references.h"

#include <gtest/gtest.h>

#include "keelson/api/apps/v1.h"
#include "keelson/api/core/v1.h"

namespace keelson {
namespace {

appsv1::Deployment Owner1() { return {.metadata = {.name = "web", .namespace_ = "shop", .uid = "u1"}}; }
corev1::ConfigMap Object1() { return {.metadata = {.name = "settings", .namespace_ = "shop"}}; }

TEST(OwnerReferences, ControllerReferenceIsWrittenInFull) {
  corev1::ConfigMap object = Object1();
  ASSERT_TRUE(SetControllerReference(Owner1(), object));
  ASSERT_EQ(object.metadata.ownerReferences.size(), 1u);
  const metav1::OwnerReference& reference = std::as_const(object.metadata.ownerReferences)[0];
  EXPECT_EQ(reference.apiVersion, "apps/v1");
  EXPECT_EQ(reference.kind, "Deployment");
  EXPECT_EQ(reference.name, "web");
  EXPECT_EQ(reference.uid, "u1");
  EXPECT_EQ(reference.controller, true);
  EXPECT_EQ(reference.blockOwnerDeletion, true);
  EXPECT_EQ(GetControllerOf(object), &reference);
  EXPECT_TRUE(IsControlledBy(object, Owner1()));
}

TEST(OwnerReferences, BlockingTheOwnersDeletionIsAnOption) {
  corev1::ConfigMap object = Object1();
  ASSERT_TRUE(SetControllerReference(Owner1(), object, {.block_owner_deletion = false}));
  EXPECT_EQ(std::as_const(object.metadata.ownerReferences)[0].blockOwnerDeletion, false);
  object = Object1();
  ASSERT_TRUE(SetOwnerReference(Owner1(), object));
  EXPECT_EQ(std::as_const(object.metadata.ownerReferences)[0].blockOwnerDeletion, std::nullopt);
  ASSERT_TRUE(SetOwnerReference(Owner1(), object, {.block_owner_deletion = true}));
  EXPECT_EQ(std::as_const(object.metadata.ownerReferences)[0].blockOwnerDeletion, true);
}

TEST(OwnerReferences, SameOwnerIsUpdatedInPlace) {
  corev1::ConfigMap object = Object1();
  object.metadata.ownerReferences = {
      {.apiVersion = "v1", .kind = "Secret", .name = "other", .uid = "u0"},
      {.apiVersion = "apps/v1beta1", .kind = "Deployment", .name = "web", .uid = "old", .controller = true}};
  ASSERT_TRUE(SetControllerReference(Owner1(), object));
  ASSERT_EQ(object.metadata.ownerReferences.size(), 2u);
  EXPECT_EQ(std::as_const(object.metadata.ownerReferences)[1].apiVersion, "apps/v1");
  EXPECT_EQ(std::as_const(object.metadata.ownerReferences)[1].uid, "u1");
}

TEST(OwnerReferences, SettingWhatIsThereWritesNothing) {
  corev1::ConfigMap object = Object1();
  ASSERT_TRUE(SetControllerReference(Owner1(), object));
  const corev1::ConfigMap before = object;
  ASSERT_TRUE(SetControllerReference(Owner1(), object));
  EXPECT_EQ(&std::as_const(object.metadata.ownerReferences)[0], &before.metadata.ownerReferences[0]);
}

TEST(OwnerReferences, SecondControllerIsRefusedAndTheFirstIsNamed) {
  corev1::ConfigMap object = Object1();
  ASSERT_TRUE(SetControllerReference(Owner1(), object));
  appsv1::Deployment second = Owner1();
  second.metadata.name = "api";
  const Result<void> result = SetControllerReference(second, object);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), ErrorCode::kAlreadyExists);
  EXPECT_EQ(
      result.error().message(),
      "object \"shop/settings\" is already owned by controller Deployment \"web\"; Deployment \"shop/api\" cannot "
      "control it too");
  const auto* detail = result.error().detail<AlreadyOwnedDetail>();
  ASSERT_NE(detail, nullptr);
  EXPECT_EQ(detail->owner().uid, "u1");
  EXPECT_EQ(object.metadata.ownerReferences.size(), 1u);
}

TEST(OwnerReferences, FurtherOwnersMayStandBesideTheController) {
  corev1::ConfigMap object = Object1();
  ASSERT_TRUE(SetControllerReference(Owner1(), object));
  corev1::Secret second = {.metadata = {.name = "extra", .namespace_ = "shop", .uid = "u2"}};
  ASSERT_TRUE(SetOwnerReference(second, object));
  EXPECT_EQ(object.metadata.ownerReferences.size(), 2u);
  EXPECT_EQ(std::as_const(object.metadata.ownerReferences)[1].controller, std::nullopt);
  EXPECT_EQ(std::as_const(object.metadata.ownerReferences)[1].apiVersion, "v1");
  EXPECT_EQ(GetControllerOf(object)->uid, "u1");
}

TEST(OwnerReferences, NamespacedOwnerStaysInItsNamespace) {
  corev1::ConfigMap object = Object1();
  object.metadata.namespace_ = "elsewhere";
  const Result<void> result = SetOwnerReference(Owner1(), object);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message(),
            "object \"elsewhere/settings\" must not have an owner in another namespace: Deployment \"shop/web\" is in "
            "\"shop\"; only cluster-scoped owners reach across");
  EXPECT_TRUE(object.metadata.ownerReferences.empty());
}

TEST(OwnerReferences, ClusterScopedObjectHasNoNamespacedOwner) {
  corev1::Node node = {.metadata = {.name = "n1"}};
  const Result<void> result = SetControllerReference(Owner1(), node);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message(),
            "cluster-scoped object \"n1\" must not have an owner in a namespace, but Deployment \"shop/web\" is in "
            "\"shop\"");
}

TEST(OwnerReferences, ClusterScopedOwnerOwnsAnything) {
  const corev1::Node node = {.metadata = {.name = "n1", .uid = "u3"}};
  corev1::ConfigMap object = Object1();
  corev1::PersistentVolume volume = {.metadata = {.name = "v1"}};
  EXPECT_TRUE(SetControllerReference(node, object));
  EXPECT_TRUE(SetControllerReference(node, volume));
  EXPECT_EQ(GetControllerOf(volume)->name, "n1");
}

TEST(OwnerReferences, OwnerThatWasNeverReadIsRefused) {
  corev1::ConfigMap object = Object1();
  appsv1::Deployment owner = Owner1();
  owner.metadata.uid = "";
  const Result<void> result = SetControllerReference(owner, object);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_NE(result.error().message().find("needs a name and a uid"), std::string::npos);
}

TEST(OwnerReferences, OwnersAreRecognisedWhateverTheVersionAndRemoved) {
  corev1::ConfigMap object = Object1();
  object.metadata.ownerReferences = {{.apiVersion = "extensions/v1", .kind = "Deployment", .name = "web"}};
  EXPECT_FALSE(HasOwnerReference(Owner1(), object));
  object.metadata.ownerReferences.push_back({.apiVersion = "apps/v1beta2", .kind = "Deployment", .name = "web"});
  EXPECT_TRUE(HasOwnerReference(Owner1(), object));
  EXPECT_TRUE(RemoveOwnerReference(Owner1(), object));
  EXPECT_FALSE(RemoveOwnerReference(Owner1(), object));
  ASSERT_EQ(object.metadata.ownerReferences.size(), 1u);
  EXPECT_EQ(std::as_const(object.metadata.ownerReferences)[0].apiVersion, "extensions/v1");
}

TEST(OwnerReferences, NoControllerMeansNull) {
  corev1::ConfigMap object = Object1();
  object.metadata.ownerReferences = {
      {.apiVersion = "v1", .kind = "Node", .name = "n", .uid = "x", .controller = false}};
  EXPECT_EQ(GetControllerOf(object), nullptr);
  EXPECT_FALSE(IsControlledBy(object, Owner1()));
}

}  // namespace
}  // namespace keelson
