#include "keelson/apiserver/token_signer.h"

#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>

#include "keelson/apiserver/url_base64.h"
#include "keelson/codec/json_reader.h"
#include "keelson/codec/json_writer.h"

namespace keelson::apiserver {

namespace {

constexpr size_t kMaxTokenBytes = 16 << 10;
constexpr int kNumberBytes = 32;  // each of the two that a signature consists of

template <auto Free>
struct FreeBy {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};
using KeyHandle = std::unique_ptr<EVP_PKEY, FreeBy<EVP_PKEY_free>>;
using DigestContext = std::unique_ptr<EVP_MD_CTX, FreeBy<EVP_MD_CTX_free>>;
using Signature = std::unique_ptr<ECDSA_SIG, FreeBy<ECDSA_SIG_free>>;
using Number = std::unique_ptr<BIGNUM, FreeBy<BN_free>>;

const unsigned char* BytesOf(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

// OpenSSL speaks DER; tokens have the two numbers side by side.
std::string FromDer(std::string_view der) {
  const unsigned char* at = BytesOf(der);
  const Signature signature(d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size())));
  if (signature == nullptr) return {};
  std::string raw(2 * kNumberBytes, '\0');
  auto* bytes = reinterpret_cast<unsigned char*>(raw.data());
  const bool fits = BN_bn2binpad(ECDSA_SIG_get0_r(signature.get()), bytes, kNumberBytes) == kNumberBytes &&
                    BN_bn2binpad(ECDSA_SIG_get0_s(signature.get()), bytes + kNumberBytes, kNumberBytes) == kNumberBytes;
  return fits ? raw : std::string();
}

std::string ToDer(std::string_view raw) {
  if (raw.size() != 2 * kNumberBytes) return {};
  Number r(BN_bin2bn(BytesOf(raw), kNumberBytes, nullptr));
  Number s(BN_bin2bn(BytesOf(raw) + kNumberBytes, kNumberBytes, nullptr));
  const Signature signature(ECDSA_SIG_new());
  if (signature == nullptr || r == nullptr || s == nullptr) return {};
  // It owns them from here on.
  if (ECDSA_SIG_set0(signature.get(), r.release(), s.release()) != 1) return {};
  unsigned char* encoded = nullptr;
  const int size = i2d_ECDSA_SIG(signature.get(), &encoded);
  if (size <= 0) return {};
  std::string der(reinterpret_cast<const char*>(encoded), static_cast<size_t>(size));
  OPENSSL_free(encoded);
  return der;
}

Error NotOurs() { return Error(ErrorCode::kUnauthorized, "the token is not one that this server has signed"); }

}  // namespace

struct TokenSigner::Key {
  KeyHandle handle;
};

TokenSigner::TokenSigner() = default;
TokenSigner::~TokenSigner() = default;

Result<const TokenSigner::Key*> TokenSigner::GetKey() {
  MutexLock lock(mutex_);
  if (key_ == nullptr) {
    KeyHandle made(EVP_EC_gen("P-256"));
    if (made == nullptr) return Error(ErrorCode::kInternal, "OpenSSL made no key on P-256 for tokens");
    key_ = std::make_unique<Key>();
    key_->handle = std::move(made);
  }
  return key_.get();
}

Result<std::string> TokenSigner::Sign(const Json& claims) {
  KEELSON_TRY(key, GetKey());
  const Json header = Json::Object({{"alg", "ES256"}, {"typ", "JWT"}});
  std::string token = EncodeUrlBase64(ToJson(header)) + "." + EncodeUrlBase64(ToJson(claims));
  const DigestContext context(EVP_MD_CTX_new());
  size_t size = 0;
  std::string der;
  const bool done = context != nullptr &&
                    EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key->handle.get()) == 1 &&
                    EVP_DigestSign(context.get(), nullptr, &size, BytesOf(token), token.size()) == 1 &&
                    (der.resize(size), EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(der.data()),
                                                      &size, BytesOf(token), token.size()) == 1);
  der.resize(done ? size : 0);
  const std::string raw = FromDer(der);
  if (raw.empty()) return Error(ErrorCode::kInternal, "OpenSSL signed no token");
  return token + "." + EncodeUrlBase64(raw);
}

Result<Json> TokenSigner::Verify(std::string_view token) {
  const size_t first = token.find('.');
  const size_t last = token.rfind('.');
  if (token.size() > kMaxTokenBytes || first == last) return NotOurs();
  std::string raw, claims;
  if (!DecodeUrlBase64(token.substr(last + 1), raw) ||
      !DecodeUrlBase64(token.substr(first + 1, last - first - 1), claims)) {
    return NotOurs();
  }
  const std::string_view content = token.substr(0, last);
  const std::string der = ToDer(raw);
  KEELSON_TRY(key, GetKey());
  const DigestContext context(EVP_MD_CTX_new());
  if (der.empty() || context == nullptr ||
      EVP_DigestVerifyInit(context.get(), nullptr, EVP_sha256(), nullptr, key->handle.get()) != 1 ||
      EVP_DigestVerify(context.get(), BytesOf(der), der.size(), BytesOf(content), content.size()) != 1) {
    return NotOurs();
  }
  Result<Json> read = ParseJson(claims);
  if (!read) return NotOurs();
  return read;
}

}  // namespace keelson::apiserver
