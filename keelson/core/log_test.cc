#include "keelson/core/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "keelson/core/clock.h"
#include "keelson/core/internal/log_format.h"
#include "keelson/core/simulation.h"
#include "keelson/core/thread.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::EndsWith;
using testing::MatchesRegex;

enum class Phase { kRunning };
std::string_view ToString(Phase) { return "Running"; }

// Counts how often it was made text.
struct Counting {
  int* formatted;
};
std::string ToString(const Counting& value) { return std::to_string(++*value.formatted); }

// The part of a line after its header.
std::vector<std::string> Bodies(const ScopedLogCapture& capture) {
  std::vector<std::string> bodies;
  for (const std::string& line : capture.lines()) bodies.push_back(line.substr(line.find("] ") + 2));
  return bodies;
}

std::string Quoted(std::string_view text) {
  std::string out;
  internal::AppendQuoted(out, text);
  return out;
}

std::string Json(std::string_view text) {
  std::string out;
  internal::AppendJsonString(out, text);
  return out;
}

constexpr unsigned kFirstLine = __LINE__ + 3;
// In a simulation the clock, the thread and so the whole line are known.
void LogOnFourLines(const Logger& log) {
  log.Info("Reconciled", "namespace", "default", "count", 3);
  log.V(4).Info("Detail");
  log.Warning("Slow", "took", 1500ms);
  log.Error(Error::Conflict("changed \"meanwhile\""), "Update failed", "attempt", 2);
}
std::vector<std::string> LinesAtVirtualTime(LogFormat format) {
  ScopedLogCapture capture({.verbosity = 4, .format = format});
  Simulation simulation({.seed = 1});
  EXPECT_TRUE(simulation.Run([] {
    SleepFor(3h + 25min + 39s + 123456us, {});
    LogOnFourLines(Logger("controller").WithName("pods").WithValues("node", "n1"));
  }));
  return capture.lines();
}

TEST(Log, TextLineLooksLikeKlog) {
  auto place = [](unsigned offset) {
    return " 03:25:39.123456       1 log_test.cc:" + std::to_string(kFirstLine + offset) + "] ";
  };
  EXPECT_THAT(
      LinesAtVirtualTime(LogFormat::kText),
      ElementsAre("I0101" + place(0) + R"("Reconciled" logger="controller.pods" node="n1" namespace="default" count=3)",
                  "I0101" + place(1) + R"("Detail" logger="controller.pods" node="n1")",
                  "W0101" + place(2) + R"("Slow" logger="controller.pods" node="n1" took="1.5s")",
                  "E0101" + place(3) +
                      R"("Update failed" err="changed \"meanwhile\"" logger="controller.pods" node="n1" attempt=2)"));
}

TEST(Log, JsonLineHasItsFieldsInOrder) {
  auto start = [](unsigned offset) {
    return R"({"ts":1735701939.123456,"caller":"log_test.cc:)" + std::to_string(kFirstLine + offset) + "\",";
  };
  EXPECT_THAT(
      LinesAtVirtualTime(LogFormat::kJson),
      ElementsAre(start(0) + R"("level":"info","v":0,"logger":"controller.pods","msg":"Reconciled",)" +
                      R"("node":"n1","namespace":"default","count":3})",
                  start(1) + R"("level":"info","v":4,"logger":"controller.pods","msg":"Detail","node":"n1"})",
                  start(2) + R"("level":"warning","logger":"controller.pods","msg":"Slow","node":"n1","took":"1.5s"})",
                  start(3) + R"("level":"error","logger":"controller.pods","msg":"Update failed",)" +
                      R"("err":"changed \"meanwhile\"","node":"n1","attempt":2})"));
}

TEST(Log, RealHeaderHasTimeThreadAndPlace) {
  ScopedLogCapture capture;
  Logger().Info("Hello");
  ASSERT_EQ(capture.lines().size(), 1u);
  EXPECT_THAT(
      capture.lines()[0],
      MatchesRegex("I[0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{6} [ 0-9]{7,} log_test.cc:[0-9]+\\] \"Hello\""));
}

