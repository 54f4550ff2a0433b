// The order of checks, what is counted as a match and which of several failed alternatives is reported all follow the
// library that a kube-apiserver uses: each is visible in its answers. So is that a check of a composition (anyOf …)
// reports without a field, and that alternatives know nothing of the old object.
#include "keelson/apiserver/schema/validate.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "keelson/apiserver/go_text.h"
#include "keelson/apiserver/schema/correlate.h"
#include "keelson/apiserver/schema/formats.h"
#include "keelson/apiserver/schema/go_numbers.h"
#include "keelson/apiserver/schema/property_cursor.h"
#include "keelson/codec/json_writer.h"

namespace keelson::apiserver {

namespace {

// Where a value stands below the one that is validated, as messages name it: "spec.list[0].x". The name of a map's
// entry begins with a point even at the top.
class Place {
 public:
  Place() = default;
  Place Member(std::string_view name) const& { return {this, name, kMember}; }
  Place Entry(std::string_view name) const& { return {this, name, kEntry}; }
  Place Element(size_t index) const& { return {this, {}, index}; }

  bool is_top() const { return parent_ == nullptr; }
  std::string ToString() const {
    std::string out;
    Append(out);
    return out;
  }

 private:
  static constexpr size_t kMember = static_cast<size_t>(-1);
  static constexpr size_t kEntry = static_cast<size_t>(-2);

  Place(const Place* parent, std::string_view name, size_t index) : parent_(parent), name_(name), index_(index) {}
  void Append(std::string& out) const {
    if (parent_ == nullptr) return;
    parent_->Append(out);
    if (index_ < kEntry) {
      fmt::format_to(std::back_inserter(out), "[{}]", index_);
    } else {
      if (index_ == kEntry || !out.empty()) out += '.';
      out += name_;
    }
  }

  const Place* parent_ = nullptr;
  std::string_view name_;
  size_t index_ = kMember;
};

enum class FindingKind : uint8_t { kInvalid, kTypeInvalid, kRequired, kNotSupported, kTooLong, kTooMany };

struct Finding {
  FindingKind kind = FindingKind::kInvalid;
  std::string name = {};     // of the field; empty for the top
  std::string message = {};  // unique: upstream reports a message once
  Json value = "";           // what was found
  std::vector<std::string> supported = {};
  int64_t limit = 0;
};

// What a walk finds. A quiet one only counts, so that nothing is allocated for values that are right, and for the
// alternatives of those that do not apply.
class Findings {
 public:
  explicit Findings(bool loud) : loud_(loud) {}

  bool loud() const { return loud_; }
  size_t size() const { return count_; }
  const std::vector<Finding>& list() const { return list_; }

  template <class Make>
  void Add(Make make) {
    ++count_;
    if (loud_) list_.push_back(make());
  }
  void Merge(Findings other) {
    count_ += other.count_;
    std::move(other.list_.begin(), other.list_.end(), std::back_inserter(list_));
  }
  void ForgetAllAfter(size_t size) {
    count_ = size;
    if (loud_) list_.resize(size);
  }

