// Who the client is to the server, by each means there is.
#include <algorithm>
#include <fstream>

#include "feature.h"
#include "keelson/api/authentication/v1.h"
#include "keelson/api/status_error.h"
#include "keelson/client/credentials.h"
#include "keelson/client/in_cluster.h"
#include "keelson/client/kubeconfig.h"
#include "keelson/client/subresources.h"
#include "keelson/codec/json_writer.h"
#include "keelson/core/clock.h"

namespace keelson::e2e {
namespace {

// Where the server is, and nothing about who we are.
ClientConfig Anonymous(const ClientConfig& config) { return {.server = config.server, .tls = {.ca = config.tls.ca}}; }

Result<std::string> TokenOf(const Cluster& cluster, const std::string& service_account) {
  KEELSON_TRY(answer, RequestToken(cluster.client, cluster.Key(service_account), {.expirationSeconds = 600}));
  return answer.status.token.str();
}

Result<void> MakeServiceAccount(const Cluster& cluster, const std::string& name) {
  KEELSON_RETURN_IF_ERROR(cluster.client.Create(corev1::ServiceAccount{.metadata = {.name = name}}));
  return {};
}

std::string UserOf(const Cluster& cluster, const std::string& service_account) {
  return "system:serviceaccount:" + cluster.namespace_ + ":" + service_account;
}

Result<void> KubeconfigMakesTheAdministrator(const Cluster& cluster) {
  REQUIRE(cluster.config.namespace_ == "default", cluster.config.namespace_);
  KEELSON_TRY(name, UserNameOf(cluster.admin));
  REQUIRE(name == "admin", name);
  return {};
}

Result<void> WrongTokensAreUnauthorized(const Cluster& cluster) {
  ClientConfig config = Anonymous(cluster.config);
  config.bearer_token = "not-a-token-of-this-cluster";
  KEELSON_TRY(client, cluster.Connect(config));
  const Error error = FailureOf(client.List<corev1::Pod>());
  REQUIRE(IsUnauthorized(error), error.message());
  REQUIRE(error.message().find(config.bearer_token) == std::string::npos, "the token in the message");
  return {};
}

Result<void> CertificateUsersMayOnlyWhatTheirRolesAllow(const Cluster& cluster) {
  KEELSON_TRY(config, LoadClientConfig({.kubeconfig = cluster.user_kubeconfig}));
  REQUIRE(!config.tls.certificate.empty() && config.bearer_token.empty(), "no certificate, or a token");
  KEELSON_TRY(user, cluster.Connect(config));
  KEELSON_TRY(name, UserNameOf(user));
  REQUIRE(name == "client-e2e-user", name);
  const Error error = FailureOf(user.List<corev1::Secret>({.namespace_ = cluster.namespace_}));
  REQUIRE(IsForbidden(error), error.message());
  REQUIRE(error.message().find("User \"client-e2e-user\" cannot list resource \"secrets\"") != std::string::npos,
          error.message());
  return {};
}

Result<void> ServiceAccountTokensMakeClients(const Cluster& cluster) {
  KEELSON_RETURN_IF_ERROR(MakeServiceAccount(cluster, "robot"));
  KEELSON_TRY(answer, RequestToken(cluster.client, cluster.Key("robot"), {.expirationSeconds = 600}));
  REQUIRE(answer.status.token.size() > 100, "a short token");
  const Duration left = answer.status.expirationTimestamp.ToSysSeconds() - Clock::WallNow();
  REQUIRE(left > 500s && left < 700s, "an expiry that was not asked for");
  ClientConfig config = Anonymous(cluster.config);
  config.bearer_token = answer.status.token.str();
  KEELSON_TRY(robot, cluster.Connect(config));
  KEELSON_TRY(name, UserNameOf(robot));
  REQUIRE(name == UserOf(cluster, "robot"), name);
  return {};
}

Result<void> TokenFilesAreReadAgain(const Cluster& cluster) {
  KEELSON_RETURN_IF_ERROR(MakeServiceAccount(cluster, "first"));
  KEELSON_RETURN_IF_ERROR(MakeServiceAccount(cluster, "second"));
  ClientConfig config = Anonymous(cluster.config);
  config.bearer_token_file = cluster.folder + "/token";
  KEELSON_RETURN_IF_ERROR(WriteFile(config.bearer_token_file, "expired-long-ago\n"));
  KEELSON_TRY(client, cluster.Connect(config));
  const Error error = FailureOf(UserNameOf(client));
  REQUIRE(IsUnauthorized(error), error.message());

  // Read at once, because the server refuses the one before.
  KEELSON_TRY(first, TokenOf(cluster, "first"));
  KEELSON_RETURN_IF_ERROR(WriteFile(config.bearer_token_file, first));
  KEELSON_TRY(name, UserNameOf(client));
  REQUIRE(name == UserOf(cluster, "first"), name);

  // Read by and by, although the one before is good still.
  KEELSON_TRY(second, TokenOf(cluster, "second"));
  KEELSON_RETURN_IF_ERROR(WriteFile(config.bearer_token_file, second));
  return Eventually("the second token", cluster.scope, [&]() -> Result<bool> {
    KEELSON_TRY(now, UserNameOf(client));
    return now == UserOf(cluster, "second");
  });
}

// A kubeconfig whose user's credentials come from a shell command.
std::string KubeconfigOfPlugin(const ClientConfig& config, const std::string& command) {
  return ToJson(clientcmdv1::Config{
      .kind = "Config",
      .apiVersion = "v1",
      .clusters = {{.name = "plugin",
                    .cluster = {.server = config.server, .certificateAuthorityData = Bytes(config.tls.ca.text)}}},
      .users = {{.name = "plugin",
                 .user = {.exec = {{.command = "sh",
                                    .args = {"-c", command},
                                    .apiVersion = "client.authentication.k8s.io/v1",
                                    .provideClusterInfo = true,
                                    .interactiveMode = "Never"}}}}},
      .contexts = {{.name = "plugin", .context = {.cluster = "plugin", .user = "plugin"}}},
      .currentContext = "plugin"});
}

Result<void> ExecPluginsGiveTokens(const Cluster& cluster) {
  const std::string token_file = cluster.folder + "/exec-token";
  const std::string calls = cluster.folder + "/exec-calls";
  // Gives what the file says, and leaves a line for each call with what it was told of the cluster.
  const std::string command = "echo \"$KUBERNETES_EXEC_INFO\" >>" + calls +
                              "; printf '{\"apiVersion\": \"client.authentication.k8s.io/v1\", \"kind\": "
                              "\"ExecCredential\", \"status\": {\"token\": \"%s\"}}' \"$(cat " +
                              token_file + ")\"";
  const std::string path = cluster.folder + "/exec.kubeconfig";
  KEELSON_RETURN_IF_ERROR(WriteFile(path, KubeconfigOfPlugin(cluster.config, command)));
  KEELSON_RETURN_IF_ERROR(WriteFile(token_file, "expired-long-ago"));
  KEELSON_TRY(config, LoadClientConfig({.kubeconfig = path}));
  KEELSON_TRY(client, cluster.Connect(config));
  const Error error = FailureOf(UserNameOf(client));
  REQUIRE(IsUnauthorized(error), error.message());

  // The plugin runs again because the server refused the token, and not once more for the requests after.
  KEELSON_RETURN_IF_ERROR(WriteFile(token_file, cluster.config.bearer_token));
  KEELSON_RETURN_IF_ERROR(WriteFile(calls, ""));
  for (int i = 0; i < 5; ++i) {
    KEELSON_TRY(name, UserNameOf(client));
    REQUIRE(name == "admin", name);
  }
  KEELSON_TRY(told, ReadSmallFile(calls));
  REQUIRE(std::count(told.begin(), told.end(), '\n') == 1, told);
  REQUIRE(told.find(cluster.config.server) != std::string::npos, told);
  return {};
}

Result<void> FailingPluginsAreExplained(const Cluster& cluster) {
  const std::string path = cluster.folder + "/failing.kubeconfig";
  KEELSON_RETURN_IF_ERROR(WriteFile(path, KubeconfigOfPlugin(cluster.config, "exit 7")));
  KEELSON_TRY(config, LoadClientConfig({.kubeconfig = path}));
  KEELSON_TRY(client, cluster.Connect(config));
  const Error error = FailureOf(UserNameOf(client));
  REQUIRE(error.message().find("sh") != std::string::npos && error.message().find("7") != std::string::npos,
          error.message());
  return {};
}

Result<void> AdministratorsActAsOthers(const Cluster& cluster) {
  ClientConfig config = cluster.config;
  config.impersonate = {.user = "jane",
                        .uid = "uid-of-jane",
                        .groups = {"developers", "on-call"},
                        .extra = {{"example.com/team", {"blue", "white"}}}};
  KEELSON_TRY(jane, cluster.Connect(config));
  KEELSON_TRY(review, jane.Create(authenticationv1::SelfSubjectReview{}));
  const authenticationv1::UserInfo& user = review.status.userInfo;
  REQUIRE(user.username == "jane" && user.uid == "uid-of-jane", user.username + " " + user.uid.str());
  const List<String> groups = {"developers", "on-call", "system:authenticated"};
  REQUIRE(user.groups == groups, ToJson(user));
  const auto* team = user.extra.find("example.com/team");
  REQUIRE(team != nullptr && team->size() == 2, ToJson(user));
  const Error error = FailureOf(jane.List<corev1::Pod>());
  REQUIRE(IsForbidden(error), error.message());
  return {};
}

Result<void> PodsFindTheirCluster(const Cluster& cluster) {
  KEELSON_RETURN_IF_ERROR(MakeServiceAccount(cluster, "pod"));
  KEELSON_TRY(token, TokenOf(cluster, "pod"));
  KEELSON_RETURN_IF_ERROR(WriteFile(cluster.folder + "/token", token));
  KEELSON_RETURN_IF_ERROR(WriteFile(cluster.folder + "/ca.crt", cluster.config.tls.ca.text));
  KEELSON_RETURN_IF_ERROR(WriteFile(cluster.folder + "/namespace", cluster.namespace_));
  const std::string port = cluster.config.server.substr(cluster.config.server.rfind(':') + 1);
  const ClientEnvironment environment = {.variable = [&](const std::string& name) -> std::optional<std::string> {
                                           if (name == "KUBERNETES_SERVICE_HOST") return "127.0.0.1";
                                           if (name == "KUBERNETES_SERVICE_PORT") return port;
                                           return std::nullopt;
                                         },
                                         .service_account_directory = cluster.folder};
  KEELSON_TRY(config, InClusterConfig(environment));
  REQUIRE(config.namespace_ == cluster.namespace_, config.namespace_);
  KEELSON_TRY(client, cluster.Connect(config));
  KEELSON_TRY(name, UserNameOf(client));
  REQUIRE(name == UserOf(cluster, "pod"), name);
  return {};
}

}  // namespace

Area CredentialFeatures() {
  return {"credentials",
          {
              {"a kubeconfig makes the administrator", KubeconfigMakesTheAdministrator},
              {"a wrong token gives Unauthorized", WrongTokensAreUnauthorized},
              {"a user with a certificate may what roles allow: Forbidden", CertificateUsersMayOnlyWhatTheirRolesAllow},
              {"a token of a service account makes a client", ServiceAccountTokensMakeClients},
              {"a token file is read again as it rotates", TokenFilesAreReadAgain},
              {"an exec plugin gives tokens, anew when one is refused", ExecPluginsGiveTokens},
              {"an exec plugin that fails is explained", FailingPluginsAreExplained},
              {"impersonation: user, uid, groups, extra", AdministratorsActAsOthers},
              {"a pod finds its cluster", PodsFindTheirCluster},
          }};
}

}  // namespace keelson::e2e
