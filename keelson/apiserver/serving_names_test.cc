#include "keelson/apiserver/serving_names.h"

#include <gtest/gtest.h>

#include "keelson/apiserver/authentication.h"
#include "keelson/transport/certificate_authority.h"
#include "keelson/transport/curl_transport.h"
#include "keelson/transport/http_server.h"

namespace keelson::apiserver {
namespace {

// Answers with the user's name and groups.
class WhoAmI : public HttpHandler {
 public:
  void Handle(ServerRequest request, std::shared_ptr<ResponseWriter> response) override {
    const Result<User> user = authenticator_.Authenticate(request);
    std::string text = user ? user->name : user.error().message();
    if (user) {
      for (const std::string& group : user->groups) text += " " + group;
    }
    Respond(*response, user ? 200 : 401, "text/plain", text);
  }

 private:
  const Authenticator authenticator_;
};

struct Asked {
  int status = 0;
  std::string text;
};

Result<Asked> Ask(const std::string& url, TlsClientOptions tls) {
  KEELSON_TRY(transport, CurlTransport::Create({.server = url, .tls = std::move(tls)}));
  KEELSON_TRY(response, transport->Send({.target = "/"}, {}));
  KEELSON_TRY(text, ReadAll(*response.body, 4096));
  return Asked{response.status, text};
}

class ServingPki : public ::testing::Test {
 protected:
  void Start(const CertificateAuthority& authority, const std::vector<std::string>& names = ServingNames("127.0.0.1")) {
    const CertifiedKey serving = authority.IssueServing("kube-apiserver", names).value();
    server_ = HttpServer::Start(handler_, {.tls = TlsServerOptions{.certificate = {.text = serving.certificate},
                                                                   .key = {.text = serving.key},
                                                                   .client_ca = {.text = authority.certificate()}}})
                  .value();
  }
  TlsClientOptions Trusting(const CertificateAuthority& authority, const CertifiedKey& own = {}) {
    return {
        .ca = {.text = authority.certificate()}, .certificate = {.text = own.certificate}, .key = {.text = own.key}};
  }

  WhoAmI handler_;
  std::unique_ptr<HttpServer> server_;
};

TEST_F(ServingPki, ClientsAreKnownByTheirCertificates) {
  const CertificateAuthority authority = CertificateAuthority::Make().value();
  Start(authority);
  const CertifiedKey bob = authority.IssueClient("bob", {"dev", "system:masters"}).value();
  Result<Asked> asked = Ask(server_->url(), Trusting(authority, bob));
  ASSERT_TRUE(asked) << asked.error().message();
  EXPECT_EQ(asked->text, "bob dev system:masters system:authenticated");
  asked = Ask(server_->url(), Trusting(authority));
  ASSERT_TRUE(asked) << asked.error().message();
  EXPECT_EQ(asked->text, "system:anonymous system:unauthenticated");
}

TEST_F(ServingPki, NamesMayBeLongAndOfAnyCharacters) {
  const CertificateAuthority authority = CertificateAuthority::Make().value();
  Start(authority);
  const std::string name = "system:node:" + std::string(200, 'n') + ",CN=other/é";
  Result<Asked> asked = Ask(server_->url(), Trusting(authority, authority.IssueClient(name, {"a,b"}).value()));
  ASSERT_TRUE(asked) << asked.error().message();
  EXPECT_EQ(asked->text, name + " a,b system:authenticated");
}

TEST_F(ServingPki, AnotherAuthoritysCertificatesAreNotTaken) {
  const CertificateAuthority authority = CertificateAuthority::Make().value();
  const CertificateAuthority other = CertificateAuthority::Make().value();
  Start(authority);
  const CertifiedKey bob = other.IssueClient("bob", {}).value();
  EXPECT_FALSE(Ask(server_->url(), Trusting(authority, bob)));
  EXPECT_FALSE(Ask(server_->url(), Trusting(other)));
}

TEST_F(ServingPki, TheServerIsKnownByAllItsNames) {
  const CertificateAuthority authority = CertificateAuthority::Make().value();
  Start(authority, ServingNames("192.0.2.7"));
  for (const char* name : {"localhost", "kubernetes.default.svc", "10.0.0.1", "192.0.2.7"}) {
    TlsClientOptions tls = Trusting(authority);
    tls.server_name = name;
    const Result<Asked> asked = Ask(server_->url(), std::move(tls));
    EXPECT_TRUE(asked) << name << ": " << asked.error().message();
  }
  TlsClientOptions tls = Trusting(authority);
  tls.server_name = "example.com";
  EXPECT_FALSE(Ask(server_->url(), std::move(tls)));
}

}  // namespace
}  // namespace keelson::apiserver
