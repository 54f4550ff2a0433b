#include "keelson/runtime/enqueuer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "keelson/api/apps/v1.h"
#include "keelson/api/core/v1.h"
#include "keelson/controlplane/control_plane.h"
#include "keelson/core/clock.h"
#include "keelson/core/thread.h"
#include "keelson/runtime/source_test_support.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

corev1::ConfigMap Map(List<metav1::OwnerReference> owners = {}, const char* namespace_ = "default") {
  return {.metadata = {.name = "web", .namespace_ = namespace_, .resourceVersion = "1", .ownerReferences = owners}};
}
metav1::OwnerReference Owner(const char* version, const char* kind, const char* name, bool controls = true) {
  metav1::OwnerReference owner{.apiVersion = version, .kind = kind, .name = name, .uid = name};
  if (controls) owner.controller = true;
  return owner;
}

std::vector<std::string> Requests(const Enqueuer<Request>& enqueuer, const ObjectEvent& event) {
  RequestQueue<Request> queue;
  RequestSink<Request> sink(queue, {});
  enqueuer(event, sink);
  std::vector<std::string> keys;
  while (const auto item = queue.TryGet()) keys.push_back(item->key.ToString());
  return keys;
}

// All additions of an enqueuer, also of one request twice: a worker takes each as it comes, so that the queue has
// nothing to fold it into. Of several orders of threads the one with most.
std::vector<std::string> Additions(const Enqueuer<Request>& enqueuer, const ObjectEvent& event) {
  std::vector<std::string> most;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    std::vector<std::string> keys;
    InSimulation(
        [&] {
          RequestQueue<Request> queue;
          Thread worker("worker", [&](const StopToken& stop) {
            while (const auto item = queue.Get(stop)) keys.push_back(item->key.ToString());
          });
          RequestSink<Request> sink(queue, {});
          enqueuer(event, sink);
          queue.ShutDown();
          worker.Join();
        },
        seed);
    if (keys.size() > most.size()) most = std::move(keys);
  }
  return most;
}

TEST(RequestSink, AdditionsCarryCauseAndPriority) {
  RequestQueue<Request> queue;
  const Cause cause{.type = CauseType::kUpdated, .source = "ConfigMap", .namespace_ = "default", .name = "web"};
  RequestSink<Request> sink(queue, cause, kLowPriority);
  sink.Add({"default", "a"});
  sink.set_priority(7);
  sink.AddAfter({"default", "b"}, Duration(0));
  EXPECT_EQ(sink.cause(), cause);
  EXPECT_EQ(sink.priority(), 7);
  EXPECT_THAT(Drain(queue), ElementsAre("default/b: ConfigMap default/web updated 7",
                                        "default/a: ConfigMap default/web updated (low)"));
}

TEST(RequestSink, DelaysAndLimitsByTheQueue) {
  InSimulation([] {
    RequestQueue<Request> queue;
    RequestSink<Request> sink(queue, {.type = CauseType::kGeneric, .source = "it"});
    sink.AddAfter({"", "later"}, 10s);
    sink.AddRateLimited({"", "limited"});
    EXPECT_THAT(Drain(queue), IsEmpty());
    EXPECT_EQ(queue.NumRequeues({"", "limited"}), 1);
    (void)SleepFor(5s, {});
    EXPECT_THAT(Drain(queue), ElementsAre("limited: it event"));
    (void)SleepFor(6s, {});
    EXPECT_THAT(Drain(queue), ElementsAre("later: it event"));
  });
}

TEST(EnqueueSelf, GivesTheObjectForEveryEvent) {
  const Enqueuer<Request> enqueuer = EnqueueSelf();
  for (const Form form : kForms) {
    SCOPED_TRACE(form);
    EXPECT_THAT(Requests(enqueuer, Created(form, Map())), ElementsAre("default/web"));
    EXPECT_THAT(Requests(enqueuer, Updated(form, Map(), Map())), ElementsAre("default/web"));
    EXPECT_THAT(Requests(enqueuer, Deleted(form, Map())), ElementsAre("default/web"));
    EXPECT_THAT(Requests(enqueuer, Generic(form, Map())), ElementsAre("default/web"));
    EXPECT_THAT(Requests(enqueuer, Resynced(form, Map())), ElementsAre("default/web"));
    EXPECT_THAT(Requests(enqueuer, Created(form, Map({}, ""))), ElementsAre("web"));
  }
}

