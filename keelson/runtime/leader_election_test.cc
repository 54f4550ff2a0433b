#include "keelson/runtime/leader_election.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "keelson/api/core/v1.h"
#include "keelson/apiserver/api_server.h"
#include "keelson/codec/json_reader.h"
#include "keelson/codec/json_writer.h"
#include "keelson/runtime/leader_election_test_support.h"

namespace keelson {

std::unique_ptr<HttpHandler> MakeServer() { return ApiServer::Make({.tend_namespaces = false}).value(); }

namespace {

using namespace std::chrono_literals;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

void Simulated(const std::function<void()>& body, uint64_t seed = 1) {
  const ScopedLogCapture quiet;
  Simulation simulation({.seed = seed});
  const Result<void> done = simulation.Run(body);
  ASSERT_TRUE(done) << done.error().message();
}

void Sleep(Duration span) { (void)SleepFor(span, {}); }
// How long it takes until that holds.
Duration TimeUntil(const std::function<bool()>& holds, Duration at_most = 2min) {
  const TimePoint begin = Clock::Now();
  while (!holds() && Clock::Now() < begin + at_most) Sleep(10ms);
  return Clock::Now() - begin;
}

TEST(LeaderElector, RefusesTimesThatCannotWork) {
  Simulated([] {
    Place place;
    const auto why = [&](LeaderElectionOptions options) {
      const auto made = LeaderElector::Make(place.client(), std::move(options));
      return made ? std::string() : made.error().message();
    };
    EXPECT_EQ(why({.namespace_ = "default", .name = "op"}), "");
    EXPECT_THAT(why({.namespace_ = "default"}), HasSubstr("needs a name"));
    EXPECT_THAT(why({.name = "op"}), HasSubstr("needs a namespace"));
    EXPECT_THAT(why({.namespace_ = "default", .name = "op", .lease_duration = 10s}),
                HasSubstr("lease_duration (10s) must be longer than renew_deadline (10s)"));
    EXPECT_THAT(why({.namespace_ = "default", .name = "op", .lease_duration = 15500ms}), HasSubstr("whole seconds"));
    EXPECT_THAT(why({.namespace_ = "default", .name = "op", .lease_duration = 0s}), HasSubstr("whole seconds"));
    EXPECT_THAT(why({.namespace_ = "default", .name = "op", .renew_deadline = 2400ms}),
                HasSubstr("renew_deadline (2.4s) must be longer than 1.2 times retry_period (2s)"));
    EXPECT_EQ(why({.namespace_ = "default", .name = "op", .renew_deadline = 2401ms}), "");
    EXPECT_THAT(why({.namespace_ = "default", .name = "op", .retry_period = 0s}), HasSubstr("retry_period"));
    // The client's namespace serves too, and identities differ by themselves.
    const auto a = LeaderElector::Make(place.client().Scope("default"), {.name = "op"});
    const auto b = LeaderElector::Make(place.client().Scope("default"), {.name = "op"});
    ASSERT_TRUE(a && b);
    EXPECT_NE((*a)->identity(), (*b)->identity());
  });
}

TEST(LeaderElector, LeadsAtOnceWhenAlone) {
  Simulated([] {
    Place place;
    Replica a(place, "a");
    EXPECT_EQ(a.elector().leader(), "");
    a.Start();
    EXPECT_LE(TimeUntil([&] { return a.leads(); }), 10ms);
    Sleep(1min);
    EXPECT_TRUE(a.leads());
    EXPECT_EQ(a.elector().leader(), "a");
    const LeaderRecord record = place.Record();
    EXPECT_EQ(record.holder, "a");
    EXPECT_EQ(record.lease_seconds, 15);
    EXPECT_EQ(record.transitions, 0);
    EXPECT_EQ(record.acquire_time.ToString(), "2025-01-01T00:00:00.000000Z");
    EXPECT_GE(record.renew_time.ToTime().unix_seconds() - record.acquire_time.ToTime().unix_seconds(), 58);
    EXPECT_THAT(a.leaders_seen(), ElementsAre("a"));
  });
}

TEST(LeaderElector, RenewsWithOneRequestEachRetryPeriod) {
  Simulated([] {
    Place place;
    Replica a(place, "a");
    a.Start();
    Sleep(1s);
    EXPECT_THAT(a.line().TakeRequests(), ElementsAre("GET", "POST"));
    Sleep(20s);
    EXPECT_THAT(a.line().TakeRequests(), Each(std::string("PUT")));
    Sleep(20s);
    EXPECT_EQ(a.line().TakeRequests().size(), 10u);
  });
}

TEST(LeaderElector, AReplicaTakesOverWhenTheLeaderIsGone) {
  Simulated([] {
    Place place;
    Replica a(place, "a", {.release_on_stop = false}), b(place, "b");
    a.Start();
    Sleep(1s);
    b.Start();
    Sleep(30s);
    EXPECT_TRUE(a.leads());
    EXPECT_FALSE(b.leads());
    EXPECT_EQ(b.elector().leader(), "a");
    a.Stop();
    EXPECT_FALSE(a.leads());
    const Duration took = TimeUntil([&] { return b.leads(); });
    EXPECT_GE(took, 13s - 10ms);  // the last renewal was up to 2 s ago
    EXPECT_LE(took, 15s + 2 * 4400ms);
    EXPECT_EQ(place.Record().transitions, 1);
    EXPECT_EQ(place.Record().holder, "b");
    EXPECT_THAT(b.leaders_seen(), ElementsAre("a", "b"));
  });
}

TEST(LeaderElector, ReleaseHandsOverWithinARetryPeriod) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    Simulated(
        [] {
          Place place;
          Replica a(place, "a"), b(place, "b");
          a.Start();
          Sleep(1s);
          b.Start();
          Sleep(30s);
          a.Stop();
          EXPECT_THAT(a.ends(), ElementsAre("stopped"));
          EXPECT_EQ(a.stops(), 1);
          EXPECT_LE(TimeUntil([&] { return b.leads(); }), 4400ms + 10ms);
          EXPECT_EQ(place.Record().transitions, 1);
        },
        seed);
  }
}

