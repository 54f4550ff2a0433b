#include "keelson/client/remote_command.h"

#include <gtest/gtest.h>

#include "keelson/api/status_error.h"
#include "keelson/core/thread.h"
#include "keelson/transport/web_socket_test_support.h"

namespace keelson {
namespace {

using namespace std::string_literals;

const ObjectKey kPod = {"default", "web"};
constexpr const char* kSuccess = R"({"metadata":{},"status":"Success"})";
constexpr const char* kExit3 =
    R"({"metadata":{},"status":"Failure","message":"command terminated with non-zero exit code: 3",)"
    R"("reason":"NonZeroExitCode","details":{"causes":[{"reason":"ExitCode","message":"3"}]}})";

std::string On(char channel, std::string_view bytes) { return std::string(1, channel).append(bytes); }

// A server that speaks v5, and a dialer to it.
struct Cluster {
  explicit Cluster(TestWebSocketServer::Script script, TestWebSocketServerOptions options = {})
      : server(Knowing(std::move(options)), std::move(script)),
        dialer(WebSocketDialer::Create({.server = server.url(), .tls = server.client_tls(), .bearer_token = "sesame"})
                   .value()) {}

  static TestWebSocketServerOptions Knowing(TestWebSocketServerOptions options) {
    if (options.subprotocols.empty()) options.subprotocols = {"v5.channel.k8s.io"};
    return options;
  }

  TestWebSocketServer server;
  std::shared_ptr<WebSocketDialer> dialer;
};

void Ignore(TestPeer& peer) {
  while (peer.Read()) {
  }
}

// Input that never comes.
Result<std::string> NoInput(const StopToken& stop) {
  (void)SleepUntil(TimePoint::max(), stop);
  return Error::Cancelled("stopped");
}

TEST(Exec, GivesOutputAndExitCode) {
  std::string target, authorization, protocols;
  Cluster cluster([&](TestPeer& peer) {
    target = peer.target();
    authorization = std::string(peer.request()["Authorization"]);
    protocols = std::string(peer.request()["Sec-WebSocket-Protocol"]);
    peer.Write("\1"s);  // how channels are announced
    peer.Write("\1he"s);
    peer.Write("\2oops\n"s);
    peer.Write("\1llo\n"s);
    peer.Write(On(3, kExit3));
  });
  std::string out, err;
  const auto code = Exec(
      *cluster.dialer, kPod,
      {.command = {"sh", "-c", "a b&c"}, .container = "app", .on_stdout = AppendTo(out), .on_stderr = AppendTo(err)},
      Soon());
  ASSERT_TRUE(code) << code.error().message();
  EXPECT_EQ(*code, 3);
  EXPECT_EQ(out, "hello\n");
  EXPECT_EQ(err, "oops\n");
  EXPECT_EQ(target,
            "/api/v1/namespaces/default/pods/web/exec?command=sh&command=-c&command=a%20b%26c&container=app"
            "&stdout=true&stderr=true");
  EXPECT_EQ(authorization, "Bearer sesame");
  EXPECT_EQ(protocols, "v5.channel.k8s.io, v4.channel.k8s.io");
}

TEST(Exec, SuccessIsZero) {
  Cluster cluster([](TestPeer& peer) { peer.Write(On(3, kSuccess)); });
  EXPECT_EQ(Exec(*cluster.dialer, kPod, {.command = {"true"}}, Soon()).value(), 0);
}

TEST(Exec, StatusMayComeInPiecesAndTheConnectionMayBeCutBehindIt) {
  Cluster cluster([](TestPeer& peer) {
    for (const char c : std::string_view(kExit3)) peer.Write(On(3, std::string_view(&c, 1)));
    peer.Cut();
  });
  const auto code = Exec(*cluster.dialer, kPod, {.command = {"x"}}, Soon());
  ASSERT_TRUE(code) << code.error().message();
  EXPECT_EQ(*code, 3);
}

TEST(Exec, FailureToRunIsTheServersError) {
  Cluster cluster([](TestPeer& peer) {
    peer.Write(On(3, R"({"status":"Failure","message":"no such file","reason":"InternalError","code":500})"));
  });
  const auto code = Exec(*cluster.dialer, kPod, {.command = {"nothing"}}, Soon());
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().code(), ErrorCode::kInternal);
  EXPECT_NE(code.error().message().find("exec in pod default/web: no such file"), std::string::npos)
      << code.error().message();
  ASSERT_NE(StatusOf(code.error()), nullptr);
}

TEST(Exec, ExitCodeThatIsMissingOrNoNumberIsAnError) {
  for (const char* status : {R"({"status":"Failure","reason":"NonZeroExitCode"})",
                             R"({"status":"Failure","reason":"NonZeroExitCode","details":{"causes":[
                                 {"reason":"ExitCode","message":"3x"},{"reason":"Other","message":"4"}]}})"}) {
    Cluster cluster([&](TestPeer& peer) { peer.Write(On(3, status)); });
    const auto code = Exec(*cluster.dialer, kPod, {.command = {"x"}}, Soon());
    ASSERT_FALSE(code);
    EXPECT_NE(code.error().message().find("not with which exit code"), std::string::npos) << code.error().message();
  }
}

