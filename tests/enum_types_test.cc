// An enum in every place that a string can have, through every algorithm that handles strings.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "keelson/api/access.h"
#include "keelson/api/compare.h"
#include "keelson/api/enum_type.h"
#include "keelson/api/list.h"
#include "keelson/api/map.h"
#include "keelson/api/optional.h"
#include "keelson/api/random_value.h"
#include "keelson/api/sharing.h"
#include "keelson/codec/convert.h"
#include "keelson/codec/diff.h"
#include "keelson/codec/json_reader.h"
#include "keelson/codec/json_writer.h"
#include "keelson/codec/merge_patch.h"
#include "keelson/codec/yaml_reader.h"
#include "keelson/codec/yaml_writer.h"

#pragma GCC diagnostic ignored "-Winvalid-offsetof"

namespace keelson {
namespace testing {

enum class Phase { kPending, kRunning, kDone };
enum class Mode : uint8_t { kFast = 3, kSafe = 7 };  // zero is none of them

struct Job {
  Phase phase = Phase::kRunning;
  std::optional<Phase> last;
  std::vector<Mode> modes;
  std::map<std::string, Phase> byHost;
  Optional<Mode> next;
  List<Phase> history;
  Map<Mode> modeByHost;
  Mode optionalMode{};
};

}  // namespace testing

template <>
struct Describe<testing::Phase> {
  static const Type type;
};
template <>
struct Describe<testing::Mode> {
  static const Type type;
};
template <>
struct Describe<testing::Job> {
  static const Type type;
};

namespace {

using testing::Job;
using testing::Mode;
using testing::Phase;

constexpr EnumText<Phase> kPhases[] = {
    {Phase::kPending, "Pending"}, {Phase::kRunning, "Running"}, {Phase::kDone, "Done"}};
constexpr EnumText<Mode> kModes[] = {{Mode::kFast, "fast"}, {Mode::kSafe, "very-safe"}};

constexpr Field kJobFields[] = {
    {.name = "phase", .type = &TypeOf<Phase>(), .offset = offsetof(Job, phase)},
    {.name = "last", .type = &TypeOf<std::optional<Phase>>(), .offset = offsetof(Job, last), .omit_empty = true},
    {.name = "modes", .type = &TypeOf<std::vector<Mode>>(), .offset = offsetof(Job, modes), .omit_empty = true},
    {.name = "byHost",
     .type = &TypeOf<std::map<std::string, Phase>>(),
     .offset = offsetof(Job, byHost),
     .omit_empty = true},
    {.name = "next", .type = &TypeOf<Optional<Mode>>(), .offset = offsetof(Job, next), .omit_empty = true},
    {.name = "history", .type = &TypeOf<List<Phase>>(), .offset = offsetof(Job, history), .omit_empty = true},
    {.name = "modeByHost", .type = &TypeOf<Map<Mode>>(), .offset = offsetof(Job, modeByHost), .omit_empty = true},
    {.name = "optionalMode", .type = &TypeOf<Mode>(), .offset = offsetof(Job, optionalMode), .omit_empty = true},
};

}  // namespace

constinit const Type Describe<testing::Phase>::type = EnumType<kPhases>("example.com/v1.Phase");
constinit const Type Describe<testing::Mode>::type = EnumType<kModes>("example.com/v1.Mode");
constinit const Type Describe<testing::Job>::type = StructType<testing::Job>("example.com/v1.Job", kJobFields);

namespace {

Job Sample() {
  Job job;
  job.phase = Phase::kDone;
  job.last = Phase::kPending;
  job.modes = {Mode::kSafe, Mode::kFast};
  job.byHost = {{"a", Phase::kRunning}, {"b", Phase::kDone}};
  job.next = Mode::kFast;
  job.history = {Phase::kPending, Phase::kRunning};
  job.modeByHost = {{"x", Mode::kSafe}, {"a", Mode::kFast}};
  job.optionalMode = Mode::kSafe;
  return job;
}

constexpr const char* kSampleJson =
    R"({"phase":"Done","last":"Pending","modes":["very-safe","fast"],"byHost":{"a":"Running","b":"Done"},)"
    R"("next":"fast","history":["Pending","Running"],"modeByHost":{"a":"fast","x":"very-safe"},)"
    R"("optionalMode":"very-safe"})";

TEST(EnumTypes, AreTextsInJson) {
  EXPECT_EQ(ToJson(Sample()), kSampleJson);
  for (const bool share : {false, true}) {
    const Result<Job> read = FromJson<Job>(kSampleJson, {.share_nodes = share});
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_TRUE(Equal(*read, Sample())) << ToJson(*read);
    EXPECT_EQ(read->modes[0], Mode::kSafe);
    EXPECT_EQ(read->history[1], Phase::kRunning);
  }
}

TEST(EnumTypes, AbsentOneKeepsItsDefaultAndNoneOfTheListIsEmpty) {
  const Result<Job> read = FromJson<Job>("{}");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->phase, Phase::kRunning);
  EXPECT_FALSE(read->last.has_value());
  EXPECT_EQ(ToJson(*read), R"({"phase":"Running"})");
}

TEST(EnumTypes, ReadingAnUnknownTextSaysWhereAndWhatIsKnown) {
  const Result<Job> field = FromJson<Job>(R"({"phase":"Runing"})");
  ASSERT_FALSE(field);
  EXPECT_EQ(field.error().message(),
            "phase: unknown value \"Runing\": expected one of \"Pending\", \"Running\", \"Done\" (at byte 17)");
  for (const auto& [text, place] : std::map<std::string, std::string>{
           {R"({"modes":["fast","Fast"]})", "modes[1]: "},
           {R"({"byHost":{"h":""}})", "byHost.h: "},
           {R"({"last":"x"})", "last: "},
           {R"({"next":"x"})", "next: "},
           {R"({"history":["Done","x"]})", "history[1]: "},
           {R"({"modeByHost":{"a":"x"}})", "modeByHost.a: "},
       }) {
    const Result<Job> read = FromJson<Job>(text);
    ASSERT_FALSE(read) << text;
    EXPECT_TRUE(read.error().message().starts_with(place + "unknown value ")) << read.error().message();
  }
  const Result<Job> number = FromJson<Job>(R"({"phase":1})");
  ASSERT_FALSE(number);
}

TEST(EnumTypes, AreTextsInYaml) {
  const Result<Job> read = FromYaml<Job>(ToYaml(Sample()));
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_TRUE(Equal(*read, Sample()));
  const Result<Job> wrong = FromYaml<Job>("phase: Gone\n");
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().message().find("phase: unknown value \"Gone\""), std::string::npos)
      << wrong.error().message();
}

