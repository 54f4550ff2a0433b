#include "keelson/core/log_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace keelson {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

LogFlags Taken(std::vector<std::string> arguments) {
  Result<LogFlags> flags = TakeLogFlags(arguments);
  EXPECT_TRUE(flags) << flags.error().message();
  EXPECT_THAT(arguments, IsEmpty());
  return flags ? *flags : LogFlags();
}

std::string Refused(std::vector<std::string> arguments) {
  const std::vector<std::string> before = arguments;
  Result<LogFlags> flags = TakeLogFlags(arguments);
  EXPECT_FALSE(flags);
  EXPECT_EQ(arguments, before);
  return flags ? "" : flags.error().message();
}

TEST(LogFlags, AreTakenOutOfTheCommandLine) {
  std::vector<std::string> arguments = {"run", "-v=2", "--logging-format", "json", "-version", "-verify",
                                        "-v",  "3",    "-alsologtostderr", "left", "--",       "-v=9"};
  Result<LogFlags> flags = TakeLogFlags(arguments);
  ASSERT_TRUE(flags);
  EXPECT_EQ(flags->options.verbosity, 3);
  EXPECT_EQ(flags->options.format, LogFormat::kJson);
  EXPECT_TRUE(flags->also_log_to_stderr);
  EXPECT_THAT(arguments, ElementsAre("run", "-version", "-verify", "left", "--", "-v=9"));
}

TEST(LogFlags, DefaultsAreThoseOfKlog) {
  const LogFlags flags = Taken({});
  EXPECT_EQ(flags.options.verbosity, 0);
  EXPECT_TRUE(flags.log_to_stderr);
  EXPECT_FALSE(flags.also_log_to_stderr);
  EXPECT_EQ(flags.stderr_threshold, LogSeverity::kError);
  EXPECT_EQ(flags.also_log_to_stderr_threshold, LogSeverity::kInfo);
  EXPECT_TRUE(flags.legacy_stderr_threshold_behavior);
  EXPECT_EQ(flags.files.max_size, 1800u * 1024 * 1024);
  EXPECT_FALSE(flags.files.one_output);
}

TEST(LogFlags, LastValueWinsInEverySpelling) {
  EXPECT_EQ(Taken({"-v", "1", "--v=3", "--v", "4", "-logging-format=text"}).options.verbosity, 4);
  EXPECT_EQ(Taken({"-v=1", "-v6"}).options.verbosity, 6);
  EXPECT_EQ(Taken({"-log_dir=a", "--log-dir", "b"}).files.directory, "b");
  EXPECT_EQ(Taken({"--log-file=f", "--log_file="}).files.file, "");
  EXPECT_TRUE(Taken({"--skip-headers", "--add_dir_header=T"}).options.add_dir_header);
  EXPECT_FALSE(Taken({"-logtostderr", "--logtostderr=0"}).log_to_stderr);
}

TEST(LogFlags, EveryFlagReachesItsOption) {
  const LogFlags flags =
      Taken({"-vmodule=reflector=4,cache/*=2", "-logtostderr=false", "-alsologtostderr", "-stderrthreshold=warning",
             "-alsologtostderrthreshold=FATAL", "-legacy_stderr_threshold_behavior=false", "-log_file=f",
             "-log_file_max_size=2", "-one_output", "-skip_log_headers", "-skip_headers", "-add_dir_header",
             "-log_backtrace_at=main.cc:42"});
  ASSERT_EQ(flags.options.modules.size(), 2u);
  EXPECT_EQ(flags.options.modules[1].pattern, "cache/*");
  EXPECT_EQ(flags.options.modules[1].verbosity, 2);
  EXPECT_FALSE(flags.log_to_stderr);
  EXPECT_TRUE(flags.also_log_to_stderr);
  EXPECT_EQ(flags.stderr_threshold, LogSeverity::kWarning);
  EXPECT_EQ(flags.also_log_to_stderr_threshold, std::nullopt);
  EXPECT_FALSE(flags.legacy_stderr_threshold_behavior);
  EXPECT_EQ(flags.files.file, "f");
  EXPECT_EQ(flags.files.max_size, 2u << 20);
  EXPECT_TRUE(flags.files.one_output);
  EXPECT_TRUE(flags.files.skip_log_headers);
  EXPECT_TRUE(flags.options.skip_headers);
  EXPECT_TRUE(flags.options.add_dir_header);
  EXPECT_EQ(flags.backtrace_at, "main.cc:42");
  EXPECT_EQ(Taken({"-stderrthreshold=0"}).stderr_threshold, LogSeverity::kInfo);
  EXPECT_EQ(Taken({"-log_file_max_size=18446744073709551615"}).files.max_size, ~uint64_t{0} << 20);
}

