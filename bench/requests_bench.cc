// Measures requests against a server: creates ConfigMaps, gets, updates, lists and deletes them. bench/peers/go/requests does
// the same with client-go.
//
//   bench-requests --kubeconfig FILE [--objects 2000] [--workers 16] [--lists 50] [--protobuf]
//   bench-requests --kubeconfig FILE --one-get       what a small program pays: time and memory of one get
//
// Prints a line of figures: calls a second, and CPU time of this process a call in microseconds. The first ones,
// warm_up, are gets of one Namespace, ten for each worker: they hold the cost of making connections.
#include <sys/resource.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "keelson/api/core/v1.h"
#include "keelson/client/client.h"
#include "keelson/client/config.h"
#include "keelson/client/kubeconfig.h"
#include "keelson/core/clock.h"
#include "keelson/core/thread.h"

namespace keelson {
namespace {

double CpuSeconds() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double Seconds(Duration span) { return std::chrono::duration<double>(span).count(); }

// Calls `call` for 0 to n-1 from all workers and prints the figures.
void Measure(const char* name, int n, int workers, const std::function<Result<void>(int)>& call) {
  std::atomic<int> next = 0;
  const double cpu_before = CpuSeconds();
  const TimePoint before = Clock::Now();
  {
    std::vector<Thread> threads;
    for (int w = 0; w < workers; ++w) {
      threads.emplace_back("worker", [&] {
        for (int i = next++; i < n; i = next++) {
          const Result<void> done = call(i);
          if (done) continue;
          std::fprintf(stderr, "%s %d: %s\n", name, i, done.error().message().c_str());
          std::exit(1);
        }
      });
    }
    for (Thread& thread : threads) thread.Join();
  }
  const double passed = Seconds(Clock::Now() - before);
  std::printf("%s_per_s=%.0f %s_cpu_us=%.1f ", name, n / passed, name, 1e6 * (CpuSeconds() - cpu_before) / n);
  std::fflush(stdout);
}

Result<void> MeasureRequests(const Client& cluster, int objects, int workers, int lists) {
  const std::string scope = "bench-" + std::to_string(Clock::WallNow().time_since_epoch().count());
  KEELSON_RETURN_IF_ERROR(cluster.Create(corev1::Namespace{.metadata = {.name = scope}}));
  const Client client = cluster.Scope(scope);
  const auto key = [&](int i) { return ObjectKey{scope, "object-" + std::to_string(i)}; };

  Measure("warm_up", 10 * workers, workers, [&](int) -> Result<void> {
    KEELSON_RETURN_IF_ERROR(cluster.Get<corev1::Namespace>({"", scope}));
    return {};
  });

  Measure("create", objects, workers, [&](int i) -> Result<void> {
    KEELSON_RETURN_IF_ERROR(client.Create(corev1::ConfigMap{
        .metadata = {.name = key(i).name, .labels = {{"app", "bench"}}},
        .data = {{"key", "value"}, {"other", "another value"}},
    }));
    return {};
  });
  Measure("get", objects, workers, [&](int i) -> Result<void> {
    KEELSON_RETURN_IF_ERROR(client.Get<corev1::ConfigMap>(key(i)));
    return {};
  });
  Measure("update", objects, workers, [&](int i) -> Result<void> {
    KEELSON_TRY(object, client.Get<corev1::ConfigMap>(key(i)));
    object.data["key"] = "changed";
    KEELSON_RETURN_IF_ERROR(client.Update(object));
    return {};
  });
  Measure("list", lists, workers, [&](int) -> Result<void> {
    // All in one answer, as client-go does it.
    KEELSON_TRY(list, client.List<corev1::ConfigMap>({.page_size = 0}));
    if (list.items.size() < static_cast<size_t>(objects)) return Error::Internal("the list lacks objects");
    return {};
  });
  std::printf("\n");
  return cluster.Delete<corev1::Namespace>({"", scope});
}

// Private memory of this process that is not backed by a file, in bytes.
long AnonymousBytes() {
  std::ifstream file("/proc/self/smaps_rollup");
  long kilobytes = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("Anonymous:")) kilobytes = std::strtol(line.c_str() + std::strlen("Anonymous:"), nullptr, 10);
  }
  return kilobytes * 1024;
}

Result<void> MeasureOneGet(const Client& client, TimePoint started) {
  KEELSON_RETURN_IF_ERROR(client.Get<corev1::Namespace>({"", "default"}));
  const TimePoint first = Clock::Now();
  KEELSON_RETURN_IF_ERROR(client.Get<corev1::Namespace>({"", "default"}));
  // The second get has a connection already: it is the server's own time and the way there.
  std::printf("one_get_ms=%.1f second_get_ms=%.1f anonymous_bytes=%ld\n", 1e3 * Seconds(first - started),
              1e3 * Seconds(Clock::Now() - first), AnonymousBytes());
  return {};
}

int Run(int argc, char** argv) {
  const TimePoint started = Clock::Now();
  std::string kubeconfig;
  int objects = 2000, workers = 16, lists = 50;
  bool one_get = false, protobuf = false;
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    const char* value = i + 1 < argc ? argv[i + 1] : "";
    if (flag == "--one-get") {
      one_get = true;
      continue;
    }
    if (flag == "--protobuf") {
      protobuf = true;
      continue;
    }
    if (flag == "--kubeconfig")
      kubeconfig = value;
    else if (flag == "--objects")
      objects = std::atoi(value);
    else if (flag == "--workers")
      workers = std::atoi(value);
    else if (flag == "--lists")
      lists = std::atoi(value);
    else
      return std::fprintf(stderr, "unknown argument %s; see bench/requests_bench.cc\n", flag.c_str()), 2;
    ++i;
  }
  const Client client(MakeTransport(LoadClientConfig({.kubeconfig = kubeconfig}).OrExit()).OrExit(),
                      {.content_type = protobuf ? ContentType::kProtobuf : ContentType::kJson});
  (one_get ? MeasureOneGet(client, started) : MeasureRequests(client, objects, workers, lists)).OrExit();
  return 0;
}

}  // namespace
}  // namespace keelson

int main(int argc, char** argv) { return keelson::Run(argc, argv); }
