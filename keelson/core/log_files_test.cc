#include "keelson/core/log_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>

#include "keelson/core/simulation.h"
#include "keelson/core/thread.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

namespace fs = std::filesystem;

std::string Read(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class LogFiles : public testing::Test {
 protected:
  LogFiles() {
    std::string name = (fs::temp_directory_path() / "keelson-log-XXXXXX").string();
    directory_ = mkdtemp(name.data());
  }
  ~LogFiles() override {
    fs::permissions(directory_, fs::perms::owner_all);
    fs::remove_all(directory_);
  }

  // Nothing reaches the disk by the passing of time, nor standard error.
  LogFileOptions Options() const {
    return {.directory = directory_.string(),
            .skip_log_headers = true,
            .stderr_threshold = std::nullopt,
            .flush_every = 1h,
            .program = "count"};
  }
  std::shared_ptr<FileLogSink> Open(LogFileOptions options) const {
    Result<std::shared_ptr<FileLogSink>> sink = FileLogSink::Open(std::move(options));
    EXPECT_TRUE(sink) << sink.error().message();
    return *sink;
  }
  // Names, sorted; without links.
  std::vector<std::string> Files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(directory_)) {
      if (!entry.is_symlink()) names.push_back(entry.path().filename());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  fs::path directory_;
};

TEST_F(LogFiles, AreNamedAndLinkedAsKlogDoes) {
  auto sink = Open(Options());
  sink->Write(LogSeverity::kError, "E line");
  const std::string end = "\\.[0-9]{8}-[0-9]{6}\\." + std::to_string(getpid());
  EXPECT_THAT(Files(), ElementsAre(MatchesRegex("count\\.[^.]+\\.[^.]+\\.log\\.ERROR" + end),
                                   MatchesRegex("count\\.[^.]+\\.[^.]+\\.log\\.INFO" + end),
                                   MatchesRegex("count\\.[^.]+\\.[^.]+\\.log\\.WARNING" + end)));
  EXPECT_EQ(fs::read_symlink(directory_ / "count.ERROR"), Files()[0]);
  EXPECT_EQ(fs::read_symlink(directory_ / "count.INFO"), Files()[1]);
  EXPECT_EQ(fs::read_symlink(directory_ / "count.WARNING"), Files()[2]);
}

TEST_F(LogFiles, LineGoesToItsSeverityAndAllLowerOnes) {
  auto sink = Open(Options());
  sink->Write(LogSeverity::kInfo, "info");
  sink->Write(LogSeverity::kWarning, "warning");
  sink->Flush();
  EXPECT_EQ(Files().size(), 2u);  // that of errors begins with the first of them
  sink->Write(LogSeverity::kError, "error");
  EXPECT_EQ(Read(directory_ / "count.INFO"), "info\nwarning\nerror\n");
  EXPECT_EQ(Read(directory_ / "count.WARNING"), "warning\nerror\n");
  EXPECT_EQ(Read(directory_ / "count.ERROR"), "error\n");
}

TEST_F(LogFiles, OneOutputIsTheLinesOwnSeverityOnly) {
  LogFileOptions options = Options();
  options.one_output = true;
  auto sink = Open(options);
  sink->Write(LogSeverity::kInfo, "info");
  sink->Write(LogSeverity::kWarning, "warning");
  sink->Write(LogSeverity::kError, "error");
  EXPECT_EQ(Read(directory_ / "count.INFO"), "info\n");
  EXPECT_EQ(Read(directory_ / "count.WARNING"), "warning\n");
  EXPECT_EQ(Read(directory_ / "count.ERROR"), "error\n");
}

TEST_F(LogFiles, OneFileIsAppendedTo) {
  LogFileOptions options = Options();
  options.file = directory_ / "log";
  Open(options)->Write(LogSeverity::kInfo, "one");
  Open(options)->Write(LogSeverity::kError, "two");
  EXPECT_EQ(Read(options.file), "one\ntwo\n");
  EXPECT_THAT(Files(), ElementsAre("log"));
}

TEST_F(LogFiles, BeginWithAHeaderUnlessTheyAreJson) {
  LogFileOptions options = Options();
  options.skip_log_headers = false;
  options.file = directory_ / "log";
  Open(options)->Write(LogSeverity::kInfo, "line");
  EXPECT_THAT(Read(options.file), StartsWith("Log file created at: "));
  EXPECT_THAT(Read(options.file), HasSubstr("\nRunning on machine: "));
  EXPECT_THAT(Read(options.file),
              HasSubstr("\nLog line format: [IWE]mmdd hh:mm:ss.uuuuuu threadid file:line] msg\nline\n"));
  ScopedLogCapture capture({.format = LogFormat::kJson});
  options.file = directory_ / "json";
  Open(options)->Write(LogSeverity::kInfo, "{}");
  EXPECT_EQ(Read(options.file), "{}\n");
}

TEST_F(LogFiles, LinesWaitInMemoryUntilAnErrorOrAFlush) {
  auto sink = Open(Options());
  sink->Write(LogSeverity::kInfo, "one");
  EXPECT_EQ(Read(directory_ / "count.INFO"), "");
  sink->Write(LogSeverity::kError, "two");
  EXPECT_EQ(Read(directory_ / "count.INFO"), "one\ntwo\n");
  sink->Write(LogSeverity::kWarning, "three");
  EXPECT_EQ(Read(directory_ / "count.INFO"), "one\ntwo\n");
  sink->Flush();
  EXPECT_EQ(Read(directory_ / "count.INFO"), "one\ntwo\nthree\n");
  sink->Write(LogSeverity::kInfo, "four");
  sink.reset();
  EXPECT_EQ(Read(directory_ / "count.INFO"), "one\ntwo\nthree\nfour\n");
}

TEST_F(LogFiles, MemoryIsBounded) {
  auto sink = Open(Options());
  const std::string line(1023, 'x');
  for (int i = 0; i < 1000; ++i) sink->Write(LogSeverity::kInfo, line);
  EXPECT_GE(fs::file_size(directory_ / "count.INFO"), 700u * 1024);
}

TEST_F(LogFiles, ThreadWritesLinesAfterAWhile) {
  LogFileOptions options = Options();
  options.flush_every = 1ms;
  auto sink = Open(options);
  for (const std::string expected : {"line\n", "line\nline\n"}) {
    sink->Write(LogSeverity::kInfo, "line");
    while (Read(directory_ / "count.INFO") != expected) this_thread::Yield();
  }
}

TEST_F(LogFiles, FullFileIsFollowedByTheNext) {
  LogFileOptions options = Options();
  options.max_size = 21;  // a file holds less
  auto sink = Open(options);
  for (const char* line : {"aaaaaaaaa", "bbbbbbbbb", "ccccccccc", "ddddddddddddddddddddddddddddddd", "eeeeeeeee"}) {
    sink->Write(LogSeverity::kInfo, line);
  }
  sink->Flush();
  EXPECT_EQ(Read(directory_ / "count.INFO"), "eeeeeeeee\n");
  std::vector<std::string> contents;
  for (const std::string& name : Files()) contents.push_back(Read(directory_ / name));
  std::sort(contents.begin(), contents.end());
  EXPECT_THAT(contents,
              ElementsAre("aaaaaaaaa\nbbbbbbbbb\n", "ccccccccc\n", "ddddddddddddddddddddddddddddddd\n", "eeeeeeeee\n"));
}

TEST_F(LogFiles, OneFileKeepsItsPredecessor) {
  LogFileOptions options = Options();
  options.file = directory_ / "log";
  options.max_size = 10;
  auto sink = Open(options);
  for (const char* line : {"aaaa", "bbbb", "cccc"}) sink->Write(LogSeverity::kError, line);
  EXPECT_EQ(Read(options.file), "cccc\n");
  EXPECT_EQ(Read(directory_ / "log.1"), "bbbb\n");
  sink = nullptr;
  Open(options)->Write(LogSeverity::kInfo, "dddd");  // what is there at the start counts
  EXPECT_EQ(Read(options.file), "dddd\n");
  EXPECT_EQ(Read(directory_ / "log.1"), "cccc\n");
}

TEST_F(LogFiles, StandardErrorGetsWhatReachesTheThreshold) {
  LogFileOptions options = Options();
  options.stderr_threshold = LogSeverity::kWarning;
  testing::internal::CaptureStderr();
  auto sink = Open(options);
  sink->Write(LogSeverity::kInfo, "info");
  sink->Write(LogSeverity::kWarning, "warning");
  sink->Write(LogSeverity::kError, "error");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "warning\nerror\n");
}