TEST(EnqueueOwner, GivesTheControllerOfThatKindInAnyVersion) {
  const Enqueuer<Request> enqueuer = EnqueueOwner<appsv1::Deployment>();
  for (const Form form : kForms) {
    SCOPED_TRACE(form);
    const auto requests = [&](List<metav1::OwnerReference> owners) {
      const std::vector<std::string> created = Requests(enqueuer, Created(form, Map(owners)));
      EXPECT_EQ(Requests(enqueuer, Deleted(form, Map(owners))), created);
      EXPECT_EQ(Requests(enqueuer, Generic(form, Map(owners))), created);
      EXPECT_EQ(Requests(enqueuer, Resynced(form, Map(owners))), created);
      return created;
    };
    EXPECT_THAT(requests({}), IsEmpty());
    EXPECT_THAT(requests({Owner("apps/v1", "Deployment", "app")}), ElementsAre("default/app"));
    EXPECT_THAT(requests({Owner("apps/v1beta1", "Deployment", "app")}), ElementsAre("default/app"));
    EXPECT_THAT(requests({Owner("apps/v1", "ReplicaSet", "app")}), IsEmpty());
    EXPECT_THAT(requests({Owner("example.com/v1", "Deployment", "app")}), IsEmpty());
    EXPECT_THAT(requests({Owner("v1", "Deployment", "app")}), IsEmpty());
    EXPECT_THAT(requests({Owner("apps/v1", "Deployment", "app", false)}), IsEmpty());
    EXPECT_THAT(requests({Owner("apps/v1", "Deployment", "other", false), Owner("apps/v1", "Deployment", "app")}),
                ElementsAre("default/app"));
  }
  // A reference that says it does not control.
  metav1::OwnerReference plain = Owner("apps/v1", "Deployment", "app");
  plain.controller = false;
  EXPECT_THAT(Requests(enqueuer, Created(Form::kTyped, Map({plain}))), IsEmpty());
}

TEST(EnqueueOwner, KnowsTheCoreGroup) {
  const Enqueuer<Request> enqueuer = EnqueueOwner<corev1::Pod>();
  EXPECT_THAT(Requests(enqueuer, Created(Form::kTyped, Map({Owner("v1", "Pod", "app")}))), ElementsAre("default/app"));
  EXPECT_THAT(Requests(enqueuer, Created(Form::kTyped, Map({Owner("apps/v1", "Pod", "app")}))), IsEmpty());
}

TEST(EnqueueOwner, GivesEveryOwnerWhereAskedFor) {
  const Enqueuer<Request> enqueuer = EnqueueOwner<appsv1::Deployment>({.any_owner = true});
  for (const Form form : kForms) {
    SCOPED_TRACE(form);
    const corev1::ConfigMap map = Map({Owner("apps/v1", "Deployment", "a", false), Owner("apps/v1", "ReplicaSet", "b"),
                                       Owner("apps/v1", "Deployment", "c")});
    EXPECT_THAT(Requests(enqueuer, Created(form, map)), UnorderedElementsAre("default/a", "default/c"));
  }
}

TEST(EnqueueOwner, GivesTheOwnersBeforeAndAfterAnUpdateEachOnce) {
  const Enqueuer<Request> enqueuer = EnqueueOwner<appsv1::Deployment>({.any_owner = true});
  const corev1::ConfigMap before = Map({Owner("apps/v1", "Deployment", "a"), Owner("apps/v1", "Deployment", "b", false),
                                        Owner("apps/v1beta1", "Deployment", "a", false)});
  const corev1::ConfigMap now = Map({Owner("apps/v1", "Deployment", "b"), Owner("apps/v1", "Deployment", "c", false)});
  for (const Form form : kForms) {
    SCOPED_TRACE(form);
    EXPECT_THAT(Additions(enqueuer, Updated(form, before, now)),
                UnorderedElementsAre("default/a", "default/b", "default/c"));
    EXPECT_THAT(Additions(enqueuer, Updated(form, before, before)), UnorderedElementsAre("default/a", "default/b"));
    EXPECT_THAT(Additions(enqueuer, Created(form, before)), UnorderedElementsAre("default/a", "default/b"));
    EXPECT_THAT(Additions(enqueuer, Updated(form, before, Map())), UnorderedElementsAre("default/a", "default/b"));
  }
}

TEST(EnqueueOwner, OwnersWithoutANamespaceOwnObjectsThatHaveOne) {
  const Enqueuer<Request> nodes = EnqueueOwner<corev1::Node>();
  EXPECT_THAT(Requests(nodes, Created(Form::kTyped, Map({Owner("v1", "Node", "n1")}))), ElementsAre("n1"));
  EXPECT_THAT(Requests(nodes, Created(Form::kTyped, Map({Owner("v1", "Node", "n1")}, ""))), ElementsAre("n1"));
  // The other way round is a mistake that nobody could reconcile.
  const Enqueuer<Request> pods = EnqueueOwner<corev1::Pod>();
  EXPECT_THAT(Requests(pods, Created(Form::kTyped, Map({Owner("v1", "Pod", "p")}, ""))), IsEmpty());
}