TEST(Exec, RefusalIsTheServersStatus) {
  Cluster cluster(Ignore, {.refuse = [](const TestPeer::Request&) -> TestWebSocketServerOptions::Refusal {
                    return {.status = 403,
                            .content_type = "application/json",
                            .body = R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden",)"
                                    R"("message":"pods \"web\" is forbidden","code":403})"};
                  }});
  const auto code = Exec(*cluster.dialer, kPod, {.command = {"x"}}, Soon());
  ASSERT_FALSE(code);
  EXPECT_TRUE(IsForbidden(code.error()));
  ASSERT_NE(StatusOf(code.error()), nullptr);
  EXPECT_EQ(StatusOf(code.error())->message, "pods \"web\" is forbidden");
}

TEST(Exec, InputIsSentAndItsEndIsSaid) {
  std::string target;
  Cluster cluster([&](TestPeer& peer) {
    target = peer.target();
    std::string input;
    while (const auto message = peer.Read()) {
      if (*message == "\xff\0"s) break;
      ASSERT_EQ((*message)[0], 0);
      input += message->substr(1);
    }
    peer.Write(On(1, input));
    peer.Write(On(3, kSuccess));
  });
  std::string large;
  for (int i = 0; i < 20'000; ++i) large += std::to_string(i) + "\n";
  std::string out;
  const auto code = Exec(*cluster.dialer, kPod,
                         {.command = {"cat"}, .read_stdin = ReadFrom(large), .on_stdout = AppendTo(out)}, Soon());
  ASSERT_TRUE(code) << code.error().message();
  EXPECT_EQ(out, large);
  EXPECT_TRUE(target.ends_with("/exec?command=cat&stdin=true&stdout=true")) << target;
}

TEST(Exec, MuchDataGoesBothWaysThroughASlowReader) {
  Cluster cluster([](TestPeer& peer) {
    while (const auto message = peer.Read()) {
      if ((*message)[0] == '\xff') break;
      peer.Write(On(1, message->substr(1)));
      peer.Write(On(2, message->substr(1)));
    }
    peer.Write(On(3, kSuccess));
  });
  constexpr size_t kPieces = 300, kPiece = 50'000;
  size_t given = 0, out = 0, err = 0;
  bool good = true;
  const auto code = Exec(*cluster.dialer, kPod,
                         {.command = {"cat"},
                          .read_stdin = [&](const StopToken&) -> Result<std::string> {
                            if (given == kPieces) return std::string();
                            return std::string(kPiece, static_cast<char>('a' + given++ % 26));
                          },
                          .on_stdout = [&](std::string_view bytes) -> Result<void> {
                            for (const char c : bytes) good = good && c == static_cast<char>('a' + out++ / kPiece % 26);
                            this_thread::Yield();
                            return {};
                          },
                          .on_stderr = [&](std::string_view bytes) -> Result<void> {
                            err += bytes.size();
                            return {};
                          }},
                         Soon());
  ASSERT_TRUE(code) << code.error().message();
  EXPECT_TRUE(good);
  EXPECT_EQ(out, kPieces * kPiece);
  EXPECT_EQ(err, kPieces * kPiece);
}

TEST(Exec, TerminalSizesAreSentAsTheyChange) {
  std::vector<std::string> sizes;
  Cluster cluster([&](TestPeer& peer) {
    EXPECT_TRUE(peer.target().ends_with("&stdin=true&stdout=true&tty=true")) << peer.target();
    while (sizes.size() < 2) {
      const auto message = peer.Read();
      if (!message) return;
      if ((*message)[0] == 4) sizes.push_back(message->substr(1));
    }
    peer.Write(On(3, kSuccess));
  });
  int asked = 0;
  std::string out;
  const auto code = Exec(*cluster.dialer, kPod,
                         {.command = {"sh"},
                          .read_stdin = NoInput,
                          .on_stdout = AppendTo(out),
                          .on_stderr = AppendTo(out),
                          .tty = true,
                          .next_terminal_size = [&](const StopToken& stop) -> std::optional<TerminalSize> {
                            if (++asked == 1) return TerminalSize{.width = 80, .height = 24};
                            if (asked == 2) return TerminalSize{.width = 132, .height = 50};
                            (void)SleepUntil(TimePoint::max(), stop);
                            return std::nullopt;
                          }},
                         Soon());
  ASSERT_TRUE(code) << code.error().message();
  EXPECT_EQ(sizes, (std::vector<std::string>{R"({"Width":80,"Height":24})", R"({"Width":132,"Height":50})"}));
}

TEST(Exec, FallsBackToV4WhereTheServerHasNoV5) {
  Cluster cluster(
      [](TestPeer& peer) {
        peer.Write("\1old"s);
        peer.Write(On(3, kExit3));
      },
      {.subprotocols = {"v4.channel.k8s.io"}});
  std::string out;
  EXPECT_EQ(Exec(*cluster.dialer, kPod, {.command = {"x"}, .on_stdout = AppendTo(out)}, Soon()).value(), 3);
  EXPECT_EQ(out, "old");

  // The end of the input cannot be said there, so the command would not end.
  const auto input = Exec(*cluster.dialer, kPod, {.command = {"cat"}, .read_stdin = ReadFrom("x")}, Soon());
  ASSERT_FALSE(input);
  EXPECT_EQ(input.error().code(), ErrorCode::kUnsupported) << input.error().message();
}

TEST(Exec, TerminalsEndOfInputInV4IsACharacter) {
  std::vector<std::string> seen;
  Cluster cluster(
      [&](TestPeer& peer) {
        while (seen.size() < 2) seen.push_back(peer.Read().value_or("end"));
        peer.Write(On(3, kSuccess));
      },
      {.subprotocols = {"v4.channel.k8s.io"}});
  EXPECT_EQ(Exec(*cluster.dialer, kPod, {.command = {"cat"}, .read_stdin = ReadFrom("x"), .tty = true}, Soon()).value(),
            0);
  EXPECT_EQ(seen, (std::vector<std::string>{"\0x"s, "\0\4"s}));
}

TEST(Exec, UnknownChannelsAndEmptyMessagesAreLeftAlone) {
  Cluster cluster([](TestPeer& peer) {
    peer.Write("");
    peer.Write("\7what"s);
    peer.Write("\xff\1"s);
    peer.Write("\0not for us"s);
    peer.Write("\1out"s);
    peer.Write(On(3, kSuccess));
  });
  std::string out;
  EXPECT_EQ(Exec(*cluster.dialer, kPod, {.command = {"x"}, .on_stdout = AppendTo(out)}, Soon()).value(), 0);
  EXPECT_EQ(out, "out");
}

TEST(Exec, TextMessagesAndEndlessStatusesAreErrors) {
  Cluster text([](TestPeer& peer) { peer.WriteText("1hello"); });
  const auto outcome = Exec(*text.dialer, kPod, {.command = {"x"}}, Soon());
  ASSERT_FALSE(outcome);
  EXPECT_NE(outcome.error().message().find("binary messages only"), std::string::npos) << outcome.error().message();

  Cluster endless([](TestPeer& peer) {
    while (peer.Write(On(3, std::string(100'000, 'x')))) {
    }
  });
  const auto status = Exec(*endless.dialer, kPod, {.command = {"x"}}, Soon());
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().message().find("longer than"), std::string::npos) << status.error().message();
}

TEST(Exec, ConnectionThatEndsBeforeTheStatusIsAnError) {
  // After each of these messages, with a goodbye and without.
  const std::vector<std::string> messages = {"\1"s, "\1out"s, "\2err"s, On(3, R"({"status":"Succ)")};
  for (size_t count = 0; count <= messages.size(); ++count) {
    for (const bool goodbye : {true, false}) {
      Cluster cluster([&](TestPeer& peer) {
        for (size_t i = 0; i < count; ++i) peer.Write(messages[i]);
        if (!goodbye) peer.Cut();
      });
      std::string out;
      const auto code =
          Exec(*cluster.dialer, kPod, {.command = {"x"}, .read_stdin = NoInput, .on_stdout = AppendTo(out)}, Soon());
      ASSERT_FALSE(code);
      EXPECT_EQ(code.error().code(), ErrorCode::kUnavailable) << code.error().message();
      EXPECT_EQ(out, count >= 2 ? "out" : "");
    }
  }
}

TEST(Exec, StopEndsItWhileInputIsAwaitedOrBlocked) {
  for (const bool blocked : {false, true}) {
    TestEvent arrived, release;
    Cluster cluster([&](TestPeer& peer) {
      arrived.Set();
      if (blocked) (void)release.Wait();
      Ignore(peer);
    });
    StopSource stop;
    Thread stopper("stopper", [&] {
      (void)arrived.Wait();
      stop.RequestStop();
    });
    const auto code = Exec(*cluster.dialer, kPod,
                           {.command = {"x"},
                            .read_stdin = [&](const StopToken& stopped) -> Result<std::string> {
                              if (blocked) return std::string(1'000'000, 'x');
                              return NoInput(stopped);
                            }},
                           {.stop = stop.token(), .deadline = Soon().deadline});
    release.Set();
    ASSERT_FALSE(code);
    EXPECT_EQ(code.error().code(), ErrorCode::kCancelled) << code.error().message();
  }
}

TEST(Exec, StopBeforeTheAnswerAndDeadlineEndIt) {
  TestEvent arrived, release;
  Cluster cluster(Ignore, {.refuse = [&](const TestPeer::Request&) -> TestWebSocketServerOptions::Refusal {
                    arrived.Set();
                    (void)release.Wait();
                    return {};
                  }});
  StopSource stop;
  Thread stopper("stopper", [&] {
    (void)arrived.Wait();
    stop.RequestStop();
  });
  EXPECT_EQ(Exec(*cluster.dialer, kPod, {.command = {"x"}}, {.stop = stop.token()}).error().code(),
            ErrorCode::kCancelled);
  const auto late =
      Exec(*cluster.dialer, kPod, {.command = {"x"}}, {.deadline = Clock::Now() + std::chrono::milliseconds(20)});
  release.Set();
  EXPECT_EQ(late.error().code(), ErrorCode::kTimeout) << late.error().message();
}

TEST(Exec, ErrorsOfTheCallersStreamsEndIt) {
  Cluster cluster([](TestPeer& peer) {
    peer.Write("\1out"s);
    Ignore(peer);
  });
  const auto sink = Exec(*cluster.dialer, kPod,
                         {.command = {"x"},
                          .read_stdin = NoInput,
                          .on_stdout = [](std::string_view) -> Result<void> { return Error::Conflict("disk full"); }},
                         Soon());
  ASSERT_FALSE(sink);
  EXPECT_EQ(sink.error().code(), ErrorCode::kConflict);
  const auto source =
      Exec(*cluster.dialer, kPod,
           {.command = {"x"},
            .read_stdin = [](const StopToken&) -> Result<std::string> { return Error::Conflict("terminal gone"); }},
           Soon());
  ASSERT_FALSE(source);
  EXPECT_NE(source.error().message().find("terminal gone"), std::string::npos) << source.error().message();
}

TEST(Exec, NeedsACommandAndAPod) {
  Cluster cluster(Ignore);
  EXPECT_EQ(Exec(*cluster.dialer, kPod, {}, Soon()).error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(Exec(*cluster.dialer, {"default", ""}, {.command = {"x"}}, Soon()).error().code(),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(Exec(*cluster.dialer, {"default", "../x"}, {.command = {"x"}}, Soon()).error().code(),
            ErrorCode::kInvalidArgument);
}

TEST(Exec, RequestThatMayHaveReachedTheServerIsNotSentAgain) {
  std::vector<std::string> targets;
  Cluster cluster(Ignore, {.tls = false, .refuse = [&](const TestPeer::Request& request) {
                             targets.emplace_back(request.target());
                             return TestWebSocketServerOptions::Refusal{.status = 500, .content_type = "text/plain"};
                           }});
  EXPECT_FALSE(Exec(*cluster.dialer, kPod, {.command = {"x"}}, Soon()));
  EXPECT_EQ(targets.size(), 1u);
}

TEST(Attach, AsksForTheContainersOwnStreams) {
  std::string target;
  Cluster cluster([&](TestPeer& peer) {
    target = peer.target();
    peer.Write("\1log line\n"s);
    peer.Write(On(3, kSuccess));
  });
  std::string out;
  const auto code = Attach(*cluster.dialer, {"", "web"}, {.container = "app", .on_stdout = AppendTo(out)}, Soon());
  ASSERT_TRUE(code) << code.error().message();
  EXPECT_EQ(out, "log line\n");
  EXPECT_EQ(target, "/api/v1/namespaces/default/pods/web/attach?container=app&stdout=true");
}

}  // namespace
}  // namespace keelson
