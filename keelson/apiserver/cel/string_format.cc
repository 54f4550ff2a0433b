#include "keelson/apiserver/cel/string_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <initializer_list>

#include "keelson/apiserver/cel/function.h"
#include "keelson/apiserver/go_text.h"

namespace keelson::apiserver::cel {

namespace {

// Beyond it a number would be padded with more zeros than any message has room for.
constexpr int kMaxPrecision = 100'000;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// The clause behind the percent sign at `position`, which is moved behind it; or what is wrong with it.
std::optional<std::string> ReadClause(std::string_view format, size_t& position, FormatClause& clause) {
  if (format[position] == '.') {
    const size_t begin = ++position;
    while (position < format.size() && IsDigit(format[position])) ++position;
    if (position == format.size()) return "error while parsing precision: could not find end of precision specifier";
    const std::string_view digits = format.substr(begin, position - begin);
    int precision = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), precision);
    if (error != std::errc() || precision > kMaxPrecision) {
      return fmt::format(
          "error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing {}: {}",
          Quoted(digits), digits.empty() ? "invalid syntax" : "value out of range");
    }
    clause.precision = precision;
  }
  clause.verb = format[position++];
  if (std::string_view("sdfebxXo").find(clause.verb) != std::string_view::npos) return std::nullopt;
  std::string character;
  AppendCodePoint(character, static_cast<unsigned char>(clause.verb));
  return "unrecognized formatting clause \"" + character + "\"";
}

// Checks the types of literal arguments.
class TypeSink final : public FormatSink {
 public:
  explicit TypeSink(const std::vector<Expr*>& args) : args_(args) {}

  void Literal(char) override {}
  std::optional<std::string> Request(size_t) override {
    ++requested;
    return std::nullopt;
  }
  size_t ArgumentCount() const override { return args_.size(); }
  std::optional<FormatFailure> Clause(const FormatClause& clause, size_t argument) override {
    const Expr* culprit = clause.verb == 's'
                              ? FindUnprintable(*args_[argument])
                              : (IsOneOf(*args_[argument], KindsFor(clause.verb)) ? nullptr : args_[argument]);
    if (culprit == nullptr) return std::nullopt;
    return FormatFailure{WrongFormatType(clause.verb, culprit->type.runtime_name()), culprit};
  }

  size_t requested = 0;

 private:
  static std::initializer_list<TypeKind> KindsFor(char verb) {
    static constexpr std::initializer_list<TypeKind> kIntegers = {TypeKind::kInt, TypeKind::kUint};
    static constexpr std::initializer_list<TypeKind> kBits = {TypeKind::kInt, TypeKind::kUint, TypeKind::kBool};
    static constexpr std::initializer_list<TypeKind> kHex = {TypeKind::kInt, TypeKind::kUint, TypeKind::kString,
                                                             TypeKind::kBytes};
    static constexpr std::initializer_list<TypeKind> kReals = {TypeKind::kDouble, TypeKind::kString};
    switch (verb) {
      case 'b': return kBits;
      case 'x':
      case 'X': return kHex;
      case 'f':
      case 'e': return kReals;
      default: return kIntegers;
    }
  }

  static bool IsOneOf(const Expr& expr, std::initializer_list<TypeKind> kinds) {
    return expr.type.Is(TypeKind::kDyn) || std::find(kinds.begin(), kinds.end(), expr.type.kind()) != kinds.end();
  }

  // Null when the argument and what it is made of can be printed by %s.
  static const Expr* FindUnprintable(const Expr& expr) {
    if (!IsOneOf(expr, {TypeKind::kList, TypeKind::kMap, TypeKind::kInt, TypeKind::kUint, TypeKind::kDouble,
                        TypeKind::kBool, TypeKind::kString, TypeKind::kTimestamp, TypeKind::kBytes, TypeKind::kDuration,
                        TypeKind::kType, TypeKind::kNull})) {
      return &expr;
    }
    if (expr.kind == ExprKind::kList) {
      for (const Expr* item : expr.args) {
        if (const Expr* culprit = FindUnprintable(*item)) return culprit;
      }
    } else if (expr.kind == ExprKind::kMap) {
      for (const Entry& entry : expr.entries) {
        if (const Expr* culprit = FindUnprintable(*entry.key)) return culprit;
        if (const Expr* culprit = FindUnprintable(*entry.value)) return culprit;
      }
    }
    return nullptr;
  }

