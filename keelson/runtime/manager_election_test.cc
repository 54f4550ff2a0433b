// Managers that share a Lease, on virtual time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "keelson/api/core/v1.h"
#include "keelson/runtime/leader_election_test_support.h"
#include "keelson/runtime/manager.h"
#include "keelson/runtime/manager_test_support.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

void Sleep(Duration span) { (void)SleepFor(span, {}); }

ManagerOptions Options(std::string identity = {}) {
  return {.leader_election =
              LeaderElectionOptions{.namespace_ = "default", .name = "op", .identity = std::move(identity)}};
}

corev1::ConfigMap Map(std::string name) {
  return corev1::ConfigMap{.metadata = {.name = std::move(name), .namespace_ = "default"}};
}

// Who wrote when, by their own account.
struct Write {
  std::string by;
  TimePoint began;
  TimePoint answered;
};
class Ledger {
 public:
  void Add(Write write) {
    MutexLock lock(mutex_);
    writes_.push_back(std::move(write));
  }
  std::vector<Write> Of(const std::string& by) const {
    MutexLock lock(mutex_);
    std::vector<Write> theirs;
    for (const Write& write : writes_) {
      if (write.by == by) theirs.push_back(write);
    }
    return theirs;
  }

 private:
  mutable Mutex mutex_{"ledger"};
  std::vector<Write> writes_;
};

// A program: a cache of ConfigMaps, a part that runs everywhere and, as leader, one that writes all the time.
class Program {
 public:
  Program(Place& place, Ledger& ledger, std::string identity, ManagerOptions options, Duration finishes_in = {})
      : line_(std::make_shared<Line>(place.server(), 0)),
        ledger_(ledger),
        identity_(std::move(identity)),
        finishes_in_(finishes_in),
        manager_(Manager::Make(Client(line_), std::move(options)).value()),
        maps_(manager_.cache().For<corev1::ConfigMap>()) {
    EXPECT_TRUE(manager_.Add("writer", [this](const RunScope& scope) { return Work(scope); }));
    EXPECT_TRUE(manager_.Add(
        "everywhere",
        [this](const RunScope& scope) -> Result<void> {
          everywhere_ = true;
          (void)SleepFor(10000h, scope.stop);
          return {};
        },
        RunnableGroup::kOthers));
  }
  Program(Place& place, Ledger& ledger, std::string identity, Duration finishes_in = {})
      : Program(place, ledger, identity, Options(identity), finishes_in) {}

  void Start() { running_ = std::make_unique<Running>(manager_); }
  Running& running() { return *running_; }
  Manager& manager() { return manager_; }
  Line& line() { return *line_; }
  const Informer<corev1::ConfigMap>& maps() const { return maps_; }
  bool works() const { return works_; }
  bool everywhere() const { return everywhere_; }
  TimePoint aborted() const { return aborted_; }

 private:
  Result<void> Work(const RunScope& scope) {
    works_ = true;
    EXPECT_TRUE(manager_.elected().StopRequested());
    const auto write = [this] {
      const TimePoint began = Clock::Now();
      corev1::ConfigMap map = Map("shared");
      map.metadata.annotations["by"] = String(identity_);
      if (manager_.client().Apply(map, {.field_manager = "writer", .force = true})) {
        ledger_.Add({identity_, began, Clock::Now()});
      }
    };
    while (SleepFor(100ms, scope.stop) == Wake::kTimeout) write();
    if (SleepFor(finishes_in_, scope.abort) == Wake::kTimeout) {
      write();
    } else {
      aborted_ = Clock::Now();
    }
    works_ = false;
    return {};
  }

  const std::shared_ptr<Line> line_;
  Ledger& ledger_;
  const std::string identity_;
  const Duration finishes_in_;
  Manager manager_;
  const Informer<corev1::ConfigMap> maps_;
  std::atomic<bool> works_ = false;
  std::atomic<bool> everywhere_ = false;
  std::atomic<TimePoint> aborted_ = TimePoint{};
  std::unique_ptr<Running> running_;
};

