#include "keelson/client/auth_transport.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "keelson/client/scripted_transport_test_support.h"
#include "keelson/core/log.h"
#include "keelson/core/simulation.h"
#include "keelson/transport/test_certificates_test_support.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using Values = std::vector<std::string>;

void Simulate(const std::function<void()>& body) {
  Simulation simulation({.seed = 1});
  const Result<void> result = simulation.Run(body);
  ASSERT_TRUE(result) << result.error().message();
}

TEST(AuthTransport, SendsTheBearerToken) {
  auto server = std::make_shared<ScriptedTransport>();
  AuthTransport transport(server, {.credentials = BearerToken("abc").value()});
  ASSERT_TRUE(transport.Send({}, {}));
  EXPECT_EQ(server->HeaderOfEach("Authorization"), Values{"Bearer abc"});
}

TEST(AuthTransport, SendsNameAndPassword) {
  auto server = std::make_shared<ScriptedTransport>();
  AuthTransport transport(server, {.credentials = BasicAuth("alice", "s3cret").value()});
  ASSERT_TRUE(transport.Send({}, {}));
  EXPECT_EQ(server->HeaderOfEach("Authorization"), Values{"Basic YWxpY2U6czNjcmV0"});
}

TEST(AuthTransport, RequestsOwnHeadersComeFirst) {
  auto server = std::make_shared<ScriptedTransport>();
  AuthTransport transport(server, {.credentials = BearerToken("abc").value(),
                                   .impersonate = {.user = "admin", .groups = {"g"}},
                                   .user_agent = "agent"});
  ASSERT_TRUE(transport.Send(
      {.headers = {{"authorization", "Bearer own"}, {"impersonate-user", "me"}, {"user-agent", "mine"}}}, {}));
  EXPECT_EQ(server->HeaderOfEach("Authorization"), Values{"Bearer own"});
  EXPECT_EQ(server->HeaderOfEach("Impersonate-User"), Values{"me"});
  EXPECT_EQ(server->HeaderOfEach("Impersonate-Group"), Values{"-"});
  EXPECT_EQ(server->HeaderOfEach("User-Agent"), Values{"mine"});
}

TEST(AuthTransport, ImpersonatesUserUidGroupsAndExtra) {
  auto server = std::make_shared<ScriptedTransport>();
  AuthTransport transport(server, {.impersonate = {.user = "jane",
                                                   .uid = "7",
                                                   .groups = {"dev", "ops"},
                                                   .extra = {{"example.com/role", {"a", "b"}}, {"100%", {"x"}}}},
                                   .user_agent = "agent/1"});
  ASSERT_TRUE(transport.Send({}, {}));
  const HttpRequest request = server->requests()[0];
  std::vector<Headers::Entry> headers(request.headers.begin(), request.headers.end());
  EXPECT_THAT(
      headers,
      testing::UnorderedElementsAre(
          testing::Pair("User-Agent", "agent/1"), testing::Pair("Impersonate-User", "jane"),
          testing::Pair("Impersonate-Uid", "7"), testing::Pair("Impersonate-Group", "dev"),
          testing::Pair("Impersonate-Group", "ops"), testing::Pair("Impersonate-Extra-example.com%2Frole", "a"),
          testing::Pair("Impersonate-Extra-example.com%2Frole", "b"), testing::Pair("Impersonate-Extra-100%25", "x")));
}

TEST(AuthTransport, RequestThatIsKeptIsAsItWasAfterwards) {
  auto server = std::make_shared<ScriptedTransport>();
  AuthTransport transport(server, {.credentials = BearerToken("abc").value(),
                                   .impersonate = {.user = "jane", .groups = {"dev"}},
                                   .user_agent = "agent/1"});
  const std::vector<Headers::Entry> given = {{"Accept", "text/plain"}, {"Impersonate-Group", "own"}, {"X", "y"}};
  HttpRequest request{.method = "POST", .target = "/a", .headers = {given[0], given[1], given[2]}, .body = "body"};
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(transport.SendKept(request, {}));
    EXPECT_EQ(std::vector<Headers::Entry>(request.headers.begin(), request.headers.end()), given);
    EXPECT_EQ(request.method + request.target + request.body, "POST/abody");
  }
  for (const HttpRequest& sent : server->requests()) {
    EXPECT_THAT(sent.headers.All("Authorization"), testing::ElementsAre("Bearer abc"));
    EXPECT_THAT(sent.headers.All("User-Agent"), testing::ElementsAre("agent/1"));
    EXPECT_THAT(sent.headers.All("Impersonate-Group"), testing::UnorderedElementsAre("own", "dev"));
    EXPECT_EQ(sent.body, "body");
  }
}

TEST(AuthTransport, ImpersonationThatCannotBeSentIsAnError) {
  EXPECT_TRUE(CheckImpersonation({}));
  EXPECT_TRUE(CheckImpersonation({.user = "a", .groups = {"b"}}));
  EXPECT_FALSE(CheckImpersonation({.groups = {"b"}}));
  EXPECT_FALSE(CheckImpersonation({.user = "a\r\nX: y"}));
  EXPECT_FALSE(CheckImpersonation({.user = "a", .extra = {{"k", {"v\n"}}}}));
}

