// bench-store [--objects N] [--data-dir DIR]: what the API server's store costs by itself.
//
// Prints one figure a line:
//   commit_us, get_us, update_us, delete_us   CPU time of one thread amid N objects of 1 KB JSON (default 1,000,000),
//   at
//                                             random; updates and deletions read first; make_draft_us is in them too
//   write_us_16_threads                       CPU time of the process for each update, 16 threads at once
//   writes_per_second_16_threads              the same by the clock on the wall
//   list_5000_us, page_500_us                 one namespace of 5,000 objects; a page from the middle of all
//   fanout_ns                                 for each event and watcher: 1,000 watchers, 1,000 events
//   bytes_per_object                          resident memory above the objects' own JSON
//   load_seconds                              only with --data-dir: opening it again
// With --data-dir (an empty or missing directory) every write is in its database before it returns.
#include <fmt/format.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/apiserver/store/store.h"
#include "keelson/core/clock.h"
#include "keelson/core/cond_var.h"
#include "keelson/core/mutex.h"
#include "keelson/core/random.h"
#include "keelson/core/thread.h"

namespace keelson::bench {
namespace {

using apiserver::CollectionId;
using apiserver::Draft;
using apiserver::EventPtr;
using apiserver::ObjectPtr;
using apiserver::Revision;
using apiserver::Store;

constexpr size_t kJsonBytes = 1000;

size_t ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  size_t total = 0;
  size_t resident = 0;
  statm >> total >> resident;
  return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

Draft MakeConfigMap(std::string_view namespace_, size_t number) {
  Draft draft{.namespace_ = namespace_,
              .name = fmt::format("config-map-{:07}", number),
              .uid = fmt::format("{:08x}-0000-4000-8000-{:012x}", number * 2654435761u % 0xffffffffu, number)};
  draft.json = fmt::format(
      R"({{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"{}","namespace":"{}","uid":"{}","resourceVersion":")",
      draft.name.view(), namespace_, draft.uid.view());
  draft.revision_at = draft.json.size();
  draft.json += R"(","creationTimestamp":"2026-01-01T00:00:00Z"},"data":{"value":")";
  draft.json.append(kJsonBytes - std::min(kJsonBytes - 3, draft.json.size()) - 3, 'x');
  draft.json += R"("}})";
  return draft;
}

std::string NamespaceOf(size_t number) { return fmt::format("namespace-{:03}", number / 5000); }

// CPU time of this thread or of the process: other programs on the machine hardly show.
class CpuStopwatch {
 public:
  explicit CpuStopwatch(clockid_t clock = CLOCK_THREAD_CPUTIME_ID) : clock_(clock), start_(Read()) {}
  double Microseconds() const { return Read() - start_; }

 private:
  double Read() const {
    timespec now;
    clock_gettime(clock_, &now);
    return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) * 1e-3;
  }
  const clockid_t clock_;
  const double start_;
};

class Stopwatch {
 public:
  double Microseconds() const { return std::chrono::duration<double, std::micro>(Clock::Now() - start_).count(); }

 private:
  const TimePoint start_ = Clock::Now();
};

template <class F>
void Report(const char* name, size_t count, F body) {
  const CpuStopwatch watch;
  for (size_t i = 0; i < count; ++i) body(i);
  fmt::print("{} {:.3f}\n", name, watch.Microseconds() / static_cast<double>(count));
  std::fflush(stdout);
}

class CountingSink final : public apiserver::WatchSink {
 public:
  explicit CountingSink(std::atomic<size_t>& total) : total_(total) {}
  void OnEvents(std::span<const EventPtr> events, Revision) override {
    total_.fetch_add(events.size(), std::memory_order_relaxed);
  }
  TimePoint OnTick(TimePoint, Revision) override { return TimePoint::max(); }

 private:
  std::atomic<size_t>& total_;
};

void MeasureFanout(Store& store, CollectionId collection) {
  constexpr size_t kWatchers = 1000;
  constexpr size_t kEvents = 1000;
  std::atomic<size_t> total = 0;
  std::vector<std::unique_ptr<apiserver::Subscription>> watches;
  for (size_t i = 0; i < kWatchers; ++i) {
    watches.push_back(store.Watch(collection, store.revision(), std::make_shared<CountingSink>(total)).OrExit());
  }
  // The same writes without watchers are subtracted.
  double micros[2];
  const CollectionId quiet = store.Register("quiet");
  for (const bool watched : {false, true}) {
    const Stopwatch watch;
    for (size_t i = 0; i < kEvents; ++i) {
      store.Create(watched ? collection : quiet, MakeConfigMap("fanout", i)).OrExit();
    }
    while (watched && total.load(std::memory_order_relaxed) < kWatchers * kEvents) this_thread::Yield();
    micros[watched] = watch.Microseconds();
  }
  fmt::print("fanout_ns {:.1f}\n", (micros[1] - micros[0]) * 1000 / (kWatchers * kEvents));
}

