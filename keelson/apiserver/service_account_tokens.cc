#include "keelson/apiserver/service_account_tokens.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "keelson/api/authentication/v1.h"
#include "keelson/api/core/v1.h"
#include "keelson/api/status_error.h"
#include "keelson/apiserver/kinds/field_errors.h"
#include "keelson/apiserver/metadata_rules.h"
#include "keelson/apiserver/options.h"
#include "keelson/apiserver/writes.h"
#include "keelson/core/clock.h"

namespace keelson::apiserver {

namespace {

using authenticationv1::TokenRequest;

constexpr int64_t kDefaultSeconds = 3600;
constexpr int64_t kMinSeconds = 600;
constexpr int64_t kMaxSeconds = int64_t{1} << 32;
// Clocks of others may differ by so much.
constexpr int64_t kLeewaySeconds = 60;

const GroupKind kTokenRequest = {"authentication.k8s.io", "TokenRequest"};

int64_t SecondsOf(WallTime time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

Json ReferenceTo(const metav1::ObjectMeta& object) {
  return object.uid.empty() ? Json::Object({{"name", object.name}})
                            : Json::Object({{"name", object.name}, {"uid", object.uid}});
}

// ---- making ----

Error Mismatch(std::string_view field, const String& found, std::string_view account) {
  FieldErrors errors;
  const Path metadata("metadata");
  const Path path = metadata / field;
  errors.Invalid(path, Json(found), fmt::format("must match the service account {} if specified", field));
  return apierrors::Invalid(kTokenRequest, account, errors.causes());
}

Result<void> CheckExpiry(int64_t seconds) {
  FieldErrors errors;
  const Path spec("spec");
  const Path path = spec / "expirationSeconds";
  if (seconds < kMinSeconds) errors.Invalid(path, Json(seconds), "may not specify a duration less than 10 minutes");
  if (seconds > kMaxSeconds) {
    errors.Invalid(path, Json(seconds), "may not specify a duration larger than 2^32 seconds");
  }
  return errors.empty() ? Result<void>() : apierrors::Invalid(kTokenRequest, "", errors.causes());
}

template <ApiObject T>
Result<T> Bound(const Objects& objects, const std::string& namespace_, const std::string& name,
                std::string_view plural) {
  std::optional<T> found = objects.Find<T>({.namespace_ = namespace_, .name = name});
  if (!found) return apierrors::NotFound({"", std::string(plural)}, name);
  return *std::move(found);
}

// Adds the object that the token is bound to, and its uid for the comparison with what was asked.
Result<void> Bind(const Objects& objects, const corev1::ServiceAccount& account,
                  const authenticationv1::BoundObjectReference& reference, JsonObject& claims) {
  const std::string namespace_ = account.metadata.namespace_.str();
  const std::string name = reference.name.str();
  types::UID uid;
  const bool core = reference.apiVersion.view().find('/') == std::string_view::npos;
  if (core && reference.kind == "Pod") {
    KEELSON_TRY(pod, Bound<corev1::Pod>(objects, namespace_, name, "pods"));
    if (pod.spec.serviceAccountName != account.metadata.name) {
      return apierrors::BadRequest(
          fmt::format("cannot bind token for serviceaccount \"{}\" to pod running with different serviceaccount name.",
                      account.metadata.name.view()));
    }
    uid = pod.metadata.uid;
    claims.Set("pod", ReferenceTo(pod.metadata));
    if (!pod.spec.nodeName.empty()) {
      const auto node = objects.Find<corev1::Node>({.namespace_ = "", .name = pod.spec.nodeName.str()});
      claims.Set("node", ReferenceTo(node ? node->metadata : metav1::ObjectMeta{.name = pod.spec.nodeName}));
    }
  } else if (core && reference.kind == "Node") {
    KEELSON_TRY(node, Bound<corev1::Node>(objects, "", name, "nodes"));
    uid = node.metadata.uid;
    claims.Set("node", ReferenceTo(node.metadata));
  } else if (core && reference.kind == "Secret") {
    KEELSON_TRY(secret, Bound<corev1::Secret>(objects, namespace_, name, "secrets"));
    uid = secret.metadata.uid;
    claims.Set("secret", ReferenceTo(secret.metadata));
  } else {
    return apierrors::BadRequest(fmt::format("cannot bind token to object of type {}, Kind={}",
                                             reference.apiVersion.view(), reference.kind.view()));
  }
  if (!reference.uid.empty() && reference.uid != uid) {
    return apierrors::Conflict(
        {"", reference.kind.str()}, name,
        fmt::format("the UID in the bound object reference ({}) does not match the UID in record. "
                    "The object might have been deleted and then recreated",
                    reference.uid.view()));
  }
  return {};
}

// ---- taking ----

const Json* Member(const Json* object, std::string_view name) {
  return object == nullptr ? nullptr : object->find(name);
}
std::string TextAt(const Json* object, std::string_view name) {
  const Json* found = Member(object, name);
  return found != nullptr && found->is_string() ? found->string().str() : std::string();
}
int64_t NumberAt(const Json& object, std::string_view name) {
  const Json* found = object.find(name);
  return found != nullptr && found->is_int() ? found->integer() : 0;
}

Error Refused(std::string_view why) { return Error(ErrorCode::kUnauthorized, std::string(why)); }

// Whether an object that a token names is still that one, and stays.
template <ApiObject T>
bool IsStillThere(const Objects& objects, const std::string& namespace_, const Json* reference) {
  const auto found = objects.Find<T>({.namespace_ = namespace_, .name = TextAt(reference, "name")});
  if (!found || found->metadata.uid != TextAt(reference, "uid")) return false;
  const auto& deleted = found->metadata.deletionTimestamp;
  return !deleted || SecondsOf(deleted->ToTimePoint()) + kLeewaySeconds >= SecondsOf(Clock::WallNow());
}

Result<void> CheckTime(const Json& claims) {
  const int64_t now = SecondsOf(Clock::WallNow());
  if (NumberAt(claims, "exp") + kLeewaySeconds < now) return Refused("service account token has expired");
  if (NumberAt(claims, "nbf") - kLeewaySeconds > now) return Refused("service account token is not valid yet");
  return {};
}

}  // namespace

Result<Reply> ServiceAccountTokens::Create(Exchange& exchange) const {
  KEELSON_TRY(options, ReadWriteOptions(exchange.query, WriteVerb::kCreate));
  KEELSON_TRY(body, ReadBody(exchange, TypeOf<TokenRequest>(), options.field_validation));
  auto& request = *static_cast<TokenRequest*>(body.data());
  const std::string& name = exchange.info.name;
  const std::string& namespace_ = exchange.info.namespace_;
  metav1::ObjectMeta& meta = request.metadata;
  if (!meta.name.empty() && meta.name != name) return Mismatch("name", meta.name, name);
  if (!meta.namespace_.empty() && meta.namespace_ != namespace_) return Mismatch("namespace", meta.namespace_, name);
  const auto account = objects_.Find<corev1::ServiceAccount>({.namespace_ = namespace_, .name = name});
  if (!account) return apierrors::NotFound(exchange.resource->group_resource(), name);
  if (!meta.uid.empty() && meta.uid != account->metadata.uid) {
    return apierrors::Conflict(
        {kTokenRequest.group, kTokenRequest.kind}, name,
        fmt::format("the UID in the token request ({}) does not match the UID of the service account ({})",
                    meta.uid.view(), account->metadata.uid.view()));
  }
  const WallTime now = Clock::WallNow();
  if (request.spec.audiences.empty()) request.spec.audiences = {kApiAudience};
  if (!request.spec.expirationSeconds) request.spec.expirationSeconds = kDefaultSeconds;
  meta.name = name;
  meta.namespace_ = namespace_;
  meta.uid = account->metadata.uid;
  meta.creationTimestamp = metav1::Time(now);
  request.status = {};
  const int64_t lifetime = *request.spec.expirationSeconds;
  KEELSON_RETURN_IF_ERROR(CheckExpiry(lifetime));

  JsonObject about;
  about.Set("namespace", namespace_);
  about.Set("serviceaccount", ReferenceTo(account->metadata));
  if (request.spec.boundObjectRef) {
    KEELSON_RETURN_IF_ERROR(Bind(objects_, *account, *request.spec.boundObjectRef, about));
  }
  JsonList audiences;
  for (const String& one : request.spec.audiences) audiences.push_back(one);
  KEELSON_TRY(token,
              signer_.Sign(Json::Object({{"aud", Json(std::move(audiences))},
                                         {"exp", SecondsOf(now) + lifetime},
                                         {"iat", SecondsOf(now)},
                                         {"iss", std::string(kApiAudience)},
                                         {"jti", NewUid()},
                                         {"kubernetes.io", Json(std::move(about))},
                                         {"nbf", SecondsOf(now)},
                                         {"sub", fmt::format("system:serviceaccount:{}:{}", namespace_, name)}})));
  request.status.token = token;
  request.status.expirationTimestamp = metav1::Time(now + std::chrono::seconds(lifetime));
  return Reply::Of(std::move(body), 201);
}

Result<TokenOwner> ServiceAccountTokens::Authenticate(std::string_view token,
                                                      const std::vector<std::string>& audiences) const {
  Result<Json> claims = signer_.Verify(token);
  if (!claims) return Refused("invalid bearer token");
  std::vector<std::string> named, common;
  if (const Json* list = claims->find("aud"); list != nullptr && list->is_list()) {
    for (const Json& one : list->list()) named.push_back(one.string().str());
  }
  std::copy_if(audiences.begin(), audiences.end(), std::back_inserter(common),
               [&](const std::string& one) { return std::find(named.begin(), named.end(), one) != named.end(); });
  if (common.empty()) {
    return Refused(
        fmt::format("[invalid bearer token, token audiences [\"{}\"] is invalid for the target audiences "
                    "[\"{}\"]]",
                    fmt::join(named, "\" \""), fmt::join(audiences, "\" \"")));
  }
  if (const Result<void> now = CheckTime(*claims); !now) {
    return Refused(fmt::format("[invalid bearer token, {}]", now.error().message()));
  }

  const Json* about = claims->find("kubernetes.io");
  const std::string namespace_ = TextAt(about, "namespace");
  const Json* account = Member(about, "serviceaccount");
  const Json* pod = Member(about, "pod");
  const Json* secret = Member(about, "secret");
  const Json* node = Member(about, "node");
  const bool good = IsStillThere<corev1::ServiceAccount>(objects_, namespace_, account) &&
                    (pod == nullptr || IsStillThere<corev1::Pod>(objects_, namespace_, pod)) &&
                    (secret == nullptr || IsStillThere<corev1::Secret>(objects_, namespace_, secret)) &&
                    (node == nullptr || pod != nullptr || IsStillThere<corev1::Node>(objects_, "", node));
  if (!good) return Refused("[invalid bearer token, service account token has been invalidated]");

  User user{
      .name = TextAt(&*claims, "sub"),
      .uid = TextAt(account, "uid"),
      .groups = {"system:serviceaccounts", "system:serviceaccounts:" + namespace_, std::string(kAuthenticatedGroup)}};
  const auto note = [&user](std::string_view key, std::string value) {
    if (!value.empty()) user.extra[fmt::format("authentication.kubernetes.io/{}", key)] = {std::move(value)};
  };
  note("credential-id", "JTI=" + TextAt(&*claims, "jti"));
  note("pod-name", TextAt(pod, "name"));
  note("pod-uid", TextAt(pod, "uid"));
  note("node-name", TextAt(node, "name"));
  note("node-uid", TextAt(node, "uid"));
  return TokenOwner{.user = std::move(user), .audiences = std::move(common)};
}

}  // namespace keelson::apiserver
