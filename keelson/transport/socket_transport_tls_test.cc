// How transports over sockets trust servers and show themselves to them.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "keelson/transport/curl_transport.h"
#include "keelson/transport/curl_transport_test_support.h"
#include "keelson/transport/http_server.h"
#include "keelson/transport/test_certificates_test_support.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;

TlsServerOptions ServerTls(const TestCertificate& certificate) {
  return {.certificate = {.text = certificate.certificate}, .key = {.text = certificate.key}};
}

// Answers with who asks.
void WhoAmI(ServerRequest request, std::shared_ptr<ResponseWriter> response) {
  Respond(*response, 200, "text/plain", request.peer->common_name.empty() ? "nobody" : request.peer->common_name);
}

// Asks until the answer is the one wanted, for changes of files are looked for once a second.
bool Eventually(Transport& transport, const std::string& wanted) {
  const TimePoint patience = Clock::Now() + kPatience;
  while (Clock::Now() < patience) {
    if (Outcome(transport, {}) == wanted) return true;
    (void)SleepFor(10ms, StopToken());
  }
  return false;
}

Error FailureOf(Transport& transport) {
  for (const bool streaming : {true, false}) {
    Result<HttpResponse> answer = transport.Send({.streaming = streaming}, Soon());
    if (answer) return Error::Internal("an answer came");
    if (!streaming) return answer.error();
  }
  return Error::Internal("not reached");
}

void ExpectTlsFailure(const Error& error, std::string_view part) {
  EXPECT_EQ(error.code(), ErrorCode::kUnavailable);
  EXPECT_EQ(DetailOf(error).failure(), TransportFailure::kTls);
  EXPECT_FALSE(DetailOf(error).sent());
  EXPECT_NE(error.message().find(part), std::string::npos) << error.message();
}

class TlsTest : public EitherTransportTest {
 protected:
  void Serve(const TlsServerOptions& tls) { server_ = StartOrDie(handler_, {.tls = tls, .threads = 1}); }

  FunctionHandler handler_{WhoAmI};
  TestAuthority authority_;
  std::unique_ptr<HttpServer> server_;
};

INSTANTIATE_TEST_SUITE_P(Kinds, TlsTest, EitherTransport(), NameOfKind);

TEST_P(TlsTest, TrustsTheGivenAuthorityFromTextOrFile) {
  Serve(ServerTls(authority_.IssueServer()));
  const auto by_text = TransportTo({.server = server_->url(), .tls = {.ca = {.text = authority_.certificate()}}});
  EXPECT_EQ(Outcome(*by_text, {}), "200 nobody");
  const TemporaryDirectory directory;
  const std::string file = directory.Write("ca.crt", authority_.certificate());
  const auto by_file = TransportTo({.server = server_->url(), .tls = {.ca = {.file = file}}});
  EXPECT_EQ(Outcome(*by_file, {}), "200 nobody");
  EXPECT_EQ(Outcome(*by_file, {.streaming = true}), "200 nobody");
}

TEST_P(TlsTest, RefusesAnotherAuthority) {
  Serve(ServerTls(authority_.IssueServer()));
  const TestAuthority other("other");
  const auto transport = TransportTo({.server = server_->url(), .tls = {.ca = {.text = other.certificate()}}});
  ExpectTlsFailure(FailureOf(*transport), "authority that is not trusted here (issuer CN=test-authority)");
  // Without any the system's count, which this is not among.
  const auto by_system = TransportTo({.server = server_->url()});
  ExpectTlsFailure(FailureOf(*by_system), "not trusted here");
}

TEST_P(TlsTest, RefusesAnotherNameAndListsThoseOfTheCertificate) {
  Serve(ServerTls(authority_.IssueServer({"api.example.com", "10.1.2.3"})));
  const auto transport = TransportTo({.server = server_->url(), .tls = {.ca = {.text = authority_.certificate()}}});
  ExpectTlsFailure(FailureOf(*transport), "is for api.example.com, 10.1.2.3 and not for 127.0.0.1");
}

TEST_P(TlsTest, ExpectsTheGivenServerNameAndKeepsTheHostHeader) {
  Awaited<std::string> host;
  FunctionHandler handler([&](ServerRequest request, std::shared_ptr<ResponseWriter> response) {
    const std::string_view* found = request.headers.Find("Host");
    if (found == nullptr) found = request.headers.Find(":authority");
    host.Set(std::string(found == nullptr ? "none" : *found));
    Respond(*response, 200, "text/plain", "ok");
  });
  const TestCertificate certificate = authority_.IssueServer({"api.example.com"});
  server_ = StartOrDie(handler, {.tls = ServerTls(certificate), .threads = 1});
  const std::string authority = "127.0.0.1:" + std::to_string(server_->port());
  for (const bool http2 : {true, false}) {
    const auto transport =
        TransportTo({.server = server_->url(),
                     .tls = {.ca = {.text = authority_.certificate()}, .server_name = "api.example.com"},
                     .http2 = http2});
    EXPECT_EQ(Outcome(*transport, {}), "200 ok");
    EXPECT_EQ(*host.Wait(), authority);
    EXPECT_EQ(Outcome(*transport, {.streaming = true}), "200 ok");
  }
  const auto wrong =
      TransportTo({.server = server_->url(),
                   .tls = {.ca = {.text = authority_.certificate()}, .server_name = "other.example.com"}});
  ExpectTlsFailure(FailureOf(*wrong), "not for other.example.com");
}

