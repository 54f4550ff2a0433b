// What is somewhere in the schemas of a definition.
#include <algorithm>

#include "keelson/apiserver/kinds/crd_checks.h"
#include "keelson/apiserver/schema/formats.h"

namespace keelson::apiserver {

namespace {

using apiextensionsv1::JSONSchemaProps;

// Calls visit(schema) for the schema and all inside, until one call returns true.
template <class Visit>
bool WalkUntil(const JSONSchemaProps& schema, const Visit& visit) {
  if (visit(schema)) return true;
  const auto one = [&](const Optional<JSONSchemaProps>& inner) { return inner && WalkUntil(*inner, visit); };
  const auto list = [&](const List<JSONSchemaProps>& inner) {
    return std::any_of(inner.begin(), inner.end(), [&](const JSONSchemaProps& s) { return WalkUntil(s, visit); });
  };
  const auto map = [&](const Map<JSONSchemaProps>& inner) {
    for (const auto& [name, s] : inner) {
      if (WalkUntil(s, visit)) return true;
    }
    return false;
  };
  if (schema.items && (one(schema.items->schema) || list(schema.items->jsonSchemas))) return true;
  if (list(schema.allOf) || list(schema.anyOf) || list(schema.oneOf) || one(schema.not_)) return true;
  if (map(schema.properties)) return true;
  if (schema.additionalProperties && one(schema.additionalProperties->schema)) return true;
  if (map(schema.patternProperties)) return true;
  if (schema.additionalItems && one(schema.additionalItems->schema)) return true;
  if (map(schema.definitions)) return true;
  for (const auto& [name, dependency] : schema.dependencies) {
    if (one(dependency.schema)) return true;
  }
  return false;
}

bool IsKnownFormat(std::string_view type, std::string_view format) {
  if (type.empty() || type == "string") return FindFormat(format) != nullptr;
  if (type == "integer") return format == "int32" || format == "int64";
  if (type == "number") return format == "float" || format == "double";
  return false;
}

void CollectFormats(const Optional<apiextensionsv1::CustomResourceValidation>& validation,
                    std::vector<std::string>& formats) {
  if (!validation || !validation->openAPIV3Schema) return;
  WalkUntil(*validation->openAPIV3Schema, [&](const JSONSchemaProps& schema) {
    if (!schema.format.empty() && !IsKnownFormat(schema.type, schema.format)) formats.emplace_back(schema.format);
    return false;
  });
}

}  // namespace

bool AnySchema(const JSONSchemaProps& schema, SchemaPredicate predicate) { return WalkUntil(schema, predicate); }

bool AnySchema(const apiextensionsv1::CustomResourceDefinitionSpec& spec, SchemaPredicate predicate) {
  return std::any_of(spec.versions.begin(), spec.versions.end(), [&](const auto& version) {
    return version.schema && version.schema->openAPIV3Schema && AnySchema(*version.schema->openAPIV3Schema, predicate);
  });
}

std::vector<std::string> UnrecognizedFormats(const apiextensionsv1::CustomResourceDefinitionSpec& spec) {
  std::vector<std::string> formats;
  const InternalSpec internal(spec);
  if (internal.validation() != nullptr) CollectFormats(*internal.validation(), formats);
  for (const auto& version : internal.versions()) CollectFormats(version.schema, formats);
  return formats;
}

}  // namespace keelson::apiserver
