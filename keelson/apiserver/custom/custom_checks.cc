#include "keelson/apiserver/custom/custom_checks.h"

#include <fmt/format.h>

#include "keelson/apiserver/custom/custom_scale.h"
#include "keelson/apiserver/schema/embedded_metadata.h"
#include "keelson/apiserver/schema/list_types.h"
#include "keelson/apiserver/schema/validate.h"

namespace keelson::apiserver {

namespace {

const CustomObject& Custom(const void* object) { return *static_cast<const CustomObject*>(object); }

void ValidateRules(const CustomVersion& version, const CustomObject& object, const CustomObject* old,
                   FieldErrors& errors) {
  if (!version.schema->has_rules) return;
  if (!MayRunRules(errors)) return errors.Invalid(Path("<nil>"), Json(), kRulesNotRun);
  (void)object;
  (void)old;
}

void Validate(const CustomVersion& version, const CustomObject& object, const CustomObject* old, FieldErrors& errors) {
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
  ValidateRules(version, object, old, errors);
}

void ValidateStatus(const CustomVersion& version, const CustomObject& object, const CustomObject& old,
                    FieldErrors& errors) {
  const Schema* status_schema = version.schema->FindProperty("status");
  const Json* status = object.content.find("status");
  if (status_schema != nullptr && status != nullptr) {
    ValidateValue(*status_schema, *status, old.content.find("status"), Path("status"), errors);
  }
  ValidateScalePaths(version, object.content, true, errors);
  ValidateListTypesUpdate(object.content, old.content, *version.schema, errors);
  ValidateRules(version, object, &old, errors);
}

}  // namespace

void AddChecks(CustomVersion& version) {
  const CustomVersion* self = &version;
  version.rules.validate = [self](const void* object, FieldErrors& errors) {
    Validate(*self, Custom(object), nullptr, errors);
  };
  version.rules.validate_update = [self](const void* object, const void* old, FieldErrors& errors) {
    Validate(*self, Custom(object), &Custom(old), errors);
  };
  version.rules.validate_status = [self](const void* object, const void* old, FieldErrors& errors) {
    ValidateStatus(*self, Custom(object), Custom(old), errors);
  };
}

}  // namespace keelson::apiserver
