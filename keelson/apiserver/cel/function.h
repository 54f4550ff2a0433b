// The functions that CEL expressions can call, as the checker, the evaluator and the cost estimate read them.
//
//   FunctionTable functions;
//   AddStandardFunctions(functions);
//   functions.Add("isURL", {.id = "is_url_string", .parameters = {Type::String()}, .result = Type::Bool(),
//                           .implementation = &IsUrl});
//   functions.SetCost("isURL", &TraversalCost);
//
//   Value IsUrl(EvalContext& context, std::span<const Value> args) {
//     return Value::OfBool(ParseUrl(args[0].text()).has_value());
//   }
//
// Fill a table before the first expression is checked with it; from then on it must not change and is read from any
// thread.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "keelson/apiserver/cel/type.h"
#include "keelson/apiserver/cel/value.h"

namespace re2 {
class RE2;
}

namespace keelson::apiserver::cel {

class EvalContext;
class TimeZone;

// Arguments of a strict function are never errors, and are of the declared types. A failure is an error value.
using Implementation = Value (*)(EvalContext& context, std::span<const Value> args);

// What a call costs at run time, beyond its arguments. `overload` is the id that the checker settled on, or empty when
// several are possible. Any of the arguments may be an error, which counts as of size 1. nullopt: as if there were no
// hook.
using CallCost = std::optional<uint64_t> (*)(std::string_view overload, std::span<const Value> args,
                                             const Value& result);

struct Overload {
  std::string id;  // "size_string"
  bool member = false;
  std::vector<Type> parameters = {};  // of a member function with its target first
  Type result = {};
  Implementation implementation = nullptr;  // null: that of the function
  bool strict = true;                       // false: errors are given to it as arguments
  CallCost cost = nullptr;                  // null: 1
};

struct Function {
  std::string name;  // "size", "_+_"
  std::deque<Overload> overloads = {};
  // For every overload without one of its own: tells by the values what to do.
  Implementation implementation = nullptr;
  CallCost cost = nullptr;  // asked before the overload's
  // Which argument is a regular expression (EvalContext::Regex), so that a constant is compiled but once; -1: none.
  int pattern_argument = -1;
};

class FunctionTable {
 public:
  FunctionTable() = default;
  FunctionTable(const FunctionTable&) = delete;
  FunctionTable& operator=(const FunctionTable&) = delete;

  // One more overload of a function; replaces the overload of the same id.
  Overload& Add(std::string_view function, Overload overload);
  void SetImplementation(std::string_view function, Implementation implementation);
  void SetCost(std::string_view function, CallCost cost);
  void SetPatternArgument(std::string_view function, int argument);

  const Function* Find(std::string_view name) const;  // null when there is none
  // In the order of their names.
  const std::map<std::string, Function, std::less<>>& functions() const { return functions_; }

 private:
  Function& Get(std::string_view name);

  std::map<std::string, Function, std::less<>> functions_;
};

// Operators, size, conversions, text, time, `in`, optionals: what the language itself has.
void AddStandardFunctions(FunctionTable& table);

// A regular expression that is a constant of a program.
struct ConstantPattern {
  std::string_view text;
  std::shared_ptr<const re2::RE2> regex;
};

// What functions share during one evaluation. Not thread-safe.
class EvalContext {
 public:
  static constexpr uint64_t kNoLimit = UINT64_MAX;

  explicit EvalContext(Arena& arena, uint64_t cost_limit = kNoLimit) : arena_(arena), cost_limit_(cost_limit) {}

  Arena& arena() { return arena_; }

  // A string value with a copy of the text.
  Value Text(std::string_view text) { return Value::OfString(arena_.Copy(text)); }
  Value Error(std::string_view message) { return MakeError(arena_, message); }
  Value Some(const Value& value) { return Value::OfOptional(arena_.New<Value>(value)); }
  Value List(std::span<const Value> items);  // copies

  // Compiled once when the pattern is a constant of the program, else at each call. Null when it is invalid: then
  // `error` has RE2's message. Good until the next call.
  const re2::RE2* Regex(std::string_view pattern, std::string* error);

  // By its IANA name, read once for all of the evaluation; null when there is none.
  const TimeZone* Zone(std::string_view name);

  // Cost so far, as cel-go counts it.
  uint64_t cost() const { return cost_; }
  // Once the cost, or the memory, exceeds its limit: everything evaluates to the error that says so.
  bool cancelled() const { return cancelled_; }

 private:
  friend class Program;
  friend class Evaluation;

  Arena& arena_;
  const uint64_t cost_limit_;
  uint64_t cost_ = 0;
  bool cancelled_ = false;
  std::span<const ConstantPattern> patterns_;
  std::shared_ptr<const re2::RE2> last_regex_;
  std::vector<std::pair<std::string, std::shared_ptr<const TimeZone>>> zones_;
};

}  // namespace keelson::apiserver::cel
