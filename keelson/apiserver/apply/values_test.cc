#include "keelson/apiserver/apply/values.h"

#include <gtest/gtest.h>

#include "keelson/api/apps/v1.h"
#include "keelson/api/core/v1.h"
#include "keelson/apiserver/apply/new_fields.h"
#include "keelson/apiserver/apply/object_compare.h"
#include "keelson/codec/json_reader.h"
#include "keelson/codec/json_writer.h"

namespace keelson::apiserver {
namespace {

Json Read(std::string_view text) {
  Result<Json> value = ParseJson(text);
  EXPECT_TRUE(value) << text;
  return value ? std::move(*value) : Json();
}

const Shape& PodShape() { return ShapeOf(TypeOf<corev1::Pod>()); }

TEST(Values, FieldsOfAPodFollowListTypesAndAtomics) {
  const Json pod = Read(R"({"metadata":{"labels":{"a":"b"},"ownerReferences":[{"uid":"u","name":"n"}]},
    "spec":{"containers":[{"name":"c","ports":[{"containerPort":80}],"args":["x"]}],
            "nodeSelector":{"x":"y"},"tolerations":[{"key":"k"}],"imagePullSecrets":[{"name":"s"}]}})");
  EXPECT_EQ(FieldsOf(PodShape(), pod).ToText(),
            R"({"f:metadata":{"f:labels":{"f:a":{}},"f:ownerReferences":{"k:{\"uid\":\"u\"}":{}}},)"
            R"("f:spec":{"f:containers":{"k:{\"name\":\"c\"}":{".":{},"f:args":{},"f:name":{},)"
            R"("f:ports":{"k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{}}}}},)"
            R"("f:imagePullSecrets":{"k:{\"name\":\"s\"}":{}},"f:nodeSelector":{},"f:tolerations":{}}})");
}

TEST(Values, ErrorsAreThoseOfTheServer) {
  const auto check = [](std::string_view text) { return CheckValue(PodShape(), Read(text)); };
  EXPECT_EQ(check(R"({"spec":{"containers":[]}})"), "");
  EXPECT_EQ(check(R"({"spec":{"x":1}})"), ".spec.x: field not declared in schema");
  EXPECT_EQ(check(R"({"spec":{"nodeName":2}})"),
            ".spec.nodeName: expected string, got &value.valueUnstructured{Value:2}");
  EXPECT_EQ(check(R"({"spec":{"priority":"a"}})"), ".spec.priority: expected numeric (int or float), got string");
  EXPECT_EQ(check(R"({"spec":{"hostNetwork":"a"}})"), ".spec.hostNetwork: expected boolean, got &{a}");
  EXPECT_EQ(check(R"({"spec":[1,{"a":true}]})"), ".spec: expected map, got &{[1 map[a:true]]}");
  EXPECT_EQ(check(R"({"spec":{"containers":{"a":null}}})"), ".spec.containers: expected list, got &{map[a:<nil>]}");
  EXPECT_EQ(check(R"({"spec":{"containers":[{"name":"a"},{"name":"a"}]}})"),
            ".spec.containers: duplicate entries for key [name=\"a\"]");
  EXPECT_EQ(check(R"({"metadata":{"finalizers":["a",null]}})"),
            ".metadata.finalizers: element 1: associative list without keys has an element that's an explicit null");
  EXPECT_EQ(check(R"({"metadata":{"labels":{"a":1}},"spec":{"x":1}})"),
            "errors:\n  .metadata.labels.a: expected string, got &value.valueUnstructured{Value:1}\n"
            "  .spec.x: field not declared in schema");
}

TEST(Values, MergeKeepsTheLiveOrderAndPutsNewElementsWhereTheyWereApplied) {
  const auto merged = [](std::string_view live, std::string_view applied) {
    const Shape& shape = *ShapeOf(TypeOf<corev1::Pod>()).FindMember("metadata")->shape->FindMember("finalizers")->shape;
    return ToJson(MergeValues(shape, Read(live), Read(applied)));
  };
  EXPECT_EQ(merged(R"(["a","b","c"])", R"(["b"])"), R"(["a","b","c"])");
  EXPECT_EQ(merged(R"(["a","b","c"])", R"(["c","a"])"), R"(["b","c","a"])");
  EXPECT_EQ(merged(R"(["a","b"])", R"(["x","b","y"])"), R"(["a","x","b","y"])");
  EXPECT_EQ(merged("null", R"(["x"])"), R"(["x"])");
  EXPECT_EQ(merged(R"(["x"])", "null"), R"(["x"])");
}

