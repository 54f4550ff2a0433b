// Measures an operator: the whole of a small one, and how quickly a controller goes through requests. bench/peers/go/operator
// and bench/peers/rust/operator do the same on controller-runtime and kube-rs; bench/operator/run runs all three in turn.
//
//   bench-operator --kubeconfig FILE [--n 2000] [--workers 8] [--idle] [--protobuf]
//   bench-operator --kubeconfig FILE --noop 200000 [--workers 8]
//   bench-operator --kubeconfig FILE --reset [--n 2000]
//   bench-operator --kubeconfig FILE --server-time
//
// A Widget gets a ConfigMap of its name with its value, owned by it; then its phase is Ready. When the cache shows N
// Widgets as Ready, "converged n=… wall_s=… cpu_s=… reconciles=… errors=… first_reconcile_ms=… rss_kb=… peak_kb=…" is
// printed. With --idle the manager then stays until its input ends, and "idle anonymous_kb=… rss_kb=…" is its memory.
// --noop reconciles so many requests that are in the queue before the workers start, and does nothing for each.
// --reset makes N new Widgets and deletes what was there. --server-time is how long the server takes for the two lists
// that the operator begins with.
//
// Times are since the environment's STARTED (seconds since 1970), so that loading the program counts.
#include <sys/resource.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/v1/generated.h"
#include "api/v1/widget.h"
#include "keelson/api/core/v1.h"
#include "keelson/api/owner_references.h"
#include "keelson/client/create_or_update.h"
#include "keelson/client/kubeconfig.h"
#include "keelson/core/clock.h"
#include "keelson/core/semaphore.h"
#include "keelson/core/thread.h"
#include "keelson/runtime/builder.h"
#include "keelson/runtime/function_source.h"
#include "keelson/runtime/manager.h"

namespace keelson {
namespace {

using bench::v1::Widget;

constexpr const char* kNamespace = "widgets";

struct Arguments {
  std::string kubeconfig;
  int n = 2000;
  int workers = 8;
  int noop = 0;
  bool idle = false;
  bool protobuf = false;  // for ConfigMaps; else JSON as for Widgets
  bool reset = false;
  bool server_time = false;
};

double SecondsSinceStart() {
  using Seconds = std::chrono::duration<double>;
  static const double started = [] {
    const char* given = std::getenv("STARTED");
    return given != nullptr ? std::atof(given) : Seconds(Clock::WallNow().time_since_epoch()).count();
  }();
  return Seconds(Clock::WallNow().time_since_epoch()).count() - started;
}

double CpuSeconds() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

long Kilobytes(const char* path, std::string_view name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(name)) return std::strtol(line.c_str() + name.size(), nullptr, 10);
  }
  return 0;
}
long Resident() { return Kilobytes("/proc/self/status", "VmRSS:"); }

class WidgetReconciler {
 public:
  WidgetReconciler(const ObjectClient& client, int wanted) : client_(client), wanted_(wanted) {}

  Result<Outcome> Reconcile(Context&, const Request& request) {
    if (reconciles_++ == 0) first_ = SecondsSinceStart();
    Result<Outcome> outcome = Ensure(request);
    if (!outcome) ++errors_;
    return outcome;
  }
  // Waits until all are Ready.
  void WaitAndPrint() {
    MutexLock lock(mutex_);
    changed_.Wait(lock, [&] { return ready_.size() == wanted_; });
    std::printf(
        "converged n=%zu wall_s=%.3f cpu_s=%.3f reconciles=%ld errors=%ld first_reconcile_ms=%.1f rss_kb=%ld "
        "peak_kb=%ld\n",
        wanted_, SecondsSinceStart(), CpuSeconds(), reconciles_.load(), errors_.load(), 1e3 * first_.load(), Resident(),
        Kilobytes("/proc/self/status", "VmHWM:"));
    std::fflush(stdout);
  }

 private:
  Result<Outcome> Ensure(const Request& request) {
    Result<Widget> widget = client_.Get<Widget>(request);
    if (!widget) return IsNotFound(widget.error()) ? Result<Outcome>(Outcome::Done()) : widget.error();
    KEELSON_RETURN_IF_ERROR(
        CreateOrUpdate(client_, corev1::ConfigMap{.metadata = {.name = request.name, .namespace_ = request.namespace_}},
                       [&](corev1::ConfigMap& settings) {
                         settings.data = {{"value", widget->spec.value}};
                         return SetControllerReference(*widget, settings);
                       }));
    if (widget->status.phase != "Ready") {
      widget->status.phase = "Ready";
      KEELSON_RETURN_IF_ERROR(client_.Status().Update(*widget));
      return Outcome::Done();
    }
    MutexLock lock(mutex_);
    if (ready_.insert(request.name).second && ready_.size() == wanted_) changed_.NotifyAll();
    return Outcome::Done();
  }

  const ObjectClient& client_;
  const size_t wanted_;
  std::atomic<long> reconciles_ = 0;
  std::atomic<long> errors_ = 0;
  std::atomic<double> first_ = 0;
  Mutex mutex_{"widgets"};
  CondVar changed_;
  std::set<std::string> ready_;
};

ClientConfig ConfigOf(const Arguments& arguments) {
  return LoadClientConfig({.kubeconfig = arguments.kubeconfig}).OrExit();
}

// Calls a function with the manager running.
void WhileRunning(Manager& manager, const std::function<void()>& watch) {
  Thread running("manager", [&](const StopToken& stop) { manager.Run(stop).OrExit(); });
  watch();
}

