#include "keelson/codec/jsonpath.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "keelson/api/apps/v1.h"
#include "keelson/api/core/v1.h"
#include "keelson/api/meta/v1.h"
#include "keelson/codec/convert.h"
#include "keelson/codec/json_reader.h"

namespace keelson {
namespace {

std::string ReadTestFile(const std::string& name) {
  std::ifstream file(std::string(KEELSON_TEST_DATA "/") + name, std::ios::binary);
  EXPECT_TRUE(file) << name;
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

std::string TextOf(const Json& document, std::string_view member) {
  const Json* value = document.find(member);
  return value != nullptr && value->is_string() ? value->string().str() : "";
}

bool FlagOf(const Json& document, std::string_view member) {
  const Json* value = document.find(member);
  return value != nullptr && value->is_bool() && value->boolean();
}

// Go visits the members of an object in random order: such answers are recorded as their words in order.
std::string SortedWords(const std::string& text) {
  std::vector<std::string> words;
  size_t begin = 0;
  for (size_t end = 0; end != std::string::npos; begin = end + 1) {
    end = text.find(' ', begin);
    words.push_back(text.substr(begin, end - begin));
  }
  std::sort(words.begin(), words.end());
  std::string sorted;
  for (const std::string& word : words) sorted += (sorted.empty() ? "" : " ") + word;
  return sorted;
}

// The rendered text, or the error's message behind "error: ".
std::string Rendered(std::string_view text, const Json& data, JsonPathOptions options = {}) {
  const Result<JsonPath> path = JsonPath::Parse(text, options);
  if (!path) return "error: " + path.error().message();
  const Result<std::string> out = path->Render(data);
  return out ? *out : "error: " + out.error().message();
}

appsv1::Deployment WebDeployment() {
  appsv1::Deployment deployment;
  deployment.metadata.name = "web";
  deployment.metadata.labels = {{"app", "web"}, {"example.com/tier", "front"}};
  deployment.metadata.creationTimestamp = metav1::Time::FromUnix(1'700'000'000);
  deployment.spec.replicas = 3;
  deployment.spec.template_.spec.containers = {
      {.name = "app",
       .image = "nginx:1",
       .ports = {{.containerPort = 80}, {.containerPort = 443}},
       .resources = {.limits = {{"cpu", Quantity("500m")}}},
       .livenessProbe = corev1::Probe{.httpGet = corev1::HTTPGetAction{.path = "/", .port = "http"}}},
      {.name = "sidecar", .image = "envoy:2"}};
  return deployment;
}

TEST(JsonPath, AnswersAsClientGoDoes) {
  const Result<Json> documents = ParseJson(ReadTestFile("jsonpath_documents.json"));
  ASSERT_TRUE(documents) << documents.error().message();
  std::istringstream lines(ReadTestFile("jsonpath.jsonl"));
  size_t cases = 0;
  for (std::string line; std::getline(lines, line);) {
    const Result<Json> recorded = ParseJson(line);
    ASSERT_TRUE(recorded) << line;
    const Json* data = recorded->find("data");
    if (data == nullptr) data = documents->find(TextOf(*recorded, "document"));
    ASSERT_NE(data, nullptr) << line;
    ++cases;
    const JsonPathOptions options = {.allow_missing_keys = FlagOf(*recorded, "allowMissingKeys")};
    const std::string expected =
        FlagOf(*recorded, "ok") ? TextOf(*recorded, "out") : "error: " + TextOf(*recorded, "error");
    const std::string rendered = Rendered(TextOf(*recorded, "template"), *data, options);
    if (FlagOf(*recorded, "unordered")) {
      EXPECT_EQ(SortedWords(rendered), SortedWords(expected)) << line;
    } else {
      EXPECT_EQ(rendered, expected) << line;
    }
  }
  EXPECT_GE(cases, 80u);
}

TEST(JsonPath, TypedObjectGivesWhatItsJsonFormGives) {
  const appsv1::Deployment deployment = WebDeployment();
  const Json tree = ToJsonValue(deployment);
  for (const char* text : {"{.kind}/{.apiVersion} {.metadata.name}",
                           "{.metadata.labels.example\\.com/tier}",
                           "{.metadata.labels}",
                           "{.spec.template.spec.containers[*].image}",
                           "{.spec.template.spec.containers[-1:].name}",
                           "{.spec.template.spec.containers[?(@.name==\"app\")].ports[*].containerPort}",
                           "{range .spec.template.spec.containers[*]}{.name}={.image}{\"\\n\"}{end}",
                           "{.spec.template.spec.containers[0].resources.limits.cpu}",
                           "{.metadata.creationTimestamp}",
                           "{.spec.template.spec.containers[0].livenessProbe.httpGet.port}",
                           "{..containerPort}",
                           "{..name}",
                           "{.spec.*}",
                           "{.spec.replicas}",
                           "{.spec.paused}",
                           "{.status.replicas}",
                           "{.spec.nosuch}",
                           "{@}",
                           "{..}",
                           "{.spec.template.spec.containers[?(@.ports[1].containerPort>=443)].name}",
                           "{.spec.template.spec.volumes[*]}",
                           "{.metadata['name','namespace']}",
                           "{.spec.template.spec.containers[5]}",
                           "{.metadata.name[0]}",
                           "{.spec.strategy[?(@.a)]}"}) {
    for (const bool allow : {false, true}) {
      const Result<JsonPath> path = JsonPath::Parse(text, {.allow_missing_keys = allow});
      ASSERT_TRUE(path) << text;
      const Result<std::string> typed = path->Render(deployment);
      const Result<std::string> dynamic = path->Render(tree);
      ASSERT_EQ(typed.has_value(), dynamic.has_value()) << text;
      if (typed) {
        EXPECT_EQ(*typed, *dynamic) << text;
      } else {
        EXPECT_EQ(typed.error().message(), dynamic.error().message()) << text;
      }
    }
  }
}

TEST(JsonPath, FindGivesValuesWithTheirKinds) {
  const appsv1::Deployment deployment = WebDeployment();
  const Result<std::vector<Json>> replicas = JsonPath::ParseSimple(".spec.replicas")->Find(deployment);
  ASSERT_TRUE(replicas);
  EXPECT_EQ(*replicas, std::vector<Json>{Json(3)});
  const Result<std::vector<Json>> ports =
      JsonPath::ParseSimple(".spec.template.spec.containers[0].ports[*].containerPort")->Find(deployment);
  ASSERT_TRUE(ports);
  EXPECT_EQ(*ports, (std::vector<Json>{Json(80), Json(443)}));
}

TEST(JsonPath, SimplePathAllowsMissingKeys) {
  const Result<std::vector<Json>> found = JsonPath::ParseSimple(".status.phase")->Find(Json::Object());
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_TRUE(found->empty());
  EXPECT_FALSE(JsonPath::ParseSimple(".spec[")) << "an unterminated bracket is refused when it is parsed";
}

TEST(JsonPath, ItemsOfATypedListCarryNoKind) {
  corev1::PodList pods;
  pods.items.emplace_back().metadata.name = "a";
  const Result<std::vector<Json>> found = JsonPath::Parse("{.items[0]}")->Find(pods);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 1u);
  EXPECT_EQ((*found)[0].find("kind"), nullptr);
  EXPECT_EQ(*JsonPath::Parse("{.kind}")->Render(pods), "PodList");
}

TEST(JsonPath, RendersAsIndentedJsonArrays) {
  const Json data = Json::Object({{"a", Json::Array({1, "x"})}});
  EXPECT_EQ(*JsonPath::Parse("{.a[*]}")->RenderAsJson(data), "[\n    1,\n    \"x\"\n]\n");
}

TEST(JsonPath, OneTemplateServesManyDocuments) {
  const Result<JsonPath> path = JsonPath::Parse("{range .a[*]}<{@}>{end};");
  ASSERT_TRUE(path);
  EXPECT_EQ(*path->Render(Json::Object({{"a", Json::Array({1, 2})}})), "<1><2>;");
  EXPECT_EQ(*path->Render(Json::Object({{"a", Json::Array({3})}})), "<3>;");
}

TEST(JsonPath, RangeOverNothingSkipsItsBody) {
  const Json data = Json::Object({{"a", Json::Array({})}});
  EXPECT_EQ(Rendered("{range .a[*]}{.b}{end}done", data, {.allow_missing_keys = true}), "done");
}

TEST(JsonPath, NumbersPrintAsInGo) {
  EXPECT_EQ(Rendered("{@}", Json(1'000'000)), "1000000");
  EXPECT_EQ(Rendered("{@}", Json(1'000'000.0)), "1e+06");
  EXPECT_EQ(Rendered("{@}", Json(123456.5)), "123456.5");
  EXPECT_EQ(Rendered("{@}", Json(0.00001)), "1e-05");
  EXPECT_EQ(Rendered("{@}", Json(-0.5)), "-0.5");
}

TEST(JsonPath, ValuesVisitedAreLimited) {
  Json wide = Json::Array();
  for (int i = 0; i < 100; ++i) wide.list().push_back(Json::Array({1, 2, 3}));
  const Result<JsonPath> path = JsonPath::Parse("{..}", {.max_steps = 50});
  ASSERT_TRUE(path);
  const Result<std::string> out = path->Render(wide);
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error().message(), "JSONPath visits more than 50 values: select less, or raise max_steps");
}

TEST(JsonPath, UnendedRangesThatDoubleTheWorkStopAtTheLimit) {
  std::string text;
  for (int i = 0; i < 64; ++i) text += "{range @}";
  const Result<JsonPath> path = JsonPath::Parse(text, {.max_steps = 10'000});
  ASSERT_TRUE(path);
  EXPECT_FALSE(path->Render(Json::Object({{"a", 1}})));
}

TEST(JsonPath, OutputIsLimited) {
  const Result<JsonPath> path = JsonPath::Parse("{@}{@}", {.max_output_bytes = 15});
  ASSERT_TRUE(path);
  EXPECT_TRUE(path->Render(Json("seven77")));
  EXPECT_FALSE(path->Render(Json("eight888")));
}

TEST(JsonPath, TemplateSizeIsLimited) {
  EXPECT_TRUE(JsonPath::Parse(std::string(JsonPath::kMaxTemplateBytes, 'x')));
  EXPECT_FALSE(JsonPath::Parse(std::string(JsonPath::kMaxTemplateBytes + 1, 'x')));
}

}  // namespace
}  // namespace keelson
