// Which field values an object must have: "metadata.name=web,status.phase!=Running".
//
//   KEELSON_TRY(selector, fields::Parse("spec.nodeName=node-1"));
//   if (selector.Matches([&](const std::string& field) { return FieldOf(pod, field); })) …
//   fields::Equal("metadata.name", name).ToString();        // with what needs a backslash escaped
//
// Which fields a resource knows is not decided here. A value: one selector may be matched from many threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "keelson/api/label_selector.h"
#include "keelson/core/result.h"

namespace keelson::fields {

// A std::map, a Map<String>, or a function from the field's path to std::optional<std::string_view>.
using FieldSource = labels::LabelSource;

enum class Operator : uint8_t { kEquals, kNotEquals };

struct Requirement {
  std::string field;
  Operator op = Operator::kEquals;
  std::string value;

  // A field that is missing has the empty value.
  bool Matches(const FieldSource& fields) const;
  std::string ToString() const;

  friend bool operator==(const Requirement&, const Requirement&) = default;
};

// All of its requirements must match. The default matches everything.
class Selector {
 public:
  Selector() = default;
  explicit Selector(std::vector<Requirement> requirements) : requirements_(std::move(requirements)) {}
  static Selector Everything() { return {}; }
  static Selector Nothing();

  bool Matches(const FieldSource& fields) const;

  // Whether it matches everything.
  bool empty() const { return !nothing_ && requirements_.empty(); }
  bool matches_nothing() const { return nothing_; }
  std::span<const Requirement> Requirements() const& { return requirements_; }
  std::span<const Requirement> Requirements() && = delete;

  // The one value that it allows the field to have, where a requirement says so.
  std::optional<std::string_view> RequiresExactMatch(std::string_view field) const&;
  std::optional<std::string_view> RequiresExactMatch(std::string_view field) && = delete;

  // Rewrites the name and value of each requirement, as a server does for older names of fields. A requirement of which
  // both come back empty is dropped.
  using Rewrite =
      std::function<Result<std::pair<std::string, std::string>>(const std::string& field, const std::string& value)>;
  Result<Selector> Transform(const Rewrite& rewrite) const;

  // What Parse reads back, except that Nothing is "", too.
  std::string ToString() const;

  friend bool operator==(const Selector&, const Selector&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Selector& selector) { return out << selector.ToString(); }

 private:
  std::vector<Requirement> requirements_;
  bool nothing_ = false;
};

inline constexpr size_t kMaxSelectorLength = 1 << 20;

// Terms "field=value", "field==value" and "field!=value" between commas; in a value, a backslash, comma or equals sign
// stands behind a backslash. "" is everything. The requirements come out in the order of the terms' text.
Result<Selector> Parse(std::string_view text);

inline Selector Everything() { return Selector::Everything(); }
inline Selector Nothing() { return Selector::Nothing(); }
inline Selector Equal(std::string field, std::string value) {
  return Selector({{std::move(field), Operator::kEquals, std::move(value)}});
}
inline Selector NotEqual(std::string field, std::string value) {
  return Selector({{std::move(field), Operator::kNotEquals, std::move(value)}});
}
// Equal for every entry.
Selector FromSet(const labels::Set& fields);

// A value as it stands in a selector, and back.
std::string EscapeValue(std::string_view value);
Result<std::string> UnescapeValue(std::string_view escaped);

}  // namespace keelson::fields
