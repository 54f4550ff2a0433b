#include "keelson/runtime/request_workers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <vector>

#include "keelson/core/clock.h"
#include "keelson/core/simulation.h"
#include "keelson/transport/http_server_test_support.h"
#include "keelson/transport/in_process_transport.h"

namespace keelson {
namespace {

using std::chrono_literals::operator""s;
using ::testing::ElementsAre;
using ::testing::Pair;

// Status (0: cut) and the second of the answer to each of `count` requests, which come a second apart and take ten.
using Answers = std::vector<std::pair<int, int64_t>>;

class Slow {
 public:
  explicit Slow(RequestWorkersOptions options)
      : workers_(std::make_unique<RequestWorkers>(handler_, std::move(options))) {}

  void Send(size_t count) {
    answers_.resize(count);
    for (size_t i = 0; i < count; ++i) {
      callers_.emplace_back("caller", [this, i, worker = workers_.get()] {
        SleepFor(i * 1s, {});
        InProcessTransport transport(*worker);
        const Result<HttpResponse> response = transport.Send({.target = "/"}, {});
        answers_[i] = {response ? response->status : 0, Now()};
      });
    }
  }
  Answers Wait() {
    for (Thread& caller : callers_) caller.Join();
    return answers_;
  }
  void Destroy() { workers_.reset(); }
  int64_t Now() const { return std::chrono::duration_cast<std::chrono::seconds>(Clock::Now() - start_).count(); }

 private:
  const TimePoint start_ = Clock::Now();
  FunctionHandler handler_{[](ServerRequest, std::shared_ptr<ResponseWriter> response) {
    SleepFor(10s, {});
    Respond(*response, 200, "text/plain", "done");
  }};
  std::unique_ptr<RequestWorkers> workers_;
  Answers answers_;
  std::vector<Thread> callers_;
};

void Simulated(const std::function<void()>& body) {
  Simulation simulation({.seed = 11});
  const auto result = simulation.Run(body);
  EXPECT_TRUE(result) << result.error().message();
}

TEST(RequestWorkers, WorkSideBySideAndRefuseWhatTheyCannotQueue) {
  Simulated([] {
    Slow slow({.threads = 2, .queue = 3});
    slow.Send(7);
    EXPECT_THAT(slow.Wait(), ElementsAre(Pair(200, 10), Pair(200, 11), Pair(200, 20), Pair(200, 21), Pair(200, 30),
                                         Pair(503, 5), Pair(503, 6)));
  });
}

TEST(RequestWorkers, TheEndDropsWhatWaitsAndWaitsForWhatIsUnderWay) {
  Simulated([] {
    Slow slow({.threads = 1, .queue = 3});
    slow.Send(2);
    SleepFor(5s, {});
    slow.Destroy();
    EXPECT_EQ(slow.Now(), 10);
    EXPECT_THAT(slow.Wait(), ElementsAre(Pair(200, 10), Pair(0, 5)));
  });
}

}  // namespace
}  // namespace keelson