TEST(Values, MergeOfElementsIsByTheirKeys) {
  const Json merged = MergeValues(
      PodShape(),
      Read(R"({"spec":{"containers":[{"name":"a","image":"1","ports":[{"containerPort":80,"protocol":"TCP"}]}]}})"),
      Read(R"({"spec":{"containers":[{"name":"a","ports":[{"containerPort":80,"name":"http"}]},{"name":"b"}]}})"));
  EXPECT_EQ(
      ToJson(merged),
      R"({"spec":{"containers":[{"image":"1","name":"a","ports":[{"containerPort":80,"name":"http","protocol":"TCP"}]},)"
      R"({"name":"b"}]}})");
}

TEST(Values, ItemsAreTakenOutWithWhatIsInThem) {
  Result<FieldSet> set =
      FieldSet::Parse(R"({"f:spec":{"f:containers":{"k:{\"name\":\"a\"}":{".":{}}},"f:nodeName":{}}})");
  ASSERT_TRUE(set);
  EXPECT_EQ(ToJson(WithoutItems(PodShape(),
                                Read(R"({"spec":{"containers":[{"name":"a"},{"name":"b"}],"nodeName":"n"}})"), *set)),
            R"({"spec":{"containers":[{"name":"b"}]}})");
}

// The same changes, whether found in documents or over the tables.
void ExpectSameChanges(std::string_view before, std::string_view after) {
  Result<corev1::Pod> from = FromJson<corev1::Pod>(before);
  Result<corev1::Pod> to = FromJson<corev1::Pod>(after);
  ASSERT_TRUE(from && to);
  AnyValue left(TypeOf<corev1::Pod>());
  AnyValue right(TypeOf<corev1::Pod>());
  *static_cast<corev1::Pod*>(left.data()) = *from;
  *static_cast<corev1::Pod*>(right.data()) = *to;
  const Comparison typed = CompareObjects(PodShape(), left, right, {});
  const auto document = [](const corev1::Pod& pod) { return Read(ToJson(pod, {.null_when_empty = true})); };
  const Comparison plain = CompareDocuments(PodShape(), document(*from), document(*to));
  EXPECT_EQ(typed.added.ToText(), plain.added.ToText());
  EXPECT_EQ(typed.modified.ToText(), plain.modified.ToText());
  EXPECT_EQ(typed.removed.ToText(), plain.removed.ToText());
  const Comparison made = CompareObjects(PodShape(), AnyValue(TypeOf<corev1::Pod>()), right, {});
  EXPECT_EQ(FieldsOfNewObject(PodShape(), right, {}), made.added.Union(made.modified).ToText());
}

TEST(Values, ChangesFoundOverTheTablesAreThoseOfTheDocuments) {
  const std::string_view objects[] = {
      R"({})", R"({"metadata":{"labels":{"a":"b","c":"d"},"finalizers":["x/y"]}})",
      R"({"metadata":{"labels":{"a":"2"},"annotations":{"q":""}},"spec":{"containers":[{"name":"c","image":"i","resources":
          {"limits":{"cpu":"1"}},"ports":[{"containerPort":1},{"containerPort":1}],"env":[{"name":"E","value":"1"}]}],
          "securityContext":{},"nodeSelector":{"a":"b"}}})",
      R"({"metadata":{"labels":{"a":"2"},"annotations":{"q":""}},"spec":{"containers":[{"name":"d"},{"name":"c","image":"i",
          "ports":[{"containerPort":1,"protocol":"UDP"}],"env":[{"name":"E","value":"2"},{"name":"F"}]}],
          "volumes":[{"name":"v","emptyDir":{}}],"restartPolicy":"Always"},"status":{"conditions":[{"type":"Ready"}]}})"};
  for (const std::string_view before : objects) {
    for (const std::string_view after : objects) ExpectSameChanges(before, after);
  }
}

}  // namespace
}  // namespace keelson::apiserver
