#include "keelson/apiserver/custom/custom_checks.h"

#include <fmt/format.h>

#include <optional>

#include "keelson/apiserver/custom/custom_scale.h"
#include "keelson/apiserver/custom/custom_version.h"
#include "keelson/apiserver/object_codec.h"
#include "keelson/apiserver/schema/embedded_metadata.h"
#include "keelson/apiserver/schema/list_types.h"
#include "keelson/apiserver/schema/validate.h"

namespace keelson::apiserver {

namespace {

void ValidateRules(const CustomVersion& version, const CustomObject& object, const CustomObject* old,
                   FieldErrors& errors, std::vector<std::string>& warnings) {
  if (!version.schema->has_rules) return;
  if (!MayRunRules(errors)) return errors.Invalid(Path("<nil>"), Json(), kRulesNotRun);
  const SchemaRules::Document document{object.metadata, object.content};
  std::optional<SchemaRules::Document> before;
  if (old != nullptr) before.emplace(SchemaRules::Document{old->metadata, old->content});
  version.cel->Validate(document, before ? &*before : nullptr, errors, warnings);
}

void Validate(const CustomVersion& version, const CustomObject& object, const CustomObject* old, FieldErrors& errors,
              std::vector<std::string>& warnings) {
  const Schema& schema = *version.schema;
  const std::string api_version = fmt::format("{}/{}", version.group, version.version);
  const DocumentHead head{.api_version = api_version,
                          .kind = version.kind,
                          .name = object.metadata.name,
                          .generate_name = object.metadata.generateName};
  ValidateDocument(schema, head, object.content, old == nullptr ? nullptr : &old->content, errors);
  ValidateScalePaths(version, object.content, false, errors);
  ValidateEmbedded(object.content, schema, errors);
  if (old == nullptr) {
    ValidateListTypes(object.content, schema, errors);
  } else {
    ValidateListTypesUpdate(object.content, old->content, schema, errors);
  }
  ValidateRules(version, object, old, errors, warnings);
}

void ValidateStatus(const CustomVersion& version, const CustomObject& object, const CustomObject& old,
                    FieldErrors& errors, std::vector<std::string>& warnings) {
  const Schema* status_schema = version.schema->FindProperty("status");
  const Json* status = object.content.find("status");
  if (status_schema != nullptr && status != nullptr) {
    ValidateValue(*status_schema, *status, old.content.find("status"), Path("status"), errors);
  }
  ValidateScalePaths(version, object.content, true, errors);
  ValidateListTypesUpdate(object.content, old.content, *version.schema, errors);
  ValidateRules(version, object, &old, errors, warnings);
}

}  // namespace

void ValidateCustom(const Resource& resource, const CustomWrite& write, FieldErrors& errors,
                    std::vector<std::string>& warnings) {
  const CustomVersion& version = *resource.custom;
  const AnyValue served = ToServed(resource, write.object);
  if (write.old == nullptr) return Validate(version, *AsCustom(served), nullptr, errors, warnings);
  const AnyValue old = ToServed(resource, *write.old);
  if (write.status_only) return ValidateStatus(version, *AsCustom(served), *AsCustom(old), errors, warnings);
  Validate(version, *AsCustom(served), AsCustom(old), errors, warnings);
}

}  // namespace keelson::apiserver