void MeasureThreads(Store& store, CollectionId collection, size_t objects) {
  constexpr size_t kThreads = 16;
  const size_t each = std::min<size_t>(objects / kThreads, 5000);
  const Stopwatch watch;
  const CpuStopwatch cpu(CLOCK_PROCESS_CPUTIME_ID);
  {
    std::vector<Thread> threads;
    for (size_t t = 0; t < kThreads; ++t) {
      threads.emplace_back("writer", [&, t] {
        for (size_t i = 0; i < each; ++i) {
          const size_t number = i * kThreads + t;
          Draft draft = MakeConfigMap(NamespaceOf(number), number);
          const ObjectPtr current = store.Get(collection, draft.namespace_, draft.name).OrExit();
          store.Update(collection, std::move(draft), current->revision()).OrExit();
        }
      });
    }
  }
  const auto writes = static_cast<double>(each * kThreads);
  fmt::print("write_us_16_threads {:.3f}\n", cpu.Microseconds() / writes);
  fmt::print("writes_per_second_16_threads {:.0f}\n", writes * 1e6 / watch.Microseconds());
}

void Run(size_t objects, const std::string& data_dir) {
  const size_t before = ResidentBytes();
  std::unique_ptr<Store> store = Store::Open({.data_dir = data_dir}).OrExit();
  const CollectionId collection = store->Register("configmaps");
  size_t json_bytes = 0;
  Report("commit_us", objects, [&](size_t i) {
    json_bytes += store->Create(collection, MakeConfigMap(NamespaceOf(i), i)).OrExit()->json().size();
  });
  const size_t after = ResidentBytes();
  fmt::print("bytes_per_object {:.0f}\n",
             static_cast<double>(after - before - json_bytes) / static_cast<double>(objects));

  const size_t some = std::min<size_t>(objects, data_dir.empty() ? 200'000 : 20'000);
  Random random(1);
  std::vector<size_t> numbers;
  for (size_t i = 0; i < some; ++i) numbers.push_back(random.Uniform<size_t>(0, objects - 1));
  Report("make_draft_us", some, [&](size_t i) { MakeConfigMap(NamespaceOf(numbers[i]), numbers[i]); });
  Report("get_us", some, [&](size_t i) {
    const std::string name = fmt::format("config-map-{:07}", numbers[i]);
    store->Get(collection, NamespaceOf(numbers[i]), name).OrExit();
  });
  Report("update_us", some, [&](size_t i) {
    Draft draft = MakeConfigMap(NamespaceOf(numbers[i]), numbers[i]);
    const ObjectPtr current = store->Get(collection, draft.namespace_, draft.name).OrExit();
    store->Update(collection, std::move(draft), current->revision()).OrExit();
  });
  MeasureThreads(*store, collection, objects);
  Report("list_5000_us", 200,
         [&](size_t i) { store->List(collection, {.namespace_ = NamespaceOf((i * 5000) % objects)}).OrExit(); });
  Report("page_500_us", 1000, [&](size_t i) {
    store->List(collection, {.limit = 500, .after_namespace = NamespaceOf((i * 977) % objects), .after_name = "c"})
        .OrExit();
  });
  MeasureFanout(*store, collection);
  Report("delete_us", some / 2, [&](size_t i) {
    const std::string name = fmt::format("config-map-{:07}", i);
    const ObjectPtr current = store->Get(collection, NamespaceOf(i), name).OrExit();
    store->Delete(collection, NamespaceOf(i), name, current->revision()).OrExit();
  });
  store.reset();
  if (data_dir.empty()) return;
  const Stopwatch watch;
  store = Store::Open({.data_dir = data_dir}).OrExit();
  fmt::print("load_seconds {:.2f}\n", watch.Microseconds() / 1e6);
}

}  // namespace
}  // namespace keelson::bench

int main(int argc, char** argv) {
  size_t objects = 1'000'000;
  std::string data_dir;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view flag = argv[i];
    if (flag == "--objects") {
      objects = std::strtoull(argv[i + 1], nullptr, 10);
    } else if (flag == "--data-dir") {
      data_dir = argv[i + 1];
    } else {
      fmt::print(stderr, "unknown flag {}\n", flag);
      return 2;
    }
  }
  if (argc % 2 == 0 || objects < 5000) {
    fmt::print(stderr, "usage: bench-store [--objects N, at least 5000] [--data-dir DIR]\n");
    return 2;
  }
  keelson::bench::Run(objects, data_dir);
}
