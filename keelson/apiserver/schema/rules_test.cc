#include "keelson/apiserver/schema/rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "keelson/apiserver/schema/compile.h"
#include "keelson/codec/json_reader.h"

namespace keelson::apiserver {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::shared_ptr<const SchemaRules> RulesOf(std::string_view schema) {
  return SchemaRules::Compile(CompileSchema(FromJson<apiextensionsv1::JSONSchemaProps>(schema).OrExit()).OrExit(),
                              "example.com/v1", "Widget");
}

struct Verdict {
  std::vector<std::string> errors = {};
  std::vector<std::string> warnings = {};
};

Verdict Validate(const SchemaRules& rules, std::string_view content, std::string_view old = {}) {
  metav1::ObjectMeta metadata;
  metadata.name = "one";
  const Json value = FromJson<Json>(content).OrExit();
  const Json old_value = old.empty() ? Json() : FromJson<Json>(old).OrExit();
  const SchemaRules::Document before{metadata, old_value};
  FieldErrors errors;
  Verdict verdict;
  rules.Validate({metadata, value}, old.empty() ? nullptr : &before, errors, verdict.warnings);
  for (const metav1::StatusCause& cause : errors.causes()) {
    verdict.errors.push_back(cause.field.str() + ": " + cause.message.str());
  }
  return verdict;
}

TEST(SchemaRules, AreNoneInASchemaWithoutThem) {
  EXPECT_TRUE(RulesOf(R"({"type":"object"})")->empty());
  EXPECT_THAT(Validate(*RulesOf(R"({"type":"object"})"), "{}").errors, IsEmpty());
}

TEST(SchemaRules, SeeTheMetadataBesideTheContent) {
  const auto rules = RulesOf(R"({"type":"object","x-kubernetes-validations":[
      {"rule":"self.metadata.name == 'two'"},{"rule":"self.kind == 'Widget' && self.apiVersion == 'example.com/v1'"}]})");
  EXPECT_THAT(Validate(*rules, "{}").errors,
              ElementsAre("<nil>: Invalid value: failed rule: self.metadata.name == 'two'"));
}

TEST(SchemaRules, ForgiveWhatHasNotChanged) {
  const auto rules = RulesOf(R"({"type":"object","properties":{"spec":{"type":"object","properties":{
      "n":{"type":"integer","x-kubernetes-validations":[{"rule":"self < 5","message":"too large"}]},"o":{"type":"integer"}}}}})");
  EXPECT_THAT(Validate(*rules, R"({"spec":{"n":9}})").errors, ElementsAre("spec.n: Invalid value: 9: too large"));
  const Verdict unchanged = Validate(*rules, R"({"spec":{"n":9,"o":1}})", R"({"spec":{"n":9}})");
  EXPECT_THAT(unchanged.errors, IsEmpty());
  EXPECT_THAT(unchanged.warnings, ElementsAre("spec.n: Invalid value: 9: too large"));
  EXPECT_THAT(Validate(*rules, R"({"spec":{"n":8}})", R"({"spec":{"n":9}})").errors,
              ElementsAre("spec.n: Invalid value: 8: too large"));
}

TEST(SchemaRules, StopWhenOneCostsTooMuch) {
  const auto rules = RulesOf(R"json({"type":"object","properties":{"l":{"type":"array","items":{"type":"integer"}}},
      "x-kubernetes-validations":[{"rule":"self.l.all(a, self.l.all(b, self.l.all(c, a + b + c > 0)))"},{"rule":"false"}]
  })json");
  std::string content = "{\"l\":[1";
  for (int i = 0; i < 200; ++i) content += ",1";
  EXPECT_THAT(
      Validate(*rules, content + "]}").errors,
      ElementsAre("<nil>: Invalid value: \"object\": 'operation cancelled: actual cost limit exceeded': no further "
                  "validation rules will be run due to call cost exceeds limit for rule: self.l.all(a, "
                  "self.l.all(b, self.l.all(c, a + b + c > 0)))"));
}

TEST(SchemaRules, ReportARuleThatDoesNotCompile) {
  const auto rules = RulesOf(R"({"type":"object","x-kubernetes-validations":[{"rule":"nope"}]})");
  EXPECT_THAT(
      Validate(*rules, "{}").errors,
      ElementsAre("<nil>: Invalid value: \"object\": rule compile error: compilation failed: ERROR: <input>:1:1: "
                  "undeclared reference to 'nope' (in container '')\n | nope\n | ^"));
}

}  // namespace

}  // namespace keelson::apiserver
