#include "keelson/codec/kept_versions.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string>
#include <utility>

#include "keelson/api/core/v1.h"
#include "keelson/api/object_key.h"
#include "keelson/codec/json_reader.h"
#include "keelson/codec/json_writer.h"
#include "keelson/codec/protobuf_reader.h"
#include "keelson/codec/protobuf_writer.h"
#include "keelson/core/random.h"
#include "keelson/core/simulation.h"

namespace keelson {
namespace {

// Keeps each version that it reads, as a cache does.
class Cache final : public KeptVersions {
 public:
  Version Find(std::string_view namespace_, std::string_view name) override {
    ++lookups;
    const auto found = kept_.find({std::string(namespace_), std::string(name)});
    if (found == kept_.end()) return {};
    return {.object = &found->second.object, .marks = &found->second.marks};
  }
  void Keep(SectionMarks marks) override { marks_ = std::move(marks); }

  // Nodes are not shared and each reader is a new one: where two objects have one node, it was taken over.
  Result<corev1::Pod> ReadJson(std::string_view text) {
    corev1::Pod pod;
    KEELSON_RETURN_IF_ERROR(JsonReader({.versions = this}).Read(TypeOf<corev1::Pod>(), &pod, text));
    return Store(std::move(pod));
  }
  Result<corev1::Pod> ReadProtobuf(std::string_view message) {
    corev1::Pod pod;
    KEELSON_RETURN_IF_ERROR(ProtobufReader({.versions = this}).Read(TypeOf<corev1::Pod>(), &pod, message));
    return Store(std::move(pod));
  }

  int lookups = 0;

 private:
  struct Kept {
    corev1::Pod object;
    SectionMarks marks;
  };
  corev1::Pod Store(corev1::Pod pod) {
    Kept& kept = kept_[{pod.metadata.namespace_.str(), pod.metadata.name.str()}];
    kept.object = pod;
    kept.marks = std::exchange(marks_, {});
    return pod;
  }

  std::map<std::pair<std::string, std::string>, Kept> kept_;
  SectionMarks marks_;
};

std::string PodText(std::string_view version, std::string_view image, std::string_view labels = R"({"app":"web"})") {
  return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-1","namespace":"shop","uid":"u-1",)"
         R"("resourceVersion":")" +
         std::string(version) + R"(","labels":)" + std::string(labels) +
         R"(,"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web","uid":"u-0"}]},)"
         R"("spec":{"containers":[{"name":"main","image":")" +
         std::string(image) + R"(","args":["--verbose"]}],"nodeName":"node-1"}})";
}

const void* Content(const auto& list) { return &*list.begin(); }

TEST(KeptVersions, WithoutThemEachReadMakesItsOwn) {
  const corev1::Pod before = FromJson<corev1::Pod>(PodText("7", "web:1")).value();
  corev1::Pod after;
  ASSERT_TRUE(JsonReader().Read(TypeOf<corev1::Pod>(), &after, PodText("8", "web:1")));
  EXPECT_NE(Content(std::as_const(after).metadata.ownerReferences), Content(before.metadata.ownerReferences));
}

TEST(KeptVersions, SectionsOfTheSameTextAreTakenOver) {
  Cache cache;
  const corev1::Pod before = cache.ReadJson(PodText("7", "web:1")).value();
  const corev1::Pod after = cache.ReadJson(PodText("8", "web:2")).value();
  EXPECT_EQ(Content(after.metadata.ownerReferences), Content(before.metadata.ownerReferences));
  EXPECT_EQ(ToJson(after), ToJson(FromJson<corev1::Pod>(PodText("8", "web:2")).value()));
  EXPECT_EQ(after.spec.containers[0].image, "web:2");
  EXPECT_EQ(before.spec.containers[0].image, "web:1");
  EXPECT_EQ(cache.lookups, 2);
}

// Else a seed would do something else in the first run of a process than in a later one. As strict as can be when it is
// the first test of its process.
TEST(KeptVersions, TakeNothingOfASimulationsEntropy) {
  const auto draw = [](int versions) {
    uint64_t drawn = 0;
    Simulation simulation({.seed = 1});
    const Result<void> run = simulation.Run([&] {
      Cache cache;
      for (int version = 0; version < versions; ++version) {
        (void)cache.ReadJson(PodText(std::to_string(version), "web:1")).value();
      }
      drawn = SecureRandom::Next();
    });
    EXPECT_TRUE(run) << run.error().message();
    return drawn;
  };
  const uint64_t first = draw(2);
  EXPECT_EQ(first, draw(2));
  EXPECT_EQ(first, draw(0));
}