TEST_F(LogFiles, FullDiskSendsLinesToStandardErrorAfterOneThatSaysSo) {
  LogFileOptions options = Options();
  options.file = "/dev/full";
  options.stderr_threshold = LogSeverity::kError;
  testing::internal::CaptureStderr();
  auto sink = Open(options);
  sink->Write(LogSeverity::kInfo, "one");
  sink->Write(LogSeverity::kError, "two");
  sink->Write(LogSeverity::kWarning, "three");
  sink->Flush();
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              MatchesRegex("two\nE.*\\] \"Log files cannot be written: lines go to standard error until they can\" "
                           "err=\"cannot write to the log file \\\\\"/dev/full\\\\\": No space left on device\" "
                           "logger=\"log\"\none\nthree\n"));
}

TEST_F(LogFiles, AreWrittenAgainWhenThatWorksAgain) {
  LogFileOptions options = Options();
  options.max_size = 10;
  fs::create_directory(directory_ / "d");
  options.directory = directory_ / "d";
  auto sink = Open(options);
  sink->Write(LogSeverity::kError, "one");
  fs::remove_all(directory_ / "d");
  testing::internal::CaptureStderr();
  sink->Write(LogSeverity::kInfo, "two, which needs another file");
  sink->Write(LogSeverity::kError, "three");  // stands in three files, and is shown once
  const std::string output = testing::internal::GetCapturedStderr();
  EXPECT_THAT(output, HasSubstr("Log files cannot be written"));
  EXPECT_THAT(output, testing::EndsWith("\ntwo, which needs another file\nthree\n"));
  fs::create_directory(directory_ / "d");
  testing::internal::CaptureStderr();
  sink->Write(LogSeverity::kError, "four");
  sink->Write(LogSeverity::kInfo, "five");
  sink->Flush();
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              MatchesRegex("I.*\\] \"Log files are written again\" logger=\"log\"\n"));
  EXPECT_EQ(Read(directory_ / "d" / "count.ERROR"), "four\n");
}

