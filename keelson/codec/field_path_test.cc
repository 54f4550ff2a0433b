#include "keelson/codec/field_path.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "keelson/api/apiextensions/v1.h"
#include "keelson/api/apps/v1.h"
#include "keelson/api/compare.h"
#include "keelson/api/core/v1.h"
#include "keelson/api/standard_types.h"
#include "keelson/codec/convert.h"
#include "keelson/codec/json_reader.h"
#include "keelson/codec/json_writer.h"

namespace keelson {
namespace {

struct Backend {
  std::string name;
  int32_t weight = 1;
};
struct Gateway {
  std::string host;
  std::optional<int32_t> replicas;
  std::vector<Backend> backends;
  std::map<std::string, std::string> labels;
  std::optional<Backend> fallback;
  corev1::PodTemplateSpec pod;
};

}  // namespace

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
template <>
struct Describe<Backend> {
  static constexpr Field fields[] = {
      {.name = "name", .type = &Describe<std::string>::type, .offset = offsetof(Backend, name)},
      {.name = "weight", .type = &Describe<int32_t>::type, .offset = offsetof(Backend, weight)},
  };
  static constexpr Type type = StructType<Backend>("Backend", fields);
};
template <>
struct Describe<Gateway> {
  static constexpr Field fields[] = {
      {.name = "host", .type = &Describe<std::string>::type, .offset = offsetof(Gateway, host)},
      {.name = "replicas",
       .type = &Describe<std::optional<int32_t>>::type,
       .offset = offsetof(Gateway, replicas),
       .omit_empty = true},
      {.name = "backends",
       .type = &Describe<std::vector<Backend>>::type,
       .offset = offsetof(Gateway, backends),
       .list_type = ListType::kMap,
       .list_keys = "name"},
      {.name = "labels",
       .type = &Describe<std::map<std::string, std::string>>::type,
       .offset = offsetof(Gateway, labels)},
      {.name = "fallback",
       .type = &Describe<std::optional<Backend>>::type,
       .offset = offsetof(Gateway, fallback),
       .omit_empty = true},
      {.name = "pod", .type = &Describe<corev1::PodTemplateSpec>::type, .offset = offsetof(Gateway, pod)},
  };
  static constexpr Type type = StructType<Gateway>("Gateway", fields);
};
#pragma GCC diagnostic pop

namespace {

corev1::Pod TwoContainers() {
  corev1::Pod pod;
  pod.metadata.name = "web-1";
  pod.metadata.labels = {{"app", "web"}, {"example.com/tier", "front"}};
  pod.spec.containers = {{.name = "app", .image = "nginx:1", .ports = {{.containerPort = 80, .protocol = "TCP"}}},
                         {.name = "sidecar", .image = "envoy:2"}};
  return pod;
}

template <class T>
std::string Got(const T& object, std::string_view path) {
  const Result<Json> value = GetField(object, path);
  if (value) return ToJson(*value);
  return std::string(ToString(value.error().code())) + ": " + value.error().message();
}

template <class T>
std::string SetTo(T& object, std::string_view path, const Json& to) {
  const Result<void> done = SetField(object, path, to);
  if (done) return "";
  return std::string(ToString(done.error().code())) + ": " + done.error().message();
}

TEST(FieldPath, PrintsWhatItReads) {
  for (const char* text : {"", "spec", "spec.containers[0].image", "metadata.labels[\"a.b/c\"]",
                           "spec.containers[name=app].image", "spec.ports[containerPort=80,protocol=TCP]",
                           "a[\"quote\\\"d\"]", "a[name=\"b,c\"]", "a[name=\"\"]", "[\"\"]", "[3][4]", "a-b.$ref_1"}) {
    const Result<FieldPath> path = FieldPath::Parse(text);
    ASSERT_TRUE(path) << path.error().message();
    EXPECT_EQ(path->ToString(), text);
    EXPECT_EQ(*FieldPath::Parse(path->ToString()), *path);
  }
}

TEST(FieldPath, AcceptsALeadingDotAndSingleQuotes) {
  EXPECT_EQ(*FieldPath::Parse(".spec.replicas"), *FieldPath::Parse("spec.replicas"));
  EXPECT_EQ(*FieldPath::Parse("labels['a.b']"), *FieldPath::Parse("labels[\"a.b\"]"));
}

TEST(FieldPath, NameIsTheSameInBracketsAndBehindADot) {
  EXPECT_EQ(*FieldPath::Parse("spec[\"replicas\"]"), *FieldPath::Parse("spec.replicas"));
  EXPECT_FALSE(*FieldPath::Parse("spec[\"0\"]") == *FieldPath::Parse("spec[0]"));
}

TEST(FieldPath, AnyNamePrintsSoThatItReadsBack) {
  for (const std::string& name : {std::string("\0\xff\n\\\"é", 8), std::string("a.b[c]"), std::string(" ")}) {
    const FieldPath path = FieldPath().Field(name).Key(name).Element({{"k", name}}).Index(7);
    const Result<FieldPath> again = FieldPath::Parse(path.ToString());
    ASSERT_TRUE(again) << again.error().message();
    EXPECT_EQ(*again, path) << path.ToString();
  }
}

TEST(FieldPath, RefusesMalformedText) {
  for (const char* text : {".", "a.", "a..b", "a[", "a[]", "a[1", "a[x]", "a[=x]", "a[x=]", "a[\"x]", "a[\"\\q\"]",
                           "a]", "a b", "a[1]b", "a[99999999999999999999]", "a[x=1,]", "{.a}"}) {
    EXPECT_FALSE(FieldPath::Parse(text)) << text;
  }
  EXPECT_EQ(FieldPath::Parse("a[1]b").error().message(), "field path \"a[1]b\", at byte 4: expected '.' or '['");
}

TEST(FieldPath, SizeAndStepsAreLimited) {
  std::string long_path;
  for (size_t i = 0; i < FieldPath::kMaxSteps; ++i) long_path += "[0]";
  EXPECT_TRUE(FieldPath::Parse(long_path));
  EXPECT_FALSE(FieldPath::Parse(long_path + "[0]"));
  EXPECT_FALSE(FieldPath::Parse(std::string(FieldPath::kMaxBytes + 1, 'a')));
}

TEST(GetField, ReadsTypedObjects) {
  const corev1::Pod pod = TwoContainers();
  EXPECT_EQ(Got(pod, "spec.containers[0].image"), "\"nginx:1\"");
  EXPECT_EQ(Got(pod, "spec.containers[name=sidecar].image"), "\"envoy:2\"");
  EXPECT_EQ(Got(pod, "spec.containers[name=app].ports[containerPort=80,protocol=TCP].containerPort"), "80");
  EXPECT_EQ(Got(pod, "metadata.labels[\"example.com/tier\"]"), "\"front\"");
  EXPECT_EQ(Got(pod, "metadata.labels.app"), "\"web\"");
  EXPECT_EQ(Got(pod, "kind"), "\"Pod\"");
  EXPECT_EQ(Got(pod, "apiVersion"), "\"v1\"");
  EXPECT_EQ(Got(appsv1::Deployment(), "apiVersion"), "\"apps/v1\"");
  EXPECT_EQ(Got(pod, "spec.containers[0].ports"), "[{\"containerPort\":80,\"protocol\":\"TCP\"}]");
}

TEST(GetField, ReadsJsonTrees) {
  const Json tree = ToJsonValue(TwoContainers());
  EXPECT_EQ(Got(tree, "spec.containers[name=sidecar].image"), "\"envoy:2\"");
  EXPECT_EQ(Got(tree, "spec.containers[name=app].ports[containerPort=80].protocol"), "\"TCP\"");
  EXPECT_EQ(Got(tree, "metadata.labels[\"example.com/tier\"]"), "\"front\"");
  EXPECT_EQ(Got(tree, "metadata.label"), "NotFound: metadata.label is not there; did you mean \"labels\"?");
}

TEST(GetField, SaysWhereThePathStopsMatching) {
  const corev1::Pod pod = TwoContainers();
  EXPECT_EQ(Got(pod, "spec.container[0]"),
            "InvalidArgument: spec.container: no such field in core/v1.PodSpec; did you mean \"containers\"?");
  EXPECT_EQ(
      Got(pod, "spec.containers[0].ports[0].xyzzy"),
      "InvalidArgument: spec.containers[0].ports[0].xyzzy: no such field in core/v1.ContainerPort; it has \"name\", "
      "\"hostPort\", \"containerPort\", \"protocol\", \"hostIP\"");
  EXPECT_EQ(Got(pod, "spec.containers[7].image"), "NotFound: spec.containers[7] is not there: the list has 2 elements");
  EXPECT_EQ(
      Got(pod, "spec.containers.image"),
      "InvalidArgument: spec.containers.image: spec.containers is a list, which has [index] or [field=value]; the "
      "path goes on with a field");
  EXPECT_EQ(
      Got(pod, "spec.nodeName.x"),
      "InvalidArgument: spec.nodeName.x: spec.nodeName is a value of type string, which has nothing below it; the "
      "path goes on with a field");
  EXPECT_EQ(Got(pod, "spec.securityContext.runAsUser"), "NotFound: spec.securityContext is not set");
  EXPECT_EQ(Got(pod, "spec.activeDeadlineSeconds"), "NotFound: spec.activeDeadlineSeconds is not set");
  EXPECT_EQ(Got(pod, "metadata.labels.ap"), "NotFound: metadata.labels.ap is not there; did you mean \"app\"?");
  EXPECT_EQ(Got(pod, "spec.containers[nam=app]"),
            "InvalidArgument: spec.containers[nam=app]: no such field in core/v1.Container; did you mean \"name\"?");
  EXPECT_EQ(GetField(pod, "metadata[\"\"]").error().code(), ErrorCode::kInvalidArgument);
}

TEST(GetField, ReachesIntoRawDocumentsAndUnions) {
  appsv1::ControllerRevision revision;
  revision.data = RawExtension(R"({"spec":{"replicas":3}})");
  EXPECT_EQ(Got(revision, "data.spec.replicas"), "3");
  EXPECT_EQ(SetTo(revision, "data.spec.replicas", 4), "");
  EXPECT_EQ(revision.data.raw(), R"({"spec":{"replicas":4}})");

  apiextensionsv1::JSONSchemaProps schema;
  EXPECT_EQ(SetTo(schema, "items.type", "string"), "");
  EXPECT_EQ(Got(schema, "items"), R"({"type":"string"})");
  EXPECT_EQ(Got(schema, "items.type"), "\"string\"");
}

TEST(SetField, WritesTypedObjects) {
  corev1::Pod pod = TwoContainers();
  const corev1::Pod before = pod;
  EXPECT_EQ(SetTo(pod, "spec.containers[name=app].image", "nginx:2"), "");
  EXPECT_EQ(pod.spec.containers[0].image, "nginx:2");
  EXPECT_EQ(before.spec.containers[0].image, "nginx:1") << "a copy that shared the node stays as it was";
  EXPECT_EQ(SetTo(pod, "spec.securityContext.runAsUser", 1000), "");
  EXPECT_EQ(pod.spec.securityContext->runAsUser, int64_t{1000});
  EXPECT_EQ(SetTo(pod, "metadata.annotations[\"a/b\"]", "c"), "");
  EXPECT_EQ(pod.metadata.annotations.at("a/b"), "c");
  EXPECT_EQ(SetTo(pod, "spec.containers[0].resources.limits.cpu", "500m"), "");
  EXPECT_EQ(pod.spec.containers[0].resources.limits.at("cpu"), Quantity("500m"));
  EXPECT_EQ(SetTo(pod, "spec.containers[0].ports", Json::Array({Json::Object({{"containerPort", 443}})})), "");
  EXPECT_EQ(pod.spec.containers[0].ports[0].containerPort, 443);
  EXPECT_EQ(SetTo(pod, "spec.securityContext", Json()), "");
  EXPECT_FALSE(pod.spec.securityContext);
}

TEST(SetField, AppendsAtTheEndAndByNewKeys) {
  corev1::Pod pod = TwoContainers();
  EXPECT_EQ(SetTo(pod, "spec.containers[2].name", "third"), "");
  EXPECT_EQ(pod.spec.containers[2].name, "third");
  EXPECT_EQ(SetTo(pod, "spec.containers[name=fourth].ports[containerPort=80,protocol=UDP].name", "dns"), "");
  ASSERT_EQ(pod.spec.containers.size(), 4u);
  const corev1::Pod& read = pod;
  EXPECT_EQ(read.spec.containers[3].name, "fourth");
  EXPECT_EQ(read.spec.containers[3].ports[0].containerPort, 80);
  EXPECT_EQ(read.spec.containers[3].ports[0].protocol, "UDP");
  EXPECT_EQ(read.spec.containers[3].ports[0].name, "dns");
  EXPECT_EQ(SetTo(pod, "spec.containers[9].name", "x"),
            "NotFound: spec.containers[9] is not there: the list has 4 elements, so the next one is [4]");
}

TEST(SetField, LeavesTheObjectAsItWasOnAnError) {
  corev1::Pod pod = TwoContainers();
  const corev1::Pod before = pod;
  EXPECT_NE(SetTo(pod, "spec.securityContext.runAsUserr", 1), "");
  EXPECT_NE(SetTo(pod, "spec.securityContext.runAsUser", "root"), "");
  EXPECT_NE(SetTo(pod, "spec.containers[name=new].imag", "x"), "");
  EXPECT_NE(SetTo(pod, "spec.containers[0].ports[containerPort=http].name", "x"), "");
  EXPECT_NE(SetTo(pod, "spec.containers[name=new]", Json::Object({{"imagee", "x"}})), "");
  EXPECT_NE(SetTo(pod, "metadata.labels[\"new\"].deeper", "x"), "");
  EXPECT_NE(SetTo(pod, "kind", "Node"), "");
  EXPECT_NE(SetTo(pod, "kind.name", "Node"), "");
  EXPECT_TRUE(Equal(pod, before));
  EXPECT_EQ(SetTo(pod, "kind", "Pod"), "");
}

TEST(SetField, WritesJsonTrees) {
  Json tree;
  EXPECT_EQ(SetTo(tree, "spec.containers[name=app].image", "nginx:1"), "");
  EXPECT_EQ(SetTo(tree, "spec.containers[name=app].ports[0].containerPort", 80), "");
  EXPECT_EQ(SetTo(tree, "metadata.labels[\"a.b\"]", "c"), "");
  EXPECT_EQ(ToJson(tree),
            R"({"metadata":{"labels":{"a.b":"c"}},"spec":{"containers":[{"image":"nginx:1","name":"app","ports":)"
            R"([{"containerPort":80}]}]}})");
  const Json before = tree;
  EXPECT_EQ(SetTo(tree, "spec.containers[0].image.tag", "x"),
            "InvalidArgument: spec.containers[0].image.tag: spec.containers[0].image is JSON string, which has nothing "
            "below it; the path goes on with a field");
  EXPECT_NE(SetTo(tree, "spec.containers[5]", "x"), "");
  EXPECT_EQ(tree, before);
  EXPECT_EQ(SetTo(tree, "metadata.labels", Json()), "");
  EXPECT_TRUE(tree.find("metadata")->find("labels")->is_null());
}

TEST(SetField, WorksWithStandardContainers) {
  Gateway gateway;
  EXPECT_EQ(SetTo(gateway, "host", "example.com"), "");
  EXPECT_EQ(SetTo(gateway, "replicas", 3), "");
  EXPECT_EQ(SetTo(gateway, "backends[name=a].weight", 5), "");
  EXPECT_EQ(SetTo(gateway, "backends[1].name", "b"), "");
  EXPECT_EQ(SetTo(gateway, "labels.tier", "front"), "");
  EXPECT_EQ(SetTo(gateway, "fallback.name", "c"), "");
  EXPECT_EQ(SetTo(gateway, "pod.spec.containers[name=app].image", "nginx"), "");
  EXPECT_EQ(gateway.host, "example.com");
  EXPECT_EQ(gateway.replicas, 3);
  ASSERT_EQ(gateway.backends.size(), 2u);
  EXPECT_EQ(gateway.backends[0].name, "a");
  EXPECT_EQ(gateway.backends[0].weight, 5);
  EXPECT_EQ(gateway.backends[1].weight, 1) << "a member's own default";
  EXPECT_EQ(gateway.labels, (std::map<std::string, std::string>{{"tier", "front"}}));
  EXPECT_EQ(gateway.fallback->name, "c");
  EXPECT_EQ(Got(gateway, "pod.spec.containers[0].image"), "\"nginx\"");
  EXPECT_EQ(Got(gateway, "backends[name=b]"), R"({"name":"b","weight":1})");
  EXPECT_TRUE(*RemoveField(gateway, "backends[name=a]"));
  ASSERT_EQ(gateway.backends.size(), 1u);
  EXPECT_EQ(gateway.backends[0].name, "b");
  EXPECT_TRUE(*RemoveField(gateway, "fallback"));
  EXPECT_FALSE(gateway.fallback);
}

TEST(RemoveField, TakesOutEntriesElementsAndMembers) {
  corev1::Pod pod = TwoContainers();
  const corev1::Pod before = pod;
  EXPECT_TRUE(*RemoveField(pod, "metadata.labels.app"));
  EXPECT_FALSE(pod.metadata.labels.contains("app"));
  EXPECT_TRUE(*RemoveField(pod, "spec.containers[name=app]"));
  ASSERT_EQ(pod.spec.containers.size(), 1u);
  EXPECT_EQ(pod.spec.containers[0].name, "sidecar");
  EXPECT_TRUE(*RemoveField(pod, "spec.containers[0].image"));
  EXPECT_EQ(pod.spec.containers[0].image, "");
  EXPECT_FALSE(*RemoveField(pod, "spec.containers[0].image")) << "nothing left to remove";
  EXPECT_FALSE(*RemoveField(pod, "spec.securityContext.runAsUser"));
  EXPECT_FALSE(pod.spec.securityContext) << "looking for something to remove makes nothing";
  EXPECT_FALSE(RemoveField(pod, "spec.nosuch"));
  EXPECT_FALSE(RemoveField(pod, "kind"));
  EXPECT_FALSE(RemoveField(pod, ""));
  EXPECT_EQ(before.spec.containers.size(), 2u);

  Json tree = ToJsonValue(before);
  EXPECT_TRUE(*RemoveField(tree, "spec.containers[1]"));
  EXPECT_TRUE(*RemoveField(tree, "metadata.labels"));
  EXPECT_FALSE(*RemoveField(tree, "metadata.labels"));
  EXPECT_EQ(tree.find("spec")->find("containers")->list().size(), 1u);
  EXPECT_EQ(tree.find("metadata")->find("labels"), nullptr);
}

TEST(ReadFieldText, GivesScalarsAsText) {
  corev1::Pod pod = TwoContainers();
  pod.spec.activeDeadlineSeconds = 30;
  pod.spec.containers[0].resources.limits = {{"cpu", Quantity("500m")}};
  pod.metadata.creationTimestamp = metav1::Time::FromUnix(1'700'000'000);
  const auto text = [&](std::string_view path) {
    return ReadFieldText(TypeOf<corev1::Pod>(), &pod, *FieldPath::Parse(path)).value();
  };
  EXPECT_EQ(text("metadata.name"), "web-1");
  EXPECT_EQ(text("spec.activeDeadlineSeconds"), "30");
  EXPECT_EQ(text("spec.nodeName"), "");
  EXPECT_EQ(text("spec.hostNetwork"), "false");
  EXPECT_EQ(text("spec.containers[0].resources.limits.cpu"), "500m");
  EXPECT_EQ(text("metadata.creationTimestamp"), "2023-11-14T22:13:20Z");
  EXPECT_EQ(text("kind"), "Pod");
  EXPECT_EQ(text("metadata.labels.nosuch"), std::nullopt);
  EXPECT_EQ(text("spec.priority"), std::nullopt);
  EXPECT_EQ(text("spec.securityContext.runAsUser"), std::nullopt);
  EXPECT_FALSE(ReadFieldText(TypeOf<corev1::Pod>(), &pod, *FieldPath::Parse("spec.containers")));
  EXPECT_FALSE(ReadFieldText(TypeOf<corev1::Pod>(), &pod, *FieldPath::Parse("spec.nosuch")));
}

}  // namespace
}  // namespace keelson
