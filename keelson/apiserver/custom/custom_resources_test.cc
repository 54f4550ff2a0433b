// Custom resources from the definition to its end, as a client sees them.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "keelson/apiserver/api_server_test_support.h"

namespace keelson::apiserver {
namespace {

constexpr std::string_view kDefinitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
constexpr std::string_view kGadgets = "/apis/example.com/v1/namespaces/default/gadgets";

std::string GadgetDefinition(std::string_view names = R"("plural":"gadgets","kind":"Gadget","shortNames":["gd"])",
                             std::string_view name = "gadgets.example.com") {
  return fmt::format(R"({{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
    "metadata":{{"name":"{}"}},
    "spec":{{"group":"example.com","scope":"Namespaced","names":{{{}}},
      "versions":[
        {{"name":"v1","served":true,"storage":true,
         "subresources":{{"status":{{}},"scale":{{"specReplicasPath":".spec.replicas","statusReplicasPath":".status.replicas",
                                                  "labelSelectorPath":".status.selector"}}}},
         "additionalPrinterColumns":[{{"name":"Color","type":"string","jsonPath":".spec.color"}}],
         "selectableFields":[{{"jsonPath":".spec.color"}}],
         "schema":{{"openAPIV3Schema":{{"type":"object","properties":{{
           "spec":{{"type":"object","properties":{{
             "color":{{"type":"string","default":"red"}},"replicas":{{"type":"integer"}}}}}},
           "status":{{"type":"object","properties":{{
             "replicas":{{"type":"integer"}},"selector":{{"type":"string"}}}}}}}}}}}}}},
        {{"name":"v1beta1","served":true,"storage":false,"deprecated":true,
         "schema":{{"openAPIV3Schema":{{"type":"object","properties":{{
           "spec":{{"type":"object","properties":{{"replicas":{{"type":"integer"}}}}}}}}}}}}}}]}}}})",
                     name, names);
}

std::string Gadget(std::string_view name, std::string_view spec = R"({"replicas":3})") {
  return fmt::format(R"({{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{{"name":"{}"}},"spec":{}}})", name,
                     spec);
}

std::string Condition(const Reading& definition, std::string_view type) {
  const Json conditions = definition.At("status.conditions");
  if (!conditions.is_list()) return "none";
  for (const Json& condition : conditions.list()) {
    if (condition.find("type")->string() == type) {
      return condition.find("status")->string().str() + " " + condition.find("reason")->string().str();
    }
  }
  return "absent";
}

class CustomResources : public ::testing::Test {
 protected:
  void Define() { ASSERT_EQ(server.Ask("POST", std::string(kDefinitions), GadgetDefinition()).status, 201); }
  Reading Get(std::string_view path) { return server.Ask("GET", std::string(path)); }
  Reading Create(std::string body) { return server.Ask("POST", std::string(kGadgets), std::move(body)); }
  std::string At(std::string_view name) { return fmt::format("{}/{}", kGadgets, name); }
  std::string Definition() { return fmt::format("{}/gadgets.example.com", kDefinitions); }

  TestServer server;
};

TEST_F(CustomResources, AreServedOnceTheirDefinitionIsStored) {
  EXPECT_EQ(Get(kGadgets).status, 404);
  const Reading created = server.Ask("POST", std::string(kDefinitions), GadgetDefinition());
  ASSERT_EQ(created.status, 201);
  EXPECT_EQ(Condition(created, "Established"), "none") << "the answer is the definition as it was stored first";

  const Reading read = Get(Definition());
  EXPECT_EQ(Condition(read, "NamesAccepted"), "True NoConflicts");
  EXPECT_EQ(Condition(read, "Established"), "True InitialNamesAccepted");
  EXPECT_EQ(read.Text("status.acceptedNames.listKind"), "GadgetList");

  const Reading listed = Get(kGadgets);
  EXPECT_EQ(listed.status, 200);
  EXPECT_EQ(listed.Text("kind"), "GadgetList");
  const Reading discovery = Get("/apis/example.com/v1");
  ASSERT_EQ(discovery.status, 200);
  EXPECT_EQ(discovery.Count("resources"), 3u);
}

TEST_F(CustomResources, ArePrunedAndGetTheirDefaults) {
  Define();
  const Reading created = Create(Gadget("a", R"({"replicas":3,"unknown":1})"));
  ASSERT_EQ(created.status, 201) << created.body;
  EXPECT_EQ(created.Text("spec"), R"({"color":"red","replicas":3})");
  EXPECT_EQ(created.Text("metadata.generation"), "1");
  EXPECT_EQ(Get(At("a")).Text("spec.color"), "red");
  const Reading strict =
      server.Ask("POST", std::string(kGadgets) + "?fieldValidation=Strict", Gadget("b", R"({"unknown":1})"));
  EXPECT_EQ(strict.status, 400);
  EXPECT_NE(strict.Text("message").find("unknown field \"spec.unknown\""), std::string::npos) << strict.body;
}

