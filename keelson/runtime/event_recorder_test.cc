// The recorder against the embedded server, on virtual time.
#include "keelson/runtime/event_recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "keelson/apiserver/api_server.h"
#include "keelson/core/log.h"
#include "keelson/runtime/event_test_support.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

void Pause(Duration span) { (void)SleepFor(span, {}); }

TEST(EventRecorder, TheSameEventIsOneObjectWithACount) {
  InSimulation([] {
    EventCluster cluster(ApiServer::Make().value());
    EventBroadcaster events({.client = cluster.client});
    const EventRecorder recorder = events.RecorderFor("count-controller");
    const Unstructured count = TestCount();
    for (int i = 0; i < 3; ++i) {
      recorder.Event(count, EventType::kNormal, "Synced", "Count synced successfully");
      Pause(60s);
    }
    ASSERT_TRUE(events.Stop(10s));

    const std::vector<corev1::Event> written = cluster.events();
    ASSERT_THAT(written, SizeIs(1));
    const corev1::Event& event = written[0];
    EXPECT_EQ(event.metadata.name, "test-count.1816687ec0570000");  // 2025-01-01T00:00:00Z in nanoseconds
    EXPECT_EQ(event.metadata.namespace_, "default");
    EXPECT_EQ(event.count, 3);
    EXPECT_EQ(event.firstTimestamp.ToString(), "2025-01-01T00:00:00Z");
    EXPECT_EQ(event.lastTimestamp.ToString(), "2025-01-01T00:02:00Z");
    // The columns of `kubectl describe`: Type, Reason, Age, From, Message.
    EXPECT_EQ(event.type, "Normal");
    EXPECT_EQ(event.reason, "Synced");
    EXPECT_EQ(event.source.component, "count-controller");
    EXPECT_EQ(event.message, "Count synced successfully");
    // By which kubectl finds it.
    const auto found = cluster.sure.List<corev1::Event>(
        {.namespace_ = "default",
         .fields = fields::Parse("involvedObject.kind=Count,involvedObject.name=test-count,"
                                 "involvedObject.uid=f702028e-363c-4959-9bc9-bee146b1d746")
                       .value()});
    ASSERT_TRUE(found);
    EXPECT_EQ(found->items.size(), 1u);
    EXPECT_EQ(cluster.gate->methods(), "POST PATCH PATCH");
    EXPECT_EQ(events.count(EventOutcome::kRecorded), 3u);
    EXPECT_EQ(events.count(EventOutcome::kWritten), 3u);
  });
}

TEST(EventRecorder, OccurrencesThatWaitTogetherAreOneWrite) {
  InSimulation([] {
    EventCluster cluster(ApiServer::Make().value());
    cluster.gate->Set(Gate::State::kRefuses);
    EventBroadcaster events({.client = cluster.client});
    const EventRecorder recorder = events.RecorderFor("c");
    for (int i = 0; i < 5; ++i) {
      recorder.Event(TestCount(), EventType::kNormal, "Synced", "yes");
      Pause(1s);
    }
    cluster.gate->Set(Gate::State::kOpen);
    ASSERT_TRUE(events.Stop(10s));
    ASSERT_THAT(cluster.events(), SizeIs(1));
    EXPECT_EQ(cluster.events()[0].count, 5);
    EXPECT_EQ(cluster.events()[0].lastTimestamp.ToString(), "2025-01-01T00:00:04Z");
    EXPECT_EQ(events.count(EventOutcome::kWritten), 1u);
  });
}

TEST(EventRecorder, FromTheTenthMessageOnSimilarEventsAreCombined) {
  InSimulation([] {
    EventCluster cluster(ApiServer::Make().value());
    EventBroadcaster events({.client = cluster.client});
    const EventRecorder recorder = events.RecorderFor("c");
    for (int i = 1; i <= 12; ++i) {
      recorder.Eventf(TestCount(), EventType::kWarning, "Failed", "attempt {}", i);
      Pause(1s);
    }
    ASSERT_TRUE(events.Stop(10s));
    std::map<std::string, int> counts;
    for (const corev1::Event& event : cluster.events()) counts[event.message] = event.count;
    EXPECT_THAT(counts, SizeIs(10));
    EXPECT_EQ(counts["attempt 9"], 1);
    EXPECT_EQ(counts["(combined from similar events): attempt 12"], 3);
  });
}

