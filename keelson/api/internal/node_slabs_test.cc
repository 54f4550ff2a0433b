#include "keelson/api/internal/node_slabs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "keelson/core/random.h"
#include "keelson/core/thread.h"

namespace keelson::internal {
namespace {

std::vector<void*> Take(size_t size_class, size_t count) {
  std::vector<void*> blocks;
  while (blocks.size() < count) {
    const SlabChain chain = TakeFromSlabs(size_class, count - blocks.size());
    if (chain.first == nullptr) break;
    for (SlabBlock* block = chain.first; block != nullptr; block = block->next) blocks.push_back(block);
  }
  return blocks;
}

void Give(const std::vector<void*>& blocks) {
  SlabBlock* first = nullptr;
  for (void* block : blocks) {
    static_cast<SlabBlock*>(block)->next = first;
    first = static_cast<SlabBlock*>(block);
  }
  GiveToSlabs(first);
}

TEST(NodeSlabs, EverySizeHasAClassThatHoldsItAndWastesLittle) {
  for (size_t bytes = 1; bytes <= kMostSlabBytes; ++bytes) {
    const size_t size = SlabClassSize(SlabClassOf(bytes));
    ASSERT_GE(size, bytes);
    ASSERT_LT(size - bytes, bytes <= 512 ? 8u : 64u) << bytes;
    ASSERT_EQ(SlabClassOf(size), SlabClassOf(bytes)) << bytes;
  }
  EXPECT_EQ(SlabClassOf(kMostSlabBytes), kSlabClasses - 1);
}

TEST(NodeSlabs, AChainHasAsManyBlocksAsWereAskedForOrFewer) {
  const SlabChain chain = TakeFromSlabs(SlabClassOf(40), 10);
  size_t counted = 0;
  for (SlabBlock* block = chain.first; block != nullptr; block = block->next) ++counted;
  EXPECT_EQ(counted, chain.count);
  EXPECT_GE(counted, 1u);
  EXPECT_LE(counted, 10u);
  GiveToSlabs(chain.first);
}

TEST(NodeSlabs, BlocksAreApartAndKnowTheirClass) {
  for (const size_t bytes : {8u, 24u, 200u, 512u, 700u, 2048u}) {
    const size_t size_class = SlabClassOf(bytes);
    const std::vector<void*> blocks = Take(size_class, 5000);
    ASSERT_EQ(blocks.size(), 5000u);
    for (size_t i = 0; i < blocks.size(); ++i) std::memset(blocks[i], static_cast<int>(i % 251), bytes);
    for (size_t i = 0; i < blocks.size(); ++i) {
      ASSERT_EQ(static_cast<unsigned char*>(blocks[i])[0], i % 251);
      ASSERT_EQ(static_cast<unsigned char*>(blocks[i])[bytes - 1], i % 251);
      ASSERT_EQ(SlabClassAt(blocks[i]), size_class);
    }
    Give(blocks);
  }
}

TEST(NodeSlabs, MemoryFromElsewhereHasNoClass) {
  Give(Take(1, 1));
  int on_the_stack = 0;
  EXPECT_EQ(SlabClassAt(&on_the_stack), 0u);
  const auto on_the_heap = std::make_unique<int>();
  EXPECT_EQ(SlabClassAt(on_the_heap.get()), 0u);
  EXPECT_EQ(SlabClassAt(nullptr), 0u);
}

TEST(NodeSlabs, WhatWasGivenBackIsTakenAgainBeforeMemoryIsAskedFor) {
  const size_t size_class = SlabClassOf(1024);
  const std::vector<void*> first = Take(size_class, 20000);
  const size_t committed = CountSlabs().committed;
  Give(first);
  for (int round = 0; round < 10; ++round) Give(Take(size_class, 20000));
  // For another size too, as soon as slabs are empty.
  for (int round = 0; round < 10; ++round) Give(Take(SlabClassOf(512), 40000));
  EXPECT_EQ(CountSlabs().committed, committed);
}

TEST(NodeSlabs, EmptySlabsGiveTheirMemoryBackButForAFew) {
  const SlabUse before = CountSlabs();
  const std::vector<void*> blocks = Take(SlabClassOf(2048), 32 * 400);  // 400 slabs
  EXPECT_GE(CountSlabs().used, before.used + 399);
  Give(blocks);
  const SlabUse after = CountSlabs();
  EXPECT_LE(after.used, before.used + 1);
  EXPECT_LE(after.empty, std::max<size_t>(16, after.committed / kSlabBytes / 8));
}

// Threads take and give each other's blocks, in no order; each block is written whole while it is held.
TEST(NodeSlabs, ThreadsMayTakeAndGiveAtOnce) {
  constexpr int kThreads = 4;
  std::vector<std::vector<void*>> left(kThreads);
  {
    std::vector<Thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back("taker", [i, &left] {
        Random random(static_cast<uint64_t>(i));
        std::vector<void*> held;
        for (int round = 0; round < 3000; ++round) {
          const size_t size_class = 1 + random.Uniform<size_t>(0, kSlabClasses - 2);
          for (void* block : Take(size_class, 1 + random.Uniform<size_t>(0, 30))) {
            std::memset(block, i, SlabClassSize(size_class));
            held.push_back(block);
          }
          if (held.size() < 500) continue;
          std::vector<void*> given;
          for (int n = 0; n < 300; ++n) {
            std::swap(held[random.Uniform<size_t>(0, held.size() - 1)], held.back());
            const auto* bytes = static_cast<const unsigned char*>(held.back());
            ASSERT_EQ(bytes[0], i);
            ASSERT_EQ(bytes[SlabClassSize(SlabClassAt(bytes)) - 1], i);
            given.push_back(held.back());
            held.pop_back();
          }
          Give(given);
        }
        left[static_cast<size_t>(i)] = std::move(held);
      });
    }
  }
  std::set<void*> all;
  for (const std::vector<void*>& held : left) {
    for (void* block : held) EXPECT_TRUE(all.insert(block).second) << "two threads have one block";
  }
  for (const std::vector<void*>& held : left) Give(held);
}

}  // namespace
}  // namespace keelson::internal