 private:
  bool loud_;
  size_t count_ = 0;
  std::vector<Finding> list_;
};

bool Allows(const Schema& schema, SchemaType type) {
  if (schema.int_or_string) return type == SchemaType::kInteger || type == SchemaType::kString;
  return schema.type == type;
}

std::string_view TypeNames(const Schema& schema) {
  if (schema.int_or_string) return "integer,string";
  switch (schema.type) {
    case SchemaType::kAny: return "";
    case SchemaType::kObject: return "object";
    case SchemaType::kArray: return "array";
    case SchemaType::kString: return "string";
    case SchemaType::kInteger: return "integer";
    case SchemaType::kNumber: return "number";
    case SchemaType::kBoolean: return "boolean";
  }
  return "";
}

struct FoundType {
  SchemaType type;
  std::string_view name;
  std::string_view format;
};
FoundType TypeOfValue(const Json& value) {
  switch (value.kind()) {
    case Json::Kind::kBool: return {SchemaType::kBoolean, "boolean", ""};
    case Json::Kind::kInt: return {SchemaType::kInteger, "integer", "int64"};
    case Json::Kind::kDouble: return {SchemaType::kNumber, "number", "float64"};
    case Json::Kind::kString: return {SchemaType::kString, "string", ""};
    case Json::Kind::kList: return {SchemaType::kArray, "array", ""};
    case Json::Kind::kObject: return {SchemaType::kObject, "object", ""};
    case Json::Kind::kNull: break;
  }
  return {SchemaType::kAny, "null", ""};
}

// The format as far as the type has it.
struct UsedFormat {
  std::string_view name = {};
  FormatCheck check = nullptr;
};
UsedFormat FormatOf(const Schema& schema) {
  if (schema.format.empty()) return {};
  if (schema.int_or_string || schema.type == SchemaType::kAny || schema.type == SchemaType::kString) {
    const FormatCheck check = FindFormat(schema.format);
    return check == nullptr ? UsedFormat{} : UsedFormat{schema.format, check};
  }
  const bool used = schema.type == SchemaType::kInteger  ? schema.format == "int32" || schema.format == "int64"
                    : schema.type == SchemaType::kNumber ? schema.format == "float" || schema.format == "double"
                                                         : false;
  return used ? UsedFormat{schema.format, nullptr} : UsedFormat{};
}

size_t CodePointCount(std::string_view text) {
  // Bytes that continue a character are not counted. Text of a document is UTF-8.
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

// Whether upstream takes the value for that of the enumeration: it converts the value to the type of the other one.
bool EqualsEnumerated(const Json& value, const Json& enumerated) {
  if (value.is_null()) return false;
  if (value.is_int() && enumerated.is_double()) return static_cast<double>(value.integer()) == enumerated.number();
  if (value.is_double() && enumerated.is_int()) return GoTruncated(value.number()) == enumerated.integer();
  if (value.is_int() && enumerated.is_string()) {
    std::string character;
    const int64_t code = value.integer();
    const bool exists = code >= 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
    AppendCodePoint(character, exists ? static_cast<uint32_t>(code) : kReplacementCharacter);
    return enumerated.string() == character;
  }
  return value == enumerated;
}

// Each Check function returns upstream's count of matches, by which it chooses among failed alternatives.
class Checker {
 public:
  // `old` is the value's past, null when it has none.
  int Check(const Schema& schema, const Json& value, const Json* old, const Place& place, Findings& found) const {
    const size_t before = found.size();
    const int matches = CheckAnew(schema, value, old, place, found);
    if (old != nullptr && found.size() > before && IsUnchanged(schema, value, *old)) found.ForgetAllAfter(before);
    return matches;
  }

 private:
  int CheckAnew(const Schema& schema, const Json& value, const Json* old, const Place& place, Findings& found) const {
    const UsedFormat format = FormatOf(schema);
    if (value.is_null()) {
      const int matches = CheckNull(schema, place, found);
      CheckEnum(schema, value, place, found);
      return matches;
    }
    int matches = 3;  // itself, compositions and enumerations
    if (schema.int_or_string || schema.type != SchemaType::kAny || !format.name.empty()) {
      matches += 1 + CheckType(schema, format, value, place, found);
    }
    matches += CheckCompositions(schema, value, place, found);
    switch (value.kind()) {
      case Json::Kind::kString:
        CheckText(schema, value.string(), place, found);
        matches += 1 + (format.check != nullptr ? 1 : 0);
        if (format.check != nullptr && !format.check(value.string())) {
          found.Add([&] { return TypeFinding(place, format.name, value.string()); });
        }
        break;
      case Json::Kind::kInt:
      case Json::Kind::kDouble:
        CheckNumber(schema, value, place, found);
        matches += 2;
        break;
      case Json::Kind::kList: matches += 1 + CheckList(schema, value.list(), old, place, found); break;
      case Json::Kind::kObject: matches += 1; break;
      default: break;
    }
    CheckEnum(schema, value, place, found);
    if (value.is_object()) matches += CheckObject(schema, value.object(), old, place, found);
    return matches;
  }

  static Finding TypeFinding(const Place& place, std::string_view wanted, std::string_view got) {
    std::string name = place.ToString();
    std::string message = fmt::format("{} in body must be of type {}: {}", name, wanted, Quoted(got));
    return {
        .kind = FindingKind::kTypeInvalid, .name = std::move(name), .message = std::move(message), .value = Json(got)};
  }

  // `text` follows the name of the field.
  static Finding InvalidFinding(const Place& place, Json value, std::string_view text) {
    std::string name = place.ToString();
    std::string message = name + " in body " + std::string(text);
    return {.name = std::move(name), .message = std::move(message), .value = std::move(value)};
  }

  static int CheckNull(const Schema& schema, const Place& place, Findings& found) {
    if (schema.nullable || (schema.type == SchemaType::kAny && !schema.int_or_string)) return 1;
    found.Add([&] { return TypeFinding(place, TypeNames(schema), "null"); });
    return 0;
  }

  static int CheckType(const Schema& schema, const UsedFormat& format, const Json& value, const Place& place,
                       Findings& found) {
    const FoundType type = TypeOfValue(value);
    const bool fits = Allows(schema, type.type) ||
                      (value.is_double() && Allows(schema, SchemaType::kInteger) && IsJsonInteger(value.number())) ||
                      (value.is_int() && Allows(schema, SchemaType::kNumber));
    if (fits) return 1;
    const bool is_text_or_list = value.is_string() || value.is_list();
    if (!format.name.empty() && !is_text_or_list && type.format != format.name) {
      found.Add([&] { return TypeFinding(place, format.name, type.format); });
      return 0;
    }
    // A text with a format may be a list as well: the format has the say, and it looks at texts only.
    const bool is_numeric = Allows(schema, SchemaType::kNumber) || Allows(schema, SchemaType::kInteger);
    if (!is_numeric && !format.name.empty() && is_text_or_list) return 1;
    found.Add([&] { return TypeFinding(place, TypeNames(schema), type.name); });
    return 0;
  }

  int CheckCompositions(const Schema& schema, const Json& value, const Place& place, Findings& found) const {
    int matches = 1;
    if (!schema.any_of.empty()) matches += CheckAnyOf(schema, value, place, found);
    if (!schema.one_of.empty()) matches += CheckOneOf(schema, value, place, found);
    if (!schema.all_of.empty()) matches += CheckAllOf(schema, value, place, found);
    if (schema.not_ != nullptr) {
      Findings alternative(false);
      Check(*schema.not_, value, nullptr, place, alternative);
      if (alternative.size() == 0) AddComposition(place, "must not validate the schema (not)", found);
    }
    return matches;
  }

  // Has no field and no value.
  static void AddComposition(const Place& place, std::string_view text, Findings& found) {
    found.Add([&] { return Finding{.message = fmt::format("{} {}", Quoted(place.ToString()), text)}; });
  }

  struct Alternative {
    Findings found;
    int matches;
  };

  int CheckAnyOf(const Schema& schema, const Json& value, const Place& place, Findings& found) const {
    std::optional<Alternative> best;
    for (const Schema& one : schema.any_of) {
      Findings alternative(found.loud());
      const int matches = Check(one, value, nullptr, place, alternative);
      if (alternative.size() == 0) return matches;
      if (!best || matches > best->matches) best = {std::move(alternative), matches};
    }
    AddComposition(place, "must validate at least one schema (anyOf)", found);
    found.Merge(std::move(best->found));
    return best->matches;
  }

  int CheckOneOf(const Schema& schema, const Json& value, const Place& place, Findings& found) const {
    std::optional<Alternative> best;
    int valid = 0;
    int matches_of_first = 0;
    for (const Schema& one : schema.one_of) {
      Findings alternative(found.loud());
      const int matches = Check(one, value, nullptr, place, alternative);
      if (alternative.size() == 0) {
        if (valid++ == 0) matches_of_first = matches;
        best.reset();
      } else if (valid == 0 && (!best || matches > best->matches)) {
        best = {std::move(alternative), matches};
      }
    }
    if (valid == 1) return matches_of_first;
    if (found.loud()) {
      const std::string how_many = valid == 0 ? "Found none valid" : fmt::format("Found {} valid alternatives", valid);
      AddComposition(place, "must validate one and only one schema (oneOf). " + how_many, found);
    } else {
      AddComposition(place, "", found);
    }
    if (!best) return 0;
    found.Merge(std::move(best->found));
    return best->matches;
  }

  int CheckAllOf(const Schema& schema, const Json& value, const Place& place, Findings& found) const {
    int matches = 0;
    size_t valid = 0;
    for (const Schema& one : schema.all_of) {
      const size_t before = found.size();
      matches += Check(one, value, nullptr, place, found);
      if (found.size() == before) ++valid;
    }
    if (valid != schema.all_of.size()) {
      AddComposition(place,
                     valid == 0 ? "must validate all the schemas (allOf). None validated"
                                : "must validate all the schemas (allOf)",
                     found);
    }
    return matches;
  }

  // The first thing that is wrong.
  static void CheckText(const Schema& schema, const String& text, const Place& place, Findings& found) {
    if (schema.max_length || schema.min_length) {
      const auto length = static_cast<int64_t>(CodePointCount(text));
      if (schema.max_length && length > *schema.max_length) {
        return found.Add([&] {
          Finding finding =
              InvalidFinding(place, text, fmt::format("should be at most {} chars long", *schema.max_length));
          finding.kind = FindingKind::kTooLong;
          finding.limit = *schema.max_length;
          return finding;
        });
      }
      if (schema.min_length && length < *schema.min_length) {
        return found.Add([&] {
          return InvalidFinding(place, text, fmt::format("should be at least {} chars long", *schema.min_length));
        });
      }
    }
    if (schema.compiled_pattern != nullptr &&
        !re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *schema.compiled_pattern)) {
      found.Add([&] { return InvalidFinding(place, text, "should match '" + schema.pattern + "'"); });
    }
  }

  // Bounds are compared as the value's own type has them, unless they do not fit the schema's type.
  static void CheckNumber(const Schema& schema, const Json& value, const Place& place, Findings& found) {
    CheckRange(schema, value.is_int() ? std::nullopt : std::optional(value.number()), value, "Checked", place, found);
    if (schema.multiple_of) {
      const bool fits = CheckRange(schema, *schema.multiple_of, value, "MultipleOf", place, found);
      CheckMultiple(*schema.multiple_of, value, fits && value.is_int(), place, found);
    }
    if (schema.minimum) {
      const bool fits = CheckRange(schema, *schema.minimum, value, "Minimum boundary", place, found);
      CheckBound(*schema.minimum, schema.exclusive_minimum, value, fits && value.is_int(), "greater", 1, place, found);
    }
    if (schema.maximum) {
      const bool fits = CheckRange(schema, *schema.maximum, value, "Maximum boundary", place, found);
      CheckBound(*schema.maximum, schema.exclusive_maximum, value, fits && value.is_int(), "less", -1, place, found);
    }
  }

  // Whether a number fits the schema's type and format. Without a `number`, the integer `value` is looked at.
  static bool CheckRange(const Schema& schema, std::optional<double> number, const Json& value, std::string_view what,
                         const Place& place, Findings& found) {
    if (schema.int_or_string) return true;
    bool fits = true;
    std::string_view format = {};
    if (schema.type == SchemaType::kInteger) {
      const bool is_int32 = schema.format == "int32";
      if (is_int32 || schema.format == "int64") format = schema.format;
      if (number) {
        const double limit = is_int32 ? 2147483648.0 : 9223372036854775808.0;
        // Upstream looks at the shortest digits, and those of the smallest int64 stand for one that is smaller still.
        fits = *number == std::trunc(*number) && *number < limit && (is_int32 ? *number >= -limit : *number > -limit);
      } else {
        fits = !is_int32 || (value.integer() >= std::numeric_limits<int32_t>::min() &&
                             value.integer() <= std::numeric_limits<int32_t>::max());
      }
    } else if (schema.type == SchemaType::kNumber && schema.format == "float") {
      format = schema.format;
      // Half a unit beyond the largest float still rounds to it.
      fits = std::abs(number ? *number : static_cast<double>(value.integer())) < 3.4028235677973366e38;
    }
    if (fits) return true;
    found.Add([&] {
      const std::string kind = format.empty() ? std::string("(default format)") : "with format " + std::string(format);
      return Finding{.message = fmt::format("{} value must be of type {} {} in {}", what, TypeNames(schema), kind,
                                            place.ToString())};
    });
    return false;
  }

  static void CheckMultiple(double factor, const Json& value, bool as_integers, const Place& place, Findings& found) {
    if (as_integers) {
      const int64_t whole = GoTruncated(factor);
      if (whole <= 0) return AddFactorNotPositive(Json(whole), place, found);
      if (value.integer() % whole != 0) {
        found.Add([&] { return InvalidFinding(place, value, fmt::format("should be a multiple of {}", whole)); });
      }
      return;
    }
    if (factor <= 0) return AddFactorNotPositive(Json(factor), place, found);
    const double number = value.number();
    if (!IsJsonInteger(factor < 1 ? 1 / factor * number : number / factor)) {
      found.Add([&] { return InvalidFinding(place, Json(number), "should be a multiple of " + GoFloat(factor)); });
    }
  }

  static void AddFactorNotPositive(Json factor, const Place& place, Findings& found) {
    found.Add([&] {
      const std::string name = place.ToString();
      return Finding{
          .name = name,
          .message = fmt::format("factor MultipleOf declared for {} must be positive: {}", name, GoShown(factor)),
          .value = factor};
    });
  }

  // `direction` is 1 when the value has to be greater, -1 when less.
  static void CheckBound(double bound, bool exclusive, const Json& value, bool as_integers, std::string_view relation,
                         int direction, const Place& place, Findings& found) {
    const auto outside = [&](auto number, auto limit) {
      const bool beyond = direction > 0 ? number < limit : number > limit;
      return beyond || (exclusive && number == limit);
    };
    const int64_t whole = GoTruncated(bound);
    const double number = value.number();
    if (!(as_integers ? outside(value.integer(), whole) : outside(number, bound))) return;
    found.Add([&] {
      return InvalidFinding(place, as_integers ? value : Json(number),
                            fmt::format("should be {} than {}{}", relation, exclusive ? "" : "or equal to ",
                                        as_integers ? std::to_string(whole) : GoFloat(bound)));
    });
  }

  int CheckList(const Schema& schema, const JsonList& list, const Json* old, const Place& place,
                Findings& found) const {
    int matches = 1;
    if (schema.items != nullptr) {
      std::optional<OldElements> before;
      if (old != nullptr) before.emplace(schema, *old);
      for (size_t i = 0; i < list.size(); ++i) {
        const Place at = place.Element(i);
        matches += Check(*schema.items, list[i], before ? before->Find(list[i]) : nullptr, at, found);
      }
    }
    const auto size = static_cast<int64_t>(list.size());
    if (schema.min_items && size < *schema.min_items) {
      found.Add([&] {
        return InvalidFinding(place, Json(size), fmt::format("should have at least {} items", *schema.min_items));
      });
    }
    if (schema.max_items && size > *schema.max_items) {
      found.Add([&] { return TooMany(place, size, *schema.max_items, "items"); });
    }
    if (schema.unique_items && HasDuplicates(list)) {
      found.Add([&] { return InvalidFinding(place, "", "shouldn't contain duplicates"); });
    }
    return matches;
  }

  static Finding TooMany(const Place& place, int64_t size, int64_t limit, std::string_view what) {
    Finding finding = InvalidFinding(place, Json(size), fmt::format("should have at most {} {}", limit, what));
    finding.kind = FindingKind::kTooMany;
    finding.limit = limit;
    return finding;
  }

  static bool HasDuplicates(const JsonList& list) {
    for (size_t i = 0; i < list.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        if (list[i] == list[j]) return true;
      }
    }
    return false;
  }

