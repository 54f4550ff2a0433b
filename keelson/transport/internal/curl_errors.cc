#include "keelson/transport/internal/curl_errors.h"

#include <openssl/x509_vfy.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>

#include "keelson/transport/transport.h"

namespace keelson::internal {

namespace {

constexpr const char* kNoReason = "no reason was given";

Error Unavailable(TransportFailure failure, bool sent, std::string message) {
  return Error(ErrorCode::kUnavailable, std::move(message))
      .WithDetail(std::make_shared<TransportErrorDetail>(failure, sent));
}

// The system's words begin with a capital.
std::string Uncapitalized(std::string text) {
  if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z' && text.size() > 1 && text[1] >= 'a') text[0] += 'a' - 'A';
  return text;
}

std::string Listed(const std::vector<std::string>& names) {
  constexpr size_t kShown = 20;
  std::string list;
  for (size_t i = 0; i < names.size() && i < kShown; ++i) list += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > kShown) list += ", …";
  return list.empty() ? "no name" : list;
}

std::string TlsProblem(const CurlFailure& failure, const CurlEndpoint& endpoint) {
  const PeerCertificate& peer = failure.peer;
  switch (peer.problem.empty() ? X509_V_OK : peer.problem_code) {
    case X509_V_OK: break;
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_CERT_SIGNATURE_FAILURE:
    case X509_V_ERR_CERT_UNTRUSTED:
      return "its certificate is signed by an authority that is not trusted here (issuer " + peer.issuer +
             "); give the authority's certificate as the CA of this server";
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return "the certificate of " + peer.subject + " expired on " + peer.valid_until +
             "; renew it on the server, or set this machine's clock if that is wrong";
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return "the certificate of " + peer.subject + " is not valid yet; is this machine's clock right?";
    default: return "the certificate of " + peer.subject + " cannot be trusted: " + peer.problem;
  }
  if (failure.code == CURLE_PEER_FAILED_VERIFICATION) {
    const std::string& expected = endpoint.server_name.empty() ? endpoint.server.host : endpoint.server_name;
    return "its certificate is for " + Listed(peer.names) + " and not for " + expected +
           "; use one of those names in the address or as the TLS server name";
  }
  if (failure.text.find("alert") != std::string::npos &&
      (failure.text.find("certificate") != std::string::npos || failure.text.find("unknown ca") != std::string::npos)) {
    return "the server did not accept our client certificate (" + failure.text +
           "); check that one is given and that the server trusts its authority";
  }
  return failure.text.empty() ? kNoReason : failure.text;
}

bool IsTls(const CurlFailure& failure) {
  switch (failure.code) {
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_CLIENTCERT:
    case CURLE_SSL_INVALIDCERTSTATUS:
    case CURLE_SSL_ENGINE_NOTFOUND:
    case CURLE_SSL_ENGINE_SETFAILED:
    case CURLE_SSL_ENGINE_INITFAILED:
    case CURLE_SSL_SHUTDOWN_FAILED:
    case CURLE_SSL_CRL_BADFILE:
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH: return true;
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
      // With TLS 1.3 the server's refusal of a client certificate arrives behind our handshake.
      return failure.text.find("SSL routines") != std::string::npos &&
             failure.text.find(" alert ") != std::string::npos;
    default: return false;
  }
}

Error NotConnected(const CurlFailure& failure, const CurlEndpoint& endpoint) {
  const std::string reason =
      failure.os_error != 0 ? Uncapitalized(std::strerror(failure.os_error)) : Uncapitalized(failure.text);
  if (!endpoint.proxy.empty()) {
    return Unavailable(TransportFailure::kProxy, failure.sent,
                       "cannot reach " + endpoint.server.Url() + " through the proxy " + endpoint.proxy.shown + ": " +
                           reason + "; is the proxy running and its address right?");
  }
  if (!endpoint.unix_socket.empty()) {
    return Unavailable(TransportFailure::kRefused, failure.sent,
                       "cannot reach " + endpoint.server.Url() + " at the socket \"" + endpoint.unix_socket +
                           "\": " + reason + "; is the server running and the path right?");
  }
  return Unavailable(
      TransportFailure::kRefused, failure.sent,
      "cannot reach " + endpoint.server.Url() + ": " + reason + "; is the server running and the address right?");
}

}  // namespace

Error ToError(const CurlFailure& failure, const CurlEndpoint& endpoint) {
  const std::string url = endpoint.server.Url();
  if (failure.proxy_status >= 300) {
    std::string hint;
    if (failure.proxy_status == 407) hint = "; it asks for a user and password, which go into the proxy's URL";
    return Unavailable(TransportFailure::kProxy, false,
                       "cannot reach " + url + ": the proxy " + endpoint.proxy.shown +
                           " refused the connection with status " + std::to_string(failure.proxy_status) + hint);
  }
  if (IsTls(failure)) {
    return Unavailable(TransportFailure::kTls, failure.sent,
                       "cannot reach " + url + " securely: " + TlsProblem(failure, endpoint));
  }
  switch (failure.code) {
    case CURLE_COULDNT_RESOLVE_HOST:
      return Unavailable(TransportFailure::kResolve, failure.sent,
                         "cannot reach " + url + ": the host name \"" + endpoint.server.host +
                             "\" is not known; check the address and this machine's DNS");
    case CURLE_COULDNT_RESOLVE_PROXY:
      return Unavailable(TransportFailure::kProxy, failure.sent,
                         "cannot reach " + url + ": the name of the proxy " + endpoint.proxy.shown +
                             " is not known; check its address and this machine's DNS");
    case CURLE_COULDNT_CONNECT: return NotConnected(failure, endpoint);
    case CURLE_OPERATION_TIMEDOUT:
      return Unavailable(TransportFailure::kTimeout, failure.sent,
                         "cannot reach " + url + ": no connection within " + FormatDuration(endpoint.connect_timeout) +
                             "; is the address right, and does a firewall let it through?");
    case CURLE_PROXY:
      return Unavailable(
          TransportFailure::kProxy, false,
          "cannot reach " + url + " through the proxy " + endpoint.proxy.shown + ": " + Uncapitalized(failure.text));
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
    case CURLE_ABORTED_BY_CALLBACK: {
      const std::string detail =
          failure.code == CURLE_ABORTED_BY_CALLBACK || failure.text.empty() ? "" : " (" + failure.text + ")";
      if (failure.answered) {
        return Unavailable(TransportFailure::kReset, true, url + " ended its answer before the end" + detail);
      }
      return Unavailable(TransportFailure::kReset, failure.sent,
                         "the connection to " + url + " was lost before an answer came" + detail +
                             (failure.sent ? "; the request may have been carried out" : ""));
    }
    default:
      return Unavailable(
          TransportFailure::kProtocol, failure.sent,
          url + " does not answer as an HTTP server should: " + (failure.text.empty() ? kNoReason : failure.text));
  }
}

}  // namespace keelson::internal