TEST(Log, VerbosityDecidesWhichLinesAppear) {
  ScopedLogCapture capture({.verbosity = 2});
  Logger log;
  log.V(2).Info("Shown");
  log.V(3).Info("Hidden");
  EXPECT_TRUE(log.V(2).Enabled());
  EXPECT_FALSE(log.V(3).Enabled());
  ConfigureLogging({.verbosity = 3});
  log.V(3).Info("Shown now");
  EXPECT_THAT(Bodies(capture), ElementsAre("\"Shown\"", "\"Shown now\""));
}

TEST(Log, DisabledLineDoesNotFormatItsValues) {
  int formatted = 0;
  ScopedLogCapture capture;
  Logger().V(1).Info("Hidden", "key", Counting{&formatted});
  EXPECT_EQ(formatted, 0);
  Logger().Info("Shown", "key", Counting{&formatted});
  EXPECT_EQ(formatted, 1);
}

TEST(Log, ShowsEveryKindOfValue) {
  ScopedLogCapture capture;
  const char* none = nullptr;
  Logger().Info("Values", "bool", true, "negative", -1, "unsigned", std::numeric_limits<uint64_t>::max(), "real", 0.5,
                "nan", std::numeric_limits<double>::quiet_NaN(), "text", std::string("s"), "enum", Phase::kRunning,
                "absent", std::optional<int>(), "present", std::optional<int>(7), "none", none, "error",
                Error::NotFound("gone"), "time", WallTime(1s), "letter", 'x');
  EXPECT_THAT(Bodies(capture),
              ElementsAre("\"Values\" bool=true negative=-1 unsigned=18446744073709551615 real=0.5 nan=NaN text=\"s\" "
                          "enum=\"Running\" absent=null present=7 none=null error=\"gone\" "
                          "time=\"1970-01-01T00:00:01Z\" letter=\"x\""));
  ConfigureLogging({.format = LogFormat::kJson});
  Logger().Info("Values", "bool", false, "inf", std::numeric_limits<double>::infinity(), "absent", nullptr);
  EXPECT_THAT(capture.lines()[1], EndsWith("\"msg\":\"Values\",\"bool\":false,\"inf\":\"+Inf\",\"absent\":null}"));
}

TEST(Log, ValueCannotForgeALine) {
  EXPECT_EQ(Quoted("a\nI0101 \"x\"\\"), R"("a\nI0101 \"x\"\\")");
  EXPECT_EQ(Quoted(std::string_view("\0\x1b[31m\x7f", 7)), R"("\x00\x1b[31m\x7f")");
  EXPECT_EQ(Quoted("\u202egnp.exe"), R"("\u202egnp.exe")");
  EXPECT_EQ(Quoted("grüße, 世界 🎉"), "\"grüße, 世界 🎉\"");
  ScopedLogCapture capture;
  Logger().Info("Key", std::string("a=\"b"), 1);
  EXPECT_THAT(Bodies(capture), ElementsAre(R"("Key" "a=\"b"=1)"));
}

TEST(Log, BytesThatAreNotUtf8AreEscaped) {
  EXPECT_EQ(Quoted("\xff\xc3"), R"("\xff\xc3")");                          // no lead byte; cut off
  EXPECT_EQ(Quoted("\xc0\xaf\xed\xa0\x80"), R"("\xc0\xaf\xed\xa0\x80")");  // overlong; surrogate
  EXPECT_EQ(Quoted("\xf4\x90\x80\x80"), R"("\xf4\x90\x80\x80")");          // beyond U+10FFFF
  EXPECT_EQ(Json("a\xff"), "\"a\xef\xbf\xbd\"");
  EXPECT_EQ(Json("q\"\\\n\t\x01"), R"("q\"\\\n\u0009\u0001")");
  EXPECT_EQ(Json("é"), "\"é\"");
}

TEST(Log, EveryByteMakesOneLine) {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const char bytes[] = {static_cast<char>(first), static_cast<char>(second)};
      for (const std::string& out : {Quoted({bytes, 2}), Json({bytes, 2})}) {
        ASSERT_EQ(out.find_first_of(std::string_view("\n\r\0", 3)), std::string::npos) << first << ' ' << second;
        ASSERT_EQ(out.back(), '"');
      }
    }
  }
}