TEST(EventRecorder, WritesAboutOneObjectAreLimited) {
  InSimulation([] {
    EventCluster cluster(ApiServer::Make().value());
    EventBroadcaster events({.client = cluster.client});
    const EventRecorder recorder = events.RecorderFor("c");
    const auto tell = [&](int times) {
      for (int i = 0; i < times; ++i) {
        recorder.Event(TestCount(), EventType::kNormal, "Again", "and again");
        Pause(1ms);
      }
    };
    tell(40);
    Pause(1s);
    ASSERT_THAT(cluster.events(), SizeIs(1));
    EXPECT_EQ(cluster.events()[0].count, 25);
    EXPECT_EQ(events.count(EventOutcome::kRateLimited), 15u);
    // Others are not held up by it.
    corev1::Pod pod{.metadata = {.name = "web", .namespace_ = "default", .uid = "1"}};
    recorder.Event(pod, EventType::kNormal, "Again", "and again");
    Pause(1s);
    EXPECT_THAT(cluster.events(), SizeIs(2));
    // Five minutes later there may be one more, and it has the whole count.
    Pause(5min);
    tell(2);
    ASSERT_TRUE(events.Stop(10s));
    EXPECT_EQ(cluster.events()[0].count, 41);
    EXPECT_EQ(events.count(EventOutcome::kRateLimited), 16u);
  });
}

TEST(EventRecorder, AFullQueueDropsAndNeverWaits) {
  InSimulation([] {
    EventCluster cluster(ApiServer::Make().value());
    cluster.gate->Set(Gate::State::kHangs);
    MetricRegistry registry;
    EventBroadcaster events(
        {.client = cluster.client, .capacity = 10, .metrics = EventMetrics::Create(registry).value()});
    const EventRecorder recorder = events.RecorderFor("c");
    const TimePoint before = Clock::Now();
    for (int i = 0; i < 100; ++i) {
      corev1::ConfigMap map{.metadata = {.name = "map-" + std::to_string(i), .namespace_ = "default"}};
      recorder.Event(map, EventType::kNormal, "Made", "it is there");
    }
    EXPECT_EQ(Clock::Now(), before);
    EXPECT_EQ(events.count(EventOutcome::kRecorded), 10u);
    EXPECT_EQ(events.count(EventOutcome::kQueueFull), 90u);
    EXPECT_THAT(registry.Render(), HasSubstr("event_recorder_events_total{outcome=\"queue_full\"} 90"));
    cluster.gate->Set(Gate::State::kOpen);
    Pause(1min);
    EXPECT_THAT(cluster.events(), SizeIs(10));
    // There is room again.
    recorder.Event(TestCount(), EventType::kNormal, "Made", "it is there");
    ASSERT_TRUE(events.Stop(1s));
    EXPECT_THAT(cluster.events(), SizeIs(11));
  });
}

TEST(EventRecorder, EventsSurviveAServerThatIsAwayForAWhile) {
  for (const Gate::State state : {Gate::State::kRefuses, Gate::State::kUnavailable, Gate::State::kHangs}) {
    InSimulation([&] {
      EventCluster cluster(ApiServer::Make().value());
      cluster.gate->Set(state);
      EventBroadcaster events({.client = cluster.client});
      const EventRecorder recorder = events.RecorderFor("c");
      for (int i = 0; i < 5; ++i) recorder.Eventf(TestCount(), EventType::kNormal, "Step", "step {}", i);
      Pause(60s);
      EXPECT_THAT(cluster.events(), SizeIs(0));
      EXPECT_LE(cluster.gate->requests().size(), 8u);  // no busy loop
      cluster.gate->Set(Gate::State::kOpen);
      Pause(25s);
      std::vector<std::string> messages;
      for (const corev1::Event& event : cluster.events()) messages.push_back(event.message);
      EXPECT_THAT(messages, ElementsAre("step 0", "step 1", "step 2", "step 3", "step 4"));
      EXPECT_TRUE(events.Stop(0s));
    });
  }
}

TEST(EventRecorder, AWriteWhoseAnswerWasLostIsNotDoubled) {
  InSimulation([] {
    EventCluster cluster(ApiServer::Make().value());
    cluster.gate->Set(Gate::State::kLosesAnswers);
    EventBroadcaster events({.client = cluster.client});
    const EventRecorder recorder = events.RecorderFor("c");
    recorder.Event(TestCount(), EventType::kNormal, "Synced", "yes");
    Pause(100ms);
    recorder.Event(TestCount(), EventType::kNormal, "Synced", "yes");
    cluster.gate->Set(Gate::State::kOpen);
    ASSERT_TRUE(events.Stop(10s));
    ASSERT_THAT(cluster.events(), SizeIs(1));
    EXPECT_EQ(cluster.events()[0].count, 2);
    EXPECT_EQ(cluster.gate->methods(), "POST POST PATCH");
  });
}

