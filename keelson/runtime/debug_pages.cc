#include "keelson/runtime/debug_pages.h"

#include <fmt/format.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <filesystem>
#include <map>
#include <vector>

#include "keelson/core/ascii.h"
#include "keelson/core/clock.h"
#include "keelson/runtime/internal/proc_files.h"
#include "keelson/transport/form_query.h"

namespace keelson {

namespace {

using internal::FieldOf;
using internal::NumberOf;
using internal::ParseProcStat;
using internal::ProcStat;
using internal::ReadProcFile;
using internal::Words;
using std::chrono_literals::operator""s;

constexpr Duration kDefaultProfile = 10s;
constexpr Duration kLongestProfile = 60s;

struct ThreadTimes {
  std::string name;
  char state = '?';
  double cpu = 0;        // seconds on a processor
  double system = 0;     // of these, in the kernel
  double queued = 0;     // seconds ready to run, without a processor
  double waits = 0;      // times it gave up the processor by itself
  double preempted = 0;  // times it was taken away
};

std::string_view StateText(char state) {
  switch (state) {
    case 'R': return "runs";
    case 'S': return "sleeps";
    case 'D': return "waits for a device";
    case 'T':
    case 't': return "stopped";
    default: return "ends";
  }
}

// By id. Threads that end while this looks are left out.
std::map<uint64_t, ThreadTimes> AllThreads() {
  std::map<uint64_t, ThreadTimes> threads;
  std::error_code failure;
  for (std::filesystem::directory_iterator at("/proc/self/task", failure), end; !failure && at != end;
       at.increment(failure)) {
    const std::string folder = at->path().string();
    const std::optional<ProcStat> stat = ParseProcStat(ReadProcFile(folder + "/stat"));
    if (!stat) continue;
    const std::string status = ReadProcFile(folder + "/status");
    ThreadTimes times{.name = std::string(Trim(ReadProcFile(folder + "/comm"))),
                      .state = stat->state,
                      .cpu = stat->user_seconds + stat->system_seconds,
                      .system = stat->system_seconds,
                      .waits = static_cast<double>(FieldOf(status, "voluntary_ctxt_switches").value_or(0)),
                      .preempted = static_cast<double>(FieldOf(status, "nonvoluntary_ctxt_switches").value_or(0))};
    // In nanoseconds, where the kernel keeps them: stat counts hundredths of a second.
    const std::string schedule = ReadProcFile(folder + "/schedstat");
    if (const std::vector<std::string_view> words = Words(schedule); words.size() >= 2) {
      times.cpu = static_cast<double>(NumberOf(words[0])) / 1e9;
      times.queued = static_cast<double>(NumberOf(words[1])) / 1e9;
    }
    threads.emplace(NumberOf(at->path().filename().string()), std::move(times));
  }
  return threads;
}

// Those that used most first.
std::string Table(const std::map<uint64_t, ThreadTimes>& threads, double seconds) {
  std::vector<std::pair<uint64_t, const ThreadTimes*>> sorted;
  for (const auto& [id, times] : threads) sorted.emplace_back(id, &times);
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return a.second->cpu != b.second->cpu ? a.second->cpu > b.second->cpu : a.first < b.first;
  });
  std::string text = fmt::format("{:>7} {:>11} {:>11} {:>11} {:>10} {:>10}  {:<18} {:>8}  {}\n", "cpu %", "cpu s",
                                 "kernel s", "queued s", "waits", "preempted", "now", "id", "name");
  for (const auto& [id, times] : sorted) {
    text += fmt::format("{:>7.2f} {:>11.6f} {:>11.2f} {:>11.6f} {:>10} {:>10}  {:<18} {:>8}  {}\n",
                        seconds > 0 ? times->cpu / seconds * 100 : 0.0, times->cpu, times->system, times->queued,
                        static_cast<uint64_t>(times->waits), static_cast<uint64_t>(times->preempted),
                        StateText(times->state), id, times->name);
  }
  return text;
}

double Seconds(Duration span) { return std::chrono::duration<double>(span).count(); }

// How long the process has run.
double Age() {
  const std::optional<ProcStat> stat = ParseProcStat(ReadProcFile("/proc/self/stat"));
  const std::string uptime = ReadProcFile("/proc/uptime");
  double up = 0;
  std::from_chars(uptime.data(), uptime.data() + uptime.size(), up);
  return stat ? std::max(up - stat->start_seconds, 0.0) : 0.0;
}

