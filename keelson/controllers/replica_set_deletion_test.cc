// ReplicaSets that are deleted while their controller has not heard of it.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "keelson/controllers/workloads_test_support.h"
#include "keelson/controlplane/control_plane.h"
#include "keelson/core/clock.h"
#include "keelson/transport/transport.h"

namespace keelson::controllers {
namespace {

using namespace std::chrono_literals;
using appsv1::ReplicaSet;
using corev1::Pod;

const ObjectKey kWeb{"default", "web"};

// A way to the server on which watches of ReplicaSets bring nothing while they are held. Counts the Pods that are made.
class HeldTransport final : public Transport {
 public:
  explicit HeldTransport(std::shared_ptr<Transport> inner) : inner_(std::move(inner)) {}

  Result<HttpResponse> Send(HttpRequest request, const CallScope& scope) override {
    if (request.method == "POST" && request.target.find("/pods") != std::string::npos) ++pods_made;
    const bool watches_sets = request.streaming && request.target.find("/replicasets") != std::string::npos;
    Result<HttpResponse> answer = inner_->Send(std::move(request), scope);
    if (answer && watches_sets) answer->body = std::make_unique<HeldStream>(*this, std::move(answer->body), scope.stop);
    return answer;
  }

  std::atomic<bool> hold = false;
  std::atomic<int> pods_made = 0;

 private:
  class HeldStream final : public BodyStream {
   public:
    HeldStream(HeldTransport& of, std::unique_ptr<BodyStream> inner, StopToken stop)
        : of_(of), inner_(std::move(inner)), stop_(std::move(stop)) {}
    Result<std::string_view> Next() override {
      Result<std::string_view> piece = inner_->Next();
      while (of_.hold && SleepFor(100ms, stop_) == Wake::kTimeout) continue;
      return piece;
    }

   private:
    HeldTransport& of_;
    const std::unique_ptr<BodyStream> inner_;
    const StopToken stop_;
  };

  const std::shared_ptr<Transport> inner_;
};

TEST(ReplicaSetDeletion, NoPodTakesThePlaceOfOneThatGoesWithItsReplicaSet) {
  for (const Propagation how : {Propagation::kForeground, Propagation::kBackground}) {
    SimulatedManagers([how] {
      ControlPlane control_plane;
      const Client client = control_plane.client();
      const auto line = std::make_shared<HeldTransport>(client.rest().transport());
      const ControllerProcess workloads = RunWorkloads(Client(line));
      ReplicaSet wanted = ReplicaSetOf("web", 2);
      wanted.spec.template_.metadata.finalizers = {"example.com/hold"};
      ASSERT_TRUE(client.Create(wanted));
      EXPECT_LT(TimeUntil([&] { return client.Get<ReplicaSet>(kWeb)->status.replicas == 2; }), 5s);
      (void)SleepFor(5s, {});

      line->hold = true;
      ASSERT_TRUE(client.Delete<ReplicaSet>(kWeb, {.propagation = how}));
      const std::vector<Pod> pods = PodsOf(client, "web");
      for (const Pod& pod : pods) ASSERT_TRUE(client.Delete(pod));  // as the garbage collector does it
      (void)SleepFor(1min, {});
      line->hold = false;
      (void)SleepFor(1min, {});
      EXPECT_EQ(line->pods_made, 2);
    });
  }
}

TEST(ReplicaSetDeletion, APodThatIsDeletedAloneIsReplaced) {
  SimulatedManagers([] {
    ControlPlane control_plane;
    const Client client = control_plane.client();
    const auto line = std::make_shared<HeldTransport>(client.rest().transport());
    const ControllerProcess workloads = RunWorkloads(Client(line));
    ASSERT_TRUE(client.Create(ReplicaSetOf("web", 2)));
    EXPECT_LT(TimeUntil([&] { return client.Get<ReplicaSet>(kWeb)->status.replicas == 2; }), 5s);
    (void)SleepFor(5s, {});
    line->hold = true;
    ASSERT_TRUE(client.Delete(PodsOf(client, "web")[0]));
    EXPECT_LT(TimeUntil([&] { return line->pods_made == 3; }), 5s);
  });
}

}  // namespace
}  // namespace keelson::controllers
