#include "keelson/codec/json_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "keelson/api/access.h"
#include "keelson/api/apiextensions/v1.h"
#include "keelson/api/apps/v1.h"
#include "keelson/api/compare.h"
#include "keelson/api/sharing.h"
#include "keelson/codec/internal/json_text.h"
#include "keelson/codec/json_writer.h"

namespace keelson {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

template <class T>
T Read(std::string_view text, const JsonReadOptions& options = {}) {
  auto value = FromJson<T>(text, options);
  EXPECT_TRUE(value) << value.error().message();
  return value ? *std::move(value) : T{};
}

template <class T>
std::string Failure(std::string_view text, const JsonReadOptions& options = {}) {
  const auto value = FromJson<T>(text, options);
  EXPECT_FALSE(value) << "was read: " << text;
  return value ? "" : value.error().message();
}

TEST(JsonReader, FillsATypedObject) {
  const auto pod = Read<corev1::Pod>(R"({
    "apiVersion": "v1", "kind": "Pod",
    "metadata": {"name": "web-0", "labels": {"b": "2", "a": "1"}, "creationTimestamp": "2026-01-03T05:10:43Z"},
    "spec": {"containers": [{"name": "app", "image": "nginx", "ports": [{"containerPort": 80}],
             "resources": {"requests": {"cpu": "250m"}}}], "terminationGracePeriodSeconds": 30}
  })");
  EXPECT_EQ(pod.metadata.name, "web-0");
  EXPECT_EQ(pod.metadata.labels.at("a"), "1");
  EXPECT_EQ(pod.metadata.creationTimestamp.unix_seconds(), 1767417043);
  ASSERT_EQ(pod.spec.containers.size(), 1u);
  EXPECT_EQ(pod.spec.containers[0].ports[0].containerPort, 80);
  EXPECT_EQ(pod.spec.containers[0].resources.requests.at("cpu"), Quantity("0.25"));
  EXPECT_EQ(pod.spec.terminationGracePeriodSeconds, 30);
}

TEST(JsonReader, KeysInAnyOrderAndEscapedKeysAreFound) {
  const auto container = Read<corev1::Container>(R"({"tty":true,"\u006eame":"a\"b","image":"\ud83d\ude00\ud800"})");
  EXPECT_TRUE(container.tty);
  EXPECT_EQ(container.name, "a\"b");
  EXPECT_EQ(container.image, "\U0001F600\uFFFD");
}

TEST(JsonReader, NullLeavesTheDefault) {
  const auto deployment = Read<appsv1::Deployment>(
      R"({"metadata":null,"spec":{"replicas":null,"selector":null,"template":{"spec":{"containers":null,"volumes":[null]}}}})");
  EXPECT_FALSE(deployment.spec.replicas.has_value());
  EXPECT_FALSE(deployment.spec.selector.has_value());
  EXPECT_TRUE(deployment.spec.template_.spec.containers.empty());
  EXPECT_EQ(deployment.spec.template_.spec.volumes.size(), 1u);
}

TEST(JsonReader, AnEmptyOptionalStringIsPresent) {
  EXPECT_EQ(Read<corev1::PodSpec>(R"({"runtimeClassName":""})").runtimeClassName, String());
  EXPECT_FALSE(Read<corev1::PodSpec>("{}").runtimeClassName.has_value());
}

TEST(JsonReader, ErrorsNamePathAndReason) {
  EXPECT_THAT(Failure<corev1::Pod>(R"({"spec":{"containers":[{"name":"a"},{"ports":"x"}]}})"),
              StartsWith("spec.containers[1].ports: expected array, found string"));
  EXPECT_THAT(Failure<corev1::Pod>(R"({"spec":{"containers":[{"ports":[{"containerPort":3000000000}]}]}})"),
              StartsWith("spec.containers[0].ports[0].containerPort: the number 3000000000 is outside"));
  EXPECT_THAT(Failure<corev1::Pod>(R"({"metadata":{"labels":{"app":1}}})"),
              StartsWith("metadata.labels.app: expected string, found number"));
  EXPECT_THAT(Failure<corev1::Pod>(R"({"metadata":{"creationTimestamp":"yesterday"}})"),
              StartsWith("metadata.creationTimestamp: "));
  EXPECT_THAT(Failure<appsv1::Deployment>(R"({"spec":{"replicas":1.5}})"),
              StartsWith("spec.replicas: expected an integer, found 1.5"));
  EXPECT_THAT(Failure<corev1::Secret>(R"({"data":{"k":"*"}})"), StartsWith("data.k: expected base64"));
}

