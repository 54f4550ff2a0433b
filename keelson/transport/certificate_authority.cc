#include "keelson/transport/certificate_authority.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "keelson/core/clock.h"
#include "keelson/core/random.h"

namespace keelson {
namespace {

struct Free {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(BIO* bio) const { BIO_free_all(bio); }
  void operator()(X509_EXTENSION* extension) const { X509_EXTENSION_free(extension); }
  void operator()(GENERAL_NAMES* names) const { GENERAL_NAMES_free(names); }
};
template <class T>
using Owned = std::unique_ptr<T, Free>;

constexpr auto kLifetime = std::chrono::hours(24 * 365 * 10);
// Clocks of clients may be behind.
constexpr auto kSlack = std::chrono::minutes(5);

Error Refused(std::string_view what) {
  char text[256] = "unknown reason";
  if (const unsigned long code = ERR_get_error(); code != 0) ERR_error_string_n(code, text, sizeof text);
  ERR_clear_error();
  return Error::Internal(fmt::format("cannot {}: OpenSSL says {}", what, text));
}

bool AddToName(X509_NAME* name, int nid, std::string_view value) {
  // Not MBSTRING_UTF8, which would cut at X.509's 64 characters: Kubernetes' names of nodes are longer.
  return X509_NAME_add_entry_by_NID(name, nid, V_ASN1_UTF8STRING, reinterpret_cast<const unsigned char*>(value.data()),
                                    static_cast<int>(value.size()), -1, 0) == 1;
}

bool AddExtension(X509* certificate, X509* issuer, int nid, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const Owned<X509_EXTENSION> extension(X509V3_EXT_conf_nid(nullptr, &context, nid, value));
  return extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1;
}

bool AddAlternativeNames(X509* certificate, const std::vector<std::string>& names) {
  const Owned<GENERAL_NAMES> all(GENERAL_NAMES_new());
  if (all == nullptr) return false;
  for (const std::string& name : names) {
    unsigned char address[16];
    const int length = inet_pton(AF_INET, name.c_str(), address) == 1    ? 4
                       : inet_pton(AF_INET6, name.c_str(), address) == 1 ? 16
                                                                         : 0;
    GENERAL_NAME* one = GENERAL_NAME_new();
    ASN1_STRING* value = length != 0 ? static_cast<ASN1_STRING*>(ASN1_OCTET_STRING_new()) : ASN1_IA5STRING_new();
    if (one == nullptr || value == nullptr || sk_GENERAL_NAME_push(all.get(), one) == 0) {
      GENERAL_NAME_free(one);
      ASN1_STRING_free(value);
      return false;
    }
    GENERAL_NAME_set0_value(one, length != 0 ? GEN_IPADD : GEN_DNS, value);
    const int set = length != 0 ? ASN1_STRING_set(value, address, length)
                                : ASN1_STRING_set(value, name.data(), static_cast<int>(name.size()));
    if (set != 1) return false;
  }
  return X509_add1_ext_i2d(certificate, NID_subject_alt_name, all.get(), 0, X509V3_ADD_DEFAULT) == 1;
}

bool SetTimes(X509* certificate) {
  const auto seconds = [](WallTime time) {
    return static_cast<time_t>(std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count());
  };
  const WallTime now = Clock::WallNow();
  return ASN1_TIME_set(X509_getm_notBefore(certificate), seconds(now - kSlack)) != nullptr &&
         ASN1_TIME_set(X509_getm_notAfter(certificate), seconds(now + kLifetime)) != nullptr;
}

// All but issuer, extensions and signature.
Owned<X509> NewCertificate(EVP_PKEY* key, std::string_view common_name, const std::vector<std::string>& organizations) {
  Owned<X509> made(X509_new());
  if (key == nullptr || made == nullptr) return nullptr;
  X509_NAME* subject = X509_get_subject_name(made.get());
  for (const std::string& organization : organizations) {
    if (!AddToName(subject, NID_organizationName, organization)) return nullptr;
  }
  const bool done = AddToName(subject, NID_commonName, common_name) &&
                    X509_set_version(made.get(), X509_VERSION_3) == 1 && X509_set_pubkey(made.get(), key) == 1 &&
                    ASN1_INTEGER_set_uint64(X509_get_serialNumber(made.get()), SecureRandom::Next() >> 1) == 1 &&
                    SetTimes(made.get());
  return done ? std::move(made) : nullptr;
}

std::string PemOf(X509* certificate) {
  const Owned<BIO> out(BIO_new(BIO_s_mem()));
  char* data = nullptr;
  if (out == nullptr || PEM_write_bio_X509(out.get(), certificate) != 1) return {};
  const long size = BIO_get_mem_data(out.get(), &data);
  return std::string(data, static_cast<size_t>(size));
}

std::string PemOf(EVP_PKEY* key) {
  const Owned<BIO> out(BIO_new(BIO_s_mem()));
  char* data = nullptr;
  if (out == nullptr || PEM_write_bio_PKCS8PrivateKey(out.get(), key, nullptr, nullptr, 0, nullptr, nullptr) != 1) {
    return {};
  }
  const long size = BIO_get_mem_data(out.get(), &data);
  return std::string(data, static_cast<size_t>(size));
}

Error FileError(std::string_view what, const std::string& file) {
  return Error(errno == EACCES ? ErrorCode::kForbidden : ErrorCode::kUnavailable,
               fmt::format("cannot {} '{}': {}", what, file, std::strerror(errno)));
}

class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int get() const { return descriptor_; }