TEST(ManagerElection, TheSecondIsWarmAndDoesNotWork) {
  SimulatedManagers(
      [] {
        Place place;
        Ledger ledger;
        Program a(place, ledger, "a"), b(place, ledger, "b");
        a.Start();
        EXPECT_LT(TimeUntil([&] { return a.works(); }), 1s);
        b.Start();
        Sleep(1min);
        EXPECT_TRUE(a.manager().leading());
        EXPECT_FALSE(b.manager().leading());
        EXPECT_FALSE(b.manager().elected().StopRequested());
        EXPECT_FALSE(b.works());
        // What runs everywhere does, and the cache is up to date.
        EXPECT_TRUE(b.everywhere());
        EXPECT_TRUE(b.maps().HasSynced());
        EXPECT_TRUE(b.manager().client().Get<corev1::ConfigMap>({"default", "shared"}));
        EXPECT_GT(ledger.Of("a").size(), 100u);
        EXPECT_TRUE(ledger.Of("b").empty());
        EXPECT_TRUE(b.running().Stop());
        EXPECT_TRUE(a.running().Stop());
      },
      5);
}

TEST(ManagerElection, StoppedInGoodOrderTheNextTakesOverQuickly) {
  SimulatedManagers(
      [] {
        Place place;
        Ledger ledger;
        Program a(place, ledger, "a"), b(place, ledger, "b");
        a.Start();
        Sleep(1s);
        b.Start();
        Sleep(30s);
        EXPECT_TRUE(a.running().Stop());
        EXPECT_FALSE(a.manager().leading());
        EXPECT_LE(TimeUntil([&] { return b.works(); }), 4400ms + 100ms);
        EXPECT_EQ(place.Record().transitions, 1);
      },
      5);
}

TEST(ManagerElection, TheLeaseIsKeptUntilWorkUnderWayIsDone) {
  SimulatedManagers(
      [] {
        Place place;
        Ledger ledger;
        Program a(place, ledger, "a", 25s), b(place, ledger, "b");
        a.Start();
        Sleep(1s);
        b.Start();
        Sleep(30s);
        const TimePoint asked = Clock::Now();
        a.running().RequestStop();
        // Longer than the lease lasts without renewals.
        const Duration took = TimeUntil([&] {
          EXPECT_FALSE(a.works() && b.works());
          return b.works();
        });
        EXPECT_GE(took, 25s);
        EXPECT_LE(took, 25s + 4400ms + 100ms);
        EXPECT_TRUE(a.running().Join());
        EXPECT_GE(ledger.Of("a").back().began, asked + 25s);  // its last write went through
      },
      5);
}

TEST(ManagerElection, OneThatLosesTheLeaseGivesUpAtOnceAndTheNextTakesOver) {
  SimulatedManagers(
      [] {
        Place place;
        Ledger ledger;
        Program a(place, ledger, "a", 1h), b(place, ledger, "b");
        a.Start();
        Sleep(1s);
        b.Start();
        Sleep(30s);
        const TimePoint cut = Clock::Now();
        a.line().Set({.refuse = true});
        const Result<void> end = a.running().Join();
        // Not before its deadline, and without waiting for the grace period.
        EXPECT_GE(Clock::Now() - cut, 8s);
        EXPECT_LE(Clock::Now() - cut, 10s + 100ms + 15s);  // the last is for events that cannot be written
        EXPECT_LE(a.aborted() - cut, 10s);
        ASSERT_FALSE(end);
        EXPECT_EQ(end.error().code(), ErrorCode::kTimeout);
        EXPECT_THAT(end.error().message(), HasSubstr("leader election: "));
        EXPECT_THAT(end.error().message(), HasSubstr("default/op"));
        (void)TimeUntil([&] { return b.works(); });
        EXPECT_LE(Clock::Now() - cut, 15s + 2 * 4400ms);
        Sleep(1s);
        EXPECT_FALSE(ledger.Of("b").empty());
      },
      5);
}

