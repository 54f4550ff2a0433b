#include "keelson/controllers/replica_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "keelson/api/owner_references.h"
#include "keelson/controllers/workloads_test_support.h"
#include "keelson/controlplane/control_plane.h"
#include "keelson/transport/transport.h"

namespace keelson::controllers {
namespace {

using namespace std::chrono_literals;
using appsv1::ReplicaSet;
using corev1::Pod;
using testing::Contains;
using testing::SizeIs;
using testing::StartsWith;

const ObjectKey kWeb{"default", "web"};

ReplicaSet Get(const Client& client) { return client.Get<ReplicaSet>(kWeb).value(); }

bool IsSettled(const Client& client, int32_t replicas) {
  const ReplicaSet set = Get(client);
  return set.status.observedGeneration == set.metadata.generation && set.status.replicas == replicas &&
         set.status.availableReplicas == replicas && PodsOf(client, "web").size() == static_cast<size_t>(replicas);
}

TEST(ReplicaSetController, KeepsAsManyPodsOfTheTemplateAsAsked) {
  SimulatedManagers([] {
    ControlPlane control_plane;
    const Client client = control_plane.client();
    const ControllerProcess pods = RunPods(client), workloads = RunWorkloads(client);
    ReplicaSet wanted = ReplicaSetOf("web", 3);
    wanted.spec.template_.metadata.annotations = {{"note", "kept"}};
    const ReplicaSet set = client.Create(wanted).value();
    EXPECT_LT(TimeUntil([&] { return IsSettled(client, 3); }), 5s);
    const ReplicaSet settled = Get(client);
    EXPECT_EQ(settled.status.readyReplicas, 3);
    EXPECT_EQ(settled.status.fullyLabeledReplicas, 3);
    EXPECT_EQ(settled.status.terminatingReplicas, 0);
    for (const Pod& pod : PodsOf(client, "web")) {
      EXPECT_THAT(pod.metadata.name.str(), StartsWith("web-"));
      EXPECT_EQ(pod.metadata.generateName, "web-");
      EXPECT_TRUE(IsControlledBy(pod, set));
      EXPECT_TRUE(GetControllerOf(pod)->blockOwnerDeletion.value_or(false));
      EXPECT_EQ(pod.metadata.annotations.at("note"), "kept");
    }
    EXPECT_THAT(EventsOf(client, "web"), SizeIs(3));
    EXPECT_THAT(EventsOf(client, "web")[0], StartsWith("SuccessfulCreate: Created pod: web-"));

    Modify<ReplicaSet>(client, kWeb, [](ReplicaSet& one) { one.spec.replicas = 1; }).value();
    EXPECT_LT(TimeUntil([&] { return IsSettled(client, 1); }), 5s);
    EXPECT_THAT(EventsOf(client, "web")[4], StartsWith("SuccessfulDelete: Deleted pod: web-"));
    ASSERT_TRUE(client.Delete(PodsOf(client, "web")[0]));
    EXPECT_LT(TimeUntil([&] { return IsSettled(client, 1); }), 5s);
  });
}

TEST(ReplicaSetController, AdoptsOrphansAndReleasesWhatNoLongerMatches) {
  SimulatedManagers([] {
    ControlPlane control_plane;
    const Client client = control_plane.client();
    const corev1::PodTemplateSpec from = TemplateOf("web", "v1");
    for (const char* name : {"first", "second"}) {
      ASSERT_TRUE(client.Create(
          Pod{.metadata = {.name = name, .namespace_ = "default", .labels = from.metadata.labels}, .spec = from.spec}));
    }
    const ControllerProcess pods = RunPods(client), workloads = RunWorkloads(client);
    ASSERT_TRUE(client.Create(ReplicaSetOf("web", 2)));
    EXPECT_LT(TimeUntil([&] { return IsSettled(client, 2); }), 5s);
    EXPECT_TRUE(IsControlledBy(client.Get<Pod>({"default", "first"}).value(), Get(client)));

    Modify<Pod>(client, {"default", "first"}, [](Pod& pod) { pod.metadata.labels.Set("app", "other"); }).value();
    EXPECT_LT(TimeUntil([&] { return IsSettled(client, 2); }), 5s);
    EXPECT_LT(TimeUntil([&] { return client.Get<Pod>({"default", "first"})->metadata.ownerReferences.empty(); }), 5s);
    // Back again it is one too many.
    Modify<Pod>(client, {"default", "first"}, [](Pod& pod) { pod.metadata.labels.Set("app", "web"); }).value();
    EXPECT_LT(TimeUntil([&] { return IsSettled(client, 2); }), 5s);
  });
}

TEST(ReplicaSetController, PodsCountAsAvailableWhenTheyWereReadyForLongEnough) {
  SimulatedManagers([] {
    ControlPlane control_plane;
    const Client client = control_plane.client();
    const ControllerProcess pods = RunPods(client), workloads = RunWorkloads(client);
    ReplicaSet wanted = ReplicaSetOf("web", 2);
    wanted.spec.minReadySeconds = 30;
    ASSERT_TRUE(client.Create(wanted));
    EXPECT_LT(TimeUntil([&] { return Get(client).status.readyReplicas == 2; }), 5s);
    EXPECT_EQ(Get(client).status.availableReplicas, 0);
    const Duration took = TimeUntil([&] { return Get(client).status.availableReplicas == 2; });
    EXPECT_GT(took, 28s);
    EXPECT_LT(took, 32s);
  });
}

TEST(ReplicaSetController, PodsThatAreGoingCountAsTerminating) {
  SimulatedManagers([] {
    ControlPlane control_plane;
    const Client client = control_plane.client();
    const ControllerProcess workloads = RunWorkloads(client);
    ReplicaSet wanted = ReplicaSetOf("web", 2);
    wanted.spec.template_.spec.nodeName = "node";
    ASSERT_TRUE(client.Create(wanted));
    EXPECT_LT(TimeUntil([&] { return Get(client).status.replicas == 2; }), 5s);
    Modify<ReplicaSet>(client, kWeb, [](ReplicaSet& one) { one.spec.replicas = 0; }).value();
    EXPECT_LT(TimeUntil([&] { return Get(client).status.terminatingReplicas == 2; }), 5s);
    EXPECT_EQ(Get(client).status.replicas, 0);
    const ControllerProcess pods = RunPods(client);
    EXPECT_LT(TimeUntil([&] { return Get(client).status.terminatingReplicas == 0; }), 5s);
  });
}

// A way to the server on which no Pods can be made, if so wished.
class PartialTransport final : public Transport {
 public:
  explicit PartialTransport(std::shared_ptr<Transport> inner) : inner_(std::move(inner)) {}

