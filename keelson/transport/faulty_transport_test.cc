#include "keelson/transport/faulty_transport.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "keelson/core/clock.h"
#include "keelson/core/simulation.h"
#include "keelson/core/thread.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;

// Takes everything. A watch gives a piece a second, without end.
class TakesAll final : public Transport {
 public:
  Result<HttpResponse> Send(HttpRequest request, const CallScope& scope) override {
    asked.push_back(request.method + " " + request.target);
    if (request.streaming)
      return HttpResponse{.status = 200, .headers = {}, .body = std::make_unique<Ticks>(scope.stop)};
    return HttpResponse{.status = status, .headers = {}, .body = StreamOf("{}")};
  }
  std::vector<std::string> asked;
  int status = 200;

 private:
  class Ticks final : public BodyStream {
   public:
    explicit Ticks(StopToken stop) : stop_(std::move(stop)) {}
    Result<std::string_view> Next() override {
      (void)SleepFor(1s, stop_);
      return std::string_view("tick");
    }

   private:
    const StopToken stop_;
  };
};

void Simulate(const std::function<void()>& body) {
  const Result<void> run = Simulation({.seed = 1}).Run(body);
  ASSERT_TRUE(run) << run.error().message();
}

HttpRequest Request(const std::string& method, const std::string& target, bool streaming = false) {
  HttpRequest request;
  request.method = method;
  request.target = target;
  request.streaming = streaming;
  return request;
}

TEST(FaultyTransport, CountsWhatTheServerTookWithoutLeases) {
  Simulate([] {
    const auto server = std::make_shared<TakesAll>();
    FaultyTransport line(server, 1, {});
    EXPECT_TRUE(line.Send(Request("GET", "/api/v1/pods"), {}));
    EXPECT_TRUE(line.Send(Request("POST", "/api/v1/pods"), {}));
    EXPECT_TRUE(line.Send(Request("PUT", "/apis/coordination.k8s.io/v1/namespaces/default/leases/one"), {}));
    server->status = 409;
    EXPECT_TRUE(line.Send(Request("PUT", "/api/v1/pods/one"), {}));
    EXPECT_EQ(line.reads(), 1);
    EXPECT_EQ(line.writes(), 1);
    EXPECT_EQ(server->asked.size(), 4u);
  });
}

TEST(FaultyTransport, LosesAsManyRequestsAsItIsToldUntilItIsHealed) {
  Simulate([] {
    const auto server = std::make_shared<TakesAll>();
    FaultyTransport line(server, 1, {.refuse = 0.5, .lose_answer = 0.5});
    int answered = 0;
    for (int i = 0; i < 1000; ++i) answered += line.Send(Request("GET", "/"), {}) ? 1 : 0;
    EXPECT_NEAR(static_cast<double>(server->asked.size()), 500, 60);
    EXPECT_NEAR(answered, 250, 60);
    line.Heal();
    for (int i = 0; i < 100; ++i) EXPECT_TRUE(line.Send(Request("GET", "/"), {}));
    line.Cut();
    for (int i = 0; i < 100; ++i) EXPECT_FALSE(line.Send(Request("GET", "/"), {}));
  });
}

TEST(FaultyTransport, IsDeadFromTheWriteThatItIsToldOn) {
  Simulate([] {
    const auto server = std::make_shared<TakesAll>();
    FaultyTransport line(server, 1, {.death = 2});
    EXPECT_TRUE(line.Send(Request("POST", "/api/v1/pods"), {}));
    EXPECT_FALSE(line.dead());
    EXPECT_FALSE(line.Send(Request("POST", "/api/v1/pods"), {}));
    EXPECT_TRUE(line.dead());
    EXPECT_FALSE(line.Send(Request("GET", "/api/v1/pods"), {}));
  });
}

TEST(FaultyTransport, HoldsTheWatchesThatItIsToldTo) {
  Simulate([] {
    FaultyTransport line(std::make_shared<TakesAll>(), 1, {});
    const HttpResponse pods = line.Send(Request("GET", "/api/v1/pods?watch=true", true), {}).value();
    const HttpResponse nodes = line.Send(Request("GET", "/api/v1/nodes?watch=true", true), {}).value();
    line.HoldWatches("/pods?");
    EXPECT_EQ(nodes.body->Next().value(), "tick");
    bool came = false;
    Thread reader("reader", [&] {
      EXPECT_EQ(pods.body->Next().value(), "tick");
      came = true;
    });
    (void)SleepFor(1h, {});
    EXPECT_FALSE(came);
    line.ReleaseWatches();
    (void)SleepFor(1s, {});
    EXPECT_TRUE(came);
  });
}

TEST(Faults, AreDrawnAgainFromTheSameSeed) {
  Random one(7), again(7), other(8);
  const std::string drawn = ToString(DrawFaults(one));
  EXPECT_EQ(drawn, ToString(DrawFaults(again)));
  EXPECT_NE(drawn, ToString(DrawFaults(other)));
  Random gentle(7);
  EXPECT_LE(DrawFaults(gentle, 0.01).refuse, 0.01);
}

}  // namespace
}  // namespace keelson
