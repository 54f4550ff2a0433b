#include "keelson/apiserver/kinds/crd_structural.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "keelson/api/compare.h"
#include "keelson/apiserver/schema/compile.h"

namespace keelson::apiserver {

namespace {

using apiextensionsv1::JSONSchemaProps;

// Where a schema stands: at the root of a resource, as items of a list, as a member of an object.
enum class Level : uint8_t { kRoot, kItem, kField };

struct Finding {
  enum class Kind : uint8_t { kForbidden, kInvalid, kRequired };
  Kind kind;
  std::string path;
  Json value;
  std::string detail;

  std::string Text() const {
    FieldErrors one;
    Report(one);
    return path + ": " + std::string(one.causes()[0].message);
  }
  void Report(FieldErrors& errors) const {
    switch (kind) {
      case Kind::kForbidden: return errors.Forbidden(Path(path), detail);
      case Kind::kInvalid: return errors.Invalid(Path(path), value, detail);
      case Kind::kRequired: return errors.Required(Path(path), detail);
    }
  }
};

const JSONSchemaProps* ItemsOf(const JSONSchemaProps& schema) {
  return schema.items && schema.items->schema ? &*schema.items->schema : nullptr;
}

const JSONSchemaProps* ValuesOf(const JSONSchemaProps& schema) {
  return schema.additionalProperties && schema.additionalProperties->schema ? &*schema.additionalProperties->schema
                                                                            : nullptr;
}

bool PreservesUnknown(const JSONSchemaProps& schema) { return schema.xKubernetesPreserveUnknownFields.value_or(false); }

bool HasDefault(const JSONSchemaProps& schema) {
  return schema.default_ && !schema.default_->empty() && schema.default_->raw() != "null";
}

// `anyOf: [{type: integer}, {type: string}]`: the one place where types may stand inside a junctor.
bool IsIntOrString(const List<JSONSchemaProps>& any_of) {
  static const List<JSONSchemaProps> pattern = {JSONSchemaProps{.type = "integer"}, JSONSchemaProps{.type = "string"}};
  return any_of.size() == 2 && Equal(any_of, pattern);
}

class Checker {
 public:
  std::vector<Finding> findings;

  void CheckInvariants(const JSONSchemaProps& schema, Level level, const Path& path) {
    if (schema.type == "array" && ItemsOf(schema) == nullptr) Required(path / "items", "must be specified");
    if (const JSONSchemaProps* items = ItemsOf(schema)) CheckInvariants(*items, Level::kItem, path / "items");
    const Path properties = path / "properties";
    for (const auto& [name, property] : schema.properties) {
      CheckInvariants(property, Level::kField, properties.Key(name));
    }
    if (schema.additionalProperties) {
      const Path additional = path / "additionalProperties";
      if (level == Level::kRoot) Forbidden(additional, "must not be used at the root");
      if (const JSONSchemaProps* values = ValuesOf(schema)) CheckInvariants(*values, Level::kField, additional);
    }
    if (schema.xKubernetesIntOrString && PreservesUnknown(schema)) {
      Invalid(path / "x-kubernetes-preserve-unknown-fields", Json(true),
              "must be false if x-kubernetes-int-or-string is true");
    }
    if (schema.xKubernetesIntOrString && schema.xKubernetesEmbeddedResource) {
      Invalid(path / "x-kubernetes-embedded-resource", Json(true),
              "must be false if x-kubernetes-int-or-string is true");
    }
    CheckJunctors(schema, IsIntOrString(schema.anyOf), !schema.allOf.empty() && IsIntOrString(schema.allOf[0].anyOf),
                  path);
    CheckType(schema, level, path);
    CheckMetadata(schema, level, path);
  }

  // That what the junctors of `checks` speak of is there in `schema` too.
  void CheckCompleteness(const JSONSchemaProps& checks, const JSONSchemaProps& schema, const Path& schema_path,
                         const Path& checks_path) {
    if (checks.not_) CheckNestedCompleteness(*checks.not_, &schema, schema_path, checks_path / "not");
    CheckEachCompleteness(checks.allOf, schema, schema_path, checks_path / "allOf");
    CheckEachCompleteness(checks.anyOf, schema, schema_path, checks_path / "anyOf");
    CheckEachCompleteness(checks.oneOf, schema, schema_path, checks_path / "oneOf");
  }

 private:
  void Forbidden(const Path& path, std::string detail) {
    findings.push_back({Finding::Kind::kForbidden, path.ToString(), {}, std::move(detail)});
  }
  void Invalid(const Path& path, Json value, std::string detail) {
    findings.push_back({Finding::Kind::kInvalid, path.ToString(), std::move(value), std::move(detail)});
  }
  void Required(const Path& path, std::string detail) {
    findings.push_back({Finding::Kind::kRequired, path.ToString(), {}, std::move(detail)});
  }