TEST_F(CustomResources, AreSeenThroughTheSchemaOfEachVersion) {
  Define();
  ASSERT_EQ(Create(Gadget("a", R"({"replicas":3,"color":"blue"})")).status, 201);
  const Reading older = Get("/apis/example.com/v1beta1/namespaces/default/gadgets/a");
  EXPECT_EQ(older.Text("apiVersion"), "example.com/v1beta1");
  EXPECT_EQ(older.Text("spec"), R"({"replicas":3})");
  ASSERT_NE(older.headers.Find("Warning"), nullptr);
  EXPECT_EQ(*older.headers.Find("Warning"),
            "299 - \"example.com/v1beta1 Gadget is deprecated; use example.com/v1 Gadget\"");
}

TEST_F(CustomResources, AreSelectedByTheirFields) {
  Define();
  ASSERT_EQ(Create(Gadget("a", R"({"color":"blue"})")).status, 201);
  ASSERT_EQ(Create(Gadget("b")).status, 201);
  EXPECT_EQ(Get(std::string(kGadgets) + "?fieldSelector=spec.color%3Dblue").Count("items"), 1u);
  EXPECT_EQ(Get(std::string(kGadgets) + "?fieldSelector=spec.size%3D1").status, 400);
}

TEST_F(CustomResources, HaveAStatusAndAScaleOfTheirOwn) {
  Define();
  ASSERT_EQ(Create(Gadget("a")).status, 201);
  const Reading status =
      server.Patch(At("a") + "/status", R"({"status":{"replicas":2,"selector":"app=a"},"spec":{"replicas":9}})");
  ASSERT_EQ(status.status, 200) << status.body;
  EXPECT_EQ(status.Text("spec.replicas"), "3");
  EXPECT_EQ(status.Text("metadata.generation"), "1");
  const Reading scale = Get(At("a") + "/scale");
  EXPECT_EQ(scale.Text("status"), R"({"replicas":2,"selector":"app=a"})");
  EXPECT_EQ(server.Patch(At("a") + "/scale", R"({"spec":{"replicas":5}})").status, 200);
  const Reading scaled = Get(At("a"));
  EXPECT_EQ(scaled.Text("spec.replicas"), "5");
  EXPECT_EQ(scaled.Text("metadata.generation"), "2");
}

TEST_F(CustomResources, ShowTheColumnsOfTheirDefinition) {
  Define();
  ASSERT_EQ(Create(Gadget("a")).status, 201);
  const Reading table =
      server.Ask("GET", std::string(kGadgets), {}, {{"Accept", "application/json;as=Table;g=meta.k8s.io;v=v1"}});
  ASSERT_EQ(table.status, 200);
  EXPECT_EQ(table.Count("columnDefinitions"), 2u);
  EXPECT_NE(table.body.find(R"("cells":["a","red"])"), std::string::npos) << table.body;
}

TEST_F(CustomResources, ShowTheFirstOfSeveralValuesInAColumn) {
  Define();
  const Reading changed =
      server.Ask("PATCH", Definition(),
                 R"([{"op":"add","path":"/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/parts",
           "value":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"}}}}},
          {"op":"replace","path":"/spec/versions/0/additionalPrinterColumns/0/jsonPath","value":".spec.parts[*].name"}])",
                 {{"Content-Type", "application/json-patch+json"}});
  ASSERT_EQ(changed.status, 200) << changed.body;
  ASSERT_EQ(Create(Gadget("a", R"({"parts":[{"name":"lid"},{"name":"box"}]})")).status, 201);
  const Reading table =
      server.Ask("GET", std::string(kGadgets), {}, {{"Accept", "application/json;as=Table;g=meta.k8s.io;v=v1"}});
  EXPECT_NE(table.body.find(R"("cells":["a","lid"])"), std::string::npos) << table.body;
}

TEST_F(CustomResources, FollowAChangeOfTheirSchema) {
  Define();
  ASSERT_EQ(Create(Gadget("a")).status, 201);
  const Reading changed =
      server.Ask("PATCH", Definition(),
                 R"([{"op":"add","path":"/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/size",
           "value":{"type":"integer","default":7}}])",
                 {{"Content-Type", "application/json-patch+json"}});
  ASSERT_EQ(changed.status, 200) << changed.body;
  EXPECT_EQ(Get(At("a")).Text("spec.size"), "7") << "a default is filled in when an older object is read";
  EXPECT_EQ(Create(Gadget("b", R"({"size":9})")).Text("spec.size"), "9");
}

