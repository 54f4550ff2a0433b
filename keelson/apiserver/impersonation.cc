#include "keelson/apiserver/impersonation.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "keelson/api/names.h"
#include "keelson/api/status_error.h"
#include "keelson/apiserver/authentication.h"
#include "keelson/apiserver/go_text.h"
#include "keelson/core/ascii.h"

namespace keelson::apiserver {
namespace {

constexpr std::string_view kAuthenticationGroup = "authentication.k8s.io";

// As Go's %#v prints the struct that holds it there.
std::string GoText(const User& user) {
  const auto list = [](const std::vector<std::string>& values) {
    std::string out = "[]string{";
    for (size_t i = 0; i < values.size(); ++i) out += (i > 0 ? ", " : "") + Quoted(values[i]);
    return out + "}";
  };
  std::string extra = "map[string][]string{";
  for (const auto& [key, values] : user.extra) {
    if (extra.back() != '{') extra += ", ";
    extra += Quoted(key) + ":" + list(values);
  }
  extra += "}";
  return fmt::format("&user.DefaultInfo{{Name:{}, UID:{}, Groups:{}, Extra:{}}}", Quoted(user.name), Quoted(user.uid),
                     user.groups.empty() ? "[]string(nil)" : list(user.groups),
                     user.extra.empty() ? "map[string][]string(nil)" : extra);
}

// Whom the headers ask for, as they say it; nullopt when they do not.
Result<std::optional<User>> WantedUser(const Headers& headers) {
  constexpr std::string_view kExtra = "Impersonate-Extra-";
  User wanted;
  bool more = false;
  for (const auto& [name, value] : headers) {
    if (name.size() < 12 || !EqualsIgnoringCase(name.substr(0, 12), "Impersonate-")) continue;
    if (EqualsIgnoringCase(name, "Impersonate-User")) {
      if (wanted.name.empty()) wanted.name = value;
    } else if (EqualsIgnoringCase(name, "Impersonate-Uid")) {
      if (wanted.uid.empty()) wanted.uid = value;
      more = more || !value.empty();
    } else if (EqualsIgnoringCase(name, "Impersonate-Group")) {
      wanted.groups.emplace_back(value);
      more = true;
    } else if (EqualsIgnoringCase(name.substr(0, kExtra.size()), kExtra)) {
      const std::string key = AsciiLower(name.substr(kExtra.size()));
      wanted.extra[PercentDecode(key, false).value_or(key)].emplace_back(value);
      more = true;
    }
  }
  if (!wanted.name.empty()) return std::optional(std::move(wanted));
  if (more) {
    return apierrors::BadRequest(fmt::format("requested {} without impersonating a user name", GoText(wanted)));
  }
  return std::optional<User>();
}

struct ServiceAccountName {
  std::string namespace_;
  std::string name;
};

std::optional<ServiceAccountName> AsServiceAccount(std::string_view user) {
  constexpr std::string_view kPrefix = "system:serviceaccount:";
  if (!user.starts_with(kPrefix)) return std::nullopt;
  user.remove_prefix(kPrefix.size());
  const size_t colon = user.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  ServiceAccountName account = {std::string(user.substr(0, colon)), std::string(user.substr(colon + 1))};
  if (!names::IsDns1123Label(account.namespace_) || !names::IsDns1123Subdomain(account.name)) return std::nullopt;
  return account;
}

std::optional<std::string_view> AsNode(std::string_view user) {
  constexpr std::string_view kPrefix = "system:node:";
  if (!user.starts_with(kPrefix) || !names::IsDns1123Subdomain(user.substr(kPrefix.size()))) return std::nullopt;
  return user.substr(kPrefix.size());
}

class Asking {
 public:
  Asking(const User& user, const Authorizer& authorizer) : user_(user), authorizer_(authorizer) {}

  Result<void> May(const RequestInfo& info) const {
    const Decision decision = authorizer_.Authorize(user_, info);
    if (decision.allowed) return {};
    return RefusedRequest(user_, info, decision.reason);
  }

