#include "keelson/client/warnings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "keelson/client/scripted_transport_test_support.h"
#include "keelson/core/log.h"

namespace keelson {
namespace {

std::vector<std::string> TextsOf(std::string_view header) {
  std::vector<std::string> texts;
  for (const ServerWarning& warning : ParseWarnings(header)) texts.push_back(warning.text);
  return texts;
}

using Texts = std::vector<std::string>;

TEST(ParseWarnings, ReadsCodeAgentAndText) {
  const std::vector<ServerWarning> warnings = ParseWarnings(R"(  299 kube-apiserver "v1 is deprecated")");
  ASSERT_EQ(warnings.size(), 1);
  EXPECT_EQ(warnings[0].code, 299);
  EXPECT_EQ(warnings[0].agent, "kube-apiserver");
  EXPECT_EQ(warnings[0].text, "v1 is deprecated");
}

TEST(ParseWarnings, UndoesEscapes) {
  EXPECT_EQ(TextsOf(R"(299 - "unknown field \"a\\b\"")"), Texts{R"(unknown field "a\b")"});
}

TEST(ParseWarnings, ReadsSeveralAndPassesOverDates) {
  EXPECT_EQ(TextsOf(R"(299 - "a" "Sun, 06 Nov 1994 08:49:37 GMT", 299 - "b, c" ,  299 - "d")"),
            (Texts{"a", "b, c", "d"}));
}

TEST(ParseWarnings, StopsAtWhatIsMalformed) {
  EXPECT_EQ(TextsOf(R"(299 - "a", 29 - "b", 299 - "c")"), Texts{"a"});
  EXPECT_EQ(TextsOf(R"(299 - "a" x)"), Texts{});
  for (const char* bad : {"", " ", "299", "299 -", "299 - ", "299 - x", R"(299 - "open)", R"(299 - "open\)",
                          R"(299  "no agent")", R"(2999 - "a")", R"(abc - "a")", R"(299 - "a" "open date)"}) {
    EXPECT_EQ(TextsOf(bad), Texts{}) << bad;
  }
}

TEST(ParseWarnings, RefusesControlCharactersAndBytesThatAreNotUtf8) {
  for (const char* bad : {"299 - \"a\x1b[31m\"", "299 - \"\xff\"", "299 - \"a\nb\"", "299 - \"\xc2\x85\"",
                          "299 a\x01 \"b\"", "299 - \"\x7f\""}) {
    EXPECT_EQ(TextsOf(bad), Texts{}) << bad;
  }
  EXPECT_EQ(TextsOf("299 - \"grün 漢字\""), Texts{"grün 漢字"});
}

TEST(WarningTransport, EachTextIsLoggedOnce) {
  const ScopedLogCapture log;
  auto server = std::make_shared<ScriptedTransport>();
  for (int i = 0; i < 3; ++i) {
    server->Then(Answer(200, {{"Warning", R"(299 - "old version")"}, {"warning", R"(299 - "bad field")"}}));
  }
  WarningTransport transport(server);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(transport.Send({}, {}));
  const std::vector<std::string> lines = log.lines();
  ASSERT_EQ(lines.size(), 2);
  EXPECT_THAT(lines[0], testing::AllOf(testing::StartsWith("W"), testing::HasSubstr(R"(warning="old version")")));
  EXPECT_THAT(lines[1], testing::HasSubstr(R"(warning="bad field")"));
}

TEST(WarningTransport, HandlerGetsOnlyPersistentWarningsWithText) {
  std::vector<std::string> heard;
  auto server = std::make_shared<ScriptedTransport>();
  server->Then(Answer(404, {{"Warning", R"(110 - "stale", 299 - "", 299 - "real")"}}));
  WarningTransport transport(server, [&](const ServerWarning& warning) { heard.push_back(warning.text); });
  const Result<HttpResponse> answer = transport.Send({}, {});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 404);
  EXPECT_EQ(heard, Texts{"real"});
}

TEST(WarningTransport, RemembersABoundedNumberOfTexts) {
  size_t heard = 0;
  auto server = std::make_shared<ScriptedTransport>();
  WarningTransport transport(server, [&](const ServerWarning&) { ++heard; });
  const auto warn = [&](int number) {
    server->Then(Answer(200, {{"Warning", "299 - \"w" + std::to_string(number) + "\""}}));
    ASSERT_TRUE(transport.Send({}, {}));
  };
  for (int i = 0; i < 1000; ++i) warn(i);
  warn(0);
  EXPECT_EQ(heard, 1000);
  warn(1000);  // one too many: all are forgotten
  warn(0);
  EXPECT_EQ(heard, 1002);
}

}  // namespace
}  // namespace keelson
