// The schemas of a CustomResourceDefinition.
#include <fmt/format.h>

#include <algorithm>

#include "keelson/api/access.h"
#include "keelson/apiserver/kinds/checks_common.h"
#include "keelson/apiserver/kinds/crd_checks.h"
#include "keelson/apiserver/kinds/crd_field_path.h"
#include "keelson/apiserver/kinds/crd_structural.h"
#include "keelson/apiserver/kinds/name_set.h"
#include "keelson/apiserver/schema/compile.h"
#include "keelson/apiserver/schema/rule_checks.h"
#include "keelson/core/ascii.h"

namespace keelson::apiserver {

namespace {

using apiextensionsv1::JSONSchemaProps;
using apiextensionsv1::ValidationRule;

constexpr std::string_view kTypes[] = {"array", "boolean", "integer", "number", "object", "string"};

// What holds for a schema because of where it stands.
struct Place {
  bool root = false;
  bool defaults = true;
  std::string_view no_defaults_because = {};
  bool in_resource_meta = false;  // inside apiVersion, kind or metadata of a resource, embedded or not
};

bool IsMetaField(std::string_view name) { return name == "metadata" || name == "kind" || name == "apiVersion"; }

bool HasLineBreak(std::string_view text) { return text.find_first_of("\n\r") != std::string_view::npos; }

class SchemaChecker {
 public:
  SchemaChecker(const DefinitionOptions& options, FieldErrors& errors) : options_(options), errors_(errors) {}

  void Check(const JSONSchemaProps& schema, const Place& place, const Path& path) {
    CheckKeywords(schema, place, path);
    CheckInside(schema, place, path);
    CheckExtensions(schema, path);
    for (size_t i = 0; i < schema.xKubernetesValidations.size(); ++i) {
      const Path rules = path / "x-kubernetes-validations";
      CheckRule(schema.xKubernetesValidations[i], schema, rules[i]);
    }
  }

 private:
  void CheckKeywords(const JSONSchemaProps& schema, const Place& place, const Path& path) {
    if (options_.property_types && !schema.type.empty() && !IsOpenApiType(schema.type)) {
      errors_.NotSupportedOf(path / "type", Json(schema.type), kTypes);
    }
    if (schema.default_ && !place.defaults) {
      std::string detail = "must not be set";
      if (!place.no_defaults_because.empty()) detail.append(" ").append(place.no_defaults_because);
      errors_.Forbidden(path / "default", detail);
    }
    const auto forbid = [&](bool wrong, std::string_view keyword) {
      if (wrong) errors_.Forbidden(path / keyword, fmt::format("{} is not supported", keyword));
    };
    forbid(!schema.id.empty(), "id");
    forbid(schema.additionalItems.has_value(), "additionalItems");
    forbid(!schema.patternProperties.empty(), "patternProperties");
    forbid(!schema.definitions.empty(), "definitions");
    forbid(!schema.dependencies.empty(), "dependencies");
    forbid(schema.ref_.has_value(), "$ref");
    if (schema.type == "null") {
      errors_.Forbidden(path / "type", "type cannot be set to null, use nullable as an alternative");
    }
    if (schema.items && !schema.items->jsonSchemas.empty()) {
      errors_.Forbidden(path / "items", "items must be a schema object and not an array");
    }
    if (place.in_resource_meta && schema.xKubernetesEmbeddedResource) {
      errors_.Forbidden(path / "x-kubernetes-embedded-resource", "must not be used inside of resource meta");
    }
    if (schema.uniqueItems) {
      errors_.Forbidden(path / "uniqueItems",
                        "uniqueItems cannot be set to true since the runtime complexity becomes quadratic");
    }
  }

