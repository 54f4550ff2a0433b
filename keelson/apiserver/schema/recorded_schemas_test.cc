// What a schema makes of values, against recordings of a real kube-apiserver.
// tests/recorder_apiserver/record_schemas writes them and says what the files hold.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "keelson/api/apiextensions/v1.h"
#include "keelson/apiserver/schema/compile.h"
#include "keelson/apiserver/schema/defaults.h"
#include "keelson/apiserver/schema/embedded_metadata.h"
#include "keelson/apiserver/schema/list_types.h"
#include "keelson/apiserver/schema/prune.h"
#include "keelson/apiserver/schema/validate.h"
#include "keelson/codec/convert.h"
#include "keelson/codec/json_equal.h"
#include "keelson/codec/json_reader.h"
#include "keelson/codec/json_writer.h"

namespace keelson::apiserver {
namespace {

struct Outcome {
  Json content = {};
  std::vector<std::string> warnings = {};
  std::vector<std::string> causes = {};
  std::string message = {};  // of a document that cannot be read
};

std::string CauseText(std::string_view field, std::string_view reason, std::string_view message) {
  return std::string(field).append(": ").append(reason).append(": ").append(message);
}

// As the server reads a document, then checks it.
Outcome ReadAndCheck(const Schema& schema, Json content, const Json* old) {
  Outcome outcome;
  std::vector<std::string> unknown;
  Prune(content, schema, &unknown);
  PruneNulls(content, schema);
  if (const Result<void> coerced = CoerceEmbedded(content, schema, {.unknown = &unknown}); !coerced) {
    outcome.message = coerced.error().message();
    return outcome;
  }
  ApplyDefaults(content, schema);
  for (const std::string& path : unknown) outcome.warnings.push_back("unknown field \"" + path + "\"");

  FieldErrors errors;
  Json before;
  if (old != nullptr) {
    before = *old;
    Prune(before, schema);
    PruneNulls(before, schema);
    EXPECT_TRUE(CoerceEmbedded(before, schema, {.drop_invalid = true}));
    ApplyDefaults(before, schema);
  }
  ValidateDocument(schema, {.api_version = "values.example.com/v1", .kind = "Value", .name = "one"}, content,
                   old == nullptr ? nullptr : &before, errors);
  ValidateEmbedded(content, schema, errors);
  if (old == nullptr) {
    ValidateListTypes(content, schema, errors);
  } else {
    ValidateListTypesUpdate(content, before, schema, errors);
  }
  for (const metav1::StatusCause& cause : errors.causes()) {
    outcome.causes.push_back(CauseText(cause.field, cause.reason, cause.message));
  }
  outcome.content = std::move(content);
  return outcome;
}

std::vector<std::string> TextsOf(const Json& line, std::string_view member) {
  std::vector<std::string> texts;
  if (const Json* list = line.find(member)) {
    for (const Json& text : list->list()) texts.push_back(text.string().str());
  }
  return texts;
}

std::vector<std::string> CausesOf(const Json& line) {
  std::vector<std::string> texts;
  if (const Json* list = line.find("causes")) {
    for (const Json& cause : list->list()) {
      texts.push_back(
          CauseText(cause.find("field")->string(), cause.find("reason")->string(), cause.find("message")->string()));
    }
  }
  return texts;
}

class RecordedSchemas : public testing::TestWithParam<std::string> {};

TEST_P(RecordedSchemas, ValuesFareAsOnAKubeApiserver) {
  std::ifstream file(KEELSON_TEST_DATA "/schema/" + GetParam() + ".jsonl");
  std::string text;
  ASSERT_TRUE(std::getline(file, text));
  const Result<Json> head = ParseJson(text);
  ASSERT_TRUE(head) << head.error().message();
  const Result<apiextensionsv1::JSONSchemaProps> source =
      FromJsonValue<apiextensionsv1::JSONSchemaProps>(*head->find("schema"));
  ASSERT_TRUE(source) << source.error().message();
  const Result<SchemaPtr> schema = CompileSchema(*source);
  ASSERT_TRUE(schema) << schema.error().message();

  size_t cases = 0;
  while (std::getline(file, text)) {
    ++cases;
    const Result<Json> line = ParseJson(text);
    ASSERT_TRUE(line) << line.error().message();
    Outcome outcome = ReadAndCheck(**schema, *line->find("content"), line->find("old"));
    SCOPED_TRACE(text);
    const int64_t code = line->find("code")->integer();
    EXPECT_EQ(outcome.message.empty(), code != 400) << outcome.message;
    if (code == 400) {
      EXPECT_TRUE(line->find("message")->string().view().ends_with(": " + outcome.message)) << outcome.message;
      continue;
    }
    std::vector<std::string> causes = CausesOf(*line);
    if (line->find("any_order") != nullptr) {
      std::sort(causes.begin(), causes.end());
      std::sort(outcome.causes.begin(), outcome.causes.end());
    }
    EXPECT_EQ(outcome.causes, causes);
    EXPECT_EQ(outcome.warnings, TextsOf(*line, "warnings"));
    if (code < 300) {
      EXPECT_TRUE(NumericallyEqual(outcome.content, *line->find("result"))) << ToJson(outcome.content);
    }
  }
  EXPECT_GT(cases, 10u);
}

INSTANTIATE_TEST_SUITE_P(Groups, RecordedSchemas,
                         testing::Values("formats", "types", "numbers", "texts", "sizes", "compositions", "pruning",
                                         "defaults", "ratcheting"),
                         [](const auto& group) { return group.param; });

}  // namespace
}  // namespace keelson::apiserver
