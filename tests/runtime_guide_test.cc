// The C++ of docs/concepts.md and of the tables in docs/from-controller-runtime.md: tools/check-snippets finds every
// piece of their column "Keelson" here. Most of it runs below, in one simulated cluster.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api/v1beta1/generated.h"
#include "keelson/api/apps/v1.h"
#include "keelson/api/autoscaling/v1.h"
#include "keelson/api/compare.h"
#include "keelson/api/conditions.h"
#include "keelson/api/core/v1.h"
#include "keelson/api/finalizers.h"
#include "keelson/api/owner_references.h"
#include "keelson/client/create_or_update.h"
#include "keelson/client/ignore_not_found.h"
#include "keelson/client/kubeconfig.h"
#include "keelson/client/retry_on_conflict.h"
#include "keelson/client/subresources.h"
#include "keelson/codec/diff.h"
#include "keelson/controlplane/control_plane.h"
#include "keelson/core/clock.h"
#include "keelson/core/log.h"
#include "keelson/core/periodic.h"
#include "keelson/core/simulation.h"
#include "keelson/core/thread.h"
#include "keelson/runtime/builder.h"
#include "keelson/runtime/channel_source.h"
#include "keelson/runtime/finalizer_registry.h"
#include "keelson/runtime/function_source.h"
#include "keelson/runtime/timer_source.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;

using app::v1beta1::App;

const ObjectKey key = {.namespace_ = "default", .name = "web"};

App Web() {
  App app;
  app.metadata = {.name = "web", .namespace_ = "default"};
  app.spec = {.image = "web:1", .replicas = 2};
  return app;
}

std::vector<Request> AppsUsing(const corev1::Secret& secret) {
  return {{.namespace_ = secret.metadata.namespace_.str(), .name = secret.metadata.name.str()}};
}

// snippet: readme controller
// Keeps a Deployment for every App.
class AppReconciler {
 public:
  explicit AppReconciler(const ObjectClient& client) : client_(client) {}

  Result<Outcome> Reconcile(Context& context, const Request& request) {
    KEELSON_TRY(app, IgnoreNotFound(client_.Get<App>(request)));  // from the cache
    if (!app) return Outcome::Done();
    appsv1::Deployment wanted{.metadata = {.name = request.name, .namespace_ = request.namespace_}};
    KEELSON_TRY(made, CreateOrUpdate(client_, wanted, [&](appsv1::Deployment& deployment) {
                  const Map<String> labels = {{"app", request.name}};
                  deployment.spec.replicas = app->spec.replicas;
                  deployment.spec.selector = {{.matchLabels = labels}};
                  deployment.spec.template_.metadata.labels = labels;
                  List<corev1::Container>& containers = deployment.spec.template_.spec.containers;
                  if (containers.empty()) containers.push_back({.name = "app"});
                  containers[0].image = app->spec.image;
                  return SetControllerReference(*app, deployment);
                }));
    context.log().Info("Synced", "deployment", ToString(made.change));
    if (app->status.readyReplicas == made.object.status.readyReplicas) return Outcome::Done();
    app->status.readyReplicas = made.object.status.readyReplicas;
    KEELSON_RETURN_IF_ERROR(client_.Status().Update(*app));
    return Outcome::Done();
  }

 private:
  const ObjectClient& client_;
};

int main(int argc, char** argv) {
  Manager manager = Manager::FromFlags(argc, argv).OrExit();
  AppReconciler reconciler(manager.client());
  ControllerFor<App>(manager).Owns<appsv1::Deployment>().Complete(reconciler).OrExit();
  return manager.Run();
}
// end

// What a program's main does.
[[maybe_unused]] int Program(int argc, char** argv, const ClientFlags& flags) {
  Manager manager = Manager::FromFlags(argc, argv).OrExit();
  const ClientConfig config = LoadClientConfig(flags).OrExit();
  Client client = Client::Connect(config).OrExit();
  Manager other = Manager::Make(config, {.controllers = {.workers = 4}}).OrExit();
  ConfigureLogging({.verbosity = 2, .format = LogFormat::kJson});
  return manager.Run();
}

