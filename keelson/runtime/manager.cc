#include "keelson/runtime/manager.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <set>
#include <utility>

#include "keelson/client/kubeconfig.h"
#include "keelson/client/transport_family.h"
#include "keelson/core/log.h"
#include "keelson/core/log_flags.h"
#include "keelson/core/mutex.h"
#include "keelson/core/signals.h"
#include "keelson/core/thread.h"
#include "keelson/runtime/leadership_fence.h"
#include "keelson/runtime/manager_flags.h"
#include "keelson/runtime/run_groups.h"

namespace keelson {

namespace {

using Fence = std::shared_ptr<const LeadershipFence>;

// How a manager reaches its server.
struct Ways {
  std::unique_ptr<MetricRegistry> registry;
  Client plain;
  Client election;  // waits for no rate limit: a renewal that comes late is a lease lost
  std::function<Client(Fence fence)> fenced;
};

TransportWrapper Behind(Fence fence) {
  return [fence = std::move(fence)](std::shared_ptr<Transport> inner) {
    return std::make_shared<FencedTransport>(std::move(inner), fence);
  };
}

class FunctionRunnable final : public Runnable {
 public:
  FunctionRunnable(std::string name, RunnableGroup group, std::function<Result<void>(const RunScope& scope)> run)
      : name_(std::move(name)), group_(group), run_(std::move(run)) {}

  std::string name() const override { return name_; }
  RunnableGroup group() const override { return group_; }
  Result<void> Run(const RunScope& scope) override { return run_(scope); }

 private:
  const std::string name_;
  const RunnableGroup group_;
  const std::function<Result<void>(const RunScope& scope)> run_;
};

// Of somebody who keeps it alive.
std::shared_ptr<Runnable> Borrowed(Runnable& runnable) { return {std::shared_ptr<Runnable>(), &runnable}; }

// Where the Lease is when nobody says it.
Result<std::string> LeaseNamespace(const Client& client) {
  if (!client.scoped_namespace().empty()) return client.scoped_namespace();
  if (std::optional<std::string> own = PodNamespace()) return *std::move(own);
  return Error::InvalidArgument(
      "leader election: in which namespace the Lease is cannot be told outside of a pod: say it by "
      "--leader-election-namespace, or in LeaderElectionOptions::namespace_");
}

}  // namespace

class Manager::Impl {
 public:
  static Result<std::unique_ptr<Impl>> Make(Ways ways, ManagerOptions options) {
    std::unique_ptr<Impl> impl(new Impl(std::move(ways), std::move(options)));
    KEELSON_RETURN_IF_ERROR(impl->Prepare());
    return impl;
  }

  Result<void> Run(const StopToken& stop);

  Result<void> ClaimControllerName(const std::string& name) {
    MutexLock lock(mutex_);
    if (controllers_.insert(name).second) return {};
    return Error::AlreadyExists(fmt::format(
        "there is a controller named \"{}\" already: metrics and logs tell them apart by it, so give one another name",
        name));
  }

  bool leading() const {
    if (elector_ != nullptr) return elector_->IsLeader();
    return elected_.StopRequested() && !groups_.ending().StopRequested();
  }

  ManagerOptions options_;
  std::vector<std::string> arguments_;
  const std::unique_ptr<MetricRegistry> registry_;
  const Client plain_;
  const Client election_;
  const std::function<Client(Fence fence)> make_fenced_;
  std::unique_ptr<LeaderElector> elector_;  // where there is an election
  std::unique_ptr<Cluster> cluster_;
  HealthServer health_;
  MetricsServer metrics_;
  const StopSource elected_;
  RunGroups groups_;

 private:
  Impl(Ways ways, ManagerOptions options)
      : options_(std::move(options)),
        registry_(std::move(ways.registry)),
        plain_(std::move(ways.plain)),
        election_(std::move(ways.election)),
        make_fenced_(std::move(ways.fenced)),
        health_(options_.health),
        metrics_(options_.metrics, *registry_, plain_),
        groups_({.grace_period = options_.grace_period,
                 .exit_when_stuck = options_.exit_when_stuck,
                 .log_verbosity = options_.log_verbosity}) {}

  Result<void> Prepare();
  Result<void> PrepareElection();
  void StartLeaders() {
    if (groups_.ending().StopRequested()) return;
    elected_.RequestStop();
    groups_.StartLeaders();
  }
  // A term as a candidate and, perhaps, a leader.
  void Elect(const StopToken& stop);

