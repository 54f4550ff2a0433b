// For tests: an authority that issues certificates on the spot, and a directory to keep them in.
//
//   TestAuthority authority;
//   TestCertificate server = authority.IssueServer();                    // localhost, 127.0.0.1, ::1
//   TestCertificate alice = authority.IssueClient("alice", {"system:masters"});
//   TestCertificate old = authority.Issue({.common_name = "x", .names = {"localhost"}, .not_after = -1min});
//   TemporaryDirectory directory;
//   TlsServerOptions tls{.certificate = {.file = directory.Write("tls.crt", server.certificate)}, …};
//
// Keys are P-256, so that making one costs less than a millisecond. Nothing here is fit for anything but tests.
#pragma once

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <arpa/inet.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/core/random.h"
#include "keelson/core/time.h"

namespace keelson {

// PEM texts. A chain's intermediate certificates stand behind the first.
struct TestCertificate {
  std::string certificate;
  std::string key;
};

struct TestCertificateOptions {
  std::string common_name = "test";
  std::vector<std::string> organizations = {};
  std::vector<std::string> names = {};  // subject alternative names: host names and IP addresses
  bool server = true;                   // extended key usage
  bool client = true;
  // From now.
  Duration not_before = -std::chrono::hours(1);
  Duration not_after = std::chrono::hours(1);
};

class TestAuthority {
 public:
  // With a parent it is an intermediate authority.
  explicit TestAuthority(const std::string& common_name = "test-authority", const TestAuthority* parent = nullptr)
      : key_(EVP_EC_gen("P-256")), certificate_(NewCertificate(key_.get(), common_name, {})) {
    SetTimes(certificate_.get(), -std::chrono::hours(24), std::chrono::hours(24));
    X509* issuer = parent == nullptr ? certificate_.get() : parent->certificate_.get();
    X509_set_issuer_name(certificate_.get(), X509_get_subject_name(issuer));
    AddExtension(certificate_.get(), issuer, NID_basic_constraints, "critical,CA:TRUE");
    AddExtension(certificate_.get(), issuer, NID_key_usage, "critical,keyCertSign,cRLSign");
    AddExtension(certificate_.get(), issuer, NID_subject_key_identifier, "hash");
    Check(X509_sign(certificate_.get(), parent == nullptr ? key_.get() : parent->key_.get(), EVP_sha256()) > 0);
    pem_ = ToPem([&](BIO* out) { return PEM_write_bio_X509(out, certificate_.get()); });
  }

  // What others trust, in PEM.
  const std::string& certificate() const { return pem_; }