TEST(KeptVersions, ChainsOverManyVersions) {
  Cache cache;
  const corev1::Pod first = cache.ReadJson(PodText("1", "web:1")).value();
  for (int version = 2; version < 10; ++version) {
    const corev1::Pod next = cache.ReadJson(PodText(std::to_string(version), "web:1")).value();
    EXPECT_EQ(Content(next.metadata.ownerReferences), Content(first.metadata.ownerReferences));
    EXPECT_EQ(next.metadata.resourceVersion, std::to_string(version));
  }
}

TEST(KeptVersions, AnObjectOfAnotherNameGivesNothing) {
  Cache cache;
  (void)cache.ReadJson(PodText("7", "web:1")).value();
  std::string other = PodText("8", "web:1");
  other.replace(other.find("web-1"), 5, "web-2");
  const corev1::Pod pod = cache.ReadJson(other).value();
  EXPECT_EQ(pod.metadata.name, "web-2");
  EXPECT_EQ(ToJson(pod), ToJson(FromJson<corev1::Pod>(other).value()));
}

TEST(KeptVersions, ASectionThatIsGoneIsGone) {
  Cache cache;
  (void)cache.ReadJson(PodText("7", "web:1", R"({"app":"web","tier":"front","zone":"a"})")).value();
  const std::string text =
      R"({"metadata":{"name":"web-1","namespace":"shop","uid":"u-1","resourceVersion":"8"},"spec":{"containers":[]}})";
  const corev1::Pod pod = cache.ReadJson(text).value();
  EXPECT_TRUE(pod.metadata.labels.empty());
  EXPECT_TRUE(pod.metadata.ownerReferences.empty());
  EXPECT_TRUE(pod.spec.containers.empty());
}

TEST(KeptVersions, UnknownFieldsInASectionAreKeptEachTime) {
  Cache cache;
  const auto text = [](std::string_view version) {
    return R"({"metadata":{"name":"web-1","namespace":"shop","uid":"u-1","resourceVersion":")" + std::string(version) +
           R"("},"spec":{"containers":[{"name":"main","image":"web:1","fancy":{"from":"the future"}}]}})";
  };
  (void)cache.ReadJson(text("7")).value();
  const corev1::Pod pod = cache.ReadJson(text("8")).value();
  EXPECT_NE(ToJson(pod).find("the future"), std::string::npos);
}

TEST(KeptVersions, WhatComesTwiceIsNotRemembered) {
  Cache cache;
  const std::string twice = PodText("7", "web:1", R"({"app":"web","tier":"front","zone":"a"},"labels":{"app":"shop"})");
  const corev1::Pod odd = cache.ReadJson(twice).value();
  EXPECT_EQ(odd.metadata.labels.size(), 1u);
  const corev1::Pod next = cache.ReadJson(PodText("8", "web:1", R"({"app":"web","tier":"front","zone":"a"})")).value();
  EXPECT_EQ(next.metadata.labels.size(), 3u);
  EXPECT_EQ(next.metadata.labels.at("app"), "web");
}

TEST(KeptVersions, AnErrorLeavesNothingBehind) {
  Cache cache;
  (void)cache.ReadJson(PodText("7", "web:1")).value();
  std::string cut = PodText("8", "web:2");
  cut.resize(cut.size() - 3);
  EXPECT_FALSE(cache.ReadJson(cut));
  const corev1::Pod pod = cache.ReadJson(PodText("9", "web:3")).value();
  EXPECT_EQ(pod.spec.containers[0].image, "web:3");
}

TEST(KeptVersions, ProtobufIsTakenOverToo) {
  Cache cache;
  corev1::Pod pod = FromJson<corev1::Pod>(PodText("7", "web:1")).value();
  pod.spec.securityContext.emplace().supplementalGroups = {1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 9000};
  const corev1::Pod before = cache.ReadProtobuf(ToProtobuf(pod)).value();
  pod.metadata.resourceVersion = "8";
  pod.spec.containers[0].image = "web:2";
  const corev1::Pod after = cache.ReadProtobuf(ToProtobuf(pod)).value();
  EXPECT_EQ(Content(after.metadata.ownerReferences), Content(before.metadata.ownerReferences));
  EXPECT_EQ(ToJson(after), ToJson(pod));
}

