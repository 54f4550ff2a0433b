#include "keelson/cache/reflector_machine.h"

#include <gtest/gtest.h>

#include "keelson/api/status_error.h"

namespace keelson {

// For messages of failed tests.
inline void PrintTo(const ReflectorCommand& command, std::ostream* out) {
  *out << static_cast<int>(command.kind) << " \"" << command.version << "\" " << FormatDuration(command.wait);
}

namespace {

using namespace std::chrono_literals;
using Input = ReflectorInput::Kind;
using Command = ReflectorCommand::Kind;

// A reflector's machine by itself: what it is told and what it commands.
class Machine {
 public:
  explicit Machine(ReflectorPolicy policy = {}) : policy_(policy) {}

  ReflectorCommand Tell(const ReflectorInput& input) {
    ReflectorStep step = Step(state_, input, policy_);
    state_ = step.state;
    return step.command;
  }
  ReflectorCommand Start() { return Tell({.kind = Input::kStarted}); }
  ReflectorCommand Fail(ReflectorFailure failure) { return Tell({.kind = Input::kFailed, .failure = failure}); }
  ReflectorCommand Listed(std::string version) { return Tell({.kind = Input::kListed, .version = std::move(version)}); }
  ReflectorCommand Saw(std::string version) { return Tell({.kind = Input::kSaw, .version = std::move(version)}); }
  ReflectorCommand Waited() { return Tell({.kind = Input::kWaited}); }

