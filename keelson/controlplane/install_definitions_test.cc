#include "keelson/controlplane/install_definitions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "keelson/api/apiextensions/v1.h"
#include "keelson/codec/unstructured.h"
#include "keelson/controlplane/control_plane.h"
#include "keelson/transport/test_certificates_test_support.h"

namespace keelson {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

std::string Definition(const std::string& kind, const std::string& plural, const std::string& type = "object") {
  return "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: " + plural +
         ".example.com\nspec:\n  group: example.com\n  scope: Namespaced\n  names: {kind: " + kind +
         ", plural: " + plural +
         "}\n  versions:\n  - name: v1\n    served: true\n    storage: true\n    schema:\n      openAPIV3Schema: "
         "{type: " +
         type + ", x-kubernetes-preserve-unknown-fields: true}\n";
}

std::string MessageOf(const ControlPlaneOptions& options) {
  const auto started = ControlPlane::Start(options);
  return started ? "started" : started.error().message();
}

TEST(InstallDefinitions, AreReadyWhenTheControlPlaneIs) {
  const TemporaryDirectory directory;
  std::filesystem::create_directories(directory.Path("crds/deeper"));
  directory.Write("crds/two.yaml", "# Both of them.\n---\n" + Definition("Widget", "widgets") + "---\n" +
                                       Definition("Gadget", "gadgets") + "---\n");
  directory.Write("crds/kustomization.yaml", "kind: Kustomization\nresources: [two.yaml]\n");
  directory.Write("crds/notes.txt", "none of it: [");
  directory.Write("crds/deeper/none.yaml", "none of it: [");
  const std::string single = directory.Write("gizmo.yml", Definition("Gizmo", "gizmos"));
  auto control_plane = ControlPlane::Start({.crds = {directory.Path("crds"), single}});
  ASSERT_TRUE(control_plane) << control_plane.error().message();
  const Client client = (*control_plane)->client();
  for (const char* kind : {"Widget", "Gadget", "Gizmo"}) {
    Unstructured object;
    object.SetGvk({"example.com", "v1", kind});
    object.SetName("one");
    object.SetNamespace("default");
    const Result<Unstructured> made = client.Create(object);
    EXPECT_TRUE(made) << kind << ": " << made.error().message();
  }
}

TEST(InstallDefinitions, OnesThatAreThereBecomeTheFiles) {
  const TemporaryDirectory directory;
  const std::string file = directory.Write("crd.yaml", Definition("Widget", "widgets"));
  const auto control_plane = ControlPlane::Start({.crds = {file}}).value();
  const Client client = control_plane->client();
  std::string changed = Definition("Widget", "widgets");
  changed.replace(changed.find("names: {"), 8, "names: {shortNames: [wg], ");
  directory.Write("crd.yaml", changed);
  const Result<void> again = InstallDefinitions(client, {file});
  ASSERT_TRUE(again) << again.error().message();
  const auto stored = client.Get<apiextensionsv1::CustomResourceDefinition>({"", "widgets.example.com"}).value();
  ASSERT_EQ(stored.spec.names.shortNames.size(), 1u);
  EXPECT_EQ(stored.spec.names.shortNames[0], "wg");
}

TEST(InstallDefinitions, ErrorsNameFileAndLine) {
  const TemporaryDirectory directory;
  const std::string other = directory.Write("pod.yaml", Definition("Widget", "widgets") + "---\nkind: Pod\n");
  EXPECT_THAT(
      MessageOf({.crds = {other}}),
      HasSubstr("pod.yaml:16: expected a CustomResourceDefinition of apiextensions.k8s.io/v1, found kind \"Pod\""));
  const std::string broken = directory.Write("broken.yaml", Definition("Widget", "widgets") + "---\na: [\n");
  EXPECT_THAT(MessageOf({.crds = {broken}}), MatchesRegex(".*broken.yaml.*line 1[67].*"));
  const std::string invalid = directory.Write("invalid.yaml", "---\n" + Definition("Widget", "widgets", "sting"));
  EXPECT_THAT(MessageOf({.crds = {invalid}}), HasSubstr("invalid.yaml:2: "));
  const std::string unknown = directory.Write("unknown.yaml", Definition("Widget", "widgets") + "  colour: blue\n");
  EXPECT_THAT(MessageOf({.crds = {unknown}}), HasSubstr("colour"));
  EXPECT_THAT(MessageOf({.crds = {directory.Path("nowhere")}}), HasSubstr("nowhere"));
  std::filesystem::create_directories(directory.Path("empty"));
  EXPECT_THAT(MessageOf({.crds = {directory.Path("empty")}}), HasSubstr("there is no CustomResourceDefinition in"));
}

}  // namespace
}  // namespace keelson
