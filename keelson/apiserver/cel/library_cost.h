// What the libraries' functions cost at run time: as Kubernetes counts them, since the sum is limited.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "keelson/apiserver/cel/value.h"

namespace keelson::apiserver::cel {

inline constexpr double kTraversalFactor = 0.1;  // of a text, per code point
inline constexpr double kPatternFactor = 0.25;   // of a regular expression, per code point
inline constexpr uint64_t kListCreationCost = 10;

// Of reading a text of that length `times` times.
inline uint64_t TraversalUnits(uint64_t length, double times = 1) {
  return static_cast<uint64_t>(std::ceil(static_cast<double>(length) * times * kTraversalFactor));
}

// Of applying a pattern to a text. An empty text counts as one of length 1.
inline uint64_t MatchUnits(uint64_t text_length, uint64_t pattern_length) {
  return static_cast<uint64_t>(std::ceil((1.0 + static_cast<double>(text_length)) * kTraversalFactor)) *
         static_cast<uint64_t>(std::ceil(static_cast<double>(pattern_length) * kPatternFactor));
}

// Hooks for FunctionTable::SetCost.
inline std::optional<uint64_t> UnitCost(std::string_view, std::span<const Value>, const Value&) { return 1; }
inline std::optional<uint64_t> TraversalCost(std::string_view, std::span<const Value> args, const Value&) {
  return TraversalUnits(CostSize(args[0]));
}
// Traversal, and the making of a result of that length.
inline std::optional<uint64_t> RewriteCost(std::string_view, std::span<const Value> args, const Value&) {
  return TraversalUnits(CostSize(args[0]), 2);
}

}  // namespace keelson::apiserver::cel
