#include "keelson/client/kubeconfig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "keelson/codec/json_reader.h"
#include "keelson/codec/json_writer.h"
#include "keelson/transport/test_certificates_test_support.h"

namespace keelson {
namespace {

using clientcmdv1::Config;
using testing::AllOf;
using testing::HasSubstr;

const std::string kData = std::string(KEELSON_TEST_DATA) + "/kubeconfig/";

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

Config Parsed(const std::string& name) {
  Result<Config> config = ParseKubeconfig(ReadFile(kData + name));
  EXPECT_TRUE(config) << config.error().message();
  return *config;
}

// An environment of these variables alone.
ClientEnvironment Environment(std::map<std::string, std::string> variables, std::string directory = "/nowhere") {
  ClientEnvironment environment;
  environment.variable = [variables = std::move(variables)](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  };
  environment.service_account_directory = std::move(directory);
  return environment;
}

// A kubeconfig with one context of everything.
std::string Kubeconfig(const std::string& cluster, const std::string& user, const std::string& more_of_context = "") {
  return "current-context: c\ncontexts: [{name: c, context: {cluster: k, user: u" + more_of_context +
         "}}]\nclusters: [{name: k, cluster: {" + cluster + "}}]\nusers: [{name: u, user: {" + user + "}}]\n";
}

Result<ClientConfig> ConfigOf(const std::string& text, const KubeconfigOverrides& overrides = {}) {
  KEELSON_TRY(kubeconfig, ParseKubeconfig(text));
  return ClientConfigFrom(kubeconfig, overrides);
}

const std::string kServer = "server: 'https://s:6443'";

struct MergeCase {
  const char* recorded;
  std::vector<std::string> files;
};

class KubeconfigMerge : public testing::TestWithParam<MergeCase> {};

TEST_P(KubeconfigMerge, EqualsKubectls) {
  std::vector<Config> configs;
  for (const std::string& file : GetParam().files) configs.push_back(Parsed(file));
  const Config merged = MergeKubeconfigs(configs);
  const Result<Config> expected = FromJson<Config>(ReadFile(kData + GetParam().recorded + ".json"));
  ASSERT_TRUE(expected) << expected.error().message();
  EXPECT_EQ(ToJson(merged, {.indent = 2}), ToJson(*expected, {.indent = 2}));
}

INSTANTIATE_TEST_SUITE_P(
    Recorded, KubeconfigMerge,
    testing::Values(MergeCase{"first-second-third", {"first.yaml", "sub/second.yaml", "third.yaml"}},
                    MergeCase{"third-second-first", {"third.yaml", "sub/second.yaml", "first.yaml"}},
                    MergeCase{"second", {"sub/second.yaml"}}, MergeCase{"none", {}}));

TEST(Kubeconfig, PathsStartAtTheDirectoryOfTheirFile) {
  std::vector<std::string> missing;
  const Result<Config> config =
      LoadKubeconfigs({kData + "first.yaml", kData + "absent.yaml", "", kData + "sub/second.yaml"}, &missing);
  ASSERT_TRUE(config) << config.error().message();
  EXPECT_EQ(missing, std::vector<std::string>{kData + "absent.yaml"});
  std::map<std::string, std::string> paths;
  for (const auto& cluster : config->clusters) paths[cluster.name.str()] = cluster.cluster.certificateAuthority.str();
  EXPECT_EQ(paths["red"], kData + "pki/ca.crt");
  EXPECT_EQ(paths["green"], kData + "up/ca.crt");
  EXPECT_EQ(paths["blue"], "");
  for (const auto& user : config->users) {
    if (user.name == "bob") {
      EXPECT_EQ(user.user.clientCertificate, kData + "sub/bob.crt");
      EXPECT_EQ(user.user.clientKey, "/absolute/bob.key");
    } else if (user.name == "carol") {
      EXPECT_EQ(user.user.tokenFile, kData + "sub/carol.token");
    } else if (user.name == "plugin") {
      EXPECT_EQ(user.user.exec->command, kData + "bin/login");
    } else if (user.name == "path-plugin") {
      EXPECT_EQ(user.user.exec->command, "login");  // to be found in PATH
    }
  }
}

TEST(Kubeconfig, MalformedOnesAreRefused) {
  const auto message_of = [](const std::string& text) {
    const Result<Config> config = ParseKubeconfig(text);
    return config ? std::string("accepted") : config.error().message();
  };
  EXPECT_EQ(message_of("kind: Pod\napiVersion: v1\n"), "kind is \"Pod\": expected Config");
  EXPECT_EQ(message_of("kind: Config\napiVersion: v2\n"), "apiVersion is \"v2\": expected v1");
  EXPECT_EQ(message_of("clusters: [{name: a, cluster: {}}, {name: a, cluster: {}}]"),
            "there are two clusters named \"a\"");
  EXPECT_EQ(message_of("users: [{name: a, user: {}}, {name: a, user: {}}]"), "there are two users named \"a\"");
  EXPECT_EQ(message_of("contexts: [{name: a, context: {}}, {name: a, context: {}}]"),
            "there are two contexts named \"a\"");
  EXPECT_THAT(message_of("clusters: {a: b}"), HasSubstr("clusters"));
  EXPECT_EQ(message_of(""), "accepted");
  EXPECT_EQ(message_of("unknown: field\n"), "accepted");
}

TEST(Kubeconfig, SecretsDoNotAppearInErrors) {
  for (const std::string& text :
       {Kubeconfig(kServer, "token: [hunter2]"), Kubeconfig(kServer, "client-key-data: 'hunter2!'"),
        Kubeconfig(kServer, "password: {a: hunter2}"), Kubeconfig(kServer, "token: hunter2, username: a")}) {
    const Result<ClientConfig> config = ConfigOf(text);
    ASSERT_FALSE(config);
    EXPECT_THAT(config.error().message(), testing::Not(HasSubstr("hunter2")));
  }
}

TEST(Kubeconfig, EveryFileThatIsMalformedIsNamed) {
  TemporaryDirectory directory;
  const std::string a = directory.Write("a", "kind: Pod");
  const std::string b = directory.Write("b", "kind: Node");
  const Result<Config> config = LoadKubeconfigs({a, b});
  ASSERT_FALSE(config);
  EXPECT_THAT(config.error().message(), AllOf(HasSubstr(a), HasSubstr(b)));
}

TEST(ClientConfig, TakesEverythingOfAClusterAndContext) {
  const Result<ClientConfig> config = ConfigOf(
      Kubeconfig("server: 'https://s:6443/prefix', certificate-authority-data: Q0E=, tls-server-name: name, proxy-url: "
                 "'socks5://p:1', disable-compression: true",
                 "token: t", ", namespace: apps"));
  ASSERT_TRUE(config) << config.error().message();
  EXPECT_EQ(config->server, "https://s:6443/prefix");
  EXPECT_EQ(config->tls.ca.text, "CA");
  EXPECT_EQ(config->tls.server_name, "name");
  EXPECT_FALSE(config->tls.insecure_skip_verify);
  EXPECT_EQ(config->proxy_url, "socks5://p:1");
  EXPECT_TRUE(config->disable_compression);
  EXPECT_EQ(config->namespace_, "apps");
  EXPECT_EQ(config->bearer_token, "t");
}

TEST(ClientConfig, TakesEachKindOfCredential) {
  Result<ClientConfig> config =
      ConfigOf(Kubeconfig(kServer, "client-certificate-data: Y2VydA==, client-key-data: a2V5"));
  ASSERT_TRUE(config);
  EXPECT_EQ(config->tls.certificate.text + config->tls.key.text, "certkey");

  config = ConfigOf(Kubeconfig(kServer, "client-certificate: /c, client-key: /k"));
  ASSERT_TRUE(config);
  EXPECT_EQ(config->tls.certificate.file + config->tls.key.file, "/c/k");

  config = ConfigOf(Kubeconfig(kServer, "tokenFile: /t"));
  ASSERT_TRUE(config);
  EXPECT_EQ(config->bearer_token_file, "/t");

  config = ConfigOf(Kubeconfig(kServer, "username: u, password: p"));
  ASSERT_TRUE(config);
  EXPECT_EQ(config->username + config->password, "up");

  config = ConfigOf(
      Kubeconfig(kServer + ", extensions: [{name: client.authentication.k8s.io/exec, extension: {audience: x}}]",
                 "exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: login, args: [a]}"));
  ASSERT_TRUE(config) << config.error().message();
  ASSERT_TRUE(config->exec);
  EXPECT_EQ(config->exec->config.command, "login");
  EXPECT_EQ(config->exec->config.interactiveMode, "IfAvailable");
  EXPECT_EQ(config->exec->cluster_config.raw(), R"({"audience":"x"})");

  config = ConfigOf(Kubeconfig(kServer, "as: admin, as-uid: '7', as-groups: [g, h], as-user-extra: {s: [a, b]}"));
  ASSERT_TRUE(config);
  EXPECT_EQ(config->impersonate.user + config->impersonate.uid, "admin7");
  EXPECT_EQ(config->impersonate.groups, (std::vector<std::string>{"g", "h"}));
  EXPECT_EQ(config->impersonate.extra.at("s"), (std::vector<std::string>{"a", "b"}));
}

TEST(ClientConfig, CredentialsAreNotSentInTheClear) {
  for (const char* server : {"server: 'http://s:8080'", "server: 's:8080'"}) {
    const Result<ClientConfig> config = ConfigOf(Kubeconfig(server, "token: t, as: admin"));
    ASSERT_TRUE(config);
    EXPECT_EQ(config->server, "http://s:8080");
    EXPECT_EQ(config->bearer_token, "");
    EXPECT_EQ(config->impersonate.user, "admin");
  }
}

TEST(ClientConfig, OverridesReplaceWhatTheKubeconfigSays) {
  const Config kubeconfig = MergeKubeconfigs({Parsed("first.yaml"), Parsed("sub/second.yaml"), Parsed("third.yaml")});
  Result<ClientConfig> config = ClientConfigFrom(kubeconfig);
  ASSERT_TRUE(config) << config.error().message();
  EXPECT_EQ(config->server, "https://green:6443/prefix");
  EXPECT_EQ(config->namespace_, "apps");
  EXPECT_EQ(config->impersonate.user, "admin");

  config = ClientConfigFrom(kubeconfig, {.context = "red"});
  ASSERT_TRUE(config);
  EXPECT_EQ(config->server, "https://red-first:6443");
  EXPECT_EQ(config->bearer_token, "first-token");
  EXPECT_EQ(config->namespace_, "default");

  config = ClientConfigFrom(kubeconfig, {.context = "red", .cluster = "blue", .user = "carol", .namespace_ = "n"});
  ASSERT_TRUE(config);
  EXPECT_EQ(config->server, "https://blue:6443");
  EXPECT_EQ(config->tls.server_name, "blue.example");
  EXPECT_EQ(config->bearer_token_file, "./carol.token");
  EXPECT_EQ(config->namespace_, "n");

  config = ClientConfigFrom(kubeconfig, {.context = "from-third", .server = "https://other:1"});
  ASSERT_TRUE(config);
  EXPECT_EQ(config->server, "https://other:1");
  EXPECT_EQ(config->tls.server_name, "");  // it was the name of another server
}

TEST(ClientConfig, ProblemsAreNamedTogether) {
  const auto message_of = [](const std::string& text) {
    const Result<ClientConfig> config = ConfigOf(text);
    return config ? std::string("accepted") : config.error().message();
  };
  EXPECT_THAT(
      message_of(Kubeconfig("certificate-authority: a, certificate-authority-data: Q0E=, proxy-url: 'x'",
                            "client-certificate: a, as-uid: x, exec: {env: [{name: '', value: ''}]}")),
      AllOf(HasSubstr("has no server"), HasSubstr("both certificate-authority and"), HasSubstr("proxy-url"),
            HasSubstr("without client-key"), HasSubstr("without `as`"), HasSubstr("without a command"),
            HasSubstr("without an apiVersion"), HasSubstr("without a name"), HasSubstr("without interactiveMode")));
  EXPECT_THAT(message_of(Kubeconfig(kServer, "token: a, username: b")), HasSubstr("both a token and a username"));
  EXPECT_THAT(message_of(Kubeconfig(kServer, "auth-provider: {name: gcp}")), HasSubstr("\"gcp\""));
  EXPECT_THAT(message_of(Kubeconfig(kServer + ", insecure-skip-tls-verify: true, certificate-authority: a", "")),
              HasSubstr("insecure-skip-tls-verify"));
  EXPECT_THAT(
      message_of(Kubeconfig(
          kServer, "exec: {apiVersion: client.authentication.k8s.io/v1, command: a, interactiveMode: Sometimes}")),
      HasSubstr("\"Sometimes\""));
  EXPECT_THAT(message_of(Kubeconfig(kServer, "", ", namespace: Not/Good")), HasSubstr("\"Not/Good\""));
}

TEST(ClientConfig, NamesThatAreNotThereAreNamedWithThoseThatAre) {
  Result<ClientConfig> config = ConfigOf(Kubeconfig(kServer, ""), {.context = "x"});
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().message(), "the kubeconfig has no context \"x\": it has c");
  config = ConfigOf(Kubeconfig(kServer, ""), {.cluster = "x", .user = "y"});
  ASSERT_FALSE(config);
  EXPECT_THAT(config.error().message(), AllOf(HasSubstr("cluster \"x\", which is not there: it has k"),
                                              HasSubstr("user \"y\", which is not there: it has u")));
  config = ConfigOf("contexts: [{name: a, context: {}}, {name: b, context: {}}]");
  ASSERT_FALSE(config);
  EXPECT_THAT(config.error().message(), AllOf(HasSubstr("no current-context"), HasSubstr("it has a, b")));
}

// Files for the order in which configuration is looked for.
class LoadOrder : public testing::Test {
 protected:
  std::string Write(const std::string& name, const std::string& server) {
    return directory_.Write(name, Kubeconfig("server: 'https://" + server + "'", ""));
  }
  // The directory of a service account.
  std::string WritePod() {
    std::filesystem::create_directories(directory_.Path("pod"));
    directory_.Write("pod/token", "pod-token\n");
    directory_.Write("pod/ca.crt", "CA");
    directory_.Write("pod/namespace", "apps\n");
    return directory_.Path("pod");
  }
  std::string WriteHome() {
    std::filesystem::create_directories(directory_.Path("home/.kube"));
    Write("home/.kube/config", "home");
    return directory_.Path("home");
  }

