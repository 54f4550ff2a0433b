#include "keelson/cache/cached_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "keelson/api/status_error.h"
#include "keelson/cache/history_test_support.h"
#include "keelson/cache/told_test_support.h"
#include "keelson/cache/wait_for_cache_sync.h"
#include "keelson/codec/json_reader.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;

std::string ValueOf(const Result<corev1::ConfigMap>& map) {
  if (!map) return map.error().message();
  const String* value = map->data.find("value");
  return value == nullptr ? "?" : value->str();
}

// A history whose objects can be written: the answer comes at once, the watch hears of it when the test says so.
class Writable final : public HttpHandler {
 public:
  explicit Writable(History& history) : history_(history) {}
  void Handle(ServerRequest request, std::shared_ptr<ResponseWriter> response) override {
    if (request.method == "GET" && !request.path.ends_with("/one"))
      return history_.Handle(std::move(request), response);
    if (request.method == "GET")
      return Respond(*response, found ? 200 : 404, "application/json", found ? Object() : "");
    ++writes;
    if (lose) return;  // the answer
    if (request.method == "DELETE")
      return Respond(*response, 200, "application/json", R"({"kind":"Status","status":"Success"})");
    Respond(*response, 200, "application/json", Object());
  }
  Client client() { return Client(std::make_shared<InProcessTransport>(*this)); }

  std::string version = "2";
  int writes = 0;
  bool lose = false;
  bool found = true;  // when asked for "one"

 private:
  std::string Object() const {
    return R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"one","namespace":"default","uid":"uid-1",)"
           R"("resourceVersion":")" +
           version + R"("},"data":{"value":"2"}})";
  }

  History& history_;
};

class CachedClientTest : public ::testing::Test {
 protected:
  // A cache that has "one"=1 at version 1, and a client on it.
  void Run(const std::function<void(History&, CachedClient&)>& body, CachedClientOptions options = {}) {
    Simulated([&] {
      History history;
      history.Set("one", "1");
      Writable server(history);
      StopSource stop;
      InformerFactory informers(server.client());
      const auto maps = informers.For<corev1::ConfigMap>();
      ASSERT_TRUE(maps.AddFieldIndex("data.value"));
      informers.Start(stop.token());
      ASSERT_TRUE(WaitForCacheSync(stop.token(), informers));
      CachedClient client(server.client(), informers, options);
      server_ = &server;
      body(history, client);
    });
  }
  Writable* server_ = nullptr;
  const ObjectKey key_ = {"default", "one"};
};

TEST_F(CachedClientTest, ReadsFromTheCacheWithoutAskingTheServer) {
  Run([&](History& history, CachedClient& client) {
    const size_t before = history.requests().size();
    EXPECT_EQ(ValueOf(client.Get<corev1::ConfigMap>(key_)), "1");
    EXPECT_EQ(client.List<corev1::ConfigMap>().value().size(), 1u);
    EXPECT_EQ(client.List<corev1::ConfigMap>({.namespace_ = "other"}).value().size(), 0u);
    EXPECT_EQ(client.List<corev1::ConfigMap>({.labels = labels::Parse("value=1").value()}).value().size(), 1u);
    EXPECT_EQ(client.List<corev1::ConfigMap>({.fields = fields::Parse("data.value=1").value()}).value().size(), 1u);
    EXPECT_EQ(client.List<corev1::ConfigMap>({.fields = fields::Parse("metadata.name!=one").value()}).value().size(),
              0u);
    EXPECT_EQ(client.Get(GvkOf<corev1::ConfigMap>(), key_).value().NestedString({"data", "value"}), "1");
    EXPECT_EQ(client.Get<corev1::ConfigMap>({"default", "two"}).error().code(), ErrorCode::kNotFound);
    EXPECT_EQ(history.requests().size(), before);
  });
}

TEST_F(CachedClientTest, AReadWaitsUntilTheCacheHasSeenTheWrite) {
  Run([&](History& history, CachedClient& client) {
    corev1::ConfigMap map = client.Get<corev1::ConfigMap>(key_).value();
    map.data.Set("value", "2");
    ASSERT_TRUE(client.Update(map));
    Thread later("later", [&] {
      (void)SleepFor(2s, {});
      history.Set("one", "2");
    });
    const TimePoint asked = Clock::Now();
    EXPECT_EQ(ValueOf(client.Get<corev1::ConfigMap>(key_)), "2");
    EXPECT_EQ(Clock::Now() - asked, 2s);
    EXPECT_EQ(ValueOf(client.List<corev1::ConfigMap>().value().items[0]), "2");
  });
}

