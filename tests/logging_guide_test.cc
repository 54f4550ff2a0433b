// The code of docs/logging.md.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "keelson/core/clock.h"
#include "keelson/core/leaf_mutex.h"
#include "keelson/core/log.h"
#include "keelson/core/log_flags.h"
#include "keelson/core/log_record.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

// snippet: log lines
void Reconcile(const Logger& log, const std::string& name, int attempt) {
  log.Info("Reconciled", "name", name, "took", 1500us);
  log.V(2).Info("Cache hit", "name", name);  // from -v=2 on
  log.Error(Error::Conflict("changed meanwhile"), "Update failed", "attempt", attempt);
}
// end

TEST(LoggingGuide, LinesAreAMessageAndPairs) {
  ScopedLogCapture capture({.skip_headers = true});
  // snippet: loggers
  const Logger log("controller");
  const Logger count_log = log.WithName("counts").WithValues("namespace", "default");
  Reconcile(count_log, "test-count", 2);
  // end
  EXPECT_THAT(capture.lines(),
              ElementsAre("\"Reconciled\" logger=\"controller.counts\" namespace=\"default\" name=\"test-count\" "
                          "took=\"1.5ms\"",
                          "\"Update failed\" err=\"changed meanwhile\" logger=\"controller.counts\" "
                          "namespace=\"default\" attempt=2"));
}

// snippet: flags
Result<void> ReadFlags(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  KEELSON_TRY(flags, TakeLogFlags(arguments));
  if (!arguments.empty()) return Error::InvalidArgument("unknown argument " + arguments[0] + "\n" + LogFlagsUsage());
  return StartLogging(flags);
}
// end

TEST(LoggingGuide, ProgramTakesTheFlags) {
  ScopedLogCapture capture;
  std::vector<std::string> words = {"count", "-v=4", "-alsologtostderr=true", "--foo"};
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  EXPECT_TRUE(ReadFlags(3, argv.data()));
  EXPECT_EQ(CurrentLogging().verbosity, 4);
  EXPECT_THAT(ReadFlags(4, argv.data()).error().message(), HasSubstr("unknown argument --foo\n  --v=0 "));
}

using Entry = std::map<std::string, std::string>;
LeafMutex entries_mutex;
std::vector<Entry> entries;
void Send(Entry entry) {
  LeafLock lock(entries_mutex);
  entries.push_back(std::move(entry));
}

// snippet: sink
class JournalSink final : public StructuredLogSink {
 public:
  void WriteRecord(const LogRecord& record) override {
    Entry entry = {{"MESSAGE", std::string(record.message)},
                   {"CODE_FILE", std::string(record.file())},
                   {"PRIORITY", record.severity == LogSeverity::kError ? "3" : "6"}};
    if (record.error != nullptr) entry["ERROR"] = record.error->message();
    record.ForEachField(
        [&](std::string_view key, const LogValue& value) { entry[std::string(key)] = ToString(value); });
    Send(std::move(entry));
    if (record.severity == LogSeverity::kError) standard_error_->WriteRecord(record);  // as well
  }

 private:
  const std::shared_ptr<LogSink> standard_error_ = StandardErrorLogSink();
};
// end

TEST(LoggingGuide, LinesGoToASinkOfTheUsersOwn) {
  // snippet: set sink
  SetLogSink(std::make_shared<JournalSink>());
  // end
  testing::internal::CaptureStderr();
  Logger().Info("Synced", "count", 3);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), IsEmpty());
  testing::internal::CaptureStderr();
  Logger().Error(Error::NotFound("gone"), "Failed");
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("] \"Failed\" err=\"gone\"\n"));
  SetLogSink(nullptr);
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_THAT(entries[0], ElementsAre(Pair("CODE_FILE", "logging_guide_test.cc"), Pair("MESSAGE", "Synced"),
                                      Pair("PRIORITY", "6"), Pair("count", "3")));
  EXPECT_EQ(entries[1]["ERROR"], "gone");
}

// snippet: capture
TEST(Reconciler, SaysThatAnUpdateFailed) {
  ScopedLogCapture capture({.verbosity = 4});
  Reconcile(Logger(), "web", 1);
  EXPECT_THAT(capture.lines().back(), HasSubstr("\"Update failed\" err=\"changed meanwhile\" attempt=1"));
}
// end

}  // namespace
}  // namespace keelson
