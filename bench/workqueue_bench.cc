// Measures the work queue: keys added, taken and done a second, and the memory of delayed keys. bench/peers/go/workqueue does
// the same with client-go.
//
//   bench-workqueue [--seconds 2] [--delayed 1000000]
//
// Two shapes, each with 1, 8 and 64 workers. `loop`: every worker adds a key of its own, takes what is next and is done
// with it, again and again. `feed`: one thread adds, at most 10,000 ahead, and the workers only take.
#include <malloc.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "keelson/core/clock.h"
#include "keelson/core/thread.h"
#include "keelson/workqueue/delaying_queue.h"

namespace keelson {
namespace {

constexpr int kKeysPerWorker = 1000;
constexpr int kFeedKeys = 64'000;
constexpr size_t kFeedAhead = 10'000;

std::string KeyText(int n) {
  char text[64];
  std::snprintf(text, sizeof text, "namespace-%04d/object-%07d", n / 1000, n);
  return text;
}

std::vector<std::string> Keys(int first, int count) {
  std::vector<std::string> keys;
  keys.reserve(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) keys.push_back(KeyText(first + i));
  return keys;
}

double Seconds(Duration span) { return std::chrono::duration<double>(span).count(); }

// Of one worker, on a cache line of its own.
struct alignas(64) Count {
  uint64_t done = 0;
};

void Print(const char* shape, int workers, const std::vector<Count>& counts, Duration passed) {
  uint64_t total = 0;
  for (const Count& count : counts) total += count.done;
  std::printf("%s_%d_per_s=%.0f ", shape, workers, static_cast<double>(total) / Seconds(passed));
  std::fflush(stdout);
}

void Loop(int workers, Duration length) {
  Queue<std::string> queue;
  std::atomic<bool> go = false;
  std::atomic<bool> end = false;
  std::vector<Count> counts(static_cast<size_t>(workers));
  std::vector<Thread> threads;
  for (int w = 0; w < workers; ++w) {
    threads.emplace_back("worker", [&, w] {
      const std::vector<std::string> keys = Keys(w * kKeysPerWorker, kKeysPerWorker);
      while (!go) this_thread::Yield();
      uint64_t done = 0;
      for (size_t at = 0; !end.load(std::memory_order_relaxed); at = at + 1 == keys.size() ? 0 : at + 1) {
        queue.Add(keys[at]);
        const auto item = queue.Get();
        if (item) ++done;
      }
      counts[static_cast<size_t>(w)].done = done;
    });
  }
  const TimePoint before = Clock::Now();
  go = true;
  SleepFor(length, {});
  end = true;
  queue.ShutDown();  // an addition may have been merged, and then one worker waits
  for (Thread& thread : threads) thread.Join();
  Print("loop", workers, counts, Clock::Now() - before);
}

void Feed(int workers, Duration length) {
  Queue<std::string> queue;
  const std::vector<std::string> keys = Keys(0, kFeedKeys);
  std::vector<Count> counts(static_cast<size_t>(workers));
  std::vector<Thread> threads;
  for (int w = 0; w < workers; ++w) {
    threads.emplace_back("worker", [&, w] {
      uint64_t done = 0;
      while (const auto item = queue.Get()) ++done;
      counts[static_cast<size_t>(w)].done = done;
    });
  }
  const TimePoint before = Clock::Now();
  size_t at = 0;
  for (uint64_t added = 0;; ++added) {
    if (added % 256 == 0) {
      if (Clock::Now() - before >= length) break;
      while (queue.Length() > kFeedAhead) this_thread::Yield();
    }
    queue.Add(keys[at]);
    at = at + 1 == keys.size() ? 0 : at + 1;
  }
  queue.ShutDown();
  for (Thread& thread : threads) thread.Join();
  Print("feed", workers, counts, Clock::Now() - before);
}

double ResidentBytes() {
  std::ifstream file("/proc/self/statm");
  double size = 0;
  double resident = 0;
  file >> size >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

// The queue keeps a copy of each text, where Go's shares the caller's: that copy is what the second figure leaves out.
void Delayed(int n) {
  const std::vector<std::string> keys = Keys(0, n);
  const double text = std::accumulate(keys.begin(), keys.end(), 0.0,
                                      [](double sum, const std::string& key) { return sum + double(key.size()); });
  malloc_trim(0);
  const double before = ResidentBytes();
  DelayingQueue<std::string> queue;
  for (int i = 0; i < n; ++i) {
    queue.AddAfter(keys[static_cast<size_t>(i)],
                   std::chrono::hours(1) + std::chrono::milliseconds(int64_t{i} * 7919 % n));
  }
  const double grown = ResidentBytes() - before;
  std::printf("delayed=%d delayed_rss_mb=%.1f delayed_beyond_text_mb=%.1f ", n, grown / 1e6, (grown - text) / 1e6);
  std::fflush(stdout);
}

}  // namespace
}  // namespace keelson

int main(int argc, char** argv) {
  double seconds = 2;
  int delayed = 1'000'000;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--seconds") == 0) seconds = std::atof(argv[i + 1]);
    if (std::strcmp(argv[i], "--delayed") == 0) delayed = std::atoi(argv[i + 1]);
  }
  const auto length = std::chrono::duration_cast<keelson::Duration>(std::chrono::duration<double>(seconds));
  keelson::Delayed(delayed);
  for (const int workers : {1, 8, 64}) {
    keelson::Loop(workers, length);
    keelson::Feed(workers, length);
  }
  std::puts("");
}
