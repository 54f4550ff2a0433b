#include "keelson/core/mutex.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace keelson {
namespace {

TEST(Mutex, KeepsConcurrentIncrementsApart) {
  Mutex mutex("test");
  int total = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 5000; ++i) {
        MutexLock lock(mutex);
        ++total;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(total, 20000);
}

TEST(Mutex, TryLockFailsWhileAnotherThreadHoldsIt) {
  Mutex mutex;
  bool taken_while_held = true;
  {
    MutexLock lock(mutex);
    std::thread([&] { taken_while_held = mutex.TryLock(); }).join();
  }
  EXPECT_FALSE(taken_while_held);
  ASSERT_TRUE(mutex.TryLock());
  mutex.Unlock();
}

TEST(MutexLock, GapReleasesTheMutex) {
  Mutex mutex;
  MutexLock lock(mutex);
  lock.Unlock();
  bool taken = mutex.TryLock();
  ASSERT_TRUE(taken);
  mutex.Unlock();
  lock.Lock();
  std::thread([&] { taken = mutex.TryLock(); }).join();
  EXPECT_FALSE(taken);
}

TEST(SharedMutex, ReadersShareAndWritersDoNot) {
  SharedMutex mutex;
  int value = 0;
  {
    ReaderLock first(mutex);
    std::thread([&] { ReaderLock second(mutex); }).join();  // would hang if readers excluded each other
  }
  std::vector<std::thread> writers;
  for (int t = 0; t < 4; ++t) {
    writers.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) {
        WriterLock lock(mutex);
        ++value;
      }
    });
  }
  for (auto& thread : writers) thread.join();
  ReaderLock lock(mutex);
  EXPECT_EQ(value, 4000);
}

constinit Mutex global_mutex;

TEST(Mutex, IsUsableAsAConstantInitialisedGlobal) {
  MutexLock lock(global_mutex);
  EXPECT_FALSE(internal::CurrentScheduler());
}

}  // namespace
}  // namespace keelson