ManagerOptions Options() {
  return {
      .cluster = {.cache = {.resync = 10h, .namespaces = {"default", "shop"}},
                  .client = {.uncached = UncachedRead::kError, .live_kinds = {{"", "Secret"}}}},
      .controllers = {.workers = 4, .reconcile_timeout = 1min, .cache_sync_timeout = 2min},
      .leader_election = LeaderElectionOptions{.namespace_ = "default", .name = "my-operator"},
      .grace_period = 1min,
  };
}

[[maybe_unused]] ManagerOptions MoreOptions() {
  return {
      .leader_election = LeaderElectionOptions{.name = "my-operator",
                                               .lease_duration = 15s,
                                               .renew_deadline = 10s,
                                               .retry_period = 2s,
                                               .release_on_stop = true},
      .metrics = {.bind_address = ":8443", .secure = true, .profiling = true},
      .health = {.bind_address = ":8081"},
  };
}

class Hello final : public HttpHandler {
  void Handle(ServerRequest, std::shared_ptr<ResponseWriter> response) override {
    response->Start(200, {{"Content-Type", "text/plain"}});
    response->Finish();
  }
};

Result<void> Parts(Manager& manager, const Client& far_client, std::shared_ptr<HttpHandler> handler) {
  KEELSON_RETURN_IF_ERROR(manager.Add("cleaner", [](const RunScope& scope) -> Result<void> {
    Until(scope.stop, 1h, [] {});
    return {};
  }));
  KEELSON_RETURN_IF_ERROR(
      manager.Add("every replica", [](const RunScope&) -> Result<void> { return {}; }, RunnableGroup::kOthers));
  KEELSON_RETURN_IF_ERROR(manager.live().mapper().ResourceOf(GvkOf<corev1::Pod>()));
  KEELSON_RETURN_IF_ERROR(manager.AddHealthCheck("disk", [] { return Result<void>(); }));
  KEELSON_RETURN_IF_ERROR(manager.AddReadyCheck("warm", [] { return Result<void>(); }));
  KEELSON_RETURN_IF_ERROR(manager.AddMetricsHandler("/version", handler));
  KEELSON_TRY(syncs, manager.metrics().AddCounter({.name = "syncs_total", .help = "Syncs.", .labels = {"kind"}}));
  syncs.With({"App"}).Increment();
  manager.cache().Configure<corev1::Pod>({.labels = labels::Parse("app=web").value()}, [](corev1::Pod& pod) {
    pod.metadata.managedFields = {};
    return Result<void>();
  });
  const Informer<corev1::Pod> pods = manager.cache().For<corev1::Pod>();
  KEELSON_RETURN_IF_ERROR(pods.AddFieldIndex("spec.nodeName"));
  auto far = std::make_shared<Cluster>(far_client, ClusterOptions{.name = "far"});
  KEELSON_RETURN_IF_ERROR(manager.Add(far));
  return {};
}

Result<void> Calls(const ObjectClient& client) {
  KEELSON_TRY(app, client.Get<App>(key));
  KEELSON_TRY(perhaps, IgnoreNotFound(client.Get<App>(KeyOf(app))));
  if (!perhaps || !Equal(*perhaps, app)) return Error::Internal("it has changed");
  KEELSON_TRY(all, client.List<corev1::Pod>());
  KEELSON_TRY(pods, client.List<corev1::Pod>({.namespace_ = "default",
                                              .labels = labels::Parse("app=web").value(),
                                              .fields = fields::Parse("spec.nodeName=one").value()}));
  KEELSON_TRY(metadata, client.GetMetadata<App>(key));
  KEELSON_TRY(dynamic, client.Get(GroupVersionKind{"ingress.example.com", "v1beta1", "App"}, key));
  corev1::ConfigMap map{.metadata = {.name = "settings", .namespace_ = "default"}};
  KEELSON_TRY(created, client.Create(map, {.dry_run = true}));
  map.data = {{"a", "b"}};
  KEELSON_TRY(applied, client.Apply(map, {.field_manager = "my-operator", .force = true}));
  KEELSON_TRY(updated, client.Update(applied));
  App after = app;  // a copy: the first write to it clones
  after.spec.replicas = 3;
  KEELSON_TRY(patch, Patch::From(app, after, {.optimistic_lock = true}));
  KEELSON_TRY(patched, client.Patch<App>(key, patch));
  patched.status.readyReplicas = 1;
  KEELSON_TRY(reported, client.Status().Update(patched));
  KEELSON_TRY(scale, (client.GetSubresource<appsv1::Deployment, autoscalingv1::Scale>(key, "scale")));
  KEELSON_RETURN_IF_ERROR(RetryOnConflict([&]() -> Result<App> {
    KEELSON_TRY(again, client.Get<App>(key));
    again.metadata.labels.Set("tried", "yes");
    return client.Update(again);
  }));
  KEELSON_RETURN_IF_ERROR(client.Delete(updated, {.uid = updated.metadata.uid.str()}));
  KEELSON_RETURN_IF_ERROR(IgnoreNotFound(client.Delete<corev1::ConfigMap>(key)));
  KEELSON_RETURN_IF_ERROR(client.DeleteAllOf<corev1::Pod>({.namespace_ = "default"}));
  return {};
}

