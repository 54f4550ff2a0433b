#include "keelson/codegen/manifest_generators.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "keelson/api/json.h"
#include "keelson/codec/json_reader.h"
#include "keelson/codec/yaml_reader.h"
#include "keelson/codegen/comments.h"

namespace keelson::codegen {
namespace {

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> Documents(const std::string& yaml) {
  const Result<std::vector<std::string>> documents = SplitYamlToJson(yaml);
  EXPECT_TRUE(documents) << documents.error().message();
  return documents.value_or(std::vector<std::string>{});
}

struct Case {
  std::string name;
  std::vector<Marker> markers;  // of all its sources
  std::string role_name;
  std::vector<std::string> expected;  // JSON documents
};

// What controller-gen made of the same markers: tests/data/rbac, tests/data/webhook.
std::vector<Case> ReadCases(const std::string& folder) {
  const std::string root = std::string(KEELSON_TEST_DATA) + "/" + folder + "/";
  const Json recorded = ParseJson(ReadFile(root + "cases.json")).value();
  std::vector<Case> cases;
  for (const Json& one : recorded.find("cases")->list()) {
    Case& added = cases.emplace_back();
    added.name = one.find("name")->string().str();
    for (const Json& source : one.find("sources")->list()) {
      const std::string path = root + source.string().str();
      const std::vector<Marker> markers = ScanMarkers(ReadFile(path), path);
      added.markers.insert(added.markers.end(), markers.begin(), markers.end());
    }
    const Json* options = one.find("options");
    if (const Json* name = options ? options->find("roleName") : nullptr) added.role_name = name->string().str();
    for (const Json& file : one.find("expected")->list()) {
      for (std::string& document : Documents(ReadFile(root + file.string().str()))) {
        added.expected.push_back(std::move(document));
      }
    }
  }
  EXPECT_GT(cases.size(), 2u);
  return cases;
}

void ExpectSame(const std::vector<GeneratedFile>& files, const Case& reference) {
  ASSERT_EQ(files.size(), 1u);
  const std::vector<std::string> documents = Documents(files[0].content);
  ASSERT_EQ(documents.size(), reference.expected.size());
  for (size_t i = 0; i < documents.size(); ++i) {
    EXPECT_EQ(ParseJson(documents[i]).value(), ParseJson(reference.expected[i]).value())
        << documents[i] << "\ninstead of\n"
        << reference.expected[i];
  }
}

TEST(ManifestGenerators, GiveTheRolesOfControllerGen) {
  for (const Case& reference : ReadCases("rbac")) {
    SCOPED_TRACE(reference.name);
    Diagnostics problems;
    ExpectSame(GenerateRbac(reference.markers, reference.role_name, problems), reference);
    EXPECT_EQ(problems.Render(), "");
  }
}

TEST(ManifestGenerators, GiveTheWebhooksOfControllerGen) {
  for (const Case& reference : ReadCases("webhook")) {
    SCOPED_TRACE(reference.name);
    Diagnostics problems;
    ExpectSame(GenerateWebhooks(reference.markers, problems), reference);
    EXPECT_EQ(problems.Render(), "");
  }
}

}  // namespace
}  // namespace keelson::codegen
