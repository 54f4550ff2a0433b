// A CustomResourceDefinition's spec: group, names, versions.
#include <fmt/format.h>

#include <algorithm>

#include "keelson/apiserver/custom/definition_status.h"
#include "keelson/apiserver/kinds/checks_common.h"
#include "keelson/apiserver/kinds/crd_checks.h"
#include "keelson/apiserver/kinds/crd_structural.h"
#include "keelson/apiserver/kinds/name_set.h"
#include "keelson/core/ascii.h"

namespace keelson::apiserver {

namespace {

using apiextensionsv1::CustomResourceDefinition;
using apiextensionsv1::CustomResourceDefinitionSpec;
using apiextensionsv1::CustomResourceDefinitionVersion;
using apiextensionsv1::JSONSchemaProps;

bool HasSchema(const CustomResourceDefinitionVersion& version) {
  return version.schema && version.schema->openAPIV3Schema;
}

bool HasStatus(const apiextensionsv1::CustomResourceSubresources* subresources) {
  return subresources != nullptr && subresources->status;
}

const CustomResourceDefinitionVersion* FindVersion(const CustomResourceDefinitionSpec& spec, std::string_view name) {
  const auto found = std::find_if(spec.versions.begin(), spec.versions.end(),
                                  [&](const CustomResourceDefinitionVersion& v) { return v.name == name; });
  return found == spec.versions.end() ? nullptr : &*found;
}

std::string Joined(const std::vector<std::string>& reasons) { return fmt::format("{}", fmt::join(reasons, ",")); }

void CheckLabel(std::string_view value, const Path& path, FieldErrors& errors) {
  if (names::IsDns1035Label(value)) return;
  errors.Invalid(path, Json(value), Joined(names::CheckDns1035Label(value)));
}

void CheckKind(std::string_view kind, const Path& path, FieldErrors& errors) {
  if (kind.empty()) return;
  const std::string lower = AsciiLower(kind);
  if (names::IsDns1035Label(lower)) return;
  errors.Invalid(path, Json(kind),
                 "may have mixed case, but should otherwise match: " + Joined(names::CheckDns1035Label(lower)));
}

void CheckGroup(std::string_view group, const Path& path, FieldErrors& errors) {
  if (group.empty()) return errors.Required(path, "");
  if (!names::IsDns1123Subdomain(group)) {
    return errors.Invalid(path, Json(group), Joined(names::CheckDns1123Subdomain(group)));
  }
  if (group.find('.') == std::string_view::npos) {
    errors.Invalid(path, Json(group), "should be a domain with at least one dot");
  }
}

// That there are schemas where there have to be.
void CheckSchemasPresent(const InternalSpec& internal, bool required, const Path& path, FieldErrors& errors) {
  if (internal.validation() != nullptr && internal.validation()->openAPIV3Schema) return;
  if (!required && internal.spec().preserveUnknownFields) return;
  for (size_t i = 0; i < internal.versions().size(); ++i) {
    const CustomResourceDefinitionVersion& version = internal.versions()[i];
    if (HasSchema(version) || (!required && !version.served)) continue;
    const Path version_path = path[i];
    const Path schema = version_path / "schema";
    errors.Required(schema / "openAPIV3Schema", required ? "" : "because otherwise all fields are pruned");
  }
}

void CheckSelectableOf(const List<apiextensionsv1::SelectableField>& fields,
                       const apiextensionsv1::CustomResourceValidation* validation, bool any_number,
                       std::string_view no_schema, const Path& path, FieldErrors& errors) {
  if (fields.empty()) return;
  const Path at = path / "selectableFields";
  if (validation == nullptr || !validation->openAPIV3Schema) return errors.Invalid(at, Json(""), no_schema);
  const JSONSchemaProps& schema = *validation->openAPIV3Schema;
  if (const std::string_view problem = WhyNotConvertible(schema); !problem.empty()) {
    return errors.Invalid(path / "schema.openAPIV3Schema", Json(""), problem);
  }
  CheckSelectable(fields, schema, any_number, at, errors);
}

void CheckVersion(const CustomResourceDefinitionVersion& version, bool status, const DefinitionOptions& options,
                  const Path& path, FieldErrors& errors) {
  CheckDeprecation(version.deprecated, version.deprecationWarning, path / "deprecationWarning", errors);
  const apiextensionsv1::CustomResourceValidation* validation = version.schema ? &*version.schema : nullptr;
  if (validation != nullptr) {
    const bool any_cost = options.unchanged_schemas.contains(version.name.view());
    CheckValidation(*validation, {options, status, any_cost}, path / "schema", errors);
  }
  CheckSubresources(version.subresources ? &*version.subresources : nullptr, path / "subresources", errors);
  const Path columns = path / "additionalPrinterColumns";
  for (size_t i = 0; i < version.additionalPrinterColumns.size(); ++i) {
    CheckColumn(version.additionalPrinterColumns[i], columns[i], errors);
  }
  CheckSelectableOf(version.selectableFields, validation, options.many_selectable.contains(version.name.view()),
                    "may only be set when `version.schema.openAPIV3Schema` is not included", path, errors);
}

void CheckVersions(const InternalSpec& internal, const DefinitionOptions& options, const Path& path,
                   FieldErrors& errors) {
  const Path versions = path / "versions";
  const bool common_subresources =
      std::none_of(internal.versions().begin(), internal.versions().end(),
                   [](const CustomResourceDefinitionVersion& version) { return version.subresources.has_value(); });
  size_t stored = 0;
  bool unique = true;
  NameSet seen;
  for (size_t i = 0; i < internal.versions().size(); ++i) {
    const CustomResourceDefinitionVersion& version = internal.versions()[i];
    const Path at = versions[i];
    stored += version.storage ? 1 : 0;
    unique = seen.Insert(version.name) && unique;
    CheckLabel(version.name, at / "name", errors);
    const bool status = common_subresources ? HasStatus(internal.subresources())
                                            : version.subresources && HasStatus(&*version.subresources);
    CheckVersion(version, status, options, at, errors);
  }
  if (!unique) errors.InvalidShown(versions, internal.ShownVersions(), "must contain unique version names");
  if (stored != 1) {
    errors.InvalidShown(versions, internal.ShownVersions(), "must have exactly one version marked as storage version");
  }
  if (!internal.versions().empty() && !internal.versions()[0].name.empty()) {
    CheckLabel(internal.versions()[0].name, path / "version", errors);
  }
}

void CheckCommon(const InternalSpec& internal, const DefinitionOptions& options, const Path& path,
                 FieldErrors& errors) {
  if (internal.validation() != nullptr) {
    const bool status = HasStatus(internal.subresources()) ||
                        std::any_of(internal.versions().begin(), internal.versions().end(), [](const auto& version) {
                          return version.subresources && HasStatus(&*version.subresources);
                        });
    const bool any_cost = options.unchanged_schemas.contains(internal.versions()[0].name.view());
    CheckValidation(*internal.validation(), {options, status, any_cost}, path / "validation", errors);
  }
  CheckSubresources(internal.subresources(), path / "subresources", errors);
  const Path columns = path / "additionalPrinterColumns";
  for (size_t i = 0; i < internal.columns().size(); ++i) CheckColumn(internal.columns()[i], columns[i], errors);
  CheckSelectableOf(internal.selectable(), internal.validation(), options.many_selectable.contains(""),
                    "may only be set when validations.schema is included", path, errors);
}

bool IsStructural(const JSONSchemaProps& schema) {
  if (!WhyNotConvertible(schema).empty()) return false;
  FieldErrors errors;
  return CheckStructural(schema, Path("schema"), errors);
}

}  // namespace

InternalSpec::InternalSpec(const CustomResourceDefinitionSpec& spec) : spec_(spec), versions_(spec.versions) {
  if (spec.versions.empty()) return;
  const CustomResourceDefinitionVersion& first = spec.versions[0];
  const auto common = [&](auto field) {
    return std::all_of(spec.versions.begin(), spec.versions.end(), [&](const CustomResourceDefinitionVersion& version) {
      return &version == &first || Equal(version.*field, first.*field);
    });
  };
  const bool schema = common(&CustomResourceDefinitionVersion::schema);
  const bool subresources = common(&CustomResourceDefinitionVersion::subresources);
  common_columns_ = common(&CustomResourceDefinitionVersion::additionalPrinterColumns);
  common_selectable_ = common(&CustomResourceDefinitionVersion::selectableFields);
  if (schema && first.schema) validation_ = &*first.schema;
  if (subresources && first.subresources) subresources_ = &*first.subresources;
  for (CustomResourceDefinitionVersion& version : versions_.Mutable()) {
    if (schema) version.schema.reset();
    if (subresources) version.subresources.reset();
    if (common_columns_) version.additionalPrinterColumns.clear();
    if (common_selectable_) version.selectableFields.clear();
  }
}

const List<apiextensionsv1::CustomResourceColumnDefinition>& InternalSpec::columns() const {
  static const List<apiextensionsv1::CustomResourceColumnDefinition> none;
  return common_columns_ ? spec_.versions[0].additionalPrinterColumns : none;
}

const List<apiextensionsv1::SelectableField>& InternalSpec::selectable() const {
  static const List<apiextensionsv1::SelectableField> none;
  return common_selectable_ ? spec_.versions[0].selectableFields : none;
}

std::string InternalSpec::ShownVersions() const { return InternalForm(versions_); }

DefinitionOptions OptionsForUpdate(const CustomResourceDefinition& crd, const CustomResourceDefinition& old) {
  DefinitionOptions options;
  const bool established = HasCondition(old, kEstablished);
  const CustomResourceDefinitionSpec& spec = old.spec;
  const apiextensionsv1::WebhookConversion& webhook = spec.conversion.OrDefault().webhook.OrDefault();
  const List<String>& reviews = webhook.conversionReviewVersions;
  options.recognized_review_version =
      reviews.empty() ||
      std::any_of(reviews.begin(), reviews.end(), [](const String& v) { return IsReviewVersion(v); });
  options.immutable_names = established;
  options.schema = std::all_of(spec.versions.begin(), spec.versions.end(), HasSchema);
  options.property_types = !AnySchema(
      spec, [](const JSONSchemaProps& schema) { return !schema.type.empty() && !IsOpenApiType(schema.type); });
  options.structural = std::all_of(spec.versions.begin(), spec.versions.end(), [](const auto& version) {
    return !HasSchema(version) || IsStructural(*version.schema->openAPIV3Schema);
  });
  options.atomic_sets = !AnySchema(spec, IsNonAtomicSet);
  options.list_keys = !AnySchema(spec, [](const JSONSchemaProps& schema) {
    FieldErrors errors;
    CheckListItems(schema, Path("schema"), errors);
    return !errors.empty();
  });
  const Bytes& bundle = webhook.clientConfig.OrDefault().caBundle;
  options.valid_ca_bundle = established && (bundle.empty() || WhyNoAuthority(bundle.view()).empty());

  const InternalSpec internal(crd.spec);
  const InternalSpec old_internal(spec);
  constexpr size_t kMaxSelectable = 8;
  if (old_internal.selectable().size() > kMaxSelectable && Equal(internal.selectable(), old_internal.selectable())) {
    options.many_selectable.insert("");
  }
  for (const CustomResourceDefinitionVersion& version : crd.spec.versions) {
    const CustomResourceDefinitionVersion* before = FindVersion(spec, version.name);
    if (before == nullptr) continue;
    if (Equal(before->schema, version.schema)) options.unchanged_schemas.emplace(version.name);
    if (before->selectableFields.size() > kMaxSelectable && Equal(before->selectableFields, version.selectableFields)) {
      options.many_selectable.emplace(version.name);
    }
  }
  return options;
}

void CheckDefinitionNames(const apiextensionsv1::CustomResourceDefinitionNames& names, const Path& path,
                          FieldErrors& errors) {
  if (!names.plural.empty()) CheckLabel(names.plural, path / "plural", errors);
  if (!names.singular.empty()) CheckLabel(names.singular, path / "singular", errors);
  CheckKind(names.kind, path / "kind", errors);
  CheckKind(names.listKind, path / "listKind", errors);
  const Path short_names = path / "shortNames";
  for (size_t i = 0; i < names.shortNames.size(); ++i) CheckLabel(names.shortNames[i], short_names[i], errors);
  if (!names.kind.empty() && names.kind == names.listKind) {
    errors.Invalid(path / "listKind", Json(names.listKind), "kind and listKind may not be the same");
  }
  const Path categories = path / "categories";
  for (size_t i = 0; i < names.categories.size(); ++i) CheckLabel(names.categories[i], categories[i], errors);
}

void CheckDefinitionSpec(const InternalSpec& internal, DefinitionOptions options, const Path& path,
                         FieldErrors& errors) {
  const CustomResourceDefinitionSpec& spec = internal.spec();
  CheckGroup(spec.group, path / "group", errors);
  const Path scope = path / "scope";
  if (spec.scope.empty()) {
    errors.Required(scope, "");
  } else if (!IsOneOf(spec.scope, {"Cluster", "Namespaced"})) {
    errors.NotSupportedAsListed(scope, Json(spec.scope), {"Cluster", "Namespaced"});
  }

  const bool defaults = AnySchema(spec, [](const JSONSchemaProps& schema) { return schema.default_.has_value(); });
  const bool extensions = AnySchema(spec, [](const JSONSchemaProps& schema) {
    return schema.xKubernetesEmbeddedResource || schema.xKubernetesPreserveUnknownFields ||
           schema.xKubernetesIntOrString || !schema.xKubernetesListMapKeys.empty() || schema.xKubernetesListType ||
           !schema.xKubernetesValidations.empty();
  });
  if (!spec.preserveUnknownFields || defaults || extensions) options.structural = true;
  CheckSchemasPresent(internal, options.schema, path / "versions", errors);
  if (defaults && spec.preserveUnknownFields) {
    errors.Invalid(path / "preserveUnknownFields", Json(true), "must be false in order to use defaults in the schema");
  }
  CheckVersions(internal, options, path, errors);

  const Path names = path / "names";
  if (spec.names.plural.empty()) errors.Required(names / "plural", "");
  if (spec.names.singular.empty()) errors.Required(names / "singular", "");
  if (spec.names.kind.empty()) errors.Required(names / "kind", "");
  if (spec.names.listKind.empty()) errors.Required(names / "listKind", "");
  CheckDefinitionNames(spec.names, names, errors);
  CheckCommon(internal, options, path, errors);

  if (!spec.conversion) return;
  const Path conversion = path / "conversion";
  if (spec.conversion->strategy != "None" && spec.preserveUnknownFields) {
    errors.Invalid(conversion / "strategy", Json(spec.conversion->strategy),
                   "must be None if spec.preserveUnknownFields is true");
  }
  CheckConversion(*spec.conversion, options, conversion, errors);
}

}  // namespace keelson::apiserver