Result<void> Helpers(const ObjectClient& client, App app) {
  corev1::ConfigMap map{.metadata = {.name = "web", .namespace_ = "default"}};
  KEELSON_RETURN_IF_ERROR(SetControllerReference(app, map));
  KEELSON_RETURN_IF_ERROR(SetOwnerReference(app, map));
  if (!HasOwnerReference(app, map)) return Error::Internal("no owner");
  if (!AddFinalizer(app, "example.com/cleanup") || !HasFinalizer(app, "example.com/cleanup"))
    return Error::Internal("none");
  RemoveFinalizer(app, "example.com/cleanup");
  if (IsBeingDeleted(app)) return Error::Internal("deleted");
  KEELSON_TRY(outcome, CreateOrPatch(client, map, [&](corev1::ConfigMap& map) { map.data = {{"a", "b"}}; }));
  std::vector<metav1::Condition> conditions;
  SetStatusCondition(conditions,
                     {.type = "Ready", .status = kConditionTrue, .reason = "Synced", .message = "all is well"});
  if (!IsStatusConditionTrue(conditions, "Ready")) return Error::Internal("not ready");
  return {};
}

Result<std::optional<Outcome>> Finalizers(Context& context, const ObjectClient& client, App app) {
  FinalizerRegistry<App> finalizers;
  KEELSON_RETURN_IF_ERROR(finalizers.Register("example.com/bucket", [](Context&, App&) { return Result<void>(); }));
  return finalizers.Finalize(context, client, app);
}

Enqueuer<> EnqueueTwice() {
  return [](const ObjectEvent& event, RequestSink<Request>& sink) {
    sink.Add({event.namespace_().str(), event.name().str()});
    sink.AddAfter({event.namespace_().str(), event.name().str()}, 1h);
  };
}

Result<void> Controllers(Manager& manager, AppReconciler& reconciler, Cluster& far,
                         const std::shared_ptr<EventChannel<App>>& reloads) {
  KEELSON_TRY(controller,
              ControllerFor<App>(manager)
                  .Owns<appsv1::Deployment>({.predicate = ResourceVersionChanged()})
                  .Owns<corev1::Pod>({.metadata_only = true})
                  .Watches<corev1::Secret>(EnqueueMapped<corev1::Secret>(AppsUsing))
                  .Watches<corev1::Service>(EnqueueOwner<App>({.any_owner = true}))
                  .Watches<App>(EnqueueSelf(), {.cluster = &far})
                  .WatchesRaw(ChannelSource<Request>::Make(reloads, EnqueueSelf()))
                  .WatchesRaw(TimerSource<Request>::Make("hourly", 1h, [] { return std::vector<Request>{key}; }))
                  .Watches<corev1::ServiceAccount>(EnqueueTwice())
                  .WatchesRaw(FunctionSource<Request>::Make("by hand", {}))
                  .WithEventFilter(GenerationChanged() || LabelChanged() || AnnotationChanged())
                  .WithOptions({.workers = 2, .reconcile_timeout = 1min})
                  .WithRateLimiter(std::make_unique<ExponentialRateLimiter<Request>>(1s, 5min))
                  .Named("apps")
                  .Complete(reconciler));
  controller->queue().Add(key, {.priority = 10});
  return {};
}

