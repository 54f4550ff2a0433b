// Each kind of credential, from a kubeconfig to a server behind TLS that says whom it saw.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "keelson/api/clientauthentication/v1.h"
#include "keelson/client/in_cluster.h"
#include "keelson/client/kubeconfig.h"
#include "keelson/codec/json_writer.h"
#include "keelson/core/simulation.h"
#include "keelson/transport/http_server.h"
#include "keelson/transport/http_server_test_support.h"
#include "keelson/transport/test_certificates_test_support.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class MakeTransportTest : public testing::Test {
 protected:
  void SetUp() override {
    const TestCertificate server = authority_.IssueServer();
    server_ = StartOrDie(handler_, {.tls = TlsServerOptions{.certificate = {.text = server.certificate},
                                                            .key = {.text = server.key},
                                                            .client_ca = {.text = authority_.certificate()}},
                                    .threads = 1});
    directory_.Write("ca.crt", authority_.certificate());
  }

  // Says who asked: their certificate's name, else their Authorization. Those who were banned get 401. A path that ends
  // in "watch" goes on until the test ends it.
  void Serve(const ServerRequest& request, const std::shared_ptr<ResponseWriter>& response) {
    const std::string_view* authorization = request.headers.Find("Authorization");
    std::string who = request.peer->common_name;
    if (who.empty()) who = authorization == nullptr ? "nobody" : *authorization;
    if (const std::string_view* as = request.headers.Find("Impersonate-User")) who.append(" as ").append(*as);
    const MutexLock lock(mutex_);
    if (banned_.contains(who)) return Respond(*response, 401, "text/plain", "who?");
    if (!request.path.ends_with("watch")) return Respond(*response, 200, "text/plain", who);
    response->Start(200, {});
    response->Write(who);
    watches_.push_back(response);
  }

  void Ban(const std::string& who) {
    const MutexLock lock(mutex_);
    banned_.insert(who);
  }
  std::shared_ptr<ResponseWriter> watch() {
    const MutexLock lock(mutex_);
    return watches_.back();
  }

  // A client of a kubeconfig with that user, all files beside it.
  Result<std::shared_ptr<Transport>> Client(const std::string& user) {
    const std::string path = directory_.Write(
        "config",
        "current-context: c\ncontexts: [{name: c, context: {cluster: k, user: u}}]\n"
        "clusters: [{name: k, cluster: {server: '" +
            server_->url() + "', certificate-authority: ca.crt}}]\nusers: [{name: u, user: {" + user + "}}]");
    KEELSON_TRY(config, LoadClientConfig({.kubeconfig = path}));
    return MakeTransport(config);
  }

  std::string WriteProgram(const std::string& name, const std::string& script) {
    std::filesystem::permissions(directory_.Write(name, "#!/bin/sh\n" + script), std::filesystem::perms::owner_all);
    return "exec: {apiVersion: client.authentication.k8s.io/v1, command: ./" + name + ", interactiveMode: Never}";
  }

  static std::string Ask(Transport& transport) {
    Result<HttpResponse> answer = transport.Send({.target = "/who"}, {.deadline = Clock::Now() + kPatience});
    if (!answer) return answer.error().message();
    return std::to_string(answer->status) + " " + ReadAll(*answer->body, 1000).value_or("cut");
  }

  TestAuthority authority_;
  TemporaryDirectory directory_;
  FunctionHandler handler_{[this](const ServerRequest& request, const std::shared_ptr<ResponseWriter>& response) {
    Serve(request, response);
  }};
  Mutex mutex_;
  std::set<std::string> banned_;                          // guarded by mutex_
  std::vector<std::shared_ptr<ResponseWriter>> watches_;  // guarded by mutex_
  std::unique_ptr<HttpServer> server_;
};

TEST_F(MakeTransportTest, FixedCredentials) {
  EXPECT_EQ(Ask(*Client("").value()), "200 nobody");
  EXPECT_EQ(Ask(*Client("token: abc").value()), "200 Bearer abc");
  EXPECT_EQ(Ask(*Client("username: u, password: p").value()), "200 Basic dTpw");
  EXPECT_EQ(Ask(*Client("token: abc, as: jane").value()), "200 Bearer abc as jane");
  const TestCertificate alice = authority_.IssueClient("alice");
  directory_.Write("alice.crt", alice.certificate);
  directory_.Write("alice.key", alice.key);
  EXPECT_EQ(Ask(*Client("client-certificate: alice.crt, client-key: alice.key").value()), "200 alice");
}

