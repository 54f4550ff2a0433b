// The operator on a whole cluster in this process, on virtual time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <string>

#include "count_test_support.h"
#include "keelson/api/conditions.h"
#include "keelson/api/rbac/v1.h"
#include "keelson/apiserver/request_info.h"
#include "keelson/apiserver/user.h"
#include "keelson/codec/convert.h"
#include "keelson/controlplane/bad_samples.h"
#include "keelson/controlplane/install_definitions.h"
#include "keelson/controlplane/manifests.h"
#include "keelson/core/log.h"
#include "keelson/core/simulation.h"

namespace count {
namespace {

using namespace keelson;
using namespace std::chrono_literals;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
using v1::Count;

const std::string kSamples = COUNT_CONFIG "/samples";
const ObjectKey kSample = {.namespace_ = "default", .name = "test-count"};
const ObjectKey kFirstPod = {.namespace_ = "default", .name = "nginx-0"};
constexpr const char* kReady = "Ready=True Synced: Count synced successfully";
constexpr const char* kSynced = "Normal Synced";

// With the operator, and config/samples/count.yaml as it should be.
void WithSample(const std::function<void(const Client& client, OperatorProcess& process)>& body) {
  RunSeeds({}, [&](uint64_t) {
    const auto cluster = StartCluster();
    const Client client = cluster->client();
    OperatorProcess process(client, RunOperator);
    ASSERT_TRUE(CreateManifests(client, kSamples + "/count.yaml"));
    Settle();
    ASSERT_EQ(ReadyOf(client, "test-count"), kReady);
    body(client, process);
  });
}
void WithSample(const std::function<void(const Client& client)>& body) {
  WithSample([&](const Client& client, OperatorProcess&) { body(client); });
}

TEST(Count, OfTheSampleHasThreePods) {
  WithSample([](const Client& client) {
    EXPECT_THAT(Pods(client), ElementsAre("nginx-0 runs nginx for test-count", "nginx-1 runs nginx for test-count",
                                          "nginx-2 runs nginx for test-count"));
    EXPECT_THAT(EventsOf<Count>(client, kSample), ElementsAre(kSynced));
    const corev1::Event event = ListEventsOf<Count>(client, kSample)[0];
    EXPECT_EQ(event.message, "Count synced successfully");
    EXPECT_EQ(event.source.component, "count-controller");
  });
}

TEST(Count, MayBeDefinedLongAfterTheOperatorHasStarted) {
  const ScopedLogCapture log;
  Simulation simulation({.seed = 1});
  const Result<void> run = simulation.Run([&] {
    const auto cluster = StartCluster(/*knows_counts=*/false);
    const Client client = cluster->client();
    const OperatorProcess process(client, RunOperator);
    Settle(2min);
    EXPECT_THAT(log.lines(), Contains(HasSubstr("could not find the requested resource (get counts.demo.mark8s.io)")));

    ASSERT_TRUE(InstallDefinitions(client, {COUNT_CONFIG "/crd"}));
    ASSERT_TRUE(CreateManifests(client, kSamples + "/count.yaml"));
    Settle();
    EXPECT_EQ(ReadyOf(client, "test-count"), kReady);
  });
  ASSERT_TRUE(run) << run.error().message();
  // Later and later, up to ten seconds.
  EXPECT_THAT(log.lines(), Contains(HasSubstr("\"Will try again\" logger=\"reflector\" resource=\"counts.demo"))
                               .Times(testing::AllOf(testing::Ge(10u), testing::Le(30u))));
  EXPECT_THAT(log.lines(), Contains(HasSubstr("\"Cannot begin yet\"")));
}

TEST(CountController, IsReadyOnceCountsAreDefined) {
  RunSeeds({}, [](uint64_t) {
    const auto cluster = StartCluster(/*knows_counts=*/false);
    const Client client = cluster->client();
    const EventBroadcaster events({.client = client});
    InformerFactory informers(client);
    const CountController controller(informers, client, events.RecorderFor("count-controller"));
    const StopSource stop;
    informers.Start(stop.token());
    Settle();
    ASSERT_FALSE(controller.CheckSynced());
    EXPECT_THAT(controller.CheckSynced().error().message(), HasSubstr("are Counts defined?"));
    ASSERT_TRUE(InstallDefinitions(client, {COUNT_CONFIG "/crd"}));
    Settle();
    EXPECT_TRUE(controller.CheckSynced());
  });
}

TEST(Count, RepairsWhatIsDoneToItsPods) {
  WithSample([](const Client& client) {
    const corev1::Pod before = client.Get<corev1::Pod>(kFirstPod).value();
    ASSERT_TRUE(client.Delete<corev1::Pod>(kFirstPod));
    Modify<corev1::Pod>(client, {"default", "nginx-1"}, [](corev1::Pod& pod) {
      pod.spec.containers[0].image = "apache";
      pod.metadata.labels = {};
    }).value();
    Settle();
    EXPECT_NE(client.Get<corev1::Pod>(kFirstPod)->metadata.uid, before.metadata.uid);
    const corev1::Pod repaired = client.Get<corev1::Pod>({"default", "nginx-1"}).value();
    EXPECT_EQ(repaired.spec.containers[0].image, "nginx");
    EXPECT_EQ(*repaired.metadata.labels.find("app"), "nginx");
    EXPECT_EQ(ReadyOf(client, "test-count"), kReady);
    EXPECT_THAT(EventsOf<Count>(client, kSample), ElementsAre(kSynced)) << "told twice, counted in one event";
  });
}

TEST(Count, ReplacesPodsThatHaveEnded) {
  WithSample([](const Client& client) {
    corev1::Pod evicted = client.Get<corev1::Pod>(kFirstPod).value();
    evicted.status.phase = "Failed";
    evicted.status.reason = "Evicted";
    ASSERT_TRUE(client.Status().Update(evicted));
    Settle();
    EXPECT_NE(client.Get<corev1::Pod>(kFirstPod)->metadata.uid, evicted.metadata.uid);
    EXPECT_EQ(ReadyOf(client, "test-count"), kReady);
  });
}

TEST(Count, FollowsItsNumberAndName) {
  WithSample([](const Client& client) {
    Modify<Count>(client, kSample, [](Count& count) { count.spec.count = 1; }).value();
    Settle();
    EXPECT_THAT(Pods(client), ElementsAre("nginx-0 runs nginx for test-count"));
    EXPECT_EQ(ReadyOf(client, "test-count"), kReady);
    Modify<Count>(client, kSample, [](Count& count) { count.spec = {.count = 2, .name = "httpd"}; }).value();
    Settle();
    EXPECT_THAT(Pods(client), ElementsAre("httpd-0 runs httpd for test-count", "httpd-1 runs httpd for test-count"));
    Modify<Count>(client, kSample, [](Count& count) { count.spec.count = 0; }).value();
    Settle();
    EXPECT_THAT(Pods(client), IsEmpty());
    EXPECT_EQ(ReadyOf(client, "test-count"), kReady);
  });
}

TEST(Count, IsNotHealthyWhileAPodIsNotReady) {
  WithSample([](const Client& client) {
    Modify<corev1::Node>(client, {"", "node-1"}, [](corev1::Node& node) { node.spec.unschedulable = true; }).value();
    ASSERT_TRUE(client.Delete<corev1::Pod>(kFirstPod));
    Settle();
    EXPECT_EQ(ReadyOf(client, "test-count"), "Ready=False PodsNotReady: 2 of 3 Pods are ready");
  });
}

TEST(Count, LeavesNothingBehind) {
  WithSample([](const Client& client) {
    ASSERT_TRUE(client.Delete<Count>(kSample));
    Settle();
    EXPECT_THAT(Pods(client), IsEmpty());
  });
}

TEST(Count, HasASecondLife) {
  WithSample([](const Client& client) {
    ASSERT_TRUE(client.Delete<Count>(kSample));
    ASSERT_TRUE(CreateManifests(client, kSamples + "/count.yaml"));
    Settle();
    EXPECT_EQ(Pods(client).size(), 3u);
    EXPECT_EQ(ReadyOf(client, "test-count"), kReady);
    EXPECT_THAT(EventsOf<Count>(client, kSample), testing::Each(kSynced)) << "its own former Pods are nobody else's";
  });
}

TEST(Count, IsLeftAloneOnceItIsAsItShouldBe) {
  WithSample([](const Client& client, OperatorProcess& process) {
    const std::string version = client.Get<Count>(kSample)->metadata.resourceVersion;
    const std::string pod_version = client.Get<corev1::Pod>(kFirstPod)->metadata.resourceVersion;
    Settle(5h);
    process.Stop();
    process.Start();
    Settle(5h);
    EXPECT_EQ(client.Get<Count>(kSample)->metadata.resourceVersion, version);
    EXPECT_EQ(client.Get<corev1::Pod>(kFirstPod)->metadata.resourceVersion, pod_version);
    ASSERT_TRUE(client.Delete<corev1::Pod>(kFirstPod));
    Settle();
    EXPECT_EQ(ReadyOf(client, "test-count"), kReady) << "after the restart, too";
  });
}

// A Pod of an owner that is gone is deleted at once; who goes on making it by an old cache never comes to rest.
TEST(Count, ThatIsGoneGetsNoPodsWhateverTheCacheSays) {
  WithSample([](const Client& client, OperatorProcess& process) {
    const int64_t writes = process.line().writes();
    process.line().HoldWatches("/counts?");
    ASSERT_TRUE(client.Delete<Count>(kSample));
    Settle();
    EXPECT_THAT(Pods(client), IsEmpty());
    EXPECT_EQ(process.line().writes(), writes);
  });
}

TEST(Count, ThatIsGoneWithoutTheCacheKnowingIsNoFailure) {
  const ScopedLogCapture log;
  Simulation simulation({.seed = 1});
  const Result<void> run = simulation.Run([] {
    const auto cluster = ControlPlane::Start({.crds = {COUNT_CONFIG "/crd"}}).value();  // nobody else touches its Pods
    const Client client = cluster->client();
    const OperatorProcess process(client, RunOperator);
    ASSERT_TRUE(CreateManifests(client, kSamples + "/count.yaml"));
    Settle();
    ASSERT_EQ(ReadyOf(client, "test-count"), "Ready=False PodsNotReady: 0 of 3 Pods are ready");

    process.line().HoldWatches("/counts?");
    ASSERT_TRUE(client.Delete<Count>(kSample));
    corev1::Pod pod = client.Get<corev1::Pod>(kFirstPod).value();
    pod.status.conditions = {{.type = "Ready", .status = kConditionTrue}};
    ASSERT_TRUE(client.Status().Update(pod));
    Settle();
  });
  ASSERT_TRUE(run) << run.error().message();
  EXPECT_THAT(log.lines(), Contains(HasSubstr("\"Made a Pod\"")).Times(3));
  EXPECT_THAT(log.lines(), Not(Contains(HasSubstr("\"Work failed"))));
}

TEST(Count, ThatIsBadEndsAsItsSampleSays) {
  WithSample([](const Client& client) {
    EXPECT_THAT(TryBadSamples(client, kSamples + "/bad"), IsEmpty());
    EXPECT_EQ(ReadyOf(client, "test-count"), kReady) << "the good one suffers";
  });
}

TEST(Count, GetsANameThatBecomesFree) {
  WithSample([](const Client& client) {
    ASSERT_TRUE(CreateManifests(client, kSamples + "/bad/same_name.yaml"));
    Settle();
    ASSERT_EQ(ReadyOf(client, "same-name"), "Ready=False NameTaken: Pod nginx-0 belongs to somebody else");
    ASSERT_TRUE(client.Delete<Count>(kSample));
    Settle();
    EXPECT_EQ(ReadyOf(client, "same-name"), kReady);
    EXPECT_THAT(Pods(client), ElementsAre("nginx-0 runs nginx for same-name"));
  });
}

// Lets the user "operator" do what config/rbac/role.yaml says.
class ByRole final : public apiserver::Authorizer {
 public:
  apiserver::Decision Authorize(const apiserver::User& user, const apiserver::RequestInfo& request) const override {
    if (user.name != "operator") return apiserver::MastersOnly().Authorize(user, request);
    if (request.verb == "create" && request.resource == "pods" && !pods_may_be_made) return {};
    const std::string resource = request.resource + (request.subresource.empty() ? "" : "/" + request.subresource);
    for (const rbacv1::PolicyRule& rule : role_.rules) {
      if (Has(rule.apiGroups, request.group) && Has(rule.resources, resource) && Has(rule.verbs, request.verb)) {
        return {.allowed = true};
      }
    }
    return {};
  }
  std::atomic<bool> pods_may_be_made = true;

