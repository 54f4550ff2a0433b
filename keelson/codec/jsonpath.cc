#include "keelson/codec/jsonpath.h"

#include <utility>

#include "keelson/codec/internal/go_text.h"
#include "keelson/codec/internal/jsonpath_eval.h"
#include "keelson/codec/internal/jsonpath_node.h"
#include "keelson/codec/json_scalars.h"
#include "keelson/codec/json_writer.h"

namespace keelson {

namespace {

using internal::JsonPathEvaluator;
using internal::JsonPathValue;
using internal::JsonPathValues;

Result<void> CheckSize(const std::string& out, const JsonPathOptions& options) {
  if (out.size() <= options.max_output_bytes) return {};
  return Error::InvalidArgument("JSONPath produces more than " + std::to_string(options.max_output_bytes) +
                                " bytes: select less, or raise max_output_bytes");
}

void AppendValue(JsonPathEvaluator& evaluator, JsonPathValue value, std::string& out) {
  if (value.invalid()) {
    out += "<no value>";  // Go's words for the null that a range stands on, or that the whole document is
    return;
  }
  const Json json = evaluator.ToJson(value);
  if (json.is_list() || json.is_object()) {
    AppendJson(TypeOf<Json>(), &json, out);
  } else if (json.is_null()) {
    out += "null";
  } else {
    internal::AppendGoValue(json, out);
  }
}

}  // namespace

Result<JsonPath> JsonPath::Parse(std::string_view text, JsonPathOptions options) {
  if (text.size() > kMaxTemplateBytes) {
    return Error::InvalidArgument("JSONPath template has " + std::to_string(text.size()) + " bytes; at most " +
                                  std::to_string(kMaxTemplateBytes) + " are read");
  }
  KEELSON_TRY(root, internal::ParseJsonPath(text));
  return JsonPath(std::make_shared<const internal::JsonPathNode>(std::move(root)), options);
}

Result<JsonPath> JsonPath::ParseSimple(std::string_view path) {
  return Parse('{' + std::string(path) + '}', {.allow_missing_keys = true});
}

Result<std::string> JsonPath::Render(const Type& type, const void* data) const {
  JsonPathEvaluator evaluator(type, data, options_);
  KEELSON_TRY(parts, evaluator.Run(*root_));
  std::string out;
  for (const JsonPathValues& values : parts) {
    for (size_t i = 0; i < values.size(); ++i) {
      if (i > 0) out += ' ';
      AppendValue(evaluator, values[i], out);
      KEELSON_RETURN_IF_ERROR(CheckSize(out, options_));
    }
  }
  return out;
}

Result<std::string> JsonPath::RenderAsJson(const Type& type, const void* data) const {
  JsonPathEvaluator evaluator(type, data, options_);
  KEELSON_TRY(parts, evaluator.Run(*root_));
  std::string out;
  for (const JsonPathValues& values : parts) {
    std::string compact = "[";
    for (size_t i = 0; i < values.size(); ++i) {
      if (i > 0) compact += ',';
      const Json json = evaluator.ToJson(values[i]);
      AppendJson(TypeOf<Json>(), &json, compact);
      KEELSON_RETURN_IF_ERROR(CheckSize(compact, options_));
    }
    compact += ']';
    AppendIndentedJson(compact, 4, out);
    out += '\n';
    KEELSON_RETURN_IF_ERROR(CheckSize(out, options_));
  }
  return out;
}

Result<std::vector<Json>> JsonPath::Find(const Type& type, const void* data) const {
  JsonPathEvaluator evaluator(type, data, options_);
  KEELSON_TRY(parts, evaluator.Run(*root_));
  std::vector<Json> found;
  for (const JsonPathValues& values : parts) {
    for (const JsonPathValue value : values) found.push_back(evaluator.ToJson(value));
  }
  return found;
}

}  // namespace keelson
