#include "keelson/apiserver/pki.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <sstream>

#include "keelson/apiserver/authentication.h"
#include "keelson/transport/curl_transport.h"
#include "keelson/transport/http_server.h"
#include "keelson/transport/test_certificates_test_support.h"

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
    const CertifiedKey serving = authority.IssueServing(names).value();
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

TEST(CertificateAuthority, IsKeptInAFileThatOnlyItsOwnerReads) {
  const TemporaryDirectory directory;
  const std::string file = directory.Path("ca.pem");
  const Result<CertificateAuthority> first = CertificateAuthority::Open(file);
  ASSERT_TRUE(first) << first.error().message();
  struct stat about = {};
  ASSERT_EQ(stat(file.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777u, 0600u);
  const Result<CertificateAuthority> again = CertificateAuthority::Open(file);
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(again->certificate(), first->certificate());
  EXPECT_NE(CertificateAuthority::Make()->certificate(), first->certificate());
}

std::string TextOf(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

TEST(CertificateAuthority, DamagedFilesAreRefusedAndStayAsTheyAre) {
  const TemporaryDirectory directory;
  const std::string file = directory.Path("ca.pem");
  ASSERT_TRUE(CertificateAuthority::Open(file));
  const std::string whole = TextOf(file);
  const size_t key = whole.find("-----BEGIN PRIVATE KEY");
  ASSERT_NE(key, std::string::npos);
  ASSERT_TRUE(CertificateAuthority::Open(directory.Path("other.pem")));
  const std::string other = TextOf(directory.Path("other.pem"));
  TestAuthority test_authority;
  const TestCertificate leaf = test_authority.IssueServer();

  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "its certificate cannot be read"},
      {"nonsense", "its certificate cannot be read"},
      {whole.substr(0, key), "its key cannot be read"},
      {whole.substr(0, whole.size() - 60), "its key cannot be read"},
      {whole.substr(0, key) + other.substr(other.find("-----BEGIN PRIVATE KEY")), "the two do not belong together"},
      {leaf.certificate + leaf.key, "the certificate is no authority's"}};
  for (const auto& [text, reason] : cases) {
    std::ofstream(file, std::ios::trunc) << text;
    const Result<CertificateAuthority> opened = CertificateAuthority::Open(file);
    ASSERT_FALSE(opened) << reason;
    EXPECT_NE(opened.error().message().find(reason), std::string::npos) << opened.error().message();
    EXPECT_EQ(TextOf(file), text);
  }
}

TEST(CertificateAuthority, AKeyThatOthersCouldReadIsRefused) {
  const TemporaryDirectory directory;
  const std::string file = directory.Path("ca.pem");
  ASSERT_TRUE(CertificateAuthority::Open(file));
  ASSERT_EQ(chmod(file.c_str(), 0640), 0);
  const Result<CertificateAuthority> opened = CertificateAuthority::Open(file);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code(), ErrorCode::kForbidden);
  EXPECT_NE(opened.error().message().find("mode 640"), std::string::npos) << opened.error().message();
}

TEST(CertificateAuthority, SaysWhereItCouldNotBeKept) {
  const TemporaryDirectory directory;
  const Result<CertificateAuthority> opened = CertificateAuthority::Open(directory.Path("missing/ca.pem"));
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().message().find("missing/ca.pem"), std::string::npos);
}

}  // namespace
}  // namespace keelson::apiserver