TEST(JsonReader, RefusesWhatIsNotJson) {
  for (const char* text : {"",           " ",         "{",
                           "}",          "[",         "[1,]",
                           "{\"a\":1,}", "{\"a\" 1}", "{\"a\":1 \"b\":2}",
                           "{a:1}",      "nul",       "tru",
                           "falsey",     "01",        "1.",
                           ".5",         "+1",        "1e",
                           "--1",        "\"\\q\"",   "\"\\u12g4\"",
                           "\"open",     "1 2",       "{} {}",
                           "[1 2]",      "\"a\"b",    "\"tab\tinside\"",
                           "\xff\xfe",   "{\"a\":}",  "[,1]",
                           "{\"a\"}",    "'a'",       "NaN",
                           "Infinity",   "/*c*/1"}) {
    EXPECT_FALSE(ParseJson(text)) << text;
  }
}

TEST(JsonReader, AFailureLeavesTheDefault) {
  corev1::Pod pod;
  EXPECT_FALSE(DecodeJson(TypeOf<corev1::Pod>(), &pod, R"({"metadata":{"name":"web"},"spec":{"containers":[{},7]}})"));
  EXPECT_TRUE(IsZero(TypeOf<corev1::Pod>(), &pod));
}

TEST(JsonReader, IntegersAndDoublesStayApart) {
  const Json value = *ParseJson(R"([1, 1.0, -0, 9223372036854775807, 9223372036854775808, 1e3, 1e-400])");
  EXPECT_TRUE(value.list()[0].is_int());
  EXPECT_TRUE(value.list()[1].is_double());
  EXPECT_EQ(value.list()[3].integer(), INT64_MAX);
  EXPECT_EQ(value.list()[4].number(), 9223372036854775808.0);
  EXPECT_EQ(value.list()[5].number(), 1000);
  EXPECT_EQ(value.list()[6].number(), 0);
  EXPECT_THAT(Failure<Json>("1e400"), HasSubstr("out of range"));
}

TEST(JsonReader, TheLastOfRepeatedFieldsCounts) {
  const auto pod = Read<corev1::Pod>(
      R"({"metadata":{"name":"a","labels":{"x":"1"},"name":"b","labels":{"y":"2","z":"0","y":"3"}}})");
  EXPECT_EQ(pod.metadata.name, "b");
  EXPECT_FALSE(pod.metadata.labels.contains("x"));
  EXPECT_EQ(pod.metadata.labels.at("y"), "3");
  EXPECT_EQ(ToJson(*ParseJson(R"({"b":1,"a":2,"b":3})")), R"({"a":2,"b":3})");
}

TEST(JsonReader, StrictReadingListsEveryUnknownAndDuplicateField) {
  const std::string failure = Failure<corev1::Pod>(
      R"({"kind":"Pod","apiVersion":"v1","extra":1,"metadata":{"name":"a","name":"b","labels":{"k":"1","k":"2"}},
          "spec":{"containers":[{"name":"c"},{"imag":"x"}]}})",
      {.strict = true});
  EXPECT_EQ(failure,
            "strict decoding error: unknown field \"extra\", duplicate field \"metadata.name\", duplicate field "
            "\"metadata.labels.k\", unknown field \"spec.containers[1].imag\"");
}