TEST(KeptVersions, AListInTwoPartsOfAMessageIsNotRemembered) {
  Cache cache;
  corev1::Pod pod = FromJson<corev1::Pod>(PodText("7", "web:1")).value();
  const std::string whole = ToProtobuf(pod);
  corev1::Pod more;
  more.spec.containers = {{.name = "second-container", .image = "second-image:1"}};
  // Messages that follow each other are one message: the lists are joined.
  const corev1::Pod joined = cache.ReadProtobuf(whole + ToProtobuf(more)).value();
  EXPECT_EQ(joined.spec.containers.size(), 2u);
  EXPECT_EQ(ToJson(cache.ReadProtobuf(whole).value()), ToJson(pod));
}

// Versions that differ anywhere read as they would without a cache.
TEST(KeptVersions, ReadTheSameAsWithoutThem) {
  Cache cache;
  Random random(7);
  corev1::Pod pod = FromJson<corev1::Pod>(PodText("1", "web:1")).value();
  for (int version = 2; version < 400; ++version) {
    pod.metadata.resourceVersion = std::to_string(version);
    const std::string word = "word-" + std::to_string(random.Uniform(0, 3));
    switch (random.Uniform(0, 9)) {
      case 0: pod.metadata.labels[word] = "some-value-that-is-long"; break;
      case 1: pod.metadata.labels = {}; break;
      case 2: pod.metadata.annotations[word] = std::to_string(version); break;
      case 3: pod.spec.containers.push_back({.name = String(word), .image = "side:1"}); break;
      case 4: pod.spec.containers = {{.name = "main", .image = String(word)}}; break;
      case 5: pod.spec.tolerations.push_back({.key = String(word), .operator_ = "Exists"}); break;
      case 6: pod.spec.tolerations = {}; break;
      case 7:
        pod.spec.affinity.emplace().nodeAffinity.emplace().requiredDuringSchedulingIgnoredDuringExecution.emplace();
        break;
      case 8: pod.spec.affinity.reset(); break;
      default: pod.status.conditions.push_back({.type = String(word), .status = "True"});
    }
    const corev1::Pod read =
        random.Chance(0.5) ? cache.ReadJson(ToJson(pod)).value() : cache.ReadProtobuf(ToProtobuf(pod)).value();
    ASSERT_EQ(ToJson(read), ToJson(pod)) << version;
  }
}

TEST(KeptVersions, ElementsOfAChangedListAreTakenOver) {
  const auto text = [](std::string_view version, std::string_view ready) {
    return R"({"metadata":{"name":"web-1","namespace":"shop","uid":"u-1","resourceVersion":")" + std::string(version) +
           R"("},"status":{"containerStatuses":[{"name":"main","containerID":"id-1","ready":true,"restartCount":0},)"
           R"({"name":"side","containerID":"id-2","ready":)" +
           std::string(ready) + R"(,"restartCount":0}]}})";
  };
  Cache cache;
  const corev1::Pod before = cache.ReadJson(text("7", "false")).value();
  const corev1::Pod after = cache.ReadJson(text("8", "true")).value();
  const auto& old_statuses = before.status.containerStatuses;
  const auto& new_statuses = after.status.containerStatuses;
  EXPECT_EQ(&new_statuses[0], &old_statuses[0]);
  EXPECT_TRUE(new_statuses[1].ready);
  EXPECT_FALSE(old_statuses[1].ready);
  EXPECT_EQ(ToJson(after), ToJson(FromJson<corev1::Pod>(text("8", "true")).value()));
}

