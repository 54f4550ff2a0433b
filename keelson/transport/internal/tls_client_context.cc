#include "keelson/transport/internal/tls_client_context.h"

#include <arpa/inet.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <new>
#include <string_view>
#include <utility>

namespace keelson::internal {

namespace {

struct Free {
  void operator()(BIO* bio) const { BIO_free_all(bio); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
template <class T>
using Owned = std::unique_ptr<T, Free>;

bool IsAddress(const std::string& host) {
  unsigned char bytes[16];
  return inet_pton(AF_INET, host.c_str(), bytes) == 1 || inet_pton(AF_INET6, host.c_str(), bytes) == 1;
}

int OwnerIndex() {
  static const int index = SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  return index;
}

Error Unusable(std::string_view what) {
  ERR_clear_error();
  return Error::InvalidArgument("OpenSSL cannot use the " + std::string(what));
}

Result<void> TrustAuthorities(SSL_CTX* context, const std::string& text) {
  if (text.empty()) {
    if (SSL_CTX_set_default_verify_paths(context) != 1) return Unusable("system's certificate authorities");
    return {};
  }
  const Owned<BIO> reader(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
  while (const Owned<X509> authority{PEM_read_bio_X509(reader.get(), nullptr, nullptr, nullptr)}) {
    if (X509_STORE_add_cert(SSL_CTX_get_cert_store(context), authority.get()) != 1) {
      return Unusable("certificate authority");
    }
  }
  ERR_clear_error();  // the end of the text counts as one
  return {};
}

Result<void> UseClientCertificate(SSL_CTX* context, const TlsTexts& texts) {
  if (texts.certificate.empty()) return {};
  const Owned<BIO> reader(BIO_new_mem_buf(texts.certificate.data(), static_cast<int>(texts.certificate.size())));
  const Owned<X509> own(PEM_read_bio_X509(reader.get(), nullptr, nullptr, nullptr));
  if (own == nullptr || SSL_CTX_use_certificate(context, own.get()) != 1) return Unusable("client certificate");
  while (Owned<X509> next{PEM_read_bio_X509(reader.get(), nullptr, nullptr, nullptr)}) {
    if (SSL_CTX_add0_chain_cert(context, next.get()) != 1) return Unusable("client certificate's chain");
    (void)next.release();
  }
  const Owned<BIO> key_reader(BIO_new_mem_buf(texts.key.data(), static_cast<int>(texts.key.size())));
  const Owned<EVP_PKEY> key(PEM_read_bio_PrivateKey(key_reader.get(), nullptr, nullptr, nullptr));
  if (key == nullptr || SSL_CTX_use_PrivateKey(context, key.get()) != 1) return Unusable("client key");
  ERR_clear_error();
  return {};
}

}  // namespace

Result<void> ConfigureTlsClient(SSL_CTX* context, const TlsTexts& texts, bool insecure_skip_verify) {
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  static constexpr unsigned char kProtocols[] = "\x08http/1.1";
  SSL_CTX_set_alpn_protos(context, kProtocols, sizeof kProtocols - 1);
  KEELSON_RETURN_IF_ERROR(UseClientCertificate(context, texts));
  if (insecure_skip_verify) {
    SSL_CTX_set_verify(context, SSL_VERIFY_NONE, nullptr);
    return {};
  }
  KEELSON_RETURN_IF_ERROR(TrustAuthorities(context, texts.ca));
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  return {};
}

void ExpectServerName(SSL* ssl, const std::string& name) {
  if (IsAddress(name)) {
    X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), name.c_str());
  } else {
    SSL_set1_host(ssl, name.c_str());
    SSL_set_tlsext_host_name(ssl, name.c_str());
  }
}

Error HandshakeError(const std::string& text, bool of_tls, PeerCertificate peer, const CurlEndpoint& endpoint) {
  CurlFailure failure{.code = CURLE_SSL_CONNECT_ERROR, .text = text, .peer = std::move(peer)};
  if (failure.peer.problem_code == X509_V_ERR_HOSTNAME_MISMATCH ||
      failure.peer.problem_code == X509_V_ERR_IP_ADDRESS_MISMATCH) {
    failure.code = CURLE_PEER_FAILED_VERIFICATION;
    failure.peer.problem.clear();
  } else if (failure.peer.problem.empty() && !of_tls) {
    failure.code = CURLE_RECV_ERROR;
  }
  return ToError(failure, endpoint);
}

std::string TakeTlsError() {
  const unsigned long code = ERR_peek_last_error();
  if (code == 0) return {};
  char text[256];
  ERR_error_string_n(code, text, sizeof text);
  ERR_clear_error();
  return text;
}

Result<std::shared_ptr<TlsClientContext>> TlsClientContext::Create(const TlsTexts& texts, bool insecure_skip_verify) {
  std::shared_ptr<TlsClientContext> made(new TlsClientContext);
  made->context_ = SSL_CTX_new(TLS_client_method());
  if (made->context_ == nullptr) throw std::bad_alloc();
  KEELSON_RETURN_IF_ERROR(ConfigureTlsClient(made->context_, texts, insecure_skip_verify));
  SSL_CTX_set_mode(made->context_, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_ex_data(made->context_, OwnerIndex(), made.get());
  SSL_CTX_set_session_cache_mode(made->context_, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
  SSL_CTX_sess_set_new_cb(made->context_, OnNewSession);
  return made;
}

TlsClientContext::~TlsClientContext() {
  SSL_SESSION_free(session_);
  SSL_CTX_free(context_);
}

int TlsClientContext::OnNewSession(SSL* ssl, SSL_SESSION* session) {
  auto& self = *static_cast<TlsClientContext*>(SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), OwnerIndex()));
  SSL_SESSION* replaced = nullptr;
  {
    MutexLock lock(self.mutex_);
    replaced = std::exchange(self.session_, session);
  }
  SSL_SESSION_free(replaced);
  return 1;  // the session is ours now
}

SSL* TlsClientContext::NewConnection(const std::string& server_name) {
  SSL* ssl = SSL_new(context_);
  if (ssl == nullptr) throw std::bad_alloc();
  SSL_set_connect_state(ssl);
  ExpectServerName(ssl, server_name);
  SSL_SESSION* session = nullptr;
  {
    MutexLock lock(mutex_);
    // Used again and again until the server gives another. That it shows who we are, which is why RFC 8446 advises
    // against it, is nothing new to a server that we show our credentials.
    session = session_;
    if (session != nullptr) SSL_SESSION_up_ref(session);
  }
  if (session != nullptr) {
    SSL_set_session(ssl, session);
    SSL_SESSION_free(session);
  }
  return ssl;
}

}  // namespace keelson::internal