  void CheckInside(const JSONSchemaProps& schema, const Place& place, const Path& path) {
    Place below = place;
    below.root = false;
    if (schema.additionalProperties) {
      const auto& additional = *schema.additionalProperties;
      const Path at = path / "additionalProperties";
      if (!schema.properties.empty() && (!additional.allows || additional.schema)) {
        errors_.Forbidden(at, "additionalProperties and properties are mutual exclusive");
      }
      Place values = below;
      if (place.in_resource_meta) {
        values.defaults = false;
        values.no_defaults_because = "inside additionalProperties applying to object metadata";
      }
      if (additional.schema) Check(*additional.schema, values, at);
    }
    const Path properties = path / "properties";
    for (const auto& [name, property] : schema.properties) {
      Place inner = below;
      std::string because;
      if ((place.root || schema.xKubernetesEmbeddedResource) && IsMetaField(name)) {
        inner.in_resource_meta = true;
        if (place.root) {
          because = fmt::format("in top-level {}", name.view());
          inner.defaults = false;
          inner.no_defaults_because = because;
        }
      }
      Check(property, inner, properties.Key(name));
    }
    if (schema.not_) Check(*schema.not_, below, path / "not");
    CheckEach(schema.allOf, below, path / "allOf");
    CheckEach(schema.oneOf, below, path / "oneOf");
    CheckEach(schema.anyOf, below, path / "anyOf");
    const Path definitions = path / "definitions";
    for (const auto& [name, definition] : schema.definitions) Check(definition, below, definitions.Key(name));
    if (schema.items) {
      if (schema.items->schema) Check(*schema.items->schema, below, path / "items");
      CheckEach(schema.items->jsonSchemas, below, path / "items");
    }
    const Path dependencies = path / "dependencies";
    for (const auto& [name, dependency] : schema.dependencies) {
      if (dependency.schema) Check(*dependency.schema, below, dependencies.Key(name));
    }
  }

  void CheckEach(const List<JSONSchemaProps>& schemas, const Place& place, const Path& path) {
    for (size_t i = 0; i < schemas.size(); ++i) Check(schemas[i], place, path[i]);
  }

  // That a list or map type stands at a list or an object.
  void CheckTypeIs(std::string_view wanted, std::string_view because_of, const JSONSchemaProps& schema,
                   const Path& path) {
    const std::string detail = fmt::format("must be {} if {} is specified", wanted, because_of);
    if (schema.type.empty()) {
      errors_.Required(path / "type", detail);
    } else {
      errors_.Invalid(path / "type", Json(schema.type), detail);
    }
  }

  void CheckExtensions(const JSONSchemaProps& schema, const Path& path) {
    if (schema.xKubernetesPreserveUnknownFields && !*schema.xKubernetesPreserveUnknownFields) {
      errors_.Invalid(path / "x-kubernetes-preserve-unknown-fields", Json(false), "must be true or undefined");
    }
    if (const Optional<String>& type = schema.xKubernetesMapType) {
      if (schema.type != "object") CheckTypeIs("object", "x-kubernetes-map-type", schema, path);
      if (!IsOneOf(*type, {"atomic", "granular"})) {
        errors_.NotSupportedAsListed(path / "x-kubernetes-map-type", Json(*type), {"atomic", "granular"});
      }
    }
    if (schema.xKubernetesListType) CheckListType(schema, *schema.xKubernetesListType, path);
    const std::string_view list_type = schema.xKubernetesListType.OrDefault();
    if (!schema.xKubernetesListMapKeys.empty()) {
      constexpr std::string_view kDetail = "must be map if x-kubernetes-list-map-keys is non-empty";
      if (!schema.xKubernetesListType) {
        errors_.Required(path / "x-kubernetes-list-type", kDetail);
      } else if (list_type != "map") {
        errors_.Invalid(path / "x-kubernetes-list-type", Json(list_type), kDetail);
      }
    }
    if (list_type == "map") CheckMapList(schema, path);
    if (options_.list_keys) CheckListItems(schema, path, errors_);
  }

  void CheckListType(const JSONSchemaProps& schema, std::string_view type, const Path& path) {
    if (schema.type != "array") {
      CheckTypeIs("array", "x-kubernetes-list-type", schema, path);
    } else if (options_.atomic_sets && IsNonAtomicSet(schema)) {
      const JSONSchemaProps& item = *schema.items->schema;
      const Path items = path / "items";
      // Whichever of the two it is about, upstream shows the list type.
      const Json shown = item.xKubernetesListType ? Json(*item.xKubernetesListType) : Json();
      errors_.Invalid(items / (item.type == "array" ? "x-kubernetes-list-type" : "x-kubernetes-map-type"), shown,
                      "must be atomic as item of a list with x-kubernetes-list-type=set");
    }
    if (!IsOneOf(type, {"atomic", "set", "map"})) {
      errors_.NotSupportedAsListed(path / "x-kubernetes-list-type", Json(type), {"atomic", "set", "map"});
    }
  }