  void CheckType(const JSONSchemaProps& schema, Level level, const Path& path) {
    const Path type = path / "type";
    if (schema.xKubernetesEmbeddedResource && schema.type != "object") {
      constexpr std::string_view kReason = "must be object if x-kubernetes-embedded-resource is true";
      if (schema.type.empty()) {
        Required(type, std::string(kReason));
      } else {
        Invalid(type, Json(schema.type), std::string(kReason));
      }
    } else if (schema.type.empty() && !schema.xKubernetesIntOrString && !PreservesUnknown(schema)) {
      switch (level) {
        case Level::kRoot: Required(type, "must not be empty at the root"); break;
        case Level::kItem: Required(type, "must not be empty for specified array items"); break;
        case Level::kField: Required(type, "must not be empty for specified object fields"); break;
      }
    }
    if (schema.xKubernetesEmbeddedResource && schema.additionalProperties) {
      Forbidden(path / "additionalProperties", "must not be used if x-kubernetes-embedded-resource is set");
    }
    if (level == Level::kRoot && !schema.type.empty() && schema.type != "object") {
      Invalid(type, Json(schema.type), "must be object at the root");
    }
    if (schema.xKubernetesEmbeddedResource && !PreservesUnknown(schema) && schema.properties.empty()) {
      Required(path / "properties",
               "must not be empty if x-kubernetes-embedded-resource is true without "
               "x-kubernetes-preserve-unknown-fields");
    }
  }

  // kind, apiVersion and metadata of a resource, at the root or embedded, may be restricted only so far.
  void CheckMetadata(const JSONSchemaProps& schema, Level level, const Path& path) {
    const bool is_resource = level == Level::kRoot || schema.xKubernetesEmbeddedResource;
    const Path properties = path / "properties";
    for (const std::string_view name : {"kind", "apiVersion"}) {
      const JSONSchemaProps* property = schema.properties.find(name);
      if (property == nullptr || !is_resource || property->type == "string") continue;
      const Path at = properties.Key(name);
      Invalid(at / "type", Json(property->type), "must be string");
    }
    const JSONSchemaProps* metadata = schema.properties.find("metadata");
    if (metadata == nullptr) return;
    const Path at = properties.Key("metadata");
    if (is_resource && metadata->type != "object") Invalid(at / "type", Json(metadata->type), "must be object");
    if (level != Level::kRoot) return;
    JSONSchemaProps rest = *metadata;
    size_t names = 0;
    for (const std::string_view name : {"name", "generateName"}) names += rest.properties.contains(name) ? 1 : 0;
    if (names == rest.properties.size()) rest.properties.clear();
    rest.type = {};
    rest.default_.reset();
    if (!Equal(rest, JSONSchemaProps())) {
      Forbidden(at, "must not specify anything other than name and generateName, but metadata is implicitly specified");
    }
  }

  void CheckJunctors(const JSONSchemaProps& schema, bool skip_any_of, bool skip_any_of_of_first, const Path& path) {
    if (!skip_any_of) CheckEach(schema.anyOf, false, path / "anyOf");
    CheckEach(schema.allOf, skip_any_of_of_first, path / "allOf");
    CheckEach(schema.oneOf, false, path / "oneOf");
    if (schema.not_) CheckNested(*schema.not_, false, path / "not");
    if (schema.pattern.empty()) return;
    if (const auto pattern = CompilePattern(schema.pattern); !pattern) {
      Invalid(path / "pattern", Json(schema.pattern),
              fmt::format("must be a valid regular expression, but isn't: {}", pattern.error().message()));
    }
  }

  void CheckEach(const List<JSONSchemaProps>& schemas, bool skip_any_of_of_first, const Path& path) {
    for (size_t i = 0; i < schemas.size(); ++i) CheckNested(schemas[i], skip_any_of_of_first && i == 0, path[i]);
  }