TEST(EventRecorder, AnEventThatCannotBeWrittenIsGivenUpAfterTwelveTries) {
  InSimulation([] {
    EventCluster cluster(ApiServer::Make().value());
    cluster.gate->Set(Gate::State::kRefuses);
    EventBroadcaster events({.client = cluster.client});
    const EventRecorder recorder = events.RecorderFor("c");
    recorder.Event(TestCount(), EventType::kNormal, "Synced", "yes");
    Pause(10min);
    EXPECT_THAT(cluster.gate->requests(), SizeIs(12));
    EXPECT_EQ(events.count(EventOutcome::kGaveUp), 1u);
    EXPECT_TRUE(events.Stop(0s));
  });
}

TEST(EventRecorder, WhatTheServerRefusesIsNotTriedAgainAndHoldsUpNobody) {
  InSimulation([] {
    EventCluster cluster(ApiServer::Make().value());
    EventBroadcaster events({.client = cluster.client});
    const EventRecorder recorder = events.RecorderFor("c");
    const EventRecorder bad = events.RecorderFor("not a qualified name", {.api = EventApi::kEvents});
    bad.Event(TestCount(), EventType::kNormal, "Synced", "no");
    recorder.Event(TestCount(), EventType::kNormal, "Synced", "yes");
    Pause(1s);
    EXPECT_THAT(cluster.events(), SizeIs(1));
    EXPECT_EQ(events.count(EventOutcome::kRefused), 1u);
    EXPECT_EQ(cluster.gate->methods(), "POST POST");
  });
}

TEST(EventRecorder, StopWritesWhatWaits) {
  InSimulation([] {
    EventCluster cluster(ApiServer::Make().value());
    cluster.gate->Set(Gate::State::kRefuses);
    EventBroadcaster events({.client = cluster.client});
    const EventRecorder recorder = events.RecorderFor("c");
    for (int i = 0; i < 8; ++i) recorder.Eventf(TestCount(), EventType::kNormal, "Step", "step {}", i);
    Pause(15s);
    Thread repair("repair", [&] {
      Pause(20s);  // longer than twelve tries take now
      cluster.gate->Set(Gate::State::kOpen);
    });
    const TimePoint before = Clock::Now();
    EXPECT_TRUE(events.Stop(1min));
    EXPECT_LE(Clock::Now() - before, 21s);
    EXPECT_THAT(cluster.events(), SizeIs(8));
    // Nothing is taken from now on, nor lost unseen.
    recorder.Event(TestCount(), EventType::kNormal, "Late", "too late");
    EXPECT_EQ(events.count(EventOutcome::kStopped), 1u);
  });
}

TEST(EventRecorder, StopEndsAtItsDeadlineAndSaysWhatWasLost) {
  for (const Gate::State state : {Gate::State::kRefuses, Gate::State::kHangs}) {
    InSimulation([&] {
      EventCluster cluster(ApiServer::Make().value());
      cluster.gate->Set(state);
      EventBroadcaster events({.client = cluster.client});
      const EventRecorder recorder = events.RecorderFor("c");
      for (int i = 0; i < 3; ++i) recorder.Eventf(TestCount(), EventType::kNormal, "Step", "step {}", i);
      Pause(1s);
      const TimePoint before = Clock::Now();
      const Result<void> stopped = events.Stop(5s);
      EXPECT_EQ(Clock::Now() - before, 5s);
      ASSERT_FALSE(stopped);
      EXPECT_EQ(stopped.error().code(), ErrorCode::kTimeout);
      EXPECT_THAT(stopped.error().message(), HasSubstr("3 events"));
      EXPECT_EQ(events.count(EventOutcome::kStopped), 3u);
      EXPECT_FALSE(events.Stop(5s));
    });
  }
}

TEST(EventRecorder, AnEventThatExpiredIsMadeAgainWithItsWholeCount) {
  InSimulation([] {
    EventCluster cluster(ApiServer::Make().value());
    EventBroadcaster events({.client = cluster.client});
    const EventRecorder recorder = events.RecorderFor("c");
    recorder.Event(TestCount(), EventType::kNormal, "Synced", "yes");
    Pause(1s);
    ASSERT_TRUE(cluster.sure.Delete(cluster.events()[0]));
    recorder.Event(TestCount(), EventType::kNormal, "Synced", "yes");
    ASSERT_TRUE(events.Stop(1s));
    ASSERT_THAT(cluster.events(), SizeIs(1));
    EXPECT_EQ(cluster.events()[0].count, 2);
    EXPECT_EQ(cluster.gate->methods(), "POST PATCH POST");
  });
}