TEST_F(CustomResources, AreCheckedBySchemaAndRules) {
  const std::string definition = R"crd({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
    "metadata":{"name":"ranges.example.com"},
    "spec":{"group":"example.com","scope":"Cluster","names":{"plural":"ranges","kind":"Range"},
      "versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{
        "spec":{"type":"object","required":["low"],"properties":{
          "low":{"type":"integer","minimum":0},"high":{"type":"integer"}},
          "x-kubernetes-validations":[
            {"rule":"!has(self.high) || self.low <= self.high","message":"low must not be above high"},
            {"rule":"self.low >= oldSelf.low","messageExpression":"'low may' + ' not fall'"}]}}}}}]}})crd";
  const Reading defined = server.Ask("POST", std::string(kDefinitions), definition);
  ASSERT_EQ(defined.status, 201) << defined.body;
  const auto range = [](std::string_view spec) {
    return fmt::format(R"({{"apiVersion":"example.com/v1","kind":"Range","metadata":{{"name":"r"}},"spec":{}}})", spec);
  };
  const std::string ranges = "/apis/example.com/v1/ranges";
  EXPECT_EQ(
      server.Ask("POST", ranges, range(R"({"low":-1})")).Text("message"),
      "Range.example.com \"r\" is invalid: spec.low: Invalid value: -1: spec.low in body should be greater than or "
      "equal to 0");
  EXPECT_EQ(server.Ask("POST", ranges, range(R"({"low":3,"high":2})")).Text("message"),
            "Range.example.com \"r\" is invalid: spec: Invalid value: low must not be above high");
  ASSERT_EQ(server.Ask("POST", ranges, range(R"({"low":3})")).status, 201);
  const Reading lower = server.Patch(ranges + "/r", R"({"spec":{"low":1}})");
  EXPECT_EQ(lower.status, 422);
  EXPECT_EQ(lower.Text("message"), "Range.example.com \"r\" is invalid: spec: Invalid value: low may not fall");
  EXPECT_EQ(server.Patch(ranges + "/r", R"({"spec":{"low":4}})").status, 200);
}

TEST_F(CustomResources, GoWithTheirDefinition) {
  Define();
  ASSERT_EQ(Create(Gadget("a")).status, 201);
  EXPECT_EQ(server.Ask("DELETE", Definition()).status, 200);
  EXPECT_EQ(Get(Definition()).status, 404);
  EXPECT_EQ(Get(kGadgets).status, 404);
  Define();
  EXPECT_EQ(Get(kGadgets).Count("items"), 0u);
}

TEST_F(CustomResources, HoldUpTheirDefinitionWhileAFinalizerIsLeft) {
  Define();
  ASSERT_EQ(Create(R"({"apiVersion":"example.com/v1","kind":"Gadget",
                       "metadata":{"name":"a","finalizers":["example.com/hold"]}})")
                .status,
            201);
  EXPECT_EQ(server.Ask("DELETE", Definition()).status, 200);
  EXPECT_EQ(Condition(Get(Definition()), "Terminating"), "True InstanceDeletionInProgress");
  EXPECT_EQ(Create(Gadget("b")).status, 403);
  EXPECT_EQ(server.Patch(At("a"), R"({"metadata":{"finalizers":null}})").status, 200);
  EXPECT_EQ(Get(Definition()).status, 404);
}

TEST_F(CustomResources, OfTheCommunitysGroupsSayWhetherTheyAreApproved) {
  const std::string definition = R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
    "metadata":{"name":"things.test.k8s.io","annotations":{"api-approved.kubernetes.io":"unapproved, a test"}},
    "spec":{"group":"test.k8s.io","scope":"Cluster","names":{"plural":"things","kind":"Thing"},
      "versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}})";
  ASSERT_EQ(server.Ask("POST", std::string(kDefinitions), definition).status, 201);
  const Reading read = Get(std::string(kDefinitions) + "/things.test.k8s.io");
  EXPECT_EQ(Condition(read, "KubernetesAPIApprovalPolicyConformant"), "False UnapprovedAnnotation");
  EXPECT_EQ(Condition(read, "Established"), "True InitialNamesAccepted");
}

TEST_F(CustomResources, TakeNamesThatAnotherGaveUp) {
  Define();
  const Reading second =
      server.Ask("POST", std::string(kDefinitions),
                 GadgetDefinition(R"("plural":"widgets","kind":"Widget","shortNames":["gd"])", "widgets.example.com"));
  ASSERT_EQ(second.status, 201);
  const std::string widgets = fmt::format("{}/widgets.example.com", kDefinitions);
  EXPECT_EQ(Condition(Get(widgets), "NamesAccepted"), "False ShortNamesConflict");
  EXPECT_EQ(Condition(Get(widgets), "Established"), "False NotAccepted");
  EXPECT_EQ(Get("/apis/example.com/v1/widgets").status, 404);
  EXPECT_EQ(server.Ask("DELETE", Definition()).status, 200);
  EXPECT_EQ(Condition(Get(widgets), "Established"), "True InitialNamesAccepted");
  EXPECT_EQ(Get("/apis/example.com/v1/widgets").status, 200);
}

}  // namespace
}  // namespace keelson::apiserver