TEST(LeaderElector, AReleasedRecordNamesNobodyForOneSecond) {
  Simulated([] {
    Place place;
    Replica a(place, "a");
    a.Start();
    Sleep(7s);
    a.Stop();
    const LeaderRecord record = place.Record();
    EXPECT_TRUE(place.Lease().spec.holderIdentity.has_value());
    EXPECT_EQ(record.holder, "");
    EXPECT_EQ(record.lease_seconds, 1);
    EXPECT_EQ(record.acquire_time, record.renew_time);
    EXPECT_EQ(record.renew_time.ToString(), "2025-01-01T00:00:07.000000Z");
    EXPECT_EQ(a.elector().leader(), "");
    // The same one may come again.
    a.Start();
    EXPECT_LE(TimeUntil([&] { return a.leads(); }), 10ms);
    EXPECT_EQ(place.Record().transitions, 1);
  });
}

TEST(LeaderElector, RenewsWhileTheWorkIsBroughtToItsEnd) {
  Simulated([] {
    Place place;
    Replica a(place, "a", {}, 40s), b(place, "b");
    a.Start();
    Sleep(1s);
    b.Start();
    Sleep(10s);
    a.RequestStop();
    Sleep(39s);
    EXPECT_TRUE(a.leads());
    EXPECT_FALSE(b.leads());
    EXPECT_EQ(place.Record().holder, "a");
    a.Stop();
    EXPECT_EQ(a.terms()[0].ended - a.terms()[0].began, 51s);
    EXPECT_EQ(place.Record().holder, "");
    EXPECT_LE(TimeUntil([&] { return b.leads(); }), 4400ms + 10ms);
  });
}