  static void CheckEnum(const Schema& schema, const Json& value, const Place& place, Findings& found) {
    if (schema.enum_.empty()) return;
    if (std::any_of(schema.enum_.begin(), schema.enum_.end(),
                    [&](const Json& one) { return EqualsEnumerated(value, one); })) {
      return;
    }
    found.Add([&] {
      Finding finding = InvalidFinding(place, value, "should be one of the enumerated");
      finding.kind = FindingKind::kNotSupported;
      for (const Json& one : schema.enum_) {
        finding.supported.push_back(one.is_string() ? one.string().str() : ToJson(one));
        // Part of the message only to tell enumerations apart.
        finding.message.append(" ").append(finding.supported.back());
      }
      return finding;
    });
  }

  int CheckObject(const Schema& schema, const JsonObject& object, const Json* old, const Place& place,
                  Findings& found) const {
    const auto size = static_cast<int64_t>(object.size());
    if (schema.min_properties && size < *schema.min_properties) {
      found.Add([&] {
        return InvalidFinding(place, Json(size),
                              fmt::format("should have at least {} properties", *schema.min_properties));
      });
    }
    if (schema.max_properties && size > *schema.max_properties) {
      found.Add([&] { return TooMany(place, size, *schema.max_properties, "properties"); });
    }
    int matches = 0;
    // The past of apiVersion and kind cannot be seen: both objects are of the version that is asked for.
    const auto before = [&](std::string_view name) -> const Json* {
      if (old == nullptr || (place.is_top() && (name == "apiVersion" || name == "kind"))) return nullptr;
      return old->find(name);
    };
    if (schema.additional != nullptr) {
      PropertyCursor properties(schema);
      for (const auto& [name, member] : object) {
        if (properties.Find(name) != nullptr) continue;
        const Place at = place.Entry(name);
        matches += Check(*schema.additional, member, before(name), at, found);
      }
    }
    PropertyCursor properties(schema);
    for (const auto& [name, member] : object) {
      const Schema* property = properties.Find(name);
      if (property == nullptr) continue;
      const Place at = place.Member(name);
      matches += Check(*property, member, before(name), at, found);
    }
    for (const std::string& name : schema.required) {
      if (object.contains(name)) continue;
      found.Add([&] {
        const Place at = place.Entry(name);
        Finding finding = InvalidFinding(at, "", "is required");
        finding.kind = FindingKind::kRequired;
        return finding;
      });
    }
    return matches;
  }
};

void Report(const Finding& finding, std::string_view prefix, FieldErrors& errors) {
  std::string_view name = finding.name;
  if (name.starts_with('.')) name.remove_prefix(1);
  std::string field(prefix);
  if (!field.empty() && !name.empty()) field += '.';
  const Path path(field.append(name));
  switch (finding.kind) {
    case FindingKind::kInvalid: return errors.InvalidShown(path, GoShown(finding.value), finding.message);
    case FindingKind::kTypeInvalid: return errors.TypeInvalid(path, finding.value, finding.message);
    case FindingKind::kRequired: return errors.Required(path, "");
    case FindingKind::kNotSupported: {
      const std::vector<std::string_view> supported(finding.supported.begin(), finding.supported.end());
      return errors.NotSupportedShown(path, GoShown(finding.value), supported);
    }
    case FindingKind::kTooLong: return errors.TooLong(path, static_cast<size_t>(finding.limit));
    case FindingKind::kTooMany:
      return errors.TooMany(path, static_cast<size_t>(finding.value.integer()), static_cast<size_t>(finding.limit));
  }
}

// Whether a schema says no more of a member than its type, which is known to be right.
bool IsBare(const Schema& schema, SchemaType type) {
  return (schema.type == type || schema.type == SchemaType::kAny) && !schema.int_or_string && schema.format.empty() &&
         schema.properties.empty() && schema.additional == nullptr && schema.enum_.empty() && schema.required.empty() &&
         !schema.min_length && !schema.max_length && schema.pattern.empty() && !schema.min_properties &&
         !schema.max_properties && schema.all_of.empty() && schema.any_of.empty() && schema.one_of.empty() &&
         schema.not_ == nullptr;
}

// Whether apiVersion, kind and metadata have to be there for the verdict.
bool LooksAtHead(const Schema& schema) {
  if (schema.min_properties || schema.max_properties || schema.additional != nullptr || !schema.enum_.empty()) {
    return true;
  }
  for (const std::string_view name : {"apiVersion", "kind", "metadata"}) {
    const SchemaType type = name == "metadata" ? SchemaType::kObject : SchemaType::kString;
    if (const Schema* property = schema.FindProperty(name); property != nullptr && !IsBare(*property, type))
      return true;
    if (std::find(schema.required.begin(), schema.required.end(), name) != schema.required.end()) return true;
  }
  for (const auto* alternatives : {&schema.all_of, &schema.any_of, &schema.one_of}) {
    if (std::any_of(alternatives->begin(), alternatives->end(), LooksAtHead)) return true;
  }
  return schema.not_ != nullptr && LooksAtHead(*schema.not_);
}

Json WithHead(const Json& content, const DocumentHead& head) {
  // A schema may say nothing of metadata but its names. The uid stands for all else that an object has.
  Json metadata = Json::Object({{"uid", ""}});
  if (!head.name.empty()) metadata.object().Set("name", head.name);
  if (!head.generate_name.empty()) metadata.object().Set("generateName", head.generate_name);
  Json document = content.is_object() ? content : Json::Object();
  document.object().Set("apiVersion", head.api_version);
  document.object().Set("kind", head.kind);
  document.object().Set("metadata", std::move(metadata));
  return document;
}

}  // namespace