 private:
  static bool Has(const List<String>& texts, const std::string& text) {
    return std::find(texts.begin(), texts.end(), text) != texts.end();
  }
  const rbacv1::ClusterRole role_ =
      FromJsonValue<rbacv1::ClusterRole>(ReadManifests(COUNT_CONFIG "/rbac/role.yaml").value()[0].content()).value();
};

TEST(Count, NeedsNoMoreThanItsRoleAndSaysWhatIsNotAllowed) {
  RunSeeds({}, [](uint64_t) {
    const auto by_role = std::make_shared<ByRole>();
    const auto cluster = ControlPlane::Start({.api_server = {.authorizer = by_role},
                                              .crds = {COUNT_CONFIG "/crd"},
                                              .controllers = {"*"},
                                              .nodes = {"node-1"}})
                             .value();
    const Client client = cluster->client();
    const OperatorProcess process(cluster->ClientAs("operator"), RunOperator);
    ASSERT_TRUE(CreateManifests(client, kSamples + "/count.yaml"));
    Settle();
    Modify<corev1::Pod>(client, {"default", "nginx-1"}, [](corev1::Pod& pod) { pod.metadata.labels = {}; }).value();
    Modify<Count>(client, kSample, [](Count& count) { count.spec.count = 2; }).value();
    Settle();
    EXPECT_EQ(ReadyOf(client, "test-count"), kReady);
    EXPECT_THAT(EventsOf<Count>(client, kSample), ElementsAre(kSynced));

    by_role->pods_may_be_made = false;
    ASSERT_TRUE(client.Delete<corev1::Pod>(kFirstPod));
    Settle();
    EXPECT_THAT(ReadyOf(client, "test-count"), StartsWith("Ready=False PodsRefused: pods is forbidden"));
    EXPECT_THAT(EventsOf<Count>(client, kSample), Contains("Warning PodsRefused"));
    by_role->pods_may_be_made = true;
    Settle(10min);
    EXPECT_EQ(ReadyOf(client, "test-count"), kReady);
  });
}

}  // namespace
}  // namespace count
