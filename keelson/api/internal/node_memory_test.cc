#include "keelson/api/internal/node_memory.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "keelson/api/list.h"
#include "keelson/api/string.h"
#include "keelson/core/thread.h"

namespace keelson::internal {
namespace {

TEST(NodeMemory, BlocksOfEverySizeAreWholeAndApart) {
  std::vector<std::pair<unsigned char*, size_t>> blocks;
  for (int round = 0; round < 3; ++round) {
    for (size_t size = 8; size < 1200; ++size) {
      auto* block = static_cast<unsigned char*>(TakeNodeMemory(size));
      EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % alignof(void*), 0u);
      std::memset(block, static_cast<int>(size % 251), size);
      blocks.emplace_back(block, size);
    }
    for (const auto& [block, size] : blocks) {
      ASSERT_EQ(block[0], size % 251);
      ASSERT_EQ(block[size - 1], size % 251);
      GiveNodeMemory(block);
    }
    blocks.clear();
  }
}

TEST(NodeMemory, GrownBlocksKeepTheirContentAndCanBeTakenAgain) {
  for (int round = 0; round < 10; ++round) {
    size_t size = 16;
    auto* block = static_cast<unsigned char*>(TakeNodeMemory(size));
    block[0] = 7;
    for (; size < 5000; size *= 2) {
      block = static_cast<unsigned char*>(GrowNodeMemory(block, 2 * size));
      block[2 * size - 1] = 9;
      EXPECT_EQ(block[0], 7);
    }
    GiveNodeMemory(block);
  }
}

// A thread that ends gives back what it kept, whoever took it; leak checkers see to the rest.
TEST(NodeMemory, BlocksMayBeGivenOnAnotherThreadThanTheyWereTakenOn) {
  std::vector<void*> blocks;
  for (int i = 0; i < 10000; ++i) blocks.push_back(TakeNodeMemory(24 + static_cast<size_t>(i % 40) * 16));
  Thread("giver", [&] {
    for (size_t i = 0; i < blocks.size(); ++i) GiveNodeMemory(blocks[i]);
  });
  std::set<void*> taken;
  for (int i = 0; i < 1000; ++i) taken.insert(TakeNodeMemory(40));
  EXPECT_EQ(taken.size(), 1000u);
  for (void* block : taken) GiveNodeMemory(block);
}

// Its destructor runs when the thread ends, perhaps after what the thread kept has been given back.
struct HeldByThread {
  List<String> texts;
};
thread_local HeldByThread held;

TEST(NodeMemory, ValuesOfThreadLifetimeMayOutliveWhatTheThreadKept) {
  for (int i = 0; i < 3; ++i) {
    Thread("holder", [] {
      for (int n = 0; n < 100; ++n) held.texts.push_back("text " + std::to_string(n));
      EXPECT_EQ(std::as_const(held.texts)[99], "text 99");
    });
  }
}

}  // namespace
}  // namespace keelson::internal
