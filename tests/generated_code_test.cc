// The code that keelson_api() generated for the headers in data/codegen/, at work.
#include <gtest/gtest.h>

#include <string>

#include "api/common/generated.h"
#include "api/v1/generated.h"
#include "api/v1alpha1/generated.h"
#include "keelson/api/compare.h"
#include "keelson/api/object.h"
#include "keelson/api/random_value.h"
#include "keelson/codec/json_reader.h"
#include "keelson/codec/json_writer.h"
#include "keelson/codec/scheme.h"
#include "keelson/codec/yaml_reader.h"
#include "keelson/codec/yaml_writer.h"

// What a user writes beside the headers.
namespace shop::v1 {

void SetDefaults(App& app) {
  if (!app.spec.replicas) app.spec.replicas = 2;
}

}  // namespace shop::v1

namespace shop::v1alpha1 {

void SetDefaults(App& app) {
  if (!app.spec.size) app.spec.size = 1;
}

keelson::Result<void> ConvertTo(const App& app, v1::App& hub) {
  hub.spec.image = app.spec.image;
  hub.spec.replicas = app.spec.size;
  return {};
}

keelson::Result<void> ConvertFrom(App& app, const v1::App& hub) {
  if (hub.spec.image.empty())
    return keelson::Error::InvalidArgument("an app without an image is of no use in v1alpha1");
  app.spec.image = hub.spec.image;
  app.spec.size = hub.spec.replicas;
  return {};
}

}  // namespace shop::v1alpha1

