// One version of a custom kind, made from its definition: schema, rules, columns, subresources.
//
//   KEELSON_TRY(resources, ResourcesOf(definition, collection, reread_up_to));
//   table.SetCustom(definition.metadata.name.str(), std::move(resources));
//
// What the definition says is compiled once; requests only run it. Immutable.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "keelson/api/apiextensions/v1.h"
#include "keelson/apiserver/apply/shape.h"
#include "keelson/apiserver/custom/custom_object.h"
#include "keelson/apiserver/resource.h"
#include "keelson/apiserver/schema/rules.h"
#include "keelson/apiserver/schema/schema.h"
#include "keelson/codec/jsonpath.h"
#include "keelson/core/result.h"

namespace keelson::apiserver {

struct CustomColumn {
  metav1::TableColumnDefinition definition;
  JsonPath path;
};

struct CustomVersion;
struct CustomType : Type {
  const CustomVersion* owner = nullptr;
};

struct CustomVersion {
  CustomVersion() = default;
  CustomVersion(const CustomVersion&) = delete;
  CustomVersion& operator=(const CustomVersion&) = delete;

  std::string group;
  std::string version;
  std::string kind;
  CustomType type = {};  // the layout of custom objects with the three names above
  apiextensionsv1::CustomResourceDefinitionVersion definition = {};
  SchemaPtr schema = {};
  std::shared_ptr<const ShapeBook> shapes = {};  // for server-side apply
  std::shared_ptr<const SchemaRules> cel = {};
  ErasedRules rules = {};
  std::vector<CustomColumn> columns = {};
  std::vector<std::string> warnings = {};  // for every request: deprecation
};

// Every served version, to be given to ResourceTable::SetCustom. Names are the accepted ones. Error: the definition has
// a schema that cannot be compiled, which its own checks should have refused.
Result<ResourceList> ResourcesOf(const apiextensionsv1::CustomResourceDefinition& definition, CollectionId collection,
                                 Revision reread_up_to);

// The version of a custom type.
const CustomVersion& VersionOf(const Type& type);

// Removes what the schema does not know and fills in its defaults: what reading an object of another schema needs.
void FitToSchema(const CustomVersion& version, CustomObject& object);

// The rows' cells, the name first.
List<Json> CustomCells(const CustomVersion& version, const CustomObject& object, WallTime now);
List<metav1::TableColumnDefinition> CustomColumns(const CustomVersion& version);

}  // namespace keelson::apiserver
