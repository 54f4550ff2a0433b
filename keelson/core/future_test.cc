#include "keelson/core/future.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "keelson/core/thread.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;

TEST(Future, DeliversTheResultToEveryCopy) {
  Promise<std::string> promise;
  Future<std::string> future = promise.future();
  Future<std::string> copy = future;
  EXPECT_FALSE(future.Ready());
  Thread setter("setter", [&] { promise.Set("done"); });
  EXPECT_EQ(future.Get({}).value(), "done");
  EXPECT_EQ(copy.Get({}).value(), "done");
  EXPECT_TRUE(copy.Ready());
}

TEST(Future, DeliversErrors) {
  Promise<void> promise;
  promise.Set(Error::NotFound("gone"));
  Result<void> result = promise.future().Get({});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), ErrorCode::kNotFound);
}

TEST(Future, FirstResultWins) {
  Promise<int> promise;
  EXPECT_TRUE(promise.Set(1));
  EXPECT_FALSE(promise.Set(2));
  EXPECT_EQ(promise.future().Get({}).value(), 1);
}

TEST(Future, AbandonedPromiseIsAnError) {
  auto promise = std::make_unique<Promise<int>>();
  Future<int> future = promise->future();
  promise.reset();
  EXPECT_EQ(future.Get({}).error().code(), ErrorCode::kInternal);
  EXPECT_EQ(future.Get({}).error().message(), "promise was destroyed before a result was set");
}

TEST(Future, MovedPromiseAbandonsOnlyWhatItReplaced) {
  Promise<int> first;
  Promise<int> second;
  Future<int> replaced = second.future();
  Future<int> kept = first.future();
  second = std::move(first);
  EXPECT_EQ(replaced.Get({}).error().code(), ErrorCode::kInternal);
  EXPECT_FALSE(kept.Ready());
  second.Set(3);
  EXPECT_EQ(kept.Get({}).value(), 3);
}

TEST(Future, StopAndTimeoutEndTheWait) {
  Promise<int> promise;
  Future<int> future = promise.future();
  StopSource source;
  source.RequestStop();
  EXPECT_EQ(future.Get(source.token()).error().code(), ErrorCode::kCancelled);
  EXPECT_EQ(future.WaitFor(0s, {}), Wake::kTimeout);
}

TEST(Future, TakeMovesTheValueOut) {
  Promise<std::unique_ptr<int>> promise;
  Future<std::unique_ptr<int>> future = promise.future();
  promise.Set(std::make_unique<int>(8));
  Result<std::unique_ptr<int>> taken = std::move(future).Take({});
  ASSERT_TRUE(taken);
  EXPECT_EQ(**taken, 8);
}

}  // namespace
}  // namespace keelson
