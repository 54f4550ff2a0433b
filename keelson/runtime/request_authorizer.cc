#include "keelson/runtime/request_authorizer.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>

#include "keelson/api/authentication/v1.h"
#include "keelson/api/authorization/v1.h"
#include "keelson/core/ascii.h"
#include "keelson/core/clock.h"
#include "keelson/core/log.h"
#include "keelson/core/random.h"

namespace keelson {

namespace {

constexpr std::string_view kAuthenticated = "system:authenticated";
// Longer ones are not worth a request to the API server, and none is issued.
constexpr size_t kMaxTokenBytes = 16 << 10;
// A user or path of more than this is asked for each time.
constexpr size_t kMaxKeyBytes = 10000;

// Empty when there is none: "Authorization: Bearer <token>".
std::string_view TokenOf(const ServerRequest& request) {
  const std::string_view* header = request.headers.Find("Authorization");
  if (header == nullptr) return {};
  const std::string_view text = Trim(*header);
  const size_t blank = text.find(' ');
  if (blank == std::string_view::npos || !EqualsIgnoringCase(text.substr(0, blank), "Bearer")) return {};
  const std::string_view rest = text.substr(blank + 1);
  return rest.substr(0, std::min(rest.find(' '), rest.size()));
}

// Two lists of parts never give the same text.
void AppendPart(std::string& key, std::string_view part) { key += fmt::format("{}:{};", part.size(), part); }

template <class Map, class Value>
void Remember(Map& map, const std::string& key, Value value) {
  if (auto* known = map.Find(key)) {
    *known = std::move(value);
  } else {
    map.Add(key, std::move(value));
  }
}

void LogFailure(const Error& error, std::string_view review) {
  const Logger log("authorization");
  if (error.code() == ErrorCode::kForbidden) {
    log.Error(error,
              "The API server does not let this program ask who may see its pages; bind the ClusterRole "
              "system:auth-delegator to its service account",
              "review", review);
  } else {
    log.Error(error, "Cannot find out who may see a page", "review", review);
  }
}

}  // namespace

RequestAuthorizer::RequestAuthorizer(Client reviewer, RequestAuthorizerOptions options)
    : reviewer_(std::move(reviewer)),
      options_(options),
      secret_{SecureRandom::Next(), SecureRandom::Next(), SecureRandom::Next(), SecureRandom::Next()},
      users_(options.max_answers),
      access_(options.max_answers) {}

std::string RequestAuthorizer::DigestOf(std::string_view token) const {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  HMAC(EVP_sha256(), secret_.data(), sizeof secret_, reinterpret_cast<const unsigned char*>(token.data()), token.size(),
       digest, &size);
  return std::string(reinterpret_cast<const char*>(digest), size);
}

Result<std::optional<RequestAuthorizer::User>> RequestAuthorizer::Authenticate(std::string_view token,
                                                                               const StopToken& stop) {
  const std::string digest = DigestOf(token);
  if (digest.empty()) return Error::Internal("OpenSSL cannot hash a token");
  {
    const TimePoint now = Clock::Now();
    MutexLock lock(mutex_);
    if (const auto* known = users_.Find(digest); known != nullptr && now < known->until) return known->value;
  }
  authenticationv1::TokenReview review;
  review.spec.token = String(token);
  KEELSON_TRY(reviewed,
              reviewer_.Create(
                  review, {.scope = {.stop = stop, .deadline = SaturatingAdd(Clock::Now(), options_.review_timeout)}}));
  std::optional<User> user;
  if (reviewed.status.authenticated) {
    const authenticationv1::UserInfo& info = reviewed.status.user;
    user.emplace(User{.name = info.username.str(), .uid = info.uid.str(), .groups = {}, .extra = {}});
    for (const String& group : info.groups) user->groups.push_back(group.str());
    if (std::find(user->groups.begin(), user->groups.end(), kAuthenticated) == user->groups.end()) {
      user->groups.emplace_back(kAuthenticated);
    }
    for (const auto& [key, values] : info.extra) {
      for (const String& value : values) user->extra[key.str()].push_back(value.str());
    }
  } else {
    Logger("authorization").V(4).Info("A token is not known", "reason", reviewed.status.error.str());
  }
  const TimePoint until = SaturatingAdd(Clock::Now(), options_.token_ttl);
  MutexLock lock(mutex_);
  Remember(users_, digest, Remembered<std::optional<User>>{user, until});
  return user;
}

Result<bool> RequestAuthorizer::Authorize(const User& user, const std::string& verb, const std::string& path,
                                          const StopToken& stop) {
  std::string key;
  for (const std::string_view part :
       {std::string_view(user.name), std::string_view(user.uid), std::string_view(verb), std::string_view(path)}) {
    AppendPart(key, part);
  }
  for (const std::string& group : user.groups) AppendPart(key, group);
  for (const auto& [name, values] : user.extra) {
    key += '=';
    AppendPart(key, name);
    for (const std::string& value : values) AppendPart(key, value);
  }
  {
    const TimePoint now = Clock::Now();
    MutexLock lock(mutex_);
    if (const auto* known = access_.Find(key); known != nullptr && now < known->until) return known->value;
  }
  authorizationv1::SubjectAccessReview review;
  review.spec.user = String(user.name);
  review.spec.uid = String(user.uid);
  for (const std::string& group : user.groups) review.spec.groups.push_back(String(group));
  for (const auto& [name, values] : user.extra) {
    List<String> texts;
    for (const std::string& value : values) texts.push_back(String(value));
    review.spec.extra.Set(String(name), texts);
  }
  authorizationv1::NonResourceAttributes attributes;
  attributes.path = String(path);
  attributes.verb = String(verb);
  review.spec.nonResourceAttributes = attributes;
  KEELSON_TRY(reviewed,
              reviewer_.Create(
                  review, {.scope = {.stop = stop, .deadline = SaturatingAdd(Clock::Now(), options_.review_timeout)}}));
  const bool allowed = reviewed.status.allowed && !reviewed.status.denied;
  if (key.size() > kMaxKeyBytes) return allowed;
  const TimePoint until = SaturatingAdd(Clock::Now(), allowed ? options_.allowed_ttl : options_.denied_ttl);
  MutexLock lock(mutex_);
  Remember(access_, key, Remembered<bool>{allowed, until});
  return allowed;
}

Verdict RequestAuthorizer::Judge(const ServerRequest& request, const std::string& path, const StopToken& stop) {
  const std::string_view token = TokenOf(request);
  if (token.empty() || token.size() > kMaxTokenBytes) return {.status = 401, .text = "Unauthorized\n"};
  const Result<std::optional<User>> user = Authenticate(token, stop);
  if (!user) {
    LogFailure(user.error(), "TokenReview");
    return {.status = 500, .text = "Authentication failed\n"};
  }
  if (!*user) return {.status = 401, .text = "Unauthorized\n"};
  const std::string& name = (*user)->name;
  const Result<bool> allowed = Authorize(**user, AsciiLower(request.method), path, stop);
  if (!allowed) {
    LogFailure(allowed.error(), "SubjectAccessReview");
    return {.status = 500, .text = fmt::format("Authorization for user {} failed\n", name), .user = name};
  }
  if (!*allowed) {
    return {.status = 403, .text = fmt::format("Authorization denied for user {}\n", name), .user = name};
  }
  return {.status = 200, .text = {}, .user = name};
}

}  // namespace keelson
