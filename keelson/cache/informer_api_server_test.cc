// An informer against the embedded API server, over a transport that breaks: the cache comes to equal the server, and
// no handler sees an object go back in time.
#include <gtest/gtest.h>

#include "keelson/api/status_error.h"
#include "keelson/apiserver/api_server.h"
#include "keelson/cache/history_test_support.h"
#include "keelson/cache/informer_factory.h"
#include "keelson/cache/told_test_support.h"
#include "keelson/cache/wait_for_cache_sync.h"
#include "keelson/workqueue/queue.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;

Error Broken() {
  return Error(ErrorCode::kUnavailable, "the connection broke")
      .WithDetail(std::make_shared<TransportErrorDetail>(TransportFailure::kReset, true));
}

// Passes on so many bytes and then breaks.
class CutBody final : public BodyStream {
 public:
  CutBody(std::unique_ptr<BodyStream> body, size_t left) : body_(std::move(body)), left_(left) {}
  Result<std::string_view> Next() override {
    if (left_ == 0) return Broken();
    KEELSON_TRY(bytes, body_->Next());
    if (bytes.empty()) return bytes;
    const std::string_view shown = bytes.substr(0, left_);
    left_ -= shown.size();
    return shown;
  }

 private:
  const std::unique_ptr<BodyStream> body_;
  size_t left_;
};

// Refuses some requests, delays some, and cuts some answers.
class FaultTransport final : public Transport {
 public:
  FaultTransport(Transport& inner, uint64_t seed) : inner_(inner), random_(seed) {}

  Result<HttpResponse> Send(HttpRequest request, const CallScope& scope) override {
    bool refuse, cut, late;
    size_t bytes;
    {
      MutexLock lock(mutex_);
      ++requests_;
      refuse = down_ || random_.Chance(faults_);
      cut = random_.Chance(faults_);
      late = random_.Chance(faults_);
      bytes = random_.Uniform<size_t>(0, 4000);
    }
    if (refuse) return Broken();
    KEELSON_TRY(response, inner_.Send(std::move(request), scope));
    if (late) (void)SleepFor(2s, scope.stop);
    if (cut) response.body = std::make_unique<CutBody>(std::move(response.body), bytes);
    return response;
  }
  void SetFaults(double faults) {
    MutexLock lock(mutex_);
    faults_ = faults;
  }
  void SetDown(bool down) {
    MutexLock lock(mutex_);
    down_ = down;
  }
  int requests() {
    MutexLock lock(mutex_);
    return requests_;
  }

 private:
  Transport& inner_;
  Mutex mutex_{"fault transport"};
  // Guarded by mutex_.
  Random random_;
  double faults_ = 0;
  bool down_ = false;
  int requests_ = 0;
};

// A server, a client that reaches it and one that does not always.
struct Cluster {
  explicit Cluster(uint64_t seed)
      : server(ApiServer::Make().value()),
        transport(*server, {.common_name = "admin", .organizations = {"system:masters"}}),
        faulty(std::make_shared<FaultTransport>(transport, seed)),
        sure(std::make_shared<InProcessTransport>(*server,
                                                  Peer{.common_name = "admin", .organizations = {"system:masters"}})),
        unsure(faulty) {
    const Result<corev1::Namespace> made = sure.Create(corev1::Namespace{.metadata = {.name = "test"}});
    EXPECT_TRUE(made || IsAlreadyExists(made.error())) << made.error().message();
  }

  void Set(const std::string& name, const std::string& value) {
    const ObjectKey key{"test", name};
    corev1::ConfigMap map{.metadata = {.name = name, .namespace_ = "test"}, .data = {{"value", value}}};
    if (sure.Get<corev1::ConfigMap>(key)) {
      ASSERT_TRUE(sure.Update(map));
    } else {
      ASSERT_TRUE(sure.Create(map));
    }
  }
  void ChangeSomething(Random& random, int step) {
    const std::string name(1, static_cast<char>('a' + random.Uniform(0, 3)));
    if (random.Chance(0.3)) {
      (void)sure.Delete<corev1::ConfigMap>({"test", name});
    } else {
      Set(name, std::to_string(step));
    }
  }
  std::map<std::string, std::string> contents() const {
    std::map<std::string, std::string> contents;
    const auto list = sure.List<corev1::ConfigMap>({.namespace_ = "test"});
    EXPECT_TRUE(list);
    for (const corev1::ConfigMap& map : *list) contents[KeyOf(map).ToString()] = map.data.find("value")->str();
    return contents;
  }
  // As after a compaction: no version before the present one can be watched from.
  void Forget() { server->store().Compact(server->store().revision()); }