TEST_F(MakeTransportTest, TokenFileRotatesWhileAWatchIsOpen) {
  directory_.Write("token", "one");
  const std::shared_ptr<Transport> transport = Client("tokenFile: token").value();
  EXPECT_EQ(Ask(*transport), "200 Bearer one");
  Result<HttpResponse> stream =
      transport->Send({.target = "/watch", .streaming = true}, {.deadline = Clock::Now() + kPatience});
  ASSERT_TRUE(stream) << stream.error().message();
  EXPECT_EQ(stream->body->Next().value_or("failed"), "Bearer one");
  directory_.Write("token", "two");
  Ban("Bearer one");
  EXPECT_EQ(Ask(*transport), "200 Bearer two");
  watch()->Write("still here");
  EXPECT_EQ(stream->body->Next().value_or("failed"), "still here");
  watch()->Finish();
  EXPECT_EQ(stream->body->Next().value_or("failed"), "");
}

TEST_F(MakeTransportTest, ExecPluginGivesANewTokenWhenTheOldIsRefused) {
  const std::string user = WriteProgram(
      "login",
      "echo x >> \"$0.runs\"; n=$(wc -l < \"$0.runs\")\n"
      "printf '{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\",\"status\":'\n"
      "printf '{\"token\":\"t%d\"}}' $n\n");
  const std::shared_ptr<Transport> transport = Client(user).value();
  EXPECT_EQ(Ask(*transport), "200 Bearer t1");
  EXPECT_EQ(Ask(*transport), "200 Bearer t1");
  Ban("Bearer t1");
  EXPECT_EQ(Ask(*transport), "200 Bearer t2");
  Ban("Bearer t2");
  Ban("Bearer t3");
  EXPECT_EQ(Ask(*transport), "401 who?");
}

TEST_F(MakeTransportTest, ExecPluginRotatesAClientCertificateWhileAWatchIsOpen) {
  const auto write_grant = [&](const std::string& name) {
    const TestCertificate certificate = authority_.IssueClient(name);
    clientauthenticationv1::ExecCredential credential;
    credential.status = clientauthenticationv1::ExecCredentialStatus{.clientCertificateData = certificate.certificate,
                                                                     .clientKeyData = certificate.key};
    directory_.Write("grant", ToJson(credential));
  };
  write_grant("first");
  const std::shared_ptr<Transport> transport = Client(WriteProgram("login", "cat \"$(dirname \"$0\")/grant\"")).value();
  EXPECT_EQ(Ask(*transport), "200 first");
  Result<HttpResponse> stream =
      transport->Send({.target = "/watch", .streaming = true}, {.deadline = Clock::Now() + kPatience});
  ASSERT_TRUE(stream) << stream.error().message();
  EXPECT_EQ(stream->body->Next().value_or("failed"), "first");
  write_grant("second");
  Ban("first");
  EXPECT_EQ(Ask(*transport), "200 second");
  watch()->Write("still here");
  EXPECT_EQ(stream->body->Next().value_or("failed"), "still here");
  watch()->Finish();
}

TEST_F(MakeTransportTest, ExecPluginThatGivesAnUnusableCertificateIsNamed) {
  directory_.Write("grant", R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1",)"
                            R"("status":{"clientCertificateData":"hunter2","clientKeyData":"hunter2"}})");
  const std::shared_ptr<Transport> transport = Client(WriteProgram("login", "cat \"$(dirname \"$0\")/grant\"")).value();
  EXPECT_THAT(Ask(*transport), testing::AllOf(HasSubstr("/login"), testing::Not(HasSubstr("hunter2"))));
}