TEST(ManagerElection, NoWriteOfTheLoserComesAfterTheNextBegins) {
  SimulatedManagers(
      [] {
        Place place;
        Ledger ledger;
        // Only the lease is cut off: writes would get through.
        class LeaselessLine final : public Transport {
         public:
          LeaselessLine(std::shared_ptr<Transport> inner, std::atomic<bool>& cut)
              : inner_(std::move(inner)), cut_(cut) {}
          Result<HttpResponse> Send(HttpRequest request, const CallScope& scope) override {
            if (cut_ && request.target.find("/leases/") != std::string::npos) {
              return Error(ErrorCode::kUnavailable, "refused");
            }
            return inner_->Send(std::move(request), scope);
          }

         private:
          const std::shared_ptr<Transport> inner_;
          std::atomic<bool>& cut_;
        };
        std::atomic<bool> cut = false;
        const auto line = std::make_shared<LeaselessLine>(std::make_shared<Line>(place.server(), 0), cut);
        Manager a = Manager::Make(Client(line), Options("a")).value();
        std::atomic<int> refused = 0;
        // It does not listen to anybody, and writes on.
        ASSERT_TRUE(a.Add("stubborn", [&](const RunScope&) -> Result<void> {
          while (refused < 300) {
            const TimePoint began = Clock::Now();
            const Result<corev1::ConfigMap> written =
                a.client().Apply(Map("shared"), {.field_manager = "a", .force = true});
            if (written) {
              ledger.Add({"a", began, Clock::Now()});
            } else {
              EXPECT_EQ(written.error().code(), ErrorCode::kCancelled) << written.error().message();
              ++refused;
            }
            Sleep(100ms);
          }
          return {};
        }));
        Running running(a);
        Sleep(1s);
        Program b(place, ledger, "b");
        b.Start();
        Sleep(10s);
        EXPECT_FALSE(ledger.Of("a").empty());
        cut = true;
        EXPECT_LT(TimeUntil([&] { return b.works(); }), 1min);
        Sleep(5s);
        EXPECT_FALSE(running.Join());
        EXPECT_EQ(refused, 300);
        EXPECT_LT(ledger.Of("a").back().answered, ledger.Of("b").front().began);
      },
      5);
}

TEST(ManagerElection, AStandbysWritesAreHeldBackUnlessUnfenced) {
  SimulatedManagers([] {
    Place place;
    Ledger ledger;
    Program a(place, ledger, "a"), b(place, ledger, "b");
    a.Start();
    Sleep(1s);
    b.Start();
    Sleep(10s);
    for (const ObjectClient* client : {static_cast<const ObjectClient*>(&b.manager().client()),
                                       static_cast<const ObjectClient*>(&b.manager().live())}) {
      const Result<corev1::ConfigMap> held_back = client->Create(Map("standby"));
      ASSERT_FALSE(held_back);
      EXPECT_EQ(held_back.error().code(), ErrorCode::kCancelled);
      EXPECT_THAT(held_back.error().message(), HasSubstr("does not hold the lease default/op"));
      EXPECT_TRUE(client->List<corev1::ConfigMap>({.namespace_ = "default"}));
    }
    EXPECT_TRUE(b.manager().unfenced().Create(Map("standby")));
    EXPECT_TRUE(a.manager().client().Create(Map("leader")));
  });
}

TEST(ManagerElection, PartsAddedToAStandbyStartWithItsLeadership) {
  SimulatedManagers([] {
    Place place;
    Ledger ledger;
    Program a(place, ledger, "a"), b(place, ledger, "b");
    a.Start();
    Sleep(1s);
    b.Start();
    Sleep(10s);
    std::atomic<bool> started = false;
    ASSERT_TRUE(b.manager().Add("late", [&](const RunScope&) -> Result<void> {
      started = true;
      return {};
    }));
    Sleep(1min);
    EXPECT_FALSE(started);
    EXPECT_TRUE(a.running().Stop());
    EXPECT_LT(TimeUntil([&] { return started.load(); }), 5s);
  });
}

TEST(ManagerElection, AFailureOfTheLeaderReleasesTheLease) {
  SimulatedManagers([] {
    Place place;
    Ledger ledger;
    Program a(place, ledger, "a"), b(place, ledger, "b");
    a.Start();
    Sleep(1s);
    b.Start();
    Sleep(10s);
    ASSERT_TRUE(a.manager().Add("weak", [](const RunScope&) -> Result<void> { return Error::Internal("broken"); }));
    const Result<void> end = a.running().Join();
    ASSERT_FALSE(end);
    EXPECT_EQ(end.error().message(), "weak: broken");
    EXPECT_LE(TimeUntil([&] { return b.works(); }), 4400ms + 100ms);
  });
}

