#include "keelson/codec/unstructured.h"

#include <gtest/gtest.h>

#include "keelson/api/apps/v1.h"
#include "keelson/api/compare.h"
#include "keelson/api/core/v1.h"
#include "keelson/api/sharing.h"
#include "keelson/codec/json_writer.h"

namespace keelson {
namespace {

constexpr std::string_view kDocument =
    R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"shop","uid":"u1",)"
    R"("resourceVersion":"7","generation":3,"creationTimestamp":"2024-01-02T03:04:05Z","labels":{"app":"web"},)"
    R"("finalizers":["a/b"],"ownerReferences":[{"apiVersion":"v1","kind":"Node","name":"n","uid":"u2"}]},)"
    R"("spec":{"replicas":2,"ratio":0.5,"paused":true,"selector":null}})";

Unstructured Sample() { return Unstructured::Parse(kDocument).value(); }

TEST(Unstructured, ReadsWhatEveryObjectHas) {
  const Unstructured object = Sample();
  EXPECT_EQ(object.GetGvk(), (GroupVersionKind{"apps", "v1", "Deployment"}));
  EXPECT_EQ(object.GetKey(), (ObjectKey{"shop", "web"}));
  EXPECT_EQ(object.GetUid(), "u1");
  EXPECT_EQ(object.GetResourceVersion(), "7");
  EXPECT_EQ(object.GetGeneration(), 3);
  EXPECT_EQ(object.GetCreationTimestamp(), metav1::Time::FromUnix(1704164645));
  EXPECT_EQ(object.GetDeletionTimestamp(), std::nullopt);
  EXPECT_EQ(object.GetLabels(), (Map<String>{{"app", "web"}}));
  EXPECT_TRUE(object.GetAnnotations().empty());
  EXPECT_EQ(object.GetFinalizers(), List<String>{"a/b"});
  ASSERT_EQ(object.GetOwnerReferences().size(), 1u);
  const List<metav1::OwnerReference> owners = object.GetOwnerReferences();
  EXPECT_EQ(owners[0].uid, "u2");
  const Result<metav1::ObjectMeta> metadata = object.GetMetadata();
  ASSERT_TRUE(metadata);
  EXPECT_EQ(metadata->generation, 3);
}

TEST(Unstructured, WritesWhatEveryObjectHas) {
  Unstructured object;
  EXPECT_EQ(ToJson(object), "{}");
  object.SetGvk({"apps", "v1", "Deployment"});
  object.SetName("web");
  object.SetNamespace("shop");
  object.SetGenerateName("w-");
  object.SetUid("u1");
  object.SetResourceVersion("7");
  object.SetGeneration(3);
  object.SetCreationTimestamp(metav1::Time::FromUnix(0));
  object.SetDeletionTimestamp(metav1::Time::FromUnix(1));
  object.SetLabels({{"b", "2"}, {"a", "1"}});
  object.SetAnnotations({{"n", "v"}});
  object.SetFinalizers({"f"});
  object.SetOwnerReferences({{.apiVersion = "v1", .kind = "Node", .name = "n", .uid = "u2"}});
  EXPECT_EQ(
      ToJson(object),
      R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"annotations":{"n":"v"},)"
      R"("creationTimestamp":"1970-01-01T00:00:00Z","deletionTimestamp":"1970-01-01T00:00:01Z","finalizers":["f"],)"
      R"("generateName":"w-","generation":3,"labels":{"a":"1","b":"2"},"name":"web","namespace":"shop",)"
      R"("ownerReferences":[{"apiVersion":"v1","kind":"Node","name":"n","uid":"u2"}],"resourceVersion":"7",)"
      R"("uid":"u1"}})");
  const Result<appsv1::Deployment> typed = FromUnstructured<appsv1::Deployment>(object);
  ASSERT_TRUE(typed) << typed.error().message();
  EXPECT_EQ(typed->metadata.labels.at("b"), "2");
}

TEST(Unstructured, SettingTheDefaultRemovesTheMember) {
  Unstructured object = Sample();
  object.SetUid("");
  object.SetResourceVersion("");
  object.SetGeneration(0);
  object.SetCreationTimestamp({});
  object.SetDeletionTimestamp({});
  object.SetLabels({});
  object.SetFinalizers({});
  object.SetOwnerReferences({});
  EXPECT_TRUE(object.RemoveNested({"spec"}));
  EXPECT_FALSE(object.RemoveNested({"spec"}));
  EXPECT_EQ(ToJson(object),
            R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"shop"}})");
}

TEST(Unstructured, NestedValuesAreReadByPathAndKind) {
  const Unstructured object = Sample();
  EXPECT_EQ(object.NestedInt({"spec", "replicas"}), 2);
  EXPECT_EQ(object.NestedNumber({"spec", "replicas"}), 2.0);
  EXPECT_EQ(object.NestedNumber({"spec", "ratio"}), 0.5);
  EXPECT_EQ(object.NestedInt({"spec", "ratio"}), std::nullopt);
  EXPECT_EQ(object.NestedBool({"spec", "paused"}), true);
  EXPECT_EQ(object.NestedString({"metadata", "labels", "app"}), "web");
  EXPECT_EQ(object.NestedString({"metadata", "labels", "other"}), std::nullopt);
  EXPECT_EQ(object.NestedString({"spec", "replicas", "deeper"}), std::nullopt);
  ASSERT_NE(object.Nested({"spec", "selector"}), nullptr);
  EXPECT_TRUE(object.Nested({"spec", "selector"})->is_null());
  EXPECT_EQ(object.Nested(Unstructured::Path{}), &object.content());
}