  Result<HttpResponse> Send(HttpRequest request, const CallScope& scope) override {
    const bool pods = request.target.find("/pods") != std::string::npos;
    if (pods && request.method == "POST") {
      ++creations;
      if (refuse_pods) {
        return HttpResponse{.status = 403,
                            .headers = {{"Content-Type", "application/json"}},
                            .body = StreamOf(R"({"kind":"Status","apiVersion":"v1","status":"Failure",)"
                                             R"("message":"pods are not wanted","reason":"Forbidden","code":403})")};
      }
    }
    return inner_->Send(std::move(request), scope);
  }

  std::atomic<bool> refuse_pods = false;
  std::atomic<int> creations = 0;

 private:
  const std::shared_ptr<Transport> inner_;
};

TEST(ReplicaSetController, SaysThatPodsCannotBeCreatedAndGoesOnWhenTheyCan) {
  SimulatedManagers([] {
    ControlPlane control_plane;
    const Client client = control_plane.client();
    const auto line = std::make_shared<PartialTransport>(client.rest().transport());
    line->refuse_pods = true;
    const ControllerProcess pods = RunPods(client), workloads = RunWorkloads(Client(line));
    ASSERT_TRUE(client.Create(ReplicaSetOf("web", 10)));
    EXPECT_LT(TimeUntil([&] { return !Get(client).status.conditions.empty(); }), 5s);
    const ReplicaSet failed = Get(client);
    EXPECT_EQ(failed.status.conditions[0].type, "ReplicaFailure");
    EXPECT_EQ(failed.status.conditions[0].reason, "FailedCreate");
    EXPECT_EQ(failed.status.conditions[0].message, "pods are not wanted");
    EXPECT_THAT(EventsOf(client, "web"), Contains("FailedCreate: Error creating: pods are not wanted"));
    // One try at a time while none works: 10 ms, 20 ms, 40 ms… apart.
    (void)SleepFor(10s, {});
    EXPECT_LT(line->creations, 20);
    line->refuse_pods = false;
    EXPECT_LT(TimeUntil([&] { return IsSettled(client, 10); }), 60s);
    EXPECT_TRUE(Get(client).status.conditions.empty());
  });
}

// The watch of pods brings nothing for longer than anybody's patience (kubernetes#129795): as many pods are made as
// were asked for, and not as many again each time the patience is over.
TEST(ReplicaSetController, MakesNoPodTwiceHoweverLateTheWatchIs) {
  SimulatedManagers([] {
    ControlPlane control_plane;
    const Client client = control_plane.client();
    const auto line = std::make_shared<PartialTransport>(client.rest().transport());
    const ControllerProcess workloads = RunWorkloads(Client(line));
    ASSERT_TRUE(client.Create(ReplicaSetOf("first", 1)));
    EXPECT_LT(TimeUntil([&] { return PodsOf(client, "first").size() == 1; }), 5s);
    (void)SleepFor(5s, {});
    workloads.line().HoldWatches("/pods?");
    ASSERT_TRUE(client.Create(ReplicaSetOf("web", 5)));
    for (int minute = 0; minute < 30; ++minute) {
      (void)SleepFor(1min, {});
      ASSERT_EQ(PodsOf(client, "web").size(), 5u) << "after " << minute << " minutes";
      // What else happens to it in the meantime.
      Modify<ReplicaSet>(client, kWeb, [&](ReplicaSet& one) {
        one.metadata.annotations.Set("minute", std::to_string(minute));
      }).value();
    }
    workloads.line().ReleaseWatches();
    EXPECT_LT(TimeUntil([&] { return Get(client).status.replicas == 5; }, 30min), 20min);
    EXPECT_EQ(line->creations, 6);
    EXPECT_EQ(PodsOf(client, "web").size(), 5u);
  });
}

}  // namespace
}  // namespace keelson::controllers