TEST(EventRecorder, SeriesAreCountedHereAndWrittenNowAndThen) {
  InSimulation([] {
    EventCluster cluster(ApiServer::Make().value());
    EventBroadcaster events({.client = cluster.client});
    const EventRecorder recorder = events.RecorderFor("count-controller", {.api = EventApi::kEvents});
    const auto tell = [&] {
      recorder.Event(TestCount(), EventType::kNormal, "Synced", "note",
                     {.related = ReferenceTo(corev1::Pod{.metadata = {.name = "web", .namespace_ = "default"}}),
                      .action = "Sync"});
    };
    const auto written = [&] {
      const auto list = cluster.new_events();
      EXPECT_THAT(list, SizeIs(1));
      return list.at(0).series ? list[0].series->count : 1;
    };
    tell();
    Pause(1s);
    EXPECT_EQ(written(), 1);
    EXPECT_EQ(cluster.new_events()[0].related->name, "web");
    EXPECT_EQ(cluster.new_events()[0].action, "Sync");
    tell();
    Pause(1s);
    EXPECT_EQ(written(), 2);
    for (int i = 0; i < 58; ++i) {
      Pause(30s);
      tell();
    }
    EXPECT_EQ(written(), 2);  // 29 minutes and 2 seconds
    Pause(1min);
    EXPECT_EQ(written(), 60);  // the heartbeat
    EXPECT_EQ(cluster.new_events()[0].series->lastObservedTime.ToString(), "2025-01-01T00:29:02.000000Z");
    tell();
    Pause(13min);  // none for more than six minutes: the series ends
    EXPECT_EQ(written(), 61);
    tell();
    Pause(1s);
    EXPECT_THAT(cluster.new_events(), SizeIs(2));
    EXPECT_EQ(cluster.gate->methods(), "POST PATCH PATCH PATCH POST");
  });
}

TEST(EventRecorder, StopWritesTheCountsOfSeries) {
  InSimulation([] {
    EventCluster cluster(ApiServer::Make().value());
    EventBroadcaster events({.client = cluster.client});
    const EventRecorder recorder = events.RecorderFor("c", {.api = EventApi::kEvents});
    for (int i = 0; i < 7; ++i) {
      recorder.Event(TestCount(), EventType::kNormal, "Synced", "note");
      Pause(1s);
    }
    ASSERT_TRUE(events.Stop(1s));
    ASSERT_THAT(cluster.new_events(), SizeIs(1));
    EXPECT_EQ(cluster.new_events()[0].series->count, 7);
    EXPECT_EQ(cluster.new_events()[0].action, "Synced");  // the reason, where no action is given
    EXPECT_EQ(cluster.gate->methods(), "POST PATCH PATCH");
  });
}

TEST(EventRecorder, ALongNoteIsCutBetweenCharacters) {
  InSimulation([] {
    EventCluster cluster(ApiServer::Make().value());
    EventBroadcaster events({.client = cluster.client});
    const EventRecorder recorder = events.RecorderFor("c", {.api = EventApi::kEvents});
    recorder.Event(TestCount(), EventType::kNormal, "Synced", std::string(1023, 'a') + "\u00e9");
    ASSERT_TRUE(events.Stop(1s));
    ASSERT_THAT(cluster.new_events(), SizeIs(1));
    EXPECT_EQ(cluster.new_events()[0].note, std::string(1023, 'a'));
  });
}

TEST(EventRecorder, SinksGetEveryOccurrenceInOrder) {
  const ScopedLogCapture log({.verbosity = 1});
  InSimulation([] {
    std::vector<std::string> told;
    EventBroadcaster events({.sink = [&](const EventRecord& record) {
      told.push_back(record.regarding.name + " " + record.reason.str() + " " + record.message.str());
      if (told.size() == 2) throw std::runtime_error("sinks may throw");
    }});
    const EventRecorder recorder = events.RecorderFor("c");
    const corev1::Pod pod{.metadata = {.name = "web", .namespace_ = "default"}};
    recorder.Event(pod, EventType::kNormal, "A", "one");
    recorder.Event(pod, EventType::kNormal, "A", "one");
    recorder.Eventf(pod, EventType::kWarning, "B", "{} of {}", pod.metadata.name, 2);
    ASSERT_TRUE(events.Stop(0s));
    EXPECT_THAT(told, ElementsAre("web A one", "web A one", "web B web of 2"));
  });
  EXPECT_THAT(log.lines(),
              ElementsAre(HasSubstr(R"("Event occurred" logger="events" object="default/web" fieldPath="" kind="Pod" )"
                                    R"(apiVersion="v1" type="Normal" reason="A" message="one")"),
                          HasSubstr(R"(message="one")"), HasSubstr("sinks may throw"), HasSubstr("web of 2")));
}

