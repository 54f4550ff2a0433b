#include "keelson/codec/internal/json_scan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>

#include "keelson/core/random.h"

namespace keelson::internal {
namespace {

// The obvious form: the size of the container at the beginning of the text. A backslash makes no quote of the next
// character, in strings and outside of them, where no JSON has one.
std::optional<size_t> SizeSlowly(std::string_view text) {
  size_t depth = 0;
  bool in_string = false, escaped = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' && !escaped) in_string = !in_string;
    escaped = c == '\\' && !escaped;
    if (in_string) continue;
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && --depth == 0) return i + 1;
  }
  return std::nullopt;
}

// Text of the characters that matter, starting with a bracket. It need not be JSON.
std::string RandomText(Random& random) {
  std::string text = random() % 2 == 0 ? "{" : "[";
  const size_t size = random() % 400;
  const bool many_opens = random() % 2 == 0;
  while (text.size() < size) {
    const uint64_t dice = random() % 100;
    if (dice < 8) {
      text += many_opens ? "{[" : "{";
    } else if (dice < 16) {
      text += "}]"[random() % 2];
    } else if (dice < 30) {
      text += '"';
    } else if (dice < 36) {
      text.append(random() % 4 + 1, '\\');
    } else {
      text += static_cast<char>(random());
    }
  }
  return text;
}

TEST(JsonScan, KernelsFindTheEndThatTheObviousFormFinds) {
  Random random(11);
  for (int round = 0; round < 20000; ++round) {
    const std::string text = RandomText(random);
    const std::optional<size_t> expected = SizeSlowly(text);
    for (const JsonScanKernel& kernel : JsonScanKernels()) {
      // In parts of random sizes, each in memory of its own so that a read beyond is seen by a sanitizer.
      JsonScanState state;
      std::optional<size_t> found;
      for (size_t at = 0; at < text.size() && !found;) {
        const std::string part = text.substr(at, random() % 200 + 1);
        const char* const end = kernel.find_end(state, part.data(), part.data() + part.size(), SIZE_MAX);
        if (end != nullptr) found = at + static_cast<size_t>(end - part.data());
        at += part.size();
      }
      ASSERT_EQ(found, expected) << kernel.name << ": " << text;
      if (found) {
        ASSERT_EQ(state.depth, 0u) << kernel.name;
        ASSERT_FALSE(state.in_string || state.escaped) << kernel.name;
      }
    }
  }
}

TEST(JsonScan, KernelsStopWhereItBecomesTooDeepHoweverItIsCut) {
  for (size_t before = 0; before < 130; ++before) {
    const std::string text =
        "[" + std::string(before, ' ') + std::string(99, '[') + std::string(99, ']') + "{\"[\":[]}]";
    for (const JsonScanKernel& kernel : JsonScanKernels()) {
      for (const size_t part : {size_t{1}, size_t{63}, size_t{64}, size_t{100}, text.size()}) {
        for (const size_t max_depth : {size_t{99}, size_t{100}}) {
          JsonScanState state;
          const char* end = nullptr;
          for (size_t at = 0; at < text.size() && end == nullptr && state.depth <= max_depth; at += part) {
            end = kernel.find_end(state, text.data() + at, text.data() + std::min(at + part, text.size()), max_depth);
          }
          ASSERT_EQ(end == nullptr, max_depth == 99) << kernel.name << " " << part << " " << before;
          if (end != nullptr) {
            ASSERT_EQ(end, text.data() + text.size());
          } else {
            ASSERT_GT(state.depth, max_depth);
          }
        }
      }
    }
  }
}

TEST(JsonScan, KernelsFindTheFirstLooseBrace) {
  Random random(12);
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    const size_t size = random() % 400;
    const uint64_t rarity = random() % 50 + 2;
    while (text.size() < size) {
      text += random() % rarity == 0 ? "}{ \n\xff"[random() % 5] : random() % 4 == 0 ? '}' : "a,\"]:[~!"[random() % 8];
    }
    size_t expected = 0;
    while (expected + 1 < text.size() &&
           !(text[expected] == '}' &&
             (text[expected + 1] == '{' || static_cast<signed char>(text[expected + 1]) <= ' '))) {
      ++expected;
    }
    if (expected + 1 >= text.size()) expected = text.size();
    for (const JsonScanKernel& kernel : JsonScanKernels()) {
      const size_t found = kernel.find_loose_brace(text);
      if (found == text.size() && text.size() - expected <= 64) continue;  // not seen so near to the end
      if (kernel.name == "baseline" && found == text.size()) continue;     // nor at all on some machines
      ASSERT_EQ(found, expected) << kernel.name << ": " << text;
    }
  }
}

TEST(JsonScan, TheBestKernelIsTheFirst) {
  EXPECT_EQ(JsonScanner().name, JsonScanKernels().front().name);
  EXPECT_EQ(JsonScanKernels().back().name, "baseline");
}

}  // namespace
}  // namespace keelson::internal