  std::unique_ptr<ApiServer> server;
  InProcessTransport transport;
  std::shared_ptr<FaultTransport> faulty;
  Client sure, unsure;
};

void RunSeed(uint64_t seed) {
  Random random(seed);
  Simulation simulation({.seed = seed});
  const Result<void> done = simulation.Run([&] {
    Cluster cluster(seed);
    for (int i = 0; i < 3; ++i) cluster.ChangeSomething(random, i);
    cluster.faulty->SetFaults(0.3);
    StopSource stop;
    InformerFactory informers(cluster.unsure,
                              {.reflector = {.policy = {.streaming = random.Chance(0.5)}, .page_size = 2}});
    const auto maps = informers.For<corev1::ConfigMap>(Selection{.namespace_ = "test"});
    Told told;
    Queue<std::string> queue;
    std::map<std::string, std::string> worked;  // what the worker saw of each key last
    const auto first = maps.AddHandler(told.handlers());
    const auto enqueue = [&](const corev1::ConfigMap& map) { queue.Add(KeyOf(map).ToString()); };
    const auto second = maps.AddHandler({.on_add = [&](const auto& map, bool) { enqueue(map); },
                                         .on_update = [&](const auto&, const auto& map) { enqueue(map); },
                                         .on_delete = [&](const auto& map, bool) { enqueue(map); }},
                                        {.resync = 20s});
    Thread worker("worker", [&, lister = maps.lister()] {
      while (auto item = queue.Get(stop.token())) {
        (void)SleepFor(100ms, {});
        const auto map = lister.Get(ObjectKey::Parse(item->key).value());
        if (map) {
          worked[item->key] = (*map)->data.find("value")->str();
        } else {
          worked.erase(item->key);
        }
      }
    });
    informers.Start(stop.token());
    for (int i = 3; i < 15; ++i) {
      if (random.Chance(0.4)) (void)SleepFor(std::chrono::milliseconds(random.Uniform(0, 3000)), {});
      if (random.Chance(0.15)) cluster.Forget();
      if (random.Chance(0.1)) {
        cluster.faulty->SetDown(true);  // a restart: nothing answers for a while
        (void)SleepFor(1s, {});
        cluster.faulty->SetDown(false);
      }
      cluster.ChangeSomething(random, i);
    }
    cluster.faulty->SetFaults(0);
    (void)SleepFor(20min, {});
    EXPECT_EQ(ContentsOf(maps.lister()), cluster.contents()) << "seed " << seed;
    EXPECT_EQ(told.contents(), cluster.contents()) << "seed " << seed;
    EXPECT_LE(cluster.faulty->requests(), 100) << "it must not flood; seed " << seed;
    stop.RequestStop();
    worker.Join();
    EXPECT_EQ(worked, cluster.contents()) << "seed " << seed;
  });
  ASSERT_TRUE(done) << "seed " << seed << ": " << done.error().message();
  ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
}

class InformerOfApiServer : public ::testing::TestWithParam<int> {};

TEST_P(InformerOfApiServer, CacheHandlersAndQueueComeToEqualTheServer) {
  const ScopedLogCapture quiet;
  const auto first = static_cast<uint64_t>(GetParam()) * 100;
  for (uint64_t seed = first; seed < first + 100 && !HasFailure(); ++seed) RunSeed(seed);
}
INSTANTIATE_TEST_SUITE_P(Parts, InformerOfApiServer, ::testing::Range(0, 4));

TEST(InformerOfApiServer, ListsByAWatchAndResumesAtBookmarks) {
  Simulated([] {
    Cluster cluster(1);
    cluster.Set("a", "1");
    StopSource stop;
    const auto maps = Informer<corev1::ConfigMap>::Make(cluster.unsure);
    maps.Start(stop.token());
    ASSERT_TRUE(WaitForCacheSync({}, maps));
    EXPECT_EQ(cluster.faulty->requests(), 1) << "one watch lists and goes on";
    (void)SleepFor(30min, {});
    cluster.Set("a", "2");
    (void)SleepFor(1s, {});
    EXPECT_EQ(ContentsOf(maps.lister())["test/a"], "2");
    EXPECT_LE(cluster.faulty->requests(), 8) << "watches of 5 to 10 minutes";
  });
}

}  // namespace
}  // namespace keelson
