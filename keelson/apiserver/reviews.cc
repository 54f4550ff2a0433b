#include "keelson/apiserver/reviews.h"

#include "keelson/api/authentication/v1.h"
#include "keelson/api/authorization/v1.h"
#include "keelson/api/status_error.h"
#include "keelson/apiserver/kinds/field_errors.h"
#include "keelson/apiserver/options.h"
#include "keelson/apiserver/writes.h"
#include "keelson/core/clock.h"

namespace keelson::apiserver {

namespace {

template <class T>
T& As(AnyValue& value) {
  return *static_cast<T*>(value.data());
}

authenticationv1::UserInfo InfoOf(const User& user) {
  authenticationv1::UserInfo info;
  info.username = user.name;
  info.uid = user.uid;
  for (const std::string& group : user.groups) info.groups.push_back(String(group));
  for (const auto& [key, values] : user.extra) {
    List<String> texts;
    for (const std::string& value : values) texts.push_back(String(value));
    info.extra.Set(String(key), texts);
  }
  return info;
}

// The request that the attributes describe.
RequestInfo RequestOf(const authorizationv1::ResourceAttributes& attributes) {
  RequestInfo info;
  info.is_resource = true;
  info.verb = attributes.verb.str();
  info.group = attributes.group.str();
  info.version = attributes.version.str();
  info.namespace_ = attributes.namespace_.str();
  info.resource = attributes.resource.str();
  info.subresource = attributes.subresource.str();
  info.name = attributes.name.str();
  return info;
}
RequestInfo RequestOf(const authorizationv1::NonResourceAttributes& attributes) {
  RequestInfo info;
  info.verb = attributes.verb.str();
  info.path = attributes.path.str();
  return info;
}

template <class Spec>
void CheckAttributes(const Spec& spec, FieldErrors& errors) {
  const Path path("spec");
  const Path resource = path / "resourceAttributes";
  const Path other = path / "nonResourceAttributes";
  if (spec.resourceAttributes && spec.nonResourceAttributes) {
    errors.Invalid(other, Json(nullptr), "cannot be specified in combination with resourceAttributes");
  }
  if (!spec.resourceAttributes && !spec.nonResourceAttributes) {
    errors.Invalid(resource, Json(nullptr),
                   "exactly one of nonResourceAttributes or resourceAttributes must be specified");
  }
}

template <class Spec>
authorizationv1::SubjectAccessReviewStatus Decide(const Spec& spec, const User& user, const Authorizer& authorizer) {
  const RequestInfo info =
      spec.resourceAttributes ? RequestOf(*spec.resourceAttributes) : RequestOf(*spec.nonResourceAttributes);
  const Decision decision = authorizer.Authorize(user, info);
  authorizationv1::SubjectAccessReviewStatus status;
  status.allowed = decision.allowed;
  status.reason = decision.reason;
  return status;
}

User SubjectOf(const authorizationv1::SubjectAccessReviewSpec& spec) {
  User user{.name = spec.user.str(), .uid = spec.uid.str()};
  for (const String& group : spec.groups) user.groups.push_back(group.str());
  return user;
}

template <class Review>
Result<Reply> ReviewSubject(Exchange& exchange, AnyValue& body, const Authorizer& authorizer) {
  auto& review = As<Review>(body);
  FieldErrors errors;
  CheckAttributes(review.spec, errors);
  const Path spec("spec");
  const Path user = spec / "user";
  if (review.spec.user.empty() && review.spec.groups.empty()) {
    errors.Invalid(user, Json(""), "at least one of user or group must be specified");
  }
  if (!errors.empty()) return apierrors::Invalid(exchange.resource->group_kind(), "", errors.causes());
  review.status = Decide(review.spec, SubjectOf(review.spec), authorizer);
  return Reply::Of(std::move(body), 201);
}

// The rules of somebody who may do everything, or of everybody.
authorizationv1::SubjectRulesReviewStatus RulesOf(const User& user) {
  authorizationv1::SubjectRulesReviewStatus status;
  if (user.InGroup("system:masters")) {
    authorizationv1::ResourceRule all;
    all.verbs.push_back("*");
    all.apiGroups.push_back("*");
    all.resources.push_back("*");
    status.resourceRules.push_back(std::move(all));
    authorizationv1::NonResourceRule paths;
    paths.verbs.push_back("*");
    paths.nonResourceURLs.push_back("*");
    status.nonResourceRules.push_back(std::move(paths));
  }
  authorizationv1::NonResourceRule open;
  open.verbs.push_back("get");
  for (const char* path : {"/healthz", "/livez", "/readyz", "/version", "/version/"}) {
    open.nonResourceURLs.push_back(String(path));
  }
  status.nonResourceRules.push_back(std::move(open));
  return status;
}

}  // namespace

bool IsReview(const Resource& resource) {
  return resource.group == "authentication.k8s.io" || resource.group == "authorization.k8s.io";
}

Result<Reply> AnswerReview(Exchange& exchange, const Authenticator& authenticator, const Authorizer& authorizer) {
  KEELSON_TRY(options, ReadWriteOptions(exchange.query, WriteVerb::kCreate));
  KEELSON_TRY(body, ReadBody(exchange, *exchange.resource->type, options.field_validation));
  const std::string& plural = exchange.resource->plural;
  if (plural == "selfsubjectreviews") {
    auto& review = As<authenticationv1::SelfSubjectReview>(body);
    review.metadata.creationTimestamp = metav1::Time(Clock::WallNow());
    review.status.userInfo = InfoOf(exchange.user);
    return Reply::Of(std::move(body), 201);
  }
  if (plural == "tokenreviews") {
    auto& review = As<authenticationv1::TokenReview>(body);
    if (review.spec.token.empty()) return apierrors::BadRequest("token is required for TokenReview in authentication");
    std::vector<std::string> audiences;
    for (const String& one : review.spec.audiences) audiences.push_back(one.str());
    review.status = {};
    if (Result<TokenOwner> owner = authenticator.AuthenticateToken(review.spec.token, std::move(audiences))) {
      review.status.authenticated = true;
      review.status.user = InfoOf(owner->user);
      for (const std::string& one : owner->audiences) review.status.audiences.push_back(String(one));
    } else {
      review.status.error = owner.error().message();
    }
    return Reply::Of(std::move(body), 201);
  }
  if (plural == "selfsubjectaccessreviews") {
    auto& review = As<authorizationv1::SelfSubjectAccessReview>(body);
    FieldErrors errors;
    CheckAttributes(review.spec, errors);
    if (!errors.empty()) return apierrors::Invalid(exchange.resource->group_kind(), "", errors.causes());
    review.status = Decide(review.spec, exchange.user, authorizer);
    return Reply::Of(std::move(body), 201);
  }
  if (plural == "selfsubjectrulesreviews") {
    auto& review = As<authorizationv1::SelfSubjectRulesReview>(body);
    if (review.spec.namespace_.empty()) return apierrors::BadRequest("no namespace on request");
    review.spec = {};
    review.status = RulesOf(exchange.user);
    return Reply::Of(std::move(body), 201);
  }
  if (plural == "localsubjectaccessreviews") {
    return ReviewSubject<authorizationv1::LocalSubjectAccessReview>(exchange, body, authorizer);
  }
  return ReviewSubject<authorizationv1::SubjectAccessReview>(exchange, body, authorizer);
}

}  // namespace keelson::apiserver