// Which of the containers were taken over, and that the rest is as it would be without a version before.
class TakingOver : public testing::TestWithParam<bool> {
 protected:
  static std::string Text(std::string_view version, std::string_view containers) {
    return R"({"metadata":{"name":"web-1","namespace":"shop","uid":"u-1","resourceVersion":")" + std::string(version) +
           R"("},"spec":{"containers":)" + std::string(containers) + R"(,"nodeName":"node-1"}})";
  }
  // Protobuf of the same where that is the parameter.
  static corev1::Pod Read(Cache& cache, const std::string& text) {
    if (!GetParam()) return cache.ReadJson(text).value();
    return cache.ReadProtobuf(ToProtobuf(FromJson<corev1::Pod>(text).value())).value();
  }
  static std::string TakenOver(std::string_view before, std::string_view after) {
    Cache cache;
    const corev1::Pod old = Read(cache, Text("7", before));
    const corev1::Pod pod = Read(cache, Text("8", after));
    EXPECT_EQ(ToJson(pod), ToJson(FromJson<corev1::Pod>(Text("8", after)).value()));
    // What was kept of it serves the version after it.
    EXPECT_TRUE(IsSameNode(Read(cache, Text("9", after)).spec.containers, pod.spec.containers));
    std::string taken = IsSameNode(pod.spec.containers, old.spec.containers) ? "all: " : "";
    for (const corev1::Container& container : pod.spec.containers) {
      bool found = false;
      for (const corev1::Container& one : old.spec.containers) found = found || &one == &container;
      taken += found ? "1" : "0";
    }
    return taken;
  }
  // A list is one pointer to its node.
  static bool IsSameNode(const List<corev1::Container>& a, const List<corev1::Container>& b) {
    return std::memcmp(&a, &b, sizeof(void*)) == 0;
  }
};

INSTANTIATE_TEST_SUITE_P(JsonAndProtobuf, TakingOver, testing::Bool());

TEST_P(TakingOver, AListIsTheSameWhenItsElementsAre) {
  const std::string a = R"({"name":"a","image":"the-whole-image-of-a:1"})",
                    b = R"({"name":"b","image":"the-whole-image-of-b:1"})",
                    c = R"({"name":"c","image":"the-whole-image-of-c:1"})",
                    b2 = R"({"name":"b","image":"the-whole-image-of-b:2"})";
  const auto list = [](auto... elements) {
    std::string text = "[";
    ((text += (text.size() > 1 ? "," : "") + elements), ...);
    return text + "]";
  };
  EXPECT_EQ(TakenOver(list(a, b, c), list(a, b, c)), "all: 111");
  EXPECT_EQ(TakenOver(list(a, b, c), "[ " + a + " , " + b + ",\n" + c + " ]"), "all: 111");
  EXPECT_EQ(TakenOver(list(a, b, c), list(a, b2, c)), "101");
  EXPECT_EQ(TakenOver(list(a, b, c), list(a, b)), "11");
  EXPECT_EQ(TakenOver(list(a, b), list(a, b, c)), "110");
  EXPECT_EQ(TakenOver(list(a, b, c), list(b, a, c)), "001");
  EXPECT_EQ(TakenOver(list(a, b), list(b2, b2)), "00");
  EXPECT_EQ(TakenOver(list(a), list(a)), "all: 1");
  EXPECT_EQ(TakenOver(list(a), list(a, b)), "00");  // of a single element nothing is kept
  // An element that is too short to be kept.
  const std::string x = R"({"name":"x"})", y = R"({"name":"y"})";
  EXPECT_EQ(TakenOver(list(a, x), list(a, x)), "all: 11");
  EXPECT_EQ(TakenOver(list(a, x), list(a, y)), "10");
}

TEST(KeptVersions, ANullElementIsNotTakenOver) {
  const auto text = [](std::string_view version) {
    return R"({"metadata":{"name":"web-1","namespace":"shop","uid":"u-1","resourceVersion":")" + std::string(version) +
           R"("},"spec":{"containers":[null,{"name":"a","image":"the-whole-image-of-a:1"}]}})";
  };
  Cache cache;
  for (const std::string_view version : {"7", "8", "9"}) {
    EXPECT_EQ(ToJson(cache.ReadJson(text(version)).value()), ToJson(FromJson<corev1::Pod>(text(version)).value()));
  }
}

TEST(KeptVersions, AMalformedListIsRefusedAlthoughItsElementsAreTheSame) {
  const auto text = [](std::string_view comma, std::string_view end) {
    return R"({"metadata":{"name":"web-1","namespace":"shop","uid":"u-1"},"spec":{"containers":[{"name":"a","image":"image:1"})" +
           std::string(comma) + R"({"name":"b","image":"image:2"})" + std::string(end) + "}}";
  };
  Cache cache;
  ASSERT_TRUE(cache.ReadJson(text(",", "]")));
  EXPECT_FALSE(cache.ReadJson(text(",", "}")));
  EXPECT_FALSE(cache.ReadJson(text(",", "")));
  EXPECT_FALSE(cache.ReadJson(text(":", "]")));
  EXPECT_FALSE(cache.ReadJson(text("", "]")));
  EXPECT_FALSE(cache.ReadJson(text(",,", "]")));
  EXPECT_FALSE(cache.ReadJson(text(",", ",]")));
  EXPECT_TRUE(cache.ReadJson(text(",", "]")));
}