TEST(Unstructured, NestedValuesAreSetAndObjectsMadeOnTheWay) {
  Unstructured object = Sample();
  const Unstructured before = object;
  ASSERT_TRUE(object.SetNested({"spec", "template", "spec", "nodeName"}, "n1"));
  ASSERT_TRUE(object.SetNested({"spec", "replicas"}, 5));
  EXPECT_EQ(object.NestedString({"spec", "template", "spec", "nodeName"}), "n1");
  EXPECT_EQ(object.NestedInt({"spec", "replicas"}), 5);
  EXPECT_EQ(before, Sample());
  // What did not change is still shared.
  EXPECT_EQ(object.Nested({"metadata", "labels", "app"}), before.Nested({"metadata", "labels", "app"}));

  const Result<void> refused = object.SetNested({"spec", "replicas", "deeper"}, 1);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message(),
            "cannot set \"spec.replicas.deeper\": \"spec.replicas\" is no object but integer");
  EXPECT_EQ(object.NestedInt({"spec", "replicas"}), 5);
}

TEST(Unstructured, ParseWantsAnObjectWithItsKind) {
  EXPECT_EQ(Unstructured::Parse("[]").error().message(),
            "expected a JSON object with apiVersion and kind, found array");
  EXPECT_EQ(Unstructured::Parse(R"({"apiVersion":"v1"})").error().message(),
            "the object's \"kind\" is missing: without it nothing says what the object is");
  EXPECT_EQ(Unstructured::Parse(R"({"kind":"Pod","apiVersion":3})").error().code(), ErrorCode::kInvalidArgument);
  EXPECT_FALSE(Unstructured::Parse("{"));
}

TEST(Unstructured, DocumentOfAnotherShapeHasDefaultsEverywhere) {
  const Unstructured object(Json::Array({1, 2}));
  EXPECT_EQ(object.GetName(), "");
  EXPECT_TRUE(object.GetLabels().empty());
  EXPECT_TRUE(object.GetGvk().empty());
  Unstructured odd(Json::Object({{"metadata", 3}}));
  EXPECT_EQ(odd.GetName(), "");
  EXPECT_FALSE(odd.GetMetadata());
  odd.SetName("n");
  EXPECT_EQ(ToJson(odd), R"({"metadata":{"name":"n"}})");
}

TEST(Unstructured, IsReadAndWrittenAsJson) {
  const Result<Unstructured> object = FromJson<Unstructured>(kDocument);
  ASSERT_TRUE(object) << object.error().message();
  EXPECT_EQ(*object, Sample());
  EXPECT_EQ(*FromJson<Unstructured>(ToJson(*object)), *object);
  List<Unstructured> list = {*object, Sample()};
  ShareNodes(list);
  EXPECT_EQ(list[1].GetName(), "web");
  EXPECT_TRUE(Equal(std::as_const(list)[0], std::as_const(list)[1]));
}

TEST(Unstructured, GoesToTypedAndBack) {
  const appsv1::Deployment deployment = {.metadata = {.name = "web"}, .spec = {.replicas = 4}};
  Unstructured object = ToUnstructured(deployment);
  EXPECT_EQ(object.GetGvk(), (GroupVersionKind{"apps", "v1", "Deployment"}));
  EXPECT_EQ(object.NestedInt({"spec", "replicas"}), 4);
  const Result<appsv1::Deployment> again = FromUnstructured<appsv1::Deployment>(object);
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_TRUE(Equal(*again, deployment));

  const Result<corev1::Pod> other = FromUnstructured<corev1::Pod>(object);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().message(),
            "expected a document of \"/v1, Kind=Pod\", found apiVersion \"apps/v1\", kind \"Deployment\"");
}

TEST(Unstructured, PartialMetadataComesFromEither) {
  const appsv1::Deployment deployment = {.metadata = {.name = "web", .labels = {{"a", "b"}}}, .spec = {.replicas = 4}};
  const metav1::PartialObjectMetadata from_typed = ToPartialMetadata(deployment);
  EXPECT_EQ(from_typed.apiVersion, "apps/v1");
  EXPECT_EQ(from_typed.kind, "Deployment");
  EXPECT_EQ(from_typed.metadata.name, "web");
  const Result<metav1::PartialObjectMetadata> from_tree = ToPartialMetadata(ToUnstructured(deployment));
  ASSERT_TRUE(from_tree) << from_tree.error().message();
  EXPECT_TRUE(Equal(*from_tree, from_typed));
}

TEST(Unstructured, ItemsOfAListGetItsKind) {
  const Unstructured list =
      Unstructured::Parse(
          R"({"apiVersion":"v1","kind":"PodList","metadata":{"resourceVersion":"9","continue":"c"},"items":[)"
          R"({"metadata":{"name":"a"}},{"apiVersion":"v2","kind":"Odd","metadata":{"name":"b"}}]})")
          .value();
  EXPECT_TRUE(list.IsList());
  EXPECT_FALSE(Sample().IsList());
  EXPECT_EQ(list.GetResourceVersion(), "9");
  EXPECT_EQ(list.GetContinue(), "c");
  const List<Unstructured> items = list.GetItems();
  ASSERT_EQ(items.size(), 2u);
  EXPECT_EQ(items[0].GetGvk(), (GroupVersionKind{"", "v1", "Pod"}));
  EXPECT_EQ(items[0].GetName(), "a");
  EXPECT_EQ(items[1].GetGvk(), (GroupVersionKind{"", "v2", "Odd"}));
  EXPECT_TRUE(Sample().GetItems().empty());
}

}  // namespace
}  // namespace keelson
