#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "keelson/codegen/manifest_generators.h"

namespace keelson::codegen {
namespace {

using ::testing::HasSubstr;

using testing::StartsWith;

std::vector<Marker> Markers(const std::vector<std::string>& texts) {
  std::vector<Marker> markers;
  for (const std::string& text : texts) {
    markers.push_back(
        {.text = text, .position = {.file = "hook.cc", .line = static_cast<int>(markers.size()) + 1, .column = 4}});
  }
  return markers;
}

// The content of manifests.yaml; "" when there is no file.
std::string Manifests(const std::vector<std::string>& texts) {
  Diagnostics problems;
  const std::vector<GeneratedFile> files = GenerateWebhooks(Markers(texts), problems);
  EXPECT_EQ(problems.Render(), "");
  if (files.empty()) return {};
  EXPECT_EQ(files.size(), 1u);
  EXPECT_EQ(files[0].path, "manifests.yaml");
  return files[0].content;
}

// What `more`, added to a correct marker, is told.
std::string ProblemOf(const std::string& more) {
  Diagnostics problems;
  EXPECT_TRUE(GenerateWebhooks(Markers({"kubebuilder:webhook:mutating=false,failurePolicy=fail,groups=apps,"
                                        "resources=deployments,verbs=create,versions=v1,name=a.example.com" +
                                        more}),
                               problems)
                  .empty());
  return problems.all().size() == 1 ? problems.all()[0].message : std::to_string(problems.all().size()) + " problems";
}

TEST(GenerateWebhooks, WritesBothConfigurationsSortedByName) {
  EXPECT_EQ(Manifests({"kubebuilder:webhook:path=/validate,mutating=false,failurePolicy=fail,sideEffects=None,"
                       "groups=apps;core,resources=deployments,verbs=create;UPDATE,versions=v1,name=b.example.com,"
                       "admissionReviewVersions=v1;v1beta1",
                       "kubebuilder:webhook:url=\"https://example.com/v\",mutating=false,failurePolicy=ignore,"
                       "sideEffects=noneondryrun,groups=\"*\",resources=*/*,verbs=*,versions=\"*\",name=a.example.com,"
                       "admissionReviewVersions=v1,matchPolicy=exact,timeoutSeconds=5",
                       "kubebuilder:webhook:path=/mutate,mutating=true,failurePolicy=Fail,sideEffects=None,groups=\"\","
                       "resources=pods,verbs=delete;connect,versions=v1,name=m.example.com,admissionReviewVersions=v1,"
                       "serviceName=hooks,serviceNamespace=web,servicePort=8443,reinvocationPolicy=IfNeeded,"
                       "webhookVersions=v1"}),
            R"(---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata:
  name: mutating-webhook-configuration
webhooks:
- admissionReviewVersions:
  - v1
  clientConfig:
    service:
      name: hooks
      namespace: web
      path: /mutate
      port: 8443
  failurePolicy: Fail
  name: m.example.com
  reinvocationPolicy: IfNeeded
  rules:
  - apiGroups:
    - ""
    apiVersions:
    - v1
    operations:
    - DELETE
    - CONNECT
    resources:
    - pods
  sideEffects: None
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata:
  name: validating-webhook-configuration
webhooks:
- admissionReviewVersions:
  - v1
  clientConfig:
    url: https://example.com/v
  failurePolicy: Ignore
  matchPolicy: Exact
  name: a.example.com
  rules:
  - apiGroups:
    - '*'
    apiVersions:
    - '*'
    operations:
    - '*'
    resources:
    - '*/*'
  sideEffects: NoneOnDryRun
  timeoutSeconds: 5
- admissionReviewVersions:
  - v1
  - v1beta1
  clientConfig:
    service:
      name: webhook-service
      namespace: system
      path: /validate
  failurePolicy: Fail
  name: b.example.com
  rules:
  - apiGroups:
    - apps
    - ""
    apiVersions:
    - v1
    operations:
    - CREATE
    - UPDATE
    resources:
    - deployments
  sideEffects: None
)");
}

TEST(GenerateWebhooks, WhatTheServerWouldRefuseIsAProblem) {
  const std::string correct =
      "kubebuilder:webhook:path=/v,mutating=false,failurePolicy=fail,sideEffects=None,groups=apps,"
      "resources=deployments,verbs=create,versions=v1,name=a.example.com,admissionReviewVersions=v1";
  const auto problem_of = [](const std::vector<std::string>& markers) {
    Diagnostics problems;
    EXPECT_TRUE(GenerateWebhooks(Markers(markers), problems).empty());
    return problems.Render();
  };
  const auto with = [&](std::string_view part, std::string_view other) {
    std::string changed = correct;
    return problem_of({changed.replace(changed.find(part), part.size(), other)});
  };
  EXPECT_THAT(with("=fail", "=explode"), HasSubstr("failurePolicy is 'explode'; write one of Ignore, Fail"));
  EXPECT_THAT(with("=create", "=create;creat"), HasSubstr("verbs has 'creat'; write some of create, update,"));
  EXPECT_THAT(with("=/v", "=v"), HasSubstr("path is 'v'; write path=/v"));
  EXPECT_THAT(with("=a.example.com", "=a.com"), HasSubstr("name is 'a.com'; it must be a domain of three parts"));
  EXPECT_THAT(problem_of({correct, correct}), HasSubstr(":2:4: error: +kubebuilder:webhook: another webhook has the "
                                                        "name 'a.example.com' already"));
}

TEST(GenerateWebhooks, TakesTheNameFromItsMarker) {
  const std::string hook =
      "kubebuilder:webhook:path=/"
      "v,mutating=false,failurePolicy=fail,sideEffects=None,groups=apps,resources=deployments,"
      "verbs=create,versions=v1,name=b.example.com,admissionReviewVersions=v1";
  const std::string manifest = Manifests({"kubebuilder:webhookconfiguration:mutating=false,name=checks",
                                          "kubebuilder:webhookconfiguration:mutating=true,name=unused", hook});
  EXPECT_NE(manifest.find("metadata:\n  name: checks\n"), std::string::npos) << manifest;
  EXPECT_EQ(manifest.find("unused"), std::string::npos);
  EXPECT_NE(Manifests({"kubebuilder:webhookconfiguration:mutating=false", hook})
                .find("  name: validating-webhook-configuration\n"),
            std::string::npos);

  Diagnostics problems;
  EXPECT_TRUE(GenerateWebhooks(Markers({"kubebuilder:webhookconfiguration:mutating=false,name=checks",
                                        "kubebuilder:webhookconfiguration:mutating=false,name=others", hook}),
                               problems)
                  .empty());
  EXPECT_EQ(problems.Render(),
            "hook.cc:2:4: error: +kubebuilder:webhookconfiguration: a second name for the validating webhooks, which "
            "are 'checks' at hook.cc:1:4; keep one of them\n");
}

TEST(GenerateWebhooks, AppliesAPatch) {
  const std::string manifest = Manifests(
      {"kubebuilder:webhook:path=/m,mutating=true,failurePolicy=fail,groups=apps,resources=deployments,verbs=create,"
       "versions=v1,name=m.example.com,admissionReviewVersions=v1,timeoutSeconds=5,patch=`{\"sideEffects\":\"None\","
       "\"timeoutSeconds\":null,\"matchConditions\":[{\"name\":\"c\",\"expression\":\"true\"}],"
       "\"namespaceSelector\":{\"matchLabels\":{\"hooks\":\"on\"}}}`"});
  EXPECT_NE(manifest.find("  sideEffects: None\n"), std::string::npos) << manifest;
  EXPECT_NE(manifest.find("  matchConditions:\n  - expression: \"true\"\n    name: c\n"), std::string::npos);
  EXPECT_NE(manifest.find("  namespaceSelector:\n    matchLabels:\n      hooks: \"on\"\n"), std::string::npos);
  EXPECT_EQ(manifest.find("timeoutSeconds"), std::string::npos);
}

TEST(GenerateWebhooks, GivesNoFileWithoutWebhooks) {
  EXPECT_EQ(Manifests({}), "");
  EXPECT_EQ(Manifests({"kubebuilder:webhookconfiguration:mutating=false,name=checks", "groupName=x"}), "");
}

TEST(GenerateWebhooks, SaysWhatIsWrong) {
  const std::string rest = ",path=/v,admissionReviewVersions=v1";
  EXPECT_EQ(ProblemOf(rest),
            "+kubebuilder:webhook: sideEffects is missing; write sideEffects=None or sideEffects=NoneOnDryRun");
  EXPECT_EQ(ProblemOf(rest + ",sideEffects=Some"),
            "+kubebuilder:webhook: sideEffects is 'Some'; write sideEffects=None or sideEffects=NoneOnDryRun");
  EXPECT_EQ(ProblemOf(rest + ",sideEffects=None,timeoutSeconds=31"),
            "+kubebuilder:webhook: timeoutSeconds is 31; it must be from 1 to 30");
  EXPECT_EQ(ProblemOf(rest + ",sideEffects=None,servicePort=99999999999"),
            "+kubebuilder:webhook: servicePort is 99999999999, which is too large");
  EXPECT_EQ(ProblemOf(rest + ",sideEffects=None,matchPolicy=some"),
            "+kubebuilder:webhook: matchPolicy is 'some'; write one of Exact, Equivalent");
  EXPECT_EQ(ProblemOf(rest + ",sideEffects=None,webhookVersions=v1beta1"),
            "+kubebuilder:webhook: webhookVersions has 'v1beta1'; the only version is v1");
  EXPECT_EQ(ProblemOf(",path=/v,sideEffects=None,admissionReviewVersions={}"),
            "+kubebuilder:webhook: admissionReviewVersions is empty; write admissionReviewVersions=v1");
  EXPECT_THAT(ProblemOf(rest + ",sideEffects=None,url=\"https://x\""),
              StartsWith("+kubebuilder:webhook: exactly one of path and url says where"));
  EXPECT_THAT(ProblemOf(rest + ",sideEffects=None,patch=`{\"nosuch\":null}`"),
              StartsWith("+kubebuilder:webhook: the patch does not fit a webhook:"));
  EXPECT_THAT(ProblemOf(rest + ",sideEffects=None,patch=x"),
              StartsWith("+kubebuilder:webhook: the patch is not JSON: "));
  EXPECT_EQ(ProblemOf(rest + ",sideEffects=None,patch=5"),
            "+kubebuilder:webhook: the patch is not an object; write patch=`{\"timeoutSeconds\":5}`");
  EXPECT_THAT(ProblemOf(",sideEffects=None,path=/v"),
              StartsWith("+kubebuilder:webhook: the argument 'admissionReviewVersions' is missing;"));
}

}  // namespace
}  // namespace keelson::codegen
