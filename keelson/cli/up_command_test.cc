#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "keelson/api/core/v1.h"
#include "keelson/cli/cli.h"
#include "keelson/cli/process_test_support.h"
#include "keelson/client/client.h"
#include "keelson/client/kubeconfig.h"
#include "keelson/transport/test_certificates_test_support.h"

namespace keelson::cli {
namespace {

std::string KubeconfigIn(const std::string& line) {
  const size_t at = line.find("KUBECONFIG=");
  return at == std::string::npos ? "" : line.substr(at + 11, line.find('\n') - at - 11);
}

TEST(Up, ServesUntilItIsToldToStop) {
  CommandProcess up("keelson", {"up"});
  const std::string line = up.Line();
  ASSERT_TRUE(line.starts_with("keelson is up at https://127.0.0.1:")) << line;
  const std::string file = KubeconfigIn(line);
  struct stat about = {};
  ASSERT_EQ(stat(file.c_str(), &about), 0) << line;
  EXPECT_EQ(about.st_mode & 0777u, 0600u);
  const Client client = Client::Connect(ClientConfigFrom(LoadKubeconfig(file).value()).value()).value();
  const Result<corev1::Namespace> read = client.Get<corev1::Namespace>({"", "default"});
  ASSERT_TRUE(read) << read.error().message();
  auto watch = client.Watch<corev1::ConfigMap>();
  ASSERT_TRUE(watch) << watch.error().message();
  EXPECT_EQ(up.End(SIGTERM), 0);
  EXPECT_FALSE(std::filesystem::exists(file)) << "a temporary kubeconfig goes with its server";
}

TEST(Up, EndsWithItsTerminal) {
  const auto before = signal(SIGHUP, SIG_DFL);  // tests may run under nohup
  CommandProcess up("keelson", {"up"});
  signal(SIGHUP, before);
  const std::string file = KubeconfigIn(up.Line());
  ASSERT_TRUE(std::filesystem::exists(file));
  EXPECT_EQ(up.End(SIGHUP), 0);
  EXPECT_FALSE(std::filesystem::exists(file)) << "it has a key in it";
}

TEST(Up, KeepsItsStateInADataDirectory) {
  const TemporaryDirectory directory;
  const std::string data_dir = directory.Path("state");
  for (int round = 0; round < 2; ++round) {
    CommandProcess up("keelson", {"up", "--data-dir", data_dir, "-v", "0"});
    const std::string line = up.Line();
    EXPECT_EQ(KubeconfigIn(line), data_dir + "/kubeconfig") << line;
    const Client client =
        Client::Connect(ClientConfigFrom(LoadKubeconfig(data_dir + "/kubeconfig").value()).value()).value();
    if (round == 0) {
      ASSERT_TRUE(client.Create(corev1::ConfigMap{.metadata = {.name = "kept", .namespace_ = "default"}}));
    } else {
      EXPECT_TRUE(client.Get<corev1::ConfigMap>({"default", "kept"}));
    }
    EXPECT_EQ(up.End(SIGINT), 0);
  }
}

TEST(Up, InstallsDefinitionsBeforeItIsReady) {
  const TemporaryDirectory directory;
  const std::string file = directory.Write(
      "crd.yaml",
      "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: widgets.example.com}\n"
      "spec:\n  group: example.com\n  scope: Cluster\n  names: {kind: Widget, plural: widgets}\n  versions:\n"
      "  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}\n");
  CommandProcess up("keelson", {"up", "--crds", file});
  const std::string line = up.Line();
  const Client client = Client::Connect(ClientConfigFrom(LoadKubeconfig(KubeconfigIn(line)).value()).value()).value();
  const auto widgets = client.List(GroupVersionKind{"example.com", "v1", "Widget"});
  EXPECT_TRUE(widgets) << widgets.error().message();
  EXPECT_EQ(up.End(SIGTERM), 0);

  std::ostringstream out;
  std::ostringstream err;
  EXPECT_EQ(cli::Run({"up", "--crds", directory.Path("nowhere.yaml")}, out, err), 1);
  EXPECT_NE(err.str().find("nowhere.yaml"), std::string::npos) << err.str();
}

TEST(Up, SaysWhyItCannot) {
  std::ostringstream out;
  std::ostringstream err;
  EXPECT_EQ(cli::Run({"up", "--bind", "192.0.2.1"}, out, err), 1);
  EXPECT_TRUE(err.str().starts_with("error: ")) << err.str();
  EXPECT_NE(err.str().find("192.0.2.1"), std::string::npos) << err.str();
  EXPECT_EQ(cli::Run({"up", "--port", "70000"}, out, err), 1);
  EXPECT_EQ(out.str(), "");
}

TEST(Up, OneAdmissionPluginCanBeChosen) {
  std::ostringstream out;
  std::ostringstream err;
  EXPECT_EQ(cli::Run({"up", "--disable-admission-plugins=Priority"}, out, err), 1);
  EXPECT_EQ(err.str(),
            "error: the admission plugin 'Priority' cannot be switched on or off here; ServiceAccount can\n");
  EXPECT_EQ(cli::Run({"up", "--enable-admission-plugins=ServiceAccount", "--disable-admission-plugins=ServiceAccount"},
                     out, err),
            1);

  const corev1::Pod pod{.metadata = {.name = "p", .namespace_ = "default"},
                        .spec = {.containers = {{.name = "a", .image = "b"}}}};
  for (const bool on : {true, false}) {
    CommandProcess up("keelson", on ? std::vector<std::string>{"up"}
                                    : std::vector<std::string>{"up", "--disable-admission-plugins=ServiceAccount"});
    const std::string file = KubeconfigIn(up.Line());
    const Client client = Client::Connect(ClientConfigFrom(LoadKubeconfig(file).value()).value()).value();
    const Result<corev1::Pod> made = client.Create(pod);
    ASSERT_TRUE(made) << made.error().message();
    EXPECT_EQ(made->spec.serviceAccountName, on ? "default" : "");
    EXPECT_EQ(made->spec.volumes.size(), on ? 1u : 0u);
    EXPECT_EQ(up.End(SIGTERM), 0);
  }
}

TEST(Up, HelpTeachesHowToReachIt) {
  std::ostringstream out;
  std::ostringstream err;
  EXPECT_EQ(cli::Run({"up", "--help"}, out, err), 0);
  EXPECT_NE(out.str().find("export KUBECONFIG="), std::string::npos);
  EXPECT_NE(out.str().find("--data-dir"), std::string::npos);
}

}  // namespace
}  // namespace keelson::cli
