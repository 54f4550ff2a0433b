// What an expression will cost at most, told before it runs, from the sizes that a schema allows.
//
//   CostRange cost = EstimateCost(ast, sizes);
//   if (cost.max > kLimit) Refuse();
//
// The numbers are those of a kube-apiserver: they decide which rules a CustomResourceDefinition may have.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "keelson/apiserver/cel/ast.h"

namespace keelson::apiserver::cel {

// Sums and products that stop at UINT64_MAX.
uint64_t AddSaturated(uint64_t a, uint64_t b);
uint64_t MultiplySaturated(uint64_t a, uint64_t b);
uint64_t MultiplyRoundedUp(uint64_t a, double factor);

// A range from the least to the most: of the size of a text, list or map, or of a cost.
struct Range {
  uint64_t min = 0;
  uint64_t max = 0;

  static Range Exactly(uint64_t value) { return {value, value}; }
  static Range Unknown() { return {0, UINT64_MAX}; }

  Range operator+(const Range& other) const { return {AddSaturated(min, other.min), AddSaturated(max, other.max)}; }
  Range operator*(const Range& other) const {
    return {MultiplySaturated(min, other.min), MultiplySaturated(max, other.max)};
  }
  Range operator*(double factor) const { return {MultiplyRoundedUp(min, factor), MultiplyRoundedUp(max, factor)}; }
  // The smallest range that has both in it.
  Range Union(const Range& other) const {
    return {min < other.min ? min : other.min, max > other.max ? max : other.max};
  }
};
using SizeRange = Range;
using CostRange = Range;

// How large the data can be that an expression reaches.
class SizeSource {
 public:
  virtual ~SizeSource() = default;
  // `path` is that of a value below a variable, without the variable: names of fields, "@items", "@keys", "@values".
  // Nothing when it leads nowhere.
  virtual std::optional<SizeRange> SizeAt(std::span<const std::string> path) const = 0;
};

// `ast` was checked without errors.
CostRange EstimateCost(const Ast& ast, const SizeSource& sizes);

}  // namespace keelson::apiserver::cel
