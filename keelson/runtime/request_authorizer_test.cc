#include "keelson/runtime/request_authorizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "keelson/client/scripted_transport_test_support.h"
#include "keelson/core/clock.h"
#include "keelson/core/log.h"
#include "keelson/core/simulation.h"

namespace keelson {
namespace {

using std::chrono_literals::operator""s;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const Headers kJson = {{"Content-Type", "application/json"}};

ScriptedOutcome Known(const std::string& user) {
  return Answer(
      201, kJson,
      R"({"kind":"TokenReview","apiVersion":"authentication.k8s.io/v1","status":{"authenticated":true,"user":)"
      R"({"username":")" +
          user + R"(","uid":"u1","groups":["dev"],"extra":{"scopes":["a","b"]}}}})");
}
ScriptedOutcome Unknown(const std::string& reason = "") {
  return Answer(
      201, kJson,
      R"({"kind":"TokenReview","apiVersion":"authentication.k8s.io/v1","status":{"error":")" + reason + R"("}})");
}
ScriptedOutcome Access(const std::string& status) {
  return Answer(
      201, kJson,
      R"({"kind":"SubjectAccessReview","apiVersion":"authorization.k8s.io/v1","spec":{},"status":)" + status + "}");
}
const ScriptedOutcome kAllowed = Access(R"({"allowed":true})");
const ScriptedOutcome kDenied = Access(R"({"allowed":false,"reason":"no such rule"})");

ServerRequest Request(const std::string& authorization, const std::string& method = "GET") {
  ServerRequest request{.method = method, .path = "/metrics"};
  if (!authorization.empty()) request.headers.Add("authorization", authorization);
  return request;
}

class RequestAuthorizerTest : public ::testing::Test {
 protected:
  Verdict Judge(const std::string& authorization, const std::string& path = "/metrics",
                const std::string& method = "GET") {
    return authorizer_.Judge(Request(authorization, method), path, {});
  }
  // What has been asked since the last call: "tokenreviews", "subjectaccessreviews".
  std::vector<std::string> Asked() {
    std::vector<std::string> asked;
    const std::vector<HttpRequest> requests = server_->requests();
    for (; seen_ < requests.size(); ++seen_) {
      const std::string& target = requests[seen_].target;
      asked.push_back(target.substr(target.rfind('/') + 1));
    }
    return asked;
  }
  // Runs the body on virtual time.
  static void Simulated(const std::function<void()>& body) {
    Simulation simulation({.seed = 7});
    const auto result = simulation.Run(body);
    EXPECT_TRUE(result) << result.error().message();
  }

  const std::shared_ptr<ScriptedTransport> server_ = std::make_shared<ScriptedTransport>();
  RequestAuthorizer authorizer_{Client(server_)};
  size_t seen_ = 0;
};

TEST_F(RequestAuthorizerTest, AsksForTheUserAndThenForTheRight) {
  server_->Then(Known("bob")).Then(kAllowed);
  const Verdict verdict = Judge("Bearer secret", "/debug/x y", "POST");
  EXPECT_EQ(verdict.status, 200);
  EXPECT_EQ(verdict.user, "bob");
  const std::vector<HttpRequest> requests = server_->requests();
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_EQ(requests[0].method, "POST");
  EXPECT_EQ(requests[0].target, "/apis/authentication.k8s.io/v1/tokenreviews");
  EXPECT_THAT(requests[0].body, HasSubstr(R"("spec":{"token":"secret"})"));
  EXPECT_EQ(requests[1].target, "/apis/authorization.k8s.io/v1/subjectaccessreviews");
  EXPECT_THAT(requests[1].body,
              AllOf(HasSubstr(R"("nonResourceAttributes":{"path":"/debug/x y","verb":"post"})"),
                    HasSubstr(R"("user":"bob")"), HasSubstr(R"("groups":["dev","system:authenticated"])"),
                    HasSubstr(R"("extra":{"scopes":["a","b"]})"), HasSubstr(R"("uid":"u1")")));
}

