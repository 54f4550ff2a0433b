#include "keelson/transport/thread_scope.h"

#include <gtest/gtest.h>

#include <optional>

#include "keelson/core/thread.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;

const TimePoint kEarly = TimePoint(10s);
const TimePoint kLate = TimePoint(20s);

TEST(ThreadScope, ACallWithoutAScopeGetsTheThreads) {
  EXPECT_EQ(ThreadScope::Current(), nullptr);
  StopSource stop;
  {
    const ThreadScope scope({.stop = stop.token(), .deadline = kLate});
    const CallScope effective = EffectiveScope({});
    EXPECT_EQ(effective.deadline, kLate);
    EXPECT_FALSE(effective.stop.StopRequested());
    stop.RequestStop();
    EXPECT_TRUE(effective.stop.StopRequested());
    const CallScope none;
    EXPECT_TRUE(JoinedScope(none).get().stop.StopRequested());
  }
  EXPECT_EQ(ThreadScope::Current(), nullptr);
  EXPECT_FALSE(EffectiveScope({}).stop.StopPossible());
}

TEST(ThreadScope, TheEarlierDeadlineCounts) {
  const ThreadScope scope({.deadline = kEarly});
  EXPECT_EQ(EffectiveScope({.deadline = kLate}).deadline, kEarly);
  EXPECT_EQ(EffectiveScope({.deadline = TimePoint(5s)}).deadline, TimePoint(5s));
  const CallScope late{.deadline = kLate};
  EXPECT_EQ(JoinedScope(late).get().deadline, kEarly);
  const CallScope earlier{.deadline = TimePoint(5s)};
  EXPECT_EQ(&JoinedScope(earlier).get(), &earlier) << "it needs nothing of the thread's";
}

TEST(ThreadScope, ACallEndsByItsOwnStopAndByTheThreads) {
  for (const bool by_thread : {true, false}) {
    StopSource own, of_thread;
    const ThreadScope scope({.stop = of_thread.token()});
    const CallScope given{.stop = own.token(), .deadline = kLate};
    const JoinedScope joined(given);
    EXPECT_EQ(joined.get().deadline, kLate);
    EXPECT_FALSE(joined.get().stop.StopRequested());
    (by_thread ? of_thread : own).RequestStop();
    EXPECT_TRUE(joined.get().stop.StopRequested());
    EXPECT_EQ(EffectiveScope(given).stop.StopRequested(), !by_thread) << "what outlives the call ends by its own";
  }
}

TEST(ThreadScope, OneWithinAnotherEndsByBoth) {
  StopSource outer_stop, inner_stop;
  const ThreadScope outer({.stop = outer_stop.token(), .deadline = kEarly});
  {
    const ThreadScope inner({.stop = inner_stop.token(), .deadline = kLate});
    EXPECT_EQ(EffectiveScope({}).deadline, kEarly);
    EXPECT_FALSE(EffectiveScope({}).stop.StopRequested());
    inner_stop.RequestStop();
    EXPECT_TRUE(EffectiveScope({}).stop.StopRequested());
  }
  EXPECT_FALSE(EffectiveScope({}).stop.StopRequested());
  {
    const ThreadScope inner({.deadline = TimePoint(5s)});
    EXPECT_EQ(EffectiveScope({}).deadline, TimePoint(5s));
    outer_stop.RequestStop();
    EXPECT_TRUE(EffectiveScope({}).stop.StopRequested()) << "an inner one without a stop keeps the outer's";
  }
}

TEST(ThreadScope, OtherThreadsDoNotHaveIt) {
  const ThreadScope scope({.deadline = kEarly});
  std::optional<TimePoint> seen;
  Thread other("other", [&] { seen = EffectiveScope({}).deadline; });
  other.Join();
  EXPECT_EQ(seen, TimePoint::max());
}

}  // namespace
}  // namespace keelson
