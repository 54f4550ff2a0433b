// Runs a program's controllers and all that they need, and ends them in good order.
//
//   int main(int argc, char** argv) {
//     Manager manager = Manager::FromFlags(argc, argv).OrExit();
//     AppReconciler reconciler(manager.client());
//     ControllerFor<App>(manager).Owns<appsv1::Deployment>().Complete(reconciler).OrExit();
//     return manager.Run();
//   }
//
//   Manager manager = Manager::Make(control_plane.client()).value();       // in a test
//   Thread running("manager", [&](const StopToken& stop) { result = manager.Run(stop); });
//
// Order of start: servers, caches, what runs in every replica, then, once this replica leads, the rest. The end is in
// the reverse order: asked to stop, a manager is no longer ready (/readyz), starts nothing new, lets reconciles under
// way finish for the grace period, gives up the lease, writes the events that were told, and closes its servers. When a
// part fails, all end, and Run gives that error.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/client/config.h"
#include "keelson/core/metrics.h"
#include "keelson/core/result.h"
#include "keelson/runtime/cluster.h"
#include "keelson/runtime/controller.h"
#include "keelson/runtime/health_server.h"
#include "keelson/runtime/leader_election.h"
#include "keelson/runtime/metrics_server.h"
#include "keelson/runtime/runnable.h"

namespace keelson {

struct ManagerOptions {
  ClientOptions client = {};           // of clients that are made from a configuration
  ClusterOptions cluster = {};         // caches, client, events
  ControllerOptions controllers = {};  // of controllers that say nothing else
  // Not led by anybody when there is none. Its name is the Lease's and needed; its namespace is the pod's where the
  // program runs in one.
  std::optional<LeaderElectionOptions> leader_election = {};
  MetricsServerOptions metrics = {};  // no server unless it has an address
  HealthServerOptions health = {};    // the same
  // How long reconciles and other work may take to finish at the end; negative: as long as it takes. What takes longer
  // is told to give up, and Run gives kTimeout.
  Duration grace_period = std::chrono::seconds(30);
  // -v from which it is said that controllers and the manager itself start and end.
  int log_verbosity = 0;
  // What Run does about work that has not ended five seconds after it was told to give up: say in the log which, and
  // exit the process with status 1. False: wait for it. FromFlags sets it.
  bool exit_when_stuck = false;
};

// Movable; thread-safe but for that and for Run.
class Manager {
 public:
  // By the flags of a command line (manager_flags.h), which prints its help and exits when asked to. Connects to no
  // server yet. `options` are what flags change.
  static Result<Manager> FromFlags(int argc, char** argv, ManagerOptions options = {});
  static Result<Manager> Make(const ClientConfig& config, ManagerOptions options = {});
  // With a client that is there already: of a control plane in this process.
  static Result<Manager> Make(Client client, ManagerOptions options = {});
  ~Manager();
  Manager(Manager&&) noexcept;
  Manager& operator=(Manager&&) noexcept;

  // What controllers use. With leader election its writes fail unless this replica leads.
  const CachedClient& client() const;
  // Reads from the server; writes as client() does.
  const Client& live() const;
  // For what writes in every replica. Reads from the server.
  const Client& unfenced() const;
  Cluster& cluster();
  InformerFactory& cache() { return cluster().cache(); }
  EventRecorder RecorderFor(std::string_view controller, const EventRecorderOptions& options = {}) {
    return cluster().RecorderFor(controller, options);
  }
  MetricRegistry& metrics();
  const ManagerOptions& options() const;
  // What flags left of the command line, in order.
  const std::vector<std::string>& arguments() const;

  // Before or after the start; after it, it starts at once, or with the leadership. An error when the manager has been
  // stopped. Who adds by reference keeps it alive until Run has returned.
  Result<void> Add(std::shared_ptr<Runnable> runnable);
  Result<void> Add(Runnable& runnable);
  Result<void> Add(std::string name, std::function<Result<void>(const RunScope& scope)> run,
                   RunnableGroup group = RunnableGroup::kLeader);
  // Names of controllers are different: metrics and logs tell them apart by it. kAlreadyExists when it is taken.
  Result<void> ClaimControllerName(const std::string& name);

  // A check of /healthz or /readyz, and of /healthz/<name>. An error when the name is taken.
  Result<void> AddHealthCheck(std::string name, HealthCheck check);
  Result<void> AddReadyCheck(std::string name, HealthCheck check);
  // Another path of the metrics server; before it runs.
  Result<void> AddMetricsHandler(std::string path, std::shared_ptr<HttpHandler> handler);

  // Until stop, or until a part fails: "controller app: …". Of several errors the first counts, and the others are
  // logged. An error that says who holds the lease now, or kTimeout, when the leadership is lost. Once.
  Result<void> Run(const StopToken& stop);
  // The same for main(): SIGINT and SIGTERM stop it, a second one exits at once. Gives the exit status, and has logged
  // the reason when that is not 0.
  int Run();

  // Requested once this replica leads, or once the leader's group starts where there is no election.
  StopToken elected() const;
  bool leading() const;
  uint16_t metrics_port() const;  // 0: it does not listen
  uint16_t health_port() const;

 private:
  class Impl;
  explicit Manager(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace keelson
