#include "keelson/apiserver/kinds/checks_webhook.h"

#include <fmt/format.h>

#include "keelson/api/names.h"

namespace keelson::apiserver {

namespace {

void CheckServicePath(std::string_view text, const Path& path, FieldErrors& errors) {
  if (text.empty() || text == "/") return;
  if (text == "//") return errors.Invalid(path, Json(text), "segment[0] may not be empty");
  if (text.front() != '/') errors.Invalid(path, Json(text), "must start with a '/'");
  std::string_view rest = text.substr(1);
  if (rest.ends_with('/')) rest.remove_suffix(1);
  for (size_t i = 0;; ++i) {
    const size_t slash = rest.find('/');
    const std::string_view step = rest.substr(0, slash);
    if (step.empty()) {
      errors.Invalid(path, Json(text), fmt::format("segment[{}] may not be empty", i));
    } else if (!names::IsDns1123Subdomain(step)) {
      for (const std::string& reason : names::CheckDns1123Subdomain(step)) {
        errors.Invalid(path, Json(text), fmt::format("segment[{}]: {}", i, reason));
      }
    }
    if (slash == std::string_view::npos) return;
    rest.remove_prefix(slash + 1);
  }
}

}  // namespace

void CheckWebhookUrl(std::string_view url, const Path& path, FieldErrors& errors) {
  constexpr std::string_view kForm = "; desired format: https://host[/path]";
  const size_t colon = url.find(':');
  const size_t slash = url.find('/');
  const std::string_view scheme =
      colon == std::string_view::npos || colon > slash ? std::string_view() : url.substr(0, colon);
  std::string_view rest = scheme.empty() ? url : url.substr(colon + 1);
  std::string_view fragment;
  if (const size_t at = rest.find('#'); at != std::string_view::npos) {
    fragment = rest.substr(at + 1);
    rest = rest.substr(0, at);
  }
  std::string_view query;
  if (const size_t at = rest.find('?'); at != std::string_view::npos) {
    query = rest.substr(at + 1);
    rest = rest.substr(0, at);
  }
  std::string_view host;
  if (rest.starts_with("//")) host = rest.substr(2, rest.find('/', 2) - 2);
  std::string_view user;
  bool has_user = false;
  if (const size_t at = host.rfind('@'); at != std::string_view::npos) {
    user = host.substr(0, at);
    host = host.substr(at + 1);
    has_user = true;
  }
  if (scheme != "https") {
    errors.Invalid(path, Json(scheme), fmt::format("'https' is the only allowed URL scheme{}", kForm));
  }
  if (host.empty()) errors.Invalid(path, Json(host), fmt::format("host must be specified{}", kForm));
  if (has_user) errors.Invalid(path, Json(user), "user information is not permitted in the URL");
  if (!fragment.empty()) errors.Invalid(path, Json(fragment), "fragments are not permitted in the URL");
  if (!query.empty()) errors.Invalid(path, Json(query), "query parameters are not permitted in the URL");
}

void CheckWebhookService(std::string_view namespace_, std::string_view name, int32_t port,
                         const Optional<String>& service_path, const Path& path, FieldErrors& errors) {
  // Upstream takes one for the other.
  if (namespace_.empty()) errors.Required(path / "name", "");
  if (name.empty()) errors.Required(path / "namespace", "");
  if (port < 1 || port > 65535) {
    errors.Invalid(path / "port", Json(port), "port is not valid: must be between 1 and 65535, inclusive");
  }
  if (service_path) CheckServicePath(*service_path, path / "path", errors);
}

}  // namespace keelson::apiserver