  TestCertificate Issue(const TestCertificateOptions& options) const {
    const Key key(EVP_EC_gen("P-256"));
    const Certificate made = NewCertificate(key.get(), options.common_name, options.organizations);
    SetTimes(made.get(), options.not_before, options.not_after);
    X509* issuer = certificate_.get();
    X509_set_issuer_name(made.get(), X509_get_subject_name(issuer));
    AddExtension(made.get(), issuer, NID_basic_constraints, "critical,CA:FALSE");
    AddExtension(made.get(), issuer, NID_key_usage, "critical,digitalSignature");
    std::string usage = options.server ? "serverAuth" : "";
    if (options.client) usage += usage.empty() ? "clientAuth" : ",clientAuth";
    if (!usage.empty()) AddExtension(made.get(), issuer, NID_ext_key_usage, usage);
    AddExtension(made.get(), issuer, NID_authority_key_identifier, "keyid");
    std::string names;
    for (const std::string& name : options.names) {
      if (!names.empty()) names += ',';
      names += (IsAddress(name) ? "IP:" : "DNS:") + name;
    }
    if (!names.empty()) AddExtension(made.get(), issuer, NID_subject_alt_name, names);
    Check(X509_sign(made.get(), key_.get(), EVP_sha256()) > 0);
    return {
        .certificate = ToPem([&](BIO* out) { return PEM_write_bio_X509(out, made.get()); }),
        .key = ToPem([&](BIO* out) {
          return PEM_write_bio_PKCS8PrivateKey(out, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
        }),
    };
  }

  TestCertificate IssueServer(std::vector<std::string> names = {"localhost", "127.0.0.1", "::1"}) const {
    return Issue({.common_name = "test-server", .names = std::move(names), .client = false});
  }

  TestCertificate IssueClient(std::string common_name, std::vector<std::string> organizations = {}) const {
    return Issue({.common_name = std::move(common_name), .organizations = std::move(organizations), .server = false});
  }

 private:
  struct Free {
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
    void operator()(X509* certificate) const { X509_free(certificate); }
    void operator()(BIO* bio) const { BIO_free_all(bio); }
    void operator()(X509_EXTENSION* extension) const { X509_EXTENSION_free(extension); }
  };
  using Key = std::unique_ptr<EVP_PKEY, Free>;
  using Certificate = std::unique_ptr<X509, Free>;

  static void Check(bool condition) {
    if (condition) return;
    std::fputs("test certificates: OpenSSL refused\n", stderr);
    std::abort();
  }

  static bool IsAddress(const std::string& name) {
    unsigned char buffer[16];
    return inet_pton(AF_INET, name.c_str(), buffer) == 1 || inet_pton(AF_INET6, name.c_str(), buffer) == 1;
  }

  static Certificate NewCertificate(EVP_PKEY* key, const std::string& common_name,
                                    const std::vector<std::string>& organizations) {
    Certificate made(X509_new());
    Check(key != nullptr && made != nullptr);
    X509_set_version(made.get(), X509_VERSION_3);
    ASN1_INTEGER_set_uint64(X509_get_serialNumber(made.get()), Random::FromEntropy().Next() >> 1);
    X509_set_pubkey(made.get(), key);
    X509_NAME* subject = X509_get_subject_name(made.get());
    const auto add = [&](const char* field, const std::string& value) {
      Check(X509_NAME_add_entry_by_txt(subject, field, MBSTRING_UTF8,
                                       reinterpret_cast<const unsigned char*>(value.data()),
                                       static_cast<int>(value.size()), -1, 0) == 1);
    };
    for (const std::string& organization : organizations) add("O", organization);
    add("CN", common_name);
    return made;
  }

  static void SetTimes(X509* certificate, Duration not_before, Duration not_after) {
    const auto seconds = [](Duration span) {
      return static_cast<long>(std::chrono::duration_cast<std::chrono::seconds>(span).count());
    };
    Check(X509_gmtime_adj(X509_getm_notBefore(certificate), seconds(not_before)) != nullptr);
    Check(X509_gmtime_adj(X509_getm_notAfter(certificate), seconds(not_after)) != nullptr);
  }

  static void AddExtension(X509* certificate, X509* issuer, int nid, const std::string& value) {
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
    const std::unique_ptr<X509_EXTENSION, Free> extension(X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str()));
    Check(extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1);
  }

  template <class Write>
  static std::string ToPem(Write write) {
    const std::unique_ptr<BIO, Free> out(BIO_new(BIO_s_mem()));
    Check(out != nullptr && write(out.get()) == 1);
    char* data = nullptr;
    const long size = BIO_get_mem_data(out.get(), &data);
    return std::string(data, static_cast<size_t>(size));
  }

  const Key key_;
  const Certificate certificate_;
  std::string pem_;
};

// Removed with all in it at the end.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "keelson-test-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) std::abort();
    path_ = pattern;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  std::string Path(std::string_view name) const { return (path_ / name).string(); }

  // Writes beside and renames, so that a reader sees the old file or the new one. Returns the path.
  std::string Write(std::string_view name, std::string_view text) const {
    const std::string path = Path(name);
    const std::string beside = path + ".new";
    {
      std::ofstream out(beside, std::ios::binary | std::ios::trunc);
      out << text;
      if (!out.flush()) std::abort();
    }
    std::filesystem::rename(beside, path);
    return path;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace keelson