[[maybe_unused]] ControllerOptions RareOptions() {
  return {.recover = false, .low_priority_for_unchanged = false, .needs_leader = false};
}

[[maybe_unused]] std::vector<Predicate> Predicates() {
  return {
      FinalizerOrDeletionChanged(),
      GenerationChanged() && !LabelChanged(),
      LabelsMatch(labels::Parse("app=web").value()),
      Predicate::Of<corev1::Pod>([](const corev1::Pod& pod) { return pod.spec.nodeName == "one"; }),
      Predicate::OnUpdate<corev1::Pod>(
          [](const corev1::Pod& old, const corev1::Pod& pod) { return old.status.phase != pod.status.phase; }),
      Predicate::OnDelete<corev1::Pod>([](const corev1::Pod&) { return false; }),
  };
}

[[maybe_unused]] Result<Outcome> Outcomes(Context& context, int which, const Error& error) {
  context.log().V(1).Info("Reconciling", "attempt", context.attempt(), "id", context.id());
  for (const Cause& cause : context.causes()) context.log().Info("Because", "cause", cause);
  if (which == 1) return Outcome::Done();
  if (which == 2) return Outcome::After(30s);
  if (which == 3) return Outcome::Retry();
  if (which == 4) return Terminal(error);
  if (which == 5) (void)SleepFor(1s, context.stop());
  return error;
}

// A request of one's own.
struct Shard {
  int number = 0;
  friend bool operator==(const Shard&, const Shard&) = default;
};
std::string ToString(const Shard& shard) { return std::to_string(shard.number); }

}  // namespace
}  // namespace keelson

template <>
struct std::hash<keelson::Shard> {
  size_t operator()(const keelson::Shard& shard) const { return static_cast<size_t>(shard.number); }
};

namespace keelson {
namespace {

Result<void> Shards(Manager& manager, std::vector<int>& seen) {
  KEELSON_TRY(controller,
              NewController<Shard>(manager, "shards")
                  .WatchesRaw(TimerSource<Shard>::Make("hourly", 1h, [] { return std::vector<Shard>{{1}, {2}}; }))
                  .Watches<App>([](const ObjectEvent& event, RequestSink<Shard>& sink) {
                    sink.Add({.number = static_cast<int>(event.name().size())});
                  })
                  .Complete([&](Context&, const Shard& shard) -> Result<Outcome> {
                    seen.push_back(shard.number);
                    return Outcome::Done();
                  }));
  return {};
}

Result<void> Tell(Manager& manager, const App& app) {
  const EventRecorder events = manager.RecorderFor("apps");
  const EventRecorder newer = manager.RecorderFor("apps", {.api = EventApi::kEvents});
  newer.Event(app, EventType::kNormal, "Synced", "by events.k8s.io", {.action = "Sync"});
  events.Eventf(app, EventType::kNormal, "Synced", "{} replicas", 3);
  return {};
}

Result<void> OfTheServer(const Client& client) {
  const Client shop = client.Scope("default");
  KEELSON_TRY(pods, shop.List<corev1::Pod>());
  KEELSON_TRY(watch, client.Watch<corev1::Pod>({.namespace_ = "default"}));
  return {};
}

[[maybe_unused]] void Lines(const Logger& log, const std::string& name, const Error& error) {
  log.Info("Synced", "name", name);
  log.V(2).Info("Cache hit", "key", key.ToString());
  const Logger pod_log = log.WithValues("pod", name);
  log.Error(error, "Failed");
}

void InCluster(const std::function<void(const Client& client)>& body) {
  const ScopedLogCapture quiet;
  Simulation simulation({.seed = 1});
  const Result<void> run = simulation.Run([&] {
    auto control_plane = ControlPlane::Start({.crds = {APP_CRDS}}).value();
    body(control_plane->client());
  });
  ASSERT_TRUE(run) << run.error().message();
}

// A manager until the end of its scope.
class Running {
 public:
  explicit Running(Manager& manager)
      : thread_("manager", [&manager](const StopToken& stop) {
          const Result<void> end = manager.Run(stop);
          EXPECT_TRUE(end) << end.error().message();
        }) {}

