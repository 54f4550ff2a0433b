#include "keelson/controlplane/control_plane.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <sstream>

#include "keelson/api/core/v1.h"
#include "keelson/api/discovery/v1.h"
#include "keelson/api/status_error.h"
#include "keelson/client/config.h"
#include "keelson/client/kubeconfig.h"
#include "keelson/transport/test_certificates_test_support.h"

namespace keelson {
namespace {

corev1::ConfigMap Greeting() { return {.metadata = {.name = "hello", .namespace_ = "default"}, .data = {{"a", "b"}}}; }

std::string TextOf(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

unsigned ModeOf(const std::string& file) {
  struct stat about = {};
  return stat(file.c_str(), &about) == 0 ? about.st_mode & 0777u : 0;
}

// A client over sockets, as another program would make it.
Client Connected(const std::string& kubeconfig) {
  return Client::Connect(ClientConfigFrom(ParseKubeconfig(kubeconfig).value()).value()).value();
}

TEST(ControlPlane, ServesItsOwnProcessWithoutAPort) {
  ControlPlane control_plane;
  const Client client = control_plane.client();
  const Result<corev1::ConfigMap> created = client.Create(Greeting());
  ASSERT_TRUE(created) << created.error().message();
  const Result<corev1::ConfigMap> read = client.Get<corev1::ConfigMap>({"default", "hello"});
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->data.at("a"), "b");
  EXPECT_EQ(control_plane.url(), "");
  EXPECT_EQ(control_plane.kubeconfig().error().code(), ErrorCode::kUnsupported);
}

TEST(ControlPlane, OthersMayNothingYet) {
  ControlPlane control_plane;
  const Result<corev1::ConfigMap> created = control_plane.ClientAs("bob", {"dev"}).Create(Greeting());
  ASSERT_FALSE(created);
  EXPECT_TRUE(IsForbidden(created.error()));
  EXPECT_NE(created.error().message().find("User \"bob\" cannot create resource \"configmaps\""), std::string::npos)
      << created.error().message();
}

TEST(ControlPlane, TwoOfThemKnowNothingOfEachOther) {
  ControlPlane one;
  ControlPlane other;
  ASSERT_TRUE(one.client().Create(Greeting()));
  EXPECT_TRUE(IsNotFound(other.client().Get<corev1::ConfigMap>({"default", "hello"}).error()));
}

TEST(ControlPlane, ListensForThoseWithItsKubeconfig) {
  Result<std::unique_ptr<ControlPlane>> started = ControlPlane::Start({.listen = ListenOptions{}});
  ASSERT_TRUE(started) << started.error().message();
  ControlPlane& control_plane = **started;
  const Client client = Connected(control_plane.kubeconfig().value());
  const Result<corev1::ConfigMap> created = client.Create(Greeting());
  ASSERT_TRUE(created) << created.error().message();
  EXPECT_TRUE(control_plane.client().Get<corev1::ConfigMap>({"default", "hello"}));

  const Client bob = Connected(control_plane.KubeconfigFor("bob", {"dev"}).value());
  EXPECT_TRUE(IsForbidden(bob.Get<corev1::ConfigMap>({"default", "hello"}).error()));

  // The Service that stands for the server tells the same.
  const Result<corev1::Endpoints> endpoints = client.Get<corev1::Endpoints>({"default", "kubernetes"});
  ASSERT_TRUE(endpoints) << endpoints.error().message();
  ASSERT_EQ(endpoints->subsets.size(), 1u);
  EXPECT_EQ("https://" + endpoints->subsets[0].addresses[0].ip.str() + ":" +
                std::to_string(endpoints->subsets[0].ports[0].port),
            control_plane.url());
  const Result<discoveryv1::EndpointSlice> slice = client.Get<discoveryv1::EndpointSlice>({"default", "kubernetes"});
  ASSERT_TRUE(slice) << slice.error().message();
  EXPECT_EQ(slice->endpoints[0].addresses[0], endpoints->subsets[0].addresses[0].ip);
}

TEST(ControlPlane, PodsHaveServiceAccountsWhereControllersMakeThem) {
  const corev1::Pod pod{.metadata = {.name = "p", .namespace_ = "default"},
                        .spec = {.containers = {{.name = "a", .image = "b"}}}};
  const auto account = [&](ControlPlaneOptions options) {
    const auto control_plane = ControlPlane::Start(std::move(options)).value();
    const Result<corev1::Pod> made = control_plane->client().Create(pod);
    return made ? made->spec.serviceAccountName.str() : made.error().message();
  };
  EXPECT_EQ(account({}), "");
  EXPECT_EQ(account({.controllers = {"replicaset-controller"}}), "default");
  EXPECT_EQ(account({.api_server = {.service_account_admission = false}, .controllers = {"replicaset-controller"}}),
            "");
  EXPECT_EQ(account({.api_server = {.tend_namespaces = false}, .controllers = {"replicaset-controller"}}), "");
}

TEST(ControlPlane, StopEndsWatchesAndTakesNoMoreRequests) {
  Result<std::unique_ptr<ControlPlane>> started = ControlPlane::Start({.listen = ListenOptions{}});
  ASSERT_TRUE(started) << started.error().message();
  const Client client = Connected((*started)->kubeconfig().value());
  auto watch = client.Watch<corev1::ConfigMap>();
  ASSERT_TRUE(watch) << watch.error().message();
  EXPECT_TRUE((*started)->Stop());
  EXPECT_TRUE((*started)->Stop());
  ClientConfig config = ClientConfigFrom(ParseKubeconfig((*started)->kubeconfig().value()).value()).value();
  config.retry.max_retries = 0;
  EXPECT_FALSE(Client::Connect(config)->Get<corev1::ConfigMap>({"default", "hello"}));
}

TEST(ControlPlane, ADataDirectoryKeepsObjectsAndCertificates) {
  const TemporaryDirectory directory;
  const std::string data_dir = directory.Path("deep/state");
  std::string kubeconfig;
  uint16_t port = 0;
  {
    auto control_plane = ControlPlane::Start({.listen = ListenOptions{}, .data_dir = data_dir});
    ASSERT_TRUE(control_plane) << control_plane.error().message();
    kubeconfig = (*control_plane)->kubeconfig().value();
    const std::string url = (*control_plane)->url();
    port = static_cast<uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
    ASSERT_TRUE((*control_plane)->client().Create(Greeting()));
    EXPECT_EQ(ModeOf(data_dir), 0700u);
    EXPECT_EQ(ModeOf(data_dir + "/ca.pem"), 0600u);
    EXPECT_FALSE(ControlPlane::Start({.data_dir = data_dir})) << "it is in use";
  }
  auto again = ControlPlane::Start({.listen = ListenOptions{.port = port}, .data_dir = data_dir});
  ASSERT_TRUE(again) << again.error().message();
  // The kubeconfig of the first run is still good.
  const Result<corev1::ConfigMap> read = Connected(kubeconfig).Get<corev1::ConfigMap>({"default", "hello"});
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->data.at("a"), "b");
}

TEST(ControlPlane, SaysWhyItCannotListen) {
  const auto started = ControlPlane::Start({.listen = ListenOptions{.address = "192.0.2.1"}});
  ASSERT_FALSE(started);
  EXPECT_NE(started.error().message().find("192.0.2.1"), std::string::npos) << started.error().message();
}

constexpr std::string_view kOwn = R"(apiVersion: v1
clusters:
- cluster:
    server: https://127.0.0.1:1
  name: keelson
contexts:
- context:
    cluster: keelson
    user: keelson-admin
  name: keelson
current-context: keelson
kind: Config
users:
- name: keelson-admin
  user:
    token: new
)";

