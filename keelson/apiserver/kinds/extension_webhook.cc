// MutatingWebhookConfiguration and ValidatingWebhookConfiguration.
#include <fmt/format.h>

#include <algorithm>

#include "keelson/api/admissionregistration/v1.h"
#include "keelson/apiserver/kinds/checks_common.h"
#include "keelson/apiserver/kinds/checks_webhook.h"
#include "keelson/apiserver/kinds/extension_admission_checks.h"
#include "keelson/apiserver/kinds/kind_groups.h"
#include "keelson/apiserver/kinds/name_set.h"

namespace keelson::apiserver {

namespace {

template <class Webhook>
constexpr bool kMutates = std::is_same_v<Webhook, admissionregistrationv1::MutatingWebhook>;

// What older versions of an object may keep.
struct WebhookOptions {
  bool any_side_effects = false;
  bool any_review_version = false;
  bool same_names = false;
  bool any_label_value = false;
  bool skip_match_conditions = false;
};

template <class Configuration>
void SetWebhookDefaults(Configuration& configuration) {
  if (configuration.webhooks.empty()) return;
  for (auto& hook : configuration.webhooks.Mutable()) {
    if (!hook.failurePolicy) hook.failurePolicy = "Fail";
    if (!hook.matchPolicy) hook.matchPolicy = "Equivalent";
    if (!hook.namespaceSelector) hook.namespaceSelector = metav1::LabelSelector();
    if (!hook.objectSelector) hook.objectSelector = metav1::LabelSelector();
    if (!hook.timeoutSeconds) hook.timeoutSeconds = 10;
    if constexpr (kMutates<std::remove_reference_t<decltype(hook)>>) {
      if (!hook.reinvocationPolicy) hook.reinvocationPolicy = "Never";
    }
    SetAdmissionRuleDefaults(hook.rules);
    if (hook.clientConfig.service && !hook.clientConfig.service->port) hook.clientConfig.service->port = 443;
  }
}

void CheckHookName(std::string_view name, const Path& path, FieldErrors& errors) {
  if (name.empty()) return errors.Required(path, "");
  if (!names::IsDns1123Subdomain(name)) {
    return errors.Invalid(path, Json(name), fmt::format("{}", fmt::join(names::CheckDns1123Subdomain(name), ",")));
  }
  if (std::count(name.begin(), name.end(), '.') < 2) {
    errors.Invalid(path, Json(name), "should be a domain with at least three segments separated by dots");
  }
}

void CheckClient(const admissionregistrationv1::WebhookClientConfig& client, const Path& path, FieldErrors& errors) {
  if (client.url.has_value() == client.service.has_value()) {
    return errors.Required(path, "exactly one of url or service is required");
  }
  if (client.url) return CheckWebhookUrl(*client.url, path / "url", errors);
  const admissionregistrationv1::ServiceReference& service = *client.service;
  CheckWebhookService(service.namespace_, service.name, service.port.value_or(0), service.path, path / "service",
                      errors);
}

void CheckReviewVersions(const List<String>& versions, bool any, const Path& path, FieldErrors& errors) {
  if (versions.empty()) return errors.Required(path, "must specify one of v1, v1beta1");
  NameSet seen;
  bool accepted = false;
  for (size_t i = 0; i < versions.size(); ++i) {
    const String& version = versions[i];
    if (!seen.Insert(version)) {
      errors.Invalid(path[i], Json(version), "duplicate version");
      continue;
    }
    if (!names::IsDns1035Label(version)) errors.InvalidForEach(path[i], version, names::CheckDns1035Label(version));
    accepted = accepted || version == "v1" || version == "v1beta1";
  }
  if (!any && !accepted) errors.Invalid(path, Shown(versions), "must include at least one of v1, v1beta1");
}

template <class Webhook>
void CheckWebhook(const Webhook& hook, const WebhookOptions& options, const Path& path, FieldErrors& errors) {
  CheckHookName(hook.name, path / "name", errors);
  const Path rules = path / "rules";
  for (size_t i = 0; i < hook.rules.size(); ++i) CheckAdmissionRule(hook.rules[i], rules[i], errors);
  if (hook.failurePolicy) CheckOneOf(*hook.failurePolicy, {"Fail", "Ignore"}, path / "failurePolicy", errors);
  if (hook.matchPolicy) CheckOneOf(*hook.matchPolicy, {"Equivalent", "Exact"}, path / "matchPolicy", errors);
  const Path effects = path / "sideEffects";
  if (!hook.sideEffects) {
    errors.Required(effects, options.any_side_effects ? "must specify one of None, NoneOnDryRun, Some, Unknown"
                                                      : "must specify one of None, NoneOnDryRun");
  } else if (options.any_side_effects) {
    CheckOneOf(*hook.sideEffects, {"None", "NoneOnDryRun", "Some", "Unknown"}, effects, errors);
  } else {
    CheckOneOf(*hook.sideEffects, {"None", "NoneOnDryRun"}, effects, errors);
  }
  if (hook.timeoutSeconds && (*hook.timeoutSeconds > 30 || *hook.timeoutSeconds < 1)) {
    errors.Invalid(path / "timeoutSeconds", Json(*hook.timeoutSeconds),
                   "the timeout value must be between 1 and 30 seconds");
  }
  const LabelSelectorOptions labels{.any_value = options.any_label_value};
  CheckLabelSelector(hook.namespaceSelector, path / "namespaceSelector", errors, labels);
  CheckLabelSelector(hook.objectSelector, path / "objectSelector", errors, labels);
  if constexpr (kMutates<Webhook>) {
    if (hook.reinvocationPolicy) {
      CheckOneOf(*hook.reinvocationPolicy, {"IfNeeded", "Never"}, path / "reinvocationPolicy", errors);
    }
  }
  CheckClient(hook.clientConfig, path / "clientConfig", errors);
  if (!options.skip_match_conditions) {
    CheckMatchConditions(hook.matchConditions, path / "matchConditions", errors);
  }
}

template <class Configuration>
void CheckConfiguration(const Configuration& configuration, const WebhookOptions& options, FieldErrors& errors) {
  const Path webhooks("webhooks");
  NameSet seen;
  for (size_t i = 0; i < configuration.webhooks.size(); ++i) {
    const auto& hook = configuration.webhooks[i];
    const Path here = webhooks[i];
    CheckWebhook(hook, options, here, errors);
    CheckReviewVersions(hook.admissionReviewVersions, options.any_review_version, here / "admissionReviewVersions",
                        errors);
    if (!options.same_names && !hook.name.empty() && !seen.Insert(hook.name)) {
      errors.Duplicate(here / "name", Json(hook.name));
    }
  }
}

template <class Configuration>
void ValidateConfiguration(const Configuration& configuration, FieldErrors& errors) {
  CheckConfiguration(configuration, {}, errors);
}

template <class Configuration>
void ValidateConfigurationUpdate(const Configuration& configuration, const Configuration& old, FieldErrors& errors) {
  WebhookOptions options;
  NameSet seen;
  for (const auto& hook : old.webhooks) {
    if (!IsOneOf(hook.sideEffects.OrDefault(), {"None", "NoneOnDryRun"})) options.any_side_effects = true;
    const List<String>& versions = hook.admissionReviewVersions;
    if (!versions.empty() && std::none_of(versions.begin(), versions.end(), [](const String& version) {
          return version == "v1" || version == "v1beta1";
        })) {
      options.any_review_version = true;
    }
    if (!seen.Insert(hook.name)) options.same_names = true;
    FieldErrors found;
    CheckLabelSelector(hook.namespaceSelector, Path("selector"), found);
    CheckLabelSelector(hook.objectSelector, Path("selector"), found);
    if (!found.empty()) options.any_label_value = true;
  }
  options.skip_match_conditions = configuration.webhooks.size() == old.webhooks.size();
  for (size_t i = 0; options.skip_match_conditions && i < old.webhooks.size(); ++i) {
    options.skip_match_conditions = Equal(configuration.webhooks[i].matchConditions, old.webhooks[i].matchConditions);
  }
  CheckConfiguration(configuration, options, errors);
}

template <class Configuration>
KindRules<Configuration> ConfigurationRules() {
  return {.set_defaults = SetWebhookDefaults<Configuration>,
          .validate = ValidateConfiguration<Configuration>,
          .validate_update = ValidateConfigurationUpdate<Configuration>,
          .unconditional_update = false};
}

}  // namespace

void AddWebhookRules(RulesTable& table) {
  table.Add<admissionregistrationv1::MutatingWebhookConfiguration>(
      ConfigurationRules<admissionregistrationv1::MutatingWebhookConfiguration>());
  table.Add<admissionregistrationv1::ValidatingWebhookConfiguration>(
      ConfigurationRules<admissionregistrationv1::ValidatingWebhookConfiguration>());
}

}  // namespace keelson::apiserver
