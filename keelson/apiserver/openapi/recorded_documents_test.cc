// The documents against those of a real kube-apiserver. tests/recorder_apiserver/record_openapi writes the recordings,
// and says what a digest is.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>

#include <array>
#include <fstream>
#include <sstream>

#include "keelson/apiserver/api_server_test_support.h"

namespace keelson::apiserver::openapi {
namespace {

std::string ReadData(const std::string& name) {
  std::ifstream file(KEELSON_TEST_DATA "/openapi/" + name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

Json WithoutDescriptions(const Json& value, bool is_members = false) {
  if (value.is_list()) {
    JsonList list;
    for (const Json& item : value.list()) list.push_back(WithoutDescriptions(item));
    return Json(std::move(list));
  }
  if (!value.is_object()) return value;
  Json kept = Json::Object();
  for (const auto& [key, member] : value.object()) {
    if (!is_members && key == "description" && member.is_string()) continue;
    kept.object().Set(key, WithoutDescriptions(member, key == "properties" && !is_members));
  }
  return kept;
}

Json OwnDescriptionsOnly(const Json& schema) {
  if (schema.is_list()) {
    JsonList list;
    for (const Json& item : schema.list()) list.push_back(OwnDescriptionsOnly(item));
    return Json(std::move(list));
  }
  if (!schema.is_object()) return schema;
  Json kept = Json::Object();
  for (const auto& [key, member] : schema.object()) kept.object().Set(key, OwnDescriptionsOnly(member));
  const Json* properties = std::as_const(kept).find("properties");
  if (properties == nullptr || !properties->is_object()) return kept;
  Json members = *properties;
  for (const std::string_view name : {"apiVersion", "kind", "metadata"}) {
    const Json* member = std::as_const(members).find(name);
    if (member == nullptr) continue;
    Json wordless = *member;
    wordless.object().erase("description");
    members.object().Set(String(name), std::move(wordless));
  }
  kept.object().Set("properties", std::move(members));
  return kept;
}

std::string DigestOf(const Json& value) {
  const std::string text = ToJson(WithoutDescriptions(value));
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  EVP_Digest(text.data(), text.size(), digest.data(), nullptr, EVP_sha256(), nullptr);
  return fmt::format("{:02x}{:02x}{:02x}{:02x}", digest[0], digest[1], digest[2], digest[3]);
}

Json WithParameters(const Json& value, const Json& shared) {
  Json resolved = value;
  if (const Json* parameters = value.find("parameters")) {
    JsonList list;
    for (const Json& one : parameters->list()) {
      const Json* reference = one.find("$ref");
      if (reference == nullptr) {
        list.push_back(one);
        continue;
      }
      const std::string name = reference->string().str();
      const Json* found = shared.find(name.substr(name.rfind('/') + 1));
      if (found == nullptr) ADD_FAILURE() << "no parameter " << name;
      list.push_back(found == nullptr ? one : *found);
    }
    resolved.object().Set("parameters", Json(std::move(list)));
  }
  return resolved;
}

std::string DigestOfV2(const Json& document, std::string_view path) {
  const Json* item = document.find("paths")->find(path);
  if (item == nullptr) return "none";
  const Json& shared = *document.find("parameters");
  Json resolved = Json::Object();
  for (const auto& [key, member] : item->object()) resolved.object().Set(key, WithParameters(member, shared));
  return DigestOf(WithParameters(resolved, shared));
}

// Each path that was recorded is there and says the same, and there is no other.
void ExpectPaths(const Json& recorded, const Json& v3, const Json& v2, const std::string& name) {
  const Json& paths = *v3.find("paths");
  for (const auto& [path, digests] : recorded.find("paths")->object()) {
    const Json* item = paths.find(path.view());
    ASSERT_NE(item, nullptr) << name << " " << path.str();
    EXPECT_EQ(digests.string().str(), DigestOf(*item) + " " + DigestOfV2(v2, path.view()))
        << name << " " << path.str() << "\n"
        << ToJson(*item, {.indent = 1});
  }
  EXPECT_EQ(paths.object().size(), recorded.find("paths")->object().size()) << name;
}

TEST(RecordedOpenApi, BuiltinGroupsPublishTheSameOperationsAndSchemas) {
  const Json recorded = ParseJson(ReadData("operations.json")).value();
  TestServer server;
  const Reading index = server.Ask("GET", "/openapi/v3");
  const Json v2 = server.Ask("GET", "/openapi/v2").json;
  ASSERT_EQ(index.Count("paths"), recorded.object().size());
  for (const auto& [name, expected] : recorded.object()) {
    const Reading document = server.Ask("GET", "/openapi/v3/" + name.str());
    ASSERT_EQ(document.status, 200) << name.str();
    ExpectPaths(expected, document.json, v2, name.str());
    const Json* schemas = document.json.find("components")->find("schemas");
    EXPECT_EQ(DigestOf(schemas == nullptr ? Json::Object() : *schemas), expected.find("schemas")->string().str())
        << name.str();
  }
}

TEST(RecordedOpenApi, CustomKindsArePublishedWithTheirSchemasInBothVersions) {
  const Json recorded = ParseJson(ReadData("gadget.json")).value();
  TestServer server;
  ASSERT_EQ(
      server.Ask("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", ReadData("gadget_definition.json"))
          .status,
      201);
  const Json v2 = server.Ask("GET", "/openapi/v2").json;
  for (const auto& [name, expected] : recorded.object()) {
    const Reading document = server.Ask("GET", "/openapi/v3/" + name.str());
    ASSERT_EQ(document.status, 200) << name.str();
    EXPECT_EQ(document.At("info"), *expected.find("info"));
    EXPECT_EQ(document.Count("components"), expected.find("components")->list().size());
    ExpectPaths(expected, document.json, v2, name.str());
    const Json& schemas = *document.json.find("components")->find("schemas");
    Json builtin = Json::Object();
    for (const auto& [schema, value] : schemas.object()) {
      if (!schema.view().starts_with("com.example.")) builtin.object().Set(schema, value);
    }
    EXPECT_EQ(DigestOf(builtin), expected.find("builtinSchemas")->string().str());
    const auto expect_schemas = [&](std::string_view version, const Json& published) {
      for (const auto& [schema, value] : expected.find(version)->object()) {
        const Json* found = published.find(schema.view());
        ASSERT_NE(found, nullptr) << schema.str();
        const bool list = schema.view().ends_with("List");
        EXPECT_EQ(ToJson(list ? WithoutDescriptions(*found) : OwnDescriptionsOnly(*found), {.indent = 1}),
                  ToJson(value, {.indent = 1}))
            << version << " " << schema.str();
      }
    };
    expect_schemas("v3", schemas);
    expect_schemas("v2", *v2.find("definitions"));
  }
}

}  // namespace
}  // namespace keelson::apiserver::openapi
