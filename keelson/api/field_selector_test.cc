#include "keelson/api/field_selector.h"

#include <gtest/gtest.h>

#include "keelson/api/recorded_cases_test_support.h"

namespace keelson::fields {
namespace {

TEST(FieldSelector, ReadsAndMatchesAsKubernetesDoes) {
  for (const auto& recorded : testing::ReadRecordedCases("field_selectors.jsonl")) {
    SCOPED_TRACE(recorded.line);
    const Result<Selector> parsed = Parse(recorded["in"].text);
    ASSERT_EQ(parsed.has_value(), recorded["ok"].is_true());
    if (!parsed) {
      EXPECT_EQ(parsed.error().message(), recorded["error"].text);
      continue;
    }
    EXPECT_EQ(parsed->ToString(), recorded["string"].text);
    EXPECT_EQ(parsed->empty(), recorded["empty"].is_true());
    const auto& expected = recorded["requirements"].items;
    ASSERT_EQ(parsed->Requirements().size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      const Requirement& requirement = parsed->Requirements()[i];
      EXPECT_EQ(requirement.field, expected[i]["field"].text);
      EXPECT_EQ(requirement.op == Operator::kEquals ? "=" : "!=", expected[i]["operator"].text);
      EXPECT_EQ(requirement.value, expected[i]["value"].text);
    }
    for (const auto& match : recorded["matches"].items) {
      const auto fields = match["fields"].strings();
      EXPECT_EQ(parsed->Matches(fields), match["match"].is_true()) << ::testing::PrintToString(fields);
    }
    EXPECT_EQ(*Parse(parsed->ToString()), *parsed);
  }
}

TEST(FieldSelector, EscapesAsKubernetesDoes) {
  for (const auto& recorded : testing::ReadRecordedCases("field_selector_escapes.jsonl")) {
    SCOPED_TRACE(recorded.line);
    EXPECT_EQ(EscapeValue(recorded["value"].text), recorded["escaped"].text);
    EXPECT_EQ(*UnescapeValue(recorded["escaped"].text), recorded["value"].text);
  }
}

TEST(FieldSelector, MissingFieldsAreEmpty) {
  const labels::Set none;
  EXPECT_TRUE(Parse("spec.nodeName=")->Matches(none));
  EXPECT_FALSE(Parse("spec.nodeName!=")->Matches(none));
}

TEST(FieldSelector, TellsTheOneValueAFieldMayHave) {
  const Selector selector = *Parse("metadata.name=web,status.phase!=Running");
  EXPECT_EQ(selector.RequiresExactMatch("metadata.name"), "web");
  EXPECT_EQ(selector.RequiresExactMatch("status.phase"), std::nullopt);
  EXPECT_EQ(selector.RequiresExactMatch("spec.nodeName"), std::nullopt);
}

TEST(FieldSelector, FactoriesPrintWhatParseReads) {
  EXPECT_EQ(Equal("metadata.name", "a=b").ToString(), R"(metadata.name=a\=b)");
  EXPECT_EQ(NotEqual("x", "").ToString(), "x!=");
  EXPECT_EQ(FromSet({{"b", "2"}, {"a", "1"}}).ToString(), "a=1,b=2");
  EXPECT_TRUE(Everything().empty());
  EXPECT_FALSE(Nothing().Matches(labels::Set()));
}

TEST(FieldSelector, TransformRenamesAndDrops) {
  const Selector selector = *Parse("host=node-1,drop=me,x!=y");
  const Result<Selector> renamed = selector.Transform(
      [](const std::string& field, const std::string& value) -> Result<std::pair<std::string, std::string>> {
        if (field == "host") return std::pair<std::string, std::string>("spec.nodeName", value);
        if (field == "drop") return std::pair<std::string, std::string>();
        return std::pair(field, value);
      });
  ASSERT_TRUE(renamed.has_value());
  EXPECT_EQ(renamed->ToString(), "spec.nodeName=node-1,x!=y");
  const Result<Selector> refused = selector.Transform(
      [](const std::string& field, const std::string&) -> Result<std::pair<std::string, std::string>> {
        return Error::InvalidArgument("field label not supported: " + field);
      });
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().message(), "field label not supported: drop");
}

TEST(FieldSelector, OverlongTextIsRefused) {
  EXPECT_FALSE(Parse(std::string(kMaxSelectorLength + 1, ',')).has_value());
  EXPECT_TRUE(Parse(std::string(kMaxSelectorLength, ','))->empty());
}

}  // namespace
}  // namespace keelson::fields
