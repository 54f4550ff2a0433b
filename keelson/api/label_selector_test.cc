#include "keelson/api/label_selector.h"

#include <gtest/gtest.h>

#include "keelson/api/recorded_cases_test_support.h"

namespace keelson::labels {
namespace {

void ExpectSelector(const Selector& selector, const testing::RecordedCase& recorded) {
  EXPECT_EQ(selector.ToString(), recorded["string"].text);
  EXPECT_EQ(selector.empty(), recorded["empty"].is_true());
  const auto& expected = recorded["requirements"].items;
  ASSERT_EQ(selector.requirements().size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    const Requirement& requirement = selector.requirements()[i];
    EXPECT_EQ(requirement.key(), expected[i]["key"].text);
    EXPECT_EQ(ToString(requirement.op()), expected[i]["operator"].text);
    std::vector<std::string> values;
    for (const auto& value : expected[i]["values"].items) values.push_back(value.text);
    EXPECT_EQ(requirement.values(), values);
  }
  for (const auto& match : recorded["matches"].items) {
    const Set labels = match["labels"].strings();
    EXPECT_EQ(selector.Matches(labels), match["match"].is_true()) << ::testing::PrintToString(labels);
  }
}

TEST(LabelSelector, ReadsAndMatchesAsKubernetesDoes) {
  for (const auto& recorded : testing::ReadRecordedCases("label_selectors.jsonl")) {
    SCOPED_TRACE(recorded.line);
    const Result<Selector> parsed = Parse(recorded["in"].text);
    ASSERT_EQ(parsed.has_value(), recorded["ok"].is_true());
    if (!parsed) {
      EXPECT_EQ(parsed.error().message(), recorded["error"].text);
      continue;
    }
    ExpectSelector(*parsed, recorded);
    const Result<Selector> again = Parse(parsed->ToString());
    ASSERT_TRUE(again.has_value());
    EXPECT_EQ(again->ToString(), parsed->ToString());
  }
}

TEST(LabelSelector, EverythingAndNothingAreOpposites) {
  const Set labels = {{"app", "web"}};
  EXPECT_TRUE(Everything().Matches(labels));
  EXPECT_TRUE(Everything().empty());
  EXPECT_FALSE(Nothing().Matches(labels));
  EXPECT_FALSE(Nothing().empty());
  EXPECT_NE(Everything(), Nothing());
  EXPECT_TRUE(Nothing().Add(*Requirement::Make("app", Operator::kExists, {})).matches_nothing());
}

TEST(LabelSelector, AddKeepsTheOrderOfKeys) {
  const Selector base = *Parse("b=1,d");
  const Selector more = base.Add(*Requirement::Make("c", Operator::kIn, {"y", "x"}));
  EXPECT_EQ(more.ToString(), "b=1,c in (x,y),d");
  EXPECT_EQ(base.ToString(), "b=1,d") << "the first is unchanged";
}

TEST(LabelSelector, SetsBecomeSortedEqualities) {
  EXPECT_EQ(FromSet({{"tier", "front"}, {"app", "web"}}).ToString(), "app=web,tier=front");
  EXPECT_EQ(FromSet({}), Everything());
}

TEST(LabelSelector, TellsTheOneValueALabelMayHave) {
  const Selector selector = *Parse("a=1,b in (2),c in (3,4),d!=5,e==6");
  EXPECT_EQ(selector.RequiresExactMatch("a"), "1");
  EXPECT_EQ(selector.RequiresExactMatch("b"), "2");
  EXPECT_EQ(selector.RequiresExactMatch("c"), std::nullopt);
  EXPECT_EQ(selector.RequiresExactMatch("d"), std::nullopt);
  EXPECT_EQ(selector.RequiresExactMatch("e"), "6");
  EXPECT_EQ(selector.RequiresExactMatch("f"), std::nullopt);
}

TEST(LabelSelector, MatchesWhateverAFunctionFinds) {
  const Selector selector = *Parse("app=web,!gone");
  int asked = 0;
  const auto lookup = [&](std::string_view key) -> std::optional<std::string_view> {
    ++asked;
    if (key == "app") return "web";
    return std::nullopt;
  };
  EXPECT_TRUE(selector.Matches(lookup));
  EXPECT_EQ(asked, 2);
}

TEST(LabelSelector, RequirementsAreValidated) {
  const auto message = [](std::string key, Operator op, std::vector<std::string> values) {
    const auto made = Requirement::Make(std::move(key), op, std::move(values));
    return made ? std::string() : made.error().message();
  };
  EXPECT_EQ(message("app", Operator::kIn, {"a", ""}), "");
  EXPECT_EQ(message("app", Operator::kEquals, {"a", "b"}),
            R"(values: Invalid value: ["a","b"]: exact-match compatibility requires one single value)");
  EXPECT_EQ(message("n", Operator::kGreaterThan, {"x"}),
            R"(values[0]: Invalid value: "x": for 'Gt', 'Lt' operators, the value must be an integer)");
  EXPECT_NE(message("a b", Operator::kExists, {"c d"}).find("[key: Invalid value: \"a b\""), std::string::npos);
}

TEST(LabelSelector, OverlongTextIsRefused) {
  const Result<Selector> parsed = Parse(std::string(kMaxSelectorLength + 1, ' '));
  ASSERT_FALSE(parsed.has_value());
  EXPECT_EQ(parsed.error().message(), "label selector is longer than 1048576 bytes");
}

}  // namespace
}  // namespace keelson::labels