TEST(LeaderElector, ALeaderThatCannotRenewStopsAtTheRenewDeadline) {
  const Line::Faults kinds[] = {{.refuse = true}, {.hang = true}, {.hang = true, .deaf = true}, {.lose_answer = 1}};
  for (const Line::Faults& faults : kinds) {
    Simulated([&] {
      Place place;
      Replica a(place, "a"), b(place, "b");
      a.Start();
      Sleep(1s);
      b.Start();
      Sleep(28s + 500ms);  // the last renewal was at 28 s
      a.line().Set(faults);
      EXPECT_EQ(TimeUntil([&] { return !a.leads(); }), 8500ms);
      Sleep(10ms);
      EXPECT_EQ(a.terms()[0].ended - a.terms()[0].began, 38s);
      if (!faults.deaf) {
        EXPECT_THAT(a.ends(), ElementsAre("Timeout"));
      } else {
        EXPECT_THAT(a.ends(), ElementsAre());
        EXPECT_EQ(a.stops(), 0);
      }
      if (faults.lose_answer == 0) {
        EXPECT_LE(TimeUntil([&] { return b.leads(); }), 5s + 2 * 4400ms);
      }
      a.line().Set({});
      Sleep(1min);
      EXPECT_EQ(a.ends().size(), 1u);
    });
  }
}

TEST(LeaderElector, TheRenewDeadlineCountsFromTheStartOfARenewal) {
  Simulated([] {
    Place place;
    Replica a(place, "a");
    a.Start();
    Sleep(5s);
    a.line().Set({.answer_after = 4s});  // of the renewal at 6 s: the server has it long before the leader knows
    Sleep(2s);
    a.line().Set({.refuse = true});
    Sleep(8900ms);
    EXPECT_TRUE(a.leads());
    Sleep(200ms);
    EXPECT_FALSE(a.leads());
    EXPECT_EQ(a.terms()[0].ended - a.terms()[0].began, 16s);
  });
}

TEST(LeaderElector, AShortOutageIsSurvived) {
  Simulated([] {
    Place place;
    Replica a(place, "a");
    a.Start();
    Sleep(10s + 1ms);
    a.line().Set({.refuse = true});
    Sleep(7s);
    a.line().Set({});
    Sleep(1min);
    EXPECT_TRUE(a.leads());
    EXPECT_EQ(a.terms().size(), 1u);
    a.line().Set({.hang = true});
    Sleep(4s);
    a.line().Set({});
    Sleep(1min);
    EXPECT_TRUE(a.leads());
    EXPECT_EQ(a.terms().size(), 1u);
    EXPECT_EQ(place.Record().transitions, 0);
  });
}

TEST(LeaderElector, CandidatesWaitForAServerThatRefuses) {
  Simulated([] {
    Place place;
    Replica a(place, "a");
    a.line().Set({.refuse = true});
    a.Start();
    Sleep(10min);
    EXPECT_FALSE(a.leads());
    const size_t tries = a.line().TakeRequests().size();
    EXPECT_GE(tries, 600u / 5);
    EXPECT_LE(tries, 600u / 2);
    a.line().Set({});
    EXPECT_LE(TimeUntil([&] { return a.leads(); }), 4400ms + 10ms);
  });
}

TEST(LeaderElector, ALeaderWhoseLeaseIsStolenStopsAtItsNextRenewal) {
  Simulated([] {
    Place place;
    Replica a(place, "a");
    a.Start();
    Sleep(11s);
    place.Steal("thief");
    EXPECT_LE(TimeUntil([&] { return !a.leads(); }), 2s);
    Sleep(10ms);
    EXPECT_THAT(a.ends(), ElementsAre("Conflict"));
    EXPECT_THAT(a.leaders_seen(), ElementsAre("a", "thief"));
    EXPECT_EQ(a.stops(), 1);
    // It is a candidate again, and waits for the thief as for anybody.
    const Duration took = TimeUntil([&] { return a.leads(); });
    EXPECT_GE(took, 14s);
    EXPECT_LE(took, 15s + 2 * 4400ms);
    EXPECT_EQ(place.Record().transitions, 1);
  });
}

TEST(LeaderElector, ALeaderMakesADeletedLeaseAnew) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    Simulated(
        [] {
          Place place;
          Replica a(place, "a"), b(place, "b");
          a.Start();
          Sleep(1s);
          b.Start();
          Sleep(10s);
          const LeaderRecord before = place.Record();
          place.Delete();
          Sleep(1min);
          EXPECT_TRUE(a.leads());
          EXPECT_EQ(a.terms().size(), 1u);
          EXPECT_EQ(b.terms().size(), 0u);
          EXPECT_EQ(place.Record().acquire_time, before.acquire_time);
          EXPECT_EQ(place.Record().transitions, 0);
        },
        seed);
  }
}

