#include "keelson/codec/field_path.h"

#include <algorithm>
#include <charconv>

#include "keelson/api/internal/quote.h"
#include "keelson/codec/internal/go_text.h"

namespace keelson {

namespace {

using Step = FieldPath::Step;
using StepKind = FieldPath::StepKind;

bool IsLetterOrDigit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

// What needs no quotes in a name, and in the value of a key.
bool IsPlainInName(char c) { return IsLetterOrDigit(c) || c == '_' || c == '-' || c == '$'; }
bool IsPlainInValue(char c) { return IsPlainInName(c) || c == '.' || c == '/' || c == ':' || c == '%' || c == '+'; }

template <class Predicate>
bool IsPlain(std::string_view text, Predicate plain) {
  return !text.empty() && std::all_of(text.begin(), text.end(), plain);
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<FieldPath> Parse() {
    FieldPath path;
    while (position_ < text_.size()) {
      if (path.steps().size() == FieldPath::kMaxSteps) {
        return Malformed("more than " + std::to_string(FieldPath::kMaxSteps) + " steps");
      }
      if (Accept('[')) {
        KEELSON_TRY(step, ParseBrackets());
        path.Append(std::move(step));
        continue;
      }
      if (!Accept('.') && !path.empty()) return Malformed("expected '.' or '['");
      const std::string_view name = TakeWhile(IsPlainInName);
      if (name.empty()) return Malformed("expected a name; one with other characters is written [\"…\"]");
      path.Append({.kind = StepKind::kField, .name = std::string(name)});
    }
    return path;
  }

 private:
  bool Accept(char c) {
    if (position_ == text_.size() || text_[position_] != c) return false;
    ++position_;
    return true;
  }

  template <class Predicate>
  std::string_view TakeWhile(Predicate plain) {
    const size_t begin = position_;
    while (position_ < text_.size() && plain(text_[position_])) ++position_;
    return text_.substr(begin, position_ - begin);
  }

  bool AtQuote() const { return position_ < text_.size() && (text_[position_] == '"' || text_[position_] == '\''); }

  Result<std::string> TakeQuoted() {
    const size_t begin = position_;
    const char quote = text_[position_++];
    while (position_ < text_.size() && text_[position_] != quote) position_ += text_[position_] == '\\' ? 2 : 1;
    if (position_ >= text_.size()) {
      position_ = begin;
      return Malformed("a quote that is not closed");
    }
    ++position_;
    const auto content = internal::UnquoteGo(text_.substr(begin, position_ - begin));
    if (!content) {
      position_ = begin;
      return Malformed("a backslash before a character that it cannot escape");
    }
    return *content;
  }

  // Behind the opening bracket, to behind the closing one.
  Result<Step> ParseBrackets() {
    Step step;
    if (AtQuote()) {
      KEELSON_TRY(name, TakeQuoted());
      step = {.kind = StepKind::kKey, .name = std::move(name)};
    } else {
      const size_t begin = position_;
      const std::string_view digits = TakeWhile([](char c) { return c >= '0' && c <= '9'; });
      if (!digits.empty() && position_ < text_.size() && text_[position_] == ']') {
        step.kind = StepKind::kIndex;
        const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), step.index);
        if (parsed.ec != std::errc()) return Malformed("an index that is too large");
      } else {
        position_ = begin;
        step.kind = StepKind::kElement;
        do {
          KEELSON_TRY(key, ParseKey());
          step.keys.push_back(std::move(key));
        } while (Accept(','));
      }
    }
    if (!Accept(']')) return Malformed("expected ']'");
    return step;
  }

  Result<std::pair<std::string, std::string>> ParseKey() {
    std::pair<std::string, std::string> key;
    key.first = TakeWhile(IsPlainInName);
    if (key.first.empty() || !Accept('=')) return Malformed("expected [index], [\"name\"] or [field=value]");
    if (AtQuote()) {
      KEELSON_TRY(value, TakeQuoted());
      key.second = std::move(value);
    } else {
      key.second = TakeWhile(IsPlainInValue);
      if (key.second.empty()) return Malformed("expected a value; one with other characters is written in quotes");
    }
    return key;
  }

  Error Malformed(std::string_view what) const {
    return Error::InvalidArgument("field path " + internal::Quote(text_) + ", at byte " + std::to_string(position_) +
                                  ": " + std::string(what));
  }

  const std::string_view text_;
  size_t position_ = 0;
};

}  // namespace

Result<FieldPath> FieldPath::Parse(std::string_view text) {
  if (text.size() > kMaxBytes) {
    return Error::InvalidArgument("a field path of " + std::to_string(text.size()) + " bytes; at most " +
                                  std::to_string(kMaxBytes) + " are read");
  }
  return Parser(text).Parse();
}

std::string FieldPath::ToString(size_t first_steps) const {
  std::string out;
  for (const Step& step : std::span(steps_).first(std::min(first_steps, steps_.size()))) {
    switch (step.kind) {
      case StepKind::kField:
        if (IsPlain(step.name, IsPlainInName)) {
          if (!out.empty()) out += '.';
          out += step.name;
          break;
        }
        [[fallthrough]];
      case StepKind::kKey: out += '[' + internal::Quote(step.name) + ']'; break;
      case StepKind::kIndex: out += '[' + std::to_string(step.index) + ']'; break;
      case StepKind::kElement: {
        out += '[';
        for (size_t i = 0; i < step.keys.size(); ++i) {
          const auto& [field, value] = step.keys[i];
          if (i > 0) out += ',';
          out += field + '=';
          out += IsPlain(value, IsPlainInValue) ? value : internal::Quote(value);
        }
        out += ']';
        break;
      }
    }
  }
  return out;
}

}  // namespace keelson