TEST_P(TlsTest, RefusesAnExpiredCertificate) {
  Serve(ServerTls(authority_.Issue({.common_name = "old", .names = {"127.0.0.1"}, .not_after = -1min})));
  const auto transport = TransportTo({.server = server_->url(), .tls = {.ca = {.text = authority_.certificate()}}});
  ExpectTlsFailure(FailureOf(*transport), "the certificate of CN=old expired on ");
}

TEST_P(TlsTest, ChecksNothingWhenToldSo) {
  const TestAuthority other("other");
  Serve(ServerTls(other.Issue({.common_name = "old", .names = {"elsewhere"}, .not_after = -1min})));
  const auto transport = TransportTo({.server = server_->url(), .tls = {.insecure_skip_verify = true}});
  EXPECT_EQ(Outcome(*transport, {}), "200 nobody");
  EXPECT_EQ(Outcome(*transport, {.streaming = true}), "200 nobody");
}

TEST_P(TlsTest, ShowsItsCertificate) {
  TlsServerOptions tls = ServerTls(authority_.IssueServer());
  tls.client_ca.text = authority_.certificate();
  tls.require_client_certificate = true;
  Serve(tls);
  const TestCertificate alice = authority_.IssueClient("alice");
  CurlTransportOptions options{.server = server_->url(),
                               .tls = {.ca = {.text = authority_.certificate()},
                                       .certificate = {.text = alice.certificate},
                                       .key = {.text = alice.key}}};
  const auto transport = TransportTo(options);
  EXPECT_EQ(Outcome(*transport, {}), "200 alice");
  EXPECT_EQ(Outcome(*transport, {.streaming = true}), "200 alice");

  // From now on another.
  const TestCertificate bob = authority_.IssueClient("bob");
  ASSERT_TRUE(transport->SetClientCertificate({.text = bob.certificate}, {.text = bob.key}).has_value());
  EXPECT_EQ(Outcome(*transport, {}), "200 bob");
  EXPECT_FALSE(transport->SetClientCertificate({.text = bob.certificate}, {.text = alice.key}).has_value());
  EXPECT_EQ(Outcome(*transport, {}), "200 bob");

  // None.
  options.tls.certificate = options.tls.key = {};
  const auto without = TransportTo(options);
  // The server's reason may be lost with the connection, on which we have sent the request by then.
  const Error refused = FailureOf(*without);
  EXPECT_EQ(refused.code(), ErrorCode::kUnavailable);
  const TransportFailure failure = DetailOf(refused).failure();
  EXPECT_TRUE(failure == TransportFailure::kTls || failure == TransportFailure::kReset) << refused.message();

  options.tls.certificate.text = alice.certificate;
  options.tls.key.text = bob.key;
  EXPECT_NE(AnyTransport::Create(GetParam(), options).error().message().find("does not belong"), std::string::npos);
}

TEST_P(TlsTest, FilesThatChangeAreUsedWhileAStreamGoesOn) {
  const TemporaryDirectory directory;
  const TestCertificate first = authority_.IssueServer();
  const TestCertificate alice = authority_.IssueClient("alice");
  std::shared_ptr<ResponseWriter> writer;
  FunctionHandler handler([&](ServerRequest request, std::shared_ptr<ResponseWriter> response) {
    if (request.path != "/watch") return WhoAmI(std::move(request), std::move(response));
    response->Start(200, {});
    response->Write("first");
    writer = std::move(response);
  });
  server_ =
      StartOrDie(handler, {.tls = TlsServerOptions{.certificate = {.file = directory.Write("s.crt", first.certificate)},
                                                   .key = {.file = directory.Write("s.key", first.key)},
                                                   .client_ca = {.text = authority_.certificate()}},
                           .threads = 1});
  const auto transport = TransportTo({.server = server_->url(),
                                      .tls = {.ca = {.file = directory.Write("ca.crt", authority_.certificate())},
                                              .certificate = {.file = directory.Write("c.crt", alice.certificate)},
                                              .key = {.file = directory.Write("c.key", alice.key)}}});
  Result<HttpResponse> watch = transport->Send({.target = "/watch", .streaming = true}, Soon());
  ASSERT_TRUE(watch.has_value()) << watch.error().message();
  EXPECT_EQ(*watch->body->Next(), "first");
  EXPECT_EQ(Outcome(*transport, {}), "200 alice");

  // Our certificate, the key of which comes later: until then the old one is used.
  const TestCertificate bob = authority_.IssueClient("bob");
  directory.Write("c.crt", bob.certificate);
  EXPECT_EQ(Outcome(*transport, {}), "200 alice");
  directory.Write("c.key", bob.key);
  EXPECT_TRUE(Eventually(*transport, "200 bob"));

  // The server's, by another authority, which we learn of at the same time.
  const TestAuthority renewed("renewed");
  const TestCertificate second = renewed.IssueServer();
  directory.Write("s.key", second.key);
  directory.Write("s.crt", second.certificate);
  directory.Write("ca.crt", renewed.certificate());
  const auto fresh = [&] {
    return TransportTo({.server = server_->url(), .tls = {.ca = {.text = renewed.certificate()}}});
  };
  EXPECT_TRUE(Eventually(*fresh(), "200 nobody"));
  EXPECT_TRUE(Eventually(*transport, "200 bob"));

  ASSERT_TRUE(writer->Write("second"));
  EXPECT_EQ(*watch->body->Next(), "second");
  writer->Finish();
  EXPECT_EQ(*watch->body->Next(), "");
  writer.reset();
}

}  // namespace
}  // namespace keelson