TEST(LogFlags, BadValuesSayWhatWasExpected) {
  EXPECT_EQ(Refused({"x", "-v=high"}), "invalid value \"high\" for flag -v: expected a whole number, 0 or more");
  EXPECT_EQ(Refused({"-v=-1"}), "invalid value \"-1\" for flag -v: expected a whole number, 0 or more");
  EXPECT_EQ(Refused({"-v="}), "invalid value \"\" for flag -v: expected a whole number, 0 or more");
  EXPECT_EQ(Refused({"--v=99999999999"}),
            "invalid value \"99999999999\" for flag --v: expected a whole number, 0 or more");
  EXPECT_EQ(Refused({"--logging-format=xml"}),
            "invalid value \"xml\" for flag --logging-format: expected text or json");
  EXPECT_EQ(Refused({"-v"}), "flag -v needs a value and none follows");
  EXPECT_EQ(Refused({"-logtostderr=maybe"}),
            "invalid boolean value \"maybe\" for flag -logtostderr: expected true or false");
  EXPECT_EQ(Refused({"--stderrthreshold=loud"}),
            "invalid value \"loud\" for flag --stderrthreshold: expected INFO, WARNING, ERROR or FATAL");
  EXPECT_EQ(Refused({"-log_file_max_size=-1"}),
            "invalid value \"-1\" for flag -log_file_max_size: expected a whole number, 0 or more");
  for (const char* place : {"main.cc", "main:3", "main.cc:0", "main.cc:x", ":3"}) {
    EXPECT_THAT(Refused({"-log_backtrace_at", place}), EndsWith(": syntax error: expect file.cc:234")) << place;
  }
}

TEST(LogFlags, ModulesAreAListOfPatterns) {
  Result<std::vector<LogModule>> modules = ParseLogModules("a=1,,b*=0,c/d=3,");
  ASSERT_TRUE(modules);
  ASSERT_EQ(modules->size(), 2u);  // 0 shows nothing
  EXPECT_EQ((*modules)[1].pattern, "c/d");
  for (const char* text : {"a", "=1", "a=", "a=b", "a=-1", "a=1=2", "a=1,b"}) {
    EXPECT_THAT(Refused({"-vmodule", text}),
                HasSubstr("syntax error: expect comma-separated list of filename=N, with N a whole number, 0 or more"))
        << text;
  }
  EXPECT_THAT(Refused({"-vmodule=[a=1"}), HasSubstr("syntax error in pattern \"[a\""));
}

TEST(LogFlags, UsageHasEveryFlagOnItsLine) {
  const std::string usage = LogFlagsUsage();
  std::istringstream lines(usage);
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    EXPECT_LE(line.size(), 122u) << line;
    EXPECT_THAT(line, StartsWith("  --"));
    const std::string name = line.substr(2, line.find('=') - 2);
    std::vector<std::string> arguments = {name + "=?"};
    Result<LogFlags> flags = TakeLogFlags(arguments);
    EXPECT_TRUE(!flags || arguments.empty()) << name << " is no flag";
  }
  EXPECT_EQ(count, 16);
  EXPECT_THAT(usage, HasSubstr("  --log_file_max_size=1800               in megabytes"));
}

// Puts back what StartLogging changes.
class LogStart : public testing::Test {
 protected:
  LogStart() {
    std::string name = (std::filesystem::temp_directory_path() / "keelson-log-XXXXXX").string();
    directory_ = mkdtemp(name.data());
  }
  ~LogStart() override {
    SetLogSink(nullptr);
    ConfigureLogging({});
    std::filesystem::remove_all(directory_);
  }