TEST(LeaderElector, ACandidateDoesNotTakeADeletedLeaseWhileItsHolderMayLead) {
  Simulated([] {
    Place place;
    Replica a(place, "a"), b(place, "b");
    a.Start();
    Sleep(1s);
    b.Start();
    Sleep(10s);
    a.line().Set({.refuse = true});  // it cannot hear of the deletion
    place.Delete();
    const Duration took = TimeUntil([&] {
      EXPECT_FALSE(a.leads() && b.leads());
      return b.leads();
    });
    EXPECT_GE(took, 15s);
    EXPECT_LE(took, 15s + 2 * 4400ms);
    EXPECT_EQ(place.Record().transitions, 1);
  });
}

TEST(LeaderElector, ALeaseThatAForgottenRequestMadeIsNotTakenAtOnce) {
  Simulated([] {
    Place place;
    Replica a(place, "a"), b(place, "b");
    b.Start();
    Sleep(1s);
    a.Start();
    Sleep(10s);
    b.line().Set({.refuse = true});  // it leads on until its deadline
    place.Delete();
    const LeaderRecord record{.holder = "a", .lease_seconds = 15};
    ASSERT_TRUE(place.client().Create(
        coordinationv1::Lease{.metadata = {.name = "op", .namespace_ = "default"}, .spec = SpecOf(record)}));
    const Duration took = TimeUntil([&] {
      EXPECT_FALSE(a.leads() && b.leads());
      return a.leads();
    });
    EXPECT_GE(took, 15s);
    EXPECT_LE(took, 15s + 2 * 4400ms);
  });
}

TEST(LeaderElector, CalendarsDoNotMatter) {
  for (const Duration ahead : {Duration(-24h), Duration(-20s), Duration(20s), Duration(24h * 365)}) {
    Simulated([&] {
      Place place;
      Replica a(place, "a", {.release_on_stop = false}), b(place, "b");
      a.line().Set({.calendar_ahead = ahead});
      a.Start();
      Sleep(1s);
      b.Start();
      Sleep(2min);
      EXPECT_TRUE(a.leads());
      EXPECT_TRUE(b.terms().empty());
      const int64_t seconds =
          place.Record().renew_time.ToTime().unix_seconds() - metav1::Time(Clock::WallNow()).unix_seconds();
      EXPECT_LE(std::abs(seconds - std::chrono::duration_cast<std::chrono::seconds>(ahead).count()), 3);
      a.Stop();
      const Duration took = TimeUntil([&] { return b.leads(); });
      EXPECT_GE(took, 13s - 10ms);
      EXPECT_LE(took, 15s + 2 * 4400ms);
    });
  }
}

TEST(LeaderElector, AnIdentityThatComesAgainNeedNotWait) {
  Simulated([] {
    Place place;
    {
      Replica a(place, "a", {.release_on_stop = false});
      a.Start();
      Sleep(5s);
    }
    EXPECT_EQ(place.Record().holder, "a");
    Replica a(place, "a");
    a.Start();
    EXPECT_LE(TimeUntil([&] { return a.leads(); }), 10ms);
    EXPECT_EQ(place.Record().transitions, 0);
  });
}

TEST(LeaderElector, FiveReplicasHaveOneLeaderAfterAnother) {
  Simulated([] {
    Place place;
    std::vector<std::unique_ptr<Replica>> replicas;
    for (const char* name : {"a", "b", "c", "d", "e"}) {
      replicas.push_back(std::make_unique<Replica>(place, name));
      replicas.back()->Start();
    }
    for (int left = 5; left > 0; --left) {
      const auto leads = [](const auto& replica) { return replica->leads(); };
      EXPECT_LE(TimeUntil([&] { return std::ranges::any_of(replicas, leads); }), 4400ms + 10ms);
      Sleep(10s);
      EXPECT_EQ(std::ranges::count_if(replicas, leads), 1);
      const auto leader = std::ranges::find_if(replicas, leads);
      EXPECT_EQ(place.Record().transitions, 5 - left);
      (*leader)->Stop();
      replicas.erase(leader);
    }
  });
}

