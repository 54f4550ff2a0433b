// The operator on a whole cluster in this process, on virtual time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "count_test_support.h"
#include "keelson/api/rbac/v1.h"
#include "keelson/apiserver/request_info.h"
#include "keelson/apiserver/user.h"
#include "keelson/controlplane/install_definitions.h"
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
using testing::StartsWith;
using v1::Count;

const ObjectKey kSample = {.namespace_ = "default", .name = "test-count"};
const ObjectKey kFirstPod = {.namespace_ = "default", .name = "nginx-0"};
constexpr const char* kReady = "Ready=True Synced: Count synced successfully";
constexpr const char* kSynced = "Normal Synced count-controller: Count synced successfully";

void Simulate(const std::function<void()>& body) {
  Simulation simulation({.seed = 1});
  const Result<void> run = simulation.Run(body);
  ASSERT_TRUE(run) << run.error().message();
}

// With the operator, and config/samples/count.yaml as it should be.
void WithSample(const std::function<void(const Client& client)>& body) {
  const ScopedLogCapture quiet;
  Simulate([&] {
    const auto cluster = StartCluster();
    const Client client = cluster->client();
    const Operator running(client);
    ASSERT_TRUE(client.Create(ReadSample("count.yaml").object));
    Settle();
    ASSERT_EQ(ReadyOf(client, "test-count"), kReady);
    body(client);
  });
}

TEST(Count, OfTheSampleHasThreePods) {
  WithSample([](const Client& client) {
    EXPECT_THAT(Pods(client), ElementsAre("nginx-0 runs nginx for test-count", "nginx-1 runs nginx for test-count",
                                          "nginx-2 runs nginx for test-count"));
    EXPECT_THAT(EventsOf(client, "test-count"), ElementsAre(kSynced));
  });
}

TEST(Count, MayBeDefinedLongAfterTheOperatorHasStarted) {
  const ScopedLogCapture log;
  Simulate([&] {
    const auto cluster = StartCluster(/*knows_counts=*/false);
    const Client client = cluster->client();
    const Operator running(client);
    (void)SleepFor(2min, {});
    ASSERT_FALSE(running.controller().CheckSynced());
    EXPECT_THAT(running.controller().CheckSynced().error().message(), HasSubstr("are Counts defined?"));
    EXPECT_THAT(log.lines(), Contains(HasSubstr("could not find the requested resource (get counts.demo.mark8s.io)")));

    ASSERT_TRUE(InstallDefinitions(client, {COUNT_CONFIG "/crd"}));
    ASSERT_TRUE(client.Create(ReadSample("count.yaml").object));
    Settle();
    EXPECT_TRUE(running.controller().CheckSynced());
    EXPECT_EQ(ReadyOf(client, "test-count"), kReady);
  });
  // Later and later, up to ten seconds.
  EXPECT_THAT(log.lines(), Contains(HasSubstr("\"Will try again\" logger=\"reflector\" resource=\"counts.demo"))
                               .Times(testing::AllOf(testing::Ge(10u), testing::Le(30u))));
  EXPECT_THAT(log.lines(), Contains(HasSubstr("\"Cannot begin yet\"")));
}

TEST(Count, RepairsWhatIsDoneToItsPods) {
  WithSample([](const Client& client) {
    const corev1::Pod before = client.Get<corev1::Pod>(kFirstPod).value();
    ASSERT_TRUE(client.Delete<corev1::Pod>(kFirstPod));
    Change<corev1::Pod>(client, "nginx-1", [](corev1::Pod& pod) {
      pod.spec.containers[0].image = "apache";
      pod.metadata.labels = {};
    });
    Settle();
    EXPECT_NE(client.Get<corev1::Pod>(kFirstPod)->metadata.uid, before.metadata.uid);
    const corev1::Pod repaired = client.Get<corev1::Pod>({"default", "nginx-1"}).value();
    EXPECT_EQ(repaired.spec.containers[0].image, "nginx");
    EXPECT_EQ(*repaired.metadata.labels.find("app"), "nginx");
    EXPECT_EQ(ReadyOf(client, "test-count"), kReady);
    EXPECT_THAT(EventsOf(client, "test-count"), ElementsAre(kSynced)) << "told twice, counted in one event";
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
    Change<Count>(client, "test-count", [](Count& count) { count.spec.count = 1; });
    Settle();
    EXPECT_THAT(Pods(client), ElementsAre("nginx-0 runs nginx for test-count"));
    EXPECT_EQ(ReadyOf(client, "test-count"), kReady);
    Change<Count>(client, "test-count", [](Count& count) { count.spec = {.count = 2, .name = "httpd"}; });
    Settle();
    EXPECT_THAT(Pods(client), ElementsAre("httpd-0 runs httpd for test-count", "httpd-1 runs httpd for test-count"));
    Change<Count>(client, "test-count", [](Count& count) { count.spec.count = 0; });
    Settle();
    EXPECT_THAT(Pods(client), IsEmpty());
    EXPECT_EQ(ReadyOf(client, "test-count"), kReady);
  });
}

