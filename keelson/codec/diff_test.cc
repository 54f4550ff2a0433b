#include "keelson/codec/diff.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "keelson/api/apps/v1.h"
#include "keelson/api/compare.h"
#include "keelson/api/core/v1.h"
#include "keelson/api/standard_types.h"
#include "keelson/codec/json_reader.h"

namespace keelson {
namespace {

struct Route {
  std::string name;
  int32_t weight = 1;
};
struct Router {
  std::optional<int32_t> replicas;
  std::vector<Route> routes;
  std::vector<std::string> hosts;
  std::map<std::string, std::string> labels;
};

}  // namespace

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
template <>
struct Describe<Route> {
  static constexpr Field fields[] = {
      {.name = "name", .type = &Describe<std::string>::type, .offset = offsetof(Route, name)},
      {.name = "weight", .type = &Describe<int32_t>::type, .offset = offsetof(Route, weight)},
  };
  static constexpr Type type = StructType<Route>("Route", fields);
};
template <>
struct Describe<Router> {
  static constexpr Field fields[] = {
      {.name = "replicas", .type = &Describe<std::optional<int32_t>>::type, .offset = offsetof(Router, replicas)},
      {.name = "routes",
       .type = &Describe<std::vector<Route>>::type,
       .offset = offsetof(Router, routes),
       .list_type = ListType::kMap,
       .list_keys = "name"},
      {.name = "hosts", .type = &Describe<std::vector<std::string>>::type, .offset = offsetof(Router, hosts)},
      {.name = "labels",
       .type = &Describe<std::map<std::string, std::string>>::type,
       .offset = offsetof(Router, labels)},
  };
  static constexpr Type type = StructType<Router>("Router", fields);
};
#pragma GCC diagnostic pop

namespace {

template <class T>
std::string Lines(const T& a, const T& b, const DiffOptions& options = {}) {
  return ToString(Diff(a, b, options));
}

appsv1::Deployment Web() {
  appsv1::Deployment deployment;
  deployment.metadata.name = "web";
  deployment.metadata.labels = {{"app", "web"}};
  deployment.spec.replicas = 3;
  deployment.spec.template_.spec.containers = {
      {.name = "app", .image = "nginx:1", .args = {"-a", "-b"}, .ports = {{.containerPort = 80, .protocol = "TCP"}}},
      {.name = "sidecar", .image = "envoy:2"}};
  return deployment;
}

TEST(Diff, EqualObjectsHaveNoChanges) {
  EXPECT_EQ(Lines(Web(), Web()), "");
  const appsv1::Deployment deployment = Web();
  EXPECT_EQ(Lines(deployment, appsv1::Deployment(deployment)), "");
}

TEST(Diff, NamesChangedAddedAndRemovedFields) {
  const appsv1::Deployment before = Web();
  appsv1::Deployment after = before;
  after.spec.replicas = 5;
  after.metadata.labels = {{"tier", "front"}, {"app", "shop"}};
  after.spec.minReadySeconds = 10;
  after.spec.paused = true;
  after.spec.template_.spec.nodeName = "n1";
  after.spec.template_.spec.securityContext.Ensure().runAsUser = 1;
  EXPECT_EQ(Lines(before, after),
            "metadata.labels[\"app\"]: \"web\" → \"shop\"\n"
            "metadata.labels[\"tier\"]: added \"front\"\n"
            "spec.replicas: 3 → 5\n"
            "spec.template.spec.nodeName: added \"n1\"\n"
            "spec.template.spec.securityContext: added {\"runAsUser\":1}\n"
            "spec.minReadySeconds: added 10\n"
            "spec.paused: added true\n");
  EXPECT_EQ(Lines(after, before),
            "metadata.labels[\"app\"]: \"shop\" → \"web\"\n"
            "metadata.labels[\"tier\"]: removed \"front\"\n"
            "spec.replicas: 5 → 3\n"
            "spec.template.spec.nodeName: removed \"n1\"\n"
            "spec.template.spec.securityContext: removed {\"runAsUser\":1}\n"
            "spec.minReadySeconds: removed 10\n"
            "spec.paused: removed true\n");
}

TEST(Diff, MatchesListMapsByTheirKeys) {
  const appsv1::Deployment before = Web();
  appsv1::Deployment after = before;
  after.spec.template_.spec.containers = {
      {.name = "first", .image = "x"},
      {.name = "app",
       .image = "nginx:2",
       .args = {"-a", "-c", "-d"},
       .ports = {{.containerPort = 443}, {.containerPort = 80, .protocol = "TCP"}}}};
  EXPECT_EQ(
      Lines(before, after),
      "spec.template.spec.containers[name=app].image: \"nginx:1\" → \"nginx:2\"\n"
      "spec.template.spec.containers[name=app].args[1]: \"-b\" → \"-c\"\n"
      "spec.template.spec.containers[name=app].args[2]: added \"-d\"\n"
      "spec.template.spec.containers[name=app].ports[containerPort=443,protocol=\"\"]: added {\"containerPort\":443}\n"
      "spec.template.spec.containers[name=sidecar]: removed "
      "{\"image\":\"envoy:2\",\"name\":\"sidecar\",\"resources\":{}}\n"
      "spec.template.spec.containers[name=first]: added {\"image\":\"x\",\"name\":\"first\",\"resources\":{}}\n");
}

TEST(Diff, ReportsListMapsWhoseOrderChanged) {
  const Router before = {.replicas = {}, .routes = {{"a"}, {"b"}, {"c"}}, .hosts = {}, .labels = {}};
  Router after = before;
  std::swap(after.routes[0], after.routes[2]);
  const std::vector<FieldChange> changes = Diff(before, after);
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].kind, ChangeKind::kReordered);
  EXPECT_EQ(ToString(changes[0]),
            "routes: reordered [\"[name=a]\",\"[name=b]\",\"[name=c]\"] → [\"[name=c]\",\"[name=b]\",\"[name=a]\"]");
  after.routes = {{"b"}, {"c"}};
  EXPECT_EQ(Lines(before, after), "routes[name=a]: removed {\"name\":\"a\",\"weight\":1}\n")
      << "what moves up because something before it left has not been reordered";
}