  void CheckMapList(const JSONSchemaProps& schema, const Path& path) {
    const Path keys = path / "x-kubernetes-list-map-keys";
    const Path items = path / "items";
    if (schema.xKubernetesListMapKeys.empty()) {
      errors_.Required(keys, "must not be empty if x-kubernetes-list-type is map");
    }
    if (!schema.items) return errors_.Required(items, "must have a schema if x-kubernetes-list-type is map");
    if (!schema.items->schema) {
      return errors_.InvalidShown(items, InternalForm(*schema.items),
                                  "must only have a single schema if x-kubernetes-list-type is map");
    }
    const JSONSchemaProps& item = *schema.items->schema;
    if (item.type != "object") {
      return errors_.Invalid(items / "type", Json(item.type),
                             "must be object if parent array's x-kubernetes-list-type is map");
    }
    const Path properties = items / "properties";
    NameSet seen;
    for (const String& key : schema.xKubernetesListMapKeys) {
      const JSONSchemaProps* property = item.properties.find(key);
      if (property == nullptr) {
        errors_.Invalid(keys, Shown(schema.xKubernetesListMapKeys), "entries must all be names of item properties");
      } else if (property->type == "array" || property->type == "object") {
        const Path at = properties.Key(key);
        errors_.Invalid(at / "type", Json(item.type),
                        "must be a scalar type if parent array's x-kubernetes-list-type is map");
      }
      if (!seen.Insert(key)) {
        errors_.Invalid(keys, Shown(schema.xKubernetesListMapKeys), "must not contain duplicate entries");
      }
    }
  }

  // Everything about a rule but its expressions.
  void CheckRule(const ValidationRule& rule, const JSONSchemaProps& schema, const Path& path) {
    const std::string_view expression = Trim(rule.rule);
    const std::string_view message = Trim(rule.message);
    if (expression.empty()) {
      errors_.Required(path / "rule", "rule is not specified");
    } else if (!rule.message.empty() && message.empty()) {
      errors_.Invalid(path / "message", Json(rule.message), "must be non-empty if specified");
    } else if (HasLineBreak(message)) {
      errors_.Invalid(path / "message", Json(rule.message), "must not contain line breaks");
    } else if (HasLineBreak(expression) && message.empty()) {
      errors_.Required(path / "message", "message must be specified if rule contains line breaks");
    }
    if (!rule.messageExpression.empty() && Trim(rule.messageExpression).empty()) {
      errors_.Required(path / "messageExpression", "messageExpression must be non-empty if specified");
    }
    if (rule.reason) {
      static constexpr std::string_view kReasons[] = {"FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid",
                                                      "FieldValueRequired"};
      if (std::find(std::begin(kReasons), std::end(kReasons), *rule.reason) == std::end(kReasons)) {
        errors_.NotSupportedOf(path / "reason", Json(*rule.reason), kReasons);
      }
    }
    if (rule.fieldPath.empty()) return;
    const Path field = path / "fieldPath";
    if (Trim(rule.fieldPath).empty()) {
      errors_.Invalid(field, Json(rule.fieldPath), "must be non-empty if specified");
    }
    if (HasLineBreak(rule.fieldPath)) {
      errors_.Invalid(field, Json(rule.fieldPath), "must not contain line breaks");
    }
    if (WhyNotConvertible(schema).empty() && !FindInSchema(rule.fieldPath, schema)) {
      errors_.Invalid(field, Json(rule.fieldPath), "must be a valid path");
    }
  }