namespace keelson {
namespace {

using shop::common::Tier;
using shop::v1::App;
using shop::v1::AppList;
using shop::v1::AppSpec;
using shop::v1::Exposure;

App Sample() {
  App app;
  app.metadata.name = "web";
  app.spec.image = "nginx";
  app.spec.args = {"-v"};
  app.spec.replicas = 3;
  app.spec.exposure = Exposure::Nobody;
  app.spec.formerExposures = {Exposure::Public, Exposure::Internal};
  app.spec.hosts = {"a.example.com"};
  app.spec.ports = {{.number = 80, .protocol = "TCP"}};
  app.spec.labels = {{"team", "red"}};
  app.spec.rollout.maxSurge = IntOrString("25%");
  app.spec.route = shop::v1::Route{.path = "/", .children = {{.path = "/api", .children = {}}}};
  app.spec.limits.memory = Quantity("1Gi");
  app.spec.limits.tier = Tier::ExtraLarge;
  app.spec.limits.tierByZone = {{"a", Tier::Small}};
  app.spec.template_.spec.containers = {{.name = "web", .image = "nginx"}};
  app.spec.selector = metav1::LabelSelector{.matchLabels = {{"app", "web"}}};
  app.spec.enableIngress = true;
  app.spec.timeout = metav1::Duration(std::chrono::seconds(90));
  app.spec.extension = RawExtension(R"({"any":"thing"})");
  app.spec.settings = Json(true);
  app.spec.key = Bytes("abc");
  app.spec.env = {{.name = "MODE", .value = "fast"}};
  app.spec.weight = 0.5;
  app.status.phase = shop::v1::Phase::Running;
  app.status.conditions = {{.type = "Ready", .status = "True"}};
  return app;
}

TEST(GeneratedCode, WritesEveryKindOfField) {
  EXPECT_EQ(ToYaml(Sample()), R"(apiVersion: shop.example.com/v1
kind: App
metadata:
  name: web
spec:
  args:
  - -v
  enable_ingress: true
  env:
  - name: MODE
    value: fast
  exposure: None
  extension:
    any: thing
  formerExposures:
  - Public
  - Internal
  hosts:
  - a.example.com
  image: nginx
  key: YWJj
  labels:
    team: red
  limits:
    memory: 1Gi
    tier: extra-large
    tierByZone:
      a: Small
  ports:
  - number: 80
    protocol: TCP
    weight: 10
  replicas: 3
  rollout:
    maxSurge: 25%
  route:
    children:
    - path: /api
    path: /
  selector:
    matchLabels:
      app: web
  settings: true
  template:
    metadata: {}
    spec:
      containers:
      - image: nginx
        name: web
        resources: {}
  timeout: 1m30s
  weight: 0.5
status:
  conditions:
  - lastTransitionTime: null
    message: ""
    reason: ""
    status: "True"
    type: Ready
  phase: Running
)");
}

TEST(GeneratedCode, ReadsBackWhatItWrote) {
  const Result<App> json = FromJson<App>(ToJson(Sample()));
  ASSERT_TRUE(json) << json.error().message();
  EXPECT_TRUE(Equal(*json, Sample())) << ToJson(*json);
  const Result<App> yaml = FromYaml<App>(ToYaml(Sample()));
  ASSERT_TRUE(yaml) << yaml.error().message();
  EXPECT_TRUE(Equal(*yaml, Sample())) << ToYaml(*yaml);
  EXPECT_EQ(yaml->spec.cached, 7);

  Random random(11);
  for (int i = 0; i < 200; ++i) {
    const App app = RandomValue<App>(random);
    const Result<App> again = FromJson<App>(ToJson(app));
    ASSERT_TRUE(again) << again.error().message() << "\n" << ToJson(app);
    EXPECT_TRUE(Equal(app, *again)) << ToJson(app) << "\n" << ToJson(*again);
  }
}

TEST(GeneratedCode, LeavesOutWhatIsOptionalAndEmpty) {
  EXPECT_EQ(
      ToJson(App{}),
      R"({"kind":"App","apiVersion":"shop.example.com/v1","metadata":{},"spec":{"image":"","exposure":"Internal",)"
      R"("ports":[],"rollout":{},"limits":{"memory":"0"},)"
      R"("template":{"metadata":{},"spec":{"containers":[]}},"enable_ingress":false},"status":{}})");
}

TEST(GeneratedCode, ZeroIsWrittenWhereTheDefaultIsAnother) {
  shop::v1::Port port;
  port.weight = 0;
  EXPECT_EQ(ToJson(port), R"({"number":0,"weight":0})");
  EXPECT_EQ(FromJson<shop::v1::Port>(ToJson(port))->weight, 0);
  EXPECT_EQ(FromJson<shop::v1::Port>(R"({"number":80})")->weight, 10);
  EXPECT_EQ(TypeOf<AppSpec::Rollout>().FindField("delaySeconds")->omit_empty, true);
}

TEST(GeneratedCode, UnknownEnumeratorIsAnError) {
  const Result<App> read = FromYaml<App>("spec: {limits: {tierByZone: {a: huge}}}");
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message().find("spec.limits.tierByZone.a: unknown value \"huge\": expected one of \"Small\", "
                                        "\"extra-large\""),
            std::string::npos)
      << read.error().message();
}

TEST(GeneratedCode, TablesSayWhatTheMarkersSay) {
  const Type& spec = TypeOf<AppSpec>();
  EXPECT_EQ(spec.name, "shop.example.com/v1.AppSpec");
  EXPECT_EQ(spec.fields.front().name, "image");  // of the base
  EXPECT_TRUE(spec.FindField("image")->required);
  EXPECT_FALSE(spec.FindField("args")->required);
  EXPECT_EQ(spec.FindField("ports")->list_type, ListType::kMap);
  EXPECT_EQ(spec.FindField("ports")->list_keys, "number,protocol");
  EXPECT_EQ(spec.FindField("hosts")->list_type, ListType::kSet);
  EXPECT_EQ(spec.FindField("args")->list_type, ListType::kAtomic);
  EXPECT_TRUE(spec.FindField("labels")->atomic);
  EXPECT_TRUE(spec.FindField("selector")->atomic);
  EXPECT_FALSE(spec.FindField("limits")->atomic);
  EXPECT_EQ(spec.FindField("cached"), nullptr);
  EXPECT_EQ(TypeOf<AppSpec::Rollout>().name, "shop.example.com/v1.AppSpec.Rollout");
  EXPECT_EQ(TypeOf<shop::common::Limits>().name, "common.Limits");
  EXPECT_EQ(TypeOf<shop::v1::AppStatus>().FindField("conditions")->list_keys, "type");
}

TEST(GeneratedCode, ListHoldsObjects) {
  AppList list;
  list.metadata.resourceVersion = "7";
  list.items = {Sample(), App{}};
  const Result<AppList> again = FromJson<AppList>(ToJson(list));
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_TRUE(Equal(list, *again));
  EXPECT_EQ(GvkOf<AppList>(), (GroupVersionKind{"shop.example.com", "v1", "AppList"}));
  EXPECT_EQ(ToJson(shop::v1::TenantList{}),
            R"({"kind":"TenantList","apiVersion":"shop.example.com/v1","metadata":{},"items":[]})");
}

TEST(GeneratedCode, ResourcesAreKnown) {
  EXPECT_EQ(GvrOf<App>(), (GroupVersionResource{"shop.example.com", "v1", "apps"}));
  EXPECT_EQ(GvrOf<shop::v1::Tenant>(), (GroupVersionResource{"shop.example.com", "v1", "tenantry"}));
  constexpr ResourceInfo app = ResourceOf<App>();
  EXPECT_TRUE(app.namespaced);
  EXPECT_TRUE(app.has_status);
  EXPECT_FALSE(app.has_scale);
  constexpr ResourceInfo tenant = ResourceOf<shop::v1::Tenant>();
  EXPECT_EQ(tenant.singular, "inhabitant");
  EXPECT_FALSE(tenant.namespaced);
  EXPECT_FALSE(tenant.has_status);
  EXPECT_TRUE(tenant.has_scale);
}

// In the order in which the hub comes last.
Result<Scheme> ShopScheme() {
  Scheme scheme = Scheme::Builtin();
  KEELSON_RETURN_IF_ERROR(shop::v1alpha1::AddToScheme(scheme));
  KEELSON_RETURN_IF_ERROR(shop::v1::AddToScheme(scheme));
  return scheme;
}

TEST(GeneratedCode, AddToSchemeMayBeCalledAgain) {
  Scheme scheme;
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(shop::v1alpha1::AddToScheme(scheme));
    ASSERT_TRUE(shop::v1::AddToScheme(scheme));
  }
  shop::v1alpha1::App app;
  app.spec.image = "web";
  const Result<shop::v1::App> converted = scheme.Convert<shop::v1::App>(app);
  ASSERT_TRUE(converted) << converted.error().message();
  EXPECT_EQ(converted->spec.image, "web");
}

