#include "keelson/core/read_scope.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <type_traits>
#include <vector>

#include "keelson/core/mutex.h"
#include "keelson/core/random.h"
#include "keelson/core/semaphore.h"
#include "keelson/core/simulation.h"
#include "keelson/core/stop_token.h"
#include "keelson/core/thread.h"

namespace keelson {
namespace {

static_assert(!std::is_copy_constructible_v<ReadScope> && !std::is_move_constructible_v<ReadScope>);
static_assert(!std::is_copy_constructible_v<Hold> && std::is_nothrow_move_constructible_v<Hold>);

// Says when it is destroyed, and whether it was read after that.
struct Node {
  explicit Node(std::atomic<int>& counter, int number = 0) : alive(counter), number(number), again(number) { ++alive; }
  ~Node() {
    again = -1;
    --alive;
  }
  std::atomic<int>& alive;
  int number;
  int again;
};

TEST(ReadScope, WhatIsRetiredIsKeptWhileAScopeIsOpen) {
  std::atomic<int> alive = 0;
  RetiredList retired;
  {
    const ReadScope scope;
    {
      const ReadScope within;
      retired.Add(std::make_unique<Node>(alive));
    }
    EXPECT_TRUE(retired.LookForUnseen().empty());
    EXPECT_EQ(alive, 1);
    EXPECT_EQ(retired.size(), 1u);
  }
  EXPECT_EQ(retired.LookForUnseen().size(), 1u);
  EXPECT_EQ(alive, 0);
  EXPECT_EQ(retired.size(), 0u);
}

TEST(ReadScope, AScopeThatBeginsLaterKeepsNothing) {
  std::atomic<int> alive = 0;
  RetiredList retired;
  Semaphore begun(0), end(0);
  {
    const ReadScope first;
    retired.Add(std::make_unique<const Node>(alive));
    EXPECT_TRUE(retired.LookForUnseen().empty());
  }
  Thread reader("reader", [&] {
    const ReadScope later;
    begun.Release();
    (void)end.Acquire({});
  });
  (void)begun.Acquire({});
  EXPECT_EQ(retired.LookForUnseen().size(), 1u);
  retired.Add(std::make_unique<const Node>(alive));
  EXPECT_TRUE(retired.LookForUnseen().empty()) << "the scope may have seen this one";
  end.Release();
  reader.Join();
  EXPECT_EQ(retired.LookForUnseen().size(), 1u);
  EXPECT_EQ(alive, 0);
}

TEST(ReadScope, ManyAreGatheredForOneLookAtTheReaders) {
  std::atomic<int> alive = 0;
  RetiredList retired;
  for (size_t i = 1; i < RetiredList::kEnough; ++i) {
    retired.Add(std::make_unique<Node>(alive));
    ASSERT_TRUE(retired.TakeUnseen().empty());
  }
  retired.Add(std::make_unique<Node>(alive));
  EXPECT_EQ(retired.TakeUnseen().size(), RetiredList::kEnough);
  retired.Add(std::make_unique<Node>(alive), RetiredList::kEnough);
  EXPECT_EQ(retired.TakeUnseen().size(), 1u);
}

TEST(ReadScope, AListDropsWhatIsLeftWithItself) {
  std::atomic<int> alive = 0;
  {
    RetiredList retired;
    retired.Add(std::make_unique<Node>(alive));
    retired.Add(std::unique_ptr<Node>());
    EXPECT_EQ(retired.size(), 1u);
  }
  EXPECT_EQ(alive, 0);
}

TEST(ReadScope, CanBeOpenedInWhatIsDestroyedAtTheEndOfAThread) {
  std::atomic<int> opened = 0;
  struct AtTheEnd {
    std::atomic<int>* opened = nullptr;
    ~AtTheEnd() {
      if (opened == nullptr) return;
      for (int i = 0; i < 2; ++i) {
        const ReadScope scope;
        ++*opened;
      }
    }
  };
  for (int i = 0; i < 2; ++i) {
    Thread("ends", [&] {
      static thread_local AtTheEnd at_the_end;  // made before the thread's first scope, and so destroyed after it
      at_the_end.opened = &opened;
      const ReadScope scope;
    }).Join();
  }
  EXPECT_EQ(opened, 4);
  std::atomic<int> alive = 0;
  RetiredList retired;
  retired.Add(std::make_unique<Node>(alive));
  EXPECT_EQ(retired.LookForUnseen().size(), 1u) << "no scope was left behind";
}

TEST(ReadScope, ReadersNeverSeeWhatWasDropped) {
  std::atomic<int> alive = 0;
  constexpr size_t kPlaces = 8;
  std::array<std::atomic<const Node*>, kPlaces> places;
  for (auto& place : places) place = new Node(alive);
  StopSource stop;
  std::atomic<uint64_t> reads = 0;
  {
    std::vector<Thread> threads;
    for (int r = 0; r < 3; ++r) {
      threads.emplace_back("reader", [&, r] {
        Random random(static_cast<uint64_t>(r));
        while (!stop.StopRequested()) {
          const ReadScope scope;
          std::array<const Node*, kPlaces> found;
          for (const Node*& node : found) {
            node = places[random.Uniform<size_t>(0, kPlaces - 1)].load(std::memory_order_acquire);
          }
          for (const Node* node : found) ASSERT_EQ(node->number, node->again);
          ++reads;
        }
      });
    }
    // Two writers, each with its own half and its own list.
    for (size_t w = 0; w < 2; ++w) {
      threads.emplace_back("writer", [&, w] {
        RetiredList retired;
        for (int i = 1; i < 20000 || reads < 1000; ++i) {
          const size_t at = w * kPlaces / 2 + static_cast<size_t>(i) % (kPlaces / 2);
          retired.Add(std::unique_ptr<const Node>(places[at].exchange(new Node(alive, i), std::memory_order_acq_rel)));
          retired.TakeUnseen();
        }
        while (retired.size() != 0) retired.LookForUnseen();
      });
    }
    threads[3].Join();
    threads[4].Join();
    stop.RequestStop();
  }
  EXPECT_EQ(alive, static_cast<int>(kPlaces));
  for (auto& place : places) delete place.load();
}

TEST(Hold, KeepsWhatItsScopeFoundWhereverItEnds) {
  std::atomic<int> alive = 0;
  RetiredList retired;
  Hold hold;
  {
    auto kept = std::make_unique<Node>(alive);
    const ReadScope scope;
    hold = Hold(scope, kept.get());
    ASSERT_TRUE(hold);
    retired.Add(std::move(kept));
    retired.Add(std::make_unique<Node>(alive));
  }
  EXPECT_EQ(retired.LookForUnseen().size(), 1u) << "the other one";
  EXPECT_EQ(alive, 1);
  Hold moved = std::move(hold);
  EXPECT_FALSE(hold);
  EXPECT_TRUE(retired.LookForUnseen().empty());
  EXPECT_EQ(retired.size(), 1u);
  Thread("other", [held = std::move(moved)] {}).Join();
  EXPECT_EQ(retired.LookForUnseen().size(), 1u);
  EXPECT_EQ(alive, 0);
}

TEST(Hold, NamesWhatIsRetiredAsAPartOfAnother) {
  std::atomic<int> alive = 0;
  RetiredList retired;
  auto owner = std::make_unique<std::unique_ptr<Node>>(std::make_unique<Node>(alive));
  const Node* const node = owner->get();
  Hold hold;
  {
    const ReadScope scope;
    hold = Hold(scope, node);
    retired.AddHeldAs(node, std::move(owner));
  }
  EXPECT_TRUE(retired.LookForUnseen().empty());
  hold = {};
  EXPECT_EQ(retired.LookForUnseen().size(), 1u);
  EXPECT_EQ(alive, 0);
}

TEST(Hold, OfAThreadAreAFewAndComeBack) {
  std::array<int, internal::ScopedReader::kHolds + 1> things{};
  for (int round = 0; round < 3; ++round) {
    std::vector<Hold> holds;
    for (const int& thing : things) {
      const ReadScope scope;
      Hold hold(scope, &thing);
      EXPECT_EQ(static_cast<bool>(hold), holds.size() < internal::ScopedReader::kHolds);
      if (hold) holds.push_back(std::move(hold));
    }
    holds.erase(holds.begin() + round);
    const ReadScope scope;
    EXPECT_TRUE(Hold(scope, &things[0])) << "where one has ended";
  }
}

TEST(Hold, OutlivesTheListAndAnotherListDropsIt) {
  std::atomic<int> alive = 0;
  Hold hold;
  {
    RetiredList retired;
    auto kept = std::make_unique<Node>(alive);
    {
      const ReadScope scope;
      hold = Hold(scope, kept.get());
    }
    retired.Add(std::move(kept));
    retired.Add(std::make_unique<Node>(alive));
  }
  EXPECT_EQ(alive, 1);
  RetiredList other;
  other.LookForUnseen();
  EXPECT_EQ(alive, 1);
  hold = {};
  other.LookForUnseen();
  EXPECT_EQ(alive, 0);
}

TEST(Hold, OfListsThatComeAndGoLeavesNothingBehindWhenItHasEnded) {
  std::atomic<int> alive = 0;
  for (int round = 0; round < 100; ++round) {
    Hold hold;
    {
      RetiredList retired;
      auto kept = std::make_unique<Node>(alive);
      const ReadScope scope;
      hold = Hold(scope, kept.get());
      retired.Add(std::move(kept));
    }
    EXPECT_EQ(alive, 1) << "that which is held";
  }
  RetiredList().LookForUnseen();
  EXPECT_EQ(alive, 0);
}

TEST(Hold, KeepsWhileWritersReplaceAndOthersEndIt) {
  std::atomic<int> alive = 0;
  std::atomic<const Node*> place = new Node(alive);
  StopSource stop;
  std::atomic<uint64_t> reads = 0;
  struct Kept {
    Hold hold;
    const Node* node = nullptr;
  };
  Mutex mutex{"handed on"};
  std::vector<Kept> handed_on;  // guarded by mutex
  {
    std::vector<Thread> threads;
    for (int r = 0; r < 3; ++r) {
      threads.emplace_back("reader", [&, r] {
        Random random(static_cast<uint64_t>(r));
        std::array<Kept, 5> kept;
        while (!stop.StopRequested()) {
          Kept& one = kept[random.Uniform<size_t>(0, kept.size() - 1)];
          if (one.node != nullptr) {
            ASSERT_EQ(one.node->number, one.node->again);
          }
          one = {};
          const ReadScope scope;
          const Node* node = place.load(std::memory_order_acquire);
          Hold hold(scope, node);
          ++reads;
          if (!hold) continue;  // others still have all of this thread's
          if (random.Chance(0.1)) {
            MutexLock lock(mutex);
            if (handed_on.size() < 8) handed_on.push_back({std::move(hold), node});
          } else {
            one = {std::move(hold), node};
          }
        }
      });
    }
    threads.emplace_back("ends those of others", [&] {
      while (!stop.StopRequested()) {
        std::vector<Kept> taken;
        {
          MutexLock lock(mutex);
          taken.swap(handed_on);
        }
        for (const Kept& one : taken) ASSERT_EQ(one.node->number, one.node->again);
      }
    });
    RetiredList retired;
    for (int i = 1; (i < 20000 || reads < 10000) && !HasFailure(); ++i) {
      retired.Add(std::unique_ptr<const Node>(place.exchange(new Node(alive, i), std::memory_order_acq_rel)));
      retired.TakeUnseen();
      // A reader that the system has put aside within its scope keeps all of this until it goes on.
      for (int looks = 0; retired.size() >= 10000; ++looks) {
        if (looks == 1'000'000) {
          ADD_FAILURE() << retired.size() << " are kept although the readers go on";
          break;
        }
        this_thread::Yield();
        retired.LookForUnseen();
      }
    }
    stop.RequestStop();
    threads.clear();
    handed_on.clear();
    while (retired.size() != 0) retired.LookForUnseen();
  }
  EXPECT_EQ(alive, 1);
  delete place.load();
}

TEST(ReadScope, IsInvisibleToASimulation) {
  const auto run = [](bool scopes) {
    Simulation simulation({.seed = 7});
    EXPECT_TRUE(simulation.Run([&] {
      Semaphore turn(0);
      Thread other("other", [&] {
        if (scopes) {
          const ReadScope scope;
          (void)turn.Acquire({});
        } else {
          (void)turn.Acquire({});
        }
      });
      std::atomic<int> alive = 0;
      RetiredList retired;
      if (scopes) {
        retired.Add(std::make_unique<Node>(alive));
        retired.LookForUnseen();
      }
      turn.Release();
      other.Join();
    }));
    return simulation.trace_hash();
  };
  EXPECT_EQ(run(true), run(false));
}

}  // namespace
}  // namespace keelson
