#include "keelson/transport/internal/curl_errors.h"

#include <gtest/gtest.h>
#include <openssl/x509_vfy.h>

#include <cerrno>
#include <string>

#include "keelson/transport/transport.h"

namespace keelson::internal {
namespace {

const CurlEndpoint kEndpoint = {.server = {.tls = true, .host = "api", .port = 6443},
                                .connect_timeout = std::chrono::seconds(30)};

struct Told {
  TransportFailure failure;
  bool sent;
  std::string message;
};

Told Tell(const CurlFailure& failure, const CurlEndpoint& endpoint = kEndpoint) {
  const Error error = ToError(failure, endpoint);
  EXPECT_EQ(error.code(), ErrorCode::kUnavailable);
  const auto* detail = error.detail<TransportErrorDetail>();
  if (detail == nullptr) return {TransportFailure::kProtocol, false, "no detail"};
  return {detail->failure(), detail->sent(), error.message()};
}

TEST(CurlErrors, ServerThatRefusesOurCertificateBehindTheHandshakeIsATlsFailure) {
  const Told told =
      Tell({.code = CURLE_RECV_ERROR,
            .text = "OpenSSL SSL_read: error:0A00045C:SSL routines::tlsv13 alert certificate required, errno 0",
            .sent = true});
  EXPECT_EQ(told.failure, TransportFailure::kTls);
  EXPECT_TRUE(told.sent);
  EXPECT_NE(told.message.find("did not accept our client certificate"), std::string::npos) << told.message;
}

TEST(CurlErrors, LostConnectionSaysWhetherTheRequestMayHaveArrived) {
  const Told sent = Tell({.code = CURLE_RECV_ERROR, .text = "Recv failure: Connection reset by peer", .sent = true});
  EXPECT_EQ(sent.failure, TransportFailure::kReset);
  EXPECT_TRUE(sent.sent);
  EXPECT_EQ(
      sent.message,
      "the connection to https://api:6443 was lost before an answer came (Recv failure: Connection reset by peer); "
      "the request may have been carried out");
  const Told unsent = Tell({.code = CURLE_SEND_ERROR, .text = "Send failure: Broken pipe"});
  EXPECT_FALSE(unsent.sent);
  EXPECT_EQ(unsent.message.find("carried out"), std::string::npos);
  EXPECT_EQ(Tell({.code = CURLE_PARTIAL_FILE, .sent = true, .answered = true}).message,
            "https://api:6443 ended its answer before the end");
  EXPECT_EQ(Tell({.code = CURLE_HTTP2, .text = "Send failure: Connection reset by peer"}).failure,
            TransportFailure::kReset);
}

TEST(CurlErrors, UnreachableHostsAreNamedWithTheSystemsReason) {
  const Told told = Tell({.code = CURLE_COULDNT_CONNECT, .os_error = EHOSTUNREACH, .text = "Failed to connect"});
  EXPECT_EQ(told.failure, TransportFailure::kRefused);
  EXPECT_EQ(told.message,
            "cannot reach https://api:6443: no route to host; is the server running and the address right?");
  EXPECT_EQ(Tell({.code = CURLE_OPERATION_TIMEDOUT}).message,
            "cannot reach https://api:6443: no connection within 30s; is the address right, and does a firewall let it "
            "through?");
}

TEST(CurlErrors, CertificateNotValidYetPointsToTheClock) {
  CurlFailure failure{.code = CURLE_PEER_FAILED_VERIFICATION};
  failure.peer = {
      .problem = "certificate is not yet valid", .problem_code = X509_V_ERR_CERT_NOT_YET_VALID, .subject = "CN=api"};
  const Told told = Tell(failure);
  EXPECT_EQ(told.failure, TransportFailure::kTls);
  EXPECT_NE(told.message.find("the certificate of CN=api is not valid yet; is this machine's clock right?"),
            std::string::npos)
      << told.message;
}

}  // namespace
}  // namespace keelson::internal