TEST(GeneratedCode, AddToSchemeRegistersKindsAndLists) {
  const Result<Scheme> scheme = ShopScheme();
  ASSERT_TRUE(scheme) << scheme.error().message();
  EXPECT_EQ(scheme->Find({"shop.example.com", "v1", "App"}), &TypeOf<App>());
  EXPECT_EQ(scheme->FindList({"shop.example.com", "v1", "App"}), &TypeOf<AppList>());
  EXPECT_EQ(scheme->FindList({"shop.example.com", "v1", "Tenant"}), &TypeOf<shop::v1::TenantList>());
  EXPECT_EQ(scheme->FindList({"shop.example.com", "v1alpha1", "App"}), &TypeOf<shop::v1alpha1::AppList>());
}

TEST(GeneratedCode, DefaultsOfTheUserAreApplied) {
  const Result<Scheme> scheme = ShopScheme();
  ASSERT_TRUE(scheme);
  AppList list;
  list.items = {App{}, Sample()};
  scheme->Default(list);
  EXPECT_EQ(std::as_const(list.items)[0].spec.replicas, 2);
  EXPECT_EQ(std::as_const(list.items)[1].spec.replicas, 3);
  shop::v1alpha1::App old;
  scheme->Default(old);
  EXPECT_EQ(old.spec.size, 1);
}

TEST(GeneratedCode, VersionsAreConvertedThroughTheStoredOne) {
  const Result<Scheme> scheme = ShopScheme();
  ASSERT_TRUE(scheme);
  const auto old = scheme->Convert<shop::v1alpha1::App>(Sample());
  ASSERT_TRUE(old) << old.error().message();
  EXPECT_EQ(old->metadata.name, "web");
  EXPECT_EQ(old->spec.size, 3);
  const auto hub = scheme->Convert<App>(*old);
  ASSERT_TRUE(hub);
  EXPECT_EQ(hub->spec.image, "nginx");
  EXPECT_FALSE(scheme->Convert<shop::v1alpha1::App>(App{}));
}

}  // namespace
}  // namespace keelson
