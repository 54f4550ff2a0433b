// Measures an informer: lists and watches a resource, then takes N updates. bench/peers/go/informer and
// bench/peers/rust/informer do the same with client-go and kube-rs; bench/informer/run runs them all against one replay
// server (replay_bench.cc).
//
//   bench-informer --server URL [--resource pods|configmaps] [--events N] [--protobuf] [--reads get|each|kept|list]
//
// Prints "synced objects=… wall_s=… cpu_s=… rss_kb=… peak_kb=…" when the cache is whole and, after N updates have come
// to a handler, "events=… wall_s=… cpu_s=… rss_kb=… peak_kb=…". Each line's time and CPU are its own phase's. With
// --reads eight threads read the cache while the updates come: "reads threads=8 kept_per_s=…". With "kept" a get gives
// a pointer to keep (Lister::Get); with "get" it finds an object by its key and looks at it (Lister::Read, made anew
// for each); with "each" a hundred keys are looked up at once (CacheReader::FindEach).
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/api/core/v1.h"
#include "keelson/cache/informer.h"
#include "keelson/client/client.h"
#include "keelson/client/config.h"
#include "keelson/core/clock.h"
#include "keelson/core/random.h"
#include "keelson/core/semaphore.h"
#include "keelson/core/thread.h"

namespace keelson {
namespace {

struct Arguments {
  std::string server;
  std::string resource = "pods";
  long events = 0;
  bool protobuf = false;
  std::string reads = {};  // "get", "each", "kept" or "list"
};

double CpuSeconds() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

long StatusKilobytes(std::string_view name) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(name)) return std::strtol(line.c_str() + name.size(), nullptr, 10);
  }
  return 0;
}

// Wall and CPU time since the last line, and memory now.
class Phase {
 public:
  void Print(const char* what, size_t count) {
    const TimePoint now = Clock::Now();
    const double cpu = CpuSeconds();
    std::printf("%s=%zu wall_s=%.2f cpu_s=%.2f rss_kb=%ld peak_kb=%ld\n", what, count,
                std::chrono::duration<double>(now - started_).count(), cpu - cpu_, StatusKilobytes("VmRSS:"),
                StatusKilobytes("VmHWM:"));
    std::fflush(stdout);
    started_ = Clock::Now();
    cpu_ = CpuSeconds();
  }

 private:
  TimePoint started_ = Clock::Now();
  double cpu_ = CpuSeconds();
};

// The name up to its last two dashes: what Pods of one Deployment share.
std::string OwnerOf(const ObjectKey& key) {
  const size_t dash = key.name.rfind('-', key.name.rfind('-') - 1);
  return key.namespace_ + "/" + key.name.substr(0, dash);
}

// Eight threads that get objects by key, or list those of an owner, and look at each, until `stop`. Keys come in a
// mixed order and lie in memory in that order, as a worker has its key at hand: what is measured is the cache.
template <class T>
class Readers {
 public:
  Readers(const Lister<T>& lister, const std::string& what, const StopToken& stop) : what_(what) {
    std::vector<ObjectKey> keys;
    for (const T& object : lister.List()) keys.push_back(KeyOf(object));
    Random random(1);
    std::shuffle(keys.begin(), keys.end(), random);
    keys_.assign(keys.begin(), keys.end());
    for (const ObjectKey& key : keys_) owners_.push_back(OwnerOf(key));
    started_ = Clock::Now();
    for (int i = 0; i < kThreads; ++i) {
      threads_.emplace_back("reader", [this, lister, stop, i] {
        size_t at = keys_.size() / kThreads * static_cast<size_t>(i);
        uint64_t count = 0, bytes = 0;
        const auto repeat = [&](auto read) {
          while (!stop.StopRequested()) {
            for (int n = 0; n < kRound; ++n, ++count, at = at + 1 == keys_.size() ? 0 : at + 1) bytes += read();
          }
        };
        if (what_ == "each") {
          while (!stop.StopRequested()) {
            const std::span<const ObjectKey> round =
                std::span(keys_).subspan(at).first(std::min<size_t>(kRound, keys_.size() - at));
            bytes += Each(lister, round);
            count += round.size();
            at = (at + round.size()) % keys_.size();
          }
        } else if (what_ == "list") {
          repeat([&] { return List(lister, at); });
        } else if (what_ == "kept") {
          repeat([&] { return Keep(lister, at); });
        } else {
          repeat([&] { return Get(lister, at); });
        }
        count_ += count;
        bytes_ += bytes;
      });
    }
  }
  void Print() {
    for (Thread& thread : threads_) thread.Join();
    const double seconds = std::chrono::duration<double>(Clock::Now() - started_).count();
    std::printf("reads threads=%d %s_per_s=%.0f\n", kThreads, what_.c_str(), static_cast<double>(count_) / seconds);
    std::fflush(stdout);
  }

