#include "keelson/codec/internal/suggest.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "keelson/api/internal/quote.h"

namespace keelson::internal {

namespace {

constexpr size_t kMaxListed = 12;
constexpr size_t kMaxCompared = 64;  // longer names are not misspellings of each other

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

// Edits that turn one into the other, letter case aside.
size_t Distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i + 1);
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t replaced = diagonal + (Lower(a[i]) == Lower(b[j]) ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string SuggestName(std::string_view wanted, std::span<const std::string_view> names) {
  if (names.empty()) return {};
  std::string_view closest;
  size_t best = wanted.size() <= 3 ? 2 : 3;  // one edit in a short name, two in a longer one
  for (const std::string_view name : names) {
    if (wanted.empty() || wanted.size() > kMaxCompared || name.size() > kMaxCompared) continue;
    const size_t distance = Distance(wanted, name);
    if (distance < best && distance < name.size()) {
      best = distance;
      closest = name;
    }
  }
  if (!closest.empty()) return "; did you mean " + Quote(closest) + "?";
  std::string list = "; it has ";
  for (size_t i = 0; i < std::min(names.size(), kMaxListed); ++i) {
    if (i > 0) list += ", ";
    list += Quote(names[i]);
  }
  if (names.size() > kMaxListed) list += ", … (" + std::to_string(names.size()) + " in all)";
  return list;
}

}  // namespace keelson::internal
