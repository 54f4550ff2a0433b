#include "keelson/api/field_selector.h"

#include <algorithm>

namespace keelson::fields {
namespace {

bool NeedsEscape(char c) { return c == '\\' || c == ',' || c == '='; }

// Cut at commas that stand behind no backslash, empty terms left out.
std::vector<std::string_view> SplitTerms(std::string_view text) {
  std::vector<std::string_view> terms;
  size_t start = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '\\') {
      ++i;  // what is escaped is no delimiter
      if (i < text.size()) continue;
    }
    if (i < text.size() && text[i] != ',') continue;
    const std::string_view term = text.substr(start, i - start);
    if (!term.empty()) terms.push_back(term);
    start = i + 1;
  }
  return terms;
}

struct Term {
  std::string_view field;
  Operator op;
  std::string_view value;
};

// Cut at the first operator; there is no escaping in the name of a field.
std::optional<Term> SplitTerm(std::string_view term) {
  for (size_t i = 0; i < term.size(); ++i) {
    const std::string_view rest = term.substr(i);
    if (rest.starts_with("!=")) return Term{term.substr(0, i), Operator::kNotEquals, rest.substr(2)};
    if (rest.starts_with("==")) return Term{term.substr(0, i), Operator::kEquals, rest.substr(2)};
    if (rest.starts_with("=")) return Term{term.substr(0, i), Operator::kEquals, rest.substr(1)};
  }
  return std::nullopt;
}

// The UTF-8 character that `text` starts with.
std::string_view FirstCharacter(std::string_view text) {
  size_t length = 1;
  while (length < text.size() && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80) ++length;
  return text.substr(0, length);
}

}  // namespace

bool Requirement::Matches(const FieldSource& fields) const {
  const std::string_view found = fields.Find(field).value_or(std::string_view());
  return (found == value) == (op == Operator::kEquals);
}

std::string Requirement::ToString() const {
  return field + (op == Operator::kEquals ? "=" : "!=") + EscapeValue(value);
}

Selector Selector::Nothing() {
  Selector nothing;
  nothing.nothing_ = true;
  return nothing;
}

bool Selector::Matches(const FieldSource& fields) const {
  if (nothing_) return false;
  return std::all_of(requirements_.begin(), requirements_.end(),
                     [&](const Requirement& requirement) { return requirement.Matches(fields); });
}

std::optional<std::string_view> Selector::RequiresExactMatch(std::string_view field) const& {
  for (const Requirement& requirement : requirements_) {
    if (requirement.op == Operator::kEquals && requirement.field == field) return requirement.value;
  }
  return std::nullopt;
}

Result<Selector> Selector::Transform(const Rewrite& rewrite) const {
  Selector rewritten;
  rewritten.nothing_ = nothing_;
  for (const Requirement& requirement : requirements_) {
    KEELSON_TRY(renamed, rewrite(requirement.field, requirement.value));
    if (renamed.first.empty() && renamed.second.empty()) continue;
    rewritten.requirements_.push_back({std::move(renamed.first), requirement.op, std::move(renamed.second)});
  }
  return rewritten;
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
    return Error::InvalidArgument("field selector is longer than " + std::to_string(kMaxSelectorLength) + " bytes");
  }
  std::vector<std::string_view> terms = SplitTerms(text);
  std::sort(terms.begin(), terms.end());
  std::vector<Requirement> requirements;
  for (const std::string_view text_of_term : terms) {
    const std::optional<Term> term = SplitTerm(text_of_term);
    if (!term) {
      return Error::InvalidArgument("invalid selector: '" + std::string(text) + "'; can't understand '" +
                                    std::string(text_of_term) + "'");
    }
    KEELSON_TRY(value, UnescapeValue(term->value));
    // Kubernetes drops a requirement of nothing about nothing, "=".
    if (term->field.empty() && value.empty()) continue;
    requirements.push_back({std::string(term->field), term->op, std::move(value)});
  }
  return Selector(std::move(requirements));
}

Selector FromSet(const labels::Set& fields) {
  std::vector<Requirement> requirements;
  for (const auto& [field, value] : fields) requirements.push_back({field, Operator::kEquals, value});
  return Selector(std::move(requirements));
}

std::string EscapeValue(std::string_view value) {
  std::string escaped;
  for (const char c : value) {
    if (NeedsEscape(c)) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

Result<std::string> UnescapeValue(std::string_view escaped) {
  std::string value;
  for (size_t i = 0; i < escaped.size(); ++i) {
    const char c = escaped[i];
    if (c == '\\') {
      ++i;
      if (i == escaped.size() || !NeedsEscape(escaped[i])) {
        return Error::InvalidArgument("invalid field selector: invalid escape sequence: \\" +
                                      std::string(FirstCharacter(escaped.substr(i))));
      }
      value += escaped[i];
    } else if (NeedsEscape(c)) {
      // Kubernetes shows the character as its number.
      return Error::InvalidArgument("invalid field selector: unescaped character in value: " +
                                    std::to_string(static_cast<int>(c)));
    } else {
      value += c;
    }
  }
  return value;
}

}  // namespace keelson::fields
