#include "keelson/runtime/controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <stdexcept>

#include "keelson/api/core/v1.h"
#include "keelson/client/client.h"
#include "keelson/core/clock.h"
#include "keelson/core/simulation.h"
#include "keelson/core/thread.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

void Simulated(const std::function<void()>& body) {
  Simulation simulation({.seed = 7});
  const Result<void> run = simulation.Run(body);
  ASSERT_TRUE(run) << run.error().message();
}

// Gives requests when told to, and syncs when told to.
class ManualSource final : public Source<Request> {
 public:
  explicit ManualSource(bool synced = true) : synced_(synced) {}

  std::string description() const override { return "manual"; }
  Result<void> Start(RequestQueue<Request>& queue, const StopToken&) override {
    if (refuses_) return Error::Internal("refuses to start");
    queue.Add({"default", "initial"}, {.causes = {{.type = CauseType::kInitial, .source = "Widget"}}});
    return {};
  }
  Wake WaitForSync(const StopToken& stop, TimePoint deadline) override {
    MutexLock lock(mutex_);
    return changed_.WaitUntil(lock, deadline, stop, [&] { return synced_; });
  }
  std::optional<Error> last_error() const override { return Error::NotFound("widgets.example.com is not served"); }
  void Stop() override { stopped_ = true; }

  void Sync() {
    MutexLock lock(mutex_);
    synced_ = true;
    changed_.NotifyAll();
  }
  bool stopped() const { return stopped_; }
  void Refuse() { refuses_ = true; }

 private:
  Mutex mutex_{"manual source"};
  CondVar changed_;
  bool synced_;
  bool stopped_ = false;
  bool refuses_ = false;
};

// A controller that runs, and how it ended.
class Running {
 public:
  Running(ReconcileFunction<Request> reconcile, ControllerParts<Request> parts = {}, bool synced = true)
      : controller_("widget", std::move(reconcile), std::move(parts)) {
    auto source = std::make_unique<ManualSource>(synced);
    source_ = source.get();
    controller_.AddSource(std::move(source));
  }
  void Start() {
    thread_ =
        Thread("running", [this] { result_ = controller_.Run({.stop = stop_.token(), .abort = abort_.token()}); });
  }
  Result<void> End() {
    stop_.RequestStop();
    thread_.Join();
    return *result_;
  }
  Result<void> Wait() {
    thread_.Join();
    return *result_;
  }
  void Stop() { stop_.RequestStop(); }
  void Abort() { abort_.RequestStop(); }
  void Add(const std::string& name) { controller_.queue().Add({"default", name}); }
  Controller<Request>& controller() { return controller_; }
  ManualSource& source() { return *source_; }

 private:
  Controller<Request> controller_;
  ManualSource* source_;
  StopSource stop_, abort_;
  std::optional<Result<void>> result_;
  Thread thread_;
};

// When each request was reconciled, in seconds and milliseconds since the start.
class Times {
 public:
  void Note(const Request& request) {
    MutexLock lock(mutex_);
    times_[request.name].push_back(
        std::chrono::duration_cast<std::chrono::milliseconds>(Clock::Now() - start_).count());
  }
  std::vector<int64_t> Of(const std::string& name) {
    MutexLock lock(mutex_);
    return times_[name];
  }

 private:
  const TimePoint start_ = Clock::Now();
  Mutex mutex_{"times"};
  std::map<std::string, std::vector<int64_t>> times_;
};

TEST(Controller, ReconcilesWhatItsSourceGivesAndWhatIsAdded) {
  Simulated([] {
    Times times;
    Running running([&](Context&, const Request& request) -> Result<Outcome> {
      times.Note(request);
      return Outcome::Done();
    });
    running.Start();
    (void)SleepFor(1s, {});
    running.Add("later");
    (void)SleepFor(1s, {});
    EXPECT_THAT(times.Of("initial"), ElementsAre(0));
    EXPECT_THAT(times.Of("later"), ElementsAre(1000));
    EXPECT_FALSE(running.source().stopped());
    EXPECT_TRUE(running.End());
    EXPECT_TRUE(running.source().stopped());
  });
}