TEST_F(LogFiles, PipeThatNobodyReadsIsRefused) {
  LogFileOptions options = Options();
  options.file = directory_ / "pipe";
  ASSERT_EQ(mkfifo(options.file.c_str(), 0600), 0);
  Result<std::shared_ptr<FileLogSink>> sink = FileLogSink::Open(options);
  ASSERT_FALSE(sink);
  EXPECT_THAT(sink.error().message(), HasSubstr("No such device or address"));
}

// In a directory that others may write to, somebody may guess a name. In a simulation the test can.
TEST_F(LogFiles, PlantedLinkIsNotFollowed) {
  auto in_simulation = [&](const std::function<void()>& body) {
    Simulation simulation({.seed = 1});
    ASSERT_TRUE(simulation.Run(body));
  };
  LogFileOptions options = Options();
  options.max_size = 10;
  in_simulation([&] { Open(options); });
  const fs::path name = directory_ / Files().at(0);
  const fs::path victim = directory_ / "victim";
  std::ofstream(victim) << "mine";

  fs::create_symlink(victim, name.string() + ".1");
  in_simulation([&] {
    auto sink = Open(options);
    for (int i = 0; i < 2; ++i) sink->Write(LogSeverity::kInfo, "aaaaaaaa");
  });
  EXPECT_EQ(Read(name.string() + ".2"), "aaaaaaaa\n");

  fs::remove(name);
  fs::create_symlink(victim, name);
  in_simulation([&] {
    Result<std::shared_ptr<FileLogSink>> sink = FileLogSink::Open(options);
    ASSERT_FALSE(sink);
    EXPECT_THAT(sink.error().message(), HasSubstr("symbolic links"));
  });
  EXPECT_EQ(Read(victim), "mine");
}

TEST_F(LogFiles, DirectoryThatIsNotThereIsKnownAtTheStart) {
  LogFileOptions options = Options();
  options.directory = directory_ / "missing";
  Result<std::shared_ptr<FileLogSink>> sink = FileLogSink::Open(options);
  ASSERT_FALSE(sink);
  EXPECT_THAT(sink.error().message(), HasSubstr("No such file or directory"));
}

TEST_F(LogFiles, ThreadsMayWriteAtOnce) {
  LogFileOptions options = Options();
  options.flush_every = 1ms;
  options.max_size = 4096;
  auto sink = Open(options);
  {
    std::vector<Thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back("logging", [&] {
        for (int i = 0; i < 500; ++i) {
          sink->Write(i % 50 == 0 ? LogSeverity::kError : LogSeverity::kInfo, "a line of some length");
        }
      });
    }
    for (Thread& thread : threads) thread.Join();
  }
  sink.reset();
  size_t lines = 0;
  for (const std::string& name : Files()) {
    if (name.find(".log.INFO.") == std::string::npos) continue;
    const std::string text = Read(directory_ / name);
    EXPECT_LT(text.size(), 4096u);
    lines += static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
  }
  EXPECT_EQ(lines, 2000u);
}

TEST_F(LogFiles, SimulationWritesAtOnceAndItsSeedDoesTheSame) {
  auto run = [&](bool files) {
    const std::string before = Read(directory_ / "count.INFO");
    Simulation simulation({.seed = 5});
    EXPECT_TRUE(simulation.Run([&] {
      std::shared_ptr<FileLogSink> sink = files ? Open(Options()) : nullptr;
      Thread other("other", [] {
        for (int i = 0; i < 5; ++i) this_thread::Yield();
      });
      for (int i = 0; i < 5; ++i) {
        if (sink) sink->Write(LogSeverity::kInfo, "line");
        this_thread::Yield();
      }
      EXPECT_EQ(Read(directory_ / "count.INFO"), files ? "line\nline\nline\nline\nline\n" : before);
    }));
    return simulation.trace_hash();
  };
  EXPECT_EQ(run(true), run(false));
  EXPECT_THAT(Files(), ElementsAre(HasSubstr(".log.INFO.20250101-000000.")));
}

using LogFilesDeathTest = LogFiles;

TEST_F(LogFilesDeathTest, ExitWritesWhatWaits) {
  GTEST_FLAG_SET(death_test_style, "fast");  // the child has this directory
  const std::string path = directory_ / "log";
  EXPECT_EXIT(
      {
        auto sink = FileLogSink::Open({.file = path, .skip_log_headers = true, .flush_every = 1h});
        SetLogSink(*sink);
        ConfigureLogging({.skip_headers = true});
        Logger().Info("Waiting");
        exit(0);
      },
      testing::ExitedWithCode(0), "");
  EXPECT_EQ(Read(path), "\"Waiting\"\n");
}

}  // namespace
}  // namespace keelson