 private:
  const ReflectorPolicy policy_;
  ReflectorState state_;
};

const ReflectorPolicy kPlain = {.streaming = false};

ReflectorCommand List(std::string version) { return {.kind = Command::kList, .version = std::move(version)}; }
ReflectorCommand Watch(std::string version) { return {.kind = Command::kWatch, .version = std::move(version)}; }
ReflectorCommand Stream(std::string version) { return {.kind = Command::kStream, .version = std::move(version)}; }
ReflectorCommand Wait(Duration wait) { return {.kind = Command::kWait, .wait = wait}; }
const ReflectorCommand kGoOn = {.kind = Command::kGoOn};

TEST(ReflectorMachine, ListsFromAnyVersionThenWatchesFromTheListed) {
  Machine machine(kPlain);
  EXPECT_EQ(machine.Start(), List("0"));
  EXPECT_EQ(machine.Listed("7"), Watch("7"));
  EXPECT_EQ(machine.Saw("8"), kGoOn);
}

TEST(ReflectorMachine, AWatchThatEndsGoesOnAtTheLastVersionAtOnce) {
  Machine machine(kPlain);
  machine.Start();
  machine.Listed("7");
  machine.Saw("9");
  EXPECT_EQ(machine.Tell({.kind = Input::kEnded}), Watch("9"));
}

TEST(ReflectorMachine, AWatchThatEndsWithoutHavingShownAnythingIsOpenedAgainAfterAWait) {
  Machine machine(kPlain);
  machine.Start();
  machine.Listed("7");
  EXPECT_EQ(machine.Tell({.kind = Input::kEnded}), Wait(800ms));
  EXPECT_EQ(machine.Waited(), Watch("7"));
  EXPECT_EQ(machine.Tell({.kind = Input::kEnded}), Wait(1600ms));
  machine.Waited();
  EXPECT_EQ(machine.Tell({.kind = Input::kEnded, .lasted = true}), Watch("7")) << "unless it was open for long";
}

TEST(ReflectorMachine, AFailedWatchIsResumedAndNothingIsListed) {
  Machine machine(kPlain);
  machine.Start();
  machine.Listed("7");
  machine.Saw("9");
  EXPECT_EQ(machine.Fail(ReflectorFailure::kOther), Wait(800ms));
  EXPECT_EQ(machine.Waited(), Watch("9"));
}

TEST(ReflectorMachine, WaitsGrowToTheLongestAndShrinkWhenAWatchShowsSomething) {
  Machine machine(kPlain);
  machine.Start();
  std::vector<Duration> waits;
  for (int i = 0; i < 8; ++i) {
    waits.push_back(machine.Fail(ReflectorFailure::kOther).wait);
    EXPECT_EQ(machine.Waited(), List("0"));
  }
  EXPECT_EQ(waits, (std::vector<Duration>{800ms, 1600ms, 3200ms, 6400ms, 12800ms, 25600ms, 30s, 30s}));
  machine.Listed("7");
  EXPECT_EQ(machine.Fail(ReflectorFailure::kOther).wait, 30s) << "a list alone does not end the series";
  machine.Waited();
  machine.Saw("8");
  EXPECT_EQ(machine.Fail(ReflectorFailure::kOther).wait, 800ms);
}

TEST(ReflectorMachine, AnExpiredWatchListsNotOlderThanWhatWasSeen) {
  Machine machine(kPlain);
  machine.Start();
  machine.Listed("7");
  machine.Saw("9");
  EXPECT_EQ(machine.Fail(ReflectorFailure::kExpired), List("9"));
}

TEST(ReflectorMachine, AListWhoseVersionIsGoneIsMadeAtTheNewest) {
  for (const ReflectorFailure failure : {ReflectorFailure::kExpired, ReflectorFailure::kVersionTooLarge}) {
    Machine machine(kPlain);
    machine.Start();
    machine.Listed("7");
    machine.Saw("9");
    machine.Fail(ReflectorFailure::kExpired);
    EXPECT_EQ(machine.Fail(failure), List(""));
    EXPECT_EQ(machine.Fail(failure), Wait(800ms)) << "the newest cannot be too old: it waits";
    EXPECT_EQ(machine.Waited(), List(""));
    EXPECT_EQ(machine.Listed("20"), Watch("20"));
  }
}

TEST(ReflectorMachine, AServerThatListsWhatItWillNotWatchIsNotAskedInALoop) {
  Machine machine(kPlain);
  machine.Start();
  machine.Listed("7");
  EXPECT_EQ(machine.Fail(ReflectorFailure::kExpired), Wait(800ms));
  EXPECT_EQ(machine.Waited(), List("7"));
  machine.Listed("7");
  EXPECT_EQ(machine.Fail(ReflectorFailure::kExpired), Wait(1600ms));
}

TEST(ReflectorMachine, StreamsWhereItMayAndGoesOnWithTheSameWatch) {
  Machine machine;
  EXPECT_EQ(machine.Start(), Stream(""));
  EXPECT_EQ(machine.Listed("7"), kGoOn);
  EXPECT_EQ(machine.Saw("8"), kGoOn);
  EXPECT_EQ(machine.Fail(ReflectorFailure::kExpired), Stream("8"));
}

TEST(ReflectorMachine, ARefusedStreamBecomesAListForGood) {
  Machine machine;
  machine.Start();
  EXPECT_EQ(machine.Fail(ReflectorFailure::kRefused), List("0"));
  machine.Listed("7");
  machine.Saw("8");
  EXPECT_EQ(machine.Fail(ReflectorFailure::kExpired), List("8"));
}

TEST(ReflectorMachine, AStreamThatFailsIsFollowedByOneList) {
  Machine machine;
  machine.Start();
  EXPECT_EQ(machine.Fail(ReflectorFailure::kOther), Wait(800ms));
  EXPECT_EQ(machine.Waited(), List("0"));
  machine.Listed("7");
  machine.Saw("8");
  EXPECT_EQ(machine.Fail(ReflectorFailure::kExpired), Stream("8"));
  EXPECT_EQ(machine.Tell({.kind = Input::kEnded}), Wait(800ms)) << "a stream that ends before its list is whole failed";
}

TEST(ReflectorMachine, AMissingResourceIsAskedForEveryFewSeconds) {
  Machine machine;
  machine.Start();
  for (int i = 0; i < 10; ++i) {
    EXPECT_LE(machine.Fail(ReflectorFailure::kMissing).wait, 5s);
    EXPECT_EQ(machine.Waited(), Stream(""));
  }
}

TEST(ReflectorMachine, WaitsAtLeastAsLongAsTheServerAsks) {
  Machine machine(kPlain);
  machine.Start();
  EXPECT_EQ(machine.Tell({.kind = Input::kFailed, .retry_after = 7s}), Wait(7s));
}

TEST(ReflectorMachine, TellsFailuresApart) {
  EXPECT_EQ(FailureOf(apierrors::Expired("too old resource version: 1 (2)")), ReflectorFailure::kExpired);
  EXPECT_EQ(FailureOf(apierrors::Gone("gone")), ReflectorFailure::kExpired);
  EXPECT_EQ(FailureOf(apierrors::Timeout("Too large resource version: 9, current: 1", 1)),
            ReflectorFailure::kVersionTooLarge);
  EXPECT_EQ(FailureOf(apierrors::BadRequest("no")), ReflectorFailure::kRefused);
  EXPECT_EQ(FailureOf(apierrors::Invalid({"", "ListOptions"}, "", {})), ReflectorFailure::kRefused);
  EXPECT_EQ(FailureOf(apierrors::NotFound({"", "pods"}, "")), ReflectorFailure::kMissing);
  EXPECT_EQ(FailureOf(Error::Unsupported("no such kind")), ReflectorFailure::kMissing);
  EXPECT_EQ(FailureOf(apierrors::Unauthorized()), ReflectorFailure::kOther);
}

}  // namespace
}  // namespace keelson
