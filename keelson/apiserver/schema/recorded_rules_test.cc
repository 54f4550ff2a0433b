// Rules of custom resources: what a kube-apiserver's own code made of them (tests/recorder_cel_rules), and we.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>

#include "keelson/apiserver/schema/compile.h"
#include "keelson/apiserver/schema/rule_checks.h"
#include "keelson/apiserver/schema/rule_compile.h"
#include "keelson/apiserver/schema/rules.h"
#include "keelson/codec/convert.h"
#include "keelson/codec/json_reader.h"

namespace keelson::apiserver {

namespace {

using Problem = std::array<std::string, 3>;  // field, reason, message

std::vector<Json> ReadCases() {
  std::vector<Json> cases;
  std::ifstream file(KEELSON_TEST_DATA "/cel/rules.jsonl");
  EXPECT_TRUE(file.is_open());
  for (std::string line; std::getline(file, line);) cases.push_back(FromJson<Json>(line).OrExit());
  return cases;
}

std::vector<Problem> Recorded(const Json* problems) {
  std::vector<Problem> result;
  if (problems == nullptr || !problems->is_list()) return result;
  for (const Json& problem : problems->list()) {
    result.push_back(
        {problem.list()[0].string().str(), problem.list()[1].string().str(), problem.list()[2].string().str()});
  }
  return result;
}

std::vector<Problem> Found(const FieldErrors& errors) {
  std::vector<Problem> result;
  for (const metav1::StatusCause& cause : errors.causes()) {
    result.push_back({cause.field.str(), cause.reason.str(), cause.message.str()});
  }
  return result;
}

// In the order of their fields; what is wrong with one field in the order found.
std::vector<Problem> ByField(const std::vector<Problem>& problems) {
  std::vector<Problem> ordered;
  for (const Problem& problem : problems) {
    ordered.insert(std::upper_bound(ordered.begin(), ordered.end(), problem,
                                    [](const Problem& a, const Problem& b) { return a[0] < b[0]; }),
                   problem);
  }
  return ordered;
}

void ExpectSame(const std::vector<Problem>& found, const std::vector<Problem>& recorded) {
  for (size_t i = 0; i < std::max(found.size(), recorded.size()); ++i) {
    EXPECT_EQ(i < found.size() ? found[i] : Problem(), i < recorded.size() ? recorded[i] : Problem()) << "number " << i;
  }
}

// Whether a rule could not be evaluated.
bool HasErrors(const std::vector<Problem>& problems) {
  return std::any_of(problems.begin(), problems.end(), [](const Problem& problem) {
    return problem[2].find(" rule: ") != std::string::npos && problem[2].find("failed rule: ") == std::string::npos;
  });
}

// A document as the server holds it.
struct Parts {
  explicit Parts(const Json& document) {
    for (const auto& [name, member] : document.object()) {
      if (name == "metadata") {
        metadata = FromJsonValue<metav1::ObjectMeta>(member).OrExit();
      } else if (name != "apiVersion" && name != "kind") {
        content.object().Set(name, member);
      }
    }
  }

  metav1::ObjectMeta metadata;
  Json content = Json::Object();
};

SchemaPtr SchemaOf(const Json& recorded) {
  return CompileSchema(FromJsonValue<apiextensionsv1::JSONSchemaProps>(*recorded.find("schema")).OrExit()).OrExit();
}

TEST(RecordedRules, CompileOrFailAndCostTheSame) {
  size_t number = 0;
  for (const Json& recorded : ReadCases()) {
    SCOPED_TRACE("case " + std::to_string(number++));
    const Json* rules = recorded.find("rules");
    if (rules == nullptr) continue;
    const SchemaPtr schema = SchemaOf(recorded);
    const std::unique_ptr<DeclaredType> declared = DeclareSelf(*schema, true);
    ASSERT_EQ(schema->rules.size(), rules->list().size());
    for (size_t i = 0; i < schema->rules.size(); ++i) {
      SCOPED_TRACE(schema->rules[i].rule);
      const Json& expected = rules->list()[i];
      const CompiledRule rule = CompileRule(*schema, schema->rules[i], *declared, RuleUse::kCheck);
      const Json* error = expected.find("error");
      EXPECT_EQ(rule.error + rule.message_error, error == nullptr ? "" : error->string().str());
      EXPECT_EQ(Json(static_cast<double>(rule.max_cost)), Json(expected.find("cost")->number()));
      EXPECT_EQ(rule.uses_old_self, expected.find("oldSelf") != nullptr);
      const Json* message_cost = expected.find("messageCost");
      EXPECT_EQ(static_cast<double>(rule.message_max_cost), message_cost == nullptr ? 0 : message_cost->number());
    }
  }
}

TEST(RecordedRules, AreRefusedInADefinitionForTheSameReasons) {
  size_t number = 0;
  for (const Json& recorded : ReadCases()) {
    SCOPED_TRACE("case " + std::to_string(number++));
    FieldErrors errors;
    const Path validation("spec.validation");
    CheckSchemaRules(*SchemaOf(recorded), {}, validation / "openAPIV3Schema", errors);
    std::vector<Problem> expected = Recorded(recorded.find("definition"));
    // The checks of the schema as such are others'.
    std::erase_if(expected,
                  [](const Problem& problem) { return problem[2].ends_with("must be empty to be structural"); });
    ExpectSame(Found(errors), expected);
  }
}

TEST(RecordedRules, SayTheSameOfObjects) {
  size_t number = 0;
  for (const Json& recorded : ReadCases()) {
    SCOPED_TRACE("case " + std::to_string(number++));
    const Json* writes = recorded.find("writes");
    if (writes == nullptr) continue;
    const auto rules = SchemaRules::Compile(SchemaOf(recorded), "example.com/v1", "Thing");
    for (size_t i = 0; i < writes->list().size(); ++i) {
      SCOPED_TRACE("write " + std::to_string(i));
      const Json& write = writes->list()[i];
      const Parts parts(*write.find("object"));
      const Json* old = write.find("old");
      const Parts old_parts(old != nullptr ? *old : Json::Object());
      const SchemaRules::Document document{parts.metadata, parts.content};
      const SchemaRules::Document before{old_parts.metadata, old_parts.content};
      FieldErrors errors;
      std::vector<std::string> warnings;
      const int64_t left = rules->Validate(document, old != nullptr ? &before : nullptr, errors, warnings);
      const std::vector<Problem> found = ByField(Found(errors));
      ExpectSame(found, Recorded(write.find("errors")));
      // What an operation costs whose arguments are errors is not the same in every detail.
      if (!HasErrors(found)) {
        EXPECT_EQ(left, write.find("left")->integer());
      }
      std::vector<std::string> expected_warnings;
      if (const Json* texts = write.find("warnings")) {
        for (const Json& text : texts->list()) expected_warnings.push_back(text.string().str());
      }
      EXPECT_EQ(warnings, expected_warnings);
    }
  }
}

}  // namespace

}  // namespace keelson::apiserver