  TemporaryDirectory directory_;
  const std::map<std::string, std::string> kPod = {{"KUBERNETES_SERVICE_HOST", "10.0.0.1"},
                                                   {"KUBERNETES_SERVICE_PORT", "443"}};
};

TEST_F(LoadOrder, FlagThenVariableThenPodThenHome) {
  const std::string flag = Write("flag", "flag");
  const std::string listed = Write("listed", "listed");
  std::map<std::string, std::string> variables = kPod;
  variables["HOME"] = WriteHome();
  variables["KUBECONFIG"] = "/absent:" + listed;
  const std::string pod = WritePod();
  EXPECT_EQ(LoadClientConfig({.kubeconfig = flag}, Environment(variables, pod)).value().server, "https://flag");
  EXPECT_EQ(LoadClientConfig({}, Environment(variables, pod)).value().server, "https://listed");
  variables.erase("KUBECONFIG");
  EXPECT_EQ(LoadClientConfig({}, Environment(variables, pod)).value().server, "https://10.0.0.1:443");
  EXPECT_EQ(LoadClientConfig({.context = "c"}, Environment(variables, pod)).value().server, "https://home");
  EXPECT_EQ(LoadClientConfig({}, Environment(variables, "/nowhere")).value().server, "https://home");
  variables.erase("KUBERNETES_SERVICE_HOST");
  EXPECT_EQ(LoadClientConfig({}, Environment(variables, pod)).value().server, "https://home");
}

TEST_F(LoadOrder, MasterReplacesTheServerWhereverItCameFrom) {
  const std::string flag = Write("flag", "flag");
  const std::string master = "https://master:1";
  EXPECT_EQ(LoadClientConfig({.kubeconfig = flag, .master = master}, Environment({})).value().server, master);
  EXPECT_EQ(LoadClientConfig({.master = master}, Environment({{"KUBECONFIG", flag}})).value().server, master);
  const ClientConfig pod = LoadClientConfig({.master = master}, Environment(kPod, WritePod())).value();
  EXPECT_EQ(pod.server, master);
  EXPECT_EQ(pod.bearer_token, "pod-token");
  EXPECT_EQ(LoadClientConfig({.master = "localhost:8080"}, Environment({})).value().server, "http://localhost:8080");
}

TEST_F(LoadOrder, NothingFoundListsEverythingLookedFor) {
  Result<ClientConfig> config = LoadClientConfig({}, Environment({{"HOME", "/home/nobody"}}));
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().code(), ErrorCode::kNotFound);
  EXPECT_THAT(config.error().message(),
              AllOf(HasSubstr("--kubeconfig was not given"), HasSubstr("KUBECONFIG is not set"),
                    HasSubstr("KUBERNETES_SERVICE_HOST"), HasSubstr("/home/nobody/.kube/config")));
  config = LoadClientConfig({}, Environment({{"KUBECONFIG", "/absent:/gone"}, {"HOME", WriteHome()}}));
  ASSERT_FALSE(config);
  EXPECT_THAT(config.error().message(), HasSubstr("/absent:/gone"));
  config = LoadClientConfig({}, Environment(kPod, "/nowhere"));
  ASSERT_FALSE(config);
  EXPECT_THAT(config.error().message(), AllOf(HasSubstr("/nowhere/token"), HasSubstr("HOME is not set")));
  config = LoadClientConfig({.kubeconfig = "/absent"}, Environment({}));
  ASSERT_FALSE(config);
  EXPECT_THAT(config.error().message(), AllOf(HasSubstr("--kubeconfig"), HasSubstr("/absent")));
}

