// Makes the nodes of an Ast while it is parsed. For the parser and its macros only.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "keelson/apiserver/cel/ast.h"

namespace keelson::apiserver::cel {

class AstBuilder {
 public:
  // Copies that macros make of their arguments could double at each of a chain of calls.
  static constexpr int kMostNodes = 250'000;

  explicit AstBuilder(Ast& ast) : ast_(ast) {}

  // `offset` is the node's place in the source.
  Expr* Error(int32_t offset) { return New(ExprKind::kError, offset); }
  Expr* Constant(int32_t offset, cel::Constant value);
  Expr* Ident(int32_t offset, std::string name);
  Expr* Select(int32_t offset, Expr* operand, std::string field, bool test_only = false);
  Expr* Call(int32_t offset, std::string_view function, std::vector<Expr*> args);
  Expr* MemberCall(int32_t offset, std::string_view function, Expr* target, std::vector<Expr*> args);
  Expr* List(int32_t offset, std::vector<Expr*> elements, std::vector<int32_t> optional_elements = {});
  Expr* Map(int32_t offset, std::vector<Entry> entries);
  Expr* Struct(int32_t offset, std::string name, std::vector<Entry> entries);
  Expr* Comprehension(int32_t offset, cel::Comprehension comprehension);
  // The tree once more, with ids of its own.
  Expr* Copy(const Expr& expr);

  void Report(int32_t offset, std::string message);
  void ReportWithoutPlace(std::string message) { ast_.errors.push_back({.message = std::move(message)}); }
  bool full() const { return next_id_ > kMostNodes; }
  Ast& ast() { return ast_; }

  int32_t NextId() { return next_id_++; }

 private:
  Expr* New(ExprKind kind, int32_t offset);

  Ast& ast_;
  int32_t next_id_ = 1;
};

}  // namespace keelson::apiserver::cel
