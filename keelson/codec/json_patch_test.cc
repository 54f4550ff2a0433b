#include "keelson/codec/json_patch.h"

#include "keelson/codec/patch_cases_test.h"

namespace keelson {
namespace {

using namespace patch_cases;

Result<Json> ParseAndApply(const Json& document, const Json& patch) {
  KEELSON_TRY(parsed, JsonPatch::Parse(patch));
  return parsed.Apply(document);
}

Result<Json> Apply(std::string_view document, std::string_view patch) {
  return ParseAndApply(Parse(document), Parse(patch));
}

TEST(JsonPatch, AcceptsWhatKubernetesAcceptsAndWhatTheRfcAccepts) {
  for (const Json& recorded : ReadCases("json_patch.jsonl")) {
    SCOPED_TRACE(Text(recorded, "name"));
    const Result<Json> result = ParseAndApply(Member(recorded, "original"), Member(recorded, "patch"));
    const bool kubernetes = Flag(recorded, "kubernetes_ok");
    ASSERT_EQ(result.has_value(), kubernetes || Flag(recorded, "rfc_ok")) << (result ? "" : result.error().message());
    if (result) {
      EXPECT_EQ(*result, Member(recorded, kubernetes ? "kubernetes_result" : "rfc_result"));
    }
  }
}

TEST(JsonPatch, FailedOperationLeavesTheDocumentAlone) {
  const Json document = Parse(R"({"a":{"b":[1,2]}})");
  const Json before = Parse(R"({"a":{"b":[1,2]}})");
  const Result<Json> result =
      ParseAndApply(document, Parse(R"([{"op":"add","path":"/a/b/0","value":0},{"op":"remove","path":"/a/c"}])"));
  ASSERT_FALSE(result);
  EXPECT_EQ(document, before);
}

TEST(JsonPatch, PatchedDocumentIsACopy) {
  const Json document = Parse(R"({"a":{"b":[1,2]}})");
  const Result<Json> result = ParseAndApply(document, Parse(R"([{"op":"replace","path":"/a/b/1","value":9}])"));
  EXPECT_EQ(*result, Parse(R"({"a":{"b":[1,9]}})"));
  EXPECT_EQ(document, Parse(R"({"a":{"b":[1,2]}})"));
}

TEST(JsonPatch, ErrorsNameTheOperationAndThePath) {
  const Result<Json> missing = Apply("{}", R"([{"op":"test","path":"/a","value":null},{"op":"remove","path":"/a"}])");
  EXPECT_EQ(missing.error().message(), "operation 1 (remove): the document has nothing at \"/a\"");
  EXPECT_EQ(missing.error().code(), ErrorCode::kInvalid);

  const Result<Json> index = Apply("[1]", R"([{"op":"add","path":"/7","value":1}])");
  EXPECT_EQ(index.error().message(), "operation 0 (add): \"7\" in \"/7\" is no index of an array of 1 elements");

  const Result<JsonPatch> unknown = JsonPatch::Parse(Parse(R"([{"op":"merge","path":"/a"}])"));
  EXPECT_EQ(unknown.error().message(),
            "JSON patch: operation 0: unknown op \"merge\": expected add, remove, replace, move, copy or test");
  EXPECT_EQ(unknown.error().code(), ErrorCode::kInvalidArgument);
}

TEST(JsonPatch, MoveIntoItselfDoesNotApply) {
  EXPECT_FALSE(Apply(R"({"a":{"b":{}}})", R"([{"op":"move","from":"/a","path":"/a/b/c"}])"));
  EXPECT_EQ(*Apply(R"({"a":1})", R"([{"op":"move","from":"/a","path":"/a"}])"), Parse(R"({"a":1})"));
}

TEST(JsonPatch, CopyIsIndependentOfItsSource) {
  EXPECT_EQ(*Apply(R"({"a":{"x":1}})", R"([{"op":"copy","from":"/a","path":"/b"},
                                                  {"op":"replace","path":"/b/x","value":2}])"),
            Parse(R"({"a":{"x":1},"b":{"x":2}})"));
}

TEST(JsonPatch, RefusesMoreOperationsThanTheLimit) {
  JsonList operations;
  const Json operation = Parse(R"({"op":"test","path":"","value":{}})");
  for (size_t i = 0; i < JsonPatch::kMaxOperations; ++i) operations.push_back(operation);
  EXPECT_TRUE(JsonPatch::Parse(Json(operations)));
  operations.push_back(operation);
  EXPECT_EQ(JsonPatch::Parse(Json(operations)).error().code(), ErrorCode::kInvalidArgument);
}

TEST(JsonPatch, CopiesAreBoundedInTotal) {
  // Each copy doubles the document.
  JsonPatch patch;
  patch.Add(JsonPointer{"a"}, Json(JsonList{std::string(1000, 'x')}));
  for (int i = 0; i < 11; ++i) patch.Copy(JsonPointer{"a"}, JsonPointer{"a", "-"});
  EXPECT_TRUE(patch.Apply(Json::Object()));
  for (int i = 0; i < 19; ++i) patch.Copy(JsonPointer{"a"}, JsonPointer{"a", "-"});
  const Result<Json> result = patch.Apply(Json::Object());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message(),
            "operation 12 (copy): the patch copies more than 3145728 bytes; send the values instead");
}

