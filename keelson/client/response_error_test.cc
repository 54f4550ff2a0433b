#include "keelson/client/response_error.h"

#include <gmock/gmock.h>

#include "keelson/api/status_error.h"
#include "keelson/client/scripted_server_test_support.h"

namespace keelson {
namespace {

using internal::ErrorFromResponse;
using internal::RequestSubject;
using testing::HasSubstr;

const Headers kText = {{"Content-Type", "text/plain; charset=utf-8"}};
const RequestSubject kWeb = {.method = "GET", .resource = {"apps", "deployments"}, .name = "web"};

TEST(ResponseError, SpeaksAsUsersOfKubectlKnowIt) {
  struct Case {
    int status;
    const char* message;
    ErrorCode code;
  };
  for (const Case& expected : {
           Case{400, "the server rejected our request for an unknown reason (get deployments.apps web)",
                ErrorCode::kInvalidArgument},
           Case{401, "the server has asked for the client to provide credentials (get deployments.apps web)",
                ErrorCode::kUnauthorized},
           Case{403, "said so (get deployments.apps web)", ErrorCode::kForbidden},
           Case{404, "the server could not find the requested resource (get deployments.apps web)",
                ErrorCode::kNotFound},
           Case{405, "the server does not allow this method on the requested resource (get deployments.apps web)",
                ErrorCode::kUnsupported},
           Case{409, "the server reported a conflict (get deployments.apps web)", ErrorCode::kConflict},
           Case{418,
                "the server responded with the status code 418 but did not return more information (get "
                "deployments.apps web)",
                ErrorCode::kInvalidArgument},
           Case{429,
                "the server has received too many requests and has asked us to try again later (get deployments.apps "
                "web)",
                ErrorCode::kTooManyRequests},
           Case{500,
                "an error on the server (\"said so\") has prevented the request from succeeding (get deployments.apps "
                "web)",
                ErrorCode::kInternal},
           Case{503, "the server is currently unable to handle the request (get deployments.apps web)",
                ErrorCode::kUnavailable},
       }) {
    const Error error = ErrorFromResponse(expected.status, kText, "said so\n", kWeb);
    EXPECT_EQ(error.message(), expected.message);
    EXPECT_EQ(error.code(), expected.code) << expected.status;
    EXPECT_EQ(StatusOf(error)->code, expected.status);
    EXPECT_TRUE(HasStatusCause(error, "UnexpectedServerResponse"));
  }
}

TEST(ResponseError, AConflictOfACreateIsAlreadyExists) {
  const Error error = ErrorFromResponse(409, {}, "", {.method = "POST", .resource = {"", "pods"}});
  EXPECT_EQ(error.message(), "the server reported a conflict (post pods)");
  EXPECT_TRUE(IsAlreadyExists(error));
}

TEST(ResponseError, TheServersStatusGoesBefore) {
  const RecordedExchange conflict = Recorded("update conflict");
  const Error error = ErrorFromResponse(conflict.status, conflict.headers, conflict.body, kWeb);
  EXPECT_TRUE(IsConflict(error));
  EXPECT_THAT(error.message(), HasSubstr("the object has been modified"));
  EXPECT_FALSE(HasStatusCause(error, "UnexpectedServerResponse"));
}

TEST(ResponseError, KeepsHowLongToWait) {
  const Error bare = ErrorFromResponse(429, {{"Retry-After", "7"}}, "", kWeb);
  EXPECT_EQ(RetryAfter(bare), std::chrono::seconds(7));
  const Error told =
      ErrorFromResponse(429, {{"Retry-After", "3"}},
                        R"({"kind":"Status","status":"Failure","reason":"TooManyRequests","code":429})", kWeb);
  EXPECT_EQ(RetryAfter(told), std::chrono::seconds(3));
  EXPECT_EQ(RetryAfter(ErrorFromResponse(429, {{"Retry-After", "soon"}}, "", kWeb)), std::nullopt);
}

TEST(ResponseError, ALongPageIsCut) {
  const Error error = ErrorFromResponse(500, kText, std::string(100'000, 'x'), kWeb);
  EXPECT_LT(error.message().size(), 3000u);
}

TEST(ResponseError, WhatIsNoTextIsNotShown) {
  const Error error = ErrorFromResponse(500, {{"Content-Type", "application/octet-stream"}}, "\x01\x02", kWeb);
  EXPECT_THAT(error.message(), HasSubstr("(\"unknown\")"));
}

}  // namespace
}  // namespace keelson
