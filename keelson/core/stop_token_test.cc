#include "keelson/core/stop_token.h"

#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <vector>

#include "keelson/core/simulation.h"
#include "keelson/core/thread.h"

namespace keelson {
namespace {

TEST(StopToken, OfNothingNeverStops) {
  StopToken token;
  EXPECT_FALSE(token.StopPossible());
  EXPECT_FALSE(token.StopRequested());
  bool ran = false;
  {
    StopCallback callback(token, [&] { ran = true; });
  }
  EXPECT_FALSE(ran);
}

TEST(StopSource, FirstRequestIsSeenByEveryToken) {
  StopSource source;
  StopToken early = source.token();
  StopSource copy = source;
  EXPECT_FALSE(early.StopRequested());
  EXPECT_TRUE(source.RequestStop());
  EXPECT_FALSE(copy.RequestStop());
  EXPECT_TRUE(early.StopRequested());
  EXPECT_TRUE(copy.token().StopRequested());
}

TEST(StopCallback, RunsInOrderOfRegistrationUnlessRemoved) {
  StopSource source;
  std::vector<int> ran;
  StopCallback first(source.token(), [&] { ran.push_back(1); });
  {
    StopCallback removed(source.token(), [&] { ran.push_back(2); });
  }
  StopCallback third(source.token(), [&] { ran.push_back(3); });
  source.RequestStop();
  EXPECT_EQ(ran, (std::vector<int>{1, 3}));
}

TEST(StopCallback, RunsAtOnceAfterTheRequest) {
  StopSource source;
  source.RequestStop();
  bool ran = false;
  StopCallback late(source.token(), [&] { ran = true; });
  EXPECT_TRUE(ran);
}

TEST(StopCallback, MayDestroyItself) {
  struct Callback {
    std::optional<StopCallback<Callback>>* holder;
    int* runs;
    void operator()() {
      ++*runs;
      holder->reset();
    }
  };
  StopSource source;
  int runs = 0;
  std::optional<StopCallback<Callback>> holder;
  holder.emplace(source.token(), Callback{&holder, &runs});
  source.RequestStop();
  EXPECT_EQ(runs, 1);
  EXPECT_FALSE(holder);
}

TEST(StopCallback, DestructionWaitsForARunningCallback) {
  std::set<bool> outcomes;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Simulation simulation({.seed = seed});
    Result<void> result = simulation.Run([&] {
      StopSource source;
      bool began = false;
      bool ended = false;
      std::optional<Thread> requester;
      {
        StopCallback callback(source.token(), [&] {
          began = true;
          this_thread::Yield();
          this_thread::Yield();
          ended = true;
        });
        requester.emplace("requester", [&] { source.RequestStop(); });
        this_thread::Yield();
      }
      EXPECT_EQ(began, ended) << "the callback was still running after its removal, seed " << seed;
      outcomes.insert(began);
    });
    ASSERT_TRUE(result) << result.error().message();
  }
  EXPECT_EQ(outcomes.size(), 2u) << "all seeds took the same way";
}

TEST(StopCallback, RequestMayDestroyTheSource) {
  auto source = std::make_optional<StopSource>();
  StopToken token = source->token();
  StopCallback callback(token, [&] { source.reset(); });
  EXPECT_TRUE(source->RequestStop());
  EXPECT_FALSE(source);
}

}  // namespace
}  // namespace keelson