TEST(JsonPatch, NestingIsBounded) {
  JsonPatch patch;
  std::vector<std::string> tokens;
  for (size_t i = 0; i < JsonPatch::kMaxDepth; ++i) {
    tokens.emplace_back("a");
    patch.Add(JsonPointer(tokens), Json::Object());
  }
  EXPECT_TRUE(patch.Apply(Json::Object()));
  tokens.emplace_back("a");
  patch.Add(JsonPointer(tokens), Json::Object());
  EXPECT_EQ(patch.Apply(Json::Object()).error().code(), ErrorCode::kInvalid);
}

TEST(JsonPatch, ManyMovesOfADeepValueStayWithinTheBound) {
  // Each move could deepen the document by two levels if the moved value were its deepest part.
  JsonPatch patch;
  for (int i = 0; i < 400; ++i) {
    patch.Move(JsonPointer{"x"}, JsonPointer{"a", "b", "x"}).Move(JsonPointer{"a", "b", "x"}, JsonPointer{"x"});
  }
  const Json document = Parse(R"({"x":1,"a":{"b":{}},"deep":[[[[1]]]]})");
  EXPECT_EQ(*patch.Apply(document), document);
}

TEST(JsonPatch, PrintsAndParsesBack) {
  JsonPatch patch;
  patch.Add(JsonPointer{"a", "x/y"}, nullptr)
      .Remove(JsonPointer{"b"})
      .Replace(JsonPointer{"c"}, 1)
      .Move(JsonPointer{"d"}, JsonPointer{"e"})
      .Copy(JsonPointer{"f"}, JsonPointer{"g"})
      .Test(JsonPointer{}, "t");
  EXPECT_EQ(patch.AsJson(), Parse(R"([
      {"op":"add","path":"/a/x~1y","value":null},
      {"op":"remove","path":"/b"},
      {"op":"replace","path":"/c","value":1},
      {"op":"move","from":"/d","path":"/e"},
      {"op":"copy","from":"/f","path":"/g"},
      {"op":"test","path":"","value":"t"}])"));
  EXPECT_EQ(JsonPatch::Parse(patch.AsJson()).value().AsJson(), patch.AsJson());
}

TEST(DiffToJsonPatch, TouchesOnlyWhatDiffers) {
  EXPECT_TRUE(DiffToJsonPatch(Parse(R"({"a":[1,{"b":2}]})"), Parse(R"({"a":[1,{"b":2}]})")).empty());
  EXPECT_EQ(DiffToJsonPatch(Parse(R"({"a":1,"b":{"c":[1,2,3]},"d":4})"), Parse(R"({"b":{"c":[1,9,2,3]},"d":5,"e":6})"))
                .AsJson(),
            Parse(R"([{"op":"remove","path":"/a"},
                      {"op":"add","path":"/b/c/1","value":9},
                      {"op":"replace","path":"/d","value":5},
                      {"op":"add","path":"/e","value":6}])"));
  EXPECT_EQ(DiffToJsonPatch(Parse("[1,2,3,4,5]"), Parse("[1,5]")).AsJson(),
            Parse(R"([{"op":"remove","path":"/3"},{"op":"remove","path":"/2"},{"op":"remove","path":"/1"}])"));
}

TEST(DiffToJsonPatch, AppliedMakesTheOther) {
  const std::vector<Json> documents = {
      Parse("{}"),
      Parse("[]"),
      Parse("1"),
      Parse("1.0"),
      Parse("null"),
      Parse(R"({"":{"":null}})"),
      Parse(R"({"a/b":[1,[2,{"c~d":3}],4]})"),
      Parse(R"({"a/b":[[2,{"c~d":null}],4,4,5]})"),
      Parse(R"({"a/b":{"0":1},"x":[]})"),
      Parse(R"([{"a":1},{"b":2},{"c":3}])"),
      Parse(R"([{"b":2},{"a":1}])"),
  };
  for (const Json& from : documents) {
    for (const Json& to : documents) EXPECT_EQ(*DiffToJsonPatch(from, to).Apply(from), to);
  }
}

}  // namespace
}  // namespace keelson
