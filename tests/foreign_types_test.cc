// C++ types from ten CRDs of others (tests/data/foreign_crds), which together have every feature that schemas have.
//
// The headers are read again, and the CRD that they give is the one they came from. The same headers, made during the
// build, are part of this program, and objects of these kinds pass through their types unchanged.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "alertrules/v1/generated.h"
#include "applications/v1alpha1/generated.h"
#include "backups/v1alpha1/generated.h"
#include "backups/v1beta1/generated.h"
#include "certificates/v1/generated.h"
#include "certificates/v1alpha2/generated.h"
#include "databases/v1beta2/generated.h"
#include "keelson/codec/convert.h"
#include "keelson/codec/json_equal.h"
#include "keelson/codec/json_writer.h"
#include "keelson/codec/scheme.h"
#include "keelson/codec/yaml_reader.h"
#include "keelson/codegen/crd_generator.h"
#include "keelson/codegen/header_reader.h"
#include "keelson/codegen/types_generator.h"
#include "machines/v1/generated.h"
#include "meshes/v1/generated.h"
#include "meshes/v1beta1/generated.h"
#include "pipelines/v1/generated.h"
#include "queues/v2/generated.h"
#include "routes/v1/generated.h"
#include "routes/v1beta1/generated.h"

namespace keelson::codegen {
namespace {

namespace fs = std::filesystem;
using apiextensionsv1::CustomResourceDefinition;

const std::vector<std::string> kNames = {"alertrules", "applications", "backups",   "certificates", "databases",
                                         "machines",   "meshes",       "pipelines", "queues",       "routes"};

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

CustomResourceDefinition ReadCrd(const std::string& name) {
  auto crd = FromYaml<CustomResourceDefinition>(
      ReadFile(fs::path(KEELSON_TEST_DATA) / "foreign_crds" / (name + ".yaml")), {.strict = true});
  EXPECT_TRUE(crd) << name << ": " << crd.error().message();
  return crd ? *crd : CustomResourceDefinition();
}

// Where two documents differ, a line each.
void Compare(const Json& expected, const Json& actual, const std::string& path, std::string& out) {
  if (expected.is_object() && actual.is_object()) {
    std::set<String> keys;
    for (const auto& [key, unused] : expected.object()) keys.insert(key);
    for (const auto& [key, unused] : actual.object()) keys.insert(key);
    for (const String& key : keys) {
      const Json* a = expected.find(key);
      const Json* b = actual.find(key);
      const std::string at = path + "." + key.str();
      if (a == nullptr || b == nullptr) {
        out += at + (a == nullptr ? ": only generated: " + ToJson(*b) : ": lost: " + ToJson(*a)) + "\n";
      } else {
        Compare(*a, *b, at, out);
      }
    }
  } else if (expected.is_list() && actual.is_list() && expected.list().size() == actual.list().size()) {
    for (size_t i = 0; i < expected.list().size(); ++i) {
      Compare(expected.list()[i], actual.list()[i], path + "[" + std::to_string(i) + "]", out);
    }
  } else if (!NumericallyEqual(expected, actual)) {
    out += path + ": expected " + ToJson(expected) + ", got " + ToJson(actual) + "\n";
  }
}

// `required` is a set; a CRD generator sorts it.
Json WithSortedRequired(const Json& value) {
  if (value.is_list()) {
    JsonList list;
    for (const Json& element : value.list()) list.push_back(WithSortedRequired(element));
    return list;
  }
  if (!value.is_object()) return value;
  JsonObject object;
  for (const auto& [key, member] : value.object()) {
    Json sorted = WithSortedRequired(member);
    if (key == "required" && sorted.is_list()) {
      std::vector<std::string> names;
      for (const Json& name : sorted.list()) {
        if (name.is_string()) names.push_back(name.string().str());
      }
      std::sort(names.begin(), names.end());
      if (names.size() == sorted.list().size()) {
        JsonList list;
        for (const std::string& name : names) list.push_back(name);
        sorted = list;
      }
    }
    object.Set(key, sorted);
  }
  return object;
}

// What says the same in a form of its own: versions have no order, `subresources: {}` is none, and the webhook that
// converts is no part of the types.
Json Normalised(CustomResourceDefinition crd) {
  crd.status = {};
  crd.spec.conversion = {};
  std::vector<apiextensionsv1::CustomResourceDefinitionVersion> versions(crd.spec.versions.begin(),
                                                                         crd.spec.versions.end());
  std::sort(versions.begin(), versions.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  crd.spec.versions = {};
  for (auto& version : versions) {
    if (version.subresources && !version.subresources->status && !version.subresources->scale)
      version.subresources = {};
    crd.spec.versions.push_back(version);
  }
  return WithSortedRequired(ToJsonValue(crd));
}

class ForeignTypes : public testing::TestWithParam<std::string> {};

TEST_P(ForeignTypes, GiveTheCrdBackThatTheyWereMadeFrom) {
  const CustomResourceDefinition crd = ReadCrd(GetParam());
  const fs::path directory = fs::path(testing::TempDir()) / ("foreign_types_" + GetParam());
  fs::remove_all(directory);

  for (const bool enum_classes : {true, false}) {
    Diagnostics problems;
    const std::vector<GeneratedFile> files =
        GenerateTypes(crd, {.namespace_ = {}, .enum_classes = enum_classes}, problems);
    ASSERT_TRUE(problems.empty()) << problems.Render();
    ASSERT_EQ(files.size(), crd.spec.versions.size());
    ASSERT_TRUE(WriteFiles(directory.string(), files));
    std::vector<std::string> headers;
    for (const GeneratedFile& file : files) headers.push_back((directory / file.path).string());

    const SourceModel model = ReadHeaders(headers, {}, problems);
    ASSERT_TRUE(problems.empty()) << problems.Render();
    CrdOptions options;
    options.allow_dangerous_types = true;
    const auto generated = GenerateCrds(model, options, problems);
    ASSERT_TRUE(problems.empty()) << problems.Render();
    ASSERT_EQ(generated.size(), 1u);
    std::string differences;
    Compare(Normalised(crd), Normalised(generated[0]), "", differences);
    EXPECT_EQ(differences, "");
  }
  fs::remove_all(directory);
}

Scheme ForeignScheme() {
  Scheme scheme;
  for (const auto add :
       {watch_example_com::v1::AddToScheme, deliver_example_com::v1alpha1::AddToScheme,
        safe_example_com::v1alpha1::AddToScheme, safe_example_com::v1beta1::AddToScheme,
        trust_example_com::v1::AddToScheme, trust_example_com::v1alpha2::AddToScheme,
        db_example_com::v1beta2::AddToScheme, compute_example_com::v1::AddToScheme, mesh_example_com::v1::AddToScheme,
        mesh_example_com::v1beta1::AddToScheme, build_example_com::v1::AddToScheme, queue_example_com::v2::AddToScheme,
        edge_example_com::v1::AddToScheme, edge_example_com::v1beta1::AddToScheme}) {
    const Result<void> added = add(scheme);
    EXPECT_TRUE(added) << added.error().message();
  }
  return scheme;
}

std::vector<std::string> Samples(const std::string& name) {
  auto documents =
      SplitYamlToJson(ReadFile(fs::path(KEELSON_TEST_DATA) / "foreign_crds" / "samples" / (name + ".yaml")));
  EXPECT_TRUE(documents) << name << ": " << documents.error().message();
  return documents ? *documents : std::vector<std::string>();
}

TEST_P(ForeignTypes, HoldEverythingThatObjectsHave) {
  const Scheme scheme = ForeignScheme();
  const std::vector<std::string> samples = Samples(GetParam());
  ASSERT_FALSE(samples.empty());
  for (const std::string& text : samples) {
    const Json sample = *ParseJson(text);
    const std::string api_version = sample.find("apiVersion")->string().str();
    const size_t slash = api_version.find('/');
    const GroupVersionKind kind{api_version.substr(0, slash), api_version.substr(slash + 1),
                                sample.find("kind")->string().str()};
    const Type* type = scheme.Find(kind);
    ASSERT_NE(type, nullptr) << text;
    auto object = scheme.New(kind);
    ASSERT_TRUE(object);
    const Result<void> read = DecodeJson(*type, object->data(), text, {.strict = true});
    ASSERT_TRUE(read) << read.error().message();
    std::string written;
    AppendJson(*type, object->data(), written);
    std::string differences;
    Compare(sample, *ParseJson(written), "", differences);
    EXPECT_EQ(differences, "");
  }
}

// The tests above could not pass by overlooking everything.
TEST(ForeignType, AChangedCrdIsSeen) {
  const CustomResourceDefinition crd = ReadCrd("databases");
  CustomResourceDefinition other = crd;
  auto& spec = other.spec.versions[0].schema->openAPIV3Schema->properties["spec"];
  spec.properties["instances"].maximum = 51;
  spec.required.push_back("backup");
  spec.properties["replicationLag"].description = "d";
  std::string differences;
  Compare(Normalised(crd), Normalised(other), "", differences);
  EXPECT_EQ(std::count(differences.begin(), differences.end(), '\n'), 3) << differences;
}

INSTANTIATE_TEST_SUITE_P(Crds, ForeignTypes, testing::ValuesIn(kNames), [](const auto& name) { return name.param; });

TEST(ForeignType, AreUsedByTheirNames) {
  using namespace trust_example_com::v1;
  auto certificate = FromJson<Certificate>(Samples("certificates").at(0));
  ASSERT_TRUE(certificate) << certificate.error().message();
  EXPECT_EQ(certificate->spec.issuerRef.kind, CertificateSpecIssuerRefKind::ClusterIssuer);
  EXPECT_EQ(certificate->spec.privateKey->size, 384);
  EXPECT_EQ(certificate->status->conditions.at(0).status, CertificateStatusConditionStatus::True);

  const Certificate made{.metadata = {.name = "a"},
                         .spec = {.issuerRef = {.name = "ca"}, .keystores = {}, .secretName = "s"}};
  EXPECT_EQ(ToJson(made), R"({"kind":"Certificate","apiVersion":"trust.example.com/v1","metadata":{"name":"a"},)"
                          R"("spec":{"issuerRef":{"name":"ca"},"secretName":"s"}})");

  auto rule = FromJson<watch_example_com::v1::AlertRule>(Samples("alertrules").at(0));
  ASSERT_TRUE(rule) << rule.error().message();
  EXPECT_EQ(rule->spec.query->class_, watch_example_com::v1::AlertRuleSpecQueryClass::delete_);
  EXPECT_EQ(rule->spec.query->maxSamples, 2);
  EXPECT_EQ(rule->spec.query->maxSamples2, 1);
  EXPECT_EQ(rule->spec.query->maxSamples3, 3);
}

TEST(ForeignType, OfEnumsRefuseOtherValues) {
  auto certificate = FromJson<trust_example_com::v1::Certificate>(
      R"({"spec":{"issuerRef":{"name":"ca","kind":"Notary"},"secretName":"s"}})");
  ASSERT_FALSE(certificate);
  EXPECT_NE(certificate.error().message().find("spec.issuerRef.kind"), std::string::npos)
      << certificate.error().message();
}

}  // namespace
}  // namespace keelson::codegen
