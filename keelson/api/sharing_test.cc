#include "keelson/api/sharing.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <vector>

#include "keelson/api/apiextensions/v1.h"
#include "keelson/api/compare.h"
#include "keelson/api/core/v1.h"
#include "keelson/api/random_value.h"
#include "keelson/core/random.h"
#include "keelson/core/simulation.h"
#include "keelson/core/thread.h"

namespace keelson {
namespace {

using corev1::Pod;

Pod PodNumber(int i) {
  return {.metadata = {.name = "web-" + std::to_string(i), .labels = {{"app", "sharing-test"}, {"tier", "front"}}},
          .spec = {.containers = {{.name = "app",
                                   .image = "registry.example.com/app:1.2.3",
                                   .args = {"--port", "8080"},
                                   .env = {{.name = "MODE", .value = "production"}},
                                   .securityContext = corev1::SecurityContext{.runAsUser = 1000}}}}};
}

// Else a seed would do something else in the first run of a process than in a later one. As strict as can be when it is
// the first test of its process.
TEST(Sharing, TakesNothingOfASimulationsEntropy) {
  const auto draw = [](bool share) {
    uint64_t drawn = 0;
    Simulation simulation({.seed = 1});
    const Result<void> run = simulation.Run([&] {
      Pod pod = PodNumber(0);
      if (share) ShareNodes(pod);
      drawn = SecureRandom::Next();
    });
    EXPECT_TRUE(run) << run.error().message();
    return drawn;
  };
  const uint64_t first = draw(true);
  EXPECT_EQ(first, draw(true));
  EXPECT_EQ(first, draw(false));
}

TEST(Sharing, EqualPartsOfDifferentObjectsAreStoredOnce) {
  const size_t before = SharedNodeCount();
  {
    std::vector<Pod> pods;
    for (int i = 0; i < 10; ++i) {
      pods.push_back(PodNumber(i));
      ShareNodes(pods.back());
    }
    const Pod& first = pods.front();
    const size_t with_ten = SharedNodeCount();
    for (const Pod& pod : pods) {
      EXPECT_EQ(&pod.spec.containers[0], &first.spec.containers[0]);
      EXPECT_EQ(pod.metadata.labels.find("app"), first.metadata.labels.find("app"));
      EXPECT_EQ(pod.spec.containers[0].image.data(), first.spec.containers[0].image.data());
    }
    EXPECT_NE(pods[1].metadata.name.data(), first.metadata.name.data());
    pods.push_back(PodNumber(10));
    ShareNodes(pods.back());
    EXPECT_EQ(SharedNodeCount(), with_ten);  // an eleventh brings nothing new: its name is not looked up
  }
  EXPECT_EQ(SharedNodeCount(), before);  // the table lets go with the last handle
}

TEST(Sharing, ContentStaysEqual) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    const Pod pod = RandomValue<Pod>(random);
    Pod shared = pod;
    ShareNodes(shared);
    EXPECT_TRUE(Equal(pod, shared)) << "seed " << seed;
    EXPECT_EQ(Hash(pod), Hash(shared)) << "seed " << seed;
    Pod again = shared;
    ShareNodes(again);
    EXPECT_TRUE(Equal(pod, again)) << "seed " << seed;
  }
}

TEST(Sharing, SharedNodesAreNeverWritten) {
  Pod one = PodNumber(1);
  Pod two = PodNumber(2);
  ShareNodes(one);
  ShareNodes(two);
  one.spec.containers[0].env[0].value = "test";
  one.spec.containers[0].securityContext->runAsUser = 0;
  one.metadata.labels["app"] = "other";
  EXPECT_EQ(two.spec.containers[0].env[0].value, "production");
  EXPECT_EQ(std::as_const(two).spec.containers[0].securityContext->runAsUser, 1000);
  EXPECT_EQ(std::as_const(two).metadata.labels.at("app"), "sharing-test");
}