  std::string Read(const std::string& name) const {
    std::ifstream file(directory_ / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  // Starts with the flags, logs a line of each severity, and returns what standard error got.
  std::string StandardErrorWith(std::vector<std::string> arguments) {
    const LogFlags flags = Taken(std::move(arguments));
    testing::internal::CaptureStderr();
    EXPECT_TRUE(StartLogging(flags));
    Logger().Info("One");
    Logger().Warning("Two");
    Logger().Error(Error::Internal("x"), "Three");
    FlushLogs();
    return testing::internal::GetCapturedStderr();
  }

  std::filesystem::path directory_;
};

TEST_F(LogStart, StandardErrorIsTheDefaultAndKeepsTheUsersSink) {
  const std::string output = StandardErrorWith({"-v=1"});
  EXPECT_THAT(output, HasSubstr("\"One\""));
  EXPECT_EQ(CurrentLogging().verbosity, 1);
  ScopedLogCapture capture;
  ASSERT_TRUE(StartLogging(Taken({"-v=2"})));
  Logger().V(2).Info("Kept");
  EXPECT_EQ(capture.lines().size(), 1u);
}

TEST_F(LogStart, ThresholdCountsForStandardErrorAloneWhenAsked) {
  EXPECT_THAT(StandardErrorWith({"-stderrthreshold=ERROR"}), HasSubstr("\"One\""));
  const std::string output = StandardErrorWith({"-stderrthreshold=WARNING", "-legacy_stderr_threshold_behavior=false"});
  EXPECT_THAT(output, Not(HasSubstr("\"One\"")));
  EXPECT_THAT(output, HasSubstr("\"Two\""));
  EXPECT_THAT(output, HasSubstr("\"Three\""));
}

TEST_F(LogStart, FilesTakeTheLinesAndErrorsAreShownToo) {
  const std::string output = StandardErrorWith({"-logtostderr=false", "-log_file=" + (directory_ / "log").string()});
  EXPECT_THAT(output, Not(HasSubstr("\"Two\"")));
  EXPECT_THAT(output, HasSubstr("\"Three\""));
  EXPECT_THAT(Read("log"), HasSubstr("\"One\""));
  EXPECT_THAT(Read("log"), HasSubstr("\"Three\""));
}

TEST_F(LogStart, AlsoLogToStandardErrorHasAThresholdOfItsOwn) {
  const std::string file = "-log_file=" + (directory_ / "log").string();
  EXPECT_THAT(StandardErrorWith({"-logtostderr=false", "-alsologtostderr", file}), HasSubstr("\"One\""));
  const std::string output =
      StandardErrorWith({"-logtostderr=false", "-alsologtostderr", "-alsologtostderrthreshold=FATAL", file});
  EXPECT_THAT(output, IsEmpty());
}

TEST_F(LogStart, SaysThatFilesAreNotWrittenAndThatThereAreNoBacktraces) {
  const std::string output = StandardErrorWith({"-log_dir=" + directory_.string(), "-log_backtrace_at=main.cc:42"});
  EXPECT_THAT(output, HasSubstr("add -logtostderr=false"));
  EXPECT_THAT(output, HasSubstr("\"-log_backtrace_at has no effect\" logger=\"log\" place=\"main.cc:42\""));
  EXPECT_TRUE(std::filesystem::is_empty(directory_));
}

TEST_F(LogStart, DirectoryThatIsNotThereIsAnErrorAndChangesNothing) {
  ScopedLogCapture capture;
  const std::string missing = (directory_ / "missing").string();
  Result<void> started = StartLogging(Taken({"-v=7", "-logtostderr=false", "-log_dir=" + missing}));
  ASSERT_FALSE(started);
  EXPECT_THAT(started.error().message(), StartsWith("-log_dir: cannot open the log file \"" + missing + "/"));
  EXPECT_THAT(started.error().message(), EndsWith("\": No such file or directory"));
  EXPECT_EQ(CurrentLogging().verbosity, 0);
  Logger().Info("Here");
  EXPECT_EQ(capture.lines().size(), 1u);
}

}  // namespace
}  // namespace keelson
