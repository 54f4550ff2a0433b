// The checks of a CustomResourceDefinition, by the part of it that they look at.
//
// Upstream checks an internal form in which what all versions have in common (schema, subresources, columns, selectable
// fields) stands once for the whole definition; errors name fields of that form, and so do these.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "keelson/api/apiextensions/v1.h"
#include "keelson/apiserver/kinds/field_errors.h"
#include "keelson/apiserver/kinds/path.h"

namespace keelson::apiserver {

// A definition in that form. Refers to the definition it was made from.
class InternalSpec {
 public:
  explicit InternalSpec(const apiextensionsv1::CustomResourceDefinitionSpec& spec);

  const apiextensionsv1::CustomResourceDefinitionSpec& spec() const { return spec_; }
  // What is common to all versions; null or empty when there is nothing of the sort.
  const apiextensionsv1::CustomResourceValidation* validation() const { return validation_; }
  const apiextensionsv1::CustomResourceSubresources* subresources() const { return subresources_; }
  const List<apiextensionsv1::CustomResourceColumnDefinition>& columns() const;
  const List<apiextensionsv1::SelectableField>& selectable() const;
  // The versions without what is common to all.
  const List<apiextensionsv1::CustomResourceDefinitionVersion>& versions() const& { return versions_; }
  // As errors show them.
  std::string ShownVersions() const;

 private:
  const apiextensionsv1::CustomResourceDefinitionSpec& spec_;
  const apiextensionsv1::CustomResourceValidation* validation_ = nullptr;
  const apiextensionsv1::CustomResourceSubresources* subresources_ = nullptr;
  bool common_columns_ = false;
  bool common_selectable_ = false;
  List<apiextensionsv1::CustomResourceDefinitionVersion> versions_;
};

// What is asked of a definition. An update does not ask for what the old one did not have either.
struct DefinitionOptions {
  bool recognized_review_version = true;
  bool immutable_names = false;
  bool schema = true;          // every version has one
  bool property_types = true;  // types are those of OpenAPI
  bool structural = true;
  bool atomic_sets = true;  // items of sets are atomic
  bool list_keys = true;    // keys of lists are required or have defaults, and are not nullable
  bool valid_ca_bundle = false;
  // Versions whose schema did not change: their rules may cost what they like.
  std::set<std::string, std::less<>> unchanged_schemas = {};
  // Versions that may go on to have too many selectable fields; "" for those that all have in common.
  std::set<std::string, std::less<>> many_selectable = {};
};

// For an update of `old`.
DefinitionOptions OptionsForUpdate(const apiextensionsv1::CustomResourceDefinition& crd,
                                   const apiextensionsv1::CustomResourceDefinition& old);

// crd_spec_checks.cc
void CheckDefinitionSpec(const InternalSpec& spec, DefinitionOptions options, const Path& path, FieldErrors& errors);
void CheckDefinitionNames(const apiextensionsv1::CustomResourceDefinitionNames& names, const Path& path,
                          FieldErrors& errors);

// crd_version_checks.cc
void CheckSubresources(const apiextensionsv1::CustomResourceSubresources* subresources, const Path& path,
                       FieldErrors& errors);
void CheckColumn(const apiextensionsv1::CustomResourceColumnDefinition& column, const Path& path, FieldErrors& errors);
void CheckSelectable(const List<apiextensionsv1::SelectableField>& fields,
                     const apiextensionsv1::JSONSchemaProps& schema, bool any_number, const Path& path,
                     FieldErrors& errors);
void CheckDeprecation(bool deprecated, const Optional<String>& warning, const Path& path, FieldErrors& errors);

// crd_conversion_checks.cc
void CheckConversion(const apiextensionsv1::CustomResourceConversion& conversion, const DefinitionOptions& options,
                     const Path& path, FieldErrors& errors);
bool IsReviewVersion(std::string_view version);  // that every server knows
// Why the bytes are no certificates that a client could trust; empty: they are.
std::string WhyNoAuthority(std::string_view bundle);

// crd_schema_checks.cc
struct SchemaOptions {
  const DefinitionOptions& definition;
  bool status = false;         // the version has the status subresource
  bool any_rule_cost = false;  // of a schema that did not change
};
void CheckValidation(const apiextensionsv1::CustomResourceValidation& validation, const SchemaOptions& options,
                     const Path& path, FieldErrors& errors);
// Of a list of type set or map, with the options list_keys.
void CheckListItems(const apiextensionsv1::JSONSchemaProps& schema, const Path& path, FieldErrors& errors);
bool IsNonAtomicSet(const apiextensionsv1::JSONSchemaProps& schema);
bool IsOpenApiType(std::string_view type);

// crd_default_checks.cc
// Of a schema that is structural. True when nothing is wrong.
bool CheckDefaults(const apiextensionsv1::JSONSchemaProps& schema, const Path& path, FieldErrors& errors);

// crd_schema_walk.cc: whether the predicate holds for the schema or any schema inside.
using SchemaPredicate = bool (*)(const apiextensionsv1::JSONSchemaProps& schema);
bool AnySchema(const apiextensionsv1::JSONSchemaProps& schema, SchemaPredicate predicate);
bool AnySchema(const apiextensionsv1::CustomResourceDefinitionSpec& spec, SchemaPredicate predicate);
// The formats in the schemas that the server does not know, in the order in which they are met.
std::vector<std::string> UnrecognizedFormats(const apiextensionsv1::CustomResourceDefinitionSpec& spec);

}  // namespace keelson::apiserver
