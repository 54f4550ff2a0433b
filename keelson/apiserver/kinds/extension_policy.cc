// ValidatingAdmissionPolicy, MutatingAdmissionPolicy and their bindings. Expressions are not compiled here.
#include <fmt/format.h>

#include <algorithm>

#include "keelson/api/admissionregistration/v1.h"
#include "keelson/apiserver/kinds/checks_common.h"
#include "keelson/apiserver/kinds/extension_admission_checks.h"
#include "keelson/apiserver/kinds/kind_groups.h"
#include "keelson/apiserver/kinds/name_set.h"
#include "keelson/core/ascii.h"

namespace keelson::apiserver {

namespace {

namespace v1 = admissionregistrationv1;

void SetMatchDefaults(Optional<v1::MatchResources>& match) {
  if (!match) return;
  v1::MatchResources& set = *match;
  if (!set.matchPolicy) set.matchPolicy = "Equivalent";
  if (!set.namespaceSelector) set.namespaceSelector = metav1::LabelSelector();
  if (!set.objectSelector) set.objectSelector = metav1::LabelSelector();
  SetAdmissionRuleDefaults(set.resourceRules);
  SetAdmissionRuleDefaults(set.excludeResourceRules);
}

template <class Policy>
void SetPolicyDefaults(Policy& policy) {
  if (!policy.spec.failurePolicy) policy.spec.failurePolicy = "Fail";
  SetMatchDefaults(policy.spec.matchConstraints);
}

template <class Binding>
void SetBindingDefaults(Binding& binding) {
  SetMatchDefaults(binding.spec.matchResources);
}

void CheckNamedRules(const List<v1::NamedRuleWithOperations>& rules, const Path& path, FieldErrors& errors) {
  for (size_t i = 0; i < rules.size(); ++i) {
    const Path here = path[i];
    const Path resource_names = here / "resourceNames";
    NameSet seen;
    for (size_t j = 0; j < rules[i].resourceNames.size(); ++j) {
      const String& name = rules[i].resourceNames[j];
      errors.InvalidForEach(resource_names[j], name, CheckPathSegment(name));
      if (!seen.Insert(name)) errors.Duplicate(resource_names[j], Json(name));
    }
    CheckAdmissionRule(rules[i], here, errors);
  }
}

void CheckMatchResources(const v1::MatchResources& match, const Path& path, FieldErrors& errors) {
  if (!match.matchPolicy) {
    errors.Required(path / "matchPolicy", "");
  } else {
    CheckOneOf(*match.matchPolicy, {"Equivalent", "Exact"}, path / "matchPolicy", errors);
  }
  CheckLabelSelector(match.namespaceSelector, path / "namespaceSelector", errors);
  CheckLabelSelector(match.objectSelector, path / "objectSelector", errors);
  CheckNamedRules(match.resourceRules, path / "resourceRules", errors);
  CheckNamedRules(match.excludeResourceRules, path / "excludeResourceRules", errors);
}

// Policies that change objects see no deletions.
void CheckMutatingOperations(const v1::MatchResources& match, const Path& path, FieldErrors& errors) {
  const Path rules = path / "resourceRules";
  for (const v1::NamedRuleWithOperations& rule : match.resourceRules) {
    for (const String& operation : rule.operations) {
      CheckOneOf(operation, {"*", "CONNECT", "CREATE", "UPDATE"}, rules / "operations", errors);
    }
  }
}

void CheckParamKind(const v1::ParamKind& kind, const Path& path, FieldErrors& errors) {
  const Path version_path = path / "apiVersion";
  const std::string_view text = kind.apiVersion;
  const auto slashes = std::count(text.begin(), text.end(), '/');
  if (text.empty()) {
    errors.Required(version_path, "");
  } else if (slashes > 1) {
    errors.Invalid(version_path, Json(text), fmt::format("unexpected GroupVersion string: {}", text));
  } else {
    const std::string_view group = slashes == 0 ? std::string_view() : text.substr(0, text.find('/'));
    const std::string_view version = slashes == 0 ? text : text.substr(text.find('/') + 1);
    if (!group.empty() && !names::IsDns1123Subdomain(group)) {
      errors.Invalid(version_path, Json(group), fmt::format("{}", fmt::join(names::CheckDns1123Subdomain(group), ",")));
    }
    if (version.empty()) {
      errors.Invalid(version_path, Json(text), "version must be specified");
    } else if (!names::IsDns1035Label(version)) {
      errors.Invalid(version_path, Json(version), fmt::format("{}", fmt::join(names::CheckDns1035Label(version), ",")));
    }
  }
  if (kind.kind.empty()) return errors.Required(path / "kind", "");
  const std::string lower = AsciiLower(kind.kind.view());
  if (!names::IsDns1035Label(lower)) {
    errors.Invalid(path / "kind", Json(kind.kind),
                   fmt::format("may have mixed case, but should otherwise match: {}",
                               fmt::join(names::CheckDns1035Label(lower), ",")));
  }
}

void CheckVariables(const List<v1::Variable>& variables, const Path& path, FieldErrors& errors) {
  for (size_t i = 0; i < variables.size(); ++i) {
    const Path here = path[i];
    if (!HasText(variables[i].name)) {
      errors.Required(here / "name", "name is not specified");
    } else if (!IsCIdentifier(variables[i].name)) {
      errors.Invalid(here / "name", Json(variables[i].name), "must be a valid CEL identifier");
    }
    if (!HasText(variables[i].expression)) errors.Required(here / "expression", "expression is not specified");
  }
}

// What both sorts of policies have first.
template <class Spec>
void CheckPolicyHead(const Spec& spec, const Path& path, FieldErrors& errors) {
  if (!spec.failurePolicy) {
    errors.Required(path / "failurePolicy", "");
  } else {
    CheckOneOf(*spec.failurePolicy, {"Fail", "Ignore"}, path / "failurePolicy", errors);
  }
  if (spec.paramKind) CheckParamKind(*spec.paramKind, path / "paramKind", errors);
  const Path match = path / "matchConstraints";
  if (!spec.matchConstraints) {
    errors.Required(match, "");
  } else {
    CheckMatchResources(*spec.matchConstraints, match, errors);
    if (spec.matchConstraints->resourceRules.empty()) errors.Required(match / "resourceRules", "");
  }
}

void CheckValidation(const v1::Validation& validation, const Path& path, FieldErrors& errors) {
  if (!HasText(validation.expression)) errors.Required(path / "expression", "expression is not specified");
  if (!validation.messageExpression.empty() && !HasText(validation.messageExpression)) {
    errors.Invalid(path / "messageExpression", Json(validation.messageExpression), "must be non-empty if specified");
  }
  if (!validation.message.empty() && !HasText(validation.message)) {
    errors.Invalid(path / "message", Json(validation.message), "must be non-empty if specified");
  } else if (Trim(validation.message).find('\n') != std::string_view::npos) {
    errors.Invalid(path / "message", Json(validation.message), "must not contain line breaks");
  }
  if (validation.reason) {
    // Unauthorized is missing in what upstream accepts.
    CheckOneOf(*validation.reason, {"Forbidden", "Invalid", "RequestEntityTooLarge"}, path / "reason", errors);
  }
}

void CheckAuditAnnotations(const v1::ValidatingAdmissionPolicy& policy, const Path& path, FieldErrors& errors) {
  constexpr size_t kMaxAnnotations = 20;
  constexpr size_t kMaxExpression = 5 * 1024;
  const List<v1::AuditAnnotation>& list = policy.spec.auditAnnotations;
  if (list.size() > kMaxAnnotations) {
    errors.InvalidShown(path, InternalForm(list),
                        fmt::format("must not have more than {} auditAnnotations", kMaxAnnotations));
  }
  NameSet seen;
  for (size_t i = 0; i < list.size(); ++i) {
    const Path here = path[i];
    CheckQualifiedName(fmt::format("{}/{}", policy.metadata.name.view(), list[i].key.view()), here / "key", errors);
    const std::string_view expression = Trim(list[i].valueExpression);
    if (expression.empty()) {
      errors.Required(here / "valueExpression", "valueExpression is not specified");
    } else if (expression.size() > kMaxExpression) {
      errors.Required(here / "valueExpression", fmt::format("must not exceed {} bytes in length", kMaxExpression));
    }
    if (!seen.Insert(list[i].key)) errors.Duplicate(here / "key", Json(list[i].key));
  }
}

void ValidatePolicy(const v1::ValidatingAdmissionPolicy& policy, FieldErrors& errors) {
  const v1::ValidatingAdmissionPolicySpec& spec = policy.spec;
  const Path path("spec");
  CheckPolicyHead(spec, path, errors);
  CheckMatchConditions(spec.matchConditions, path / "matchConditions", errors);
  CheckVariables(spec.variables, path / "variables", errors);
  const Path validations = path / "validations";
  const Path annotations = path / "auditAnnotations";
  if (spec.validations.empty() && spec.auditAnnotations.empty()) {
    constexpr std::string_view kOneOf = "validations or auditAnnotations must contain at least one item";
    errors.Required(validations, kOneOf);
    errors.Required(annotations, kOneOf);
    return;
  }
  for (size_t i = 0; i < spec.validations.size(); ++i) CheckValidation(spec.validations[i], validations[i], errors);
  CheckAuditAnnotations(policy, annotations, errors);
}

void ValidatePolicyUpdate(const v1::ValidatingAdmissionPolicy& policy, const v1::ValidatingAdmissionPolicy&,
                          FieldErrors& errors) {
  ValidatePolicy(policy, errors);
}

void ValidatePolicyStatus(const v1::ValidatingAdmissionPolicy& policy, const v1::ValidatingAdmissionPolicy&,
                          FieldErrors& errors) {
  const Path status("status");
  if (policy.status.typeChecking) {
    const Path checking = status / "typeChecking";
    const Path warnings = checking / "expressionWarnings";
    const List<v1::ExpressionWarning>& list = policy.status.typeChecking->expressionWarnings;
    for (size_t i = 0; i < list.size(); ++i) {
      const Path here = warnings[i];
      if (list[i].warning.empty()) errors.Required(here / "warning", "");
      if (list[i].fieldRef.empty()) errors.Required(here / "fieldRef", "");
    }
  }
  CheckConditions(policy.status.conditions, status / "conditions", errors);
}

void CheckMutation(const v1::Mutation& mutation, const Path& path, FieldErrors& errors) {
  const Path apply = path / "applyConfiguration";
  const Path json = path / "jsonPatch";
  if (mutation.patchType.empty()) return errors.Required(path / "patchType", "");
  if (mutation.patchType == "JSONPatch") {
    if (!mutation.jsonPatch) {
      errors.Required(json, "must be specified when patchType is JSONPatch");
    } else if (!HasText(mutation.jsonPatch->expression)) {
      errors.Required(json / "expression", "");
    }
    if (mutation.applyConfiguration) {
      errors.Invalid(apply, Json("{applyConfiguration}"), "must not be specified when patchType is JSONPatch");
    }
  } else if (mutation.patchType == "ApplyConfiguration") {
    if (!mutation.applyConfiguration) {
      errors.Required(apply, "must be specified when patchType is ApplyConfiguration");
    } else if (!HasText(mutation.applyConfiguration->expression)) {
      errors.Required(apply / "expression", "");
    }
    if (mutation.jsonPatch) {
      errors.Invalid(json, Json("{jsonPatch}"), "must not be specified when patchType is ApplyConfiguration");
    }
  } else {
    errors.NotSupported(path / "patchType", Json(mutation.patchType), {"ApplyConfiguration", "JSONPatch"});
  }
}

void ValidateMutatingPolicy(const v1::MutatingAdmissionPolicy& policy, FieldErrors& errors) {
  const v1::MutatingAdmissionPolicySpec& spec = policy.spec;
  const Path path("spec");
  CheckPolicyHead(spec, path, errors);
  if (spec.matchConstraints) CheckMutatingOperations(*spec.matchConstraints, path / "matchConstraints", errors);
  CheckMatchConditions(spec.matchConditions, path / "matchConditions", errors);
  CheckVariables(spec.variables, path / "variables", errors);
  const Path mutations = path / "mutations";
  if (spec.mutations.empty()) errors.Required(mutations, "mutations must contain at least one item");
  for (size_t i = 0; i < spec.mutations.size(); ++i) CheckMutation(spec.mutations[i], mutations[i], errors);
  const Path reinvocation = path / "reinvocationPolicy";
  if (spec.reinvocationPolicy.empty()) {
    errors.Required(reinvocation, "");
  } else {
    CheckOneOf(spec.reinvocationPolicy, {"IfNeeded", "Never"}, reinvocation, errors);
  }
}

void ValidateMutatingPolicyUpdate(const v1::MutatingAdmissionPolicy& policy, const v1::MutatingAdmissionPolicy&,
                                  FieldErrors& errors) {
  ValidateMutatingPolicy(policy, errors);
}

void CheckParamRef(const v1::ParamRef& reference, const Path& path, FieldErrors& errors) {
  if (!reference.name.empty()) {
    errors.InvalidForEach(path / "name", reference.name, CheckPathSegment(reference.name));
    if (reference.selector) errors.Forbidden(path / "name", "name and selector are mutually exclusive");
  }
  if (reference.selector) {
    CheckLabelSelector(*reference.selector, path / "selector", errors);
    if (!reference.name.empty()) errors.Forbidden(path / "selector", "name and selector are mutually exclusive");
  }
  if (reference.name.empty() && !reference.selector) {
    errors.Required(path, "one of name or selector must be specified");
  }
  const Path action = path / "parameterNotFoundAction";
  if (reference.parameterNotFoundAction.OrDefault().empty()) {
    errors.Required(action, "");
  } else if (!IsOneOf(*reference.parameterNotFoundAction, {"Deny", "Allow"})) {
    errors.NotSupportedAsListed(action, Json(*reference.parameterNotFoundAction), {"Deny", "Allow"});
  }
}

template <class Spec>
void CheckBindingHead(const Spec& spec, const Path& path, FieldErrors& errors) {
  if (spec.policyName.empty()) {
    errors.Required(path / "policyName", "");
  } else {
    CheckDnsSubdomain(spec.policyName, path / "policyName", errors);
  }
  if (spec.paramRef) CheckParamRef(*spec.paramRef, path / "paramRef", errors);
  if (spec.matchResources) CheckMatchResources(*spec.matchResources, path / "matchResources", errors);
}

void ValidateBinding(const v1::ValidatingAdmissionPolicyBinding& binding, FieldErrors& errors) {
  const Path spec("spec");
  CheckBindingHead(binding.spec, spec, errors);
  const Path path = spec / "validationActions";
  const List<v1::ValidationAction>& actions = binding.spec.validationActions;
  NameSet seen;
  for (size_t i = 0; i < actions.size(); ++i) {
    CheckOneOf(actions[i], {"Audit", "Deny", "Warn"}, path[i], errors);
    if (!seen.Insert(actions[i])) errors.Duplicate(path[i], Json(actions[i]));
  }
  if (seen.Has("Deny") && seen.Has("Warn")) {
    errors.Invalid(path, Shown(actions),
                   "must not contain both Deny and Warn (repeating the same validation failure information in the API "
                   "response and headers serves no purpose)");
  }
  if (actions.empty()) errors.Required(path, "at least one validation action is required");
}

void ValidateBindingUpdate(const v1::ValidatingAdmissionPolicyBinding& binding,
                           const v1::ValidatingAdmissionPolicyBinding&, FieldErrors& errors) {
  ValidateBinding(binding, errors);
}

void ValidateMutatingBinding(const v1::MutatingAdmissionPolicyBinding& binding, FieldErrors& errors) {
  const Path spec("spec");
  CheckBindingHead(binding.spec, spec, errors);
  if (binding.spec.matchResources) {
    CheckMutatingOperations(*binding.spec.matchResources, spec / "matchResources", errors);
  }
}

void ValidateMutatingBindingUpdate(const v1::MutatingAdmissionPolicyBinding& binding,
                                   const v1::MutatingAdmissionPolicyBinding&, FieldErrors& errors) {
  ValidateMutatingBinding(binding, errors);
}

}  // namespace

void AddAdmissionPolicyRules(RulesTable& table) {
  table.Add<v1::ValidatingAdmissionPolicy>({.set_defaults = SetPolicyDefaults<v1::ValidatingAdmissionPolicy>,
                                            .validate = ValidatePolicy,
                                            .validate_update = ValidatePolicyUpdate,
                                            .validate_status = ValidatePolicyStatus,
                                            .unconditional_update = false});
  table.Add<v1::MutatingAdmissionPolicy>({.set_defaults = SetPolicyDefaults<v1::MutatingAdmissionPolicy>,
                                          .validate = ValidateMutatingPolicy,
                                          .validate_update = ValidateMutatingPolicyUpdate,
                                          .unconditional_update = false});
  table.Add<v1::ValidatingAdmissionPolicyBinding>(
      {.set_defaults = SetBindingDefaults<v1::ValidatingAdmissionPolicyBinding>,
       .validate = ValidateBinding,
       .validate_update = ValidateBindingUpdate,
       .unconditional_update = false});
  table.Add<v1::MutatingAdmissionPolicyBinding>({.set_defaults = SetBindingDefaults<v1::MutatingAdmissionPolicyBinding>,
                                                 .validate = ValidateMutatingBinding,
                                                 .validate_update = ValidateMutatingBindingUpdate,
                                                 .unconditional_update = false});
}

}  // namespace keelson::apiserver