TEST(ManagerElection, AStolenLeaseSaysWhoHasIt) {
  SimulatedManagers([] {
    Place place;
    Ledger ledger;
    Program a(place, ledger, "a");
    a.Start();
    Sleep(10s);
    place.Steal("thief");
    const Result<void> end = a.running().Join();
    ASSERT_FALSE(end);
    EXPECT_EQ(end.error().code(), ErrorCode::kConflict);
    EXPECT_EQ(end.error().message(), "leader election: lease default/op is held by thief");
    EXPECT_FALSE(a.works());
  });
}

TEST(ManagerElection, IsToldInEventsAndMetrics) {
  SimulatedManagers([] {
    Place place;
    Ledger ledger;
    Program a(place, ledger, "a");
    a.Start();
    Sleep(10s);
    EXPECT_THAT(a.manager().metrics().Render(), HasSubstr("leader_election_master_status{name=\"op\"} 1"));
    EXPECT_TRUE(a.running().Stop());
    EXPECT_THAT(a.manager().metrics().Render(), HasSubstr("leader_election_master_status{name=\"op\"} 0"));
    std::vector<std::string> told;
    const auto events = place.client().List<corev1::Event>({.namespace_ = "default"}).value();
    for (const corev1::Event& event : events.items) {
      EXPECT_EQ(event.involvedObject.kind, "Lease");
      EXPECT_EQ(event.involvedObject.name, "op");
      EXPECT_EQ(event.reason, "LeaderElection");
      told.push_back(event.message.str());
    }
    EXPECT_THAT(told, testing::UnorderedElementsAre("a became leader", "a stopped leading"));
  });
}

TEST(ManagerElection, NeedsANameAndANamespace) {
  SimulatedManagers([] {
    Place place;
    const auto refusal = [&](const Client& client, LeaderElectionOptions options) -> std::string {
      const Result<Manager> made = Manager::Make(client, {.leader_election = std::move(options)});
      return made ? "" : made.error().message();
    };
    EXPECT_THAT(refusal(place.client(), {.namespace_ = "default"}), HasSubstr("--leader-election-id"));
    EXPECT_THAT(refusal(place.client(), {.name = "op"}), HasSubstr("--leader-election-namespace"));
    EXPECT_THAT(refusal(place.client(), {.namespace_ = "default", .name = "op", .retry_period = 0s}),
                HasSubstr("retry_period"));
    EXPECT_EQ(refusal(place.client().Scope("system"), {.name = "op"}), "");
    const Manager manager = Manager::Make(place.client(), Options()).value();
    EXPECT_NE(manager.options().leader_election->identity, "");
  });
}

TEST(ManagerElection, ManySchedulesHaveOneWriterAtATime) {
  SimulatedManagers(
      [] {
        Place place;
        Ledger ledger;
        Program a(place, ledger, "a"), b(place, ledger, "b"), c(place, ledger, "c");
        for (Program* program : {&a, &b, &c}) program->Start();
        Sleep(10s);
        for (Program* program : {&a, &b, &c}) {
          if (program->works()) program->line().Set({.hang = true});
        }
        Sleep(40s);
        for (Program* program : {&a, &b, &c}) program->running().RequestStop();
        for (Program* program : {&a, &b, &c}) (void)program->running().Join();
        // Spans of writing do not overlap.
        std::vector<std::pair<TimePoint, TimePoint>> spans;
        for (const char* name : {"a", "b", "c"}) {
          const std::vector<Write> writes = ledger.Of(name);
          if (!writes.empty()) spans.emplace_back(writes.front().began, writes.back().answered);
        }
        std::ranges::sort(spans);
        ASSERT_GE(spans.size(), 2u);
        for (size_t i = 1; i < spans.size(); ++i) EXPECT_LT(spans[i - 1].second, spans[i].first);
      },
      20);
}

}  // namespace
}  // namespace keelson