// The query's "seconds"; nothing when it cannot be used.
std::optional<Duration> SpanOf(const ServerRequest& request) {
  const FormQuery query = FormQuery::Parse(request.query);
  const std::string* text = query.First("seconds");
  if (text == nullptr) return kDefaultProfile;
  double seconds = 0;
  const auto [end, failure] = std::from_chars(text->data(), text->data() + text->size(), seconds);
  // Written so that it refuses NaN too.
  if (failure != std::errc() || end != text->data() + text->size() || !(seconds > 0 && seconds <= 1e6)) {
    return std::nullopt;
  }
  return std::min(std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds)), kLongestProfile);
}

}  // namespace

std::string DescribeThreads() {
  const std::map<uint64_t, ThreadTimes> threads = AllThreads();
  const double age = Age();
  return fmt::format("{} threads after {:.0f} s. Times are since the start, \"cpu %\" is of one processor.\n\n{}",
                     threads.size(), age, Table(threads, age));
}

std::string ProfileThreads(Duration span, const StopToken& stop) {
  const std::map<uint64_t, ThreadTimes> before = AllThreads();
  const TimePoint start = Clock::Now();
  (void)SleepFor(span, stop);
  const double seconds = Seconds(Clock::Now() - start);
  std::map<uint64_t, ThreadTimes> during = AllThreads();
  double total = 0;
  for (auto& [id, times] : during) {
    if (const auto old = before.find(id); old != before.end()) {
      times.cpu -= old->second.cpu;
      times.system -= old->second.system;
      times.queued -= old->second.queued;
      times.waits -= old->second.waits;
      times.preempted -= old->second.preempted;
    }
    // A thread may have got the number of one that ended.
    for (double* value : {&times.cpu, &times.system, &times.queued, &times.waits, &times.preempted}) {
      *value = std::max(*value, 0.0);
    }
    total += times.cpu;
  }
  const size_t ended = static_cast<size_t>(
      std::count_if(before.begin(), before.end(), [&](const auto& thread) { return !during.contains(thread.first); }));
  return fmt::format(
      "{:.2f} s: {} threads used {:.3f} s of processor time; {} more ended and are not counted.\n"
      "\"queued\" is time ready to run without a processor: too few of them, or a limit.\n"
      "For where in the code: perf record -g -p {} -- sleep 10 && perf report\n\n{}",
      seconds, during.size(), total, ended, getpid(), Table(during, seconds));
}

std::string DescribeMemory() {
  std::string text;
  const auto line = [&](std::string_view name, uint64_t bytes) {
    text += fmt::format("{:<28} {:>14} bytes  {:>9.1f} MiB\n", name, bytes, static_cast<double>(bytes) / (1 << 20));
  };
  const std::string status = ReadProcFile("/proc/self/status");
  for (const auto& [field, name] :
       std::initializer_list<std::pair<std::string_view, std::string_view>>{{"VmRSS", "resident"},
                                                                            {"VmHWM", "resident, most so far"},
                                                                            {"RssAnon", "resident, anonymous"},
                                                                            {"RssFile", "resident, of files"},
                                                                            {"VmData", "address space for data"},
                                                                            {"VmSwap", "swapped out"}}) {
    if (const std::optional<uint64_t> kilobytes = FieldOf(status, field)) line(name, *kilobytes * 1024);
  }
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
  const struct mallinfo2 heap = mallinfo2();
  line("allocated", heap.uordblks + heap.hblkhd);
  line("free, kept by the allocator", heap.fordblks);
  line("in mappings of their own", heap.hblkhd);
#endif
  return text;
}

Result<void> AddDebugPages(Routes& routes, const StopToken& stop) {
  KEELSON_RETURN_IF_ERROR(
      routes.Add("/debug/threads", ServePage([](const ServerRequest&) { return Page{.body = DescribeThreads()}; })));
  KEELSON_RETURN_IF_ERROR(
      routes.Add("/debug/memory", ServePage([](const ServerRequest&) { return Page{.body = DescribeMemory()}; })));
  const auto busy = std::make_shared<std::atomic<bool>>(false);
  return routes.Add("/debug/profile", ServePage([busy, stop](const ServerRequest& request) {
                      const auto refused = [] {
                        return Page{.status = 503,
                                    .body = "a profile is being made for somebody else; try again when it is done\n",
                                    .headers = {{"Retry-After", "10"}}};
                      };
                      if (busy->load()) return refused();
                      const std::optional<Duration> span = SpanOf(request);
                      if (!span)
                        return Page{.status = 400, .body = "seconds: expected a number above 0, such as 10 or 0.5\n"};
                      if (busy->exchange(true)) return refused();
                      const std::shared_ptr<void> done(nullptr, [&](void*) { busy->store(false); });
                      return Page{.body = ProfileThreads(*span, stop)};
                    }));
}

}  // namespace keelson
