#include "keelson/apiserver/request_info.h"

#include "keelson/apiserver/user.h"
#include "keelson/core/ascii.h"
#include "keelson/transport/form_query.h"

namespace keelson::apiserver {

namespace {

// The parts of a path between slashes, decoded one by one, so that an encoded slash does not make two of one.
std::optional<std::vector<std::string>> PathParts(std::string_view path) {
  std::vector<std::string> parts;
  size_t at = 0;
  while (at < path.size()) {
    // One slash before each part; one more at the end does no harm.
    if (path[at] == '/' && ++at == path.size()) break;
    const size_t end = std::min(path.find('/', at), path.size());
    std::optional<std::string> part = PercentDecode(path.substr(at, end - at), false);
    if (!part || part->empty() || part->find('/') != std::string::npos) return std::nullopt;
    parts.push_back(std::move(*part));
    at = end;
  }
  return parts;
}

std::string VerbOf(std::string_view method, bool named, const Query& query) {
  if (method == "GET" || method == "HEAD") {
    if (named) return "get";
    return query.IsTrue("watch") ? "watch" : "list";
  }
  if (method == "POST") return "create";
  if (method == "PUT") return "update";
  if (method == "PATCH") return "patch";
  if (method == "DELETE") return named ? "delete" : "deletecollection";
  return {};
}

}  // namespace

std::optional<std::string> PercentDecode(std::string_view text, bool plus_is_blank) {
  return keelson::PercentDecode(text, plus_is_blank);
}

Query Query::Parse(std::string_view text) {
  Query query;
  while (!text.empty()) {
    const size_t end = std::min(text.find('&'), text.size());
    const std::string_view pair = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (pair.empty()) continue;
    const size_t equals = std::min(pair.find('='), pair.size());
    std::optional<std::string> name = PercentDecode(pair.substr(0, equals), true);
    std::optional<std::string> value =
        PercentDecode(equals < pair.size() ? pair.substr(equals + 1) : std::string_view(), true);
    if (!name || !value) continue;
    query.parameters_.emplace_back(std::move(*name), std::move(*value));
  }
  return query;
}

std::optional<std::string_view> Query::Find(std::string_view name) const {
  for (const auto& [key, value] : parameters_) {
    if (key == name) return value;
  }
  return std::nullopt;
}

std::vector<std::string> Query::All(std::string_view name) const {
  std::vector<std::string> values;
  for (const auto& [key, value] : parameters_) {
    if (key == name) values.push_back(value);
  }
  return values;
}

bool Query::IsTrue(std::string_view name) const {
  const std::optional<std::string_view> value = Find(name);
  return value && *value != "0" && AsciiLower(*value) != "false";
}

RequestInfo ParseRequest(std::string_view method, std::string_view path, const Query& query) {
  RequestInfo info;
  info.path = PercentDecode(path, false).value_or(std::string(path));
  info.verb = AsciiLower(method);
  const std::optional<std::vector<std::string>> parts = PathParts(path);
  if (!parts || parts->empty()) return info;

  size_t at = 0;
  if (parts->front() == "api") {
    if (parts->size() < 3) return info;
    info.version = (*parts)[1];
    at = 2;
  } else if (parts->front() == "apis") {
    if (parts->size() < 4) return info;
    info.group = (*parts)[1];
    info.version = (*parts)[2];
    at = 3;
  } else {
    return info;
  }
  const auto part = [&](size_t i) { return i < parts->size() ? (*parts)[i] : std::string(); };

  // The old way to watch: /api/v1/watch/pods.
  bool watched = false;
  if (part(at) == "watch" && at + 1 < parts->size()) {
    watched = true;
    ++at;
  }
  if (part(at) == "namespaces" && at + 1 < parts->size()) {
    info.namespace_ = part(at + 1);
    // A third part that is no subresource of a Namespace is a resource inside it.
    if (at + 2 < parts->size() && part(at + 2) != "status" && part(at + 2) != "finalize") at += 2;
  }
  info.is_resource = true;
  info.resource = part(at);
  info.name = part(at + 1);
  info.subresource = part(at + 2);
  for (size_t i = at + 3; i < parts->size(); ++i) info.subpath += "/" + (*parts)[i];
  info.verb = VerbOf(method, !info.name.empty(), query);
  if (watched && method == "GET") info.verb = "watch";
  return info;
}

Decision MastersOnly::Authorize(const User& user, const RequestInfo& request) const {
  if (user.InGroup("system:masters")) return {.allowed = true};
  const bool known = user.InGroup("system:authenticated");
  if (!request.is_resource) {
    if (request.verb != "get") return {};
    for (const std::string_view open : {"/healthz", "/livez", "/readyz", "/version", "/version/"}) {
      if (request.path == open) return {.allowed = true};
    }
    for (const std::string_view discovery : {"/api", "/apis", "/openapi"}) {
      const bool below = request.path.starts_with(discovery) &&
                         (request.path.size() == discovery.size() || request.path[discovery.size()] == '/');
      if (known && below) return {.allowed = true};
    }
    return {};
  }
  if (known && request.verb == "create") {
    const bool about_rights =
        request.group == "authorization.k8s.io" &&
        (request.resource == "selfsubjectaccessreviews" || request.resource == "selfsubjectrulesreviews");
    const bool about_name = request.group == "authentication.k8s.io" && request.resource == "selfsubjectreviews";
    if (about_rights || about_name) return {.allowed = true};
  }
  return {};
}

}  // namespace keelson::apiserver