  // A schema under a junctor.
  void CheckNested(const JSONSchemaProps& schema, bool skip_any_of, const Path& path) {
    CheckJunctors(schema, skip_any_of, false, path);
    if (const JSONSchemaProps* items = ItemsOf(schema)) CheckNested(*items, false, path / "items");
    const Path properties = path / "properties";
    for (const auto& [name, property] : schema.properties) CheckNested(property, false, properties.Key(name));

    const auto forbid = [&](bool wrong, std::string_view field, std::string_view detail) {
      if (wrong) Forbidden(path / field, std::string(detail));
    };
    constexpr std::string_view kEmpty = "must be empty to be structural";
    constexpr std::string_view kUndefined = "must be undefined to be structural";
    constexpr std::string_view kFalse = "must be false to be structural";
    forbid(!schema.type.empty(), "type", kEmpty);
    forbid(schema.additionalProperties && (schema.additionalProperties->allows || ValuesOf(schema) != nullptr),
           "additionalProperties", kUndefined);
    forbid(HasDefault(schema), "default", kUndefined);
    forbid(!schema.title.empty(), "title", kEmpty);
    forbid(!schema.description.empty(), "description", kEmpty);
    forbid(schema.nullable, "nullable", kFalse);
    forbid(PreservesUnknown(schema), "x-kubernetes-preserve-unknown-fields", kFalse);
    forbid(schema.xKubernetesEmbeddedResource, "x-kubernetes-embedded-resource", kFalse);
    forbid(schema.xKubernetesIntOrString, "x-kubernetes-int-or-string", kFalse);
    forbid(!schema.xKubernetesListMapKeys.empty(), "x-kubernetes-list-map-keys", kEmpty);
    forbid(schema.xKubernetesListType.has_value(), "x-kubernetes-list-type", kUndefined);
    forbid(schema.xKubernetesMapType.has_value(), "x-kubernetes-map-type", kUndefined);
    forbid(!schema.xKubernetesValidations.empty(), "x-kubernetes-validations", kEmpty);
    if (schema.properties.contains("metadata")) {
      Forbidden(properties.Key("metadata"), "must not be specified in a nested context");
    }
  }

  void CheckEachCompleteness(const List<JSONSchemaProps>& checks, const JSONSchemaProps& schema,
                             const Path& schema_path, const Path& checks_path) {
    for (size_t i = 0; i < checks.size(); ++i) {
      CheckNestedCompleteness(checks[i], &schema, schema_path, checks_path[i]);
    }
  }

  // `schema` is null when there is none at that place.
  void CheckNestedCompleteness(const JSONSchemaProps& checks, const JSONSchemaProps* schema, const Path& schema_path,
                               const Path& checks_path) {
    if (schema == nullptr) {
      return Required(schema_path, fmt::format("because it is defined in {}", checks_path.ToString()));
    }
    CheckCompleteness(checks, *schema, schema_path, checks_path);
    if (const JSONSchemaProps* items = ItemsOf(checks)) {
      CheckNestedCompleteness(*items, ItemsOf(*schema), schema_path / "items", checks_path / "items");
    }
    const Path properties = schema_path / "properties";
    const Path checked_properties = checks_path / "properties";
    for (const auto& [name, property] : checks.properties) {
      CheckNestedCompleteness(property, schema->properties.find(name), properties.Key(name),
                              checked_properties.Key(name));
    }
  }
};

}  // namespace

std::string_view WhyNotConvertible(const JSONSchemaProps& schema) {
  if (const std::string_view keyword = UnsupportedKeyword(schema); !keyword.empty()) return keyword;
  if (schema.not_) {
    if (const std::string_view problem = WhyNotConvertible(*schema.not_); !problem.empty()) return problem;
  }
  for (const List<JSONSchemaProps>* junctor : {&schema.allOf, &schema.anyOf, &schema.oneOf}) {
    for (const JSONSchemaProps& one : *junctor) {
      if (const std::string_view problem = WhyNotConvertible(one); !problem.empty()) return problem;
    }
  }
  if (schema.xKubernetesPreserveUnknownFields && !*schema.xKubernetesPreserveUnknownFields) {
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  }
  if (schema.items && !schema.items->jsonSchemas.empty()) {
    return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  }
  if (const JSONSchemaProps* items = ItemsOf(schema)) {
    if (const std::string_view problem = WhyNotConvertible(*items); !problem.empty()) return problem;
  }
  for (const auto& [name, property] : schema.properties) {
    if (const std::string_view problem = WhyNotConvertible(property); !problem.empty()) return problem;
  }
  const JSONSchemaProps* values = ValuesOf(schema);
  return values == nullptr ? std::string_view() : WhyNotConvertible(*values);
}

bool CheckStructural(const JSONSchemaProps& schema, const Path& path, FieldErrors& errors) {
  Checker checker;
  checker.CheckInvariants(schema, Level::kRoot, path);
  checker.CheckCompleteness(schema, schema, path, path);
  std::vector<Finding>& findings = checker.findings;
  std::sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) { return a.Text() < b.Text(); });
  for (const Finding& finding : findings) finding.Report(errors);
  return findings.empty();
}

}  // namespace keelson::apiserver
