#include "keelson/apiserver/schema/compile.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <unordered_map>

#include "keelson/codec/json_reader.h"

namespace keelson::apiserver {

namespace {

using apiextensionsv1::JSONSchemaProps;

constexpr int kMaxDepth = 500;
constexpr size_t kMaxRecentPatterns = 256;

SchemaType TypeNamed(std::string_view name) {
  if (name == "object") return SchemaType::kObject;
  if (name == "array") return SchemaType::kArray;
  if (name == "string") return SchemaType::kString;
  if (name == "integer") return SchemaType::kInteger;
  if (name == "number") return SchemaType::kNumber;
  if (name == "boolean") return SchemaType::kBoolean;
  return SchemaType::kAny;
}

ListType ListTypeNamed(std::string_view name) {
  if (name == "set") return ListType::kSet;
  if (name == "map") return ListType::kMap;
  return ListType::kAtomic;
}

Result<Json> Parse(const RawExtension& raw) {
  if (raw.empty()) return Json();
  return ParseJson(raw.raw());
}

std::vector<std::string> Strings(const List<String>& list) {
  return std::vector<std::string>(list.begin(), list.end());
}

Result<void> Compile(const JSONSchemaProps& source, int depth, Schema& schema);

Result<void> CompileEach(const List<JSONSchemaProps>& sources, int depth, std::vector<Schema>& schemas) {
  schemas.resize(sources.size());
  for (size_t i = 0; i < sources.size(); ++i) KEELSON_RETURN_IF_ERROR(Compile(sources[i], depth, schemas[i]));
  return {};
}

Result<void> CompileOne(const Optional<JSONSchemaProps>& source, int depth, std::unique_ptr<Schema>& schema) {
  if (!source) return {};
  schema = std::make_unique<Schema>();
  return Compile(*source, depth, *schema);
}

void CopyShape(const JSONSchemaProps& source, Schema& schema) {
  schema.type = TypeNamed(source.type);
  schema.format = source.format;
  schema.nullable = source.nullable;
  schema.int_or_string = source.xKubernetesIntOrString;
  schema.preserve_unknown = source.xKubernetesPreserveUnknownFields.value_or(false);
  schema.embedded_resource = source.xKubernetesEmbeddedResource;
  schema.list_type = ListTypeNamed(source.xKubernetesListType.OrDefault());
  schema.list_keys = Strings(source.xKubernetesListMapKeys);
  schema.atomic_map = source.xKubernetesMapType.OrDefault() == "atomic";
}

void CopyBounds(const JSONSchemaProps& source, Schema& schema) {
  schema.minimum = source.minimum;
  schema.maximum = source.maximum;
  schema.exclusive_minimum = source.exclusiveMinimum;
  schema.exclusive_maximum = source.exclusiveMaximum;
  schema.multiple_of = source.multipleOf;
  schema.min_length = source.minLength;
  schema.max_length = source.maxLength;
  schema.min_items = source.minItems;
  schema.max_items = source.maxItems;
  schema.unique_items = source.uniqueItems;
  schema.min_properties = source.minProperties;
  schema.max_properties = source.maxProperties;
  schema.required = Strings(source.required);
}

void CopyRules(const JSONSchemaProps& source, Schema& schema) {
  for (const apiextensionsv1::ValidationRule& rule : source.xKubernetesValidations) {
    schema.rules.push_back({.rule = rule.rule,
                            .message = rule.message,
                            .message_expression = rule.messageExpression,
                            .reason = rule.reason.OrDefault(),
                            .field_path = rule.fieldPath,
                            .optional_old_self = rule.optionalOldSelf});
  }
}

// Junctors have neither defaults nor rules of their own in a structural schema.
void NoteWhatIsBelow(Schema& schema) {
  schema.has_defaults = schema.default_.has_value();
  schema.has_rules = !schema.rules.empty();
  const auto add = [&](const Schema& below) {
    schema.has_defaults = schema.has_defaults || below.has_defaults;
    schema.has_rules = schema.has_rules || below.has_rules;
  };
  for (const Schema::Property& property : schema.properties) add(property.schema);
  if (schema.additional) add(*schema.additional);
  if (schema.items) add(*schema.items);
}

Result<void> Compile(const JSONSchemaProps& source, int depth, Schema& schema) {
  if (depth > kMaxDepth) return Error::InvalidArgument(fmt::format("schema is deeper than {} levels", kMaxDepth));
  if (const std::string_view keyword = UnsupportedKeyword(source); !keyword.empty()) {
    return Error::InvalidArgument(std::string(keyword));
  }
  if (source.items && !source.items->jsonSchemas.empty()) {
    return Error::InvalidArgument("OpenAPIV3Schema 'items' must be a schema, but is an array");
  }
  CopyShape(source, schema);
  CopyBounds(source, schema);
  CopyRules(source, schema);
  if (!source.pattern.empty()) {
    schema.pattern = source.pattern;
    KEELSON_TRY(pattern, CompilePattern(source.pattern));
    schema.compiled_pattern = std::move(pattern);
  }
  if (source.default_) {
    KEELSON_TRY(value, Parse(*source.default_));
    if (!value.is_null()) schema.default_ = std::move(value);
  }
  for (const apiextensionsv1::JSON& raw : source.enum_) {
    KEELSON_TRY(value, Parse(raw));
    schema.enum_.push_back(std::move(value));
  }

  // A Map is ordered by key already.
  schema.properties.reserve(source.properties.size());
  for (const auto& [name, property] : source.properties) {
    schema.properties.push_back({.name = name, .schema = {}});
    KEELSON_RETURN_IF_ERROR(Compile(property, depth + 1, schema.properties.back().schema));
  }
  if (source.additionalProperties) {
    schema.additional_allowed = source.additionalProperties->allows || source.additionalProperties->schema.has_value();
    KEELSON_RETURN_IF_ERROR(CompileOne(source.additionalProperties->schema, depth + 1, schema.additional));
  }
  if (source.items) KEELSON_RETURN_IF_ERROR(CompileOne(source.items->schema, depth + 1, schema.items));
  KEELSON_RETURN_IF_ERROR(CompileEach(source.allOf, depth + 1, schema.all_of));
  KEELSON_RETURN_IF_ERROR(CompileEach(source.anyOf, depth + 1, schema.any_of));
  KEELSON_RETURN_IF_ERROR(CompileEach(source.oneOf, depth + 1, schema.one_of));
  KEELSON_RETURN_IF_ERROR(CompileOne(source.not_, depth + 1, schema.not_));
  NoteWhatIsBelow(schema);
  return {};
}

// What Go's regexp says where RE2 fails; both read the same grammar and complain of the same part.
std::string_view GoReason(re2::RE2::ErrorCode code) {
  switch (code) {
    case re2::RE2::ErrorBadEscape: return "invalid escape sequence";
    case re2::RE2::ErrorBadCharClass: return "invalid character class";
    case re2::RE2::ErrorBadCharRange: return "invalid character class range";
    case re2::RE2::ErrorMissingBracket: return "missing closing ]";
    case re2::RE2::ErrorMissingParen: return "missing closing )";
    case re2::RE2::ErrorUnexpectedParen: return "unexpected )";
    case re2::RE2::ErrorTrailingBackslash: return "trailing backslash at end of expression";
    case re2::RE2::ErrorRepeatArgument: return "missing argument to repetition operator";
    case re2::RE2::ErrorRepeatSize: return "invalid repeat count";
    case re2::RE2::ErrorRepeatOp: return "invalid nested repetition operator";
    case re2::RE2::ErrorBadPerlOp: return "invalid or unsupported Perl syntax";
    case re2::RE2::ErrorBadUTF8: return "invalid UTF-8";
    case re2::RE2::ErrorBadNamedCapture: return "invalid named capture";
    case re2::RE2::ErrorPatternTooLarge: return "expression too large";
    default: return "regexp/syntax: internal error";
  }
}

}  // namespace

std::string_view UnsupportedKeyword(const JSONSchemaProps& source) {
  if (!source.id.empty()) return "OpenAPIV3Schema 'id' is not supported";
  if (!source.schema_.empty()) return "OpenAPIV3Schema 'schema' is not supported";
  if (!source.ref_.OrDefault().empty()) return "OpenAPIV3Schema '$ref' is not supported";
  if (!source.patternProperties.empty()) return "OpenAPIV3Schema 'patternProperties' is not supported";
  if (!source.dependencies.empty()) return "OpenAPIV3Schema 'dependencies' is not supported";
  if (source.additionalItems) return "OpenAPIV3Schema 'additionalItems' is not supported";
  if (!source.definitions.empty()) return "OpenAPIV3Schema 'definitions' is not supported";
  return {};
}

Result<std::shared_ptr<const re2::RE2>> CompilePattern(std::string_view pattern) {
  // A definition's schema is compiled several times by the thread that stores it: to be checked, then to be served. And
  // schemas repeat their patterns.
  static thread_local std::unordered_map<std::string, std::shared_ptr<const re2::RE2>> recent;
  std::string key(pattern);
  if (const auto found = recent.find(key); found != recent.end()) return found->second;

  re2::RE2::Options options;
  options.set_log_errors(false);
  auto compiled = std::make_shared<const re2::RE2>(re2::StringPiece(pattern.data(), pattern.size()), options);
  if (!compiled->ok()) {
    const std::string_view reason = GoReason(compiled->error_code());
    return Error::InvalidArgument(fmt::format("error parsing regexp: {}: `{}`", reason, compiled->error_arg()));
  }
  if (recent.size() >= kMaxRecentPatterns) recent.clear();
  recent.emplace(std::move(key), compiled);
  return compiled;
}

Result<SchemaPtr> CompileSchema(const JSONSchemaProps& source) {
  auto schema = std::make_shared<Schema>();
  KEELSON_RETURN_IF_ERROR(Compile(source, 0, *schema));
  return SchemaPtr(std::move(schema));
}

}  // namespace keelson::apiserver
