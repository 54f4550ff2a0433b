#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "keelson/codegen/manifest_generators.h"

namespace keelson::codegen {
namespace {

std::vector<Marker> Markers(const std::vector<std::string>& texts) {
  std::vector<Marker> markers;
  for (const std::string& text : texts) {
    markers.push_back(
        {.text = text, .position = {.file = "main.cc", .line = static_cast<int>(markers.size()) + 1, .column = 4}});
  }
  return markers;
}

// The content of role.yaml; "" when there is no file.
std::string Roles(const std::vector<std::string>& texts) {
  Diagnostics problems;
  const std::vector<GeneratedFile> files = GenerateRbac(Markers(texts), "manager-role", problems);
  EXPECT_EQ(problems.Render(), "");
  if (files.empty()) return {};
  EXPECT_EQ(files.size(), 1u);
  EXPECT_EQ(files[0].path, "role.yaml");
  return files[0].content;
}

std::string ClusterRole(const std::string& rules) {
  return "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: manager-role\nrules:\n" +
         rules;
}

TEST(GenerateRbac, WritesAClusterRole) {
  EXPECT_EQ(Roles({"kubebuilder:rbac:groups=apps,resources=deployments,verbs=list;get;watch;get"}),
            ClusterRole(R"(- apiGroups:
  - apps
  resources:
  - deployments
  verbs:
  - get
  - list
  - watch
)"));
}

TEST(GenerateRbac, GivesNoFileWithoutMarkers) {
  EXPECT_EQ(Roles({}), "");
  EXPECT_EQ(Roles({"kubebuilder:validation:Minimum=0", "groupName=x", "kubebuilder:resoure:path=x"}), "");
}

TEST(GenerateRbac, MergesVerbsThenResourcesThenGroups) {
  EXPECT_EQ(Roles({"kubebuilder:rbac:groups=apps,resources=deployments,verbs=get",
                   "kubebuilder:rbac:groups=apps,resources=deployments;statefulsets,verbs=list",
                   "kubebuilder:rbac:groups=apps,resources=statefulsets,verbs=get",
                   "kubebuilder:rbac:groups=extensions,resources=deployments,verbs=list;get",
                   "kubebuilder:rbac:groups=extensions,resources=statefulsets,verbs=list;get"}),
            ClusterRole(R"(- apiGroups:
  - apps
  - extensions
  resources:
  - deployments
  - statefulsets
  verbs:
  - get
  - list
)"));
}

TEST(GenerateRbac, SortsRulesAndKnowsTheCoreGroup) {
  EXPECT_EQ(Roles({"kubebuilder:rbac:groups=batch,resources=jobs/status,verbs=get;*;list",
                   "kubebuilder:rbac:groups=core,resources=pods,verbs=get",
                   "kubebuilder:rbac:groups=\"\",resources=secrets,resourceNames=b;a,verbs=get",
                   "kubebuilder:rbac:urls=/metrics,verbs=get", "kubebuilder:rbac:urls=/healthz,verbs=get"}),
            ClusterRole(R"(- nonResourceURLs:
  - /healthz
  - /metrics
  verbs:
  - get
- apiGroups:
  - ""
  resources:
  - pods
  verbs:
  - get
- apiGroups:
  - ""
  resourceNames:
  - a
  - b
  resources:
  - secrets
  verbs:
  - get
- apiGroups:
  - batch
  resources:
  - jobs/status
  verbs:
  - '*'
)"));
}

TEST(GenerateRbac, KeepsTheVerbsOfRulesThatBecomeOne) {
  EXPECT_EQ(Roles({"kubebuilder:rbac:groups=a,resources=r,verbs=get", "kubebuilder:rbac:groups=b,resources=r,verbs=get",
                   "kubebuilder:rbac:groups=a;b,resources=r,verbs=list"}),
            ClusterRole(R"(- apiGroups:
  - a
  - b
  resources:
  - r
  verbs:
  - get
  - list
)"));
}

TEST(GenerateRbac, WritesARoleForEachNamespaceAndName) {
  EXPECT_EQ(Roles({"kubebuilder:rbac:groups=apps,namespace=zoo,resources=deployments,verbs=get",
                   "kubebuilder:rbac:groups=apps,namespace=bar,resources=deployments,verbs=get,roleName=reader",
                   "kubebuilder:rbac:groups=apps,resources=deployments,verbs=list"}),
            ClusterRole("- apiGroups:\n  - apps\n  resources:\n  - deployments\n  verbs:\n  - list\n") + R"(---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: reader
  namespace: bar
rules:
- apiGroups:
  - apps
  resources:
  - deployments
  verbs:
  - get
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: manager-role
  namespace: zoo
rules:
- apiGroups:
  - apps
  resources:
  - deployments
  verbs:
  - get
)");
}

TEST(GenerateRbac, WhatTheServerWouldRefuseIsAProblem) {
  const auto problem_of = [](const std::string& arguments) {
    Diagnostics problems;
    EXPECT_TRUE(GenerateRbac(Markers({"kubebuilder:rbac:" + arguments}), "manager-role", problems).empty());
    return problems.Render();
  };
  EXPECT_EQ(problem_of("groups=apps,verbs=get"),
            "main.cc:1:4: error: +kubebuilder:rbac: it names neither resources nor urls; write resources=deployments "
            "or urls=/metrics\n");
  EXPECT_NE(problem_of("resources=pods,verbs=get").find("groups is missing; write groups=apps"), std::string::npos);
  EXPECT_NE(problem_of("groups=apps,resources=pods,urls=/metrics,verbs=get").find("not both"), std::string::npos);
  EXPECT_NE(problem_of("urls=/metrics,verbs=get,namespace=web").find("urls are in no namespace"), std::string::npos);
}

TEST(GenerateRbac, WritesNothingWhenAMarkerIsWrong) {
  Diagnostics problems;
  const auto files = GenerateRbac(
      Markers({"kubebuilder:rbac:groups=apps,resources=deployments,verbs=get",
               "kubebuilder:rbca:groups=apps,resources=pods,verbs=get", "kubebuilder:rbac:groups=apps,resources=pods"}),
      "manager-role", problems);
  EXPECT_TRUE(files.empty());
  EXPECT_EQ(problems.Render(),
            "main.cc:2:4: error: unknown marker +kubebuilder:rbca:groups; the nearest known one is +kubebuilder:rbac; "
            "write for example +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch\n"
            "main.cc:3:4: error: +kubebuilder:rbac: the argument 'verbs' is missing; write for example "
            "+kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch\n");
}

}  // namespace
}  // namespace keelson::codegen