void ValidateDocument(const Schema& schema, const DocumentHead& head, const Json& content, const Json* old_content,
                      FieldErrors& errors) {
  if (!LooksAtHead(schema)) {
    static const Json kEmpty = Json::Object();
    return ValidateValue(schema, content.is_null() ? kEmpty : content, old_content, Path(""), errors);
  }
  const Json document = WithHead(content, head);
  const std::optional<Json> old = old_content == nullptr ? std::nullopt : std::optional(WithHead(*old_content, head));
  ValidateValue(schema, document, old ? &*old : nullptr, Path(""), errors);
}

void ValidateValue(const Schema& schema, const Json& value, const Json* old, const Path& path, FieldErrors& errors) {
  if (IsValid(schema, value)) return;
  Findings found(true);
  Checker().Check(schema, value, old, Place(), found);
  const std::string shown = path.ToString();
  const std::string_view prefix = shown == "<nil>" ? std::string_view() : std::string_view(shown);
  std::unordered_set<std::string_view> reported;
  for (const Finding& finding : found.list()) {
    if (reported.insert(finding.message).second) Report(finding, prefix, errors);
  }
}

bool IsValid(const Schema& schema, const Json& value) {
  Findings found(false);
  Checker().Check(schema, value, nullptr, Place(), found);
  return found.size() == 0;
}

bool MayRunRules(const FieldErrors& errors) {
  return std::none_of(errors.causes().begin(), errors.causes().end(), [](const metav1::StatusCause& cause) {
    return cause.reason == "FieldValueNotSupported" || cause.reason == "FieldValueRequired" ||
           cause.reason == "FieldValueTooLong" || cause.reason == "FieldValueTooMany" ||
           cause.reason == "FieldValueTypeInvalid";
  });
}

}  // namespace keelson::apiserver