TEST(Log, ValuesOutliveTheStringsTheyCameFrom) {
  ScopedLogCapture capture;
  Logger log;
  {
    std::string temporary(100, 'x');
    log = Logger().WithValues("key", temporary);
  }
  log.Info("Later");
  EXPECT_THAT(Bodies(capture), ElementsAre("\"Later\" key=\"" + std::string(100, 'x') + "\""));
}

TEST(Log, LineDoesNotChangeWhatASeedDoes) {
  auto run = [](bool logging) {
    ScopedLogCapture capture({.verbosity = logging ? 1 : 0});
    Simulation simulation({.seed = 11});
    EXPECT_TRUE(simulation.Run([] {
      Thread other("other", [] {
        for (int i = 0; i < 5; ++i) this_thread::Yield();
      });
      for (int i = 0; i < 5; ++i) {
        Logger().V(1).Info("Line");
        this_thread::Yield();
      }
    }));
    EXPECT_EQ(capture.lines().size(), logging ? 5u : 0u);
    return simulation.trace_hash();
  };
  EXPECT_EQ(run(true), run(false));
}

TEST(Log, ThreadsMayLogAtOnce) {
  ScopedLogCapture capture;
  {
    Logger log("shared");
    std::vector<Thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back("logging", [log] {
        for (int i = 0; i < 100; ++i) log.Info("Line", "i", i);
      });
    }
    for (Thread& thread : threads) thread.Join();
  }
  EXPECT_EQ(capture.lines().size(), 400u);
}

TEST(Log, DefaultSinkWritesToStandardError) {
  testing::internal::CaptureStderr();
  Logger().Warning("Seen", "key", "100% {}");
  const std::string output = testing::internal::GetCapturedStderr();
  EXPECT_THAT(output, EndsWith("] \"Seen\" key=\"100% {}\"\n"));
  EXPECT_EQ(output[0], 'W');
}

TEST(LogModules, ShowMoreOfTheFilesTheyMatch) {
  ScopedLogCapture capture({.verbosity = 1, .modules = {{"reflector", 9}, {"log_*", 3}, {"log_test", 5}}});
  Logger log;
  log.V(3).Info("Shown");
  log.V(4).Info("Hidden: the first pattern that matches counts");
  EXPECT_TRUE(log.V(3).Enabled());
  EXPECT_FALSE(log.V(4).Enabled());
  ConfigureLogging({.verbosity = 1, .modules = {{"reflector", 9}}});
  EXPECT_FALSE(log.V(2).Enabled());
  log.V(1).Info("Shown as ever");
  ConfigureLogging({.modules = {{"core/log_test", 2}}});
  EXPECT_TRUE(log.V(2).Enabled());
  ConfigureLogging({.verbosity = 4, .modules = {{"log_test", 2}}});
  log.V(4).Info("Shown: a pattern takes nothing away");
  EXPECT_THAT(Bodies(capture),
              ElementsAre("\"Shown\"", "\"Shown as ever\"", "\"Shown: a pattern takes nothing away\""));
}

TEST(LogModules, AreForgottenWithTheOptions) {
  {
    ScopedLogCapture capture({.modules = {{"log_test", 5}}});
    EXPECT_TRUE(Logger().V(5).Enabled());
    EXPECT_EQ(CurrentLogging().modules.size(), 1u);
  }
  EXPECT_FALSE(Logger().V(1).Enabled());
  EXPECT_TRUE(CurrentLogging().modules.empty());
}

