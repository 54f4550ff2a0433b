#include "keelson/apiserver/openapi.h"

#include <gtest/gtest.h>

#include "keelson/apiserver/api_server_test_support.h"

namespace keelson::apiserver {
namespace {

constexpr const char* kDefinitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

std::string Definition(std::string_view plural, std::string_view kind, std::string_view schema,
                       std::string_view group = "example.com") {
  return ToJson(Json::Object(
      {{"apiVersion", "apiextensions.k8s.io/v1"},
       {"kind", "CustomResourceDefinition"},
       {"metadata", Json::Object({{"name", std::string(plural) + "." + std::string(group)}})},
       {"spec",
        Json::Object({{"group", group},
                      {"scope", "Namespaced"},
                      {"names", Json::Object({{"plural", plural}, {"kind", kind}})},
                      {"versions", Json::Array({Json::Object(
                                       {{"name", "v1"},
                                        {"served", true},
                                        {"storage", true},
                                        {"schema", Json::Object({{"openAPIV3Schema", *ParseJson(schema)}})}})})}})}}));
}

std::string UrlOf(const Reading& index, std::string_view name) {
  const Json* entry = index.json.find("paths")->find(name);
  return entry == nullptr ? std::string() : entry->find("serverRelativeURL")->string().str();
}

std::string Header(const Reading& reading, std::string_view name) {
  const std::string_view* value = reading.headers.Find(name);
  return std::string(value == nullptr ? "" : *value);
}

TEST(OpenApi, DocumentOfTheHashInTheIndexMayBeKeptForEver) {
  TestServer server;
  const std::string url = UrlOf(server.Ask("GET", "/openapi/v3"), "apis/apps/v1");
  const std::string hash = url.substr(url.find('=') + 1);
  EXPECT_EQ(url, "/openapi/v3/apis/apps/v1?hash=" + hash);
  EXPECT_EQ(hash.size(), 128u);
  const Reading document = server.Ask("GET", url);
  EXPECT_EQ(document.status, 200);
  EXPECT_EQ(document.Text("openapi"), "3.0.0");
  EXPECT_EQ(Header(document, "Content-Type"), "application/json");
  EXPECT_EQ(Header(document, "Cache-Control"), "public, immutable");
  EXPECT_TRUE(Header(document, "Expires").ends_with(" GMT"));
  EXPECT_EQ(Header(document, "ETag"), "\"" + hash + "\"");
  EXPECT_EQ(Header(document, "Vary"), "Accept");
}

TEST(OpenApi, OtherHashIsSentToTheNewest) {
  TestServer server;
  const std::string url = UrlOf(server.Ask("GET", "/openapi/v3"), "api/v1");
  const Reading moved = server.Ask("GET", "/openapi/v3/api/v1?hash=0");
  EXPECT_EQ(moved.status, 301);
  EXPECT_EQ(Header(moved, "Location"), url);
  EXPECT_EQ(moved.body, "");
}

TEST(OpenApi, DocumentThatTheClientHasIsNotSentAgain) {
  TestServer server;
  for (const std::string path : {"/openapi/v2", "/openapi/v3/apis/batch/v1"}) {
    const Reading first = server.Ask("GET", path);
    EXPECT_EQ(Header(first, "Cache-Control"), "no-cache, private");
    const std::string tag = Header(first, "ETag");
    const Reading again = server.Ask("GET", path, "", {{"If-None-Match", tag}});
    EXPECT_EQ(again.status, 304) << path;
    EXPECT_EQ(again.body, "");
    EXPECT_EQ(Header(again, "ETag"), tag);
    EXPECT_EQ(server.Ask("GET", path, "", {{"If-None-Match", "\"other\""}}).status, 200);
  }
}

TEST(OpenApi, EncodingIsNegotiated) {
  TestServer server;
  const auto type = [&](const std::string& path, const std::string& accept) {
    const Reading reading = server.Ask("GET", path, "", {{"Accept", accept}});
    return reading.status == 200 ? Header(reading, "Content-Type") : std::to_string(reading.status);
  };
  const std::string v2 = "application/com.github.proto-openapi.spec.v2";
  const std::string v3 = "application/com.github.proto-openapi.spec.v3";
  EXPECT_EQ(type("/openapi/v2", v2 + "@v1.0+protobuf"), v2 + ".v1.0+protobuf");
  EXPECT_EQ(type("/openapi/v2", v2 + ".v1.0+protobuf"), v2 + ".v1.0+protobuf");
  EXPECT_EQ(type("/openapi/v2", "application/json;q=0.1, " + v2 + "@v1.0+protobuf"), v2 + ".v1.0+protobuf");
  EXPECT_EQ(type("/openapi/v2", v2 + "@v1.0+protobuf;q=0.1, application/*"), "application/json");
  EXPECT_EQ(type("/openapi/v2", "application/yaml"), "406");
  EXPECT_EQ(type("/openapi/v3/version", v3 + "@v1.0+protobuf"), v3 + ".v1.0+protobuf");
  EXPECT_EQ(type("/openapi/v3/version", v2 + "@v1.0+protobuf"), "406");
  EXPECT_EQ(type("/openapi/v3", "application/yaml"), "text/plain; charset=utf-8");
}

TEST(OpenApi, WhatIsNotServedIsNotFound) {
  TestServer server;
  for (const std::string path : {"/openapi/v3/", "/openapi/v3/apis/apps/v9", "/openapi/v3/apis/example.com/v1"}) {
    const Reading reading = server.Ask("GET", path);
    EXPECT_EQ(reading.status, 404) << path;
    EXPECT_EQ(reading.body, "") << path;
  }
  EXPECT_EQ(server.Ask("GET", "/openapi/v2/").body, "404 page not found\n");
}

TEST(OpenApi, ChangeOfADefinitionShowsAtOnceAndInItsOwnDocumentOnly) {
  TestServer server;
  const Reading before = server.Ask("GET", "/openapi/v3");
  ASSERT_EQ(server.Ask("POST", kDefinitions, Definition("cogs", "Cog", R"({"type":"object"})", "other.com")).status,
            201);
  const std::string wide = R"({"type":"object","properties":{"width":{"type":"integer","description":"in mm"}}})";
  ASSERT_EQ(server.Ask("POST", kDefinitions, Definition("widgets", "Widget", wide)).status, 201);
  const Reading with = server.Ask("GET", "/openapi/v3");
  EXPECT_EQ(with.Count("paths"), before.Count("paths") + 2);
  EXPECT_EQ(UrlOf(with, "api/v1"), UrlOf(before, "api/v1"));
  const Reading document = server.Ask("GET", "/openapi/v3/apis/example.com/v1");
  const Json& widget = *document.json.find("components")->find("schemas")->find("com.example.v1.Widget");
  EXPECT_EQ(widget.find("properties")->find("width")->find("description")->string(), "in mm");
  const auto in_v2 = [&](std::string_view name) {
    const Reading v2 = server.Ask("GET", "/openapi/v2");
    return v2.json.find("definitions")->find(name) != nullptr;
  };
  EXPECT_TRUE(in_v2("com.example.v1.Widget"));
  const std::string tag = Header(server.Ask("GET", "/openapi/v2"), "ETag");

  ASSERT_EQ(server
                .Patch(std::string(kDefinitions) + "/widgets.example.com",
                       R"({"spec":{"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":
                             {"type":"object","properties":{"height":{"type":"integer"}}}}}]}})")
                .status,
            200);
  const Reading changed = server.Ask("GET", "/openapi/v3");
  EXPECT_NE(UrlOf(changed, "apis/example.com/v1"), UrlOf(with, "apis/example.com/v1"));
  EXPECT_EQ(UrlOf(changed, "apis/other.com/v1"), UrlOf(with, "apis/other.com/v1"));
  EXPECT_EQ(server.Ask("GET", "/openapi/v2", "", {{"If-None-Match", tag}}).status, 200);

  ASSERT_EQ(server.Ask("DELETE", std::string(kDefinitions) + "/widgets.example.com").status, 200);
  EXPECT_EQ(server.Ask("GET", "/openapi/v3/apis/example.com/v1").status, 404);
  EXPECT_FALSE(in_v2("com.example.v1.Widget"));
  EXPECT_TRUE(in_v2("com.other.v1.Cog"));
}

}  // namespace
}  // namespace keelson::apiserver
