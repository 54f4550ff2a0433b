#include "keelson/client/internal/subprocess.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <cstdlib>

#include "keelson/core/clock.h"
#include "keelson/core/thread.h"

namespace keelson::internal {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

SubprocessOptions Shell(const std::string& script) { return {.command = "/bin/sh", .arguments = {"-c", script}}; }

TEST(Subprocess, GivesOutputAndExitCode) {
  const Result<SubprocessResult> result = RunSubprocess(Shell("echo out; exit 7"), {});
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->output, "out\n");
  EXPECT_EQ(result->exit_code, 7);
  EXPECT_EQ(result->signal, 0);
}

TEST(Subprocess, TellsASignalFromAnExit) {
  const Result<SubprocessResult> result = RunSubprocess(Shell("kill -9 $$"), {});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->exit_code, -1);
  EXPECT_EQ(result->signal, 9);
}

TEST(Subprocess, LastValueOfAVariableCounts) {
  SubprocessOptions options = Shell("echo $A $B; test -n \"$PATH\"");
  options.environment = {{"A", "1"}, {"B", "2"}, {"A", "3"}, {"HOME", "/"}};
  const Result<SubprocessResult> result = RunSubprocess(options, {});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->output, "3 2\n");
  EXPECT_EQ(result->exit_code, 0);
}

TEST(Subprocess, StandardInputIsEmpty) {
  const Result<SubprocessResult> result = RunSubprocess({.command = "cat"}, {});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->output, "");
  EXPECT_EQ(result->exit_code, 0);
}

TEST(Subprocess, MissingProgramIsNotFound) {
  for (const char* command : {"keelson-no-such-program", "/no/such/program", "/etc/passwd", "/usr", ""}) {
    const Result<SubprocessResult> result = RunSubprocess({.command = command}, {});
    ASSERT_FALSE(result) << command;
    EXPECT_EQ(result.error().code(), ErrorCode::kNotFound) << result.error().message();
    EXPECT_THAT(result.error().message(), HasSubstr(command));
  }
}

TEST(Subprocess, TooMuchOutputEndsIt) {
  SubprocessOptions options = Shell("yes");
  options.max_output = 10000;
  const Result<SubprocessResult> result = RunSubprocess(options, {});
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message(), HasSubstr("more than 10000 bytes"));
}

TEST(Subprocess, LongOutputComesWhole) {
  const Result<SubprocessResult> result = RunSubprocess(Shell("head -c 300000 /dev/zero"), {});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->output, std::string(300000, '\0'));
}

TEST(Subprocess, ChildrenLeftBehindAreNotWaitedFor) {
  SubprocessOptions options = Shell("sleep 1000 & echo $!");
  const TimePoint start = Clock::Now();
  const Result<SubprocessResult> result = RunSubprocess(options, {});
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_LT(Clock::Now() - start, 30s);
  EXPECT_EQ(std::system(("kill " + result->output).c_str()), 0);
}

TEST(Subprocess, TimeoutKillsItWithItsChildren) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);  // whoever is left of them holds the end for writing
  ::fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  SubprocessOptions options = Shell("sleep 1000 & echo; sleep 1000");
  options.timeout = 50ms;
  const Result<SubprocessResult> result = RunSubprocess(options, {});
  ::close(ends[1]);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), ErrorCode::kTimeout);
  EXPECT_THAT(result.error().message(), HasSubstr("within 50ms"));
  pollfd end{ends[0], POLLIN, 0};
  EXPECT_EQ(::poll(&end, 1, 30'000), 1);
  char byte = 0;
  EXPECT_EQ(::read(ends[0], &byte, 1), 0);
  ::close(ends[0]);
}

TEST(Subprocess, StopEndsItAtOnce) {
  StopSource stop;
  const Thread stopper("stopper", [&] { stop.RequestStop(); });
  const TimePoint start = Clock::Now();
  const Result<SubprocessResult> result = RunSubprocess(Shell("sleep 1000"), stop.token());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), ErrorCode::kCancelled);
  EXPECT_LT(Clock::Now() - start, 30s);
}

TEST(Subprocess, ManyThreadsRunTheirOwn) {
  std::vector<Thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back("runner", [i] {
      for (int j = 0; j < 5; ++j) {
        const std::string text = std::to_string(i) + "-" + std::to_string(j);
        const Result<SubprocessResult> result = RunSubprocess(Shell("echo " + text), {});
        ASSERT_TRUE(result) << result.error().message();
        EXPECT_EQ(result->output, text + "\n");
      }
    });
  }
}

}  // namespace
}  // namespace keelson::internal
