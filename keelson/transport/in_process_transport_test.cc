#include "keelson/transport/in_process_transport.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <vector>

#include "keelson/core/clock.h"
#include "keelson/core/simulation.h"
#include "keelson/core/thread.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;
using Writer = std::shared_ptr<ResponseWriter>;

class FunctionHandler : public HttpHandler {
 public:
  explicit FunctionHandler(std::function<void(ServerRequest, Writer)> handle) : handle_(std::move(handle)) {}
  void Handle(ServerRequest request, Writer response) override { handle_(std::move(request), std::move(response)); }

 private:
  const std::function<void(ServerRequest, Writer)> handle_;
};

TEST(InProcessTransport, IsACallOfTheHandler) {
  ServerRequest seen;
  FunctionHandler handler([&](ServerRequest request, Writer response) {
    seen = std::move(request);
    Respond(*response, 201, "text/plain", "made");
  });
  InProcessTransport transport(handler);
  auto answer = transport.Send(
      {.method = "POST", .target = "/api/v1/pods?dryRun=All", .headers = {{"Accept", "*/*"}}, .body = "{}"}, {});
  ASSERT_TRUE(answer) << answer.error().message();
  EXPECT_EQ(answer->status, 201);
  EXPECT_EQ(*answer->headers.Find("content-type"), "text/plain");
  EXPECT_EQ(ReadAll(*answer->body, 100).value(), "made");
  EXPECT_EQ(seen.method, "POST");
  EXPECT_EQ(seen.path, "/api/v1/pods");
  EXPECT_EQ(seen.query, "dryRun=All");
  EXPECT_EQ(seen.body, "{}");
  EXPECT_EQ(seen.peer->address, "in-process");
}

TEST(InProcessTransport, ReaderWaitsForWhatIsWrittenLater) {
  Simulation simulation({.seed = 1});
  const Result<void> end = simulation.Run([] {
    Writer kept;
    FunctionHandler handler([&](ServerRequest, Writer response) {
      response->Start(200, {});
      kept = std::move(response);
    });
    InProcessTransport transport(handler);
    auto answer = transport.Send({.streaming = true}, {});
    ASSERT_TRUE(answer);
    Thread writer("writer", [&] {
      for (const char* event : {"one", "two"}) {
        EXPECT_EQ(SleepFor(1h, {}), Wake::kTimeout);
        EXPECT_TRUE(kept->Write(event));
      }
      kept->Finish();
    });
    EXPECT_EQ(answer->body->Next().value(), "one");
    EXPECT_EQ(answer->body->Next().value(), "two");
    EXPECT_EQ(answer->body->Next().value(), "");
    EXPECT_EQ(answer->body->Next().value(), "");
  });
  EXPECT_TRUE(end) << end.error().message();
}

TEST(InProcessTransport, DeadlineAndStopEndTheWait) {
  Simulation simulation({.seed = 2});
  const Result<void> end = simulation.Run([] {
    Writer kept;
    FunctionHandler handler([&](ServerRequest request, Writer response) {
      if (request.path == "/body") response->Start(200, {});
      kept = std::move(response);
    });
    InProcessTransport transport(handler);
    const auto late = transport.Send({.target = "/"}, {.deadline = Clock::Now() + 5s});
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().code(), ErrorCode::kTimeout);

    StopSource stop;
    auto answer = transport.Send({.target = "/body"}, {.stop = stop.token()});
    ASSERT_TRUE(answer);
    Thread stopper("stopper", [&] {
      EXPECT_EQ(SleepFor(1min, {}), Wake::kTimeout);
      stop.RequestStop();
    });
    const auto cancelled = answer->body->Next();
    ASSERT_FALSE(cancelled);
    EXPECT_EQ(cancelled.error().code(), ErrorCode::kCancelled);
  });
  EXPECT_TRUE(end) << end.error().message();
}

TEST(InProcessTransport, WriterHearsThatTheReaderHasGone) {
  Writer kept;
  int drained = 0;
  int closed = 0;
  FunctionHandler handler([&](ServerRequest, Writer response) {
    response->Start(200, {});
    response->OnEvents([&] { ++drained; }, [&] { ++closed; });
    kept = std::move(response);
  });
  InProcessTransport transport(handler);
  auto answer = transport.Send({}, {});
  ASSERT_TRUE(answer);
  EXPECT_TRUE(kept->Write("abc"));
  EXPECT_EQ(kept->pending(), 3u);
  EXPECT_EQ(answer->body->Next().value(), "abc");
  EXPECT_EQ(kept->pending(), 0u);
  EXPECT_EQ(drained, 1);
  EXPECT_EQ(closed, 0);
  answer->body.reset();
  EXPECT_EQ(closed, 1);
  EXPECT_FALSE(kept->Write("more"));
}

TEST(InProcessTransport, AnswerDroppedBeforeItsEndIsAnError) {
  FunctionHandler silent([](ServerRequest, Writer) {});
  const auto none = InProcessTransport(silent).Send({}, {});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code(), ErrorCode::kUnavailable);

  FunctionHandler half([](ServerRequest, Writer response) {
    response->Start(200, {});
    response->Write("ha");
  });
  InProcessTransport transport(half);
  auto answer = transport.Send({}, {});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body->Next().value(), "ha");
  const auto cut = answer->body->Next();
  ASSERT_FALSE(cut);
  ASSERT_NE(cut.error().detail<TransportErrorDetail>(), nullptr);
  EXPECT_EQ(cut.error().detail<TransportErrorDetail>()->failure(), TransportFailure::kReset);
}

// The handler keeps the writer, so that only its last word can end the wait.
TEST(InProcessTransport, AnswerFinishedBeforeItBeganIsAnError) {
  Writer kept;
  FunctionHandler handler([&](ServerRequest, Writer response) {
    response->Finish();
    kept = std::move(response);
  });
  const auto none = InProcessTransport(handler).Send({}, {});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code(), ErrorCode::kUnavailable);
}

TEST(InProcessTransport, RequestsShareWhatIsKnownOfTheirClient) {
  std::vector<std::shared_ptr<const Peer>> seen;
  FunctionHandler handler([&](ServerRequest request, Writer response) {
    seen.push_back(request.peer);
    Respond(*response, 200, "text/plain", "ok");
  });
  InProcessTransport transport(handler, {.address = "here", .common_name = "jane"});
  ASSERT_TRUE(transport.Send({}, {}));
  ASSERT_TRUE(transport.Send({}, {}));
  EXPECT_EQ(seen[0], seen[1]);
  EXPECT_EQ(seen[0]->common_name, "jane");
}

}  // namespace
}  // namespace keelson
