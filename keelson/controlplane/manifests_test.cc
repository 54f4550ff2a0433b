#include "keelson/controlplane/manifests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "keelson/api/core/v1.h"
#include "keelson/controlplane/control_plane.h"
#include "keelson/transport/test_certificates_test_support.h"

namespace keelson {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string Map(const std::string& name, const std::string& rest = {}) {
  return "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: " + name + "\n" + rest;
}

std::vector<std::string> NamesOf(const std::vector<Unstructured>& objects) {
  std::vector<std::string> names;
  for (const Unstructured& object : objects) names.push_back(object.GetKey().ToString());
  return names;
}

TEST(Manifests, OfAFolderAreThoseOfItsFilesByName) {
  const TemporaryDirectory directory;
  std::filesystem::create_directories(directory.Path("samples/bad"));
  directory.Write("samples/two.yaml", "# nothing yet\n---\n" + Map("b") + "---\n" + Map("c"));
  directory.Write("samples/one.json", R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}})");
  directory.Write("samples/notes.txt", "none of it: [");
  directory.Write("samples/bad/other.yaml", "none of it: [");
  EXPECT_THAT(NamesOf(ReadManifests(directory.Path("samples")).value()), ElementsAre("a", "b", "c"));
}

TEST(Manifests, ThatCannotBeReadSayWhere) {
  const TemporaryDirectory directory;
  const std::string file = directory.Write("two.yaml", Map("a") + "---\nkind: ConfigMap\n");
  EXPECT_THAT(ReadManifests(file).error().message(), testing::StartsWith(file + ":6: "));
  EXPECT_THAT(ReadManifests(directory.Write("bad.yaml", "a: [")).error().message(), HasSubstr("bad.yaml: YAML line 2"));
  EXPECT_THAT(ReadManifests(directory.Path("none.yaml")).error().message(), HasSubstr("cannot read"));
  EXPECT_THAT(ReadManifests(directory.Write("empty.yaml", "# nothing\n")).error().message(),
              HasSubstr("there is no object in"));
}

TEST(Manifests, AreCreatedWhereTheySayOrInTheNamespaceGiven) {
  const TemporaryDirectory directory;
  const std::string file =
      directory.Write("all.yaml", "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: shop\n---\n" + Map("a") +
                                      "---\n" + Map("b", "  namespace: shop\n"));
  const ControlPlane control_plane;
  const Client client = control_plane.client();
  EXPECT_THAT(NamesOf(CreateManifests(client, file).value()), ElementsAre("shop", "default/a", "shop/b"));
  EXPECT_TRUE(client.Get<corev1::ConfigMap>({"shop", "b"}));

  const std::string more = directory.Write("more.yaml", Map("c") + "---\n" + Map("A") + "---\n" + Map("d"));
  const auto refused = CreateManifests(client, more, "shop");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("\"A\" is invalid"));
  EXPECT_TRUE(client.Get<corev1::ConfigMap>({"shop", "c"})) << "before the one that is refused";
  EXPECT_FALSE(client.Get<corev1::ConfigMap>({"shop", "d"})) << "after it";
}

}  // namespace
}  // namespace keelson
