#include "keelson/transport/internal/curl_tls.h"

#include <arpa/inet.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>
#include <string_view>
#include <utility>

#include "keelson/core/log.h"

namespace keelson::internal {

namespace {

struct Free {
  void operator()(BIO* bio) const { BIO_free_all(bio); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(GENERAL_NAMES* names) const { GENERAL_NAMES_free(names); }
};
template <class T>
using Owned = std::unique_ptr<T, Free>;

constexpr size_t kMaxFileBytes = size_t{4} << 20;

Owned<BIO> Reader(const std::string& text) {
  return Owned<BIO>(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

Result<std::string> ReadSource(const PemSource& source, std::string_view what) {
  if (!source.text.empty() || source.file.empty()) return source.text;
  std::ifstream file(source.file, std::ios::binary);
  std::ostringstream content;
  if (file) content << file.rdbuf();
  if (!file) {
    return Error::InvalidArgument("cannot read the " + std::string(what) + " from \"" + source.file +
                                  "\": " + std::strerror(errno));
  }
  if (content.view().size() > kMaxFileBytes) {
    return Error::InvalidArgument("\"" + source.file + "\" is too long for a " + std::string(what));
  }
  return std::move(content).str();
}

std::string Place(const PemSource& source) { return source.text.empty() ? " in \"" + source.file + "\"" : ""; }

// The key's password is never asked for on the terminal, as OpenSSL would.
int NoPassword(char*, int, int, void*) { return -1; }

Result<Owned<X509>> FirstCertificate(const std::string& text, const PemSource& source, std::string_view what) {
  Owned<X509> certificate(PEM_read_bio_X509(Reader(text).get(), nullptr, NoPassword, nullptr));
  ERR_clear_error();
  if (certificate == nullptr) {
    return Error::InvalidArgument("no certificate found in the " + std::string(what) + Place(source) +
                                  "; expected PEM, which begins with -----BEGIN CERTIFICATE-----");
  }
  return certificate;
}

std::string NameText(const X509_NAME* name) {
  const Owned<BIO> out(BIO_new(BIO_s_mem()));
  X509_NAME_print_ex(out.get(), name, 0, XN_FLAG_RFC2253);
  char* data = nullptr;
  const long size = BIO_get_mem_data(out.get(), &data);
  return std::string(data, static_cast<size_t>(size));
}

std::string TimeText(const ASN1_TIME* time) {
  const Owned<BIO> out(BIO_new(BIO_s_mem()));
  ASN1_TIME_print(out.get(), time);
  char* data = nullptr;
  const long size = BIO_get_mem_data(out.get(), &data);
  return std::string(data, static_cast<size_t>(size));
}

std::vector<std::string> NamesOf(X509* certificate) {
  std::vector<std::string> names;
  const Owned<GENERAL_NAMES> listed(
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  for (int i = 0; listed != nullptr && i < sk_GENERAL_NAME_num(listed.get()); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(listed.get(), i);
    if (name->type == GEN_DNS) {
      names.emplace_back(reinterpret_cast<const char*>(ASN1_STRING_get0_data(name->d.dNSName)),
                         static_cast<size_t>(ASN1_STRING_length(name->d.dNSName)));
    } else if (name->type == GEN_IPADD) {
      char text[INET6_ADDRSTRLEN] = {};
      const int length = ASN1_STRING_length(name->d.iPAddress);
      if (length != 4 && length != 16) continue;
      inet_ntop(length == 4 ? AF_INET : AF_INET6, ASN1_STRING_get0_data(name->d.iPAddress), text, sizeof text);
      names.emplace_back(text);
    }
  }
  return names;
}

int PeerIndex() {
  static const int index = SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  return index;
}

int PeerIndexOfOne() {
  static const int index = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  return index;
}

int OnVerify(int good, X509_STORE_CTX* store) {
  const auto* ssl = static_cast<const SSL*>(X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()));
  auto* peer = static_cast<PeerCertificate*>(SSL_get_ex_data(ssl, PeerIndexOfOne()));
  if (peer == nullptr) {
    peer = static_cast<PeerCertificate*>(SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), PeerIndex()));
  }
  X509* certificate = X509_STORE_CTX_get_current_cert(store);
  if (peer == nullptr || certificate == nullptr) return good;
  if (X509* leaf = X509_STORE_CTX_get0_cert(store); leaf != nullptr) peer->names = NamesOf(leaf);
  if (good == 1) {
    if (X509_STORE_CTX_get_error_depth(store) == 0) peer->problem.clear();
    return good;
  }
  peer->problem_code = X509_STORE_CTX_get_error(store);
  peer->problem = X509_verify_cert_error_string(peer->problem_code);
  peer->subject = NameText(X509_get_subject_name(certificate));
  peer->issuer = NameText(X509_get_issuer_name(certificate));
  peer->valid_until = TimeText(X509_get0_notAfter(certificate));
  return good;
}

}  // namespace

void RecordPeerCertificate(void* ssl_ctx, PeerCertificate* peer) {
  auto* context = static_cast<SSL_CTX*>(ssl_ctx);
  if (SSL_CTX_get_verify_mode(context) == SSL_VERIFY_NONE) return;
  SSL_CTX_set_ex_data(context, PeerIndex(), peer);
  SSL_CTX_set_verify(context, SSL_CTX_get_verify_mode(context), OnVerify);
}

void RecordPeerCertificate(SSL* ssl, PeerCertificate* peer) {
  if (SSL_get_verify_mode(ssl) == SSL_VERIFY_NONE) return;
  SSL_set_ex_data(ssl, PeerIndexOfOne(), peer);
  SSL_set_verify(ssl, SSL_get_verify_mode(ssl), OnVerify);
}

Result<TlsTexts> TlsFiles::Read(const TlsClientOptions& options) {
  TlsTexts texts;
  KEELSON_TRY(ca, ReadSource(options.ca, "certificate authority"));
  texts.ca = std::move(ca);
  if (!options.ca.empty()) KEELSON_RETURN_IF_ERROR(FirstCertificate(texts.ca, options.ca, "certificate authority"));

  if (options.certificate.empty() != options.key.empty()) {
    return Error::InvalidArgument(options.key.empty() ? "a client certificate is given without its key"
                                                      : "a client key is given without its certificate");
  }
  if (options.certificate.empty()) return texts;
  KEELSON_TRY(certificate_text, ReadSource(options.certificate, "client certificate"));
  KEELSON_TRY(key_text, ReadSource(options.key, "client key"));
  KEELSON_TRY(certificate, FirstCertificate(certificate_text, options.certificate, "client certificate"));
  const Owned<EVP_PKEY> key(PEM_read_bio_PrivateKey(Reader(key_text).get(), nullptr, NoPassword, nullptr));
  ERR_clear_error();
  if (key == nullptr) {
    return Error::InvalidArgument("no usable key found in the client key" + Place(options.key) +
                                  "; expected PEM without a password, which begins with -----BEGIN PRIVATE KEY-----");
  }
  const bool match = X509_check_private_key(certificate.get(), key.get()) == 1;
  ERR_clear_error();
  if (!match) {
    return Error::InvalidArgument("the client key" + Place(options.key) + " does not belong to the client certificate" +
                                  Place(options.certificate));
  }
  texts.certificate = std::move(certificate_text);
  texts.key = std::move(key_text);
  return texts;
}

TlsFiles::Stamps TlsFiles::Look() const {
  Stamps stamps;
  const PemSource* sources[] = {&options_.ca, &options_.certificate, &options_.key};
  for (size_t i = 0; i < stamps.size(); ++i) {
    struct stat found = {};
    if (sources[i]->file.empty() || !sources[i]->text.empty()) continue;
    if (stat(sources[i]->file.c_str(), &found) != 0) continue;
    stamps[i] = {.there = true,
                 .inode = found.st_ino,
                 .size = found.st_size,
                 .seconds = found.st_mtim.tv_sec,
                 .nanoseconds = found.st_mtim.tv_nsec};
  }
  return stamps;
}

Result<TlsFiles> TlsFiles::Load(TlsClientOptions options) {
  TlsFiles files(std::move(options));
  files.stamps_ = files.Look();
  KEELSON_TRY(texts, Read(files.options_));
  files.texts_ = std::move(texts);
  return files;
}

bool TlsFiles::Refresh(TimePoint now) {
  if (looked_at_ != TimePoint::min() && now < SaturatingAdd(looked_at_, std::chrono::seconds(1))) return false;
  looked_at_ = now;
  const Stamps stamps = Look();
  if (stamps == stamps_) return false;
  Result<TlsTexts> texts = Read(options_);
  if (!texts) {
    if (texts.error().message() != std::exchange(logged_, texts.error().message())) {
      Logger("transport").Error(texts.error(), "Changed certificates cannot be used; the ones before stay in use");
    }
    return false;
  }
  stamps_ = stamps;
  logged_.clear();
  if (*texts == texts_) return false;
  texts_ = *std::move(texts);
  return true;
}

Result<void> TlsFiles::SetClientCertificate(PemSource certificate, PemSource key) {
  TlsClientOptions options = options_;
  options.certificate = std::move(certificate);
  options.key = std::move(key);
  KEELSON_TRY(texts, Read(options));
  options_ = std::move(options);
  stamps_ = Look();
  texts_ = std::move(texts);
  return {};
}

}  // namespace keelson::internal