TEST(Diff, RepeatedKeysAreComparedByPosition) {
  const Router before = {.replicas = {}, .routes = {{"a", 1}, {"a", 2}}, .hosts = {}, .labels = {}};
  const Router after = {.replicas = {}, .routes = {{"a", 1}, {"a", 3}}, .hosts = {}, .labels = {}};
  EXPECT_EQ(Lines(before, after), "routes[1].weight: 2 → 3\n");
}

TEST(Diff, WorksWithStandardContainers) {
  const Router before = {.replicas = 1, .routes = {{"a", 1}}, .hosts = {"x", "y"}, .labels = {{"k", "v"}, {"m", "n"}}};
  const Router after = {
      .replicas = {}, .routes = {{"b", 1}, {"a", 2}}, .hosts = {"x"}, .labels = {{"k", "w"}, {"z", ""}}};
  EXPECT_EQ(Lines(before, after),
            "replicas: removed 1\n"
            "routes[name=a].weight: 1 → 2\n"
            "routes[name=b]: added {\"name\":\"b\",\"weight\":1}\n"
            "hosts[1]: removed \"y\"\n"
            "labels[\"k\"]: \"v\" → \"w\"\n"
            "labels[\"m\"]: removed \"n\"\n"
            "labels[\"z\"]: added \"\"\n");
}

TEST(Diff, AbsentOptionalDiffersFromOneThatHoldsZero) {
  corev1::Pod before;
  corev1::Pod after;
  after.spec.priority = 0;
  EXPECT_EQ(Lines(before, after), "spec.priority: added 0\n");
  before.spec.priority = 7;
  EXPECT_EQ(Lines(before, after), "spec.priority: 7 → 0\n");
}

TEST(Diff, ComparesJsonTreesAndQuantitiesByValue) {
  const Json before = *ParseJson(R"({"a":[1,{"b":true}],"c":null,"d":1})");
  const Json after = *ParseJson(R"({"a":[1,{"b":false},2],"c":{},"d":1.5})");
  EXPECT_EQ(Lines(before, after),
            "[\"a\"][1][\"b\"]: true → false\n[\"a\"][2]: added 2\n[\"c\"]: null → {}\n[\"d\"]: 1 → 1.5\n");

  corev1::Pod pod;
  pod.spec.overhead = {{"cpu", Quantity("1")}};
  corev1::Pod same = pod;
  same.spec.overhead = {{"cpu", Quantity("1000m")}};
  EXPECT_EQ(Lines(pod, same), "");
  same.spec.overhead = {{"cpu", Quantity("1500m")}};
  EXPECT_EQ(Lines(pod, same), "spec.overhead[\"cpu\"]: \"1\" → \"1500m\"\n");
}

TEST(Diff, SeesFieldsThatTheTypeDoesNotKnow) {
  const corev1::Pod before = FromJson<corev1::Pod>(R"({"spec":{"containers":[{"name":"a","shiny":1}]}})").value();
  const corev1::Pod after =
      FromJson<corev1::Pod>(R"({"spec":{"containers":[{"name":"a","shiny":{"x":2}}]},"top":"t"})").value();
  EXPECT_EQ(Lines(before, after), "spec.containers[name=a].shiny: 1 → {\"x\":2}\ntop: added \"t\"\n");
}

TEST(Diff, IsEmptyExactlyForEqualObjects) {
  const appsv1::Deployment base = Web();
  std::vector<appsv1::Deployment> variants(6, base);
  variants[1].spec.template_.spec.containers[0].args = {"-b", "-a"};
  variants[2].spec.template_.spec.containers = {base.spec.template_.spec.containers[1],
                                                base.spec.template_.spec.containers[0]};
  variants[3].metadata.creationTimestamp = metav1::Time::FromUnix(5);
  variants[4].spec.selector.Ensure().matchLabels = {{"a", ""}};
  variants[5].spec.replicas = std::nullopt;
  for (const auto& a : variants) {
    for (const auto& b : variants) EXPECT_EQ(Diff(a, b).empty(), Equal(a, b)) << Lines(a, b);
  }
}

TEST(Diff, ChangesAndTheirTextAreLimited) {
  corev1::ConfigMap before;
  corev1::ConfigMap after;
  for (int i = 0; i < 100; ++i) after.data.Set("key" + std::to_string(i), std::string(1000, 'x'));
  const std::vector<FieldChange> changes = Diff(before, after, {.max_changes = 7});
  EXPECT_EQ(changes.size(), 7u);
  EXPECT_EQ(ToString(changes[0], 5), "data[\"key0\"]: added \"xxxx…");
  EXPECT_EQ(ToString({.path = {}, .kind = ChangeKind::kAdded, .before = {}, .after = "aé"}, 3), ": added \"a…")
      << "a character is never cut in two";
}

TEST(Diff, PathsOfChangesReadTheirValues) {
  const appsv1::Deployment before = Web();
  appsv1::Deployment after = before;
  after.spec.template_.spec.containers[1].image = "envoy:3";
  after.metadata.labels.Set("a.b/c", "d");
  const std::vector<FieldChange> changes = Diff(before, after);
  ASSERT_EQ(changes.size(), 2u);
  for (const FieldChange& change : changes) EXPECT_EQ(*GetField(after, change.path), change.after);
}

}  // namespace
}  // namespace keelson
