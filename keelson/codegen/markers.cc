#include "keelson/codegen/markers.h"

#include <algorithm>
#include <utility>

#include "keelson/codec/json_reader.h"
#include "keelson/codec/json_scalars.h"
#include "keelson/codegen/marker_definitions.h"
#include "keelson/codegen/marker_values.h"

namespace keelson::codegen {

namespace {

constexpr size_t kMaxMarkerLength = size_t{64} << 10;
constexpr int kMaxJsonDepth = 100;

// What client-gen can make.
const std::vector<std::string_view> kClientVerbs = {
    "create", "update", "updateStatus", "delete", "deleteCollection", "get",
    "list",   "watch",  "patch",        "apply",  "applyStatus"};
// And as a method of its own.
const std::vector<std::string_view> kMethodVerbs = {"create", "update", "get", "list", "patch", "apply"};
const std::vector<std::string_view> kInputVerbs = {"create", "update", "apply"};

bool Contains(const std::vector<std::string_view>& all, std::string_view one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

std::string Quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

std::string Join(const std::vector<std::string>& parts, std::string_view separator, std::string_view last) {
  std::string out;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out += i + 1 == parts.size() ? last : separator;
    out += parts[i];
  }
  return out;
}

std::string QuotedList(const std::vector<std::string_view>& names, std::string_view last) {
  std::vector<std::string> quoted;
  for (const std::string_view name : names) quoted.push_back(Quoted(name));
  return Join(quoted, ", ", last);
}

bool IsText(std::string_view text) {
  if (text.find('\0') != std::string_view::npos) return false;
  while (!text.empty()) {
    const size_t length = internal::ValidUtf8Length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string Standing(MarkerTarget target) {
  switch (target) {
    case MarkerTarget::kPackage: return "stands at file level";
    case MarkerTarget::kType: return "stands on a type";
    case MarkerTarget::kField: return "stands on a field";
  }
  return {};
}

std::string Place(MarkerTarget target) {
  switch (target) {
    case MarkerTarget::kPackage: return "in a comment at file level";
    case MarkerTarget::kType: return "above the struct";
    case MarkerTarget::kField: return "above the field";
  }
  return {};
}

// Reads one marker whose definition is known.
class MarkerReader {
 public:
  MarkerReader(std::string_view text, const MarkerDefinition& definition) : text_(text), definition_(definition) {
    const std::string_view name = NameAndFirstArgument(text);
    has_value_ = name.size() < text.size();
    value_offset_ = std::min(name.size() + 1, text.size());
    full_name_ = name == definition.name;
  }

  bool Read(ParsedMarker& out) {
    out.name = definition_.name;
    switch (definition_.syntax) {
      case MarkerSyntax::kFlag:
        if (has_value_) Fail(definition_.name.size(), "it takes no value");
        break;
      case MarkerSyntax::kValue:
        if (Required()) out.value = ReadValue(definition_.value);
        break;
      case MarkerSyntax::kArguments: ReadArguments(out); break;
      case MarkerSyntax::kNumber:
        if (Required()) ReadWhole(ParseWholeNumber(value()), "a number", out);
        break;
      case MarkerSyntax::kInteger:
        if (Required()) ReadWhole(ParseWholeInteger(value()), "an integer", out);
        break;
      case MarkerSyntax::kTitle:
        if (Required()) ReadTitle(out);
        break;
      case MarkerSyntax::kRaw: out.value = Json(value()); break;
      case MarkerSyntax::kJson:
        if (Required()) ReadJson(out);
        break;
      case MarkerSyntax::kClientVerbs:
        if (Required()) ReadClientVerbs(out);
        break;
      case MarkerSyntax::kClientMethod:
        if (Required()) ReadClientMethod(out);
        break;
    }
    return !problem_;
  }

  const ValueProblem& problem() const { return *problem_; }

 private:
  void Fail(size_t offset, std::string message) {
    if (!problem_) problem_ = ValueProblem{.offset = offset, .message = std::move(message)};
  }

  std::string_view value() const { return TrimSpace(text_.substr(value_offset_)); }

  // Whether there is a value to read; a problem when there should be one.
  bool Required() {
    if (!value().empty()) return true;
    if (definition_.required) Fail(0, "the value is missing");
    return false;
  }

  Json ReadValue(ValueType type) {
    MarkerScanner scanner(text_, value_offset_);
    std::optional<Json> value = scanner.ReadValue(type);
    if (value && scanner.Scan() != MarkerScanner::Token::kEnd) {
      scanner.Fail(scanner.token_offset(), Quoted(text_.substr(scanner.token_offset())) +
                                               " is left over after the value; a text with special characters stands "
                                               "in \"quotes\" or `backquotes`");
    }
    problem_ = scanner.problem();
    return problem_ ? Json() : *std::move(value);
  }

  template <class T>
  void ReadWhole(const std::optional<T>& value, std::string_view what, ParsedMarker& out) {
    if (value) {
      out.value = *value;
    } else {
      Fail(value_offset_, "expected " + std::string(what) + ", found " + Quoted(this->value()));
    }
  }

  void ReadTitle(ParsedMarker& out) {
    out.value = ReadValue({.lists = 0, .leaf = ValueLeaf::kAny});
    if (!problem_ && !out.value.is_string()) {
      Fail(value_offset_, "expected a text, found " + Quoted(value()) + ", which is of type " +
                              std::string(ToString(out.value.kind())));
    }
  }

  void ReadJson(ParsedMarker& out) {
    if (value().starts_with("ref(")) return;
    Result<Json> json = ParseJson(value(), {.strict = true, .max_depth = kMaxJsonDepth});
    if (json) {
      out.value = *std::move(json);
    } else {
      Fail(value_offset_, "the value is not JSON: " + json.error().message());
    }
  }

  void ReadArguments(ParsedMarker& out) {
    if (full_name_ && has_value_) return Fail(definition_.name.size(), "it takes arguments with names, after a ':'");
    MarkerScanner scanner(text_, full_name_ ? text_.size() : definition_.name.size() + 1);
    while (!problem_ && !scanner.at_end()) {
      ReadArgument(scanner, out);
      if (problem_ || scanner.Peek() == '\0') break;
      if (!scanner.Take(',')) {
        const size_t offset = scanner.token_offset();
        Fail(offset, "expected ',' and another argument, found " + Quoted(text_.substr(offset)));
      } else if (scanner.Peek() == '\0') {
        Fail(scanner.token_offset(), "expected another argument after ','");
      }
    }
    if (!problem_) RequireArguments(out);
  }

  void ReadArgument(MarkerScanner& scanner, ParsedMarker& out) {
    const MarkerScanner::Token kind = scanner.Scan();
    const std::string name(scanner.token());
    const size_t offset = scanner.token_offset();
    if (kind != MarkerScanner::Token::kIdentifier) {
      return Fail(offset, "expected the name of an argument, found " + Quoted(name));
    }
    if (!scanner.Take('=')) {
      return Fail(offset, "expected '=' and a value after " + Quoted(name) +
                              (out.arguments.empty() ? "" : "; values of a list are separated by ';', not ','"));
    }
    const MarkerArgument* argument = CheckArgument(name, offset, out);
    if (!argument) return;
    if (std::optional<Json> value = scanner.ReadValue(argument->type)) {
      out.arguments.emplace(name, *std::move(value));
    } else {
      Fail(scanner.problem()->offset, "argument " + Quoted(name) + ": " + scanner.problem()->message);
    }
  }

  // The argument of that name, if it may stand here.
  const MarkerArgument* CheckArgument(const std::string& name, size_t offset, const ParsedMarker& out) {
    const MarkerArgument* argument = definition_.FindArgument(name);
    if (!argument) {
      std::vector<std::string_view> names;
      for (const MarkerArgument& known : definition_.arguments) names.push_back(known.name);
      Fail(offset, "unknown argument " + Quoted(name) + ", the nearest one is " + Quoted(NearestName(name, names)));
    } else if (out.arguments.count(name) != 0) {
      Fail(offset, "the argument " + Quoted(name) + " is given twice");
      argument = nullptr;
    }
    return argument;
  }

  void RequireArguments(const ParsedMarker& out) {
    std::vector<std::string_view> missing;
    for (const MarkerArgument& argument : definition_.arguments) {
      if (argument.required && out.arguments.count(std::string(argument.name)) == 0) missing.push_back(argument.name);
    }
    if (missing.empty()) return;
    Fail(0, (missing.size() == 1 ? "the argument " : "the arguments ") + QuotedList(missing, " and ") +
                (missing.size() == 1 ? " is missing" : " are missing"));
  }

  // `a,b` cut at the commas, each part with its offset.
  std::vector<std::pair<size_t, std::string_view>> Parts() const {
    std::vector<std::pair<size_t, std::string_view>> parts;
    for (size_t begin = value_offset_; begin <= text_.size();) {
      const size_t end = std::min(text_.find(',', begin), text_.size());
      parts.emplace_back(begin, TrimSpace(text_.substr(begin, end - begin)));
      begin = end + 1;
    }
    return parts;
  }

  void ReadClientVerbs(ParsedMarker& out) {
    JsonList verbs;
    for (const auto& [offset, verb] : Parts()) {
      if (!Contains(kClientVerbs, verb)) {
        return Fail(offset,
                    "unknown verb " + Quoted(verb) + ", the nearest one is " + Quoted(NearestName(verb, kClientVerbs)));
      }
      verbs.push_back(Json(verb));
    }
    out.value = Json(std::move(verbs));
  }

  void ReadClientMethod(ParsedMarker& out) {
    const auto parts = Parts();
    if (parts.front().second.empty() || parts.front().second.find('=') != std::string_view::npos) {
      return Fail(parts.front().first, "the name of the method is missing");
    }
    out.value = Json(parts.front().second);
    for (size_t i = 1; i < parts.size(); ++i) {
      const auto& [offset, part] = parts[i];
      const size_t equals = part.find('=');
      const std::string name(TrimSpace(part.substr(0, equals)));
      const std::string_view value = equals == std::string_view::npos ? "" : TrimSpace(part.substr(equals + 1));
      if (value.empty()) return Fail(offset, "expected '=' and a value after " + Quoted(name));
      if (!CheckArgument(name, offset, out)) return;
      out.arguments.emplace(name, value);
    }
    RequireArguments(out);
    if (!problem_) CheckMethodVerb(out);
  }

  void CheckMethodVerb(const ParsedMarker& out) {
    const std::string verb = out.Text("verb");
    const size_t offset = text_.find("verb");
    if (!Contains(kMethodVerbs, verb)) {
      Fail(offset, "the verb of a method is one of " + QuotedList(kMethodVerbs, " and ") + ", found " + Quoted(verb));
    } else if (out.Find("input") && !Contains(kInputVerbs, verb)) {
      Fail(offset,
           "an input belongs to one of the verbs " + QuotedList(kInputVerbs, " and ") + ", found " + Quoted(verb));
    }
  }

  std::string_view text_;
  const MarkerDefinition& definition_;
  bool has_value_ = false;  // there is a `=`
  bool full_name_ = false;  // all that stands before it is the marker's name
  size_t value_offset_ = 0;
  std::optional<ValueProblem> problem_;
};

void Report(const Marker& marker, size_t offset, std::string message, Diagnostics& problems) {
  SourcePosition position = marker.position;
  position.column += offset == 0 ? 0 : static_cast<int>(offset) + 1;
  problems.Add(std::move(position), std::move(message));
}

// To be put behind a message.
std::string Example(const MarkerDefinition& definition) {
  const bool flag = definition.syntax == MarkerSyntax::kFlag;
  return (flag ? "; write just " : "; write for example ") + definition.example;
}

std::string UnknownMarker(std::string_view text) {
  const std::string_view name = NameAndFirstArgument(text);
  const size_t space = name.find_first_of(" \t");
  if (space != std::string_view::npos) {
    if (const MarkerDefinition* definition = DefinitionOf(name.substr(0, space))) {
      const std::string rest(TrimSpace(name.substr(space)));
      return "+" + definition->name + ": " +
             (rest.empty() ? "no space may stand before '='" : Quoted(rest) + " behind it is no part of the marker") +
             Example(*definition);
    }
  }
  const MarkerDefinition& nearest = NearestDefinition(text);
  return "unknown marker +" + std::string(name) + "; the nearest known one is +" + nearest.name + Example(nearest);
}

// The values of the k8s: family may be followed by a comment.
std::string_view WithoutComment(std::string_view text) {
  if (!text.starts_with("k8s:")) return text;
  return TrimSpace(text.substr(0, text.find('#')));
}

}  // namespace

const Json* ParsedMarker::Find(const std::string& argument) const {
  const auto found = arguments.find(argument);
  return found == arguments.end() ? nullptr : &found->second;
}

std::string ParsedMarker::Text(const std::string& argument) const {
  const Json* found = Find(argument);
  return found && found->is_string() ? found->string().str() : std::string();
}

std::vector<std::string> ParsedMarker::Texts(const std::string& argument) const {
  std::vector<std::string> texts;
  const Json* found = Find(argument);
  if (!found || !found->is_list()) return texts;
  for (const Json& item : found->list()) {
    if (item.is_string()) texts.push_back(item.string().str());
  }
  return texts;
}

std::vector<ParsedMarker> ParseMarkers(const std::vector<Marker>& markers, MarkerTarget target, Diagnostics& problems) {
  std::vector<ParsedMarker> parsed;
  for (const Marker& marker : markers) {
    const std::string_view text =
        WithoutComment(std::string_view(marker.text).substr(0, marker.text.find_last_not_of(" \t\r\n") + 1));
    const MarkerDefinition* definition = DefinitionOf(text);
    if (!definition && !InKnownFamily(text)) continue;
    if (text.size() > kMaxMarkerLength || !IsText(text)) {
      Report(marker, 0, "the marker is not valid UTF-8, or longer than 64 KiB", problems);
      continue;
    }
    if (!definition) {
      Report(marker, 0, UnknownMarker(text), problems);
      continue;
    }
    if (!definition->Allows(target)) {
      if (definition->anywhere || definition->shared) continue;
      std::vector<std::string> places;
      for (const MarkerTarget allowed : definition->targets) places.push_back(Place(allowed));
      Report(marker, 0, "+" + definition->name + " " + Standing(target) + "; it belongs " + Join(places, ", ", " or "),
             problems);
      continue;
    }
    MarkerReader reader(text, *definition);
    ParsedMarker one;
    one.position = marker.position;
    if (reader.Read(one)) {
      parsed.push_back(std::move(one));
    } else {
      Report(marker, reader.problem().offset,
             "+" + definition->name + ": " + reader.problem().message + Example(*definition), problems);
    }
  }
  return parsed;
}

const ParsedMarker* FindMarker(const std::vector<ParsedMarker>& markers, std::string_view name) {
  const auto found =
      std::find_if(markers.rbegin(), markers.rend(), [&](const ParsedMarker& marker) { return marker.name == name; });
  return found == markers.rend() ? nullptr : &*found;
}

}  // namespace keelson::codegen