TEST(EnumTypes, EqualityAndHashCountEachField) {
  EXPECT_EQ(Hash(Sample()), Hash(Sample()));
  for (const Field& field : TypeOf<Job>().fields) {
    Job other = Sample();
    ResetValue(*field.type, WriteField(field, &other));
    EXPECT_FALSE(Equal(Sample(), other)) << field.name;
    EXPECT_NE(Hash(Sample()), Hash(other)) << field.name;
  }
}

TEST(EnumTypes, SharingKeepsThem) {
  Job one = Sample();
  Job two = Sample();
  ShareNodes(one);
  ShareNodes(two);
  EXPECT_TRUE(Equal(one, two));
  one.history[0] = Phase::kDone;
  EXPECT_EQ(std::as_const(two.history)[0], Phase::kPending);
}

TEST(EnumTypes, RandomValuesAreOfTheList) {
  Random random(7);
  std::map<std::string, int> seen;
  for (int i = 0; i < 200; ++i) {
    Job job;
    FillRandom(TypeOf<Job>(), &job, random);
    const Result<Job> again = FromJson<Job>(ToJson(job));
    ASSERT_TRUE(again) << again.error().message() << ToJson(job);
    EXPECT_TRUE(Equal(job, *again));
    ++seen[std::string(ReadString(TypeOf<Phase>(), &job.phase))];
  }
  EXPECT_EQ(seen.size(), 3u);
}

TEST(EnumTypes, WriteStringRefusesOtherTexts) {
  Phase phase = Phase::kDone;
  EXPECT_FALSE(WriteString(TypeOf<Phase>(), &phase, "Other"));
  EXPECT_EQ(phase, Phase::kDone);
  EXPECT_TRUE(WriteString(TypeOf<Phase>(), &phase, "Pending"));
  EXPECT_EQ(phase, Phase::kPending);
}

TEST(EnumTypes, PatchesAndDynamicValuesUseTheTexts) {
  const Json tree = ToJsonValue(Sample());
  EXPECT_EQ(ToJson(tree.object().at("phase")), "\"Done\"");
  const Result<Job> again = FromJsonValue<Job>(tree);
  ASSERT_TRUE(again);
  EXPECT_TRUE(Equal(*again, Sample()));

  Job changed = Sample();
  changed.phase = Phase::kRunning;
  const std::vector<FieldChange> changes = Diff(Sample(), changed);
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(ToJson(CreateMergePatch(tree, ToJsonValue(changed))), R"({"phase":"Running"})");
  const Result<Job> patched = ApplyMergePatch(Sample(), *ParseJson(R"({"phase":"Running"})"));
  ASSERT_TRUE(patched);
  EXPECT_TRUE(Equal(*patched, changed));
  EXPECT_FALSE(ApplyMergePatch(Sample(), *ParseJson(R"({"phase":"Other"})")));
}

}  // namespace
}  // namespace keelson
