// The C++ that README.md and the guides in docs/ show. tools/check-snippets compares each ```cpp block there with the
// regions marked here: what readers copy is what was compiled and run.
#include <gtest/gtest.h>

#include <iostream>
#include <sstream>

// snippet: example
#include "keelson/api/apps/v1.h"
#include "keelson/api/label_selector_struct.h"
#include "keelson/codec/diff.h"
#include "keelson/codec/json_reader.h"
#include "keelson/codec/json_writer.h"
#include "keelson/codec/strategic_merge_patch.h"
#include "keelson/codec/yaml_reader.h"
#include "keelson/codec/yaml_writer.h"
// end
#include "keelson/api/builtin_types.h"
#include "keelson/api/compare.h"
#include "keelson/api/core/v1.h"
#include "keelson/api/sharing.h"
#include "keelson/core/clock.h"
#include "keelson/core/mutex.h"
#include "keelson/core/simulation.h"
#include "keelson/core/thread.h"

namespace {

// snippet: example
using namespace keelson;

Result<void> Example(std::ostream& out) {
  // Members have the names and the order that Kubernetes developers know.
  const Map<String> app = {{"app", "web"}};
  const appsv1::Deployment web = {
      .metadata = {.name = "web", .labels = app},
      .spec =
          {
              .replicas = 3,
              .selector = {{.matchLabels = app}},
              .template_ = {.metadata = {.labels = app}, .spec = {.containers = {{.name = "app", .image = "web:1"}}}},
          },
  };

  // A copy shares everything. A write clones what lies on its path and nothing else.
  appsv1::Deployment next = web;
  next.spec.template_.spec.containers[0].image = "web:2";

  // Out and in: JSON as Go writes it, YAML as kubectl shows it.
  KEELSON_TRY(from_json, FromJson<appsv1::Deployment>(ToJson(next)));
  KEELSON_TRY(from_yaml, FromYaml<appsv1::Deployment>(ToYaml(from_json)));

  // The patch names a container, not the list: the table of the type says how to merge.
  KEELSON_TRY(patch, ParseJson(R"({"spec": {"template": {"spec": {"containers": [{"name": "app", "tty": true}]}}}})"));
  KEELSON_TRY(patched, ApplyStrategicMergePatch(from_yaml, patch));
  out << ToString(Diff(web, patched));
  // spec.template.spec.containers[name=app].image: "web:1" → "web:2"
  // spec.template.spec.containers[name=app].tty: added true

  KEELSON_TRY(selector, labels::FromStruct(patched.spec.selector));
  out << selector.ToString() << ": " << selector.Matches(patched.metadata.labels) << "\n";
  // app=web: 1

  // An error is a value. It names the place, what was expected and what was found.
  const auto wrong = FromJson<appsv1::Deployment>(R"({"spec": {"replicas": "three"}})");
  return wrong ? Result<void>() : wrong.error();
  // spec.replicas: expected number, found string (at byte 22)
}
// end

TEST(Readme, ExampleDoesWhatItsCommentsSay) {
  std::ostringstream out;
  const Result<void> result = Example(out);
  EXPECT_EQ(out.str(),
            "spec.template.spec.containers[name=app].image: \"web:1\" → \"web:2\"\n"
            "spec.template.spec.containers[name=app].tty: added true\n"
            "app=web: 1\n");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message(), "spec.replicas: expected number, found string (at byte 22)");
}

// snippet: simulation
// Two threads take one each of two. Looking and taking are under the lock, but not both under one holding of it.
int LeftOfTwo(uint64_t seed) {
  int left = 2;
  Simulation simulation({.seed = seed});
  const Result<void> run = simulation.Run([&] {
    Mutex mutex;
    const auto take = [&] {
      const int seen = [&] {
        MutexLock lock(mutex);
        return left;
      }();
      MutexLock lock(mutex);
      left = seen - 1;
    };
    Thread first("first", take);
    Thread second("second", take);
    SleepFor(std::chrono::hours(1), {});  // an hour of virtual time
  });
  return run ? left : -1;  // 0, or 1 where an update was lost; the same for the same seed
}
// end

TEST(Readme, SimulationFindsTheLostUpdateAndRepeatsIt) {
  int lost = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const int left = LeftOfTwo(seed);
    EXPECT_EQ(left, LeftOfTwo(seed)) << "seed " << seed;
    lost += left;
  }
  EXPECT_GT(lost, 0);
  EXPECT_LT(lost, 100);
}

TEST(Readme, CountOfStructsIsRight) { EXPECT_EQ(BuiltinTypes().size(), 646u); }

corev1::Pod SomePod() {
  return {.metadata = {.name = "web-1", .labels = {{"app", "web"}}},
          .spec = {.containers = {{.name = "app", .image = "web:1"}, {.name = "proxy", .image = "proxy:1"}}}};
}