TEST(Count, IsNotHealthyWhileAPodIsNotReady) {
  WithSample([](const Client& client) {
    corev1::Node node = client.Get<corev1::Node>({"", "node-1"}).value();
    node.spec.unschedulable = true;
    ASSERT_TRUE(client.Update(node));
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
    ASSERT_TRUE(client.Create(ReadSample("count.yaml").object));
    Settle();
    EXPECT_EQ(Pods(client).size(), 3u);
    EXPECT_EQ(ReadyOf(client, "test-count"), kReady);
    EXPECT_THAT(EventsOf(client, "test-count"), testing::Each(kSynced)) << "its own former Pods are nobody else's";
  });
}

TEST(Count, IsLeftAloneOnceItIsAsItShouldBe) {
  const ScopedLogCapture quiet;
  Simulate([] {
    const auto cluster = StartCluster();
    const Client client = cluster->client();
    std::optional<Operator> running(client);
    ASSERT_TRUE(client.Create(ReadSample("count.yaml").object));
    Settle();
    const std::string version = client.Get<Count>(kSample)->metadata.resourceVersion;
    const std::string pod_version = client.Get<corev1::Pod>(kFirstPod)->metadata.resourceVersion;
    (void)SleepFor(5h, {});
    running.reset();
    running.emplace(client);
    (void)SleepFor(5h, {});
    EXPECT_EQ(client.Get<Count>(kSample)->metadata.resourceVersion, version);
    EXPECT_EQ(client.Get<corev1::Pod>(kFirstPod)->metadata.resourceVersion, pod_version);
    ASSERT_TRUE(client.Delete<corev1::Pod>(kFirstPod));
    Settle();
    EXPECT_EQ(ReadyOf(client, "test-count"), kReady) << "after the restart, too";
  });
}

// Each file of config/samples/bad says in its first line what becomes of it.
TEST(Count, ThatIsBadEndsAsItsSampleSays) {
  WithSample([](const Client& client) {
    int accepted = 0, rejected = 0;
    for (const auto& entry : std::filesystem::directory_iterator(COUNT_CONFIG "/samples/bad")) {
      SCOPED_TRACE(entry.path());
      const Sample bad = ReadSample("bad/" + entry.path().filename().string());
      const std::string name = bad.object.GetName();
      const Result<Unstructured> made = client.Create(bad.object);
      if (bad.first_line.starts_with("# rejected: ")) {
        ++rejected;
        ASSERT_FALSE(made);
        EXPECT_THAT(made.error().message(), HasSubstr(bad.first_line.substr(12)));
        continue;
      }
      ++accepted;
      ASSERT_THAT(bad.first_line, StartsWith("# accepted: "));
      const std::string reason = bad.first_line.substr(12);
      ASSERT_TRUE(made) << made.error().message();
      Settle();
      EXPECT_THAT(ReadyOf(client, name), StartsWith("Ready=False " + reason + ": "));
      EXPECT_THAT(EventsOf(client, name), ElementsAre(StartsWith("Warning " + reason + " count-controller: ")));
      EXPECT_EQ(ReadyOf(client, "test-count"), kReady) << "the good one suffers";
    }
    EXPECT_GT(accepted, 0);
    EXPECT_GT(rejected, 0);
  });
}

TEST(Count, GetsANameThatBecomesFree) {
  WithSample([](const Client& client) {
    ASSERT_TRUE(client.Create(ReadSample("bad/same_name.yaml").object));
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
  const rbacv1::ClusterRole role_ = FromYaml<rbacv1::ClusterRole>(ReadFile(COUNT_CONFIG "/rbac/role.yaml")).value();
};

TEST(Count, NeedsNoMoreThanItsRoleAndSaysWhatIsNotAllowed) {
  const ScopedLogCapture quiet;
  Simulate([] {
    const auto by_role = std::make_shared<ByRole>();
    const auto cluster = ControlPlane::Start({.api_server = {.authorizer = by_role},
                                              .crds = {COUNT_CONFIG "/crd"},
                                              .controllers = {"*"},
                                              .nodes = {"node-1"}})
                             .value();
    const Client client = cluster->client();
    const Operator running(cluster->ClientAs("operator"));
    ASSERT_TRUE(client.Create(ReadSample("count.yaml").object));
    Settle();
    Change<corev1::Pod>(client, "nginx-1", [](corev1::Pod& pod) { pod.metadata.labels = {}; });
    Change<Count>(client, "test-count", [](Count& count) { count.spec.count = 2; });
    Settle();
    EXPECT_EQ(ReadyOf(client, "test-count"), kReady);
    EXPECT_THAT(EventsOf(client, "test-count"), ElementsAre(kSynced));

    by_role->pods_may_be_made = false;
    ASSERT_TRUE(client.Delete<corev1::Pod>(kFirstPod));
    Settle();
    EXPECT_THAT(ReadyOf(client, "test-count"), StartsWith("Ready=False PodsRefused: pods is forbidden"));
    EXPECT_THAT(EventsOf(client, "test-count"), Contains(StartsWith("Warning PodsRefused count-controller: ")));
    by_role->pods_may_be_made = true;
    (void)SleepFor(10min, {});
    EXPECT_EQ(ReadyOf(client, "test-count"), kReady);
  });
}

}  // namespace
}  // namespace count