 private:
  const Thread thread_;
};

TEST(RuntimeGuide, TheControllerOfTheReadmeKeepsADeployment) {
  InCluster([](const Client& client) {
    Manager manager = Manager::Make(client).value();
    AppReconciler reconciler(manager.client());
    ControllerFor<App>(manager).Owns<appsv1::Deployment>().Complete(reconciler).value();
    const Running running(manager);
    client.Create(Web()).value();
    (void)SleepFor(1min, {});
    appsv1::Deployment deployment = client.Get<appsv1::Deployment>(key).value();
    EXPECT_EQ(deployment.spec.replicas, 2);
    EXPECT_EQ(deployment.spec.template_.spec.containers[0].image, "web:1");
    const std::string settled = deployment.metadata.resourceVersion.str();
    (void)SleepFor(1h, {});
    EXPECT_EQ(client.Get<appsv1::Deployment>(key)->metadata.resourceVersion, settled);

    deployment.status.replicas = 2;
    deployment.status.readyReplicas = 2;
    client.Status().Update(deployment).value();
    (void)SleepFor(1min, {});
    EXPECT_EQ(client.Get<App>(key)->status.readyReplicas, 2);
  });
}

TEST(RuntimeGuide, TheProgramOfTheReadmeSaysWhatItLacks) {
  std::string program = "app-controller", flag = "--kubeconfig", file = "/nowhere/kubeconfig";
  char* arguments[] = {program.data(), flag.data(), file.data()};
  EXPECT_EXIT(main(3, arguments), testing::ExitedWithCode(1), "/nowhere/kubeconfig");
}

TEST(RuntimeGuide, ClientsOfServersAndCachesTakeTheSameCalls) {
  InCluster([](const Client& client) {
    client.Create(Web()).value();
    Manager manager = Manager::Make(client).value();
    const auto held = manager.cache().For<App>();
    const Running running(manager);
    ASSERT_EQ(held.WaitForSync({}), Wake::kReady);
    AppReconciler reconciler(client);
    Context context;
    ASSERT_TRUE(reconciler.Reconcile(context, key));
    for (const ObjectClient* one : std::initializer_list<const ObjectClient*>{&client, &manager.client()}) {
      const Result<void> called = Calls(*one);
      EXPECT_TRUE(called) << called.error().message();
    }
    EXPECT_TRUE(OfTheServer(client));
    const Result<void> helped = Helpers(client, client.Get<App>(key).value());
    EXPECT_TRUE(helped) << helped.error().message();
    EXPECT_TRUE(Tell(manager, Web()));
    const auto finalized = Finalizers(context, client, client.Get<App>(key).value());
    ASSERT_TRUE(finalized) << finalized.error().message();
    EXPECT_FALSE(*finalized) << "it lives";
    EXPECT_TRUE(HasFinalizer(*client.Get<App>(key), "example.com/bucket"));
  });
}

TEST(RuntimeGuide, AManagerTakesAllTheseParts) {
  InCluster([](const Client& client) {
    Manager manager = Manager::Make(client, Options()).value();
    const Result<void> parts = Parts(manager, client, std::make_shared<Hello>());
    EXPECT_TRUE(parts) << parts.error().message();
    AppReconciler reconciler(manager.client());
    auto far = std::make_shared<Cluster>(client, ClusterOptions{.name = "farther"});
    ASSERT_TRUE(manager.Add(far));
    auto reloads = std::make_shared<EventChannel<App>>("reload");
    const Result<void> controllers = Controllers(manager, reconciler, *far, reloads);
    EXPECT_TRUE(controllers) << controllers.error().message();
    std::vector<int> shards;
    ASSERT_TRUE(Shards(manager, shards));
    {
      const Running running(manager);
      client.Create(Web()).value();
      (void)SleepFor(90min, {});
      EXPECT_TRUE(manager.leading());
      EXPECT_TRUE(manager.elected().StopRequested());
    }
    EXPECT_TRUE(client.Get<appsv1::Deployment>(key));
    EXPECT_THAT(shards, testing::UnorderedElementsAre(1, 2, 3));
  });
}

}  // namespace
}  // namespace keelson