 private:
  const int descriptor_;
};

// Beside the file and then under its name, so that a crash leaves all of it or nothing. Never over one that is there.
Result<void> WriteSecret(const std::string& file, std::string_view text) {
  const std::string beside = fmt::format("{}.{}.new", file, getpid());
  {
    const File out(open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
    if (out.get() < 0) return FileError("create", beside);
    for (std::string_view rest = text; !rest.empty();) {
      const ssize_t written = write(out.get(), rest.data(), rest.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return FileError("write", beside);
      rest.remove_prefix(static_cast<size_t>(written));
    }
    if (fsync(out.get()) != 0) return FileError("write", beside);
  }
  // link refuses an existing name where rename would replace it.
  const bool linked = link(beside.c_str(), file.c_str()) == 0;
  const Error failed = FileError("create", file);
  unlink(beside.c_str());
  if (!linked) return failed;
  return {};
}

// kNotFound when there is none.
Result<std::string> ReadSecret(const std::string& file) {
  constexpr size_t kMaxBytes = 64 << 10;
  const File in(open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (in.get() < 0 && errno == ENOENT) return Error::NotFound(fmt::format("there is no '{}'", file));
  if (in.get() < 0) return FileError("open", file);
  struct stat about = {};
  if (fstat(in.get(), &about) != 0) return FileError("read", file);
  if ((about.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return Error(
        ErrorCode::kForbidden,
        fmt::format("'{}' holds a private key and its mode {:o} lets others at it; 'chmod 600 {}' if nobody has "
                    "read it, else remove it so that a new one is made",
                    file, about.st_mode & 0777u, file));
  }
  std::string text(kMaxBytes, '\0');
  size_t size = 0;
  while (size < text.size()) {
    const ssize_t count = read(in.get(), text.data() + size, text.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return FileError("read", file);
    if (count == 0) break;
    size += static_cast<size_t>(count);
  }
  text.resize(size);
  return text;
}

}  // namespace

struct CertificateAuthority::Parts {
  Owned<EVP_PKEY> key;
  Owned<X509> certificate;
};

CertificateAuthority::CertificateAuthority(std::shared_ptr<const Parts> parts)
    : parts_(std::move(parts)), certificate_pem_(PemOf(parts_->certificate.get())) {}

Result<CertificateAuthority> CertificateAuthority::Make() {
  auto parts = std::make_shared<Parts>();
  parts->key.reset(EVP_EC_gen("P-256"));
  // Each has a name of its own: a trust store that holds several tells them apart by it.
  parts->certificate =
      NewCertificate(parts->key.get(), fmt::format("keelson-ca-{:08x}", SecureRandom::Next() >> 32), {});
  X509* certificate = parts->certificate.get();
  const bool done = certificate != nullptr &&
                    X509_set_issuer_name(certificate, X509_get_subject_name(certificate)) == 1 &&
                    AddExtension(certificate, certificate, NID_basic_constraints, "critical,CA:TRUE") &&
                    AddExtension(certificate, certificate, NID_key_usage, "critical,keyCertSign,cRLSign") &&
                    AddExtension(certificate, certificate, NID_subject_key_identifier, "hash") &&
                    X509_sign(certificate, parts->key.get(), EVP_sha256()) > 0;
  if (!done) return Refused("make a certificate authority");
  return CertificateAuthority(std::move(parts));
}

Result<CertificateAuthority> CertificateAuthority::Open(const std::string& file) {
  const Result<std::string> text = ReadSecret(file);
  if (!text && text.error().code() == ErrorCode::kNotFound) {
    KEELSON_TRY(made, Make());
    KEELSON_RETURN_IF_ERROR(WriteSecret(file, made.certificate_pem_ + PemOf(made.parts_->key.get())));
    return made;
  }
  if (!text) return text.error();

  const auto damaged = [&](std::string_view how) {
    ERR_clear_error();
    return Error(ErrorCode::kInvalidArgument,
                 fmt::format("'{}' should hold the certificate and the key of the server's authority, but {}; put the "
                             "right file back, or remove it and write new kubeconfigs",
                             file, how));
  };
  const Owned<BIO> in(BIO_new_mem_buf(text->data(), static_cast<int>(text->size())));
  auto parts = std::make_shared<Parts>();
  parts->certificate.reset(PEM_read_bio_X509(in.get(), nullptr, nullptr, nullptr));
  if (parts->certificate == nullptr) return damaged("its certificate cannot be read");
  const auto no_password = [](char*, int, int, void*) { return 0; };
  parts->key.reset(PEM_read_bio_PrivateKey(in.get(), nullptr, no_password, nullptr));
  if (parts->key == nullptr) return damaged("its key cannot be read");
  if (X509_check_private_key(parts->certificate.get(), parts->key.get()) != 1) {
    return damaged("the two do not belong together");
  }
  if (X509_check_ca(parts->certificate.get()) != 1) return damaged("the certificate is no authority's");
  const auto now = static_cast<time_t>(
      std::chrono::duration_cast<std::chrono::seconds>(Clock::WallNow().time_since_epoch()).count());
  if (ASN1_TIME_cmp_time_t(X509_get0_notAfter(parts->certificate.get()), now) <= 0) {
    return damaged("the certificate has expired");
  }
  return CertificateAuthority(std::move(parts));
}

namespace {

enum class Purpose { kServing, kClient };

Result<CertifiedKey> Issue(EVP_PKEY* issuer_key, X509* issuer, std::string_view common_name,
                           const std::vector<std::string>& organizations, const std::vector<std::string>& names,
                           Purpose purpose) {
  const Owned<EVP_PKEY> key(EVP_EC_gen("P-256"));
  const Owned<X509> made = NewCertificate(key.get(), common_name, organizations);
  X509* certificate = made.get();
  const bool done = certificate != nullptr && X509_set_issuer_name(certificate, X509_get_subject_name(issuer)) == 1 &&
                    // Not longer than its issuer, whose end comes first when it was made earlier.
                    X509_set1_notAfter(certificate, X509_get0_notAfter(issuer)) == 1 &&
                    AddExtension(certificate, issuer, NID_basic_constraints, "critical,CA:FALSE") &&
                    AddExtension(certificate, issuer, NID_key_usage, "critical,digitalSignature") &&
                    AddExtension(certificate, issuer, NID_ext_key_usage,
                                 purpose == Purpose::kServing ? "serverAuth" : "clientAuth") &&
                    AddExtension(certificate, issuer, NID_authority_key_identifier, "keyid") &&
                    (names.empty() || AddAlternativeNames(certificate, names)) &&
                    X509_sign(certificate, issuer_key, EVP_sha256()) > 0;
  if (!done) return Refused(fmt::format("make a certificate for '{}'", common_name));
  return CertifiedKey{.certificate = PemOf(certificate), .key = PemOf(key.get())};
}

}  // namespace

Result<CertifiedKey> CertificateAuthority::IssueServing(std::string_view common_name,
                                                        const std::vector<std::string>& names) const {
  return Issue(parts_->key.get(), parts_->certificate.get(), common_name, {}, names, Purpose::kServing);
}

Result<CertifiedKey> CertificateAuthority::IssueClient(std::string_view user,
                                                       const std::vector<std::string>& groups) const {
  return Issue(parts_->key.get(), parts_->certificate.get(), user, groups, {}, Purpose::kClient);
}

}  // namespace keelson