TEST_F(RequestAuthorizerTest, WithoutATokenNobodyIsAsked) {
  for (const char* header : {"", "Bearer", "Bearer ", "Basic abc", "secret", "Bearer  secret", "BearerX secret"}) {
    const Verdict verdict = Judge(header);
    EXPECT_EQ(verdict.status, 401) << header;
    EXPECT_EQ(verdict.text, "Unauthorized\n");
  }
  EXPECT_EQ(Judge("Bearer " + std::string(20000, 'x')).status, 401);
  EXPECT_THAT(Asked(), ElementsAre());
  // The scheme's name is written in any case.
  server_->Then(Known("bob")).Then(kAllowed);
  EXPECT_EQ(Judge("bEARER secret").status, 200);
}

TEST_F(RequestAuthorizerTest, AnUnknownTokenIs401AndNotAskedForAgain) {
  server_->Then(Unknown("[invalid bearer token]"));
  EXPECT_EQ(Judge("Bearer wrong").status, 401);
  EXPECT_EQ(Judge("Bearer wrong").text, "Unauthorized\n");
  EXPECT_THAT(Asked(), ElementsAre("tokenreviews"));
}

TEST_F(RequestAuthorizerTest, WhoMayNotIsToldSo) {
  server_->Then(Known("bob")).Then(kDenied);
  const Verdict verdict = Judge("Bearer secret");
  EXPECT_EQ(verdict.status, 403);
  EXPECT_EQ(verdict.text, "Authorization denied for user bob\n");
  server_->Then(Access(R"({"allowed":true,"denied":true})"));
  EXPECT_EQ(Judge("Bearer secret", "/other").status, 403);
}

TEST_F(RequestAuthorizerTest, FailuresAre500AndAskedForAgain) {
  const ScopedLogCapture log;
  server_->Then(Lost(true)).Then(Known("bob")).Then(Lost(true)).Then(kAllowed);
  Verdict verdict = Judge("Bearer secret");
  EXPECT_EQ(verdict.status, 500);
  EXPECT_EQ(verdict.text, "Authentication failed\n");
  verdict = Judge("Bearer secret");
  EXPECT_EQ(verdict.status, 500);
  EXPECT_EQ(verdict.text, "Authorization for user bob failed\n");
  EXPECT_EQ(Judge("Bearer secret").status, 200);
  EXPECT_THAT(Asked(), ElementsAre("tokenreviews", "tokenreviews", "subjectaccessreviews", "subjectaccessreviews"));
  EXPECT_THAT(log.lines(), Each(Not(HasSubstr("secret"))));
  EXPECT_THAT(log.lines(), Contains(HasSubstr("TokenReview")));
}

TEST_F(RequestAuthorizerTest, AProgramWithoutTheRoleHearsOfIt) {
  const ScopedLogCapture log;
  server_->Then(Answer(403, kJson,
                       R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403,)"
                       R"("message":"tokenreviews is forbidden"})"));
  EXPECT_EQ(Judge("Bearer secret").status, 500);
  EXPECT_THAT(log.lines(), Contains(HasSubstr("system:auth-delegator")));
}

TEST_F(RequestAuthorizerTest, ATokenIsBelievedForAMinute) {
  Simulated([&] {
    server_->Then(Known("bob")).Then(kAllowed);
    EXPECT_EQ(Judge("Bearer secret").status, 200);
    EXPECT_THAT(Asked(), ElementsAre("tokenreviews", "subjectaccessreviews"));
    SleepFor(59s, {});
    EXPECT_EQ(Judge("Bearer secret").status, 200);
    EXPECT_THAT(Asked(), ElementsAre());
    SleepFor(2s, {});
    server_->Then(Unknown("expired"));
    EXPECT_EQ(Judge("Bearer secret").status, 401);
    EXPECT_THAT(Asked(), ElementsAre("tokenreviews"));
    SleepFor(61s, {});
    server_->Then(Known("bob"));
    EXPECT_EQ(Judge("Bearer secret").status, 200);
    EXPECT_THAT(Asked(), ElementsAre("tokenreviews"));
  });
}

