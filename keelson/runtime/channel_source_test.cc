#include "keelson/runtime/channel_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "keelson/api/core/v1.h"
#include "keelson/core/clock.h"
#include "keelson/core/thread.h"
#include "keelson/runtime/source_test_support.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Alarm {
  std::string app;
};
const auto kAddApp = [](const Alarm& alarm, RequestSink<Request>& sink) { sink.Add({"apps", alarm.app}); };

corev1::ConfigMap Map(const char* name) { return {.metadata = {.name = name, .namespace_ = "default"}}; }
void Settle() { (void)SleepFor(1s, {}); }

TEST(ChannelSource, ObjectsGoThroughPredicateAndEnqueuer) {
  InSimulation([] {
    auto channel = std::make_shared<EventChannel<corev1::ConfigMap>>("reload");
    const auto source = ChannelSource<Request>::Make(
        channel, EnqueueSelf(), Predicate([](const ObjectEvent& event) { return event.identity().name != "b"; }));
    EXPECT_EQ(source->description(), "channel reload");
    RequestQueue<Request> queue;
    ASSERT_TRUE(source->Start(queue, {}));
    EXPECT_EQ(source->WaitForSync({}, TimePoint::max()), Wake::kReady);
    EXPECT_TRUE(channel->Push(Map("a"), {}));
    EXPECT_TRUE(channel->TryPush(Map("b")));
    Settle();
    EXPECT_THAT(Drain(queue), ElementsAre("default/a: channel reload default/a event"));
    source->Stop();
  });
}

TEST(ChannelSource, TakesUnstructuredObjectsAndValuesOfAnyType) {
  InSimulation([] {
    auto objects = std::make_shared<EventChannel<Unstructured>>("objects");
    auto alarms = std::make_shared<EventChannel<Alarm>>("alarms");
    const auto by_object = ChannelSource<Request>::Make(objects, EnqueueSelf());
    const auto by_value = ChannelSource<Request>::Make(alarms, kAddApp);
    RequestQueue<Request> queue;
    ASSERT_TRUE(by_object->Start(queue, {}));
    ASSERT_TRUE(by_value->Start(queue, {}));
    EXPECT_TRUE(objects->Push(ToUnstructured(Map("a")), {}));
    Settle();
    EXPECT_TRUE(alarms->Push({"shop"}, {}));
    Settle();
    EXPECT_THAT(Drain(queue),
                ElementsAre("default/a: channel objects default/a event", "apps/shop: channel alarms event"));
  });
}

TEST(ChannelSource, EveryControllerGetsEveryEvent) {
  InSimulation([] {
    auto channel = std::make_shared<EventChannel<Alarm>>("alarms", 4);
    const auto first = ChannelSource<Request>::Make(channel, kAddApp);
    const auto second = ChannelSource<Request>::Make(channel, kAddApp);
    RequestQueue<Request> a, b;
    ASSERT_TRUE(first->Start(a, {}));
    ASSERT_TRUE(second->Start(b, {}));
    for (int i = 0; i < 100; ++i) ASSERT_TRUE(channel->Push({std::to_string(i)}, {}));
    Settle();
    EXPECT_EQ(a.Length(), 100u);
    EXPECT_EQ(b.Length(), 100u);
    first->Stop();
    ASSERT_TRUE(channel->Push({"more"}, {}));
    Settle();
    EXPECT_EQ(a.Length(), 100u);
    EXPECT_EQ(b.Length(), 101u);
  });
}

TEST(ChannelSource, EventsBeforeTheStartWaitForIt) {
  InSimulation([] {
    auto channel = std::make_shared<EventChannel<Alarm>>("alarms", 2);
    // Nobody subscribes yet: they are for the first who does.
    EXPECT_TRUE(channel->TryPush({"a"}));
    const auto first = ChannelSource<Request>::Make(channel, kAddApp);
    const auto second = ChannelSource<Request>::Make(channel, kAddApp);
    EXPECT_TRUE(channel->TryPush({"b"}));
    EXPECT_FALSE(channel->TryPush({"c"}));
    RequestQueue<Request> a, b;
    ASSERT_TRUE(second->Start(b, {}));
    Settle();
    EXPECT_FALSE(channel->TryPush({"c"})) << "the first one has no room still";
    ASSERT_TRUE(first->Start(a, {}));
    Settle();
    EXPECT_TRUE(channel->TryPush({"c"}));
    Settle();
    EXPECT_THAT(Drain(a), ElementsAre("apps/a: channel alarms event", "apps/b: channel alarms event",
                                      "apps/c: channel alarms event"));
    EXPECT_THAT(Drain(b), ElementsAre("apps/b: channel alarms event", "apps/c: channel alarms event"));
  });
}

TEST(ChannelSource, PushWaitsForRoomOrStop) {
  InSimulation([] {
    auto channel = std::make_shared<EventChannel<Alarm>>("alarms", 1);
    const auto source = ChannelSource<Request>::Make(channel, [](const Alarm& alarm, RequestSink<Request>& sink) {
      (void)SleepFor(10s, sink.stop());
      sink.Add({"apps", alarm.app});
    });
    RequestQueue<Request> queue;
    ASSERT_TRUE(source->Start(queue, {}));
    const TimePoint begin = Clock::Now();
    ASSERT_TRUE(channel->Push({"a"}, {}));  // is worked on for ten seconds
    (void)SleepFor(1s, {});
    ASSERT_TRUE(channel->Push({"b"}, {}));  // waits behind it
    EXPECT_EQ(Clock::Now() - begin, 1s);
    EXPECT_FALSE(channel->TryPush({"c"}));
    StopSource stop;
    Thread stopper("stopper", [&] {
      (void)SleepFor(2s, {});
      stop.RequestStop();
    });
    EXPECT_FALSE(channel->Push({"d"}, stop.token()));
    EXPECT_EQ(Clock::Now() - begin, 3s);
    ASSERT_TRUE(channel->Push({"e"}, {}));
    EXPECT_EQ(Clock::Now() - begin, 10s);
    (void)SleepFor(1min, {});
    EXPECT_THAT(Drain(queue), ElementsAre("apps/a: channel alarms event", "apps/b: channel alarms event",
                                          "apps/e: channel alarms event"));
  });
}

