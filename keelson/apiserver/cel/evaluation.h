// One run of a plan.
#pragma once

#include <cstdint>
#include <span>

#include "keelson/apiserver/cel/plan.h"

namespace keelson::apiserver::cel {

// A local variable. An accumulator is computed when it is first read.
struct Local {
  Value value = {};
  const Step* init = nullptr;
};

// As messages of cel-go name the class of a value that does not fit: "types.Null".
std::string_view GoTypeOf(const Value& value);

class Evaluation {
 public:
  Evaluation(EvalContext& context, std::span<const Value> variables, int local_count);

  Value Eval(const Step& step);

 private:
  // False once the limits are exceeded.
  bool Charge(uint64_t cost);
  void Cancel();

  // Computes an accumulator that is read for the first time.
  void Initialize(size_t slot);
  Value Resolve(const Attribute& attribute);
  Value ResolveQualifiers(Value object, const Attribute& attribute);
  Value KeyOf(const Qualifier& qualifier);
  Lookup Qualify(const Value& object, const Value& key, Value* out);
  Value Missing(const Value& object, const Value& key);

  Value EvalAttribute(const AttributeStep& step);
  Value EvalHas(const AttributeStep& step);
  Value EvalLogic(const PairStep& step, bool decisive);
  Value EvalCall(const CallStep& step);
  Value EvalBinary(const CallStep& step);
  Value EvalMembership(const MembershipStep& step);
  Value EvalOptional(const PairStep& step);
  Value EvalList(const LiteralStep& step);
  Value EvalMap(const LiteralStep& step);
  Value EvalStruct(const LiteralStep& step);
  Value EvalFold(const FoldStep& step);
  Value Iterate(const FoldStep& step, const Value& range);

  Value Dispatch(const CallStep& step, std::span<const Value> args);
  Value NoSuchOverload(const CallStep& step, std::span<const Value> args);
  uint64_t CostOf(const CallStep& step, std::span<const Value> args, const Value& result);

  EvalContext& context_;
  Arena& arena_;
  std::span<const Value> variables_;
  std::span<Local> locals_;
};

}  // namespace keelson::apiserver::cel
