// Makes the plan of a Program from a checked expression.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "keelson/apiserver/cel/plan.h"

namespace keelson::apiserver::cel {

class Planner {
 public:
  explicit Planner(Program::Plan& plan) : plan_(plan) {}

  // Sets the plan's error when it cannot be made; then the step is of no use.
  const Step* Plan(const Expr& expr);

 private:
  const Step* PlanKind(const Expr& expr);
  const Step* PlanConstant(const Expr& expr);
  const Step* PlanIdent(const Expr& expr);
  const Step* PlanSelect(const Expr& expr);
  const Step* PlanIndex(const std::vector<const Step*>& args, bool optional);
  const Step* PlanConditional(const std::vector<const Step*>& args);
  const Step* PlanMembership(const Step* item, const Value& list);
  const Step* PlanCall(const Expr& expr);
  const Step* PlanFunction(const Function& function, const Overload* overload, std::vector<const Step*> args);
  const Step* PlanLiteral(const Expr& expr);
  const Step* PlanFold(const Expr& expr);

  // The step itself when it is an attribute, else an attribute of its value.
  const Step* AsAttribute(const Step* step);
  // Whether it is a list that a comprehension appends to.
  bool IsAccumulator(const Step* step) const;
  void CompilePatternOf(const CallStep& call);
  // The constant that a step of constants gives.
  const Step* Fold(const Step& step);
  const Step* Constant(const Value& value);
  const Step* Fail(std::string message);

  Program::Plan& plan_;
  int depth_ = 0;
  std::set<int> growing_;  // slots of accumulators that began as an empty list
};

}  // namespace keelson::apiserver::cel
