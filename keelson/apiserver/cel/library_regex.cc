#include <re2/re2.h>

#include "keelson/apiserver/cel/library.h"
#include "keelson/apiserver/cel/library_cost.h"

namespace keelson::apiserver::cel {

namespace {

// Null, with `failure` set, when the pattern is none.
const re2::RE2* Pattern(EvalContext& context, std::span<const Value> args, Value* failure) {
  std::string error;
  const re2::RE2* pattern = context.Regex(args[1].text(), &error);
  if (pattern == nullptr) *failure = context.Error("Illegal regex: " + error);
  return pattern;
}

Value Find(EvalContext& context, std::span<const Value> args) {
  Value failure;
  const re2::RE2* pattern = Pattern(context, args, &failure);
  if (pattern == nullptr) return failure;
  const std::string_view text = args[0].text();
  re2::StringPiece match;
  if (!pattern->Match(re2::StringPiece(text.data(), text.size()), 0, text.size(), re2::RE2::UNANCHORED, &match, 1)) {
    return Value::OfString({});
  }
  return Value::OfString({match.data(), match.size()});
}

// Matches one after the other, without overlap. An empty match directly behind another match does not count.
Value FindAll(EvalContext& context, std::span<const Value> args) {
  Value failure;
  const re2::RE2* pattern = Pattern(context, args, &failure);
  if (pattern == nullptr) return failure;
  const std::string_view text = args[0].text();
  const int64_t limit = args.size() > 2 ? args[2].integer() : -1;
  std::vector<Value> found;
  size_t position = 0;
  size_t previous_end = std::string_view::npos;
  while (position <= text.size() && (limit < 0 || static_cast<int64_t>(found.size()) < limit)) {
    re2::StringPiece match;
    if (!pattern->Match(re2::StringPiece(text.data(), text.size()), position, text.size(), re2::RE2::UNANCHORED, &match,
                        1)) {
      break;
    }
    const size_t begin = static_cast<size_t>(match.data() - text.data());
    const size_t end = begin + match.size();
    if (!match.empty() || begin != previous_end) found.push_back(Value::OfString(text.substr(begin, match.size())));
    previous_end = end;
    position = end;
    if (!match.empty()) continue;
    // On to the next character.
    ++position;
    while (position < text.size() && (static_cast<unsigned char>(text[position]) & 0xc0) == 0x80) ++position;
  }
  return context.List(found);
}

std::optional<uint64_t> FindCost(std::string_view, std::span<const Value> args, const Value&) {
  return MatchUnits(CostSize(args[0]), CostSize(args[1]));
}

}  // namespace

void AddRegexLibrary(FunctionTable& table) {
  const Type text = Type::String();
  table.Add("find", {.id = "string_find_string",
                     .member = true,
                     .parameters = {text, text},
                     .result = text,
                     .implementation = &Find});
  table.Add("findAll", {.id = "string_find_all_string",
                        .member = true,
                        .parameters = {text, text},
                        .result = Type::List(text),
                        .implementation = &FindAll});
  table.Add("findAll", {.id = "string_find_all_string_int",
                        .member = true,
                        .parameters = {text, text, Type::Int()},
                        .result = Type::List(text),
                        .implementation = &FindAll});
  for (const std::string_view name : {"find", "findAll"}) {
    table.SetCost(name, &FindCost);
    table.SetPatternArgument(name, 1);
  }
}

}  // namespace keelson::apiserver::cel
