#include "keelson/api/label_selector.h"

#include <algorithm>
#include <charconv>

#include "keelson/api/internal/label_selector_lexer.h"
#include "keelson/api/internal/quote.h"
#include "keelson/api/names.h"

namespace keelson::labels {
namespace {

using internal::Token;
using keelson::internal::Quote;

std::string Join(const std::vector<std::string>& texts, std::string_view separator) {
  std::string joined;
  for (const std::string& text : texts) {
    if (&text != &texts.front()) joined += separator;
    joined += text;
  }
  return joined;
}

// As Go reads an int64: an optional sign and decimal digits.
std::optional<int64_t> ReadInteger(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string InvalidValue(std::string_view path, std::string_view quoted, std::string_view detail) {
  return std::string(path).append(": Invalid value: ").append(quoted).append(": ").append(detail);
}

std::string QuotedList(const std::vector<std::string>& values) {
  if (values.empty()) return "null";
  std::vector<std::string> quoted;
  for (const std::string& value : values) quoted.push_back(Quote(value));
  return "[" + Join(quoted, ",") + "]";
}

// The rule on the number of values that is broken, or nothing.
std::string_view CheckCount(Operator op, size_t count) {
  switch (op) {
    case Operator::kIn:
    case Operator::kNotIn: return count > 0 ? "" : "for 'in', 'notin' operators, values set can't be empty";
    case Operator::kEquals:
    case Operator::kDoubleEquals:
    case Operator::kNotEquals: return count == 1 ? "" : "exact-match compatibility requires one single value";
    case Operator::kExists:
    case Operator::kDoesNotExist: return count == 0 ? "" : "values set must be empty for exists and does not exist";
    case Operator::kGreaterThan:
    case Operator::kLessThan: return count == 1 ? "" : "for 'Gt', 'Lt' operators, exactly one value is required";
  }
  return "the operator is unknown";
}

// One problem as it is, several in brackets, none twice.
std::string Aggregate(std::vector<std::string> problems) {
  std::vector<std::string> distinct;
  for (std::string& problem : problems) {
    if (std::find(distinct.begin(), distinct.end(), problem) == distinct.end()) distinct.push_back(std::move(problem));
  }
  return distinct.size() == 1 ? distinct[0] : "[" + Join(distinct, ", ") + "]";
}

bool OrderedByKey(const Requirement& a, const Requirement& b) { return a.key() < b.key(); }

Error Unexpected(std::string_view found, std::string_view expected) {
  return Error::InvalidArgument("found '" + std::string(found) + "', expected: " + std::string(expected));
}

class Parser {
 public:
  explicit Parser(std::string_view text) : tokens_(internal::SplitTokens(text)) {}

  Result<Selector> Parse() {
    std::vector<Requirement> requirements;
    for (;;) {
      const Token::Kind kind = Peek().AsValue();
      if (kind == Token::kEnd) return Selector::Of(std::move(requirements));
      if (!StartsRequirement(kind)) return Unexpected(Peek().text, "!, identifier, or 'end of string'");
      Result<Requirement> requirement = ParseRequirement();
      if (!requirement) return std::move(requirement).error().WithContext("unable to parse requirement");
      requirements.push_back(*std::move(requirement));
      const Token& next = Take();
      if (next.kind == Token::kEnd) return Selector::Of(std::move(requirements));
      if (next.kind != Token::kComma) return Unexpected(next.text, "',' or 'end of string'");
      if (!StartsRequirement(Peek().AsValue())) return Unexpected(Peek().text, "identifier after ','");
    }
  }

 private:
  static bool StartsRequirement(Token::Kind kind) { return kind == Token::kIdentifier || kind == Token::kNot; }

  const Token& Peek() const { return tokens_[at_]; }
  // The end stays: reading on gives it again.
  const Token& Take() { return tokens_[at_].kind == Token::kEnd ? tokens_[at_] : tokens_[at_++]; }

  Result<Requirement> ParseRequirement() {
    const bool negated = Peek().kind == Token::kNot;
    if (negated) Take();
    const Token& key = Take();
    if (key.AsValue() != Token::kIdentifier) return Unexpected(key.text, "identifier");
    if (const auto problems = names::CheckQualifiedName(key.text); !problems.empty()) {
      return Error::InvalidArgument(InvalidValue("<nil>", Quote(key.text), Join(problems, "; ")));
    }
    std::string name(key.text);
    const bool alone = Peek().kind == Token::kEnd || Peek().kind == Token::kComma;
    if (negated || alone) {
      return Requirement::Make(std::move(name), negated ? Operator::kDoesNotExist : Operator::kExists, {});
    }
    KEELSON_TRY(op, ParseOperator());
    const bool set_based = op == Operator::kIn || op == Operator::kNotIn;
    KEELSON_TRY(values, set_based ? ParseValues() : ParseExactValue());
    return Requirement::Make(std::move(name), op, std::move(values));
  }

  Result<Operator> ParseOperator() {
    const Token& token = Take();
    switch (token.kind) {
      case Token::kIn: return Operator::kIn;
      case Token::kNotIn: return Operator::kNotIn;
      case Token::kEquals: return Operator::kEquals;
      case Token::kDoubleEquals: return Operator::kDoubleEquals;
      case Token::kNotEquals: return Operator::kNotEquals;
      case Token::kGreaterThan: return Operator::kGreaterThan;
      case Token::kLessThan: return Operator::kLessThan;
      default: return Unexpected(token.text, "in, notin, =, ==, !=, gt, lt");
    }
  }

  // "(a,b)"; an empty place between commas or parentheses is the empty value.
  Result<std::vector<std::string>> ParseValues() {
    const Token& open = Take();
    if (open.kind != Token::kOpen) {
      return Error::InvalidArgument("found '" + std::string(open.text) + "' expected: '('");
    }
    const Token::Kind first = Peek().AsValue();
    if (first != Token::kIdentifier && first != Token::kComma && first != Token::kClose) {
      return Unexpected(Peek().text, "',', ')' or identifier");
    }
    std::vector<std::string> values;
    bool value_may_follow = true;  // else a comma or the end does
    for (;;) {
      const Token& token = Take();
      const Token::Kind kind = token.AsValue();
      if (kind == Token::kIdentifier && value_may_follow) {
        values.emplace_back(token.text);
        value_may_follow = false;
      } else if (kind == Token::kComma || kind == Token::kClose) {
        if (value_may_follow) values.emplace_back();
        if (kind == Token::kClose) break;
        value_may_follow = true;
      } else {
        return Unexpected(token.text, value_may_follow ? "',', or identifier" : "',' or ')'");
      }
    }
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
  }

  Result<std::vector<std::string>> ParseExactValue() {
    if (Peek().kind == Token::kEnd || Peek().kind == Token::kComma) return std::vector<std::string>{""};
    const Token& token = Take();
    if (token.AsValue() != Token::kIdentifier) return Unexpected(token.text, "identifier");
    return std::vector<std::string>{std::string(token.text)};
  }

  std::vector<Token> tokens_;
  size_t at_ = 0;
};

}  // namespace

std::string_view ToString(Operator op) {
  switch (op) {
    case Operator::kIn: return "in";
    case Operator::kNotIn: return "notin";
    case Operator::kEquals: return "=";
    case Operator::kDoubleEquals: return "==";
    case Operator::kNotEquals: return "!=";
    case Operator::kExists: return "exists";
    case Operator::kDoesNotExist: return "!";
    case Operator::kGreaterThan: return "gt";
    case Operator::kLessThan: return "lt";
  }
  return "unknown";
}

Result<Requirement> Requirement::Make(std::string key, Operator op, std::vector<std::string> values) {
  std::vector<std::string> problems;
  if (!names::IsQualifiedName(key)) {
    problems.push_back(InvalidValue("key", Quote(key), Join(names::CheckQualifiedName(key), "; ")));
  }
  if (const std::string_view rule = CheckCount(op, values.size()); !rule.empty()) {
    problems.push_back(InvalidValue("values", QuotedList(values), rule));
  }
  const auto path = [](size_t i) { return "values[" + std::to_string(i) + "]"; };
  if (op == Operator::kGreaterThan || op == Operator::kLessThan) {
    for (size_t i = 0; i < values.size(); ++i) {
      if (ReadInteger(values[i])) continue;
      problems.push_back(
          InvalidValue(path(i), Quote(values[i]), "for 'Gt', 'Lt' operators, the value must be an integer"));
    }
  }
  for (size_t i = 0; i < values.size(); ++i) {
    if (names::IsLabelValue(values[i])) continue;
    problems.push_back(
        InvalidValue(path(i) + "[" + key + "]", Quote(values[i]), Join(names::CheckLabelValue(values[i]), "; ")));
  }
  if (!problems.empty()) return Error::InvalidArgument(Aggregate(std::move(problems)));
  return Requirement(std::move(key), op, std::move(values));
}

bool Requirement::Matches(const LabelSource& labels) const {
  const std::optional<std::string_view> label = labels.Find(key_);
  const auto is_listed = [&] { return std::find(values_.begin(), values_.end(), *label) != values_.end(); };
  switch (operator_) {
    case Operator::kIn:
    case Operator::kEquals:
    case Operator::kDoubleEquals: return label && is_listed();
    case Operator::kNotIn:
    case Operator::kNotEquals: return !label || !is_listed();
    case Operator::kExists: return label.has_value();
    case Operator::kDoesNotExist: return !label;
    case Operator::kGreaterThan:
    case Operator::kLessThan: {
      if (!label || values_.size() != 1) return false;
      const std::optional<int64_t> have = ReadInteger(*label);
      const std::optional<int64_t> bound = ReadInteger(values_[0]);
      if (!have || !bound) return false;
      return operator_ == Operator::kGreaterThan ? *have > *bound : *have < *bound;
    }
  }
  return false;
}

std::string Requirement::ToString() const {
  const auto sorted_values = [this] {
    std::vector<std::string> sorted = values_;
    std::sort(sorted.begin(), sorted.end());
    return Join(sorted, ",");
  };
  switch (operator_) {
    case Operator::kExists: return key_;
    case Operator::kDoesNotExist: return "!" + key_;
    case Operator::kIn: return key_ + " in (" + sorted_values() + ")";
    case Operator::kNotIn: return key_ + " notin (" + sorted_values() + ")";
    case Operator::kGreaterThan: return key_ + ">" + sorted_values();
    case Operator::kLessThan: return key_ + "<" + sorted_values();
    case Operator::kEquals:
    case Operator::kDoubleEquals:
    case Operator::kNotEquals: break;
  }
  return key_ + std::string(labels::ToString(operator_)) + sorted_values();
}

Selector Selector::Nothing() {
  Selector nothing;
  nothing.nothing_ = true;
  return nothing;
}

Selector Selector::FromSet(const Set& labels) {
  Selector selector;
  for (const auto& [key, value] : labels) {
    selector.requirements_.push_back(Requirement(key, Operator::kEquals, {value}));
  }
  return selector;
}

Selector Selector::Of(std::vector<Requirement> requirements) {
  // By key, and by position where keys are equal.
  std::vector<Requirement*> order;
  order.reserve(requirements.size());
  for (Requirement& requirement : requirements) order.push_back(&requirement);
  std::sort(order.begin(), order.end(), [](const Requirement* a, const Requirement* b) {
    const int keys = a->key().compare(b->key());
    return keys != 0 ? keys < 0 : a < b;
  });
  Selector selector;
  selector.requirements_.reserve(order.size());
  for (Requirement* requirement : order) selector.requirements_.push_back(std::move(*requirement));
  return selector;
}

bool Selector::Matches(const LabelSource& labels) const {
  if (nothing_) return false;
  return std::all_of(requirements_.begin(), requirements_.end(),
                     [&](const Requirement& requirement) { return requirement.Matches(labels); });
}

Selector Selector::Add(Requirement requirement) const {
  Selector more = *this;
  if (nothing_) return more;
  const auto at = std::upper_bound(more.requirements_.begin(), more.requirements_.end(), requirement, OrderedByKey);
  more.requirements_.insert(at, std::move(requirement));
  return more;
}

std::optional<std::string_view> Selector::RequiresExactMatch(std::string_view key) const& {
  const auto found = std::find_if(requirements_.begin(), requirements_.end(),
                                  [key](const Requirement& requirement) { return requirement.key() == key; });
  if (found == requirements_.end() || found->values().size() != 1) return std::nullopt;
  const Operator op = found->op();
  if (op != Operator::kEquals && op != Operator::kDoubleEquals && op != Operator::kIn) return std::nullopt;
  return found->values()[0];
}

std::string Selector::ToString() const {
  std::string text;
  for (const Requirement& requirement : requirements_) {
    if (&requirement != &requirements_.front()) text += ',';
    text += requirement.ToString();
  }
  return text;
}

Result<Selector> Parse(std::string_view text) {
  if (text.size() > kMaxSelectorLength) {
    return Error::InvalidArgument("label selector is longer than " + std::to_string(kMaxSelectorLength) + " bytes");
  }
  return Parser(text).Parse();
}

}  // namespace keelson::labels
