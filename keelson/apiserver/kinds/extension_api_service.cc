// APIService.
#include <fmt/format.h>

#include "keelson/api/apiregistration/v1.h"
#include "keelson/apiserver/kinds/checks_common.h"
#include "keelson/apiserver/kinds/kind_groups.h"

namespace keelson::apiserver {

namespace {

using apiregistrationv1::APIService;

void SetDefaults(APIService& service) {
  if (service.spec.service && !std::as_const(service).spec.service->port) service.spec.service->port = 443;
}

Result<void> PrepareCreate(APIService& service, WriteContext& context) {
  service.status = {};
  if (service.spec.service) return {};
  apiregistrationv1::APIServiceCondition& condition = service.status.conditions.emplace_back();
  condition.type = "Available";
  condition.status = "True";
  condition.lastTransitionTime = context.now;
  condition.reason = "Local";
  condition.message = "Local APIServices are always available";
  return {};
}

void Validate(const APIService& service, FieldErrors& errors) {
  const apiregistrationv1::APIServiceSpec& spec = service.spec;
  const Path metadata("metadata");
  const Path path("spec");
  const std::string wanted = fmt::format("{}.{}", spec.version.view(), spec.group.view());
  if (service.metadata.name != wanted) {
    errors.Invalid(metadata / "name", Json(service.metadata.name),
                   fmt::format("must be `spec.version+\".\"+spec.group`: \"{}\"", wanted));
  }
  if (spec.group.empty() && spec.version != "v1") {
    errors.Required(path / "group", "only v1 may have an empty group and it better be legacy kube");
  }
  if (!spec.group.empty()) CheckDnsSubdomain(spec.group, path / "group", errors);
  if (!names::IsDns1035Label(spec.version)) {
    errors.InvalidForEach(path / "version", spec.version, names::CheckDns1035Label(spec.version));
  }
  if (spec.groupPriorityMinimum <= 0 || spec.groupPriorityMinimum > 20000) {
    errors.Invalid(path / "groupPriorityMinimum", Json(spec.groupPriorityMinimum),
                   "must be positive and less than 20000");
  }
  if (spec.versionPriority <= 0 || spec.versionPriority > 1000) {
    errors.Invalid(path / "versionPriority", Json(spec.versionPriority), "must be positive and less than 1000");
  }
  const Path insecure = path / "insecureSkipTLSVerify";
  if (!spec.service) {
    if (!spec.caBundle.empty()) {
      errors.Invalid(path / "caBundle", Json(fmt::format("{} bytes", spec.caBundle.size())),
                     "local APIServices may not have a caBundle");
    }
    if (spec.insecureSkipTLSVerify) {
      errors.Invalid(insecure, Json(true), "local APIServices may not have insecureSkipTLSVerify");
    }
    return;
  }
  const Path target = path / "service";
  if (spec.service->namespace_.empty()) errors.Required(target / "namespace", "");
  if (spec.service->name.empty()) errors.Required(target / "name", "");
  const int32_t port = spec.service->port.value_or(0);
  if (port < 1 || port > 65535) {
    errors.Invalid(target / "port", Json(port), "port is not valid: must be between 1 and 65535, inclusive");
  }
  if (spec.insecureSkipTLSVerify && !spec.caBundle.empty()) {
    errors.Invalid(insecure, Json(true), "may not be true if caBundle is present");
  }
}

void ValidateUpdate(const APIService& service, const APIService&, FieldErrors& errors) { Validate(service, errors); }

void ValidateStatus(const APIService& service, const APIService&, FieldErrors& errors) {
  const Path status("status");
  const Path conditions = status / "conditions";
  for (size_t i = 0; i < service.status.conditions.size(); ++i) {
    const String& state = service.status.conditions[i].status;
    const Path here = conditions[i];
    if (!IsOneOf(state, {"True", "False", "Unknown"})) {
      errors.NotSupportedAsListed(here / "status", Json(state), {"True", "False", "Unknown"});
    }
  }
}

}  // namespace

void AddApiServiceRules(RulesTable& table) {
  table.Add<APIService>({.set_defaults = SetDefaults,
                         .prepare_create = PrepareCreate,
                         .validate = Validate,
                         .validate_update = ValidateUpdate,
                         .validate_status = ValidateStatus,
                         .name = NameRule::kPathSegment,
                         .generation = false,
                         .unconditional_update = false});
}

}  // namespace keelson::apiserver
