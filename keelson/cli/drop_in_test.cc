#include "keelson/cli/drop_in.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <sstream>

#include "keelson/api/core/v1.h"
#include "keelson/api/status_error.h"
#include "keelson/cli/cli.h"
#include "keelson/cli/process_test_support.h"
#include "keelson/client/client.h"
#include "keelson/client/config.h"
#include "keelson/core/clock.h"
#include "keelson/transport/socket_transport.h"
#include "keelson/transport/test_certificates_test_support.h"

namespace keelson::cli {
namespace {

using ::testing::HasSubstr;

// How envtest looks for a flag in the help.
bool Lists(const std::string& help, const std::string& flag) {
  return std::regex_search(help, std::regex("(^|\n)\\s*--" + flag + "\\b"));
}

std::string HelpOf(std::string_view program) {
  std::ostringstream out;
  std::ostringstream err;
  EXPECT_EQ(RunAs(program, {"--help"}, out, err), 0);
  EXPECT_EQ(err.str(), "");
  return out.str();
}

// The URL in the line that says where it serves.
std::string UrlIn(const std::string& line) {
  const size_t at = line.find("url=\"");
  return at == std::string::npos ? "" : line.substr(at + 5, line.rfind('"') - at - 5);
}

// Status and body of a GET without credentials.
std::pair<int, std::string> Look(const std::string& server, const std::string& path) {
  auto transport = SocketTransport::Create({.server = server, .tls = {.insecure_skip_verify = true}}).value();
  Result<HttpResponse> response = transport->Send({.method = "GET", .target = path},
                                                  {.stop = {}, .deadline = Clock::Now() + std::chrono::seconds(30)});
  if (!response) return {0, response.error().message()};
  return {response->status, ReadAll(*response->body, 4096).value()};
}

TEST(DropIn, HelpListsWhatEnvtestLooksFor) {
  const std::string apiserver = HelpOf("/some/assets/kube-apiserver");
  EXPECT_FALSE(Lists(apiserver, "insecure-port"));
  for (const char* flag :
       {"secure-port", "bind-address", "cert-dir", "client-ca-file", "authorization-mode", "disable-admission-plugins",
        "service-account-issuer", "service-account-key-file", "service-account-signing-key-file",
        "service-cluster-ip-range", "allow-privileged", "etcd-servers", "advertise-address"}) {
    EXPECT_TRUE(Lists(apiserver, flag)) << flag;
  }
  EXPECT_TRUE(Lists(HelpOf("etcd"), "unsafe-no-fsync"));
}

TEST(DropIn, SaysItsVersion) {
  std::ostringstream out;
  std::ostringstream err;
  EXPECT_EQ(RunAs("kube-apiserver", {"--version"}, out, err), 0);
  EXPECT_THAT(out.str(), testing::StartsWith("Kubernetes v1.36.3"));
  EXPECT_EQ(RunAs("etcd", {"--version"}, out, err), 0);
  EXPECT_THAT(out.str(), HasSubstr("etcd Version: 3.6"));
}

TEST(DropIn, SaysWhyItCannot) {
  std::ostringstream out;
  std::ostringstream err;
  EXPECT_EQ(RunAs("kube-apiserver", {"serve"}, out, err), 1);
  EXPECT_THAT(err.str(), HasSubstr("does not take any arguments, got \"serve\""));
  EXPECT_EQ(RunAs("kube-apiserver", {"--secure-port=many"}, out, err), 1);
  EXPECT_THAT(err.str(), HasSubstr("--secure-port must be a number, not \"many\""));
  EXPECT_EQ(RunAs("kube-apiserver", {"--tls-cert-file=x"}, out, err), 1);
  EXPECT_THAT(err.str(), HasSubstr("go together"));
  EXPECT_EQ(RunAs("etcd", {"--listen-client-urls=unix://x"}, out, err), 1);
  EXPECT_THAT(err.str(), HasSubstr("not \"unix://x\""));
}

TEST(DropIn, TheApiServerServesWithTheCertificatesOfItsCaller) {
  const TestAuthority authority;
  const TestAuthority clients("clients");
  const TemporaryDirectory directory;
  const TestCertificate serving = authority.IssueServer();
  directory.Write("apiserver.crt", serving.certificate);
  directory.Write("apiserver.key", serving.key);
  CommandProcess server("kube-apiserver",
                        {"--cert-dir=" + directory.Path(""), "--secure-port=0", "--bind-address=127.0.0.1",
                         "--client-ca-file=" + directory.Write("clients.crt", clients.certificate()),
                         "--authorization-mode=RBAC", "--etcd-servers=http://127.0.0.1:1", "--allow-privileged=true",
                         "--service-cluster-ip-range=10.0.0.0/24", "--surprise", "value"});
  EXPECT_EQ(server.Line(), "Warning: unknown flag --surprise is ignored\n");
  const std::string url = UrlIn(server.Line());
  for (const char* path : {"/healthz", "/readyz", "/livez"}) {
    EXPECT_EQ(Look(url, path), (std::pair<int, std::string>(200, "ok"))) << path;
  }
  const auto connect = [&](const TestCertificate& user) {
    return Client::Connect({.server = url,
                            .tls = {.ca = {.text = authority.certificate()},
                                    .certificate = {.text = user.certificate},
                                    .key = {.text = user.key}}})
        .value();
  };
  const Client admin = connect(clients.IssueClient("admin", {"system:masters"}));
  const Result<corev1::Namespace> read = admin.Get<corev1::Namespace>({"", "default"});
  EXPECT_TRUE(read) << read.error().message();
  const Client bob = connect(clients.IssueClient("bob", {}));
  EXPECT_TRUE(IsForbidden(bob.Get<corev1::Namespace>({"", "default"}).error()));
  EXPECT_EQ(server.End(SIGTERM), 0);
}

TEST(DropIn, TheApiServerMakesCertificatesWhenThereAreNone) {
  const TemporaryDirectory directory;
  const std::string folder = directory.Path("made");
  CommandProcess server("kube-apiserver",
                        {"--cert-dir", folder, "--secure-port", "0", "--authorization-mode", "AlwaysAllow",
                         "--token-auth-file", directory.Write("tokens", "t0ken,ci,1\n")});
  const std::string url = UrlIn(server.Line());
  const Client client =
      Client::Connect({.server = url, .tls = {.ca = {.file = folder + "/apiserver.crt"}}, .bearer_token = "t0ken"})
          .value();
  const Result<corev1::Namespace> read = client.Get<corev1::Namespace>({"", "default"});
  EXPECT_TRUE(read) << read.error().message();
  EXPECT_EQ(Look(url, "/api/v1/namespaces/default").first, 200) << "AlwaysAllow means anonymous requests too";
  EXPECT_EQ(server.End(SIGTERM), 0);
}

TEST(DropIn, EtcdSaysThatItIsWell) {
  CommandProcess etcd("etcd", {"--listen-client-urls=http://127.0.0.1:0", "-data-dir", "/nowhere",
                               "--unsafe-no-fsync=true", "--listen-peer-urls=http://localhost:0"});
  const std::string url = UrlIn(etcd.Line());
  EXPECT_EQ(Look(url, "/health"), (std::pair<int, std::string>(200, R"({"health":"true","reason":""})")));
  EXPECT_EQ(Look(url, "/v2/keys").first, 404);
  EXPECT_EQ(etcd.End(SIGTERM), 0);
}

}  // namespace
}  // namespace keelson::cli