TEST_F(CachedClientTest, AReadSaysWhenTheCacheHasNotSeenTheWriteInTime) {
  Run(
      [&](History&, CachedClient& client) {
        ASSERT_TRUE(client.Update(client.Get<corev1::ConfigMap>(key_).value()));
        const auto late = client.Get<corev1::ConfigMap>(key_);
        ASSERT_FALSE(late);
        EXPECT_EQ(late.error().code(), ErrorCode::kTimeout);
        EXPECT_EQ(late.error().message(),
                  "the cache of configmaps has not seen the write of \"default/one\" (resource version 2) within 3s");
        EXPECT_TRUE(IsTimeout(client.List<corev1::ConfigMap>().error()));
        EXPECT_FALSE(client.Get<corev1::ConfigMap>({"default", "two"})) << "another object does not wait";
      },
      {.wait = 3s});
}

TEST_F(CachedClientTest, AfterADeleteAReadWaitsUntilTheObjectIsGone) {
  Run([&](History& history, CachedClient& client) {
    ASSERT_TRUE(client.Delete<corev1::ConfigMap>(key_));
    Thread later("later", [&] {
      (void)SleepFor(2s, {});
      history.Remove("one");
    });
    const TimePoint asked = Clock::Now();
    EXPECT_EQ(client.Get<corev1::ConfigMap>(key_).error().code(), ErrorCode::kNotFound);
    EXPECT_EQ(Clock::Now() - asked, 2s);
  });
}

TEST_F(CachedClientTest, ABookmarkIsEnoughToHaveSeenAWrite) {
  Run([&](History& history, CachedClient& client) {
    ASSERT_TRUE(client.Update(client.Get<corev1::ConfigMap>(key_).value()));
    history.Set("other", "1");
    EXPECT_TRUE(client.Get<corev1::ConfigMap>(key_)) << "what came later shows that all before has come";
  });
}

TEST_F(CachedClientTest, WhetherAWriteHappenedWhoseAnswerIsLostIsAskedBeforeTheNextRead) {
  Run([&](History& history, CachedClient& client) {
    corev1::ConfigMap map = client.Get<corev1::ConfigMap>(key_).value();
    server_->lose = true;
    ASSERT_FALSE(client.Update(map));
    Thread later("later", [&] {
      (void)SleepFor(2s, {});
      history.Set("one", "2");
    });
    const TimePoint asked = Clock::Now();
    EXPECT_EQ(client.List<corev1::ConfigMap>().value().items.size(), 1u);
    EXPECT_EQ(Clock::Now() - asked, 2s) << "the server has version 2, so it is waited for";
    EXPECT_EQ(ValueOf(client.Get<corev1::ConfigMap>(key_)), "2");

    ASSERT_FALSE(client.Delete(map));
    server_->found = false;
    Thread later_still("later still", [&] {
      (void)SleepFor(1s, {});
      history.Remove("one");
    });
    EXPECT_EQ(client.Get<corev1::ConfigMap>(key_).error().code(), ErrorCode::kNotFound);
    EXPECT_EQ(Clock::Now() - asked, 3s);

    map.metadata.name = "one";
    ASSERT_FALSE(client.Create(map));
    EXPECT_EQ(client.List<corev1::ConfigMap>().value().items.size(), 0u) << "it did not happen";
    EXPECT_EQ(Clock::Now() - asked, 3s);
  });
}

TEST_F(CachedClientTest, AKindWithoutAnInformerIsReadFromTheServerOrRefused) {
  Run(
      [&](History&, CachedClient& client) {
        const auto pod = client.Get<corev1::Pod>({"default", "web"});
        EXPECT_EQ(pod.error().code(), ErrorCode::kUnsupported);
        EXPECT_THAT(pod.error().message(), ::testing::HasSubstr("there is no informer that has these objects of Pod"));
      },
      {.uncached = UncachedRead::kError});
  Run([&](History& history, CachedClient& client) {
    const size_t before = history.requests().size();
    (void)client.List<corev1::Pod>();
    EXPECT_EQ(history.requests().size(), before + 1);
  });
}

}  // namespace
}  // namespace keelson