  std::atomic<bool> ran_ = false;
  Mutex mutex_{"manager"};
  std::set<std::string> controllers_;  // guarded by mutex_
};

Result<void> Manager::Impl::Prepare() {
  KEELSON_TRY(event_metrics, EventMetrics::Create(*registry_));
  options_.cluster.events.metrics = event_metrics;
  std::optional<Client> writer;
  if (options_.leader_election) {
    KEELSON_RETURN_IF_ERROR(PrepareElection());
    writer = make_fenced_(elector_->fence());
  }
  cluster_ = std::make_unique<Cluster>(plain_, options_.cluster, writer);
  KEELSON_RETURN_IF_ERROR(health_.ready().Add("shutdown", [this]() -> Result<void> {
    if (groups_.ending().StopRequested()) return Error::Cancelled("the manager is stopping");
    return {};
  }));
  if (elector_ != nullptr) {
    KEELSON_RETURN_IF_ERROR(health_.live().Add("leaderElection", [this] { return elector_->CheckHealth(); }));
  }
  KEELSON_RETURN_IF_ERROR(groups_.Add(Borrowed(health_)));
  KEELSON_RETURN_IF_ERROR(groups_.Add(Borrowed(metrics_)));
  return groups_.Add(Borrowed(*cluster_));
}

Result<void> Manager::Impl::PrepareElection() {
  LeaderElectionOptions& options = *options_.leader_election;
  if (options.name.empty()) {
    return Error::InvalidArgument(
        "leader election: the Lease needs a name that no other program has: say it by --leader-election-id, or in "
        "LeaderElectionOptions::name");
  }
  if (options.namespace_.empty()) {
    KEELSON_TRY(found, LeaseNamespace(plain_));
    options.namespace_ = std::move(found);
  }
  KEELSON_TRY(metrics, LeaderElectionMetrics::Create(*registry_, options.name));
  options.metrics = metrics;
  LeaderElectionOptions with_events = options;
  with_events.on_event = [this](const coordinationv1::Lease& lease, std::string_view message) {
    cluster_->RecorderFor(elector_->identity()).Event(lease, EventType::kNormal, "LeaderElection", message);
    if (options_.leader_election->on_event) options_.leader_election->on_event(lease, message);
  };
  KEELSON_TRY(elector, LeaderElector::Make(election_, std::move(with_events)));
  elector_ = std::move(elector);
  options.identity = elector_->identity();
  return {};
}

Result<void> Manager::Impl::Run(const StopToken& stop) {
  if (ran_.exchange(true)) return Error::InvalidArgument("a manager runs once: make another one");
  const StopCallback by_caller(stop, [this] { groups_.AskToEnd(); });
  groups_.Start();
  const StopSource end_election;
  Thread election;
  if (elector_ == nullptr) {
    StartLeaders();
  } else if (!groups_.ending().StopRequested()) {
    election = Thread("leader election", [&] { Elect(end_election.token()); });
  }
  groups_.AwaitEnd();
  // The lease is kept until the leader's work is done, given up before the caches end (the events that say so are
  // written with the others), and thus soon taken by the next.
  end_election.RequestStop();
  groups_.StopWork();
  election.Join();
  groups_.StopRest();
  return groups_.result();
}

void Manager::Impl::Elect(const StopToken& stop) {
  const Result<void> end =
      elector_->Run(stop, {.on_started = [this](const Leadership& leading) {
                      const StopCallback on_loss(leading.lost, [this] { groups_.LoseLeadership(); });
                      StartLeaders();
                      groups_.WaitForLeaders();
                    }});
  if (!end) groups_.Fail(Error(end.error()).WithContext("leader election"), true);
}

Result<Manager> Manager::Make(Client client, ManagerOptions options) {
  Ways ways{.registry = std::make_unique<MetricRegistry>(),
            .plain = client,
            .election = client,
            .fenced = [client](Fence fence) { return client.Over(Behind(std::move(fence))); }};
  KEELSON_TRY(impl, Impl::Make(std::move(ways), std::move(options)));
  return Manager(std::move(impl));
}

Result<Manager> Manager::Make(const ClientConfig& given, ManagerOptions options) {
  auto registry = std::make_unique<MetricRegistry>();
  ClientConfig config = given;
  config.metrics = registry.get();
  KEELSON_TRY(family, TransportFamily::Connect(config));
  const ClientOptions client_options = options.client;
  Client plain(family.NewTransport(), client_options);
  Client election = plain;
  if (options.leader_election && config.qps > 0) {
    config.qps = 0;
    KEELSON_TRY(unlimited, TransportFamily::Connect(config));
    election = Client(unlimited.NewTransport(), client_options);
  }
  Ways ways{.registry = std::move(registry),
            .plain = std::move(plain),
            .election = std::move(election),
            .fenced = [family, client_options](Fence fence) {
              return Client(family.NewTransport(Behind(std::move(fence))), client_options);
            }};
  KEELSON_TRY(impl, Impl::Make(std::move(ways), std::move(options)));
  return Manager(std::move(impl));
}

Result<Manager> Manager::FromFlags(int argc, char** argv, ManagerOptions options) {
  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  KEELSON_TRY(log, TakeLogFlags(arguments));
  options.exit_when_stuck = true;
  KEELSON_TRY(flags, ParseManagerFlags(arguments, options));
  const std::string_view path = argc > 0 ? argv[0] : "program";
  const std::string_view program = path.substr(path.rfind('/') + 1);
  if (flags.help) {
    fmt::print("{}", ManagerFlagsUsage(program, options));
    std::exit(0);
  }
  std::optional<LeaderElectionOptions>& election = flags.options.leader_election;
  if (election && election->name.empty()) election->name = program;
  KEELSON_RETURN_IF_ERROR(StartLogging(log));
  KEELSON_TRY(config, LoadClientConfig(flags.client));
  if (flags.qps) config.qps = *flags.qps;
  if (flags.burst) config.burst = *flags.burst;
  KEELSON_TRY(manager, Make(config, std::move(flags.options)));
  manager.impl_->arguments_ = std::move(flags.arguments);
  return manager;
}

Manager::Manager(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Manager::~Manager() = default;
Manager::Manager(Manager&&) noexcept = default;
Manager& Manager::operator=(Manager&&) noexcept = default;

const CachedClient& Manager::client() const { return impl_->cluster_->client(); }
const Client& Manager::live() const { return impl_->cluster_->live(); }
const Client& Manager::unfenced() const { return impl_->plain_; }
Cluster& Manager::cluster() { return *impl_->cluster_; }
MetricRegistry& Manager::metrics() { return *impl_->registry_; }
const ManagerOptions& Manager::options() const { return impl_->options_; }
const std::vector<std::string>& Manager::arguments() const { return impl_->arguments_; }

Result<void> Manager::Add(std::shared_ptr<Runnable> runnable) {
  if (runnable == nullptr) return Error::InvalidArgument("there is no runnable to add: the pointer is null");
  return impl_->groups_.Add(std::move(runnable));
}

Result<void> Manager::Add(Runnable& runnable) { return Add(Borrowed(runnable)); }

Result<void> Manager::Add(std::string name, std::function<Result<void>(const RunScope& scope)> run,
                          RunnableGroup group) {
  return Add(std::make_shared<FunctionRunnable>(std::move(name), group, std::move(run)));
}

Result<void> Manager::ClaimControllerName(const std::string& name) { return impl_->ClaimControllerName(name); }

Result<void> Manager::AddHealthCheck(std::string name, HealthCheck check) {
  return impl_->health_.live().Add(std::move(name), std::move(check));
}
Result<void> Manager::AddReadyCheck(std::string name, HealthCheck check) {
  return impl_->health_.ready().Add(std::move(name), std::move(check));
}
Result<void> Manager::AddMetricsHandler(std::string path, std::shared_ptr<HttpHandler> handler) {
  return impl_->metrics_.AddHandler(std::move(path), std::move(handler));
}

Result<void> Manager::Run(const StopToken& stop) { return impl_->Run(stop); }

int Manager::Run() {
  const StopSignals signals;
  const Result<void> end = Run(signals.token());
  if (end) return 0;
  Logger("manager").Error(end.error(), "Ended by an error");
  return 1;
}

StopToken Manager::elected() const { return impl_->elected_.token(); }
bool Manager::leading() const { return impl_->leading(); }
uint16_t Manager::metrics_port() const { return impl_->metrics_.port(); }
uint16_t Manager::health_port() const { return impl_->health_.port(); }

}  // namespace keelson