TEST(Controller, WaitsForItsSourcesAndSaysSo) {
  Simulated([] {
    ScopedLogCapture log;
    Times times;
    Running running(
        [&](Context&, const Request& request) -> Result<Outcome> {
          times.Note(request);
          return Outcome::Done();
        },
        {}, false);
    running.Start();
    (void)SleepFor(25s, {});
    EXPECT_THAT(times.Of("initial"), IsEmpty());
    EXPECT_THAT(log.lines(), Contains(HasSubstr("widgets.example.com is not served")).Times(2));
    running.source().Sync();
    (void)SleepFor(1s, {});
    EXPECT_THAT(times.Of("initial"), ElementsAre(25'000));
    EXPECT_TRUE(running.End());
  });
}

TEST(Controller, EndsWithAnErrorWhenASourceDoesNotSyncInTheTimeGiven) {
  Simulated([] {
    Running running([](Context&, const Request&) -> Result<Outcome> { return Outcome::Done(); },
                    {.options = {.cache_sync_timeout = 15s}}, false);
    const TimePoint start = Clock::Now();
    running.Start();
    const Result<void> end = running.Wait();
    ASSERT_FALSE(end);
    EXPECT_EQ(end.error().code(), ErrorCode::kTimeout);
    EXPECT_EQ(end.error().message(), "manual has not synced within 15s: widgets.example.com is not served");
    EXPECT_EQ(Clock::Now() - start, 15s);
    EXPECT_TRUE(running.source().stopped());
  });
}

TEST(Controller, EndsWithAnErrorWhenASourceCannotStart) {
  Simulated([] {
    Running running([](Context&, const Request&) -> Result<Outcome> { return Outcome::Done(); });
    running.source().Refuse();
    running.Start();
    const Result<void> end = running.Wait();
    ASSERT_FALSE(end);
    EXPECT_EQ(end.error().message(), "refuses to start");
    EXPECT_TRUE(running.source().stopped());
  });
}

TEST(Controller, StopWhileItWaitsForSourcesIsNoError) {
  Simulated([] {
    Running running([](Context&, const Request&) -> Result<Outcome> { return Outcome::Done(); }, {}, false);
    running.Start();
    (void)SleepFor(3s, {});
    EXPECT_TRUE(running.End());
  });
}

TEST(Controller, AnErrorIsTriedAgainLaterAndLater) {
  Simulated([] {
    ScopedLogCapture log;
    Times times;
    Running running([&](Context& context, const Request& request) -> Result<Outcome> {
      times.Note(request);
      if (context.attempt() < 6) return Error::Internal("not yet");
      return Outcome::Done();
    });
    running.Start();
    (void)SleepFor(1h, {});
    EXPECT_THAT(times.Of("initial"), ElementsAre(0, 5, 15, 35, 75, 155));
    running.Add("initial");
    (void)SleepFor(1s, {});
    EXPECT_EQ(times.Of("initial").size(), 7u + 5u) << "a success ends the counting of failures";
    EXPECT_TRUE(running.End());
    EXPECT_THAT(log.lines(), Contains(testing::AllOf(HasSubstr("not yet"), HasSubstr("name=\"initial\""),
                                                     HasSubstr("namespace=\"default\""), HasSubstr("reconcileID="),
                                                     HasSubstr("attempt=5"))));
  });
}

TEST(Controller, AReconcilerThatFailsAHundredTimesHoldsUpNobodyAndSucceedsInTheEnd) {
  Simulated([] {
    ScopedLogCapture log;
    Times times;
    Running running(
        [&](Context& context, const Request& request) -> Result<Outcome> {
          times.Note(request);
          if (request.name == "initial" && context.attempt() <= 100) return Error::Internal("no");
          return Outcome::Done();
        },
        {.rate_limiter = std::make_unique<ExponentialRateLimiter<Request>>(5ms, 10s)});
    running.Start();
    for (int i = 0; i < 10; ++i) {
      (void)SleepFor(100s, {});
      running.Add("other");
    }
    (void)SleepFor(100s, {});
    EXPECT_EQ(times.Of("initial").size(), 101u);
    EXPECT_EQ(times.Of("other").size(), 10u);
    EXPECT_TRUE(running.End());
  });
}

TEST(Controller, AnExceptionIsAnErrorLikeOthers) {
  Simulated([] {
    ScopedLogCapture log;
    Times times;
    MetricRegistry registry;
    Running running(
        [&](Context& context, const Request& request) -> Result<Outcome> {
          times.Note(request);
          if (context.attempt() == 1) throw std::runtime_error("boom");
          if (context.attempt() == 2) throw 42;
          return Outcome::Done();
        },
        {.metrics = ControllerMetrics::Create(registry, "widget").value()});
    running.Start();
    (void)SleepFor(1s, {});
    EXPECT_THAT(times.Of("initial"), ElementsAre(0, 5, 15));
    EXPECT_TRUE(running.End());
    EXPECT_THAT(log.lines(), Contains(HasSubstr("the reconciler threw an exception: boom")));
    EXPECT_THAT(registry.Render(), HasSubstr("controller_runtime_reconcile_panics_total{controller=\"widget\"} 2"));
  });
}

TEST(Controller, AnExceptionEndsItWhereItIsNotToBeRecoveredFrom) {
  Simulated([] {
    ScopedLogCapture log;
    Running running([](Context&, const Request&) -> Result<Outcome> { throw std::runtime_error("boom"); },
                    {.options = {.recover = false}});
    running.Start();
    const Result<void> end = running.Wait();
    ASSERT_FALSE(end);
    EXPECT_EQ(end.error().message(), "the reconciler threw an exception: boom");
  });
}

TEST(Controller, ATerminalErrorIsNotTriedAgainUntilSomethingChanges) {
  Simulated([] {
    ScopedLogCapture log;
    Times times;
    MetricRegistry registry;
    Running running(
        [&](Context&, const Request& request) -> Result<Outcome> {
          times.Note(request);
          return Terminal(Error::InvalidArgument("spec.size is negative"));
        },
        {.metrics = ControllerMetrics::Create(registry, "widget").value()});
    running.Start();
    (void)SleepFor(1h, {});
    EXPECT_THAT(times.Of("initial"), ElementsAre(0));
    running.Add("initial");
    (void)SleepFor(1s, {});
    EXPECT_THAT(times.Of("initial"), ElementsAre(0, 3'600'000));
    EXPECT_TRUE(running.End());
    EXPECT_THAT(registry.Render(),
                HasSubstr("controller_runtime_terminal_reconcile_errors_total{controller=\"widget\"} 2"));
  });
}

TEST(Controller, TerminalKeepsCodeMessageAndCause) {
  const Error error = Terminal(Error::Conflict("changed"));
  EXPECT_TRUE(IsTerminal(error));
  EXPECT_FALSE(IsTerminal(Error::Conflict("changed")));
  EXPECT_EQ(error.code(), ErrorCode::kConflict);
  EXPECT_EQ(error.message(), "changed");
  EXPECT_EQ(error.detail<TerminalDetail>()->cause().message(), "changed");
}

TEST(Controller, OutcomesSayWhenToComeAgain) {
  Simulated([] {
    Times times;
    int calls = 0;
    std::vector<int64_t> attempts;
    std::vector<std::string> causes;
    Running running([&](Context& context, const Request& request) -> Result<Outcome> {
      times.Note(request);
      attempts.push_back(context.attempt());
      for (const Cause& cause : context.causes()) causes.push_back(ToString(cause));
      switch (++calls) {
        case 1: return Outcome::Retry();
        case 2: return Outcome::Retry();
        case 3: return Outcome::After(30s);
        case 4: return Outcome::Retry();
        default: return Outcome::Done();
      }
    });
    running.Start();
    (void)SleepFor(1h, {});
    EXPECT_THAT(times.Of("initial"), ElementsAre(0, 5, 15, 30'015, 30'020));
    EXPECT_THAT(attempts, ElementsAre(1, 2, 3, 1, 2));
    EXPECT_THAT(causes, ElementsAre("Widget was there", "retry", "retry", "requeued for now", "retry"));
    EXPECT_TRUE(running.End());
  });
}

TEST(Controller, AConflictIsTriedAgainWithoutAnErrorInTheLog) {
  Simulated([] {
    ScopedLogCapture log;
    Times times;
    Running running([&](Context& context, const Request& request) -> Result<Outcome> {
      times.Note(request);
      if (context.attempt() == 1) return Error::Conflict("the object has been modified");
      return Outcome::Done();
    });
    running.Start();
    (void)SleepFor(1s, {});
    EXPECT_THAT(times.Of("initial"), ElementsAre(0, 5));
    EXPECT_TRUE(running.End());
    EXPECT_THAT(log.lines(), Not(Contains(HasSubstr("has been modified"))));
  });
}

TEST(Controller, AReconcileThatHangsHoldsUpItsWorkerOnly) {
  Simulated([] {
    Times times;
    Running running(
        [&](Context& context, const Request& request) -> Result<Outcome> {
          times.Note(request);
          if (request.name == "initial") (void)SleepFor(24h, context.stop());
          return Outcome::Done();
        },
        {.options = {.workers = 2}});
    running.Start();
    for (int i = 0; i < 5; ++i) {
      (void)SleepFor(1s, {});
      running.Add("other");
      running.Add("initial");
    }
    (void)SleepFor(1s, {});
    EXPECT_EQ(times.Of("initial").size(), 1u);
    EXPECT_EQ(times.Of("other").size(), 5u);
    EXPECT_TRUE(running.End()) << "it waits with the context's stop";
  });
}

// A server that never answers.
class DeafTransport final : public Transport {
 public:
  Result<HttpResponse> Send(HttpRequest, const CallScope& scope) override {
    Mutex mutex{"deaf"};
    CondVar never;
    MutexLock lock(mutex);
    const Wake wake = never.WaitUntil(lock, scope.deadline, scope.stop, [] { return false; });
    if (wake == Wake::kStopped) return Error::Cancelled("stopped");
    return Error(ErrorCode::kTimeout, "no answer in time");
  }
};

TEST(Controller, ReconcileTimeoutEndsCallsThatSayNothingOfIt) {
  Simulated([] {
    ScopedLogCapture log;
    MetricRegistry registry;
    Times times;
    const Client client(std::make_shared<DeafTransport>());
    Running running(
        [&](Context&, const Request& request) -> Result<Outcome> {
          times.Note(request);
          KEELSON_TRY(map, client.Get<corev1::ConfigMap>(request));
          return Outcome::Done();
        },
        {.options = {.reconcile_timeout = 30s},
         .rate_limiter = std::make_unique<ExponentialRateLimiter<Request>>(10s, 10s),
         .metrics = ControllerMetrics::Create(registry, "widget").value()});
    running.Start();
    (void)SleepFor(50s, {});
    EXPECT_THAT(times.Of("initial"), ElementsAre(0, 40'000));
    EXPECT_THAT(registry.Render(), HasSubstr("controller_runtime_reconcile_timeouts_total{controller=\"widget\"} 1"));
    running.Abort();
    EXPECT_TRUE(running.End());
  });
}

TEST(Controller, AskedToStopItLetsAReconcileFinishItsCalls) {
  Simulated([] {
    bool stop_seen = false;
    bool finished = false;
    Running running([&](Context& context, const Request&) -> Result<Outcome> {
      (void)SleepFor(1h, context.stop());
      stop_seen = context.stop().StopRequested();
      // Calls go on: their scope has not stopped.
      EXPECT_EQ(SleepFor(5s, context.scope().stop), Wake::kTimeout);
      finished = true;
      return Outcome::Done();
    });
    running.Start();
    (void)SleepFor(1s, {});
    const TimePoint asked = Clock::Now();
    running.Add("not started any more");
    EXPECT_TRUE(running.End());
    EXPECT_EQ(Clock::Now() - asked, 5s);
    EXPECT_TRUE(stop_seen);
    EXPECT_TRUE(finished);
    EXPECT_EQ(running.controller().queue().Length(), 1u);
  });
}

TEST(Controller, AbortEndsTheCallsOfAReconcile) {
  Simulated([] {
    ScopedLogCapture log;
    const Client client(std::make_shared<DeafTransport>());
    std::optional<ErrorCode> code;
    Running running([&](Context&, const Request& request) -> Result<Outcome> {
      const Result<corev1::ConfigMap> map = client.Get<corev1::ConfigMap>(request);
      code = map.error().code();
      return map.error();
    });
    running.Start();
    (void)SleepFor(1s, {});
    running.Stop();
    (void)SleepFor(10s, {});
    EXPECT_EQ(code, std::nullopt);
    running.Abort();
    EXPECT_TRUE(running.Wait());
    EXPECT_EQ(code, ErrorCode::kCancelled);
    EXPECT_THAT(log.lines(), Contains(HasSubstr("Reconcile was given up at the end")));
  });
}

TEST(Controller, CountsWhatBecameOfReconciles) {
  Simulated([] {
    ScopedLogCapture log;
    MetricRegistry registry;
    int calls = 0;
    Running running(
        [&](Context&, const Request&) -> Result<Outcome> {
          switch (++calls) {
            case 1: return Error::Internal("no");
            case 2: return Outcome::Retry();
            case 3: return Outcome::After(1s);
            default: return Outcome::Done();
          }
        },
        {.options = {.workers = 3}, .metrics = ControllerMetrics::Create(registry, "widget").value()});
    running.Start();
    (void)SleepFor(10s, {});
    const std::string text = registry.Render();
    for (const char* line : {"controller_runtime_reconcile_total{controller=\"widget\",result=\"error\"} 1",
                             "controller_runtime_reconcile_total{controller=\"widget\",result=\"requeue\"} 1",
                             "controller_runtime_reconcile_total{controller=\"widget\",result=\"requeue_after\"} 1",
                             "controller_runtime_reconcile_total{controller=\"widget\",result=\"success\"} 1",
                             "controller_runtime_reconcile_errors_total{controller=\"widget\"} 1",
                             "controller_runtime_max_concurrent_reconciles{controller=\"widget\"} 3",
                             "controller_runtime_active_workers{controller=\"widget\"} 0",
                             "controller_runtime_reconcile_time_seconds_count{controller=\"widget\"} 4",
                             "keelson_controller_synced{controller=\"widget\"} 1"}) {
      EXPECT_THAT(text, HasSubstr(line));
    }
    EXPECT_TRUE(running.End());
  });
}

// A request of a user's own: an object of one of several clusters.
struct FarRequest {
  std::string cluster;
  ObjectKey key;
  friend bool operator==(const FarRequest&, const FarRequest&) = default;
};
std::string ToString(const FarRequest& request) { return request.cluster + ":" + request.key.ToString(); }

}  // namespace
}  // namespace keelson

template <>
struct std::hash<keelson::FarRequest> {
  size_t operator()(const keelson::FarRequest& request) const noexcept {
    return std::hash<std::string>()(request.cluster) ^ std::hash<keelson::ObjectKey>()(request.key);
  }
};

namespace keelson {
namespace {

TEST(Controller, RequestsMayBeOfTheUsersOwnType) {
  Simulated([] {
    ScopedLogCapture log;
    std::vector<std::string> seen;
    Controller<FarRequest> controller("far", [&](Context& context, const FarRequest& request) -> Result<Outcome> {
      seen.push_back(request.cluster);
      context.log().Info("Seen");
      return Outcome::Done();
    });
    StopSource stop;
    controller.queue().Add({"east", {"default", "a"}});
    controller.queue().Add({"west", {"default", "a"}});
    controller.queue().Add({"east", {"default", "a"}});
    Thread running("running", [&] { EXPECT_TRUE(controller.Run({.stop = stop.token()})); });
    (void)SleepFor(1s, {});
    stop.RequestStop();
    running.Join();
    EXPECT_THAT(seen, ElementsAre("east", "west"));
    EXPECT_THAT(log.lines(), Contains(HasSubstr("request=\"east:default/a\"")));
  });
}

TEST(Controller, EveryReconcileHasAnIdOfItsOwn) {
  Context a, b;
  EXPECT_EQ(a.id(), a.id());
  EXPECT_NE(a.id(), b.id());
  EXPECT_THAT(a.id(), testing::MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
  EXPECT_EQ(a.attempt(), 1);
  EXPECT_TRUE(a.causes().empty());
}

}  // namespace
}  // namespace keelson