TEST(Credentials, TokensThatWouldBreakTheHeaderAreRefusedWithoutShowingThem) {
  for (const char* token : {"hunt er2", "hunter2\r\nX: y", "hunter2\n", "\x01hunter2", "hunt\xc3\xa9r2"}) {
    const auto source = BearerToken(token);
    ASSERT_FALSE(source);
    EXPECT_THAT(source.error().message(), testing::Not(HasSubstr("hunt")));
  }
  EXPECT_FALSE(BasicAuth("a:b", "c"));
}

TEST(TokenFile, IsReadAgainAsItRotates) {
  Simulate([] {
    TemporaryDirectory directory;
    const std::string path = directory.Write("token", "one\n");
    auto server = std::make_shared<ScriptedTransport>();
    AuthTransport transport(server, {.credentials = TokenFile(path).value()});
    ASSERT_TRUE(transport.Send({}, {}));
    directory.Write("token", "two\n");
    ASSERT_TRUE(transport.Send({}, {}));
    (void)SleepFor(11s, {});
    ASSERT_TRUE(transport.Send({}, {}));
    EXPECT_EQ(server->HeaderOfEach("Authorization"), (Values{"Bearer one", "Bearer one", "Bearer two"}));
  });
}

TEST(TokenFile, RefusedTokenIsReplacedAtOnceAndTheRequestSentOnceMore) {
  Simulate([] {
    TemporaryDirectory directory;
    const std::string path = directory.Write("token", "one");
    auto server = std::make_shared<ScriptedTransport>();
    AuthTransport transport(server, {.credentials = TokenFile(path).value()});
    ASSERT_TRUE(transport.Send({}, {}));
    directory.Write("token", "two");
    server->Then(Answer(401)).Then(Answer(201));
    const Result<HttpResponse> answer = transport.Send({.method = "POST", .body = "new"}, {});
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 201);
    EXPECT_EQ(server->HeaderOfEach("Authorization"), (Values{"Bearer one", "Bearer one", "Bearer two"}));
    EXPECT_EQ(server->requests()[2].body, "new");
    EXPECT_EQ(server->requests()[2].headers.All("Authorization").size(), 1);
  });
}

TEST(TokenFile, SameTokenIsNotTriedTwice) {
  TemporaryDirectory directory;
  auto server = std::make_shared<ScriptedTransport>();
  server->Then(Answer(401, {}, "no"));
  AuthTransport transport(server, {.credentials = TokenFile(directory.Write("token", "one")).value()});
  Result<HttpResponse> answer = transport.Send({}, {});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 401);
  EXPECT_EQ(ReadAll(*answer->body, 10).value(), "no");
  EXPECT_EQ(server->requests().size(), 1);
}

TEST(TokenFile, ServerThatRefusesTheNewTokenTooIsAskedNoFurther) {
  TemporaryDirectory directory;
  const std::string path = directory.Write("token", "one");
  auto server = std::make_shared<ScriptedTransport>();
  AuthTransport transport(server, {.credentials = TokenFile(path).value()});
  ASSERT_TRUE(transport.Send({}, {}));
  directory.Write("token", "two");
  server->Then(Answer(401)).Then(Answer(401));
  const Result<HttpResponse> answer = transport.Send({}, {});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 401);
  EXPECT_EQ(server->requests().size(), 3);
}

TEST(TokenFile, LastTokenStaysInUseWhileTheFileIsUnusable) {
  const ScopedLogCapture log;
  Simulate([] {
    TemporaryDirectory directory;
    const std::string path = directory.Write("token", "one");
    auto server = std::make_shared<ScriptedTransport>();
    AuthTransport transport(server, {.credentials = TokenFile(path).value()});
    ASSERT_TRUE(transport.Send({}, {}));
    std::filesystem::remove(path);
    for (int i = 0; i < 3; ++i) {
      (void)SleepFor(11s, {});
      ASSERT_TRUE(transport.Send({}, {}));
    }
    directory.Write("token", "two");
    (void)SleepFor(11s, {});
    ASSERT_TRUE(transport.Send({}, {}));
    EXPECT_EQ(server->HeaderOfEach("Authorization"),
              (Values{"Bearer one", "Bearer one", "Bearer one", "Bearer one", "Bearer two"}));
  });
  EXPECT_EQ(log.lines().size(), 1);
}

TEST(TokenFile, MustBeReadableFirstUnlessATokenIsGiven) {
  TemporaryDirectory directory;
  const auto missing = TokenFile(directory.Path("absent"));
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message(), HasSubstr(directory.Path("absent")));
  const auto empty = TokenFile(directory.Write("empty", "\n"));
  ASSERT_FALSE(empty);
  EXPECT_THAT(empty.error().message(), HasSubstr("is empty"));
  const auto two_lines = TokenFile(directory.Write("lines", "secret\nsecond"));
  ASSERT_FALSE(two_lines);
  EXPECT_THAT(two_lines.error().message(), testing::AllOf(HasSubstr("lines"), testing::Not(HasSubstr("secret"))));
  const ScopedLogCapture log;
  const auto given = TokenFile(directory.Path("absent"), "first");
  ASSERT_TRUE(given);
  EXPECT_EQ((*given)->Get({}).value().authorization, "Bearer first");
}

}  // namespace
}  // namespace keelson