TEST(EventRecorder, AnObjectWithoutAKindIsReported) {
  const ScopedLogCapture log;
  InSimulation([] {
    EventBroadcaster events({});
    events.RecorderFor("c").Event(Unstructured(), EventType::kNormal, "A", "b");
    EXPECT_EQ(events.count(EventOutcome::kNoReference), 1u);
    EXPECT_EQ(events.count(EventOutcome::kRecorded), 0u);
  });
  EXPECT_THAT(log.lines(), ElementsAre(HasSubstr("the object does not say its kind")));
}

TEST(EventRecorder, ARecorderMayOutliveItsBroadcaster) {
  InSimulation([] {
    auto events = std::make_unique<EventBroadcaster>(EventBroadcasterOptions{});
    const EventRecorder recorder = events->RecorderFor("c");
    events.reset();
    recorder.Event(TestCount(), EventType::kNormal, "A", "b");
  });
}

TEST(EventRecorder, RealThreadsMayRecordAtOnce) {
  std::map<std::string, int> told;
  EventBroadcaster events({.sink = [&](const EventRecord& record) { ++told[record.reason]; }});
  {
    std::vector<Thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back("reconciler", [&, t] {
        const EventRecorder recorder = events.RecorderFor("c");
        for (int i = 0; i < 200; ++i) recorder.Event(TestCount(), EventType::kNormal, std::to_string(t), "message");
      });
    }
    for (Thread& thread : threads) thread.Join();
  }
  EXPECT_TRUE(events.Stop(1min));
  EXPECT_THAT(told, ElementsAre(testing::Pair("0", 200), testing::Pair("1", 200), testing::Pair("2", 200),
                                testing::Pair("3", 200)));
}

// Threads that record while the server fails now and then: in the end every occurrence is in a count, once.
void RunSchedule(uint64_t seed, uint64_t* trace) {
  Simulation simulation({.seed = seed});
  const Result<void> done = simulation.Run([&] {
    EventCluster cluster(ApiServer::Make().value());
    cluster.gate->SetFaults(0.2, seed);
    EventBroadcaster events({.client = cluster.client, .correlator = {.burst = 1000}});
    {
      std::vector<Thread> threads;
      for (int t = 0; t < 3; ++t) {
        threads.emplace_back("reconciler", [&, t] {
          const EventRecorder recorder = events.RecorderFor("c", {.api = t == 0 ? EventApi::kEvents : EventApi::kCore});
          for (int i = 0; i < 12; ++i) {
            recorder.Eventf(TestCount(), EventType::kNormal, "Step", "step {}", i % 4);
            if (i % 3 == 0) Pause(1s);
          }
        });
      }
      for (Thread& thread : threads) thread.Join();
    }
    EXPECT_TRUE(events.Stop(10min)) << "seed " << seed;
    EXPECT_EQ(events.count(EventOutcome::kRecorded), 36u);
    int series = 0, counted = 0;
    for (const corev1::Event& event : cluster.events()) {
      if (event.eventTime.IsZero()) {
        counted += event.count;
      } else {
        series += event.series ? event.series->count : 1;
      }
    }
    EXPECT_EQ(events.count(EventOutcome::kRefused), 0u) << "seed " << seed;
    EXPECT_EQ(series, 12) << "seed " << seed;
    EXPECT_EQ(counted, 24) << "seed " << seed;
    EXPECT_EQ(cluster.events().size(), 5u) << "seed " << seed;
  });
  ASSERT_TRUE(done) << "seed " << seed << ": " << done.error().message();
  *trace = simulation.trace_hash();
}

TEST(EventRecorder, NoOccurrenceIsLostOrDoubledInAnySchedule) {
  uint64_t trace = 0;
  for (uint64_t seed = 0; seed < 300 && !testing::Test::HasFailure(); ++seed) RunSchedule(seed, &trace);
}

TEST(EventRecorder, ASeedReplaysARun) {
  uint64_t first = 0, second = 0;
  RunSchedule(7, &first);
  RunSchedule(7, &second);
  EXPECT_EQ(first, second);
}

}  // namespace
}  // namespace keelson
