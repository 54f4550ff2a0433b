#include "keelson/api/status_error.h"

#include <gtest/gtest.h>

namespace keelson {
namespace {

const GroupResource kDeployments = {"apps", "deployments"};
const GroupResource kPods = {"", "pods"};

struct Expected {
  Error error;
  ErrorCode code;
  int32_t http;
  const char* reason;
  const char* message;
};

TEST(StatusError, BuildersSpeakKubernetesWords) {
  const List<metav1::StatusCause> one = {
      {.reason = "FieldValueRequired", .message = "Required value", .field = "spec.a"}};
  const List<metav1::StatusCause> three = {
      {.reason = "FieldValueRequired", .message = "Required value", .field = "spec.a"},
      {.reason = "FieldValueInvalid", .message = "Invalid value: 1: must be 2", .field = "spec.b"},
      {.reason = "FieldValueRequired", .message = "Required value", .field = "spec.a"}};
  const Expected cases[] = {
      {apierrors::NotFound(kDeployments, "web"), ErrorCode::kNotFound, 404, "NotFound",
       "deployments.apps \"web\" not found"},
      {apierrors::NotFound(kPods, "web"), ErrorCode::kNotFound, 404, "NotFound", "pods \"web\" not found"},
      {apierrors::AlreadyExists(kPods, "web"), ErrorCode::kAlreadyExists, 409, "AlreadyExists",
       "pods \"web\" already exists"},
      {apierrors::GenerateNameConflict(kPods, "web-", 1), ErrorCode::kAlreadyExists, 409, "AlreadyExists",
       "pods \"web-\" already exists, the server was not able to generate a unique name for the object"},
      {apierrors::Conflict(kPods, "web"), ErrorCode::kConflict, 409, "Conflict",
       "Operation cannot be fulfilled on pods \"web\": the object has been modified; please apply your changes to the "
       "latest version and try again"},
      {apierrors::ApplyConflict("Apply failed with 1 conflict", one), ErrorCode::kConflict, 409, "Conflict",
       "Apply failed with 1 conflict"},
      {apierrors::Invalid({"apps", "Deployment"}, "web", one), ErrorCode::kInvalid, 422, "Invalid",
       "Deployment.apps \"web\" is invalid: spec.a: Required value"},
      {apierrors::Invalid({"", "Pod"}, "web", three), ErrorCode::kInvalid, 422, "Invalid",
       "Pod \"web\" is invalid: [spec.a: Required value, spec.b: Invalid value: 1: must be 2]"},
      {apierrors::Invalid({"", "Pod"}, "web", {}), ErrorCode::kInvalid, 422, "Invalid", "Pod \"web\" is invalid"},
      {apierrors::Forbidden(kPods, "web", "no"), ErrorCode::kForbidden, 403, "Forbidden",
       "pods \"web\" is forbidden: no"},
      {apierrors::Forbidden(kPods, "", "no"), ErrorCode::kForbidden, 403, "Forbidden", "pods is forbidden: no"},
      {apierrors::Forbidden({}, "", "no"), ErrorCode::kForbidden, 403, "Forbidden", "forbidden: no"},
      {apierrors::Unauthorized(), ErrorCode::kUnauthorized, 401, "Unauthorized", "not authorized"},
      {apierrors::BadRequest("bad"), ErrorCode::kInvalidArgument, 400, "BadRequest", "bad"},
      {apierrors::MethodNotAllowed(kDeployments, "connect"), ErrorCode::kUnsupported, 405, "MethodNotAllowed",
       "connect is not supported on resources of kind \"deployments.apps\""},
      {apierrors::NotAcceptable("m"), ErrorCode::kUnsupported, 406, "NotAcceptable", "m"},
      {apierrors::UnsupportedMediaType("m"), ErrorCode::kUnsupported, 415, "UnsupportedMediaType", "m"},
      {apierrors::RequestEntityTooLarge("limit is 3145728"), ErrorCode::kInvalidArgument, 413, "RequestEntityTooLarge",
       "Request entity too large: limit is 3145728"},
      {apierrors::Expired("too old resource version: 1 (9)"), ErrorCode::kExpired, 410, "Expired",
       "too old resource version: 1 (9)"},
      {apierrors::Gone("gone"), ErrorCode::kExpired, 410, "Gone", "gone"},
      {apierrors::TooManyRequests("slow down", 3), ErrorCode::kTooManyRequests, 429, "TooManyRequests", "slow down"},
      {apierrors::Timeout("t", 2), ErrorCode::kTimeout, 504, "Timeout", "Timeout: t"},
      {apierrors::ServerTimeout(kPods, "list", 4), ErrorCode::kTimeout, 500, "ServerTimeout",
       "The list operation against pods could not be completed at this time, please try again."},
      {apierrors::ServiceUnavailable("off"), ErrorCode::kUnavailable, 503, "ServiceUnavailable", "off"},
      {apierrors::Internal("boom"), ErrorCode::kInternal, 500, "InternalError", "Internal error occurred: boom"},
  };
  for (const Expected& expected : cases) {
    EXPECT_EQ(expected.error.code(), expected.code) << expected.message;
    EXPECT_EQ(expected.error.message(), expected.message);
    const metav1::Status* status = StatusOf(expected.error);
    ASSERT_NE(status, nullptr);
    EXPECT_EQ(status->status, "Failure");
    EXPECT_EQ(status->code, expected.http) << expected.message;
    EXPECT_EQ(status->reason, expected.reason);
    EXPECT_EQ(status->message, expected.message);
  }
}

TEST(StatusError, DetailsNameTheObject) {
  const Error error = apierrors::NotFound(kDeployments, "web");
  const metav1::StatusDetails& details = *StatusOf(error)->details;
  EXPECT_EQ(details.group, "apps");
  EXPECT_EQ(details.kind, "deployments");
  EXPECT_EQ(details.name, "web");
}

TEST(StatusError, ContextLeavesTheStatusAlone) {
  const Error error = apierrors::NotFound(kPods, "web").WithContext("reading");
  EXPECT_EQ(error.message(), "reading: pods \"web\" not found");
  EXPECT_EQ(ToStatus(error).message, "pods \"web\" not found");
  EXPECT_TRUE(IsNotFound(error));
}

TEST(StatusError, UnknownReasonFallsBackToTheHttpCode) {
  const std::pair<int32_t, ErrorCode> cases[] = {
      {400, ErrorCode::kInvalidArgument}, {401, ErrorCode::kUnauthorized}, {403, ErrorCode::kForbidden},
      {404, ErrorCode::kNotFound},        {405, ErrorCode::kUnsupported},  {408, ErrorCode::kTimeout},
      {409, ErrorCode::kConflict},        {410, ErrorCode::kExpired},      {413, ErrorCode::kInvalidArgument},
      {418, ErrorCode::kInvalidArgument}, {422, ErrorCode::kInvalid},      {429, ErrorCode::kTooManyRequests},
      {500, ErrorCode::kInternal},        {502, ErrorCode::kUnavailable},  {503, ErrorCode::kUnavailable},
      {504, ErrorCode::kTimeout},         {599, ErrorCode::kInternal},     {0, ErrorCode::kInternal}};
  for (const auto& [http, code] : cases) {
    EXPECT_EQ(ErrorFromStatus({.reason = "SomethingNew", .code = http}).code(), code) << http;
  }
  // A known reason is stronger than the code.
  EXPECT_EQ(ErrorFromStatus({.reason = "AlreadyExists", .code = 500}).code(), ErrorCode::kAlreadyExists);
}

TEST(StatusError, StatusWithoutMessageStillSaysSomething) {
  const Error error = ErrorFromStatus({.reason = "Odd", .code = 500});
  EXPECT_EQ(error.message(), "the server gave no message, but reason \"Odd\" and code 500");
}

TEST(StatusError, PlainErrorsBecomeAStatus) {
  EXPECT_EQ(StatusOf(static_cast<const Error&>(Error::NotFound("x"))), nullptr);
  metav1::Status status = ToStatus(Error::NotFound("no such thing"));
  EXPECT_EQ(status.code, 404);
  EXPECT_EQ(status.reason, "NotFound");
  EXPECT_EQ(status.message, "no such thing");
  EXPECT_EQ(ToStatus(Error::Internal("x")).code, 500);
  EXPECT_EQ(ToStatus(Error(ErrorCode::kTimeout, "x")).code, 504);
  EXPECT_EQ(ToStatus(Error(ErrorCode::kExpired, "x")).reason, "Expired");
  EXPECT_EQ(ToStatus(Error::Unsupported("x")).code, 405);
  // Whatever the code, the way there and back keeps it.
  for (int i = 0; i <= static_cast<int>(ErrorCode::kInternal); ++i) {
    const auto code = static_cast<ErrorCode>(i);
    if (code == ErrorCode::kCancelled) continue;
    EXPECT_EQ(ErrorFromStatus(ToStatus(Error(code, "x"))).code(), code) << ToString(code);
  }
}

TEST(StatusError, RetryAfterAndCausesAreFound) {
  EXPECT_EQ(RetryAfter(apierrors::TooManyRequests("slow down", 3)), std::chrono::seconds(3));
  EXPECT_EQ(RetryAfter(apierrors::TooManyRequests("slow down", 0)), std::nullopt);
  EXPECT_EQ(RetryAfter(Error::Internal("x")), std::nullopt);
  const Error conflict = apierrors::ApplyConflict("m", {{.reason = "FieldManagerConflict", .field = ".spec.x"}});
  EXPECT_TRUE(HasStatusCause(conflict, "FieldManagerConflict"));
  EXPECT_FALSE(HasStatusCause(conflict, "Other"));
  EXPECT_FALSE(HasStatusCause(Error::Internal("x"), "Other"));
}

}  // namespace
}  // namespace keelson
