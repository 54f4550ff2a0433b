#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "keelson/apiserver/cel/library.h"
#include "keelson/apiserver/cel/library_cost.h"
#include "keelson/apiserver/cel/scalar_text.h"
#include "keelson/apiserver/cel/string_format.h"
#include "keelson/apiserver/go_text.h"

namespace keelson::apiserver::cel {

namespace {

constexpr int kDefaultPrecision = 6;
constexpr int kMaxNesting = 1'000;

// As string() converts it.
std::string ScalarText(const Value& value) {
  switch (value.kind()) {
    case ValueKind::kBool: return value.boolean() ? "true" : "false";
    case ValueKind::kInt: return fmt::format("{}", value.integer());
    case ValueKind::kUint: return fmt::format("{}", value.uinteger());
    case ValueKind::kDouble: return FormatDouble(value.number());
    case ValueKind::kTimestamp:
      return FormatTimestamp({.seconds = value.seconds(),
                              .nanos = value.nanos(),
                              .offset_minutes = static_cast<int16_t>(value.offset_minutes())});
    case ValueKind::kDuration: return FormatSeconds(value.duration());
    case ValueKind::kNull: return "null";
    default: return std::string(value.text());  // text, bytes, types
  }
}

// Prints values; what cannot be printed ends it with a message.
class Printer {
 public:
  explicit Printer(Arena& arena) : arena_(arena) {}

  // By %s.
  std::optional<std::string> Print(const Value& value, std::string& out, int depth = 0) {
    switch (value.kind()) {
      case ValueKind::kList: return PrintList(value, out, depth);
      case ValueKind::kMap: return PrintMap(value, out, depth);
      case ValueKind::kError:
      case ValueKind::kOptional:
      case ValueKind::kOpaque: return WrongFormatType('s', TypeName(value));
      default: out += ScalarText(value); return std::nullopt;
    }
  }

 private:
  // A part of a list or a map, in the form of a literal.
  std::optional<std::string> PrintPart(const Value& value, std::string& out, int depth) {
    if (depth > kMaxNesting) return "no formatting function for values nested so deeply";
    switch (value.kind()) {
      case ValueKind::kString: out += Quoted(value.text()); return std::nullopt;
      case ValueKind::kBytes: out += "b" + Quoted(value.text()); return std::nullopt;
      case ValueKind::kTimestamp: out += fmt::format("timestamp({})", Quoted(ScalarText(value))); return std::nullopt;
      case ValueKind::kDuration: out += fmt::format("duration({})", Quoted(ScalarText(value))); return std::nullopt;
      case ValueKind::kDouble:
        out += std::isfinite(value.number()) ? fmt::format("{:.{}f}", value.number(), kDefaultPrecision)
                                             : Quoted(ScalarText(value));
        return std::nullopt;
      case ValueKind::kError: return std::string(value.text());
      case ValueKind::kOptional:
      case ValueKind::kOpaque: return fmt::format("no formatting function for {}", TypeName(value));
      default: return Print(value, out, depth);
    }
  }

  std::optional<std::string> PrintList(const Value& list, std::string& out, int depth) {
    out += '[';
    for (size_t i = 0, length = Length(list); i < length; ++i) {
      if (i > 0) out += ", ";
      if (auto problem = PrintPart(ItemAt(list, i, arena_), out, depth + 1)) return problem;
    }
    out += ']';
    return std::nullopt;
  }

  std::optional<std::string> PrintMap(const Value& map, std::string& out, int depth) {
    std::vector<std::pair<std::string, std::string>> entries;
    for (const Value& key : KeysOf(map, arena_)) {
      if (!key.is_string() && !key.is_bool() && !key.is_int() && !key.is(ValueKind::kUint)) {
        return fmt::format("no formatting function for map key of type {}", TypeName(key));
      }
      auto& [key_text, value_text] = entries.emplace_back();
      key_text = key.is_string() ? Quoted(key.text()) : ScalarText(key);
      Value value;
      if (FindMember(map, key, arena_, &value) == Lookup::kMissing) {
        return fmt::format("could not find key: {}", Quoted(ScalarText(key)));
      }
      if (auto problem = PrintPart(value, value_text, depth + 1)) return problem;
    }
    std::sort(entries.begin(), entries.end());
    out += '{';
    for (size_t i = 0; i < entries.size(); ++i) {
      out.append(i > 0 ? ", " : "").append(entries[i].first).append(":").append(entries[i].second);
    }
    out += '}';
    return std::nullopt;
  }