TEST(KeptVersions, AnElementWithAnUnknownFieldIsReadEachTime) {
  const auto message = [](int version) {
    std::string pod = ToProtobuf(FromJson<corev1::Pod>(R"({"metadata":{"name":"web-1","namespace":"shop","uid":"u-1"},)"
                                                       R"("spec":{"nodeName":"node-)" +
                                                       std::to_string(version) + R"("}})")
                                     .value());
    // Two containers, the second with a field of number 999, in another spec, which is merged with the first.
    const std::string name = "\x0a\x1e" + std::string(30, 'n');
    const std::string unknown = "\xba\x3e\x03new";
    const auto field = [](char tag, const std::string& content) {
      return std::string(1, tag) + static_cast<char>(content.size()) + content;
    };
    return pod + field('\x12', field('\x12', name) + field('\x12', name + unknown));
  };
  Cache cache;
  for (int version = 7; version < 10; ++version) {
    const corev1::Pod pod = cache.ReadProtobuf(message(version)).value();
    EXPECT_EQ(ToProtobuf(pod), ToProtobuf(FromProtobuf<corev1::Pod>(message(version)).value()));
    EXPECT_FALSE(pod.metadata.unknownFields.empty());
  }
}

TEST(KeptVersions, TextsOfTheObjectItselfAreTakenOver) {
  Cache cache;
  const corev1::Pod before = cache.ReadJson(PodText("7", "web:1")).value();
  const corev1::Pod after = cache.ReadJson(PodText("8", "web:2")).value();
  EXPECT_EQ(after.metadata.uid.view().data(), before.metadata.uid.view().data());
  EXPECT_EQ(after.spec.nodeName.view().data(), before.spec.nodeName.view().data());
  EXPECT_EQ(before.metadata.resourceVersion, "7");
  EXPECT_EQ(after.metadata.resourceVersion, "8");
  std::string moved = PodText("9", "web:2");
  moved.replace(moved.find("node-1"), 6, "node-\\u0032");
  EXPECT_EQ(cache.ReadJson(moved)->spec.nodeName, "node-2");
  EXPECT_EQ(after.spec.nodeName, "node-1");
  const corev1::Pod message = cache.ReadProtobuf(ToProtobuf(after)).value();
  EXPECT_EQ(message.metadata.uid.view().data(), before.metadata.uid.view().data());
  EXPECT_EQ(message.spec.nodeName, "node-1");
}

TEST(SectionMarks, AreFoundFromAnyPlaceOn) {
  const SectionMarks marks(std::vector<SectionMarks::Mark>{
      {.hash = 5, .offset = 8}, {.hash = 6, .offset = SectionMarks::kElement}, {.hash = 7, .offset = 24}});
  for (size_t from = 0; from <= 4; ++from) {
    EXPECT_EQ(marks.Find(8, from), 0u);
    EXPECT_EQ(marks.Find(24, from), 2u);
    EXPECT_EQ(marks.Find(16, from), 3u);
  }
}

TEST(SectionMarks, TellWhatTheyWereGiven) {
  EXPECT_EQ(SectionMarks().size(), 0u);
  EXPECT_EQ(SectionMarks().Find(8), 0u);
  constexpr uint32_t kElement = SectionMarks::kElement;
  const SectionMarks::Mark given[] = {{.hash = 11, .offset = 8, .tokens = 5},
                                      {.hash = 12, .offset = 16, .tokens = 65535},
                                      {.hash = 21, .offset = kElement, .tokens = 7},
                                      {.hash = 0, .offset = kElement, .tokens = 0},
                                      {.hash = 13, .offset = kElement - 8, .tokens = 3}};
  const SectionMarks marks(given);
  ASSERT_EQ(marks.size(), 5u);
  for (size_t i = 0; i < marks.size(); ++i) {
    EXPECT_EQ(marks.at(i).hash, given[i].hash);
    EXPECT_EQ(marks.at(i).offset, given[i].offset);
    EXPECT_EQ(marks.at(i).tokens, given[i].tokens);
  }
  EXPECT_EQ(marks.Find(8), 0u);
  EXPECT_EQ(marks.Find(16), 1u);
  EXPECT_EQ(marks.Find(kElement - 8), 4u);
  EXPECT_EQ(marks.Find(24), 5u);
}

}  // namespace
}  // namespace keelson
