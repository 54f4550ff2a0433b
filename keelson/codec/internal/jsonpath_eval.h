// Applies a parsed JSONPath template to a value of any described type.
//
// Values are pointers with their type; nothing is converted to Json before it is compared or given out, except values
// that have no parts in their table but may have some in JSON (raw documents, unions).
#pragma once

#include <cstddef>
#include <deque>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "keelson/api/json.h"
#include "keelson/api/type.h"
#include "keelson/codec/internal/jsonpath_node.h"
#include "keelson/codec/jsonpath.h"
#include "keelson/core/result.h"

namespace keelson::internal {

struct JsonPathValue {
  const Type* type = nullptr;
  const void* data = nullptr;

  // Where Go has no value at all, which differs from a null in a document: what a range without results runs on.
  bool invalid() const { return type == nullptr; }
};
using JsonPathValues = std::vector<JsonPathValue>;

// For one evaluation. The values it gives point into the document, the template and this object.
class JsonPathEvaluator {
 public:
  JsonPathEvaluator(const Type& type, const void* data, const JsonPathOptions& options)
      : root_{&type, data}, options_(options) {}
  JsonPathEvaluator(const JsonPathEvaluator&) = delete;
  JsonPathEvaluator& operator=(const JsonPathEvaluator&) = delete;

  // The results of each part of the template, in order.
  Result<std::vector<JsonPathValues>> Run(const JsonPathNode& root);
  Json ToJson(JsonPathValue value);

 private:
  using Part = std::pair<std::string_view, JsonPathValue>;

  // The evaluation steps take their input in `values` and leave the results there. After an error it holds what Go's
  // would: a filter that asks for existence looks at it.
  Result<void> RunParts(std::span<const JsonPathNode> parts, JsonPathValue current, std::vector<JsonPathValues>& out);
  Result<void> Walk(const JsonPathNode& node, JsonPathValues& values);
  Result<void> WalkList(const JsonPathNode& list, JsonPathValues& values);
  Result<void> EvalField(const JsonPathNode& node, JsonPathValues& values);
  Result<void> EvalIdentifier(const JsonPathNode& node, JsonPathValues& values);
  Result<void> EvalSlice(const JsonPathNode& node, JsonPathValues& values);
  Result<void> EvalFilter(const JsonPathNode& node, JsonPathValues& values);
  Result<void> EvalUnion(const JsonPathNode& node, JsonPathValues& values);
  Result<void> EvalWildcard(JsonPathValues& values);
  Result<void> EvalRecursive(JsonPathValues& values);
  Result<void> Descend(JsonPathValue value, int depth, JsonPathValues& results);
  // Whether the element stays.
  Result<bool> Passes(const JsonPathNode& filter, JsonPathValue element);

  // Through optionals and dynamic values to a struct, map or list with parts, or to a scalar as Json.
  JsonPathValue Resolve(JsonPathValue value);
  bool IsNull(JsonPathValue resolved) const;
  JsonPathValue FindMember(JsonPathValue resolved, std::string_view name);
  // Members in the order of their names, elements, or the bytes of a string as Go's reflection has them.
  void AppendParts(JsonPathValue resolved, JsonPathValues& parts);
  JsonPathValue Keep(Json value);
  JsonPathValue Constant(const Json& value) const { return {&TypeOf<Json>(), &value}; }
  bool IsRoot(JsonPathValue value) const { return value.type == root_.type && value.data == root_.data; }
  Result<void> Count(size_t steps);

  const JsonPathValue root_;
  const JsonPathOptions options_;
  std::deque<Json> kept_;  // converted values, at stable addresses
  size_t steps_ = 0;

  // How {range} and {end} steer: an identifier only counts, and RunParts acts after the part it stood in.
  int begun_ranges_ = 0;
  int open_ranges_ = 0;
  int ended_ranges_ = 0;
  const JsonPathNode* last_end_ = nullptr;
};

}  // namespace keelson::internal