  Arena& arena_;
};

// Infinite and undefined numbers as a language would write them; empty for the others.
std::string_view NotFinite(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number > 0 ? "∞" : "-∞";
  return {};
}

// "1,234.500"
std::string GroupedFixed(double number, int precision) {
  if (const std::string_view special = NotFinite(number); !special.empty()) return std::string(special);
  std::string text = fmt::format("{:.{}f}", number, precision);
  const size_t first = text[0] == '-' ? 1 : 0;
  const size_t point = std::min(text.find('.'), text.size());
  for (size_t at = point; at > first + 3;) {
    at -= 3;
    text.insert(at, ",");
  }
  return text;
}

// "1.052033×10⁰³"; always with six digits.
std::string Scientific(double number) {
  if (const std::string_view special = NotFinite(number); !special.empty()) return std::string(special);
  const std::string plain = fmt::format("{:.{}e}", number, kDefaultPrecision);
  const size_t e = plain.find('e');
  std::string text = plain.substr(0, e) + "×10";
  for (const char c : plain.substr(e + 1)) {
    constexpr std::string_view kDigits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    if (c == '-') text += "⁻";
    if (c >= '0' && c <= '9') text += kDigits[c - '0'];
  }
  return text;
}

// The number of %f and %e; some words are numbers, too.
std::optional<double> RealNumber(const Value& value) {
  if (value.is(ValueKind::kDouble)) return value.number();
  if (!value.is_string()) return std::nullopt;
  if (value.text() == "NaN") return std::nan("");
  if (value.text() == "Infinity") return HUGE_VAL;
  if (value.text() == "-Infinity") return -HUGE_VAL;
  return std::nullopt;
}

std::string HexBytes(std::string_view bytes, bool upper) {
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += upper ? fmt::format("{:02X}", byte) : fmt::format("{:02x}", byte);
  }
  return text;
}

// The text of a clause's argument; nothing when it is of a wrong type.
std::optional<std::string> ClauseText(const FormatClause& clause, const Value& value) {
  const auto integer = [&](auto number) -> std::string {
    switch (clause.verb) {
      case 'b': return fmt::format("{:b}", number);
      case 'o': return fmt::format("{:o}", number);
      case 'x': return fmt::format("{:x}", number);
      case 'X': return fmt::format("{:X}", number);
      default: return fmt::format("{}", number);
    }
  };
  if (clause.verb == 'f' || clause.verb == 'e') {
    const std::optional<double> number = RealNumber(value);
    if (!number) return std::nullopt;
    return clause.verb == 'e' ? Scientific(*number)
                              : GroupedFixed(*number, clause.precision.value_or(kDefaultPrecision));
  }
  const bool hex = clause.verb == 'x' || clause.verb == 'X';
  switch (value.kind()) {
    case ValueKind::kInt: return integer(value.integer());
    case ValueKind::kUint: return integer(value.uinteger());
    case ValueKind::kBool:
      if (clause.verb == 'b') return value.boolean() ? "1" : "0";
      return std::nullopt;
    case ValueKind::kString:
    case ValueKind::kBytes:
      if (hex) return HexBytes(value.text(), clause.verb == 'X');
      return std::nullopt;
    default: return std::nullopt;
  }
}

class TextSink final : public FormatSink {
 public:
  TextSink(const Value& args, Arena& arena) : args_(args), arena_(arena) {}

  void Literal(char c) override { text += c; }
  std::optional<std::string> Request(size_t argument) override {
    if (argument < Length(args_)) return std::nullopt;
    return fmt::format("index {} out of range", argument);
  }
  size_t ArgumentCount() const override { return Length(args_); }
  std::optional<FormatFailure> Clause(const FormatClause& clause, size_t argument) override {
    const Value value = ItemAt(args_, argument, arena_);
    if (clause.verb == 's') {
      if (auto problem = Printer(arena_).Print(value, text)) return FormatFailure{*std::move(problem)};
      return std::nullopt;
    }
    const std::optional<std::string> printed = ClauseText(clause, value);
    if (!printed) return FormatFailure{WrongFormatType(clause.verb, TypeName(value))};
    text += *printed;
    return std::nullopt;
  }

  std::string text;

 private:
  const Value& args_;
  Arena& arena_;
};

Value FormatText(EvalContext& context, std::span<const Value> args) {
  TextSink sink(args[1], context.arena());
  if (const std::optional<FormatFailure> failure = ReadFormat(args[0].text(), sink)) {
    return context.Error(failure->message);
  }
  return context.Text(sink.text);
}

}  // namespace

void AddStringFormatLibrary(FunctionTable& table) {
  table.Add("format", {.id = "string_format",
                       .member = true,
                       .parameters = {Type::String(), Type::List(Type::Dyn())},
                       .result = Type::String(),
                       .implementation = &FormatText});
  table.SetCost("format", &TraversalCost);
}

}  // namespace keelson::apiserver::cel
