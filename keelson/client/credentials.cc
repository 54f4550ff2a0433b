#include "keelson/client/credentials.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "keelson/codec/internal/base64.h"
#include "keelson/core/ascii.h"
#include "keelson/core/clock.h"
#include "keelson/core/log.h"
#include "keelson/core/mutex.h"

namespace keelson {

namespace {

constexpr Duration kTokenFilePeriod = std::chrono::seconds(10);
constexpr size_t kMaxFileBytes = size_t{1} << 20;

class FixedCredential final : public CredentialSource {
 public:
  explicit FixedCredential(std::string authorization) : credential_{.authorization = std::move(authorization)} {}
  Result<Credential> Get(const CallScope&) override { return credential_; }

 private:
  const Credential credential_;
};

class TokenFileSource final : public CredentialSource {
 public:
  TokenFileSource(std::string path, std::string authorization)
      : path_(std::move(path)), credential_{.authorization = std::move(authorization), .generation = 1} {}

  Result<Credential> Get(const CallScope&) override {
    const MutexLock lock(mutex_);
    if (Clock::Now() >= next_read_) Read();
    return credential_;
  }

  bool CanRenew() const override { return true; }
  std::optional<Credential> Renew(const Credential& refused, const CallScope&) override {
    const MutexLock lock(mutex_);
    if (credential_.generation == refused.generation) Read();
    if (credential_.generation == refused.generation) return std::nullopt;
    return credential_;
  }

  void Read() {
    next_read_ = Clock::Now() + kTokenFilePeriod;
    Result<std::string> header = ReadHeader();
    if (!header) {
      if (!failing_) log_.Error(header.error(), "The token file cannot be used; its last token stays in use");
      failing_ = true;
      return;
    }
    failing_ = false;
    if (*header != credential_.authorization) {
      credential_ = {.authorization = std::move(*header), .generation = credential_.generation + 1};
    }
  }

  Result<std::string> ReadHeader() const {
    KEELSON_TRY(text, ReadSmallFile(path_));
    const std::string_view token = Trim(text);
    if (token.empty()) return Error::InvalidArgument("token file " + path_ + " is empty: expected a bearer token");
    return BearerHeader(token).transform_error(
        [&](Error error) { return std::move(error).WithContext("token file " + path_); });
  }

 private:
  const std::string path_;
  const Logger log_{"client"};

  Mutex mutex_{"token file"};
  // Guarded by mutex_.
  Credential credential_;
  TimePoint next_read_{};
  bool failing_ = false;
};

}  // namespace

std::optional<Credential> CredentialSource::Renew(const Credential&, const CallScope&) { return std::nullopt; }

Result<std::string> BearerHeader(std::string_view token) {
  for (const char c : token) {
    if (static_cast<unsigned char>(c) <= 0x20 || static_cast<unsigned char>(c) >= 0x7f) {
      return Error::InvalidArgument(
          "the bearer token has blanks, control characters or other bytes that no token has: look for a line break or "
          "a second line");
    }
  }
  return "Bearer " + std::string(token);
}

Result<std::shared_ptr<CredentialSource>> BearerToken(std::string_view token) {
  KEELSON_TRY(header, BearerHeader(token));
  return std::shared_ptr<CredentialSource>(std::make_shared<FixedCredential>(std::move(header)));
}

Result<std::shared_ptr<CredentialSource>> BasicAuth(std::string_view username, std::string_view password) {
  if (username.find(':') != std::string_view::npos) {
    return Error::InvalidArgument("the username has a colon, which basic authentication cannot express");
  }
  std::string both(username);
  both.append(":").append(password);
  std::string header = "Basic ";
  internal::AppendBase64(both, header);
  return std::shared_ptr<CredentialSource>(std::make_shared<FixedCredential>(std::move(header)));
}

Result<std::shared_ptr<CredentialSource>> TokenFile(std::string path, std::string_view first) {
  std::string header;
  if (!first.empty()) {
    KEELSON_TRY(checked, BearerHeader(Trim(first)));
    header = std::move(checked);
  } else {
    KEELSON_TRY(read, TokenFileSource(path, {}).ReadHeader());
    header = std::move(read);
  }
  return std::shared_ptr<CredentialSource>(std::make_shared<TokenFileSource>(std::move(path), std::move(header)));
}

Result<std::string> ReadSmallFile(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "rbe");
  if (file == nullptr) {
    const ErrorCode code = errno == ENOENT || errno == ENOTDIR ? ErrorCode::kNotFound : ErrorCode::kInvalidArgument;
    return Error(code, "cannot read " + path + ": " + std::strerror(errno));
  }
  std::string text(kMaxFileBytes + 1, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file));
  const int failed = std::ferror(file) != 0 ? errno : 0;
  std::fclose(file);
  if (failed != 0) return Error::InvalidArgument("cannot read " + path + ": " + std::strerror(failed));
  if (text.size() > kMaxFileBytes) {
    return Error::InvalidArgument("cannot use " + path + ": it is longer than 1 MiB");
  }
  text.shrink_to_fit();
  return text;
}

}  // namespace keelson
