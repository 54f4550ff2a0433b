#include "keelson/apiserver/authentication.h"

#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <algorithm>
#include <optional>

#include "keelson/api/status_error.h"
#include "keelson/core/ascii.h"

namespace keelson::apiserver {
namespace {

constexpr size_t kMaxKeptCertificates = 1000;

// The token of `Authorization: Bearer <token>`; nullopt when there is none.
std::optional<std::string_view> BearerToken(const Headers& headers) {
  const std::string_view* header = headers.Find("Authorization");
  if (header == nullptr) return std::nullopt;
  const std::string_view text = Trim(*header);
  const size_t blank = text.find(' ');
  if (blank == std::string_view::npos || !EqualsIgnoringCase(text.substr(0, blank), "Bearer")) return std::nullopt;
  // Up to the next blank, as upstream cuts it: two blanks in a row leave no token.
  const std::string_view rest = text.substr(blank + 1);
  const std::string_view token = rest.substr(0, rest.find(' '));
  return token.empty() ? std::nullopt : std::optional(token);
}

bool SameSecret(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

struct FreeX509 {
  void operator()(X509* certificate) const { X509_free(certificate); }
};

std::unique_ptr<X509, FreeX509> ParseCertificate(const std::string& pem) {
  BIO* in = BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()));
  std::unique_ptr<X509, FreeX509> certificate(in != nullptr ? PEM_read_bio_X509(in, nullptr, nullptr, nullptr)
                                                            : nullptr);
  BIO_free(in);
  return certificate;
}

// Of the certificate as it is encoded, in hexadecimal.
std::string Fingerprint(const X509* certificate) {
  unsigned char hash[EVP_MAX_MD_SIZE];
  unsigned length = 0;
  if (X509_digest(certificate, EVP_sha256(), hash, &length) != 1) return {};
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (unsigned i = 0; i < length; ++i) {
    text += kDigits[hash[i] >> 4];
    text += kDigits[hash[i] & 15];
  }
  return text;
}

// The subject's attribute 1.3.6.1.4.1.57683.2, which is where Kubernetes has a user's uid.
std::string UidOf(const X509* certificate) {
  ASN1_OBJECT* id = OBJ_txt2obj("1.3.6.1.4.1.57683.2", 1);
  const X509_NAME* subject = X509_get_subject_name(certificate);
  const int at = X509_NAME_get_index_by_OBJ(subject, id, -1);
  ASN1_OBJECT_free(id);
  if (at < 0) return {};
  const ASN1_STRING* value = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at));
  return std::string(reinterpret_cast<const char*>(ASN1_STRING_get0_data(value)),
                     static_cast<size_t>(ASN1_STRING_length(value)));
}

void AddAuthenticatedGroup(User& user) {
  if (!user.InGroup(kAuthenticatedGroup)) user.groups.emplace_back(kAuthenticatedGroup);
}

}  // namespace

Authenticator::Authenticator(AuthenticatorOptions options, const TokenAuthenticator* others)
    : options_([&] {
        for (auto& [token, user] : options.tokens) AddAuthenticatedGroup(user);
        return std::move(options);
      }()),
      others_(others) {}

Authenticator::~Authenticator() = default;

Result<User> Authenticator::Authenticate(const ServerRequest& request) const {
  // A certificate was checked when the connection was made, so it goes first: what else the request shows no longer
  // matters.
  if (!request.peer->common_name.empty()) return UserOfCertificate(*request.peer);
  if (const std::optional<std::string_view> token = BearerToken(request.headers)) {
    Result<TokenOwner> owner = AuthenticateToken(*token);
    if (!owner) return apierrors::Unauthorized("Unauthorized");
    return std::move(owner->user);
  }
  return User{.name = std::string(kAnonymousUser), .groups = {std::string(kUnauthenticatedGroup)}};
}

Result<TokenOwner> Authenticator::AuthenticateToken(std::string_view token, std::vector<std::string> audiences) const {
  if (audiences.empty()) audiences.emplace_back(kApiAudience);
  const User* found = nullptr;
  // All are compared, so that the time it takes says nothing.
  for (const auto& [known, user] : options_.tokens) {
    if (SameSecret(known, token)) found = &user;
  }
  if (found != nullptr) return TokenOwner{.user = *found, .audiences = std::move(audiences)};
  if (others_ != nullptr) return others_->Authenticate(token, audiences);
  return Error(ErrorCode::kUnauthorized, "invalid bearer token");
}

User Authenticator::UserOfCertificate(const Peer& peer) const {
  if (!peer.certificate_pem.empty()) {
    const ReaderLock lock(mutex_);
    if (const auto known = users_of_certificates_.find(peer.certificate_pem); known != users_of_certificates_.end()) {
      return known->second;
    }
  }
  User user{.name = peer.common_name, .groups = peer.organizations};
  AddAuthenticatedGroup(user);
  if (peer.certificate_pem.empty()) return user;
  if (const auto certificate = ParseCertificate(peer.certificate_pem)) {
    user.uid = UidOf(certificate.get());
    user.extra["authentication.kubernetes.io/credential-id"] = {"X509SHA256=" + Fingerprint(certificate.get())};
  }
  const WriterLock lock(mutex_);
  // Starting again is simpler than choosing whom to forget, and hardly ever happens.
  if (users_of_certificates_.size() >= kMaxKeptCertificates) users_of_certificates_.clear();
  users_of_certificates_[peer.certificate_pem] = user;
  return user;
}

}  // namespace keelson::apiserver
