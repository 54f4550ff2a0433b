#include "keelson/apiserver/cel/program.h"

#include "keelson/apiserver/cel/evaluation.h"
#include "keelson/apiserver/cel/plan.h"
#include "keelson/apiserver/cel/planner.h"

namespace keelson::apiserver::cel {

Program::Program(const Ast& ast) {
  auto plan = std::make_unique<Plan>();
  plan->root = Planner(*plan).Plan(*ast.root);
  plan->local_count = ast.local_count;
  plan_ = std::move(plan);
}

Program::Program(Program&&) noexcept = default;
Program& Program::operator=(Program&&) noexcept = default;
Program::~Program() = default;

const std::string& Program::error() const { return plan_->error; }

Value Program::Evaluate(EvalContext& context, std::span<const Value> variables) const {
  if (!plan_->error.empty()) return Value::OfError(plan_->error);
  context.patterns_ = plan_->patterns;
  const Value result = Evaluation(context, variables, plan_->local_count).Eval(*plan_->root);
  context.patterns_ = {};
  return context.cancelled_ ? Value::OfError("operation cancelled: actual cost limit exceeded") : result;
}

}  // namespace keelson::apiserver::cel