TEST(Sharing, ReferenceGivenOutBeforeDoesNotReachTheSharedNode) {
  Pod pod = PodNumber(1);
  corev1::Container& reference = pod.spec.containers[0];
  Pod copy = pod;
  ShareNodes(copy);
  reference.image = "changed";
  EXPECT_EQ(std::as_const(copy).spec.containers[0].image, "registry.example.com/app:1.2.3");
  EXPECT_EQ(std::as_const(pod).spec.containers[0].image, "changed");
}

TEST(Sharing, PaddingDoesNotMakeEqualStructsDiffer) {
  // Bytes between members hold whatever was there before; both values are written over different garbage.
  const auto made_over = [](unsigned char garbage) {
    alignas(corev1::Probe) unsigned char memory[sizeof(corev1::Probe)];
    std::memset(memory, garbage, sizeof memory);
    auto* probe = new (memory) corev1::Probe{.initialDelaySeconds = 5};
    Optional<corev1::Probe> optional = *probe;
    probe->~Probe();
    return optional;
  };
  Optional<corev1::Probe> one = made_over(0xAA);
  Optional<corev1::Probe> two = made_over(0x55);
  ShareNodes(one);
  ShareNodes(two);
  EXPECT_EQ(&*std::as_const(one), &*std::as_const(two));
}

TEST(Sharing, CopiesMayBeMadeAndDroppedOnSeveralThreads) {
  Pod pod = PodNumber(1);
  ShareNodes(pod);
  const Pod& shared = pod;
  std::atomic<int> wrong = 0;
  {
    std::vector<Thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back("copier", [&, t] {
        for (int i = 0; i < 2000; ++i) {
          Pod copy = shared;
          if (i % 3 == t % 3) copy.spec.containers[0].env[0].value = std::to_string(i);
          const List<corev1::Container> containers = copy.spec.containers;
          if (containers[0].args.size() != 2) ++wrong;
        }
      });
    }
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_TRUE(Equal(pod, PodNumber(1)));
}

// Threads make equal values, find one another's nodes in the table and drop the last handle to them, over and over: the
// node that is found must never be one whose count had reached zero. Sanitizers see it when it is.
TEST(Sharing, NodeOnItsWayOutIsNeverRevived) {
  const size_t before = SharedNodeCount();
  std::atomic<int> wrong = 0;
  {
    std::vector<Thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back("sharer", [&, t] {
        for (int i = 0; i < 3000; ++i) {
          const int round = i % 2;
          Map<String> labels = {{"round", std::to_string(round)}, {"key", "hammered value"}};
          ShareNodes(labels);
          if (labels.at("round") != std::to_string(round)) ++wrong;
          if (i % 4 == t) this_thread::Yield();
          if (i % 100 == 0) {
            Pod pod = PodNumber(0);
            ShareNodes(pod);
            if (!Equal(pod, PodNumber(0))) ++wrong;
          }
        }
      });
    }
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(SharedNodeCount(), before);
}

TEST(Sharing, ChainOfAMillionNodesIsDestroyedWithoutDeepStack) {
  Json nested;
  for (int i = 0; i < 1'000'000; ++i) {
    JsonList list;
    list.push_back(std::move(nested));
    nested = Json(std::move(list));
  }
  EXPECT_EQ(nested.list().size(), 1u);
  const Json second_handle = nested;
  nested = Json();
  EXPECT_TRUE(second_handle.is_list());

  Optional<apiextensionsv1::JSONSchemaProps> chain;
  for (int i = 0; i < 1'000'000; ++i) {
    apiextensionsv1::JSONSchemaProps schema;
    schema.not_ = std::move(chain);
    chain = std::move(schema);
  }
  EXPECT_TRUE(std::as_const(chain)->not_.has_value());
  chain.reset();
  EXPECT_FALSE(chain.has_value());
}

}  // namespace
}  // namespace keelson
