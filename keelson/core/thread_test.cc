#include "keelson/core/thread.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>

#include "keelson/core/clock.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;

TEST(Thread, DestructionRequestsStopAndJoins) {
  bool stopped = false;
  {
    Thread thread("sleeper", [&](const StopToken& stop) { stopped = SleepFor(1000h, stop) == Wake::kStopped; });
  }
  EXPECT_TRUE(stopped);
}

TEST(Thread, JoinWaitsWithoutStopping) {
  bool stop_seen = true;
  Thread thread("worker", [&](const StopToken& stop) { stop_seen = stop.StopRequested(); });
  ASSERT_TRUE(thread.Joinable());
  thread.Join();
  EXPECT_FALSE(stop_seen);
  EXPECT_FALSE(thread.Joinable());
  thread.Join();
}

TEST(Thread, BodyKnowsItsNameAndHasItsOwnId) {
  std::string name;
  uint64_t id = 0;
  Thread("a name longer than the kernel keeps", [&] {
    name = this_thread::Name();
    id = this_thread::Id();
  }).Join();
  EXPECT_EQ(name, "a name longer than the kernel keeps");
  EXPECT_NE(id, 0u);
  EXPECT_NE(id, this_thread::Id());
  EXPECT_EQ(this_thread::Name(), "main");
  this_thread::Yield();
}

TEST(Thread, MoveAssignmentEndsTheThreadItReplaces) {
  std::atomic<int> ended = 0;
  auto body = [&](const StopToken& stop) {
    SleepFor(1000h, stop);
    ++ended;
  };
  Thread thread("first", body);
  thread = Thread("second", body);
  EXPECT_EQ(ended, 1);
  Thread moved = std::move(thread);
  EXPECT_FALSE(thread.Joinable());
  thread.RequestStop();  // shares the stop with the thread that moved away
  moved.Join();
  EXPECT_EQ(ended, 2);
}

TEST(Thread, TakesMoveOnlyBodies) {
  int seen = 0;
  Thread("owner", [&seen, owned = std::make_unique<int>(7)] { seen = *owned; }).Join();
  EXPECT_EQ(seen, 7);
}

TEST(Thread, HardwareConcurrencyIsAtLeastOne) { EXPECT_GE(Thread::HardwareConcurrency(), 1u); }

}  // namespace
}  // namespace keelson
