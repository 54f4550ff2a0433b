#include "keelson/apiserver/cel/function.h"

#include "keelson/apiserver/cel/standard.h"

namespace keelson::apiserver::cel {

Function& FunctionTable::Get(std::string_view name) {
  const auto found = functions_.find(name);
  if (found != functions_.end()) return found->second;
  return functions_.emplace(std::string(name), Function{.name = std::string(name)}).first->second;
}

Overload& FunctionTable::Add(std::string_view function, Overload overload) {
  Function& target = Get(function);
  for (Overload& other : target.overloads) {
    if (other.id == overload.id) return other = std::move(overload);
  }
  return target.overloads.emplace_back(std::move(overload));
}

void FunctionTable::SetImplementation(std::string_view function, Implementation implementation) {
  Get(function).implementation = implementation;
}

void FunctionTable::SetCost(std::string_view function, CallCost cost) { Get(function).cost = cost; }

void FunctionTable::SetPatternArgument(std::string_view function, int argument) {
  Get(function).pattern_argument = argument;
}

const Function* FunctionTable::Find(std::string_view name) const {
  const auto found = functions_.find(name);
  return found == functions_.end() ? nullptr : &found->second;
}

void AddStandardFunctions(FunctionTable& table) {
  AddOperators(table);
  AddConversions(table);
  AddTextFunctions(table);
  AddTimeFunctions(table);
  AddOptionalFunctions(table);
}

}  // namespace keelson::apiserver::cel