TEST(WriteKubeconfig, MakesAFileForItsOwner) {
  const TemporaryDirectory directory;
  const std::string file = directory.Path("config");
  ASSERT_TRUE(WriteKubeconfig(std::string(kOwn), file));
  EXPECT_EQ(TextOf(file), kOwn);
  EXPECT_EQ(ModeOf(file), 0600u);
}

TEST(WriteKubeconfig, KeepsWhatTheFileHasOfOthers) {
  const TemporaryDirectory directory;
  std::string old(kOwn);
  for (size_t at = old.find("keelson"); at != std::string::npos; at = old.find("keelson", at))
    old.replace(at, 7, "work");
  const std::string file = directory.Write("config", old);
  ASSERT_TRUE(WriteKubeconfig(std::string(kOwn), file));
  const Result<clientcmdv1::Config> merged = ParseKubeconfig(TextOf(file));
  ASSERT_TRUE(merged) << merged.error().message();
  EXPECT_EQ(merged->currentContext, "keelson");
  ASSERT_EQ(merged->clusters.size(), 2u);
  EXPECT_EQ(merged->clusters[1].name, "work");
  EXPECT_EQ(ModeOf(file), 0600u);
}

TEST(WriteKubeconfig, LeavesOtherFilesAsTheyAre) {
  const TemporaryDirectory directory;
  const std::string file = directory.Write("notes", "do not lose me: [");
  EXPECT_FALSE(WriteKubeconfig(std::string(kOwn), file));
  EXPECT_EQ(TextOf(file), "do not lose me: [");
  EXPECT_FALSE(WriteKubeconfig(std::string(kOwn), directory.Path("missing/config")));
}

}  // namespace
}  // namespace keelson
