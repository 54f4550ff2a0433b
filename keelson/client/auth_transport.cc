#include "keelson/client/auth_transport.h"

#include <utility>

namespace keelson {

namespace {

constexpr size_t kDrainBytes = size_t{64} << 10;

// The characters of a header's name (RFC 9110's token).
bool IsTokenCharacter(char c) {
  if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) return true;
  return std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool IsHeaderValue(std::string_view text) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\t') || byte == 0x7f) return false;
  }
  return true;
}

Headers ImpersonationHeaders(const Impersonation& impersonate) {
  Headers headers;
  if (impersonate.user.empty()) return headers;
  headers.Add("Impersonate-User", impersonate.user);
  if (!impersonate.uid.empty()) headers.Add("Impersonate-Uid", impersonate.uid);
  for (const std::string& group : impersonate.groups) headers.Add("Impersonate-Group", group);
  for (const auto& [key, values] : impersonate.extra) {
    for (const std::string& value : values) headers.Add("Impersonate-Extra-" + EscapeHeaderKey(key), value);
  }
  return headers;
}

}  // namespace

std::string EscapeHeaderKey(std::string_view key) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : key) {
    if (IsTokenCharacter(c) && c != '%') {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return out;
}

Result<void> CheckImpersonation(const Impersonation& impersonate) {
  if (impersonate.user.empty()) {
    if (impersonate.uid.empty() && impersonate.groups.empty() && impersonate.extra.empty()) return {};
    return Error::InvalidArgument("a uid, groups or extra to impersonate are given without a user to impersonate");
  }
  bool fits = IsHeaderValue(impersonate.user) && IsHeaderValue(impersonate.uid);
  for (const std::string& group : impersonate.groups) fits = fits && IsHeaderValue(group);
  for (const auto& [key, values] : impersonate.extra) {
    for (const std::string& value : values) fits = fits && IsHeaderValue(value);
  }
  if (fits) return {};
  return Error::InvalidArgument("the user, uid, group or extra to impersonate has control characters");
}

AuthTransport::AuthTransport(std::shared_ptr<Transport> inner, AuthOptions options)
    : inner_(std::move(inner)),
      credentials_(std::move(options.credentials)),
      impersonation_(ImpersonationHeaders(options.impersonate)),
      user_agent_(std::move(options.user_agent)) {}

Result<HttpResponse> AuthTransport::SendKept(HttpRequest& request, const CallScope& scope) {
  const bool names_program = !user_agent_.empty() && request.headers.Find("User-Agent") == nullptr;
  const bool impersonates = !impersonation_.empty() && request.headers.Find("Impersonate-User") == nullptr;
  Headers given;
  if (impersonates) {
    given = request.headers;
    for (const auto& [name, value] : impersonation_) request.headers.Add(name, value);
  }
  if (names_program) request.headers.Add("User-Agent", user_agent_);
  Result<HttpResponse> outcome = SendAuthorized(request, scope);
  if (names_program) request.headers.Remove("User-Agent");
  if (impersonates) request.headers = std::move(given);
  return outcome;
}

Result<HttpResponse> AuthTransport::SendAuthorized(HttpRequest& request, const CallScope& scope) {
  if (credentials_ == nullptr || request.headers.Find("Authorization") != nullptr) {
    return inner_->SendKept(request, scope);
  }

  Result<Credential> credential = credentials_->Get(scope);
  if (!credential) return std::move(credential).error().WithContext("no credentials for the request");
  Result<HttpResponse> outcome = SendWith(*credential, request, scope);
  if (!outcome || outcome->status != 401 || !credentials_->CanRenew()) return outcome;
  const std::optional<Credential> renewed = credentials_->Renew(*credential, scope);
  if (!renewed) return outcome;
  (void)ReadAll(*outcome->body, kDrainBytes);  // so that its connection can be used again
  return SendWith(*renewed, request, scope);
}

Result<HttpResponse> AuthTransport::SendWith(const Credential& credential, HttpRequest& request,
                                             const CallScope& scope) {
  if (credential.authorization.empty()) return inner_->SendKept(request, scope);
  request.headers.Add("Authorization", credential.authorization);
  Result<HttpResponse> outcome = inner_->SendKept(request, scope);
  request.headers.Remove("Authorization");
  return outcome;
}

}  // namespace keelson
