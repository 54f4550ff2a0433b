// The parts of AddStandardFunctions (function.h), and the operators that the evaluator also calls itself.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "keelson/apiserver/cel/function.h"

namespace keelson::apiserver::cel {

void AddOperators(FunctionTable& table);
void AddConversions(FunctionTable& table);
void AddTextFunctions(FunctionTable& table);
void AddTimeFunctions(FunctionTable& table);
void AddOptionalFunctions(FunctionTable& table);

// No argument is an error. `name` is that of the operator, for the message when there is no such overload.
Value Add(EvalContext& context, const Value& a, const Value& b);
Value In(EvalContext& context, const Value& item, const Value& container);
Value SizeOf(EvalContext& context, const Value& value);

// Timestamps with all that CEL's arithmetic checks.
Value AddToTimestamp(const Value& timestamp, int64_t nanos);
Value SubtractTimestamps(const Value& a, const Value& b);

// The index that a value stands for in a list; else an error.
Value IndexOf(EvalContext& context, const Value& index);

// cost hooks
// A tenth of the size of the first argument, rounded up.
std::optional<uint64_t> SizeOfFirstCost(std::string_view overload, std::span<const Value> args, const Value& result);
// ceil(size / 10), in the arithmetic that cel-go does it with.
uint64_t TenthOf(uint64_t size);

}  // namespace keelson::apiserver::cel