TEST(EnqueueOwner, AsksTheServerForTheScopeOfAKind) {
  const ControlPlane control_plane;
  const Client client = control_plane.client();
  const auto owned = [](const char* kind) { return Created(Form::kUnstructured, Map({Owner("v1", kind, "owner")})); };
  EXPECT_THAT(Requests(EnqueueOwner(GroupVersionKind{"", "v1", "Pod"}, client), owned("Pod")),
              ElementsAre("default/owner"));
  EXPECT_THAT(Requests(EnqueueOwner(GroupVersionKind{"", "v1", "Node"}, client), owned("Node")), ElementsAre("owner"));
}

TEST(EnqueueOwner, EventsWaitWhileTheScopeIsNotKnown) {
  const ScopedLogCapture quiet;
  InSimulation([] {
    const ControlPlane control_plane;
    const Client client = control_plane.client();
    const Enqueuer<Request> enqueuer = EnqueueOwner(GroupVersionKind{"example.com", "v1", "Widget"}, client);
    RequestQueue<Request> queue;
    StopSource stop;
    const ObjectEvent event = Created(Form::kTyped, Map({Owner("example.com/v1", "Widget", "owner")}));
    {
      Thread watch("watch", [&] {
        RequestSink<Request> sink(queue, {}, 0, stop.token());
        enqueuer(event, sink);
      });
      (void)SleepFor(1min, {});
      EXPECT_EQ(queue.Length(), 0u);
      stop.RequestStop();
      watch.Join();
    }
    EXPECT_EQ(queue.Length(), 0u);
    Thread watch("watch", [&] {
      RequestSink<Request> sink(queue, {});
      enqueuer(event, sink);
    });
    (void)SleepFor(1min, {});
    EXPECT_EQ(queue.Length(), 0u);
    const Result<Unstructured> definition = Unstructured::Parse(R"({
      "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
      "metadata": {"name": "widgets.example.com"},
      "spec": {"group": "example.com", "scope": "Cluster",
               "names": {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"},
               "versions": [{"name": "v1", "served": true, "storage": true,
                             "schema": {"openAPIV3Schema": {"type": "object"}}}]}})");
    ASSERT_TRUE(definition);
    ASSERT_TRUE(client.Create(*definition));
    watch.Join();
    EXPECT_THAT(Drain(queue), ElementsAre("owner: event"));
  });
}

TEST(EnqueueMapped, MapsTheObjectBeforeAndAfterEachRequestOnce) {
  const Enqueuer<Request> enqueuer = EnqueueMapped<corev1::ConfigMap>([](const corev1::ConfigMap& map) {
    std::vector<Request> requests;
    for (const auto& [key, value] : map.data) requests.push_back({"apps", value.str()});
    return requests;
  });
  corev1::ConfigMap before = Map();
  before.data = {{"1", "a"}, {"2", "b"}};
  corev1::ConfigMap now = Map();
  now.data = {{"1", "b"}, {"2", "c"}};
  for (const Form form : {Form::kTyped, Form::kUnstructured}) {
    SCOPED_TRACE(form);
    EXPECT_THAT(Requests(enqueuer, Created(form, now)), UnorderedElementsAre("apps/b", "apps/c"));
    EXPECT_THAT(Requests(enqueuer, Deleted(form, now)), UnorderedElementsAre("apps/b", "apps/c"));
    EXPECT_THAT(Requests(enqueuer, Generic(form, now)), UnorderedElementsAre("apps/b", "apps/c"));
    EXPECT_THAT(Additions(enqueuer, Updated(form, before, now)), UnorderedElementsAre("apps/a", "apps/b", "apps/c"));
    EXPECT_THAT(Additions(enqueuer, Resynced(form, now)), UnorderedElementsAre("apps/b", "apps/c"));
  }
  // Of an object of another kind nothing is made.
  EXPECT_THAT(Requests(EnqueueMapped<corev1::Secret>(
                           [](const corev1::Secret&) { return std::vector<Request>{{"apps", "never"}}; }),
                       Created(Form::kTyped, now)),
              IsEmpty());
}

TEST(EnqueueMapped, MayGiveRequestsOfTheUsersOwn) {
  const Enqueuer<std::string> enqueuer = EnqueueMapped<corev1::ConfigMap, std::string>(
      [](const corev1::ConfigMap& map) { return std::vector<std::string>{"cluster of " + map.metadata.name.str()}; });
  RequestQueue<std::string> queue;
  RequestSink<std::string> sink(queue, {});
  enqueuer(Created(Form::kMetadata, Map()), sink);
  const auto item = queue.TryGet();
  ASSERT_TRUE(item);
  EXPECT_EQ(item->key, "cluster of web");
}

}  // namespace
}  // namespace keelson