TEST(JsonReader, UnknownFieldsSurviveWithTheirElement) {
  auto pod = Read<corev1::Pod>(
      R"({"new":{"deep":[1, 2]},"spec":{"containers":[{"name":"a","shiny":1},{"image":"i","shiny":{"x":"y"},"name":"b"}],"later":true}})");
  EXPECT_EQ(
      ToJson(pod),
      R"({"kind":"Pod","apiVersion":"v1","metadata":{},"spec":{"containers":[{"name":"a","resources":{},"shiny":1},)"
      R"({"name":"b","image":"i","resources":{},"shiny":{"x":"y"}}],"later":true},"status":{},"new":{"deep":[1,2]}})");
  pod.spec.containers.erase(0);  // "b" is first now and keeps what belongs to it
  EXPECT_THAT(ToJson(pod), HasSubstr(R"("containers":[{"name":"b","image":"i","resources":{},"shiny":{"x":"y"}}])"));
}

TEST(JsonReader, ItemsOfAListKeepTheirOwnUnknownFields) {
  const auto list = Read<corev1::PodList>(
      R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[{"metadata":{"name":"a"},"x":1},{"kind":"Pod","apiVersion":"v1"}]})");
  EXPECT_EQ(list.items[0].metadata.unknownFields.size(), 1u);
  EXPECT_TRUE(list.items[1].metadata.unknownFields.empty());
  EXPECT_THAT(ToJson(list), HasSubstr(R"("status":{},"x":1})"));
}

TEST(JsonReader, EmbeddedObjectsCarryTheirKind) {
  const char* text =
      R"({"spec":{"volumeClaimTemplates":[{"kind":"PersistentVolumeClaim","apiVersion":"v1","metadata":{"name":"data"}}]}})";
  const auto set = Read<appsv1::StatefulSet>(text, {.strict = true});
  EXPECT_THAT(ToJson(set), HasSubstr(R"("kind":"PersistentVolumeClaim")"));
}

TEST(JsonReader, AnotherKindIsRefused) {
  EXPECT_THAT(Failure<corev1::Pod>(R"({"kind":"Service","apiVersion":"v1"})"),
              StartsWith("kind: expected kind \"Pod\", found \"Service\""));
  EXPECT_THAT(Failure<appsv1::Deployment>(R"({"kind":"Deployment","apiVersion":"extensions/v1beta1"})"),
              StartsWith("apiVersion: expected apiVersion \"apps/v1\", found \"extensions/v1beta1\""));
  Read<metav1::DeleteOptions>(R"({"kind":"DeleteOptions","apiVersion":"policy/v1"})");
}

TEST(JsonReader, UnionsTakeTheFormThatFits) {
  const auto schema = Read<apiextensionsv1::JSONSchemaProps>(
      R"({"additionalProperties":true,"items":[{"type":"string"}],"additionalItems":{"type":"integer"},"dependencies":{"a":["b"]},"not":{"not":{"type":"null"}}})");
  EXPECT_TRUE(schema.additionalProperties->allows);
  EXPECT_EQ(schema.items->jsonSchemas[0].type, "string");
  EXPECT_TRUE(schema.additionalItems->allows);
  EXPECT_EQ(schema.additionalItems->schema->type, "integer");
  EXPECT_EQ(schema.dependencies.at("a").property[0], "b");
  EXPECT_EQ(schema.not_->not_->type, "null");
  EXPECT_THAT(Failure<apiextensionsv1::JSONSchemaProps>(R"({"items":7})"), StartsWith("items: expected object, array"));
}

TEST(JsonReader, LimitsOfSizeAndDepthHold) {
  EXPECT_THAT(Failure<Json>("[1,2,3]", {.max_bytes = 6}), HasSubstr("7 bytes; the limit is 6"));
  const std::string deep = std::string(600, '[') + std::string(600, ']');
  EXPECT_THAT(Failure<Json>(deep), HasSubstr("nested deeper than 500 levels"));
  EXPECT_TRUE(ParseJson(deep, {.max_depth = 600}));
  EXPECT_THAT(Failure<corev1::Pod>(R"({"unknown":)" + deep + "}"), HasSubstr("nested deeper"));
  std::string schemas;
  for (int i = 0; i < 600; ++i) schemas += R"({"not":)";
  EXPECT_THAT(Failure<apiextensionsv1::JSONSchemaProps>(schemas + "{}" + std::string(600, '}')),
              HasSubstr("nested deeper"));
}

