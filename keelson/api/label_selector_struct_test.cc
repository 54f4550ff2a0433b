#include "keelson/api/label_selector_struct.h"

#include <gtest/gtest.h>

#include <set>

#include "keelson/api/recorded_cases_test_support.h"

namespace keelson::labels {
namespace {

metav1::LabelSelector ReadStruct(const testing::RecordedValue& json) {
  metav1::LabelSelector selector;
  for (const auto& [key, value] : json["matchLabels"].members) selector.matchLabels.Set(key, value.text);
  for (const auto& item : json["matchExpressions"].items) {
    metav1::LabelSelectorRequirement& expression = selector.matchExpressions.emplace_back();
    expression.key = item["key"].text;
    expression.operator_ = item["operator"].text;
    for (const auto& value : item["values"].items) expression.values.push_back(value.text);
  }
  return selector;
}

TEST(LabelSelectorStruct, ConvertsAsKubernetesDoes) {
  for (const auto& recorded : testing::ReadRecordedCases("label_selector_objects.jsonl")) {
    SCOPED_TRACE(recorded.line);
    Optional<metav1::LabelSelector> object;
    if (recorded["in"].kind == testing::RecordedValue::kObject) object = ReadStruct(recorded["in"]);
    const Result<Selector> selector = FromStruct(object);
    ASSERT_EQ(selector.has_value(), recorded["ok"].is_true());
    if (object.has_value()) {
      EXPECT_EQ(Format(*object), recorded["formatted"].text);
    }
    if (!selector) {
      EXPECT_EQ(selector.error().message(), recorded["error"].text);
      continue;
    }
    EXPECT_EQ(selector->ToString(), recorded["string"].text);
    EXPECT_EQ(selector->empty(), recorded["empty"].is_true());
    const auto& expected = recorded["requirements"].items;
    ASSERT_EQ(selector->requirements().size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      const Requirement& requirement = selector->requirements()[i];
      EXPECT_EQ(requirement.key(), expected[i]["key"].text);
      EXPECT_EQ(ToString(requirement.op()), expected[i]["operator"].text);
      std::set<std::string> values;
      for (const auto& value : expected[i]["values"].items) values.insert(value.text);
      EXPECT_EQ(std::set<std::string>(requirement.values().begin(), requirement.values().end()), values);
    }
    for (const auto& match : recorded["matches"].items) {
      const Set labels = match["labels"].strings();
      EXPECT_EQ(selector->Matches(labels), match["match"].is_true()) << ::testing::PrintToString(labels);
      const Map<String> own_map = labels;
      EXPECT_EQ(selector->Matches(own_map), match["match"].is_true()) << "as a Map";
    }
  }
}

}  // namespace
}  // namespace keelson::labels
