#include <fmt/format.h>

#include <algorithm>

#include "keelson/apiserver/cel/library.h"
#include "keelson/apiserver/cel/library_cost.h"
#include "keelson/apiserver/go_text.h"

namespace keelson::apiserver::cel {

namespace {

using CodePointText = std::vector<uint32_t>;

CodePointText Decode(const Value& text) { return DecodeCodePoints(text.text()); }

Value Encode(EvalContext& context, const CodePointText& text, size_t begin, size_t end) {
  return context.Text(FromCodePoints(text.data() + begin, text.data() + end));
}

Value OutOfRange(EvalContext& context, int64_t index) {
  return context.Error(fmt::format("index out of range: {}", index));
}

Value CharAt(EvalContext& context, std::span<const Value> args) {
  const CodePointText text = Decode(args[0]);
  const int64_t index = args[1].integer();
  const auto length = static_cast<int64_t>(text.size());
  if (index < 0 || index > length) return OutOfRange(context, index);
  if (index == length) return Value::OfString({});
  return Encode(context, text, static_cast<size_t>(index), static_cast<size_t>(index) + 1);
}

Value IndexOf(EvalContext& context, std::span<const Value> args) {
  const int64_t offset = args.size() > 2 ? args[2].integer() : 0;
  if (args[1].text().empty()) return Value::OfInt(offset);
  if (offset < 0) return OutOfRange(context, offset);
  const CodePointText text = Decode(args[0]);
  const CodePointText part = Decode(args[1]);
  if (offset >= static_cast<int64_t>(text.size())) return Value::OfInt(-1);
  const auto found = std::search(text.begin() + offset, text.end(), part.begin(), part.end());
  return Value::OfInt(found == text.end() ? -1 : found - text.begin());
}

Value LastIndexOf(EvalContext& context, std::span<const Value> args) {
  const CodePointText text = Decode(args[0]);
  const CodePointText part = Decode(args[1]);
  const auto length = static_cast<int64_t>(text.size());
  const bool from_end = args.size() < 3;
  if (part.empty()) return Value::OfInt(from_end ? length : args[2].integer());
  if (from_end && args[0].text().size() < args[1].text().size()) return Value::OfInt(-1);
  const int64_t offset = from_end ? length - 1 : args[2].integer();
  if (offset < 0) return OutOfRange(context, offset);
  if (offset >= length) return Value::OfInt(-1);
  // A match begins at the offset at the latest.
  const int64_t end = std::min(length, offset + static_cast<int64_t>(part.size()));
  const auto limit = text.begin() + end;
  const auto found = std::find_end(text.begin(), limit, part.begin(), part.end());
  return Value::OfInt(found == limit ? -1 : found - text.begin());
}

// Letters of ASCII only, whatever else there is.
template <char kFirst, char kLast, int kShift>
Value ShiftLetters(EvalContext& context, std::span<const Value> args) {
  CodePointText text = Decode(args[0]);
  for (uint32_t& c : text) {
    if (c >= static_cast<uint32_t>(kFirst) && c <= static_cast<uint32_t>(kLast)) {
      c = static_cast<uint32_t>(static_cast<int>(c) + kShift);
    }
  }
  return Encode(context, text, 0, text.size());
}

size_t NextBoundary(std::string_view text, size_t position) {
  NextCodePoint(text, position);
  return position;
}

// Replaces the first `limit` occurrences, all when it is negative. An empty text occurs before each character and at
// the end.
Value Replace(EvalContext& context, std::span<const Value> args) {
  const std::string_view text = args[0].text();
  const std::string_view old_part = args[1].text();
  const std::string_view new_part = args[2].text();
  int64_t left = args.size() > 3 ? args[3].integer() : -1;
  if (old_part == new_part || left == 0) return args[0];
  std::string replaced;
  size_t position = 0;
  while (left != 0) {
    const size_t found = text.find(old_part, position);
    if (found == std::string_view::npos) break;
    replaced.append(text.substr(position, found - position)).append(new_part);
    position = found + old_part.size();
    --left;
    if (!old_part.empty()) continue;
    if (position == text.size()) return context.Text(replaced);
    const size_t next = NextBoundary(text, position);
    replaced.append(text.substr(position, next - position));
    position = next;
  }
  replaced.append(text.substr(position));
  return context.Text(replaced);
}

// Into `limit` parts at most, any number when it is negative. An empty separator splits into characters.
Value Split(EvalContext& context, std::span<const Value> args) {
  std::string_view rest = args[0].text();
  const std::string_view separator = args[1].text();
  const int64_t limit = args.size() > 2 ? args[2].integer() : -1;
  std::vector<Value> parts;
  if (limit == 0) return context.List(parts);
  const auto room = [&] { return limit < 0 || static_cast<int64_t>(parts.size()) + 1 < limit; };
  if (separator.empty()) {
    while (!rest.empty()) {
      const size_t end = room() ? NextBoundary(rest, 0) : rest.size();
      parts.push_back(Value::OfString(rest.substr(0, end)));
      rest.remove_prefix(end);
    }
    return context.List(parts);
  }
  while (room()) {
    const size_t found = rest.find(separator);
    if (found == std::string_view::npos) break;
    parts.push_back(Value::OfString(rest.substr(0, found)));
    rest.remove_prefix(found + separator.size());
  }
  parts.push_back(Value::OfString(rest));
  return context.List(parts);
}

Value Substring(EvalContext& context, std::span<const Value> args) {
  const CodePointText text = Decode(args[0]);
  const auto length = static_cast<int64_t>(text.size());
  const int64_t begin = args[1].integer();
  const int64_t end = args.size() > 2 ? args[2].integer() : length;
  if (args.size() > 2 && begin > end) {
    return context.Error(fmt::format("invalid substring range. start: {}, end: {}", begin, end));
  }
  if (begin < 0 || begin > length) return OutOfRange(context, begin);
  if (end < 0 || end > length) return OutOfRange(context, end);
  return Encode(context, text, static_cast<size_t>(begin), static_cast<size_t>(end));
}

Value Trim(EvalContext&, std::span<const Value> args) { return Value::OfString(TrimSpace(args[0].text())); }

Value Join(EvalContext& context, std::span<const Value> args) {
  const std::string_view separator = args.size() > 1 ? args[1].text() : std::string_view();
  std::string joined;
  for (size_t i = 0, length = Length(args[0]); i < length; ++i) {
    if (i > 0) joined += separator;
    const Value item = ItemAt(args[0], i, context.arena());
    if (!item.is_string()) return context.Error("join: invalid input: " + DebugText(item, context.arena()));
    joined += item.text();
  }
  return context.Text(joined);
}

Value Quote(EvalContext& context, std::span<const Value> args) {
  std::string quoted = "\"";
  for (const uint32_t c : Decode(args[0])) {
    switch (c) {
      case '\a': quoted += "\\a"; break;
      case '\b': quoted += "\\b"; break;
      case '\f': quoted += "\\f"; break;
      case '\n': quoted += "\\n"; break;
      case '\r': quoted += "\\r"; break;
      case '\t': quoted += "\\t"; break;
      case '\v': quoted += "\\v"; break;
      case '\\': quoted += "\\\\"; break;
      case '"': quoted += "\\\""; break;
      default: AppendCodePoint(quoted, c);
    }
  }
  return context.Text(quoted + "\"");
}

std::optional<uint64_t> JoinCost(std::string_view, std::span<const Value>, const Value& result) {
  return TraversalUnits(CostSize(result), 2);
}

}  // namespace

void AddStringsLibrary(FunctionTable& table) {
  const Type text = Type::String();
  const Type number = Type::Int();
  const Type texts = Type::List(text);
  const auto member = [&](std::string_view name, std::string id, std::vector<Type> parameters, const Type& result,
                          Implementation implementation) {
    table.Add(name, {.id = std::move(id),
                     .member = true,
                     .parameters = std::move(parameters),
                     .result = result,
                     .implementation = implementation});
  };
  member("charAt", "string_char_at_int", {text, number}, text, &CharAt);
  member("indexOf", "string_index_of_string", {text, text}, number, &IndexOf);
  member("indexOf", "string_index_of_string_int", {text, text, number}, number, &IndexOf);
  member("lastIndexOf", "string_last_index_of_string", {text, text}, number, &LastIndexOf);
  member("lastIndexOf", "string_last_index_of_string_int", {text, text, number}, number, &LastIndexOf);
  member("lowerAscii", "string_lower_ascii", {text}, text, &ShiftLetters<'A', 'Z', 'a' - 'A'>);
  member("upperAscii", "string_upper_ascii", {text}, text, &ShiftLetters<'a', 'z', 'A' - 'a'>);
  member("replace", "string_replace_string_string", {text, text, text}, text, &Replace);
  member("replace", "string_replace_string_string_int", {text, text, text, number}, text, &Replace);
  member("split", "string_split_string", {text, text}, texts, &Split);
  member("split", "string_split_string_int", {text, text, number}, texts, &Split);
  member("substring", "string_substring_int", {text, number}, text, &Substring);
  member("substring", "string_substring_int_int", {text, number, number}, text, &Substring);
  member("trim", "string_trim", {text}, text, &Trim);
  member("join", "list_join", {texts}, text, &Join);
  member("join", "list_join_string", {texts, text}, text, &Join);
  table.Add("strings.quote", {.id = "strings_quote", .parameters = {text}, .result = text, .implementation = &Quote});
  for (const std::string_view name : {"lowerAscii", "upperAscii", "substring", "trim", "strings.quote"}) {
    table.SetCost(name, &TraversalCost);
  }
  for (const std::string_view name : {"replace", "split"}) table.SetCost(name, &RewriteCost);
  table.SetCost("join", &JoinCost);
}

}  // namespace keelson::apiserver::cel
