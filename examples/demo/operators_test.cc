#include "operators.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <system_error>

#include "keelson/core/clock.h"
#include "keelson/transport/test_certificates_test_support.h"

namespace demo {
namespace {

using namespace std::chrono_literals;
using keelson::TemporaryDirectory;
using testing::ElementsAre;
using testing::HasSubstr;

std::string Script(const TemporaryDirectory& directory, const std::string& name, const std::string& text) {
  std::string path = directory.Write(name, "#!/bin/sh\n" + text);
  chmod(path.c_str(), 0700);
  return path;
}

// Until it has logged so many lines.
void AwaitLines(const Operators& operators, const std::string& name, size_t count) {
  while (operators.LastLines(name, count).size() < count) (void)keelson::SleepFor(1ms, {});
}

std::string AwaitEnd(Operators& operators) {
  while (true) {
    if (const auto ended = operators.FindEnded()) return *ended;
    (void)keelson::SleepFor(1ms, {});
  }
}

class OperatorsTest : public testing::Test {
 protected:
  TemporaryDirectory directory_;
  Operators operators_{directory_.Path(""), directory_.Path("")};
};

TEST_F(OperatorsTest, OneThatEndsIsFoundWithTheLastLinesOfItsLog) {
  const std::string program = Script(directory_, "a", "echo first; for i in $(seq 10); do echo $i $1; done; exit 3");
  ASSERT_TRUE(operators_.Start("a-operator", program, {"of ten"}));
  const std::string ended = AwaitEnd(operators_);
  EXPECT_THAT(ended, HasSubstr("a-operator ended with status 3; its log ends with\n  1 of ten\n"));
  EXPECT_TRUE(ended.ends_with("\n  10 of ten")) << ended;
}

TEST_F(OperatorsTest, OneThatIsKilledSaysSo) {
  const std::string program = Script(directory_, "a", "exec sleep 100");
  const pid_t pid = operators_.Start("a-operator", program, {}).value();
  EXPECT_EQ(operators_.FindEnded(), std::nullopt);
  kill(pid, SIGKILL);
  EXPECT_EQ(AwaitEnd(operators_), "a-operator was killed by signal 9 (Killed); its log is empty");
}

TEST_F(OperatorsTest, OneThatCannotBeRunSaysWhy) {
  ASSERT_TRUE(operators_.Start("a-operator", directory_.Path("nothing"), {}));
  EXPECT_EQ(AwaitEnd(operators_), "a-operator ended with status 127; its log ends with\n  No such file or directory");
}

// Somebody else has waited for it, as the kernel does where SIGCHLD is ignored.
TEST_F(OperatorsTest, OneOfWhichNobodyKnowsHowItEndedHasEnded) {
  const std::string program = Script(directory_, "a", "exec sleep 100");
  const pid_t pid = operators_.Start("a-operator", program, {}).value();
  kill(pid, SIGKILL);
  ASSERT_EQ(waitpid(pid, nullptr, 0), pid);
  EXPECT_EQ(operators_.FindEnded(), "a-operator ended, nobody knows how; its log is empty");
  EXPECT_TRUE(operators_.Stop());
}

TEST_F(OperatorsTest, TheirInputIsEmptyAndNothingElseIsLeftOpen) {
  int inherited = 0;  // by whoever runs this test
  for (const auto& file : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code ignored;
    const bool nothing = std::filesystem::read_symlink(file, ignored) == "/dev/null";
    if (nothing && std::stoi(file.path().filename().string()) > STDERR_FILENO) ++inherited;
  }
  const std::string program = Script(directory_, "a", "cat; ls -l /proc/$$/fd | grep -c ' -> /dev/null$'");
  ASSERT_TRUE(operators_.Start("a-operator", program, {}));
  (void)AwaitEnd(operators_);
  EXPECT_THAT(operators_.LastLines("a-operator", 5), ElementsAre(std::to_string(1 + inherited)));
}

TEST_F(OperatorsTest, ReadersThatGoAwayMeanToThemWhatTheyMeanToOthers) {
  const auto before = signal(SIGPIPE, SIG_IGN);  // as the demo does
  ASSERT_TRUE(operators_.Start("a-operator", Script(directory_, "a", "kill -PIPE $$; exit 0"), {}));
  signal(SIGPIPE, before);
  EXPECT_EQ(AwaitEnd(operators_), "a-operator was killed by signal 13 (Broken pipe); its log is empty");
}

TEST_F(OperatorsTest, StopAsksAndWaits) {
  const std::string polite = "trap 'echo bye; exit 0' TERM; echo here; while :; do sleep 0.01; done";
  ASSERT_TRUE(operators_.Start("a-operator", Script(directory_, "a", polite), {}));
  ASSERT_TRUE(operators_.Start("b-operator", Script(directory_, "b", polite), {}));
  AwaitLines(operators_, "a-operator", 1);
  AwaitLines(operators_, "b-operator", 1);
  EXPECT_TRUE(operators_.Stop());
  EXPECT_EQ(operators_.size(), 0u);
  EXPECT_THAT(operators_.LastLines("a-operator", 5), ElementsAre("here", "bye"));
  EXPECT_THAT(operators_.LastLines("b-operator", 1), ElementsAre("bye"));
}

TEST_F(OperatorsTest, WhoStopsInAnotherWayIsNamed) {
  ASSERT_TRUE(operators_.Start("a-operator", Script(directory_, "a", "exec sleep 100"), {}));
  EXPECT_TRUE(operators_.Stop()) << "that is what SIGTERM does to those who say nothing else";
  const std::string failing = "trap 'exit 4' TERM; echo here; while :; do sleep 0.01; done";
  ASSERT_TRUE(operators_.Start("b-operator", Script(directory_, "b", failing), {}));
  AwaitLines(operators_, "b-operator", 1);
  const auto stopped = operators_.Stop();
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().message(), "b-operator, asked to stop, ended with status 4");
}

TEST_F(OperatorsTest, WhoDoesNotStopIsKilledAndNamed) {
  const std::string deaf = Script(directory_, "a", "trap '' TERM; echo here; while :; do sleep 0.01; done");
  const pid_t pid = operators_.Start("a-operator", deaf, {}).value();
  AwaitLines(operators_, "a-operator", 1);
  const auto stopped = operators_.Stop(20ms);
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().message(), "a-operator did not end within 20ms of SIGTERM and was killed");
  EXPECT_NE(kill(pid, 0), 0);
}

}  // namespace
}  // namespace demo
