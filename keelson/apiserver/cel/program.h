// A checked CEL expression made ready to run.
//
//   Ast ast = Compile("self.replicas <= 5", environment);
//   Program program(ast);
//   Arena arena;
//   EvalContext context(arena, /*cost_limit=*/1'000'000);
//   Value result = program.Evaluate(context, {{self}});
//   if (result.is_error()) Fail(result.text());
//
// Immutable: evaluate from any thread, each with a context of its own. Independent of the Ast once made; the table of
// functions must live on.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "keelson/apiserver/cel/ast.h"
#include "keelson/apiserver/cel/function.h"
#include "keelson/apiserver/cel/value.h"

namespace keelson::apiserver::cel {

class Program {
 public:
  // `ast` was checked without errors.
  explicit Program(const Ast& ast);
  Program(Program&&) noexcept;
  Program& operator=(Program&&) noexcept;
  ~Program();

  // Why the expression cannot run, when a constant in it cannot be computed: int("x"). Empty: it can. Of one that
  // cannot, Evaluate gives this error.
  const std::string& error() const;

  // `variables` in the order of Environment::variables. The result lives in the arena, the variables and the program.
  // Costs are added to what the context has counted so far.
  Value Evaluate(EvalContext& context, std::span<const Value> variables) const;

 private:
  friend class Evaluation;
  friend class Planner;
  struct Plan;
  std::unique_ptr<const Plan> plan_;
};

}  // namespace keelson::apiserver::cel
