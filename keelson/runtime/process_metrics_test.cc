#include "keelson/runtime/process_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <string_view>

#include "keelson/core/clock.h"
#include "keelson/core/thread.h"
#include "keelson/runtime/debug_pages.h"
#include "keelson/runtime/internal/proc_files.h"

namespace keelson {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

double ValueOf(const std::string& text, std::string_view name) {
  const size_t at = text.find("\n" + std::string(name) + " ");
  EXPECT_NE(at, std::string::npos) << name;
  return at == std::string::npos ? 0 : std::stod(text.substr(at + name.size() + 2));
}

TEST(ProcessMetrics, TellTheTruth) {
  const std::string text = RenderProcessMetrics();
  EXPECT_GT(ValueOf(text, "process_resident_memory_bytes"), 1 << 20);
  EXPECT_GT(ValueOf(text, "process_virtual_memory_bytes"), ValueOf(text, "process_resident_memory_bytes"));
  EXPECT_GE(ValueOf(text, "process_threads"), 1);
  EXPECT_GE(ValueOf(text, "process_max_fds"), ValueOf(text, "process_open_fds"));
  const double now = std::chrono::duration<double>(Clock::WallNow().time_since_epoch()).count();
  const double start = ValueOf(text, "process_start_time_seconds");
  EXPECT_GT(start, now - 86400);
  EXPECT_LT(start, now + 5);

  const double open = ValueOf(text, "process_open_fds");
  const int one_more = dup(STDERR_FILENO);
  EXPECT_EQ(ValueOf(RenderProcessMetrics(), "process_open_fds"), open + 1);
  close(one_more);
}

TEST(ProcStat, IsReadAroundNamesOfAnyKind) {
  const std::string behind = " S 1 2 3 4 5 6 7 8 9 10 250 50 0 0 20 0 17 0 1000 4096000 10 18446744073709551615 1\n";
  for (const char* name : {"(a)", "(a b)", "(a) R 1)", "()", "(\n)"}) {
    const auto stat = internal::ParseProcStat("42 " + std::string(name) + behind);
    ASSERT_TRUE(stat) << name;
    EXPECT_EQ(stat->state, 'S');
    EXPECT_EQ(stat->threads, 17u);
    EXPECT_EQ(stat->virtual_bytes, 4096000u);
    EXPECT_EQ(stat->resident_bytes, 10u * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)));
    EXPECT_DOUBLE_EQ(stat->user_seconds * static_cast<double>(sysconf(_SC_CLK_TCK)), 250);
    EXPECT_DOUBLE_EQ(stat->system_seconds * static_cast<double>(sysconf(_SC_CLK_TCK)), 50);
  }
  for (const char* text : {"", "42", "42 (a", "42 (a)", "42 (a) S 1 2 3"}) {
    EXPECT_FALSE(internal::ParseProcStat(text)) << text;
  }
}

TEST(ProcFiles, FieldsAreFoundAtTheBeginningOfLines) {
  const std::string text = "VmPeak:\t  10 kB\nNoVmRSS: 7\nVmRSS:\t 20 kB\nVmLast:\n";
  EXPECT_EQ(internal::FieldOf(text, "VmRSS"), 20u);
  EXPECT_EQ(internal::FieldOf(text, "VmPeak"), 10u);
  EXPECT_EQ(internal::FieldOf(text, "Vm"), std::nullopt);
  EXPECT_EQ(internal::FieldOf(text, "VmLast"), std::nullopt);
  EXPECT_THAT(internal::Words(" a\tbc\n d "), ElementsAre("a", "bc", "d"));
  EXPECT_EQ(internal::ReadProcFile("/proc/self/none"), "");
}

// A thread that works for the whole time stands above those that wait.
TEST(DebugPages, AProfileShowsWhoIsBusy) {
  Thread busy("busy one", [](const StopToken& stop) {
    while (!stop.StopRequested()) {
    }
  });
  const Thread idle("idle one", [](const StopToken& stop) { (void)SleepFor(std::chrono::hours(1), stop); });
  const std::string text = ProfileThreads(std::chrono::milliseconds(200), {});
  const size_t busy_at = text.find("  busy one\n");
  const size_t idle_at = text.find("  idle one\n");
  ASSERT_NE(busy_at, std::string::npos) << text;
  ASSERT_NE(idle_at, std::string::npos) << text;
  EXPECT_LT(busy_at, idle_at);
  EXPECT_THAT(text, HasSubstr("perf record -g -p " + std::to_string(getpid())));
  EXPECT_THAT(DescribeThreads(), HasSubstr("  idle one\n"));
}

}  // namespace
}  // namespace keelson