// The server's authority is replaced by another while a watch is open. Files of certificates are looked at once a
// second, on both sides.
class CaRotationTest : public MakeTransportTest {
 protected:
  void SetUp() override {
    const TestCertificate first = authority_.IssueServer();
    TlsServerOptions tls{.certificate = {.file = directory_.Write("server.crt", first.certificate)},
                         .key = {.file = directory_.Write("server.key", first.key)},
                         .client_ca = {.text = authority_.certificate()}};
    server_ = StartOrDie(handler_, {.tls = tls, .threads = 1});
    directory_.Write("ca.crt", authority_.certificate());
    directory_.Write("token", "one");
  }

  static Result<void> Reach(const std::string& server, const TestAuthority& authority) {
    KEELSON_TRY(transport, MakeTransport({.server = server, .tls = {.ca = {.text = authority.certificate()}}}));
    KEELSON_RETURN_IF_ERROR(transport->Send({.target = "/who"}, {.deadline = Clock::Now() + kPatience}));
    return {};
  }

  void ExpectThatItSurvives(Transport& transport) {
    EXPECT_EQ(Ask(transport), "200 Bearer one");
    Result<HttpResponse> stream =
        transport.Send({.target = "/watch", .streaming = true}, {.deadline = Clock::Now() + kPatience});
    ASSERT_TRUE(stream) << stream.error().message();
    EXPECT_EQ(stream->body->Next().value_or("failed"), "Bearer one");

    const TestAuthority renewed("renewed");
    const TestCertificate second = renewed.IssueServer();
    directory_.Write("server.key", second.key);
    directory_.Write("server.crt", second.certificate);
    const TimePoint patience = Clock::Now() + kPatience;
    while (!Reach(server_->url(), renewed) && Clock::Now() < patience) (void)SleepFor(20ms, StopToken());
    ASSERT_TRUE(Reach(server_->url(), renewed));
    ASSERT_FALSE(Reach(server_->url(), authority_));

    // A new connection is not made to a server that the old authority does not vouch for.
    const auto watch_again = [&] {
      return transport.Send({.target = "/watch", .streaming = true}, {.deadline = Clock::Now() + kPatience});
    };
    const Result<HttpResponse> refused = watch_again();
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message(), HasSubstr("not trusted here"));

    directory_.Write("ca.crt", renewed.certificate());
    while (Clock::Now() < patience) {
      if (watch_again()) break;
      (void)SleepFor(20ms, StopToken());
    }
    EXPECT_TRUE(watch_again());
    EXPECT_EQ(Ask(transport), "200 Bearer one");
    first_watch()->Write("still here");
    EXPECT_EQ(stream->body->Next().value_or("failed"), "still here");
  }

  std::shared_ptr<ResponseWriter> first_watch() {
    const MutexLock lock(mutex_);
    return watches_.front();
  }
};

TEST_F(CaRotationTest, OfAKubeconfig) {
  const std::shared_ptr<Transport> transport = Client("tokenFile: token").value();
  ExpectThatItSurvives(*transport);
}

TEST_F(CaRotationTest, OfAPod) {
  directory_.Write("namespace", "here");
  const ClientEnvironment environment{.variable = [this](const std::string& name) -> std::optional<std::string> {
                                        if (name == "KUBERNETES_SERVICE_HOST") return "127.0.0.1";
                                        if (name == "KUBERNETES_SERVICE_PORT") return std::to_string(server_->port());
                                        return std::nullopt;
                                      },
                                      .service_account_directory = directory_.Path("")};
  const Result<ClientConfig> config = InClusterConfig(environment);
  ASSERT_TRUE(config) << config.error().message();
  const std::shared_ptr<Transport> transport = MakeTransport(*config).value();
  ExpectThatItSurvives(*transport);
}

TEST_F(MakeTransportTest, BadConfigurationIsAnErrorBeforeAnythingIsSent) {
  EXPECT_FALSE(MakeTransport({.server = "not a url"}));
  EXPECT_FALSE(Client("tokenFile: absent"));
  EXPECT_FALSE(Client("client-certificate: absent, client-key: absent"));
}

TEST(MakeTransport, SocketsAreNotForSimulations) {
  Simulation simulation({.seed = 1});
  const Result<void> result = simulation.Run([] { EXPECT_FALSE(MakeTransport({.server = "https://127.0.0.1:6443"})); });
  ASSERT_TRUE(result) << result.error().message();
}

}  // namespace
}  // namespace keelson