TEST(LeaderElector, StoppedWhileItWaitsItLeavesTheLeaseAlone) {
  Simulated([] {
    Place place;
    Replica a(place, "a"), b(place, "b");
    a.Start();
    Sleep(1s);
    b.Start();
    Sleep(10s);
    const TimePoint begin = Clock::Now();
    b.Stop();
    EXPECT_EQ(Clock::Now(), begin);
    EXPECT_THAT(b.ends(), ElementsAre("stopped"));
    EXPECT_EQ(b.stops(), 0);
    EXPECT_THAT(b.line().TakeRequests(), Each(std::string("GET")));
    EXPECT_TRUE(a.leads());
  });
}

TEST(LeaderElector, ALeaseWonInTheMomentOfStoppingIsReleased) {
  Simulated([] {
    Place place;
    Replica a(place, "a");
    a.line().Set({.latency = 2s});
    a.Start();
    // The answer is on its way.
    EXPECT_LT(TimeUntil([&] { return place.client().Get<coordinationv1::Lease>({"default", "op"}).has_value(); }),
              1min);
    a.Stop();
    EXPECT_TRUE(a.terms().empty());
    EXPECT_EQ(place.Record().holder, "");
  });
}

TEST(LeaderElector, TellsPrometheusAndSendsEvents) {
  Simulated([] {
    Place place;
    MetricRegistry registry;
    std::vector<std::string> events;
    Replica a(place, "a",
              {.labels = {{"team", "blue"}},
               .metrics = LeaderElectionMetrics::Create(registry, "op").value(),
               .on_event = [&](const coordinationv1::Lease& lease, std::string_view message) {
                 EXPECT_EQ(lease.metadata.name, "op");
                 EXPECT_FALSE(lease.metadata.uid.empty());
                 events.emplace_back(message);
               }});
    EXPECT_THAT(registry.Render(), HasSubstr("leader_election_master_status{name=\"op\"} 0"));
    a.Start();
    Sleep(9s);
    const coordinationv1::Lease labelled = place.Lease();
    EXPECT_EQ(*labelled.metadata.labels.find("team"), "blue");
    EXPECT_THAT(registry.Render(), HasSubstr("leader_election_master_status{name=\"op\"} 1"));
    EXPECT_THAT(registry.Render(),
                HasSubstr("keelson_leader_election_renewals_total{name=\"op\",result=\"success\"} 4"));
    coordinationv1::Lease lease = place.Lease();
    lease.metadata.annotations["touched"] = "yes";  // its version is no longer the one that the leader knows
    ASSERT_TRUE(place.client().Update(lease));
    Sleep(2s);
    EXPECT_THAT(registry.Render(), HasSubstr("leader_election_slowpath_total{name=\"op\"} 1"));
    a.line().Set({.refuse = true});
    Sleep(2s);
    a.line().Set({});
    EXPECT_THAT(registry.Render(),
                HasSubstr("keelson_leader_election_renewals_total{name=\"op\",result=\"failure\"} 1"));
    place.Steal("thief");
    Sleep(2s);
    EXPECT_THAT(registry.Render(), HasSubstr("leader_election_master_status{name=\"op\"} 0"));
    EXPECT_THAT(registry.Render(), HasSubstr("keelson_leader_election_transitions_total{name=\"op\"} 1"));
    EXPECT_THAT(events, ElementsAre("a became leader", "a stopped leading"));
    a.Stop();
  });
}

TEST(LeaderElector, IsUnhealthyWhenATermGoesOnAfterTheLeaseExpired) {
  Simulated([] {
    Place place;
    Replica a(place, "a");
    a.Start();
    Sleep(20s + 1ms);
    EXPECT_TRUE(a.elector().CheckHealth(20s));
    a.line().Set({.hang = true, .deaf = true});
    Sleep(34s);
    EXPECT_FALSE(a.leads());
    EXPECT_TRUE(a.elector().CheckHealth(20s));
    Sleep(2s);
    const Result<void> health = a.elector().CheckHealth(20s);
    ASSERT_FALSE(health);
    EXPECT_THAT(health.error().message(), HasSubstr("lease default/op was last renewed 36"));
    a.line().Set({});
    Sleep(1min);
    EXPECT_TRUE(a.elector().CheckHealth(20s));
  });
}

