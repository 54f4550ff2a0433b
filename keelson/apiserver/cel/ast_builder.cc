#include "keelson/apiserver/cel/ast_builder.h"

namespace keelson::apiserver::cel {

Expr* AstBuilder::New(ExprKind kind, int32_t offset) {
  Expr* expr = ast_.NewExpr();
  expr->kind = kind;
  expr->id = NextId();
  expr->offset = offset;
  return expr;
}

Expr* AstBuilder::Constant(int32_t offset, cel::Constant value) {
  Expr* expr = New(ExprKind::kConstant, offset);
  expr->constant = std::move(value);
  return expr;
}

Expr* AstBuilder::Ident(int32_t offset, std::string name) {
  Expr* expr = New(ExprKind::kIdent, offset);
  expr->name = std::move(name);
  return expr;
}

Expr* AstBuilder::Select(int32_t offset, Expr* operand, std::string field, bool test_only) {
  Expr* expr = New(ExprKind::kSelect, offset);
  expr->operand = operand;
  expr->name = std::move(field);
  expr->test_only = test_only;
  return expr;
}

Expr* AstBuilder::Call(int32_t offset, std::string_view function, std::vector<Expr*> args) {
  return MemberCall(offset, function, nullptr, std::move(args));
}

Expr* AstBuilder::MemberCall(int32_t offset, std::string_view function, Expr* target, std::vector<Expr*> args) {
  Expr* expr = New(ExprKind::kCall, offset);
  expr->operand = target;
  expr->name = function;
  expr->args = std::move(args);
  return expr;
}

Expr* AstBuilder::List(int32_t offset, std::vector<Expr*> elements, std::vector<int32_t> optional_elements) {
  Expr* expr = New(ExprKind::kList, offset);
  expr->args = std::move(elements);
  expr->optional_elements = std::move(optional_elements);
  return expr;
}

Expr* AstBuilder::Map(int32_t offset, std::vector<Entry> entries) {
  Expr* expr = New(ExprKind::kMap, offset);
  expr->entries = std::move(entries);
  return expr;
}

Expr* AstBuilder::Struct(int32_t offset, std::string name, std::vector<Entry> entries) {
  Expr* expr = New(ExprKind::kStruct, offset);
  expr->name = std::move(name);
  expr->entries = std::move(entries);
  return expr;
}

Expr* AstBuilder::Comprehension(int32_t offset, cel::Comprehension comprehension) {
  Expr* expr = New(ExprKind::kComprehension, offset);
  expr->comprehension = std::make_unique<cel::Comprehension>(std::move(comprehension));
  return expr;
}

Expr* AstBuilder::Copy(const Expr& expr) {
  if (full()) return Error(expr.offset);
  Expr* copy = New(expr.kind, expr.offset);
  copy->test_only = expr.test_only;
  copy->name = expr.name;
  copy->constant = expr.constant;
  copy->optional_elements = expr.optional_elements;
  if (expr.operand != nullptr) copy->operand = Copy(*expr.operand);
  for (const Expr* arg : expr.args) copy->args.push_back(Copy(*arg));
  for (const Entry& entry : expr.entries) {
    Entry& added = copy->entries.emplace_back(entry);
    added.id = NextId();
    if (entry.key != nullptr) added.key = Copy(*entry.key);
    if (entry.value != nullptr) added.value = Copy(*entry.value);
  }
  if (expr.comprehension != nullptr) {
    copy->comprehension = std::make_unique<cel::Comprehension>(*expr.comprehension);
    cel::Comprehension& loop = *copy->comprehension;
    loop.range = Copy(*loop.range);
    loop.init = Copy(*loop.init);
    loop.condition = Copy(*loop.condition);
    loop.step = Copy(*loop.step);
    loop.result = Copy(*loop.result);
  }
  return copy;
}

void AstBuilder::Report(int32_t offset, std::string message) {
  const Position position = PositionOf(ast_.source, offset);
  ast_.errors.push_back({.line = position.line, .column = position.column, .message = std::move(message)});
}

}  // namespace keelson::apiserver::cel
