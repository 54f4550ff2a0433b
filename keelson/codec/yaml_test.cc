#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "keelson/api/core/v1.h"
#include "keelson/codec/json_writer.h"
#include "keelson/codec/yaml_reader.h"
#include "keelson/codec/yaml_writer.h"

namespace keelson {
namespace {

struct Recorded {
  std::string yaml;
  std::optional<std::string> json;
  bool strict_error;
  bool written;
};

std::vector<Recorded> ReadRecorded() {
  std::vector<Recorded> cases;
  std::ifstream lines(KEELSON_TEST_DATA "/yaml.jsonl");
  for (std::string line; std::getline(lines, line);) {
    const Result<Json> row = ParseJson(line);
    EXPECT_TRUE(row) << line;
    if (!row) continue;
    const Json* json = row->find("json");
    cases.push_back({row->find("yaml")->string(), json == nullptr ? std::nullopt : std::optional(json->string().str()),
                     row->find("strictError") != nullptr, row->find("written") != nullptr});
  }
  return cases;
}

// Where this reader differs on purpose: it loses no data silently, and reads all JSON and what calls itself YAML 1.2.
constexpr std::string_view kReadOtherwise[] = {"1: a\n'1': b", "---\na: 1\n---\nb: 2\n", "%YAML 1.2\n---\na: 1",
                                               R"({"a":"b\/c","n":1.0,"e":[],"o":{}})"};
// Where this writer does: these would not be read back as they were.
constexpr std::string_view kWrittenOtherwise[] = {R"({"v":"\u2028"})", R"({"v":"\u0085"})", R"({"v":"a\u2028b\nc"})",
                                                  R"({"v":12345678901234567890})"};

bool Contains(std::span<const std::string_view> list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

TEST(YamlReader, ReadsEveryRecordedTextAsKubernetesDoes) {
  int read = 0;
  int refused = 0;
  for (const Recorded& recorded : ReadRecorded()) {
    if (recorded.written || Contains(kReadOtherwise, recorded.yaml)) continue;
    const Result<std::string> json = YamlToJson(recorded.yaml);
    if (!recorded.json) {
      EXPECT_FALSE(json) << recorded.yaml << "\n→ " << json.value_or("");
      ++refused;
    } else if (json) {
      const Result<Json> ours = ParseJson(*json);
      const Result<Json> theirs = ParseJson(*recorded.json);
      ASSERT_TRUE(ours) << *json;
      ASSERT_TRUE(theirs) << *recorded.json;
      EXPECT_EQ(ToJson(*ours), ToJson(*theirs)) << recorded.yaml;
      ++read;
    } else {
      EXPECT_TRUE(recorded.strict_error) << recorded.yaml << "\n→ " << json.error().message();
    }
  }
  EXPECT_GT(read, 200);
  EXPECT_GT(refused, 30);
}

TEST(YamlWriter, WritesEveryRecordedDocumentAsKubernetesDoes) {
  int written = 0;
  for (const Recorded& recorded : ReadRecorded()) {
    if (!recorded.written) continue;
    const Result<Json> document = ParseJson(*recorded.json);
    ASSERT_TRUE(document) << *recorded.json;
    const std::string yaml = ToYaml(*document);
    if (!Contains(kWrittenOtherwise, *recorded.json)) {
      EXPECT_EQ(yaml, recorded.yaml) << *recorded.json;
    }
    const Result<Json> again = ParseYaml(yaml);
    ASSERT_TRUE(again) << again.error().message() << "\n" << yaml;
    // A double that is whole comes back as an integer.
    if (recorded.json->find(".0}") == std::string::npos) {
      EXPECT_EQ(*again, *document) << yaml;
    }
    ++written;
  }
  EXPECT_GT(written, 100);
}

TEST(YamlReader, FillsTypedObjects) {
  const Result<corev1::Pod> pod = FromYaml<corev1::Pod>(R"(
apiVersion: v1
kind: Pod
metadata:
  name: web
  labels: {app: web, tier: "1"}
spec:
  containers:
  - name: app
    image: nginx:1.25
    ports: [{containerPort: 80}]
    resources:
      limits: {cpu: 500m, memory: 1Gi}
  terminationGracePeriodSeconds: 0x1e
)");
  ASSERT_TRUE(pod) << pod.error().message();
  EXPECT_EQ(pod->metadata.labels.at("tier"), "1");
  EXPECT_EQ(pod->spec.containers[0].image, "nginx:1.25");
  EXPECT_EQ(pod->spec.containers[0].ports[0].containerPort, 80);
  EXPECT_EQ(pod->spec.containers[0].resources.limits.at("memory").ToString(), "1Gi");
  EXPECT_EQ(pod->spec.terminationGracePeriodSeconds, int64_t{30});
}

TEST(YamlReader, ErrorOfATypedObjectNamesItsPath) {
  const Result<corev1::Pod> pod = FromYaml<corev1::Pod>("spec: {containers: [{name: a, ports: none}]}");
  ASSERT_FALSE(pod);
  EXPECT_NE(pod.error().message().find("spec.containers[0].ports"), std::string::npos) << pod.error().message();
}

TEST(YamlReader, SplitsDocumentsAndSkipsEmptyOnes) {
  const auto documents =
      SplitYamlToJson("# first\n---\na: 1\n---\n# nothing\n---\nnull\n---\n{\"b\": 2}\n...\n---\nc\n");
  ASSERT_TRUE(documents) << documents.error().message();
  EXPECT_EQ(*documents, (std::vector<std::string>{R"({"a":1})", R"({"b":2})", R"("c")"}));
  EXPECT_TRUE(SplitYamlToJson("")->empty());
  EXPECT_TRUE(SplitYamlToJson("---\n---\n")->empty());
}

TEST(YamlReader, AnchorsEndWithTheirDocument) { EXPECT_FALSE(SplitYamlToJson("a: &x 1\n---\nb: *x\n")); }

TEST(YamlReader, TextWithSeveralDocumentsIsNotOne) {
  const Result<Json> document = ParseYaml("a: 1\n---\nb: 2\n");
  ASSERT_FALSE(document);
  EXPECT_EQ(document.error().message(), "expected one YAML document, found 2: read them with SplitYamlToJson");
}

TEST(YamlReader, JsonWithEscapedSurrogatesAndTabsIsRead) {
  EXPECT_EQ(*YamlToJson("{\n\t\"a\": \"\\ud83d\\ude00\"\n}\n"), R"({"a":"\ud83d\ude00"})");
  EXPECT_EQ(ParseYaml(R"({"a":"\ud83d\ude00"})")->find("a")->string(), "😀");
}

TEST(YamlReader, ErrorsGiveLineAndColumn) {
  const std::pair<const char*, const char*> cases[] = {
      {"a: 1\nb: [2\n", "YAML line 3, column 1: while parsing a flow sequence: did not find expected ',' or ']'"},
      {"a: 1\na: 2\n", "YAML line 2, column 1: key \"a\" stands twice in one mapping"},
      {"x:\n  - y: *z\n", "YAML line 2, column 8: unknown anchor 'z' referenced"},
      {"x:\n  ? [1]\n  : 2\n", "YAML line 2, column 5: a key must be a scalar"},
      {"a: .nan", "YAML line 1, column 4: .nan has no JSON form: put it in quotes if it is meant as text"},
      {"a: !!int x", "YAML line 1, column 4: cannot decode !!str `x` as a !!int"},
      {"~: x", "YAML line 1, column 1: a key must not be null: put it in quotes"},
      {"a: &a [*a]", "YAML line 1, column 8: anchor 'a' value contains itself"},
  };
  for (const auto& [text, message] : cases) {
    const Result<Json> document = ParseYaml(text);
    ASSERT_FALSE(document) << text;
    EXPECT_EQ(document.error().message(), message);
    EXPECT_EQ(document.error().code(), ErrorCode::kInvalidArgument);
  }
}

TEST(YamlReader, RepeatedKeysCanBeToldInsteadOfRefused) {
  std::vector<YamlRepeatedKey> repeated;
  const Result<Json> document = ParseYaml("a: 1\nb: &b\n  c: 2\n  c: 3\nd: *b\na: 4\n", {.repeated_keys = &repeated});
  ASSERT_TRUE(document) << document.error().message();
  EXPECT_EQ(ToJson(*document), R"({"a":4,"b":{"c":3},"d":{"c":3}})");
  ASSERT_EQ(repeated.size(), 2u);
  std::sort(repeated.begin(), repeated.end(), [](const auto& x, const auto& y) { return x.line < y.line; });
  EXPECT_EQ(repeated[0].line, 4u);
  EXPECT_EQ(repeated[0].key, "c");
  EXPECT_EQ(repeated[1].line, 6u);
  EXPECT_EQ(repeated[1].key, "a");
}

TEST(YamlReader, AliasesThatMultiplyAreRefused) {
  std::string bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
  std::string merges = "m0: &m0 {k: v}\n";
  for (int i = 1; i < 12; ++i) {
    const std::string last = std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    merges += "m" + std::to_string(i) + ": &m" + std::to_string(i) + " {<<: [";
    for (int j = 0; j < 10; ++j) {
      bomb += (j > 0 ? ",*a" : "*a") + last;
      merges += (j > 0 ? ",*m" : "*m") + last;
    }
    bomb += "]\n";
    merges += "]}\n";
  }
  for (const std::string& text : {bomb, merges}) {
    const Result<std::string> json = YamlToJson(text);
    ASSERT_FALSE(json);
    EXPECT_NE(json.error().message().find("aliases expand to more than 10485760 bytes"), std::string::npos);
  }
}

TEST(YamlReader, DepthAndSizeAreLimited) {
  const std::string deep = std::string(400, '[') + std::string(400, ']');
  EXPECT_TRUE(ParseYaml(deep));
  const Result<Json> deeper = ParseYaml(std::string(600, '[') + std::string(600, ']'));
  ASSERT_FALSE(deeper);
  EXPECT_EQ(deeper.error().message(), "YAML line 1, column 501: nested deeper than 500 levels");
  EXPECT_FALSE(ParseYaml(std::string(200'000, '[')));
  // Through aliases too.
  std::string chain = "a0: &a0 x\n";
  for (int i = 1; i < 600; ++i)
    chain += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) + "]\n";
  EXPECT_FALSE(ParseYaml(chain));
  EXPECT_FALSE(ParseYaml("abcdef", {.max_bytes = 5}));
  EXPECT_TRUE(ParseYaml("abcdef", {.max_bytes = 6}));
}

TEST(YamlWriter, TypedObjectIsLaidOutAsKubectlDoes) {
  corev1::ConfigMap map;
  map.metadata.name = "settings";
  map.metadata.finalizers = {"example.com/a", "no"};
  map.data = {{"run.sh", "#!/bin/sh\necho hi\n"}, {"version", "1.10"}, {"empty", ""}, {"on", "off"}};
  EXPECT_EQ(ToYaml(map), R"(apiVersion: v1
data:
  empty: ""
  "on": "off"
  run.sh: |
    #!/bin/sh
    echo hi
  version: "1.10"
kind: ConfigMap
metadata:
  finalizers:
  - example.com/a
  - "no"
  name: settings
)");
  const Result<corev1::ConfigMap> again = FromYaml<corev1::ConfigMap>(ToYaml(map));
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(ToJson(*again), ToJson(map));
}

TEST(YamlWriter, KeyThatWouldMergeIsQuoted) {
  const Json document = Json::Object({{"<<", "x"}, {"v", "<<"}});
  EXPECT_EQ(ToYaml(document), "\"<<\": x\nv: <<\n");
  EXPECT_EQ(*ParseYaml(ToYaml(document)), document);
}

TEST(YamlWriter, EveryAwkwardStringComesBack) {
  const std::string_view pieces[] = {
      "",  " ",   "\n",  "\t",     "\r",     "a",      "-",      ":",    "#",    "'", "\"", "\\", "{", "|", "%", "?",
      "0", "...", "---", "\u0085", "\u2028", "\u2029", "\ufeff", "\x01", "\x7f", "é", "😀", "!",  "&", "*", "~", "="};
  for (const std::string_view a : pieces) {
    for (const std::string_view b : pieces) {
      for (const std::string_view c : pieces) {
        const std::string text = std::string(a).append(b).append(c);
        const Json document = Json::Object({{"v", text}, {text, Json::Array({text})}});
        const std::string yaml = ToYaml(document);
        const Result<Json> again = ParseYaml(yaml);
        ASSERT_TRUE(again) << again.error().message() << "\n" << yaml << ToJson(document);
        ASSERT_EQ(ToJson(*again), ToJson(document)) << yaml;
      }
    }
  }
}

}  // namespace
}  // namespace keelson