// What client-go wrote when it began to lead, after a renewal, and after it released (tests/data/election).
std::vector<coordinationv1::Lease> RecordedLeases() {
  std::vector<coordinationv1::Lease> leases;
  std::ifstream file(KEELSON_TEST_DATA "/election/client_go.jsonl");
  for (std::string line; std::getline(file, line);) {
    leases.push_back(FromJson<coordinationv1::Lease>(line).value());
  }
  return leases;
}

TEST(LeaderRecord, OfClientGoComesBackAsItWas) {
  const std::vector<coordinationv1::Lease> leases = RecordedLeases();
  ASSERT_EQ(leases.size(), 3u);
  for (const coordinationv1::Lease& lease : leases) {
    EXPECT_EQ(ToJson(SpecOf(RecordOf(lease.spec))), ToJson(lease.spec));
  }
}

TEST(LeaderRecord, IsWhatClientGoWritesInTheSameLife) {
  const std::vector<coordinationv1::Lease> leases = RecordedLeases();
  ASSERT_EQ(leases.size(), 3u);
  std::vector<std::string> recorded, written;
  for (const coordinationv1::Lease& lease : leases) recorded.push_back(ToJson(lease.spec));
  // At the instants of the recording, so that every byte can be compared.
  const auto at = [&](int i) { return WallTime(RecordOf(leases[i].spec).renew_time.ToSysMicroseconds()); };
  const Duration renewal = at(1) - at(0);
  const ScopedLogCapture quiet;
  Simulation simulation({.seed = 1, .start = at(0)});
  const Result<void> done = simulation.Run([&] {
    Place place;
    Replica go(place, "go-candidate", {.retry_period = renewal / 2});
    go.Start();
    Sleep(1s);
    written.push_back(ToJson(place.Lease().spec));
    Sleep(renewal - 1s + 1us);
    written.push_back(ToJson(place.Lease().spec));
    Sleep(at(2) - Clock::WallNow());
    go.Stop();
    written.push_back(ToJson(place.Lease().spec));
  });
  ASSERT_TRUE(done) << done.error().message();
  EXPECT_EQ(written, recorded);
}

TEST(FencedTransport, HoldsBackWritesUnlessLeading) {
  Simulated([] {
    Place place;
    Replica a(place, "a");
    const auto line = std::make_shared<Line>(place.server(), 1);
    const Client client(std::make_shared<FencedTransport>(line, a.elector().fence()));
    const auto map = [](std::string name) {
      return corev1::ConfigMap{.metadata = {.name = std::move(name), .namespace_ = "default"}};
    };
    const Result<corev1::ConfigMap> before = client.Create(map("before"));
    ASSERT_FALSE(before);
    EXPECT_EQ(before.error().code(), ErrorCode::kCancelled);
    EXPECT_THAT(before.error().message(), HasSubstr("does not hold the lease default/op"));
    EXPECT_TRUE(client.List<corev1::ConfigMap>({.namespace_ = "default"}));
    EXPECT_THAT(line->TakeRequests(), ElementsAre("GET"));
    a.Start();
    Sleep(1s);
    EXPECT_TRUE(client.Create(map("during")));
    // One that is under way ends when the lease is lost, long before its own deadline.
    a.line().Set({.refuse = true});
    line->Set({.hang = true});
    const StopSource mine;
    for (const StopToken& stop : {StopToken(), mine.token()}) {
      const Result<corev1::ConfigMap> late = client.Create(map("late"), {.scope = {.stop = stop}});
      ASSERT_FALSE(late);
      EXPECT_EQ(late.error().code(), ErrorCode::kCancelled);
      EXPECT_EQ(Clock::BootNow().time_since_epoch() - a.terms()[0].began, 10s);
    }
    EXPECT_THAT(line->TakeRequests(), ElementsAre("POST", "POST"));
  });
}

}  // namespace
}  // namespace keelson
