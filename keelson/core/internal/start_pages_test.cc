#include "keelson/core/internal/start_pages.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <string>

#include "keelson/core/simulation.h"

namespace keelson::internal {
namespace {

// Constants of this program: several pages of the file that nothing else has a part in.
constexpr size_t kPage = 4096;
constexpr size_t kPages = 64;
struct alignas(kPage) Constants {
  unsigned char bytes[kPages * kPage] = {1, 2, 3};
};
const Constants constants;

const volatile unsigned char* Bytes() { return constants.bytes; }

unsigned TouchAll() {
  unsigned sum = 0;
  for (size_t i = 0; i < kPages; ++i) sum += Bytes()[i * kPage];
  return sum;
}

long ResidentOfFiles() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("RssFile:")) return std::stol(line.substr(8)) * 1024;
  }
  return -1;
}

bool CanTell() { return sysconf(_SC_PAGESIZE) == kPage && access("/proc/self/pagemap", R_OK) == 0; }

TEST(StartPages, CodeAndConstantsAreDroppedAndComeBack) {
  if (!CanTell()) GTEST_SKIP() << "needs /proc/self/pagemap";
  EXPECT_EQ(TouchAll(), 1u);
  const long before = ResidentOfFiles();
  const size_t dropped = DropUnchangedCode();
  const long after = ResidentOfFiles();
  EXPECT_GE(dropped, sizeof constants);
  EXPECT_LT(after, before - static_cast<long>(sizeof constants));
  EXPECT_EQ(TouchAll(), 1u);
  EXPECT_EQ(Bytes()[2], 3);
}

TEST(StartPages, WhatWasWrittenToStays) {
  if (!CanTell()) GTEST_SKIP() << "needs /proc/self/pagemap";
  auto* page = const_cast<unsigned char*>(constants.bytes) + 5 * kPage;
  ASSERT_EQ(mprotect(page, kPage, PROT_READ | PROT_WRITE), 0);
  *static_cast<volatile unsigned char*>(page) = 42;
  ASSERT_EQ(mprotect(page, kPage, PROT_READ), 0);
  TouchAll();
  EXPECT_GT(DropUnchangedCode(), 0u);
  EXPECT_EQ(Bytes()[5 * kPage], 42);
  EXPECT_EQ(Bytes()[4 * kPage], 0);
  ASSERT_EQ(mprotect(page, kPage, PROT_READ | PROT_WRITE), 0);
  *static_cast<volatile unsigned char*>(page) = 0;
  ASSERT_EQ(mprotect(page, kPage, PROT_READ), 0);
}

TEST(StartPages, NothingHappensInASimulation) {
  Simulation run({.seed = 1});
  ASSERT_TRUE(run.Run([] { EXPECT_EQ(DropUnchangedCode(), 0u); }));
}

}  // namespace
}  // namespace keelson::internal
