#include "keelson/runtime/process_metrics.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "keelson/runtime/internal/proc_files.h"

namespace keelson {

namespace {

using internal::FieldOf;
using internal::NumberOf;
using internal::ParseProcStat;
using internal::ProcStat;
using internal::ReadProcFile;
using internal::Words;

class MetricText {
 public:
  template <class Number>
  void Add(std::string_view name, std::string_view type, std::string_view help, Number value) {
    text_ += fmt::format("# HELP {0} {2}\n# TYPE {0} {1}\n{0} {3}\n", name, type, help, value);
  }
  std::string Take() && { return std::move(text_); }

 private:
  std::string text_;
};

std::optional<size_t> OpenDescriptors() {
  std::error_code failure;
  size_t count = 0;
  for (std::filesystem::directory_iterator at("/proc/self/fd", failure), end; !failure && at != end;
       at.increment(failure)) {
    ++count;
  }
  // One of them is the directory itself.
  if (failure || count == 0) return std::nullopt;
  return count - 1;
}

double LimitOf(decltype(RLIMIT_AS) resource) {
  rlimit limit = {};
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return 0x1p64;
  return static_cast<double>(limit.rlim_cur);
}

struct Network {
  uint64_t received = 0;
  uint64_t sent = 0;
};

// All interfaces but the loopback; nothing when it cannot be read.
std::optional<Network> NetworkTraffic() {
  // "  eth0: bytes packets errs drop fifo frame compressed multicast bytes …" behind two lines of titles.
  const std::string text = ReadProcFile("/proc/self/net/dev");
  if (text.empty()) return std::nullopt;
  Network all;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = std::string_view(text).substr(at, end - at);
    at = end + 1;
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::vector<std::string_view> name = Words(line.substr(0, colon));
    const std::vector<std::string_view> numbers = Words(line.substr(colon + 1));
    if (name.size() != 1 || name[0] == "lo" || numbers.size() < 9) continue;
    all.received += NumberOf(numbers[0]);
    all.sent += NumberOf(numbers[8]);
  }
  return all;
}

// When the machine started, in seconds since 1970.
std::optional<uint64_t> BootSeconds() {
  const std::string text = ReadProcFile("/proc/stat");
  const size_t at = text.find("\nbtime ");
  if (at == std::string::npos) return std::nullopt;
  return NumberOf(std::string_view(text).substr(at + 7));
}

}  // namespace

std::string RenderProcessMetrics() {
  MetricText out;
  const std::optional<ProcStat> stat = ParseProcStat(ReadProcFile("/proc/self/stat"));
  if (stat) {
    out.Add("process_cpu_seconds_total", "counter", "Seconds of user and system time that the process used.",
            stat->user_seconds + stat->system_seconds);
  }
  out.Add("process_max_fds", "gauge", "Descriptors that the process may have open.", LimitOf(RLIMIT_NOFILE));
  if (const std::optional<Network> traffic = NetworkTraffic()) {
    out.Add("process_network_receive_bytes_total", "counter", "Bytes that came in by the network of the process.",
            traffic->received);
    out.Add("process_network_transmit_bytes_total", "counter", "Bytes that went out by the network of the process.",
            traffic->sent);
  }
  if (const std::optional<size_t> open = OpenDescriptors()) {
    out.Add("process_open_fds", "gauge", "Descriptors that the process has open.", *open);
  }
  if (stat) {
    out.Add("process_resident_memory_bytes", "gauge", "Bytes of memory in use.", stat->resident_bytes);
    if (const std::optional<uint64_t> boot = BootSeconds()) {
      out.Add("process_start_time_seconds", "gauge", "When the process started, in seconds since 1970.",
              static_cast<double>(*boot) + stat->start_seconds);
    }
    out.Add("process_threads", "gauge", "Threads of the process.", stat->threads);
    out.Add("process_virtual_memory_bytes", "gauge", "Bytes of address space in use.", stat->virtual_bytes);
  }
  out.Add("process_virtual_memory_max_bytes", "gauge", "Bytes of address space that there may be.", LimitOf(RLIMIT_AS));
  return std::move(out).Take();
}

}  // namespace keelson
