#include "tests/differential/masking.h"

#include <gtest/gtest.h>

#include "keelson/codec/json_reader.h"
#include "keelson/codec/json_writer.h"
#include "tests/differential/difference.h"
#include "tests/differential/recording.h"

namespace keelson::differential {
namespace {

std::vector<std::string> Masked(std::initializer_list<std::string_view> answers, const MaskOptions& options = {}) {
  std::vector<Json> parsed;
  for (const std::string_view answer : answers) parsed.push_back(ParseJson(answer).value());
  Mask(parsed, options);
  std::vector<std::string> texts;
  for (const Json& answer : parsed) texts.push_back(ToJson(answer));
  return texts;
}

TEST(Mask, GivesTheSameUidTheSameSymbol) {
  EXPECT_EQ(
      Masked({R"({"uid":"98f06c8c-4020-4ab7-824c-c1fe06390f7b"})",
              R"({"message":"of 98f06c8c-4020-4ab7-824c-c1fe06390f7b, not 11106c8c-4020-4ab7-824c-c1fe06390f7b"})"}),
      (std::vector<std::string>{R"({"uid":"{uid 1}"})", R"({"message":"of {uid 1}, not {uid 2}"})"}));
}

TEST(Mask, RanksVersionsOfObjects) {
  EXPECT_EQ(Masked({R"({"metadata":{"resourceVersion":"70"}})", R"({"metadata":{"resourceVersion":"9"}})",
                    R"({"metadata":{"resourceVersion":"70"}})"}),
            (std::vector<std::string>{R"({"metadata":{"resourceVersion":"{version 2}"}})",
                                      R"({"metadata":{"resourceVersion":"{version 1}"}})",
                                      R"({"metadata":{"resourceVersion":"{version 2}"}})"}));
}

TEST(Mask, TellsOfListsOnlyWhatTheyMustHaveSeen) {
  EXPECT_EQ(Masked({R"({"metadata":{"resourceVersion":"7"}})",
                    R"({"kind":"PodList","metadata":{"resourceVersion":"12"},"items":[]})",
                    R"({"metadata":{"resourceVersion":"13"}})"})[1],
            R"({"items":[],"kind":"PodList","metadata":{"resourceVersion":"{since version 1}"}})");
  EXPECT_EQ(Masked({R"({"events":[{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"5"}}}]})"})[0],
            R"({"events":[{"object":{"metadata":{"resourceVersion":"{since version 0}"}},"type":"BOOKMARK"}]})");
}

TEST(Mask, KeepsTimesThatAScriptWrote) {
  EXPECT_EQ(Masked({R"(["2020-01-02T03:04:05Z","2026-11-16T00:39:29Z","2026-11-16T00:39:29.000001Z"])"})[0],
            R"(["2020-01-02T03:04:05Z","{time}","{time with microseconds}"])");
}

TEST(Mask, KeepsHowPortsAndAddressesBelongTogether) {
  EXPECT_EQ(Masked({R"({"clusterIP":"10.0.0.9","ports":[{"nodePort":31000,"port":31000}]})",
                    R"({"message":"10.0.0.9 and 10.0.0.10, 31000"})"}),
            (std::vector<std::string>{R"({"clusterIP":"{address 1}","ports":[{"nodePort":"{port 1}","port":31000}]})",
                                      R"({"message":"{address 1} and {address 2}, {port 1}"})"}));
}

TEST(Mask, NamesNamespacesAndGeneratedNames) {
  EXPECT_EQ(Masked({R"({"message":"gen-x7 in diff-abc"})"}, {.namespace_ = "diff-abc", .names = {"gen-x7"}})[0],
            R"({"message":"{name} in {ns}"})");
}

TEST(Mask, LeavesOutWhatIsNotCompared) {
  EXPECT_EQ(
      Masked({R"({"columnDefinitions":[{"name":"Name","description":"long"}],"metadata":{"managedFields":[]}})"})[0],
      R"({"columnDefinitions":[{"name":"Name"}],"metadata":{}})");
}

TEST(Compare, NamesEachFieldThatDiffers) {
  std::vector<Difference> differences;
  Compare(ParseJson(R"({"status":200,"body":{"a":[1,{"b":2}],"c":3}})").value(),
          ParseJson(R"({"status":201,"body":{"a":[1,{"b":5}],"d":4}})").value(), 3, differences);
  std::vector<std::string> shown;
  for (const Difference& difference : differences) shown.push_back(ToString(difference));
  EXPECT_EQ(shown, (std::vector<std::string>{
                       "step 3 body.a[1].b: expected 2, got 5", "step 3 body.c: expected 3, got nothing",
                       "step 3 body.d: expected nothing, got 4", "step 3 status: expected 200, got 201"}));
}

TEST(MatchesPattern, TakesStarsForAnyText) {
  EXPECT_TRUE(MatchesPattern("create/Pod: YAML", "create/*: YAML"));
  EXPECT_TRUE(MatchesPattern("create/Pod: YAML", "*"));
  EXPECT_FALSE(MatchesPattern("create/Pod: YAML, twice", "create/*: YAML"));
}

TEST(ReadTopic, EveryRecordingIsReadableAndEqualToItself) {
  size_t scripts = 0;
  for (const std::string& topic : Topics()) {
    Result<std::vector<Script>> read = ReadTopic(topic);
    ASSERT_TRUE(read) << topic << ": " << read.error().message();
    scripts += read->size();
    for (const Script& script : *read) {
      for (const Json& answer : ReadableAnswers(script)) {
        const std::string text = ToJson(answer);
        EXPECT_EQ(text.find("unreadable "), std::string::npos) << script.title() << ": " << text.substr(0, 400);
      }
    }
  }
  EXPECT_GE(scripts, 200u);
}

}  // namespace
}  // namespace keelson::differential