TEST(ValuesGuide, ReadingAndWriting) {
  corev1::Pod pod = SomePod();
  std::string names;
  // snippet: read and write
  for (const corev1::Container& container : pod.spec.containers) names += container.name + " ";
  if (const String* app = pod.metadata.labels.find("app")) names += *app;

  pod.metadata.labels.Set("tier", "front");
  pod.spec.containers[0].image = "web:2";
  for (corev1::Container& container : pod.spec.containers.Mutable()) container.tty = true;
  pod.spec.containers.push_back({.name = "logs", .image = "logs:1"});

  pod.spec.terminationGracePeriodSeconds = 30;
  pod.spec.securityContext.Ensure().runAsNonRoot = true;
  const bool checked = pod.spec.securityContext && pod.spec.securityContext->runAsNonRoot == true;
  // end
  EXPECT_EQ(names, "app proxy web");
  EXPECT_EQ(pod.metadata.labels.at("tier"), "front");
  EXPECT_TRUE(pod.spec.containers[1].tty);
  EXPECT_EQ(pod.spec.containers.size(), 3u);
  EXPECT_EQ(pod.spec.terminationGracePeriodSeconds, 30);
  EXPECT_TRUE(checked);
}

TEST(ValuesGuide, ReferenceThatOutlivesACopy) {
  corev1::Pod pod = SomePod();
  // snippet: exposed
  corev1::Container& kept = pod.spec.containers[0];  // the list and its first element are exposed now
  const corev1::Pod copy = pod;                      // so they are copied, not shared
  kept.image = "web:2";                              // changes pod, as the reference promises, and not the copy
  // end
  EXPECT_EQ(std::as_const(pod).spec.containers[0].image, "web:2");
  EXPECT_EQ(copy.spec.containers[0].image, "web:1");
}

TEST(ValuesGuide, SharedNodes) {
  const std::string text = ToJson(SomePod());
  // snippet: sharing
  Result<corev1::Pod> first = FromJson<corev1::Pod>(text, {.share_nodes = true});
  Result<corev1::Pod> second = FromJson<corev1::Pod>(text, {.share_nodes = true});
  const corev1::Pod& a = *first;
  const corev1::Pod& b = *second;
  const bool stored_once = &a.spec.containers[1] == &b.spec.containers[1];  // true: one node, two Pods

  corev1::Pod edited = SomePod();
  ShareNodes(edited);                           // the same for a value that was not decoded
  edited.spec.containers[1].image = "proxy:2";  // clones: a and b still have "proxy:1"
  // end
  EXPECT_TRUE(stored_once);
  EXPECT_EQ(a.spec.containers[1].image, "proxy:1");
  EXPECT_EQ(std::as_const(edited).spec.containers[1].image, "proxy:2");
  EXPECT_EQ(&std::as_const(edited).spec.containers[0], &a.spec.containers[0]);
}

TEST(ValuesGuide, UnknownFields) {
  // snippet: unknown
  const std::string newer = R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"web"},)"
                            R"("spec":{"containers":[{"name":"app","resources":{},"fromTheFuture":[1]}]},"status":{}})";
  Result<corev1::Pod> pod = FromJson<corev1::Pod>(newer);
  pod->spec.containers = {{.name = "first"}, pod->spec.containers[0]};
  const std::string written = ToJson(*pod);  // "fromTheFuture":[1] is with the container "app" still

  const auto strict = FromJson<corev1::Pod>(newer, {.strict = true});
  // strict decoding error: unknown field "spec.containers[0].fromTheFuture"
  // end
  EXPECT_NE(written.find(R"({"name":"app","resources":{},"fromTheFuture":[1]})"), std::string::npos) << written;
  EXPECT_NE(written.find(R"({"name":"first","resources":{}})"), std::string::npos) << written;
  ASSERT_FALSE(strict);
  EXPECT_EQ(strict.error().message(), "strict decoding error: unknown field \"spec.containers[0].fromTheFuture\"");
}

TEST(ValuesGuide, DynamicDocuments) {
  // snippet: dynamic
  Json document = Json::Object({{"replicas", 3}, {"weight", 1.0}, {"hosts", Json::Array({"a", "b"})}});
  const Json copy = document;                  // shares
  document.object().Set("replicas", 4);        // clones the object's node; "hosts" stays shared
  const bool same = document == copy;          // false
  const bool distinct = Json(1) != Json(1.0);  // true: integers and doubles are distinct
  // end
  EXPECT_FALSE(same);
  EXPECT_TRUE(distinct);
  EXPECT_EQ(ToJson(document), R"({"hosts":["a","b"],"replicas":4,"weight":1.0})");
  EXPECT_EQ(copy.find("replicas")->integer(), 3);
}

}  // namespace
