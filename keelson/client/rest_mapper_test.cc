#include "keelson/client/rest_mapper.h"

#include <gmock/gmock.h>

#include <memory>
#include <optional>

#include "keelson/client/scripted_server_test_support.h"
#include "keelson/core/clock.h"
#include "keelson/core/simulation.h"
#include "keelson/core/thread.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

ServedResource Serve(std::string group, std::string version, std::string plural, std::string kind,
                     std::vector<std::string> short_names = {}) {
  std::string singular = kind;
  for (char& c : singular) c = static_cast<char>(c | 32);
  return {.resource = {.group = std::move(group),
                       .version = std::move(version),
                       .plural = std::move(plural),
                       .kind = std::move(kind),
                       .scope = ResourceScope::kNamespaced},
          .singular = std::move(singular),
          .short_names = std::move(short_names)};
}

Served Basic() {
  return {
      .groups = {{"", {"v1"}}, {"apps", {"v1", "v1beta1"}}, {"events.k8s.io", {"v1"}}},
      .resources = {Serve("", "v1", "pods", "Pod", {"po"}), Serve("", "v1", "events", "Event", {"ev"}),
                    Serve("apps", "v1beta1", "deployments", "Deployment", {"deploy"}),
                    Serve("apps", "v1", "deployments", "Deployment", {"deploy"}),
                    Serve("apps", "v1beta1", "olds", "Old"), Serve("events.k8s.io", "v1", "events", "Event", {"ev"})}};
}

TEST(RestMapper, MapsKindsBothWays) {
  int asked = 0;
  const RestMapper mapper([&](const CallScope&) -> Result<Served> { return ++asked, Basic(); });
  EXPECT_EQ(asked, 0);
  EXPECT_EQ(mapper.ResourceOf(GroupVersionKind{"apps", "v1beta1", "Deployment"})->gvr(),
            (GroupVersionResource{"apps", "v1beta1", "deployments"}));
  EXPECT_EQ(mapper.ResourceOf(GroupKind{"apps", "Deployment"})->version, "v1");
  EXPECT_EQ(mapper.ResourceOf(GroupKind{"apps", "Old"})->version, "v1beta1");
  EXPECT_EQ(mapper.ResourceOf(GroupVersionResource{"", "v1", "pods"})->kind, "Pod");
  EXPECT_EQ(asked, 1);
}

TEST(RestMapper, FindsWhatUsersType) {
  const RestMapper mapper([](const CallScope&) -> Result<Served> { return Basic(); });
  const GroupVersionResource deployments{"apps", "v1", "deployments"};
  for (const char* text : {"deploy", "deployment", "deployments", "Deployment", "deployments.apps", "deploy.apps",
                           "deployments.v1.apps"}) {
    const Result<Resource> found = mapper.Find(text);
    ASSERT_TRUE(found) << text;
    EXPECT_EQ(found->gvr(), deployments) << text;
  }
  EXPECT_EQ(mapper.Find("deployments.v1beta1.apps")->version, "v1beta1");
  EXPECT_EQ(mapper.Find("events")->group, "");
  EXPECT_EQ(mapper.Find("ev")->group, "");
  EXPECT_EQ(mapper.Find("events.events.k8s.io")->group, "events.k8s.io");
}

TEST(RestMapper, AKindThatIsNotServedIsNoMatch) {
  const RestMapper mapper([](const CallScope&) -> Result<Served> {
    Served served = Basic();
    served.failed.push_back({{"metrics.k8s.io", "v1beta1"}, "no endpoints"});
    return served;
  });
  const Result<Resource> none = mapper.ResourceOf(GroupVersionKind{"example.com", "v1", "Widget"});
  ASSERT_FALSE(none);
  EXPECT_TRUE(IsNoMatch(none.error()));
  EXPECT_EQ(none.error().code(), ErrorCode::kUnsupported);
  EXPECT_THAT(none.error().message(), HasSubstr("no matches for kind \"Widget\" in version \"example.com/v1\""));
  EXPECT_THAT(none.error().message(), HasSubstr("metrics.k8s.io/v1beta1: no endpoints"));
}

TEST(RestMapper, AKindThatAppearsLaterIsFound) {
  int asked = 0;
  const RestMapper mapper([&](const CallScope&) -> Result<Served> {
    Served served = Basic();
    if (++asked > 1) {
      served.groups.push_back({"example.com", {"v1"}});
      served.resources.push_back(Serve("example.com", "v1", "widgets", "Widget"));
    }
    return served;
  });
  EXPECT_TRUE(mapper.Find("pods"));
  EXPECT_EQ(mapper.ResourceOf(GroupVersionKind{"example.com", "v1", "Widget"})->plural, "widgets");
  EXPECT_EQ(asked, 2);
}

TEST(RestMapper, UnknownKindsDoNotFloodTheServer) {
  const Result<void> run = Simulation({.seed = 1}).Run([] {
    int asked = 0;
    const RestMapper mapper([&](const CallScope&) -> Result<Served> { return ++asked, Basic(); });
    for (int i = 0; i < 100; ++i) EXPECT_FALSE(mapper.Find("unknown"));
    EXPECT_EQ(asked, 1 + RestMapper::kBurst);
    (void)SleepFor(RestMapper::kInterval * 2, StopToken());
    for (int i = 0; i < 100; ++i) EXPECT_FALSE(mapper.Find("unknown"));
    EXPECT_EQ(asked, 3 + RestMapper::kBurst);
  });
  ASSERT_TRUE(run) << run.error().message();
}

TEST(RestMapper, OneAsksForMany) {
  int asked = 0;
  const RestMapper mapper([&](const CallScope&) -> Result<Served> { return ++asked, Basic(); });
  {
    std::vector<std::unique_ptr<Thread>> threads;
    for (int i = 0; i < 8; ++i) {
      threads.push_back(std::make_unique<Thread>("asker", [&] { EXPECT_TRUE(mapper.Find("pods")); }));
    }
  }
  EXPECT_EQ(asked, 1);
}

TEST(RestMapper, AFailureIsToldAndNotKept) {
  int asked = 0;
  const RestMapper mapper([&](const CallScope&) -> Result<Served> {
    if (++asked == 1) return Error(ErrorCode::kUnavailable, "refused");
    return Basic();
  });
  const Result<Resource> first = mapper.Find("pods");
  ASSERT_FALSE(first);
  EXPECT_EQ(first.error().code(), ErrorCode::kUnavailable);
  EXPECT_TRUE(mapper.Find("pods"));
}

}  // namespace
}  // namespace keelson
