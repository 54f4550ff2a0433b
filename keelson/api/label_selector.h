// Which labels an object must have: "app=web,tier in (front,back),!canary".
//
//   KEELSON_TRY(selector, labels::Parse("app=web,tier!=back"));
//   if (selector.Matches(pod.metadata.labels)) …
//   labels::Selector same = labels::FromSet({{"app", "web"}});
//
// A value: immutable but for assignment, so one selector may be matched from many threads.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "keelson/core/result.h"

namespace keelson::labels {

using Set = std::map<std::string, std::string>;

// A view of somebody's labels for the time of one call: a std::map of strings, a keelson::Map<String>, or a function
// from key to std::optional<std::string_view>.
class LabelSource {
 public:
  template <class Compare>
  LabelSource(const std::map<std::string, std::string, Compare>& labels)
      : labels_(&labels), find_([](const void* labels, const std::string& key) -> std::optional<std::string_view> {
          const auto& map = *static_cast<const std::map<std::string, std::string, Compare>*>(labels);
          const auto found = map.find(key);
          if (found == map.end()) return std::nullopt;
          return found->second;
        }) {}

  template <class Map>
    requires requires(const Map& map, std::string_view key) {
      { map.find(key)->view() } -> std::convertible_to<std::string_view>;
      { map.find(key) == nullptr } -> std::convertible_to<bool>;
    }
  LabelSource(const Map& labels)
      : labels_(&labels), find_([](const void* labels, const std::string& key) -> std::optional<std::string_view> {
          const auto* found = static_cast<const Map*>(labels)->find(key);
          if (found == nullptr) return std::nullopt;
          return found->view();
        }) {}

  template <class Lookup>
    requires std::is_invocable_r_v<std::optional<std::string_view>, const Lookup&, const std::string&>
  LabelSource(const Lookup& lookup)
      : labels_(&lookup), find_([](const void* lookup, const std::string& key) -> std::optional<std::string_view> {
          return (*static_cast<const Lookup*>(lookup))(key);
        }) {}

  std::optional<std::string_view> Find(const std::string& key) const { return find_(labels_, key); }

 private:
  const void* labels_;
  std::optional<std::string_view> (*find_)(const void* labels, const std::string& key);
};

enum class Operator : uint8_t {
  kIn,
  kNotIn,
  kEquals,
  kDoubleEquals,  // kEquals, spelled "=="
  kNotEquals,
  kExists,
  kDoesNotExist,
  kGreaterThan,
  kLessThan,
};

// The operator as Kubernetes names it: "in", "=", "exists", "!", "gt".
std::string_view ToString(Operator op);

class Requirement {
 public:
  // Fails, in Kubernetes' words, on an invalid key or value and on a number of values that the operator cannot have.
  static Result<Requirement> Make(std::string key, Operator op, std::vector<std::string> values);

  const std::string& key() const { return key_; }
  Operator op() const { return operator_; }
  const std::vector<std::string>& values() const { return values_; }

  // NotIn and NotEquals also match where the label is missing; the comparisons match whole numbers only.
  bool Matches(const LabelSource& labels) const;
  std::string ToString() const;

  friend bool operator==(const Requirement&, const Requirement&) = default;

 private:
  friend class Selector;
  Requirement(std::string key, Operator op, std::vector<std::string> values)
      : key_(std::move(key)), operator_(op), values_(std::move(values)) {}

  std::string key_;
  Operator operator_;
  std::vector<std::string> values_;
};

// All of its requirements must match. The default matches everything.
class Selector {
 public:
  Selector() = default;
  static Selector Everything() { return {}; }
  static Selector Nothing();
  // Every label of the set with its value. The set is taken as it is: a server refuses invalid labels.
  static Selector FromSet(const Set& labels);
  static Selector Of(std::vector<Requirement> requirements);

  bool Matches(const LabelSource& labels) const;

  // Whether it matches everything.
  bool empty() const { return !nothing_ && requirements_.empty(); }
  bool matches_nothing() const { return nothing_; }
  // Ordered by key.
  std::span<const Requirement> requirements() const& { return requirements_; }
  std::span<const Requirement> requirements() && = delete;

  // This selector with one requirement more. Nothing stays nothing.
  [[nodiscard]] Selector Add(Requirement requirement) const;
  // The one value that it allows the label to have, where a requirement says so.
  std::optional<std::string_view> RequiresExactMatch(std::string_view key) const&;
  std::optional<std::string_view> RequiresExactMatch(std::string_view key) && = delete;

  // What Parse reads back, except that Nothing is "", too.
  std::string ToString() const;

  friend bool operator==(const Selector&, const Selector&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Selector& selector) { return out << selector.ToString(); }

 private:
  std::vector<Requirement> requirements_;  // ordered by key, equal keys as they came
  bool nothing_ = false;
};

inline constexpr size_t kMaxSelectorLength = 1 << 20;

// "" is everything. The values of one requirement come out sorted, without doubles.
Result<Selector> Parse(std::string_view text);

inline Selector Everything() { return Selector::Everything(); }
inline Selector Nothing() { return Selector::Nothing(); }
inline Selector FromSet(const Set& labels) { return Selector::FromSet(labels); }

}  // namespace keelson::labels
