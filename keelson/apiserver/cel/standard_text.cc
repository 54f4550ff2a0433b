// contains, startsWith, endsWith, matches.
#include <re2/re2.h>

#include <cmath>
#include <string>

#include "keelson/apiserver/cel/standard.h"

namespace keelson::apiserver::cel {

namespace {

using Args = std::span<const Value>;

Value Contains(EvalContext&, Args args) {
  if (!args[0].is_string() || !args[1].is_string()) return Value::NoSuchOverload();
  return Value::OfBool(args[0].text().find(args[1].text()) != std::string_view::npos);
}

Value EndsWith(EvalContext&, Args args) {
  if (!args[0].is_string() || !args[1].is_string()) return Value::NoSuchOverload();
  return Value::OfBool(args[0].text().ends_with(args[1].text()));
}

Value StartsWith(EvalContext&, Args args) {
  if (!args[0].is_string() || !args[1].is_string()) return Value::NoSuchOverload();
  return Value::OfBool(args[0].text().starts_with(args[1].text()));
}

Value Matches(EvalContext& context, Args args) {
  if (!args[0].is_string() || !args[1].is_string()) return Value::NoSuchOverload();
  std::string error;
  const re2::RE2* regex = context.Regex(args[1].text(), &error);
  if (regex == nullptr) return context.Error(error);
  const std::string_view text = args[0].text();
  return Value::OfBool(re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *regex));
}

std::optional<uint64_t> ContainsCost(std::string_view, Args args, const Value&) {
  return TenthOf(CostSize(args[0])) * TenthOf(CostSize(args[1]));
}

// One more than the text has, so that an empty one is not free whatever the pattern.
std::optional<uint64_t> MatchesCost(std::string_view, Args args, const Value&) {
  const auto text = static_cast<uint64_t>(std::ceil((1.0 + static_cast<double>(CostSize(args[0]))) * 0.1));
  const auto pattern = static_cast<uint64_t>(std::ceil(static_cast<double>(CostSize(args[1])) * 0.25));
  return text * pattern;
}

}  // namespace

void AddTextFunctions(FunctionTable& table) {
  const Type text = Type::String();
  const auto add = [&](std::string_view name, std::string id, Implementation implementation, CallCost cost) {
    table.Add(name, {.id = std::move(id),
                     .member = true,
                     .parameters = {text, text},
                     .result = Type::Bool(),
                     .implementation = implementation,
                     .cost = cost});
  };
  add("contains", "contains_string", &Contains, &ContainsCost);
  add("endsWith", "ends_with_string", &EndsWith, &SizeOfFirstCost);
  add("startsWith", "starts_with_string", &StartsWith, &SizeOfFirstCost);
  table.Add("matches", {.id = "matches", .parameters = {text, text}, .result = Type::Bool()});
  table.Add("matches", {.id = "matches_string",
                        .member = true,
                        .parameters = {text, text},
                        .result = Type::Bool(),
                        .cost = &MatchesCost});
  table.SetImplementation("matches", &Matches);
  table.SetPatternArgument("matches", 1);
}

}  // namespace keelson::apiserver::cel
