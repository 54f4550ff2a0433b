#include "keelson/transport/internal/tls_server_context.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>

#include "keelson/core/clock.h"

namespace keelson::internal {

namespace {

constexpr auto kSettles = std::chrono::seconds(2);
constexpr size_t kMaxPemBytes = size_t{8} << 20;

struct Free {
  void operator()(BIO* bio) const { BIO_free_all(bio); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
template <class T>
using Owned = std::unique_ptr<T, Free>;

// OpenSSL's reason, which never quotes what it read.
std::string Reason() {
  const unsigned long code = ERR_peek_last_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  std::string text = reason == nullptr ? "not usable" : reason;
  ERR_clear_error();
  return text;
}

Owned<BIO> Reader(std::string_view text) {
  return Owned<BIO>(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

// Encrypted keys are not supported; without this OpenSSL would ask at the terminal.
int NoPassword(char*, int, int, void*) { return -1; }

Owned<X509> NextCertificate(BIO* reader) {
  return Owned<X509>(PEM_read_bio_X509(reader, nullptr, NoPassword, nullptr));
}

Result<void> UseCertificate(SSL_CTX* context, const std::string& text) {
  const Owned<BIO> reader = Reader(text);
  const Owned<X509> own = NextCertificate(reader.get());
  if (own == nullptr) {
    return Error::InvalidArgument("the server's certificate: expected a PEM block CERTIFICATE: " + Reason());
  }
  if (SSL_CTX_use_certificate(context, own.get()) != 1) {
    return Error::InvalidArgument("the server's certificate cannot be used: " + Reason());
  }
  while (Owned<X509> next = NextCertificate(reader.get())) {
    if (SSL_CTX_add0_chain_cert(context, next.get()) != 1) {
      return Error::InvalidArgument("the server's certificate chain cannot be used: " + Reason());
    }
    (void)next.release();
  }
  ERR_clear_error();  // the end of the text counts as one
  return {};
}

Result<void> UseKey(SSL_CTX* context, const std::string& text) {
  const Owned<BIO> reader = Reader(text);
  const Owned<EVP_PKEY> key(PEM_read_bio_PrivateKey(reader.get(), nullptr, NoPassword, nullptr));
  if (key == nullptr) {
    return Error::InvalidArgument("the server's key: expected a PEM block of a private key without password: " +
                                  Reason());
  }
  if (SSL_CTX_use_PrivateKey(context, key.get()) != 1 || SSL_CTX_check_private_key(context) != 1) {
    return Error::InvalidArgument("the server's key does not belong to its certificate: " + Reason());
  }
  return {};
}

Result<void> TrustClients(SSL_CTX* context, const std::string& text) {
  const Owned<BIO> reader = Reader(text);
  X509_STORE* store = SSL_CTX_get_cert_store(context);
  bool any = false;
  while (const Owned<X509> authority = NextCertificate(reader.get())) {
    any = true;
    if (X509_STORE_add_cert(store, authority.get()) != 1 || SSL_CTX_add_client_CA(context, authority.get()) != 1) {
      return Error::InvalidArgument("a client CA cannot be used: " + Reason());
    }
  }
  if (!any) return Error::InvalidArgument("the client CA: expected PEM blocks CERTIFICATE: " + Reason());
  ERR_clear_error();
  return {};
}

int ChooseProtocol(SSL*, const unsigned char** out, unsigned char* out_size, const unsigned char* offered,
                   unsigned int offered_size, void*) {
  static constexpr unsigned char kOurs[] = "\x02h2\x08http/1.1";  // in order of preference
  unsigned char* chosen = nullptr;
  if (SSL_select_next_proto(&chosen, out_size, kOurs, sizeof kOurs - 1, offered, offered_size) !=
      OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  }
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

std::string Text(const ASN1_STRING* string) {
  unsigned char* utf8 = nullptr;
  const int size = ASN1_STRING_to_UTF8(&utf8, string);
  if (size < 0) return {};
  std::string text(reinterpret_cast<char*>(utf8), static_cast<size_t>(size));
  OPENSSL_free(utf8);
  return text;
}

}  // namespace

Result<bool> WatchedPem::Refresh() {
  if (source_.empty()) return false;
  if (!source_.text.empty()) {
    if (std::exchange(read_, true)) return false;
    text_ = source_.text;
    return true;
  }
  struct stat status = {};
  if (stat(source_.file.c_str(), &status) != 0) {
    return Error::NotFound("cannot read " + source_.file + ": " + std::strerror(errno));
  }
  const Stamp stamp{.device = status.st_dev,
                    .inode = status.st_ino,
                    .size = status.st_size,
                    .seconds = status.st_mtim.tv_sec,
                    .nanoseconds = status.st_mtim.tv_nsec};
  if (read_ && settled_ && stamp == stamp_) return false;
  std::ifstream in(source_.file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in) return Error::NotFound("cannot read " + source_.file + "; check that the server's user may");
  if (text.size() > kMaxPemBytes) return Error::InvalidArgument(source_.file + " is too long for a PEM file");
  const auto written = WallTime(std::chrono::seconds(stamp.seconds) + std::chrono::nanoseconds(stamp.nanoseconds));
  settled_ = Clock::WallNow() - written > kSettles;
  stamp_ = stamp;
  if (std::exchange(read_, true) && text == text_) return false;
  text_ = std::move(text);
  return true;
}

TlsServerContext::TlsServerContext(TlsServerOptions options)
    : require_client_certificate_(options.require_client_certificate),
      has_client_ca_(!options.client_ca.empty()),
      certificate_(std::move(options.certificate)),
      key_(std::move(options.key)),
      client_ca_(std::move(options.client_ca)) {}

Result<std::unique_ptr<TlsServerContext>> TlsServerContext::Create(TlsServerOptions options) {
  if (options.certificate.empty() || options.key.empty()) {
    return Error::InvalidArgument("a TLS server needs a certificate and its key: set tls.certificate and tls.key");
  }
  if (options.require_client_certificate && options.client_ca.empty()) {
    return Error::InvalidArgument("client certificates cannot be required without an authority: set tls.client_ca");
  }
  std::unique_ptr<TlsServerContext> made(new TlsServerContext(std::move(options)));
  KEELSON_RETURN_IF_ERROR(made->Refresh());
  KEELSON_TRY(context, made->Build());
  made->current_ = std::move(context);
  return made;
}

Result<bool> TlsServerContext::Refresh() {
  KEELSON_TRY(certificate_changed, certificate_.Refresh());
  KEELSON_TRY(key_changed, key_.Refresh());
  KEELSON_TRY(client_ca_changed, client_ca_.Refresh());
  return certificate_changed || key_changed || client_ca_changed;
}

Result<std::shared_ptr<SSL_CTX>> TlsServerContext::Build() const {
  std::shared_ptr<SSL_CTX> made(SSL_CTX_new(TLS_server_method()), [](SSL_CTX* context) { SSL_CTX_free(context); });
  SSL_CTX* context = made.get();
  if (context == nullptr) return Error::Internal("OpenSSL made no context: " + Reason());
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE |
                                   SSL_OP_PRIORITIZE_CHACHA | SSL_OP_IGNORE_UNEXPECTED_EOF);
  // Forward secret and authenticated: also all that HTTP/2 allows with TLS 1.2.
  SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20");
  SSL_CTX_set_mode(context,
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_alpn_select_cb(context, ChooseProtocol, nullptr);
  KEELSON_RETURN_IF_ERROR(UseCertificate(context, certificate_.text()));
  KEELSON_RETURN_IF_ERROR(UseKey(context, key_.text()));
  if (has_client_ca_) {
    KEELSON_RETURN_IF_ERROR(TrustClients(context, client_ca_.text()));
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | (require_client_certificate_ ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0),
                       nullptr);
    // A resumed session would bring a certificate that nobody verifies again.
    SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
    SSL_CTX_set_num_tickets(context, 0);
  }
  return made;
}

std::shared_ptr<SSL_CTX> TlsServerContext::Current() {
  MutexLock lock(mutex_);
  Result<bool> changed = Refresh();
  Result<std::shared_ptr<SSL_CTX>> built = current_;
  if (!changed) {
    built = changed.error();
  } else if (*changed || !last_failure_.empty()) {
    built = Build();
  }
  if (built) {
    if (*built != current_) log_.Info("Read the server's certificates again");
    last_failure_.clear();
    current_ = *std::move(built);
  } else if (built.error().message() != last_failure_) {
    last_failure_ = built.error().message();
    log_.Error(built.error(), "The changed certificates cannot be used; the last good ones serve on");
  }
  return current_;
}

void DescribeClient(const SSL* ssl, Peer& peer) {
  X509* certificate = SSL_get0_peer_certificate(ssl);
  if (certificate == nullptr || SSL_get_verify_result(ssl) != X509_V_OK) return;
  const X509_NAME* subject = X509_get_subject_name(certificate);
  const auto each = [&](int nid, auto use) {
    for (int i = X509_NAME_get_index_by_NID(subject, nid, -1); i >= 0;
         i = X509_NAME_get_index_by_NID(subject, nid, i)) {
      use(Text(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, i))));
    }
  };
  each(NID_commonName, [&](std::string name) { peer.common_name = std::move(name); });
  each(NID_organizationName, [&](std::string name) { peer.organizations.push_back(std::move(name)); });
  const Owned<BIO> out(BIO_new(BIO_s_mem()));
  if (out != nullptr && PEM_write_bio_X509(out.get(), certificate) == 1) {
    char* data = nullptr;
    const long size = BIO_get_mem_data(out.get(), &data);
    peer.certificate_pem.assign(data, static_cast<size_t>(size));
  }
}

}  // namespace keelson::internal