TEST(Log, HeadersAreLeftOutOrHaveTheDirectory) {
  ScopedLogCapture capture({.skip_headers = true});
  Logger("a").Info("Bare", "key", 1);
  ConfigureLogging({.add_dir_header = true});
  Logger().Info("Directory");
  ConfigureLogging({.format = LogFormat::kJson, .skip_headers = true, .add_dir_header = true});
  Logger().Info("Json");
  ASSERT_EQ(capture.lines().size(), 3u);
  EXPECT_EQ(capture.lines()[0], R"("Bare" logger="a" key=1)");
  EXPECT_THAT(capture.lines()[1], MatchesRegex("I.* core/log_test.cc:[0-9]+\\] \"Directory\""));
  EXPECT_THAT(capture.lines()[2], MatchesRegex("\\{\"ts\":.*,\"caller\":\"log_test.cc:[0-9]+\",.*"));
}

TEST(Log, DirectoryOfAPathThatHasNone) {
  LogRecord record;
  record.message = "m";
  record.path = "main.cc";
  EXPECT_THAT(internal::FormatLogText(record, {.add_directory = true}), EndsWith(" main.cc:0] \"m\""));
  record.path = "/main.cc";
  EXPECT_THAT(internal::FormatLogText(record, {.add_directory = true}), EndsWith(" /main.cc:0] \"m\""));
  record.path = "a/b/main.cc";
  EXPECT_THAT(internal::FormatLogText(record, {.add_directory = true}), EndsWith(" b/main.cc:0] \"m\""));
}

// What a sink of the user's own was told, one text a record.
class Recorded final : public StructuredLogSink {
 public:
  void WriteRecord(const LogRecord& record) override {
    std::string text = std::string(record.logger) + "|" + std::string(record.message) + "|" +
                       std::to_string(static_cast<int>(record.severity)) + "|v" + std::to_string(record.verbosity) +
                       "|" + std::string(record.file()) + "|" +
                       (record.error ? record.error->message() : std::string("no error"));
    record.ForEachField(
        [&](std::string_view key, const LogValue& value) { text += "|" + std::string(key) + "=" + ToString(value); });
    records.push_back(text);
  }
  void Flush() override { ++flushes; }

  std::vector<std::string> records;
  int flushes = 0;
};

TEST(StructuredLogSink, IsGivenLinesInParts) {
  auto sink = std::make_shared<Recorded>();
  auto before = SetLogSink(sink);
  Logger log = Logger("controller").WithValues("pod", "web \"1\"");
  log.Info("Synced", "took", 1500ms, "count", 3, "when", WallTime(1s), "none", nullptr, "ok", true, "part", 0.5);
  log.Error(Error::Conflict("changed"), "Update failed");
  FlushLogs();
  SetLogSink(before);
  EXPECT_THAT(sink->records, ElementsAre("controller|Synced|0|v0|log_test.cc|no error|pod=web \"1\"|took=1.5s|count=3|"
                                         "when=1970-01-01T00:00:01Z|none=null|ok=true|part=0.5",
                                         "controller|Update failed|2|v0|log_test.cc|changed|pod=web \"1\""));
  EXPECT_EQ(sink->flushes, 1);
}

// What must not compile: messages that are not literals, keys without values, keys that are not strings.
template <class... Arguments>
concept Loggable = requires(const Logger& log, Arguments... arguments) { log.Info("message", arguments...); };
static_assert(Loggable<const char*, int>);
static_assert(!Loggable<const char*>);
static_assert(!Loggable<int, int>);
static_assert(!std::is_constructible_v<LogMessage, std::string>);
static_assert(!std::is_constructible_v<LogMessage, const char*>);

}  // namespace
}  // namespace keelson