void Operate(const Arguments& arguments) {
  ManagerOptions options;
  if (arguments.protobuf) options.client.content_type = ContentType::kProtobuf;
  Manager manager = Manager::Make(ConfigOf(arguments), options).OrExit();
  WidgetReconciler reconciler(manager.client(), arguments.n);
  ControllerFor<Widget>(manager)
      .Owns<corev1::ConfigMap>()
      .WithOptions({.workers = arguments.workers})
      .Complete(reconciler)
      .OrExit();
  WhileRunning(manager, [&] {
    reconciler.WaitAndPrint();
    if (!arguments.idle) return;
    (void)SleepFor(std::chrono::seconds(3), {});
    std::printf("idle anonymous_kb=%ld rss_kb=%ld\n", Kilobytes("/proc/self/smaps_rollup", "Anonymous:"), Resident());
    std::fflush(stdout);
    std::string rest;
    while (std::getline(std::cin, rest)) {
    }
  });
}

void DoNothing(const Arguments& arguments) {
  Manager manager = Manager::Make(ConfigOf(arguments)).OrExit();
  const long wanted = arguments.noop;
  std::atomic<long> done = 0;
  std::atomic<double> began = 0;
  double cpu_before = 0;
  Semaphore finished(0);
  const auto fill = [&](RequestQueue<Request>& queue, const StopToken&) -> Result<void> {
    char name[32];
    for (long i = 0; i < wanted; ++i) {
      std::snprintf(name, sizeof name, "widget-%06ld", i);
      queue.Add({.namespace_ = "default", .name = name});
    }
    cpu_before = CpuSeconds();
    return {};
  };
  NewController(manager, "noop")
      .WatchesRaw(FunctionSource<Request>::Make("prepared requests", {.start = fill}))
      .WithOptions({.workers = arguments.workers})
      .Complete([&](Context&, const Request&) -> Result<Outcome> {
        const long count = ++done;
        if (count == 1) began = SecondsSinceStart();
        if (count == wanted) finished.Release();
        return Outcome::Done();
      })
      .OrExit();
  WhileRunning(manager, [&] {
    (void)finished.Acquire({});
    const double passed = SecondsSinceStart() - began;
    const auto n = static_cast<double>(wanted);
    std::printf("noop n=%ld workers=%d per_s=%.0f cpu_us=%.2f\n", wanted, arguments.workers, n / passed,
                1e6 * (CpuSeconds() - cpu_before) / n);
    std::fflush(stdout);
  });
}

Result<void> Reset(const Client& cluster, int n) {
  Result<corev1::Namespace> made = cluster.Create(corev1::Namespace{.metadata = {.name = kNamespace}});
  if (!made && !IsAlreadyExists(made.error())) return made.error();
  const Client client = cluster.Scope(kNamespace);
  KEELSON_RETURN_IF_ERROR(client.DeleteAllOf<Widget>());
  KEELSON_RETURN_IF_ERROR(client.DeleteAllOf<corev1::ConfigMap>());
  std::atomic<int> next = 0;
  std::vector<Thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back("creator", [&] {
      for (int number = next++; number < n; number = next++) {
        char name[32];
        std::snprintf(name, sizeof name, "widget-%06d", number);
        client
            .Create(
                Widget{.metadata = {.name = name}, .spec = {.value = "value of " + std::string(name)}, .status = {}})
            .OrExit();
      }
    });
  }
  return {};
}

// The longer of two lists that are asked for together over connections that are there, their bytes not looked at.
Result<void> PrintServerTime(const Client& client) {
  const auto ask = [&] {
    std::vector<Thread> threads;
    for (const char* path : {"/apis/bench.example.com/v1/widgets", "/api/v1/configmaps"}) {
      threads.emplace_back("list",
                           [&client, path] { (void)client.rest().GetRaw(path, "application/json", {}).OrExit(); });
    }
  };
  ask();
  const TimePoint before = Clock::Now();
  ask();
  std::printf("server_ms=%.1f\n", std::chrono::duration<double, std::milli>(Clock::Now() - before).count());
  return {};
}

int Run(int argc, char** argv) {
  SecondsSinceStart();
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    if (flag == "--idle") {
      arguments.idle = true;
    } else if (flag == "--protobuf") {
      arguments.protobuf = true;
    } else if (flag == "--reset") {
      arguments.reset = true;
    } else if (flag == "--server-time") {
      arguments.server_time = true;
    } else if (flag == "--kubeconfig" && i + 1 < argc) {
      arguments.kubeconfig = argv[++i];
    } else if (flag == "--n" && i + 1 < argc) {
      arguments.n = std::atoi(argv[++i]);
    } else if (flag == "--workers" && i + 1 < argc) {
      arguments.workers = std::atoi(argv[++i]);
    } else if (flag == "--noop" && i + 1 < argc) {
      arguments.noop = std::atoi(argv[++i]);
    } else {
      return std::fprintf(stderr, "unknown argument %s; see bench/operator_bench.cc\n", flag.c_str()), 2;
    }
  }
  if (arguments.reset) {
    Reset(Client::Connect(ConfigOf(arguments)).OrExit(), arguments.n).OrExit();
  } else if (arguments.server_time) {
    PrintServerTime(Client::Connect(ConfigOf(arguments)).OrExit()).OrExit();
  } else if (arguments.noop > 0) {
    DoNothing(arguments);
  } else {
    Operate(arguments);
  }
  return 0;
}

}  // namespace
}  // namespace keelson

int main(int argc, char** argv) { return keelson::Run(argc, argv); }
