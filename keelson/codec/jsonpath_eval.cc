#include <algorithm>
#include <compare>
#include <optional>
#include <string>

#include "keelson/api/access.h"
#include "keelson/codec/convert.h"
#include "keelson/codec/internal/go_text.h"
#include "keelson/codec/internal/jsonpath_eval.h"

namespace keelson::internal {

namespace {

using PathKind = JsonPathNode::Kind;

constexpr int kMaxDataDepth = 1000;
constexpr size_t kMaxShownBytes = 1000;

Error Failed(std::string message) { return Error::InvalidArgument(std::move(message)); }

// A type's name in Go, where every document is made of these.
std::string_view GoTypeName(JsonPathValue resolved) {
  if (resolved.invalid()) return "<nil>";
  if (resolved.type->kind != Kind::kJson) return "map[string]interface {}";
  switch (static_cast<const Json*>(resolved.data)->kind()) {
    case Json::Kind::kBool: return "bool";
    case Json::Kind::kInt: return "int64";
    case Json::Kind::kDouble: return "float64";
    case Json::Kind::kString: return "string";
    default: return "<nil>";
  }
}

bool IsComparable(const Json& value) { return value.is_bool() || value.is_number() || value.is_string(); }

// Go's templates compare values of the same basic kind only; an integer is never compared with a float.
Result<void> CheckComparable(const Json& left, const Json& right) {
  if (!IsComparable(left) || !IsComparable(right)) return Failed("invalid type for comparison");
  if (left.kind() != right.kind()) return Failed("incompatible types for comparison");
  return {};
}

Result<bool> IsLess(const Json& left, const Json& right) {
  KEELSON_RETURN_IF_ERROR(CheckComparable(left, right));
  if (left.is_bool()) return Failed("invalid type for comparison");
  if (left.is_int()) return left.integer() < right.integer();
  if (left.is_double()) return left.number() < right.number();
  return left.string().view() < right.string().view();
}

Result<bool> IsEqual(const Json& left, const Json& right) {
  KEELSON_RETURN_IF_ERROR(CheckComparable(left, right));
  return left == right;
}

Result<bool> Compare(std::string_view op, const Json& left, const Json& right) {
  if (op == "==") return IsEqual(left, right);
  if (op == "!=") return IsEqual(left, right).transform([](bool equal) { return !equal; });
  if (op == "<") return IsLess(left, right);
  if (op == ">=") return IsLess(left, right).transform([](bool less) { return !less; });
  if (op == "<=" || op == ">") {
    KEELSON_TRY(less, IsLess(left, right));
    return (less || left == right) == (op == "<=");
  }
  return Failed("unrecognized filter operator " + std::string(op));
}

// Whether the field appears in the struct's JSON form.
bool IsWritten(const Field& field, const void* data) {
  if (field.name.empty()) return false;
  const void* value = ReadField(field, data);
  if (field.omit_empty && IsEmpty(*field.type, value)) return false;
  return !(field.omit_zero && IsZero(*field.type, value));
}

Json ApiVersionOf(const Type& type) {
  std::string text(type.group);
  if (!text.empty()) text += '/';
  return Json(text.append(type.version));
}

}  // namespace

Result<std::vector<JsonPathValues>> JsonPathEvaluator::Run(const JsonPathNode& root) {
  std::vector<JsonPathValues> out;
  KEELSON_RETURN_IF_ERROR(RunParts(root.children, root_, out));
  return out;
}

// A part with {range} runs the parts behind it once for each of its results, each run ending at an {end}, and then goes
// on behind the {end} that was met last. Without one the parts behind run again on the outer object, as in Go.
Result<void> JsonPathEvaluator::RunParts(std::span<const JsonPathNode> parts, JsonPathValue current,
                                         std::vector<JsonPathValues>& out) {
  if (const JsonPathValue resolved = Resolve(current); IsNull(resolved)) current = {};
  for (size_t i = 0; i < parts.size(); ++i) {
    JsonPathValues values = {current};
    KEELSON_RETURN_IF_ERROR(Count(1));
    KEELSON_RETURN_IF_ERROR(Walk(parts[i], values));
    if (ended_ranges_ > 0 && ended_ranges_ <= open_ranges_) {
      --ended_ranges_;
      last_end_ = &parts[i];
      break;
    }
    if (begun_ranges_ == 0) {
      out.push_back(std::move(values));
      continue;
    }
    --begun_ranges_;
    ++open_ranges_;
    if (values.empty()) {
      // Runs on nothing, only to find the {end}.
      std::vector<JsonPathValues> ignored;
      KEELSON_RETURN_IF_ERROR(RunParts(parts.subspan(i + 1), {}, ignored));
    }
    for (const JsonPathValue value : values) KEELSON_RETURN_IF_ERROR(RunParts(parts.subspan(i + 1), value, out));
    --open_ranges_;
    if (last_end_ > &parts[i] && last_end_ <= &parts.back()) i = static_cast<size_t>(last_end_ - parts.data());
  }
  return {};
}

Result<void> JsonPathEvaluator::Walk(const JsonPathNode& node, JsonPathValues& values) {
  KEELSON_RETURN_IF_ERROR(Count(values.size()));
  switch (node.kind) {
    case PathKind::kList: return WalkList(node, values);
    case PathKind::kText: values = {Constant(node.literal)}; return {};
    case PathKind::kLiteral: std::fill(values.begin(), values.end(), Constant(node.literal)); return {};
    case PathKind::kField: return EvalField(node, values);
    case PathKind::kIdentifier: return EvalIdentifier(node, values);
    case PathKind::kSlice: return EvalSlice(node, values);
    case PathKind::kFilter: return EvalFilter(node, values);
    case PathKind::kWildcard: return EvalWildcard(values);
    case PathKind::kRecursive: return EvalRecursive(values);
    case PathKind::kUnion: return EvalUnion(node, values);
  }
  return {};
}

Result<void> JsonPathEvaluator::WalkList(const JsonPathNode& list, JsonPathValues& values) {
  for (const JsonPathNode& node : list.children) KEELSON_RETURN_IF_ERROR(Walk(node, values));
  return {};
}

Result<void> JsonPathEvaluator::EvalField(const JsonPathNode& node, JsonPathValues& values) {
  if (values.empty()) return {};
  JsonPathValues results;
  for (const JsonPathValue value : values) {
    const JsonPathValue member = FindMember(Resolve(value), node.name);
    if (!member.invalid()) results.push_back(member);
  }
  values = std::move(results);
  if (values.empty() && !options_.allow_missing_keys) return Failed(node.name + " is not found");
  return {};
}

Result<void> JsonPathEvaluator::EvalIdentifier(const JsonPathNode& node, JsonPathValues& values) {
  if (node.name == "range") {
    ++begun_ranges_;
    return {};
  }
  if (node.name != "end") return Failed("unrecognized identifier " + node.name);
  values.clear();
  if (open_ranges_ == 0) return Failed("not in range, nothing to end");
  ++ended_ranges_;
  return {};
}

Result<void> JsonPathEvaluator::EvalSlice(const JsonPathNode& node, JsonPathValues& values) {
  JsonPathValues results;
  for (const JsonPathValue value : values) {
    const JsonPathValue resolved = Resolve(value);
    if (IsNull(resolved)) continue;
    if (resolved.invalid() || resolved.type->kind != Kind::kList) {
      return Failed(std::string(GoTypeName(resolved)) + " is not array or slice");
    }
    const auto length = static_cast<int64_t>(Length(*resolved.type, resolved.data));
    int64_t start = node.start.known ? node.start.value : 0;
    if (start < 0) start += length;
    int64_t end = node.end.known ? node.end.value : length;
    if (end < 0 || (end == 0 && node.end.derived)) end += length;
    if (start == end) {
      // Go returns what it has so far and leaves out the inputs behind this one.
      break;
    }
    const auto out_of_bounds = [&](int64_t index) {
      return Failed("array index out of bounds: index " + std::to_string(index) + ", length " + std::to_string(length));
    };
    if (start >= length || start < 0) return out_of_bounds(start);
    if (end > length || end < 0) return out_of_bounds(static_cast<int64_t>(static_cast<uint64_t>(end) - 1));
    if (start > end) {
      return Failed("starting index " + std::to_string(start) + " is greater than ending index " + std::to_string(end));
    }
    if (node.step.known && node.step.value <= 0) return Failed("step must be > 0");
    const int64_t step = node.step.known ? node.step.value : 1;
    for (int64_t i = start; i < end;) {
      results.push_back({resolved.type->element, ReadElement(*resolved.type, resolved.data, static_cast<size_t>(i))});
      if (step >= end - i) break;
      i += step;
    }
    KEELSON_RETURN_IF_ERROR(Count(results.size()));
  }
  values = std::move(results);
  return {};
}

Result<void> JsonPathEvaluator::EvalFilter(const JsonPathNode& node, JsonPathValues& values) {
  JsonPathValues results;
  for (const JsonPathValue value : values) {
    const JsonPathValue resolved = Resolve(value);
    if (resolved.invalid() || resolved.type->kind != Kind::kList) {
      std::string shown;
      if (resolved.invalid()) {
        shown = "<invalid reflect.Value>";
      } else {
        AppendGoValue(ToJson(resolved), shown);
      }
      if (shown.size() > kMaxShownBytes) shown.resize(kMaxShownBytes);
      return Failed(shown + " is not array or slice and cannot be filtered");
    }
    const size_t length = Length(*resolved.type, resolved.data);
    KEELSON_RETURN_IF_ERROR(Count(length));
    for (size_t i = 0; i < length; ++i) {
      const JsonPathValue element = {resolved.type->element, ReadElement(*resolved.type, resolved.data, i)};
      KEELSON_TRY(passes, Passes(node, element));
      if (passes) results.push_back(element);
    }
  }
  values = std::move(results);
  return {};
}

Result<bool> JsonPathEvaluator::Passes(const JsonPathNode& filter, JsonPathValue element) {
  JsonPathValues lefts = {element};
  const Result<void> found = WalkList(filter.children[0], lefts);
  if (!found && steps_ > options_.max_steps) return found.error();
  if (filter.name.empty()) return !lefts.empty();
  if (!found) return found.error();
  if (lefts.empty()) return false;
  if (lefts.size() > 1) return Failed("can only compare one element at a time");
  JsonPathValues rights = {element};
  KEELSON_RETURN_IF_ERROR(WalkList(filter.children[1], rights));
  if (rights.empty()) return false;
  if (rights.size() > 1) return Failed("can only compare one element at a time");
  const JsonPathValue left = Resolve(lefts[0]);
  const JsonPathValue right = Resolve(rights[0]);
  const auto scalar = [](JsonPathValue value) {  // null stands for all that cannot be compared
    return value.invalid() || value.type->kind != Kind::kJson ? Json() : *static_cast<const Json*>(value.data);
  };
  return Compare(filter.name, scalar(left), scalar(right));
}

Result<void> JsonPathEvaluator::EvalUnion(const JsonPathNode& node, JsonPathValues& values) {
  JsonPathValues results;
  for (const JsonPathNode& list : node.children) {
    JsonPathValues part = values;
    KEELSON_RETURN_IF_ERROR(WalkList(list, part));
    results.insert(results.end(), part.begin(), part.end());
    KEELSON_RETURN_IF_ERROR(Count(part.size()));
  }
  values = std::move(results);
  return {};
}

Result<void> JsonPathEvaluator::EvalWildcard(JsonPathValues& values) {
  JsonPathValues results;
  for (const JsonPathValue value : values) {
    const size_t before = results.size();
    AppendParts(Resolve(value), results);
    KEELSON_RETURN_IF_ERROR(Count(results.size() - before));
  }
  values = std::move(results);
  return {};
}

Result<void> JsonPathEvaluator::EvalRecursive(JsonPathValues& values) {
  JsonPathValues results;
  for (const JsonPathValue value : values) KEELSON_RETURN_IF_ERROR(Descend(value, 0, results));
  values = std::move(results);
  return {};
}

// The value itself, when it has parts, then all that is below each of them.
Result<void> JsonPathEvaluator::Descend(JsonPathValue value, int depth, JsonPathValues& results) {
  if (depth > kMaxDataDepth) {
    return Failed("the document is nested more than " + std::to_string(kMaxDataDepth) + " levels deep");
  }
  const JsonPathValue resolved = Resolve(value);
  JsonPathValues parts;
  AppendParts(resolved, parts);
  if (parts.empty()) return {};
  KEELSON_RETURN_IF_ERROR(Count(parts.size()));
  results.push_back(resolved);
  if (resolved.type->kind == Kind::kJson) return {};  // the bytes of a string have no parts
  for (const JsonPathValue part : parts) KEELSON_RETURN_IF_ERROR(Descend(part, depth + 1, results));
  return {};
}

JsonPathValue JsonPathEvaluator::Resolve(JsonPathValue value) {
  while (!value.invalid()) {
    switch (value.type->kind) {
      case Kind::kStruct:
      case Kind::kList:
      case Kind::kMap: return value;
      case Kind::kOptional: {
        const void* present = ReadOptional(*value.type, value.data);
        if (present == nullptr) return Keep(Json());
        value = {value.type->element, present};
        break;
      }
      case Kind::kJson: {
        const Json& json = *static_cast<const Json*>(value.data);
        if (json.is_list()) return {&TypeOf<JsonList>(), &json.list()};
        if (json.is_object()) return {&TypeOf<JsonObject>(), &json.object()};
        return value;
      }
      default: value = Keep(ToJsonValue(*value.type, value.data)); break;
    }
  }
  return value;
}

bool JsonPathEvaluator::IsNull(JsonPathValue resolved) const {
  return !resolved.invalid() && resolved.type->kind == Kind::kJson &&
         static_cast<const Json*>(resolved.data)->is_null();
}

JsonPathValue JsonPathEvaluator::FindMember(JsonPathValue resolved, std::string_view name) {
  if (resolved.invalid()) return {};
  const Type& type = *resolved.type;
  if (type.kind == Kind::kMap) {
    const void* element = ReadEntry(type, resolved.data, name);
    return element == nullptr ? JsonPathValue{} : JsonPathValue{type.element, element};
  }
  if (type.kind != Kind::kStruct) return {};
  const Field* field = type.FindField(name);
  if (field != nullptr && IsWritten(*field, resolved.data)) return {field->type, ReadField(*field, resolved.data)};
  if (field == nullptr && type.is_root() && IsRoot(resolved)) {
    if (name == "kind") return Keep(Json(type.object_kind));
    if (name == "apiVersion") return Keep(ApiVersionOf(type));
  }
  return {};
}

void JsonPathEvaluator::AppendParts(JsonPathValue resolved, JsonPathValues& parts) {
  if (resolved.invalid()) return;
  const Type& type = *resolved.type;
  if (type.kind == Kind::kMap) {
    ForEachEntry(type, resolved.data, [&](std::string_view, const void* element) {
      parts.push_back({type.element, element});
      return true;
    });
  } else if (type.kind == Kind::kList) {
    const size_t length = Length(type, resolved.data);
    for (size_t i = 0; i < length; ++i) parts.push_back({type.element, ReadElement(type, resolved.data, i)});
  } else if (type.kind == Kind::kStruct) {
    std::vector<Part> members;
    for (const Field& field : type.fields) {
      if (IsWritten(field, resolved.data))
        members.push_back({field.name, {field.type, ReadField(field, resolved.data)}});
    }
    if (type.is_root() && IsRoot(resolved)) {
      for (const std::string_view name : {"kind", "apiVersion"}) {
        if (type.FindField(name) == nullptr) members.push_back({name, FindMember(resolved, name)});
      }
    }
    std::sort(members.begin(), members.end(), [](const Part& a, const Part& b) { return a.first < b.first; });
    for (const Part& member : members) parts.push_back(member.second);
  } else if (const Json& json = *static_cast<const Json*>(resolved.data); json.is_string()) {
    for (const char byte : json.string().view())
      parts.push_back(Keep(Json(static_cast<int64_t>(static_cast<uint8_t>(byte)))));
  }
}

Json JsonPathEvaluator::ToJson(JsonPathValue value) {
  if (value.invalid()) return Json();
  const Type& type = *value.type;
  if (type.kind == Kind::kJson) return *static_cast<const Json*>(value.data);
  if (&type == &TypeOf<JsonList>()) return Json(*static_cast<const JsonList*>(value.data));
  if (&type == &TypeOf<JsonObject>()) return Json(*static_cast<const JsonObject*>(value.data));
  Json json = ToJsonValue(type, value.data);
  if (type.is_root() && !IsRoot(value) && json.is_object()) {
    // Only a document's top names its kind.
    for (const std::string_view name : {"kind", "apiVersion"}) {
      if (type.FindField(name) == nullptr) json.object().erase(name);
    }
  }
  return json;
}

JsonPathValue JsonPathEvaluator::Keep(Json value) { return {&TypeOf<Json>(), &kept_.emplace_back(std::move(value))}; }

Result<void> JsonPathEvaluator::Count(size_t steps) {
  steps_ += steps;
  if (steps_ <= options_.max_steps) return {};
  return Failed("JSONPath visits more than " + std::to_string(options_.max_steps) +
                " values: select less, or raise max_steps");
}

}  // namespace keelson::internal
