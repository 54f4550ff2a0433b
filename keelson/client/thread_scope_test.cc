// Calls of clients on a thread that has a scope.
#include "keelson/transport/thread_scope.h"

#include <gtest/gtest.h>

#include "keelson/api/core/v1.h"
#include "keelson/client/client.h"
#include "keelson/client/retry_on_conflict.h"
#include "keelson/core/clock.h"
#include "keelson/core/simulation.h"
#include "keelson/core/thread.h"
#include "keelson/transport/in_process_transport.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;

// Never answers.
class Silent final : public HttpHandler {
 public:
  void Handle(ServerRequest, std::shared_ptr<ResponseWriter> response) override {
    kept_.push_back(std::move(response));
  }
  Client client() { return Client(std::make_shared<InProcessTransport>(*this)); }

 private:
  std::vector<std::shared_ptr<ResponseWriter>> kept_;
};

void Simulated(const std::function<void()>& body) {
  Simulation simulation({.seed = 1});
  const Result<void> run = simulation.Run(body);
  ASSERT_TRUE(run) << run.error().message();
}

const ObjectKey kKey = {"default", "one"};

TEST(CallsOfAThread, EndAtItsDeadline) {
  Simulated([] {
    Silent server;
    const Client client = server.client();
    const ThreadScope scope({.deadline = Clock::Now() + 10s});
    const TimePoint began = Clock::Now();
    EXPECT_EQ(client.Get<corev1::Pod>(kKey).error().code(), ErrorCode::kTimeout);
    EXPECT_EQ(Clock::Now() - began, 10s);
    EXPECT_EQ(client.List<corev1::Pod>().error().code(), ErrorCode::kTimeout);
    EXPECT_EQ(client.Watch<corev1::Pod>().error().code(), ErrorCode::kTimeout);
    EXPECT_EQ(client.Delete<corev1::Pod>(kKey).error().code(), ErrorCode::kTimeout);
    EXPECT_EQ(client.discovery().Version().error().code(), ErrorCode::kTimeout);
    EXPECT_EQ(client.Get(GroupVersionKind{"example.com", "v1", "Widget"}, kKey).error().code(), ErrorCode::kTimeout);
    EXPECT_EQ(Clock::Now() - began, 10s);
  });
}

TEST(CallsOfAThread, EndByItsStopAndByTheirOwn) {
  for (const bool by_thread : {true, false}) {
    Simulated([&] {
      Silent server;
      StopSource own, of_thread;
      const ThreadScope scope({.stop = of_thread.token()});
      Thread later("later", [&] {
        (void)SleepFor(3s, {});
        (by_thread ? of_thread : own).RequestStop();
      });
      const TimePoint began = Clock::Now();
      EXPECT_EQ(server.client().With({.stop = own.token()}).Get<corev1::Pod>(kKey).error().code(),
                ErrorCode::kCancelled);
      EXPECT_EQ(Clock::Now() - began, 3s);
    });
  }
}

TEST(CallsOfAThread, AWatchThatIsOpenEndsWithIt) {
  Simulated([] {
    class Opening final : public HttpHandler {
     public:
      void Handle(ServerRequest, std::shared_ptr<ResponseWriter> response) override {
        response->Start(200, {{"Content-Type", "application/json"}});
        kept = std::move(response);
      }
      std::shared_ptr<ResponseWriter> kept;
    } server;
    StopSource stop;
    const ThreadScope scope({.stop = stop.token()});
    auto watch = Client(std::make_shared<InProcessTransport>(server)).Watch<corev1::Pod>();
    ASSERT_TRUE(watch) << watch.error().message();
    Thread later("later", [&] {
      (void)SleepFor(3s, {});
      stop.RequestStop();
    });
    EXPECT_EQ(watch->Next().error().code(), ErrorCode::kCancelled);
  });
}

TEST(CallsOfAThread, ThePausesBetweenTriesEndToo) {
  Simulated([] {
    StopSource stop;
    const ThreadScope scope({.stop = stop.token()});
    Thread later("later", [&] {
      (void)SleepFor(3s, {});
      stop.RequestStop();
    });
    const auto result = RetryOnConflict([]() -> Result<void> { return Error(ErrorCode::kConflict, "taken"); },
                                        {.first = 10s, .jitter = 0});
    EXPECT_EQ(result.error().code(), ErrorCode::kCancelled);
  });
}

}  // namespace
}  // namespace keelson