 private:
  static constexpr int kThreads = 8;
  static constexpr int kRound = 100;  // reads between two looks at the stop token

  size_t Get(const Lister<T>& lister, size_t at) const {
    const CacheReader<T> reader = lister.Read();
    const T* object = reader.Find(keys_[at]);
    return object != nullptr ? object->metadata.generation : 0;
  }
  static size_t Each(const Lister<T>& lister, std::span<const ObjectKey> keys) {
    size_t sum = 0;
    lister.Read().FindEach(keys, [&](const ObjectKey&, const T* object) {
      if (object != nullptr) sum += object->metadata.generation;
    });
    return sum;
  }
  size_t Keep(const Lister<T>& lister, size_t at) const {
    const auto object = lister.Get(keys_[at]);
    return object ? (*object)->metadata.generation : 0;
  }
  size_t List(const Lister<T>& lister, size_t at) const {
    const Objects<T> owned = lister.ByIndex("owner", owners_[at]).value();
    size_t sum = 0;
    for (const T& object : owned) sum += object.metadata.generation;
    return sum;
  }

  const std::string what_;
  TimePoint started_;
  std::vector<ObjectKey> keys_;
  std::vector<std::string> owners_;
  std::atomic<uint64_t> count_ = 0, bytes_ = 0;
  std::vector<Thread> threads_;
};

template <class T>
Result<void> Measure(const Arguments& arguments) {
  Phase phase;
  KEELSON_TRY(client,
              Client::Connect({.server = arguments.server},
                              {.content_type = arguments.protobuf ? ContentType::kProtobuf : ContentType::kJson}));
  Informer<T> informer = Informer<T>::Make(client);
  if (!arguments.reads.empty()) {
    KEELSON_RETURN_IF_ERROR(
        informer.AddIndex("owner", [](const T& object) { return std::vector<std::string>{OwnerOf(KeyOf(object))}; }));
  }
  std::atomic<long> updates = 0;
  Semaphore all_came(0);
  const auto handler = informer.AddHandler({.on_update = [&](const T&, const T&) {
    if (++updates == arguments.events) all_came.Release();
  }});
  StopSource stop;
  informer.Start(stop.token());
  (void)informer.WaitForSync({});
  (void)handler.WaitForSync({});
  phase.Print("synced objects", informer.lister().size());
  if (arguments.events > 0) {
    StopSource stop_reading;
    std::unique_ptr<Readers<T>> readers;
    if (!arguments.reads.empty()) {
      readers = std::make_unique<Readers<T>>(informer.lister(), arguments.reads, stop_reading.token());
    }
    // The server holds its updates back until it is told, so that the two phases do not mix.
    KEELSON_RETURN_IF_ERROR(client.rest().GetRaw("/replay/updates", "*/*", {}));
    (void)all_came.Acquire({});
    stop_reading.RequestStop();
    if (readers) readers->Print();
    phase.Print("events", static_cast<size_t>(updates));
  }
  std::fflush(stdout);
  std::_Exit(0);  // freeing 100,000 objects one by one is not what is measured
}

int Run(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    const auto value = [&]() -> std::string { return i + 1 < argc ? argv[++i] : ""; };
    if (name == "--server") {
      arguments.server = value();
    } else if (name == "--resource") {
      arguments.resource = value();
    } else if (name == "--events") {
      arguments.events = std::strtol(value().c_str(), nullptr, 10);
    } else if (name == "--protobuf") {
      arguments.protobuf = true;
    } else if (name == "--reads") {
      arguments.reads = value();
    } else {
      std::fprintf(stderr, "bench-informer: unknown argument %s\n", argv[i]);
      return 2;
    }
  }
  Result<void> done =
      arguments.resource == "configmaps" ? Measure<corev1::ConfigMap>(arguments) : Measure<corev1::Pod>(arguments);
  std::move(done).OrExit();
  return 0;
}

}  // namespace
}  // namespace keelson

int main(int argc, char** argv) { return keelson::Run(argc, argv); }
