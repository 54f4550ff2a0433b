// Sets of fields: who manages what in an object is told by them.
//
//   KEELSON_TRY(set, FieldSet::Parse(R"({"f:spec":{"f:replicas":{}}})"));
//   set.Insert(path);  set = set.Difference(other);  std::string text = set.ToText();
//
// A set is a tree. A node stands for a step of a path and says whether the path that ends there is a member, and what
// is in the set below it. Nodes are kept in the order in which a Kubernetes server writes them; there is no node
// without a member at or below it.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/api/json.h"
#include "keelson/core/result.h"

namespace keelson::apiserver {

// One step of a path: a member of an object, or an element of a list told by its keys, its value or its place.
class PathElement {
 public:
  enum class Kind : uint8_t { kField, kKey, kValue, kIndex };

  static PathElement Field(String name) { return {Kind::kField, std::move(name), {}}; }
  static PathElement Field(std::string_view name) { return Field(String(name)); }
  static PathElement Field(const char* name) { return Field(String(name)); }
  // An object of the element's keys and their values.
  static PathElement Key(Json keys) { return {Kind::kKey, {}, std::move(keys)}; }
  static PathElement Value(Json value) { return {Kind::kValue, {}, std::move(value)}; }
  static PathElement Index(int64_t index) { return {Kind::kIndex, {}, Json(index)}; }
  // "f:spec", "k:{\"name\":\"a\"}", "v:1", "i:0"; nothing for a step of an unknown kind.
  static Result<std::optional<PathElement>> Parse(std::string_view text);

  Kind kind() const { return kind_; }
  const String& name() const& { return name_; }  // of a field
  const Json& value() const& { return value_; }  // of the others

  // For people: ".spec", "[name=\"a\"]", "[=1]", "[0]".
  std::string ToString() const;
  // As Parse reads it.
  void AppendText(std::string& out) const;
  // The same in quotes, as it stands in the text of a set.
  void AppendQuoted(std::string& out) const;

  friend int Compare(const PathElement& a, const PathElement& b);
  friend bool operator==(const PathElement& a, const PathElement& b) { return Compare(a, b) == 0; }

 private:
  PathElement(Kind kind, String name, Json value) : kind_(kind), name_(std::move(name)), value_(std::move(value)) {}

  Kind kind_;
  String name_;
  Json value_;
};

using FieldPath = std::vector<PathElement>;
std::string ToString(const FieldPath& path);

// A total order of values of all kinds, in which 1 and 1.0 are equal.
int CompareValues(const Json& a, const Json& b);
inline bool SameValue(const Json& a, const Json& b) { return CompareValues(a, b) == 0; }

struct FieldNode;

class FieldSet {
 public:
  FieldSet() = default;
  // `text` is that of a FieldsV1. Error: it is no such set, or too deep.
  static Result<FieldSet> Parse(std::string_view text);
  static FieldSet Of(std::initializer_list<std::initializer_list<std::string_view>> paths);

  bool empty() const { return nodes_.empty(); }
  const std::vector<FieldNode>& nodes() const& { return nodes_; }

  // The node of that step, or null.
  const FieldNode* Find(const PathElement& element) const&;
  bool Has(const FieldPath& path) const;
  // The node of that step, made if it is not there; to be made a member or given children at once.
  FieldNode& At(const PathElement& element) &;
  void Insert(const FieldPath& path);
  void Insert(const PathElement& element);
  // Behind all that are there: cheaper than At where elements come in order.
  FieldNode& Append(const PathElement& element) &;

  FieldSet Union(const FieldSet& other) const;
  FieldSet Intersection(const FieldSet& other) const;
  // Members of `other` are taken out, but not what is below them.
  FieldSet Difference(const FieldSet& other) const;
  // Members of `other` are taken out with all that is below them.
  FieldSet RecursiveDifference(const FieldSet& other) const;

  // Each member's path, those of a level before what is below.
  void ForEach(const std::function<void(const FieldPath&)>& visit) const;

  std::string ToText() const;
  friend bool operator==(const FieldSet& a, const FieldSet& b);

 private:
  std::vector<FieldNode> nodes_;
};

struct FieldNode {
  PathElement element;
  bool member = false;
  FieldSet children = {};

  friend bool operator==(const FieldNode&, const FieldNode&) = default;
};

}  // namespace keelson::apiserver
