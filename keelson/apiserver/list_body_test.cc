#include "keelson/apiserver/list_body.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "keelson/api/autoscaling/v1.h"
#include "keelson/api/core/v1.h"
#include "keelson/apiserver/api_server_test_support.h"
#include "keelson/apiserver/object_codec.h"
#include "keelson/apiserver/store/store.h"
#include "keelson/codec/json_reader.h"
#include "keelson/codec/protobuf_envelope.h"
#include "keelson/codec/protobuf_reader.h"

namespace keelson::apiserver {
namespace {

constexpr char kMaps[] = "/api/v1/namespaces/default/configmaps";
constexpr char kProtobuf[] = "application/vnd.kubernetes.protobuf";

std::string MapNamed(int i) {
  // Sizes around those where the length of a length changes.
  return "{\"metadata\":{\"name\":\"map-" + std::to_string(i) + "\"},\"data\":{\"k\":\"" +
         std::string(static_cast<size_t>(i * 37), 'v') + "\"}}";
}

corev1::ConfigMapList ListOf(const Reading& reading) {
  const Result<ProtobufEnvelope> envelope = OpenProtobufEnvelope(std::as_const(reading.body));
  EXPECT_TRUE(envelope);
  EXPECT_EQ(envelope->kind, "ConfigMapList");
  EXPECT_EQ(envelope->api_version, "v1");
  EXPECT_EQ(envelope->content_type, "");
  Result<corev1::ConfigMapList> list = FromProtobuf<corev1::ConfigMapList>(envelope->raw);
  EXPECT_TRUE(list) << list.error().message();
  return list ? *list : corev1::ConfigMapList();
}

TEST(ListBody, SaysTheSameInJsonAndProtobuf) {
  TestServer server;
  for (int i = 10; i < 60; ++i) {
    // Some are first met by a client that takes JSON, others by one that takes protobuf.
    const Headers headers = i % 2 == 0 ? Headers() : Headers{{"Accept", kProtobuf}};
    ASSERT_EQ(server.Ask("POST", kMaps, MapNamed(i), headers).status, 201);
  }
  const Reading json = server.Ask("GET", kMaps);
  ASSERT_EQ(json.Count("items"), 50u);
  EXPECT_EQ(*json.headers.Find("Content-Length"), std::to_string(json.body.size()));
  const Reading protobuf = server.Ask("GET", kMaps, "", {{"Accept", kProtobuf}});
  EXPECT_EQ(*protobuf.headers.Find("Content-Length"), std::to_string(protobuf.body.size()));

  const corev1::ConfigMapList list = ListOf(protobuf);
  EXPECT_EQ(list.metadata.resourceVersion, json.Text("metadata.resourceVersion"));
  ASSERT_EQ(list.items.size(), 50u);
  Result<corev1::ConfigMapList> read = FromJson<corev1::ConfigMapList>(json.body);
  ASSERT_TRUE(read) << read.error().message();
  for (size_t i = 0; i < list.items.size(); ++i) EXPECT_EQ(ToJson(list.items[i]), ToJson(read->items[i]));
  EXPECT_EQ(list.items[49].data.find("k")->size(), 59u * 37);
  const Json items = json.At("items");
  EXPECT_EQ(items.list()[0].find("kind"), nullptr);
}

TEST(ListBody, APageEndsWithItsToken) {
  TestServer server;
  for (int i = 10; i < 20; ++i) server.Ask("POST", kMaps, MapNamed(i));
  const corev1::ConfigMapList page =
      ListOf(server.Ask("GET", std::string(kMaps) + "?limit=3", "", {{"Accept", kProtobuf}}));
  EXPECT_EQ(page.items.size(), 3u);
  EXPECT_EQ(page.metadata.remainingItemCount, 7);
  EXPECT_FALSE(page.metadata.continue_.empty());
}

TEST(ListBody, AnEmptyListIsWhole) {
  TestServer server;
  const Reading json = server.Ask("GET", "/api/v1/namespaces/default/secrets");
  EXPECT_EQ(json.Text("kind"), "SecretList");
  EXPECT_EQ(json.Text("items"), "[]");
  EXPECT_TRUE(ListOf(server.Ask("GET", kMaps, "", {{"Accept", kProtobuf}})).items.empty());
}

TEST(ListBody, ObjectsThatHaveToBeConvertedAreListedToo) {
  TestServer server;
  constexpr char kScalers[] = "/namespaces/default/horizontalpodautoscalers";
  const Reading made = server.Ask("POST", std::string("/apis/autoscaling/v2") + kScalers,
                                  R"({"metadata":{"name":"a"},"spec":{"maxReplicas":3,"scaleTargetRef":)"
                                  R"({"apiVersion":"apps/v1","kind":"Deployment","name":"x"}}})");
  ASSERT_EQ(made.status, 201) << made.body;
  const Reading json = server.Ask("GET", std::string("/apis/autoscaling/v1") + kScalers);
  EXPECT_EQ(json.Text("apiVersion"), "autoscaling/v1");
  const Json items = json.At("items");
  EXPECT_EQ(items.list()[0].find("spec")->find("targetCPUUtilizationPercentage")->number(), 80);
  const Reading protobuf =
      server.Ask("GET", std::string("/apis/autoscaling/v1") + kScalers, "", {{"Accept", kProtobuf}});
  const Result<ProtobufEnvelope> envelope = OpenProtobufEnvelope(std::as_const(protobuf.body));
  ASSERT_TRUE(envelope);
  EXPECT_EQ(envelope->kind, "HorizontalPodAutoscalerList");
  const auto list = FromProtobuf<autoscalingv1::HorizontalPodAutoscalerList>(envelope->raw);
  ASSERT_TRUE(list) << list.error().message();
  ASSERT_EQ(list->items.size(), 1u);
  EXPECT_EQ(list->items[0].spec.targetCPUUtilizationPercentage, 80);
}

TEST(ListBody, IsTheSameInPartsOfAnySize) {
  const RulesTable rules = RulesTable::Builtin();
  const auto store = Store::Open({}).value();
  const ResourceTable resources(rules, *store);
  const ResourcePtr maps = resources.Find("", "v1", "configmaps");
  std::vector<ObjectPtr> items;
  for (const size_t size : {1, 200, 40'000}) {
    AnyValue object(*maps->stored_type);
    auto& map = *static_cast<corev1::ConfigMap*>(object.data());
    map.metadata = {.name = "map-" + std::to_string(size), .namespace_ = "default"};
    map.data.Set("k", std::string(size, 'v'));
    items.push_back(store->Create(maps->collection, EncodeDraft(*maps, object)).value());
  }
  for (const Format format : {Format::kJson, Format::kProtobuf}) {
    std::string whole;
    const auto at_once = MakeListBody(maps, items, {}, format);
    const size_t size = at_once->size();
    at_once->Read(size + 1, whole);
    EXPECT_EQ(whole.size(), size);
    for (const size_t part : {1, 7, 4096}) {
      const auto body = MakeListBody(maps, items, {}, format);
      std::string read;
      while (body->size() > 0) {
        const size_t before = read.size();
        body->Read(part, read);
        ASSERT_EQ(read.size(), std::min(before + part, size));
      }
      EXPECT_TRUE(read == whole) << part;
    }
  }
}

}  // namespace
}  // namespace keelson::apiserver