TEST_F(LoadOrder, MalformedFileIsNotPassedOver) {
  const std::string bad = directory_.Write("bad", "kind: Pod");
  const Result<ClientConfig> config =
      LoadClientConfig({}, Environment({{"KUBECONFIG", bad + ":" + Write("good", "good")}}));
  ASSERT_FALSE(config);
  EXPECT_THAT(config.error().message(), AllOf(HasSubstr(bad), HasSubstr("expected Config")));
}

TEST_F(LoadOrder, PodTakesServerTokenCaAndNamespaceOfItsServiceAccount) {
  const Result<ClientConfig> config = InClusterConfig(Environment(kPod, WritePod()));
  ASSERT_TRUE(config) << config.error().message();
  EXPECT_EQ(config->server, "https://10.0.0.1:443");
  EXPECT_EQ(config->bearer_token, "pod-token");
  EXPECT_EQ(config->bearer_token_file, directory_.Path("pod/token"));
  EXPECT_EQ(config->tls.ca.file, directory_.Path("pod/ca.crt"));
  EXPECT_EQ(config->namespace_, "apps");
}

TEST_F(LoadOrder, PodWithAnIpv6ServerOrWithoutSomeFiles) {
  std::filesystem::create_directories(directory_.Path("pod"));
  directory_.Write("pod/token", "t");
  const ScopedLogCapture log;
  const Result<ClientConfig> config = InClusterConfig(Environment(
      {{"KUBERNETES_SERVICE_HOST", "fd00::1"}, {"KUBERNETES_SERVICE_PORT", "6443"}}, directory_.Path("pod")));
  ASSERT_TRUE(config) << config.error().message();
  EXPECT_EQ(config->server, "https://[fd00::1]:6443");
  EXPECT_TRUE(config->tls.ca.empty());
  EXPECT_EQ(config->namespace_, "default");
  ASSERT_EQ(log.lines().size(), 1);
  EXPECT_THAT(log.lines()[0], HasSubstr("ca.crt"));
}

TEST_F(LoadOrder, PodNamespaceMayComeFromItsEnvironment) {
  std::map<std::string, std::string> variables = kPod;
  variables["POD_NAMESPACE"] = "mine";
  EXPECT_EQ(InClusterConfig(Environment(variables, WritePod())).value().namespace_, "mine");
}

}  // namespace
}  // namespace keelson