TEST(JsonReader, FieldSetsAreCutAtTokensAsAtCharacters) {
  for (
      const char* text :
      {R"({"f:metadata":{"f:labels":{".":{},"f:a":{}},"f:annotations":{"f:kubernetes.io/long-name-of-it":{}}},"f:spec":{"f:x":{},"f:y":{}}})",
       R"({ "f:a" : {}, "f:b": {"f:c":{}} })", R"({"f:a":["not","only","objects"]})", "{}",
       R"({"k:{\"ip\":\"10.0.0.1\"}":{".":{},"f:ip":{}},"f:zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz":{}})"}) {
    const auto entry = Read<metav1::ManagedFieldsEntry>(std::string(R"({"fieldsV1":)") + text + "}");
    std::string compact;
    internal::AppendCompact(text, compact);
    EXPECT_EQ(entry.fieldsV1->ToString(), compact);
    EXPECT_EQ(*entry.fieldsV1, FieldsV1(compact)) << "pieces differ for " << text;
  }
  EXPECT_FALSE(FromJson<metav1::ManagedFieldsEntry>(R"({"fieldsV1":{"f:\q":{}}})"));
  EXPECT_FALSE(FromJson<metav1::ManagedFieldsEntry>(R"({"fieldsV1":{"f:a":{},}})"));
}

// A reader that has met the same bytes before gives the same answer, and never one object's change to another.
TEST(JsonReader, WhatWasReadBeforeIsReadAlike) {
  for (const bool share : {false, true}) {
    JsonReader reader({.share_nodes = share});
    const auto text = [](int i) {
      return R"({"metadata":{"name":"p)" + std::to_string(i) +
             R"(","labels":{"app":"web","tier":"front"}},"spec":{"containers":[{"name":"a","env":[{"name":"X","value":"1"}],)"
             R"("ports":[{"name":"http","containerPort":80}]}],"tolerations":[{"key":"k","operator":"Exists"}]}})";
    };
    std::vector<corev1::Pod> pods(40);
    for (int i = 0; i < 40; ++i) {
      ASSERT_TRUE(reader.Read(TypeOf<corev1::Pod>(), &pods[static_cast<size_t>(i)], text(i)));
      if (i > 0) pods[static_cast<size_t>(i - 1)].spec.containers[0].env[0].value = "changed";
    }
    EXPECT_EQ(std::as_const(pods[39]).spec.containers[0].env[0].value, "1");
    EXPECT_EQ(std::as_const(pods[38]).spec.containers[0].env[0].value, "changed");
    EXPECT_EQ(&std::as_const(pods[39]).spec.tolerations[0], &std::as_const(pods[38]).spec.tolerations[0])
        << "equal text should have given one node";
    EXPECT_TRUE(Equal(pods[39], *FromJson<corev1::Pod>(text(39))));
  }
}

// An unknown field inside a part that repeats must not be lost at its third time.
TEST(JsonReader, RepeatedPartsKeepTheirUnknownFields) {
  JsonReader reader;
  for (int i = 0; i < 20; ++i) {
    corev1::Pod pod;
    ASSERT_TRUE(
        reader.Read(TypeOf<corev1::Pod>(), &pod,
                    R"({"spec":{"containers":[{"name":"a","livenessProbe":{"periodSeconds":10,"brandNew":true}}]}})"));
    EXPECT_EQ(pod.metadata.unknownFields.size(), 1u);
  }
}

// A lenient reader has skipped the field before; a strict one must still report it.
TEST(JsonReader, StrictReadingIsNotFooledByWhatWasReadBefore) {
  const char* text = R"({"ports":[{"containerPort":80,"oops":1}],"env":[{"name":"a","name":"b"}]})";
  for (int i = 0; i < 10; ++i) Read<corev1::Container>(text);
  EXPECT_EQ(Failure<corev1::Container>(text, {.strict = true}),
            "strict decoding error: unknown field \"ports[0].oops\", duplicate field \"env[0].name\"");
}

}  // namespace
}  // namespace keelson