  // Whether every part of `wanted` may be taken; the whole user then.
  Result<User> MayBecome(const User& wanted, std::string_view verb, bool constrained) const {
    const std::string_view group = constrained ? kAuthenticationGroup : std::string_view();
    User actual = wanted;
    const auto part = [&](std::string_view api_group, std::string_view resource, std::string_view name) {
      return RequestInfo{.is_resource = true,
                         .verb = std::string(verb),
                         .group = std::string(api_group),
                         .version = "v1",
                         .resource = std::string(resource),
                         .name = std::string(name)};
    };

    RequestInfo name = part(group, "users", wanted.name);
    if (const std::optional<std::string_view> node = AsNode(wanted.name); constrained && node) {
      name.resource = "nodes";
      name.name = *node;
      actual.groups = {"system:nodes"};
    }
    if (const std::optional<ServiceAccountName> account = AsServiceAccount(wanted.name)) {
      name.resource = "serviceaccounts";
      name.namespace_ = account->namespace_;
      name.name = account->name;
      if (wanted.groups.empty()) {
        actual.groups = {"system:serviceaccounts", "system:serviceaccounts:" + account->namespace_};
      }
    }
    KEELSON_RETURN_IF_ERROR(May(name));
    if (!wanted.uid.empty()) KEELSON_RETURN_IF_ERROR(May(part(kAuthenticationGroup, "uids", wanted.uid)));
    for (const std::string& one : wanted.groups) KEELSON_RETURN_IF_ERROR(May(part(group, "groups", one)));
    for (const auto& [key, values] : wanted.extra) {
      for (const std::string& value : values) {
        RequestInfo extra = part(kAuthenticationGroup, "userextras", value);
        extra.subresource = key;
        KEELSON_RETURN_IF_ERROR(May(extra));
      }
    }

    const bool nobody = actual.name == kAnonymousUser;
    if (!nobody && actual.InGroup(kUnauthenticatedGroup)) return actual;
    const std::string_view all = nobody ? kUnauthenticatedGroup : kAuthenticatedGroup;
    if (!actual.InGroup(all)) actual.groups.emplace_back(all);
    return actual;
  }

 private:
  const User& user_;
  const Authorizer& authorizer_;
};

}  // namespace

Result<User> ActingUser(const User& user, const Headers& headers, const RequestInfo& info,
                        const Authorizer& authorizer) {
  KEELSON_TRY(wanted, WantedUser(headers));
  if (!wanted) return user;

  const Asking asking(user, authorizer);
  const bool only_name = wanted->uid.empty() && wanted->groups.empty() && wanted->extra.empty();
  // Nodes and service accounts with more than a name can be acted for in the older way only.
  std::string_view mode = "user-info";
  if (AsNode(wanted->name)) mode = only_name ? "arbitrary-node" : "";
  if (AsServiceAccount(wanted->name)) mode = only_name ? "serviceaccount" : "";

  std::optional<Error> refusal;
  if (!mode.empty()) {
    RequestInfo on = info;
    on.verb = fmt::format("impersonate-on:{}:{}", mode, info.verb);
    if (Result<void> may = asking.May(on); !may) {
      refusal = may.error();
    } else if (Result<User> acting = asking.MayBecome(*wanted, fmt::format("impersonate:{}", mode), true)) {
      return acting;
    } else {
      refusal = acting.error();
    }
  }
  Result<User> acting = asking.MayBecome(*wanted, "impersonate", false);
  if (!acting && refusal) return *refusal;
  return acting;
}

Error RefusedRequest(const User& user, const RequestInfo& info, std::string_view reason) {
  std::string text;
  if (info.is_resource) {
    const std::string resource = info.subresource.empty() ? info.resource : info.resource + "/" + info.subresource;
    text = fmt::format(
        "User {} cannot {} resource {} in API group {} {}", Quoted(user.name), info.verb, Quoted(resource),
        Quoted(info.group),
        info.namespace_.empty() ? std::string("at the cluster scope") : "in the namespace " + Quoted(info.namespace_));
  } else {
    text = fmt::format("User {} cannot {} path {}", Quoted(user.name), info.verb, Quoted(info.path));
  }
  if (!reason.empty()) text.append(": ").append(reason);
  return apierrors::Forbidden({info.group, info.resource}, info.name, text);
}

}  // namespace keelson::apiserver