  const DefinitionOptions& options_;
  FieldErrors& errors_;
};

bool HasRules(const JSONSchemaProps& schema) { return !schema.xKubernetesValidations.empty(); }

// The fields of a schema by the names and in the order of upstream's struct, and whether they may stand at the root of
// a resource that has the status subresource.
struct RootField {
  std::string_view json;
  bool allowed;
};
constexpr RootField kRootFields[] = {
    {"id", false},
    {"$schema", false},
    {"$ref", false},
    {"description", true},
    {"type", true},
    {"nullable", false},
    {"format", true},
    {"title", true},
    {"default", false},
    {"maximum", true},
    {"exclusiveMaximum", true},
    {"minimum", true},
    {"exclusiveMinimum", true},
    {"maxLength", true},
    {"minLength", true},
    {"pattern", true},
    {"maxItems", true},
    {"minItems", true},
    {"uniqueItems", true},
    {"multipleOf", true},
    {"enum", false},
    {"maxProperties", false},
    {"minProperties", false},
    {"required", true},
    {"items", true},
    {"allOf", false},
    {"oneOf", false},
    {"anyOf", false},
    {"not", false},
    {"properties", true},
    {"additionalProperties", false},
    {"patternProperties", false},
    {"dependencies", false},
    {"additionalItems", false},
    {"definitions", false},
    {"externalDocs", true},
    {"example", true},
    {"x-kubernetes-preserve-unknown-fields", true},
    {"x-kubernetes-embedded-resource", false},
    {"x-kubernetes-int-or-string", false},
    {"x-kubernetes-list-map-keys", false},
    {"x-kubernetes-list-type", false},
    {"x-kubernetes-map-type", false},
    {"x-kubernetes-validations", true},
};

void CheckRootWithStatus(const JSONSchemaProps& schema, const Path& path, FieldErrors& errors) {
  const Type& type = TypeOf<JSONSchemaProps>();
  for (const RootField& one : kRootFields) {
    const Field* field = type.FindField(one.json);
    if (field == nullptr || IsEmpty(*field->type, ReadField(*field, &schema))) continue;
    if (one.json == "type") {
      if (schema.type == "object") continue;
      return errors.Invalid(path / "openAPIV3Schema.type", Json(schema.type),
                            "only \"object\" is allowed as the type at the root of the schema if the status "
                            "subresource is enabled");
    }
    if (!one.allowed) {
      return errors.InvalidShown(
          path / "openAPIV3Schema", InternalForm(schema),
          "only [Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength "
          "Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example "
          "XPreserveUnknownFields XValidations] fields are allowed at the root of the schema if the status "
          "subresource is enabled");
    }
  }
}

}  // namespace

bool IsOpenApiType(std::string_view type) {
  return std::find(std::begin(kTypes), std::end(kTypes), type) != std::end(kTypes);
}

bool IsNonAtomicSet(const JSONSchemaProps& schema) {
  if (schema.xKubernetesListType.OrDefault() != "set" || !schema.items || !schema.items->schema) return false;
  const JSONSchemaProps& item = *schema.items->schema;
  if (item.type == "array") return item.xKubernetesListType && *item.xKubernetesListType != "atomic";
  return item.type == "object" && item.xKubernetesMapType.OrDefault() != "atomic";
}

void CheckListItems(const JSONSchemaProps& schema, const Path& path, FieldErrors& errors) {
  const std::string_view list_type = schema.xKubernetesListType.OrDefault();
  if (!schema.items || !schema.items->schema || !IsOneOf(list_type, {"set", "map"})) return;
  const JSONSchemaProps& item = *schema.items->schema;
  const Path items = path / "items";
  if (item.nullable) {
    errors.Forbidden(items / "nullable",
                     fmt::format("cannot be nullable when x-kubernetes-list-type is {}", list_type));
  }
  if (list_type != "map") return;
  const Path properties = items / "properties";
  for (const String& key : schema.xKubernetesListMapKeys) {
    const JSONSchemaProps* property = item.properties.find(key);
    if (property == nullptr) continue;
    const Path at = properties.Key(key);
    const bool required = std::find(item.required.begin(), item.required.end(), key) != item.required.end();
    if (!required && !property->default_) {
      errors.Required(at / "default",
                      "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required "
                      "property");
    }
    if (property->nullable) {
      errors.Forbidden(at / "nullable", "this property is in x-kubernetes-list-map-keys, so it cannot be nullable");
    }
  }
}

void CheckValidation(const apiextensionsv1::CustomResourceValidation& validation, const SchemaOptions& options,
                     const Path& path, FieldErrors& errors) {
  if (!validation.openAPIV3Schema) return;
  const JSONSchemaProps& schema = *validation.openAPIV3Schema;
  const Path schema_path = path / "openAPIV3Schema";
  const size_t before = errors.size();
  if (options.status) CheckRootWithStatus(schema, path, errors);
  if (schema.nullable) errors.Forbidden(path / "openAPIV3Schema.nullable", "nullable cannot be true at the root");

  std::string_view not_convertible;
  if (options.definition.structural) {
    not_convertible = WhyNotConvertible(schema);
    if (not_convertible.empty() && CheckStructural(schema, schema_path, errors)) {
      CheckDefaults(schema, schema_path, errors);
    }
  }
  SchemaChecker(options.definition, errors).Check(schema, {.root = true}, schema_path);
  // Rules are looked into only when the schema makes sense otherwise.
  if (errors.size() != before) return;
  if (!not_convertible.empty()) return errors.Invalid(schema_path, Json(""), not_convertible);
  if (!options.definition.structural || !AnySchema(schema, HasRules)) return;
  if (const Result<SchemaPtr> compiled = CompileSchema(schema)) {
    CheckSchemaRules(**compiled, {.any_cost = options.any_rule_cost}, schema_path, errors);
  }
}

}  // namespace keelson::apiserver