TEST_F(RequestAuthorizerTest, ADenialIsBelievedForHalfAMinute) {
  Simulated([&] {
    server_->Then(Known("bob")).Then(kDenied).Then(kAllowed);
    EXPECT_EQ(Judge("Bearer secret").status, 403);
    SleepFor(29s, {});
    EXPECT_EQ(Judge("Bearer secret").status, 403);
    SleepFor(2s, {});
    EXPECT_EQ(Judge("Bearer secret").status, 200);
    EXPECT_THAT(Asked(), ElementsAre("tokenreviews", "subjectaccessreviews", "subjectaccessreviews"));
  });
}

TEST_F(RequestAuthorizerTest, AnAllowanceIsBelievedForFiveMinutes) {
  Simulated([&] {
    server_->Then(Known("bob")).Then(kAllowed);
    EXPECT_EQ(Judge("Bearer secret").status, 200);
    for (int minute = 1; minute < 5; ++minute) {
      SleepFor(60s, {});
      server_->Then(Known("bob"));
      EXPECT_EQ(Judge("Bearer secret").status, 200);
    }
    (void)Asked();
    SleepFor(60s, {});
    server_->Then(Known("bob")).Then(kDenied);
    EXPECT_EQ(Judge("Bearer secret").status, 403);
    EXPECT_THAT(Asked(), ElementsAre("tokenreviews", "subjectaccessreviews"));
  });
}

TEST_F(RequestAuthorizerTest, AnswersAreOfOneUserPathAndVerb) {
  server_->Then(Known("bob")).Then(kAllowed);
  EXPECT_EQ(Judge("Bearer one").status, 200);
  server_->Then(kDenied);
  EXPECT_EQ(Judge("Bearer one", "/debug/threads").status, 403);
  server_->Then(kDenied);
  EXPECT_EQ(Judge("Bearer one", "/metrics", "POST").status, 403);
  server_->Then(Known("eve")).Then(kDenied);
  EXPECT_EQ(Judge("Bearer two").status, 403);
  EXPECT_EQ(Judge("Bearer one").status, 200);
  // The same user by another token.
  server_->Then(Known("bob"));
  EXPECT_EQ(Judge("Bearer three").status, 200);
  EXPECT_THAT(Asked(), ElementsAre("tokenreviews", "subjectaccessreviews", "subjectaccessreviews",
                                   "subjectaccessreviews", "tokenreviews", "subjectaccessreviews", "tokenreviews"));
}

TEST_F(RequestAuthorizerTest, RemembersSoManyAndForgetsTheOldest) {
  RequestAuthorizer small(Client(server_), {.max_answers = 2});
  for (const char* token : {"a", "b", "c"}) {
    server_->Then(Known(token)).Then(kAllowed);
    EXPECT_EQ(small.Judge(Request(std::string("Bearer ") + token), "/metrics", {}).status, 200);
  }
  (void)Asked();
  EXPECT_EQ(small.Judge(Request("Bearer c"), "/metrics", {}).status, 200);
  EXPECT_EQ(small.Judge(Request("Bearer b"), "/metrics", {}).status, 200);
  EXPECT_THAT(Asked(), ElementsAre());
  server_->Then(Known("a")).Then(kAllowed);
  EXPECT_EQ(small.Judge(Request("Bearer a"), "/metrics", {}).status, 200);
  EXPECT_THAT(Asked(), ElementsAre("tokenreviews", "subjectaccessreviews"));
}

TEST_F(RequestAuthorizerTest, ReviewsEndInTime) {
  Simulated([&] {
    server_->Then(Known("bob")).Then(kAllowed);
    (void)Judge("Bearer secret");
    for (const TimePoint deadline : server_->deadlines()) EXPECT_EQ(deadline, Clock::Now() + 10s);
  });
}

}  // namespace
}  // namespace keelson
