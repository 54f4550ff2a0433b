// The CRDs that we make of C++ headers are those that controller-gen made of the equivalent Go types: data/crd/, which
// tests/recorder_crds wrote.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "keelson/codec/json_equal.h"
#include "keelson/codec/json_reader.h"
#include "keelson/codec/json_writer.h"
#include "keelson/codec/yaml_reader.h"
#include "keelson/codegen/crd_generator.h"
#include "keelson/codegen/header_reader.h"

namespace keelson::codegen {
namespace {

const std::string kDirectory = KEELSON_TEST_DATA "/crd/";

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

JsonList ReadCases() {
  const Json document = ParseJson(ReadFile(kDirectory + "cases.json")).value();
  return document.find("cases")->list();
}

// Where two documents differ, a line for each place.
void Compare(const std::string& path, const Json* expected, const Json* found, std::string& differences) {
  const auto show = [](const Json* value) { return value == nullptr ? std::string("nothing") : ToJson(*value); };
  if (expected != nullptr && found != nullptr && expected->is_object() && found->is_object()) {
    for (const auto& [key, value] : expected->object()) {
      Compare(path + "." + key.str(), &value, found->find(key), differences);
    }
    for (const auto& [key, value] : found->object()) {
      if (expected->find(key) == nullptr) Compare(path + "." + key.str(), nullptr, &value, differences);
    }
    return;
  }
  if (expected != nullptr && found != nullptr && expected->is_list() && found->is_list() &&
      expected->list().size() == found->list().size()) {
    for (size_t i = 0; i < expected->list().size(); ++i) {
      Compare(path + "[" + std::to_string(i) + "]", &expected->list()[i], &found->list()[i], differences);
    }
    return;
  }
  if (expected != nullptr && found != nullptr && NumericallyEqual(*expected, *found)) return;
  differences += path + "\n  expected " + show(expected) + "\n  found    " + show(found) + "\n";
}

// Without what controller-gen says of itself, and without the two sentences that it takes from Kubernetes' own sources
// and that we word differently.
void Normalise(Json& crd) {
  JsonObject& metadata = crd.object()["metadata"].object();
  if (metadata.contains("annotations")) {
    JsonObject& annotations = metadata["annotations"].object();
    annotations.erase("controller-gen.kubebuilder.io/version");
    if (annotations.empty()) metadata.erase("annotations");
  }
  for (Json& version : crd.object()["spec"].object()["versions"].list().Mutable()) {
    JsonObject& schema = version.object()["schema"].object()["openAPIV3Schema"].object();
    JsonObject& properties = schema["properties"].object();
    for (const char* name : {"apiVersion", "kind"}) properties[name].object().erase("description");
  }
}

CrdOptions OptionsOf(const Json& options) {
  CrdOptions read;
  const auto is_set = [&](const char* name) { return options.find(name) != nullptr && options.find(name)->boolean(); };
  read.allow_dangerous_types = is_set("allowDangerousTypes");
  read.embedded_object_meta = is_set("generateEmbeddedObjectMeta");
  if (const Json* length = options.find("maxDescLen"))
    read.max_description_length = static_cast<int>(length->integer());
  return read;
}

std::string NameOf(const Json& recorded) {
  return recorded.find("name")->string().str() + "_" + recorded.find("variant")->string().str();
}

// By its place in cases.json.
class CrdReference : public testing::TestWithParam<size_t> {};

TEST_P(CrdReference, IsWhatControllerGenMakes) {
  const JsonList cases = ReadCases();
  const Json& recorded = cases[GetParam()];
  std::vector<std::string> headers;
  for (const Json& header : recorded.find("headers")->list()) headers.push_back(kDirectory + header.string().str());

  Diagnostics problems;
  const SourceModel model = ReadHeaders(headers, {}, problems);
  const auto crds = GenerateCrds(model, OptionsOf(*recorded.find("options")), problems);
  ASSERT_EQ(problems.Render(), "");

  std::map<std::string, std::string> made;
  for (const auto& crd : crds) {
    const GeneratedFile file = CrdFile(crd);
    EXPECT_TRUE(file.content.starts_with("---\n")) << file.path;
    made[file.path] = file.content;
  }
  for (const Json& path : recorded.find("expected")->list()) {
    const std::string name = path.string().str().substr(path.string().view().rfind('/') + 1);
    ASSERT_TRUE(made.contains(name)) << name;
    Json expected = ParseYaml(ReadFile(kDirectory + path.string().str())).value();
    Json found = ParseYaml(made[name]).value();
    Normalise(expected);
    Normalise(found);
    std::string differences;
    Compare("", &expected, &found, differences);
    EXPECT_EQ(differences, "") << name;
    made.erase(name);
  }
  for (const auto& [name, content] : made) ADD_FAILURE() << "controller-gen makes no " << name;
}

INSTANTIATE_TEST_SUITE_P(Recorded, CrdReference, testing::Range(size_t{0}, ReadCases().size()),
                         [](const testing::TestParamInfo<size_t>& info) {
                           const JsonList cases = ReadCases();
                           return NameOf(cases[info.param]);
                         });

TEST(CrdReferenceData, HasThirtyKindsAndMore) {
  std::set<std::string> files;
  for (const Json& recorded : ReadCases()) {
    for (const Json& path : recorded.find("expected")->list()) {
      files.insert(path.string().str().substr(path.string().view().rfind('/') + 1));
    }
  }
  EXPECT_GE(files.size(), 30u);
}

}  // namespace
}  // namespace keelson::codegen