TEST(ChannelSource, WhoStopsHoldsNobodyUp) {
  InSimulation([] {
    auto channel = std::make_shared<EventChannel<Alarm>>("alarms", 1);
    const auto slow = ChannelSource<Request>::Make(channel, kAddApp);  // never started
    const auto quick = ChannelSource<Request>::Make(channel, kAddApp);
    RequestQueue<Request> queue;
    ASSERT_TRUE(quick->Start(queue, {}));
    ASSERT_TRUE(channel->Push({"a"}, {}));
    Thread stopper("stopper", [&] {
      (void)SleepFor(5s, {});
      slow->Stop();
    });
    const TimePoint begin = Clock::Now();
    ASSERT_TRUE(channel->Push({"b"}, {}));
    EXPECT_EQ(Clock::Now() - begin, 5s);
    Settle();
    EXPECT_EQ(queue.Length(), 2u);
  });
}

TEST(ChannelSource, AClosedChannelDeliversWhatItHas) {
  InSimulation([] {
    auto channel = std::make_shared<EventChannel<Alarm>>("alarms", 2);
    const auto source = ChannelSource<Request>::Make(channel, kAddApp);
    ASSERT_TRUE(channel->Push({"a"}, {}));
    ASSERT_TRUE(channel->Push({"b"}, {}));
    Thread closer("closer", [&] {
      (void)SleepFor(1s, {});
      channel->Close();
    });
    EXPECT_FALSE(channel->Push({"c"}, {}));
    EXPECT_FALSE(channel->TryPush({"c"}));
    RequestQueue<Request> queue;
    ASSERT_TRUE(source->Start(queue, {}));
    channel.reset();
    Settle();
    EXPECT_THAT(Drain(queue), ElementsAre("apps/a: channel alarms event", "apps/b: channel alarms event"));
  });
}

TEST(ChannelSource, StopsWithItsControllerAndByItself) {
  InSimulation([] {
    auto channel = std::make_shared<EventChannel<Alarm>>("alarms");
    RequestQueue<Request> queue;
    {
      StopSource stop;
      const auto source = ChannelSource<Request>::Make(channel, kAddApp);
      ASSERT_TRUE(source->Start(queue, stop.token()));
      EXPECT_FALSE(source->Start(queue, stop.token()));
      stop.RequestStop();
      Settle();
      EXPECT_TRUE(channel->TryPush({"a"}));
      Settle();
      source->Stop();
      source->Stop();
    }
    const auto source = ChannelSource<Request>::Make(channel, kAddApp);
    ASSERT_TRUE(source->Start(queue, {}));
    source->Stop();
    EXPECT_TRUE(channel->TryPush({"b"}));
    Settle();
    EXPECT_THAT(Drain(queue), IsEmpty());
  });
}

TEST(ChannelSource, ExceptionsAreLoggedAndTheNextEventComes) {
  const ScopedLogCapture log;
  InSimulation([] {
    auto channel = std::make_shared<EventChannel<Alarm>>("alarms");
    const auto source = ChannelSource<Request>::Make(channel, [](const Alarm& alarm, RequestSink<Request>& sink) {
      if (alarm.app == "bad") throw std::runtime_error("no idea");
      sink.Add({"apps", alarm.app});
    });
    RequestQueue<Request> queue;
    ASSERT_TRUE(source->Start(queue, {}));
    EXPECT_TRUE(channel->TryPush({"bad"}));
    EXPECT_TRUE(channel->TryPush({"good"}));
    Settle();
    EXPECT_THAT(Drain(queue), ElementsAre("apps/good: channel alarms event"));
  });
  EXPECT_THAT(log.lines(), ElementsAre(AllOf(HasSubstr("no idea"), HasSubstr("channel alarms"))));
}

// Whatever the order of threads: every event that was pushed arrives, once, at each controller.
TEST(ChannelSource, LosesNothingInAnyOrderOfThreads) {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    InSimulation(
        [] {
          auto channel = std::make_shared<EventChannel<Alarm>>("alarms", 2);
          std::vector<std::string> first_got, second_got;
          const auto keep = [](std::vector<std::string>& got) {
            return [&got](const Alarm& alarm, RequestSink<Request>&) { got.push_back(alarm.app); };
          };
          const auto first = ChannelSource<Request>::Make(channel, keep(first_got));
          const auto second = ChannelSource<Request>::Make(channel, keep(second_got));
          RequestQueue<Request> queue;
          ASSERT_TRUE(first->Start(queue, {}));
          std::vector<Thread> pushers;
          for (int pusher = 0; pusher < 3; ++pusher) {
            pushers.emplace_back("pusher", [channel, pusher] {
              for (int i = 0; i < 5; ++i) EXPECT_TRUE(channel->Push({std::to_string(pusher * 10 + i)}, {}));
            });
          }
          ASSERT_TRUE(second->Start(queue, {}));
          for (Thread& pusher : pushers) pusher.Join();
          Settle();
          first->Stop();
          second->Stop();
          EXPECT_EQ(first_got.size(), 15u);
          EXPECT_EQ(first_got, second_got);
          std::sort(first_got.begin(), first_got.end());
          EXPECT_EQ(std::unique(first_got.begin(), first_got.end()), first_got.end());
        },
        seed);
  }
}

}  // namespace
}  // namespace keelson