  const std::vector<Expr*>& args_;
};

bool IsLiteralFormatCall(const Expr& expr) {
  return expr.kind == ExprKind::kCall && expr.name == "format" && expr.operand != nullptr &&
         expr.operand->kind == ExprKind::kConstant && std::holds_alternative<std::string>(expr.operand->constant) &&
         expr.args.size() == 1 && expr.args[0]->kind == ExprKind::kList;
}

void Report(Ast& ast, const Expr& where, std::string message) {
  const Position position = PositionOf(ast.source, where.offset);
  ast.errors.push_back({.line = position.line, .column = position.column, .message = std::move(message)});
}

void CheckCall(Ast& ast, const Expr& call) {
  TypeSink sink(call.args[0]->args);
  if (std::optional<FormatFailure> failure = ReadFormat(std::get<std::string>(call.operand->constant), sink)) {
    Report(ast, failure->where != nullptr ? *failure->where : call, std::move(failure->message));
    return;
  }
  const size_t given = call.args[0]->args.size();
  if (given > sink.requested) {
    Report(ast, call,
           fmt::format("too many arguments supplied to string.format (expected {}, got {})", sink.requested, given));
  }
}

}  // namespace

std::optional<FormatFailure> ReadFormat(std::string_view format, FormatSink& sink) {
  size_t argument = 0;
  for (size_t i = 0; i < format.size();) {
    if (format[i] != '%') {
      sink.Literal(format[i++]);
      continue;
    }
    if (format.substr(i, 2) == "%%") {
      sink.Literal('%');
      i += 2;
      continue;
    }
    if (std::optional<std::string> missing = sink.Request(argument)) return FormatFailure{*std::move(missing)};
    if (++i == format.size()) return FormatFailure{"unexpected end of string"};
    if (argument >= sink.ArgumentCount()) return FormatFailure{fmt::format("index {} out of range", argument)};
    FormatClause clause{};
    if (const std::optional<std::string> problem = ReadClause(format, i, clause)) {
      return FormatFailure{"could not parse formatting clause: " + *problem};
    }
    if (std::optional<FormatFailure> failure = sink.Clause(clause, argument)) {
      failure->message.insert(0, "error during formatting: ");
      return failure;
    }
    ++argument;
  }
  return std::nullopt;
}

std::string WrongFormatType(char verb, std::string_view type_name) {
  std::string_view rule;
  switch (verb) {
    case 'b': rule = "only integers and bools can be formatted as binary"; break;
    case 'd': rule = "decimal clause can only be used on integers"; break;
    case 'f': rule = "fixed-point clause can only be used on doubles"; break;
    case 'e': rule = "scientific clause can only be used on doubles"; break;
    case 'o': rule = "octal clause can only be used on integers"; break;
    case 'x':
    case 'X': rule = "only integers, byte buffers, and strings can be formatted as hex"; break;
    default:
      rule =
          "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and "
          "timestamps";
  }
  return fmt::format("{}, was given {}", rule, type_name);
}

void CheckFormatCalls(Ast& ast) {
  std::vector<const Expr*> pending = {ast.root};
  while (!pending.empty()) {
    const Expr* expr = pending.back();
    pending.pop_back();
    if (expr == nullptr) continue;
    if (IsLiteralFormatCall(*expr)) CheckCall(ast, *expr);
    pending.push_back(expr->operand);
    pending.insert(pending.end(), expr->args.begin(), expr->args.end());
    for (const Entry& entry : expr->entries) {
      pending.push_back(entry.key);
      pending.push_back(entry.value);
    }
    if (const Comprehension* loop = expr->comprehension.get()) {
      pending.insert(pending.end(), {loop->range, loop->init, loop->condition, loop->step, loop->result});
    }
  }
}

}  // namespace keelson::apiserver::cel
