#include "keelson/apiserver/cel/literal_checks.h"

#include <re2/re2.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "keelson/apiserver/cel/function.h"

namespace keelson::apiserver::cel {
namespace {

void Report(Ast& ast, const Expr& expr, std::string message) {
  const Position position = PositionOf(ast.source, expr.offset);
  ast.errors.push_back({.line = position.line, .column = position.column, .message = std::move(message)});
}

Value ValueOf(const Constant& constant) {
  if (const auto* text = std::get_if<std::string>(&constant)) return Value::OfString(*text);
  if (const auto* number = std::get_if<int64_t>(&constant)) return Value::OfInt(*number);
  return Value::Null();
}

// Whether the conversion takes the literal. Its overloads read text and numbers alone.
bool Converts(const Expr& call) {
  const Overload& overload = *call.overloads.front();
  const Implementation implementation =
      overload.implementation != nullptr ? overload.implementation : call.function->implementation;
  if (std::holds_alternative<std::nullptr_t>(call.args[0]->constant)) return false;
  if (implementation == nullptr) return true;
  Arena arena;
  EvalContext context(arena);
  const Value argument = ValueOf(call.args[0]->constant);
  return !implementation(context, {&argument, 1}).is_error();
}

bool IsPattern(const Constant& constant) {
  const auto* text = std::get_if<std::string>(&constant);
  return text == nullptr || RE2(*text, RE2::Quiet).ok();
}

void CheckArgument(Ast& ast, const Expr& call) {
  if (call.args.empty() || call.args[0]->kind != ExprKind::kConstant || call.overloads.empty()) return;
  if (call.name == "matches") {
    // The first argument of either form: of the one without a receiver that is the text. So does Kubernetes.
    if (!IsPattern(call.args[0]->constant)) Report(ast, *call.args[0], "invalid matches argument");
  } else if (call.name == "duration" || call.name == "timestamp") {
    if (call.operand == nullptr && !Converts(call)) {
      Report(ast, *call.args[0], "invalid " + call.name + " argument");
    }
  }
}

// The type of what an element adds, when it is written with ?.
const Type& Added(const Expr& expr, bool optional) {
  return optional && expr.type.is_optional() ? expr.type.parameter(0) : expr.type;
}

// False when the type is not the expected one, which is the first type met.
bool SameType(Ast& ast, const Expr& expr, const Type& type, std::optional<Type>* expected) {
  if (!*expected) *expected = type;
  if (**expected == type) return true;
  Report(ast, expr, "expected type '" + (*expected)->Name() + "' but found '" + type.Name() + "'");
  return false;
}

void CheckList(Ast& ast, const Expr& list) {
  std::optional<Type> expected;
  for (size_t i = 0; i < list.args.size(); ++i) {
    const bool optional =
        std::binary_search(list.optional_elements.begin(), list.optional_elements.end(), static_cast<int32_t>(i));
    if (!SameType(ast, *list.args[i], Added(*list.args[i], optional), &expected)) return;
  }
}

void CheckMap(Ast& ast, const Expr& map) {
  std::optional<Type> key;
  std::optional<Type> value;
  for (const Entry& entry : map.entries) {
    SameType(ast, *entry.key, entry.key->type, &key);
    SameType(ast, *entry.value, Added(*entry.value, entry.optional), &value);
  }
}

// `formatted`: it stands in a call of format(), which takes lists of values of any type.
void Walk(Ast& ast, const Expr& expr, bool formatted) {
  switch (expr.kind) {
    case ExprKind::kCall:
      CheckArgument(ast, expr);
      formatted |= expr.name == "format";
      break;
    case ExprKind::kList:
      if (!formatted) CheckList(ast, expr);
      break;
    case ExprKind::kMap:
      if (!formatted) CheckMap(ast, expr);
      break;
    default: break;
  }
  if (expr.operand != nullptr) Walk(ast, *expr.operand, formatted);
  for (const Expr* arg : expr.args) Walk(ast, *arg, formatted);
  for (const Entry& entry : expr.entries) {
    if (entry.key != nullptr) Walk(ast, *entry.key, formatted);
    Walk(ast, *entry.value, formatted);
  }
  if (expr.comprehension != nullptr) {
    const Comprehension& loop = *expr.comprehension;
    for (const Expr* part : {loop.range, loop.init, loop.condition, loop.step, loop.result}) {
      Walk(ast, *part, formatted);
    }
  }
}

}  // namespace

void CheckLiterals(Ast& ast) { Walk(ast, *ast.root, false); }

}  // namespace keelson::apiserver::cel
