// Role, ClusterRole, RoleBinding and ClusterRoleBinding.
#include "keelson/api/label_selector_struct.h"
#include "keelson/api/rbac/v1.h"
#include "keelson/apiserver/kinds/checks_common.h"
#include "keelson/apiserver/kinds/kind_groups.h"

namespace keelson::apiserver {

namespace {

constexpr std::string_view kGroup = "rbac.authorization.k8s.io";

void CheckRules(const List<rbacv1::PolicyRule>& rules, bool namespaced, FieldErrors& errors) {
  const Path path("rules");
  for (size_t i = 0; i < rules.size(); ++i) {
    const rbacv1::PolicyRule& rule = rules[i];
    const Path here = path[i];
    if (rule.verbs.empty()) errors.Required(here / "verbs", "verbs must contain at least one value");
    if (!rule.nonResourceURLs.empty()) {
      const Path urls = here / "nonResourceURLs";
      if (namespaced) {
        errors.Invalid(urls, Shown(rule.nonResourceURLs), "namespaced rules cannot apply to non-resource URLs");
      }
      if (!rule.apiGroups.empty() || !rule.resources.empty() || !rule.resourceNames.empty()) {
        errors.Invalid(urls, Shown(rule.nonResourceURLs),
                       "rules cannot apply to both regular resources and non-resource URLs");
      }
      continue;
    }
    if (rule.apiGroups.empty()) {
      errors.Required(here / "apiGroups", "resource rules must supply at least one api group");
    }
    if (rule.resources.empty()) {
      errors.Required(here / "resources", "resource rules must supply at least one resource");
    }
  }
}

void ValidateRole(const rbacv1::Role& role, FieldErrors& errors) { CheckRules(role.rules, true, errors); }

void ValidateRoleUpdate(const rbacv1::Role& role, const rbacv1::Role&, FieldErrors& errors) {
  ValidateRole(role, errors);
}

void CheckClusterRole(const rbacv1::ClusterRole& role, LabelSelectorOptions options, FieldErrors& errors) {
  CheckRules(role.rules, false, errors);
  if (!role.aggregationRule) return;
  const Path aggregation("aggregationRule");
  const Path path = aggregation / "clusterRoleSelectors";
  const List<metav1::LabelSelector>& selectors = role.aggregationRule->clusterRoleSelectors;
  if (selectors.empty()) {
    errors.Required(path, "at least one clusterRoleSelector required if aggregationRule is non-nil");
  }
  for (size_t i = 0; i < selectors.size(); ++i) {
    CheckLabelSelector(selectors[i], path[i], errors, options);
    if (!labels::FromStruct(selectors[i])) errors.InvalidShown(path[i], "null", "invalid label selector.");
  }
}

void ValidateClusterRole(const rbacv1::ClusterRole& role, FieldErrors& errors) { CheckClusterRole(role, {}, errors); }

void ValidateClusterRoleUpdate(const rbacv1::ClusterRole& role, const rbacv1::ClusterRole& old, FieldErrors& errors) {
  FieldErrors old_errors;
  if (old.aggregationRule) {
    for (const metav1::LabelSelector& selector : old.aggregationRule->clusterRoleSelectors) {
      CheckLabelSelector(selector, Path("selector"), old_errors);
    }
  }
  CheckClusterRole(role, {.any_value = !old_errors.empty()}, errors);
}

template <class Binding>
void SetBindingDefaults(Binding& binding) {
  if (binding.roleRef.apiGroup.empty()) binding.roleRef.apiGroup = kGroup;
  for (size_t i = 0; i < binding.subjects.size(); ++i) {
    const rbacv1::Subject& subject = std::as_const(binding).subjects[i];
    if (subject.apiGroup.empty() && (subject.kind == "User" || subject.kind == "Group")) {
      binding.subjects[i].apiGroup = kGroup;
    }
  }
}

void CheckSubject(const rbacv1::Subject& subject, bool namespaced, const Path& path, FieldErrors& errors) {
  if (subject.name.empty()) errors.Required(path / "name", "");
  const Path group = path / "apiGroup";
  if (subject.kind == "ServiceAccount") {
    if (!subject.name.empty()) CheckDnsSubdomain(subject.name, path / "name", errors);
    if (!subject.apiGroup.empty()) errors.NotSupported(group, Json(subject.apiGroup), {""});
    if (!namespaced && subject.namespace_.empty()) errors.Required(path / "namespace", "");
  } else if (subject.kind == "User" || subject.kind == "Group") {
    CheckOneOf(subject.apiGroup, {kGroup}, group, errors);
  } else {
    errors.NotSupportedAsListed(path / "kind", Json(subject.kind), {"ServiceAccount", "User", "Group"});
  }
}

template <class Binding>
void CheckBinding(const Binding& binding, bool namespaced, FieldErrors& errors) {
  const Path role("roleRef");
  CheckOneOf(binding.roleRef.apiGroup, {kGroup}, role / "apiGroup", errors);
  const String& kind = binding.roleRef.kind;
  if (namespaced && kind != "Role" && kind != "ClusterRole") {
    errors.NotSupportedAsListed(role / "kind", Json(kind), {"Role", "ClusterRole"});
  } else if (!namespaced && kind != "ClusterRole") {
    errors.NotSupported(role / "kind", Json(kind), {"ClusterRole"});
  }
  const String& name = binding.roleRef.name;
  if (name.empty()) {
    errors.Required(role / "name", "");
  } else {
    errors.InvalidForEach(role / "name", name, CheckPathSegment(name));
  }
  const Path subjects("subjects");
  for (size_t i = 0; i < binding.subjects.size(); ++i) {
    CheckSubject(binding.subjects[i], namespaced, subjects[i], errors);
  }
}

template <class Binding, bool kNamespaced>
void ValidateBinding(const Binding& binding, FieldErrors& errors) {
  CheckBinding(binding, kNamespaced, errors);
}

template <class Binding, bool kNamespaced>
void ValidateBindingUpdate(const Binding& binding, const Binding& old, FieldErrors& errors) {
  CheckBinding(binding, kNamespaced, errors);
  CheckImmutable(binding.roleRef, old.roleRef, Path("roleRef"), errors, "cannot change roleRef");
}

template <class Binding, bool kNamespaced>
KindRules<Binding> BindingRules() {
  return {.set_defaults = SetBindingDefaults<Binding>,
          .validate = ValidateBinding<Binding, kNamespaced>,
          .validate_update = ValidateBindingUpdate<Binding, kNamespaced>,
          .name = NameRule::kPathSegment,
          .generation = false,
          .create_on_update = true};
}

}  // namespace

void AddRbacRules(RulesTable& table) {
  table.Add<rbacv1::Role>({.validate = ValidateRole,
                           .validate_update = ValidateRoleUpdate,
                           .name = NameRule::kPathSegment,
                           .generation = false,
                           .create_on_update = true});
  table.Add<rbacv1::ClusterRole>({.validate = ValidateClusterRole,
                                  .validate_update = ValidateClusterRoleUpdate,
                                  .name = NameRule::kPathSegment,
                                  .generation = false,
                                  .create_on_update = true});
  table.Add<rbacv1::RoleBinding>(BindingRules<rbacv1::RoleBinding, true>());
  table.Add<rbacv1::ClusterRoleBinding>(BindingRules<rbacv1::ClusterRoleBinding, false>());
}

}  // namespace keelson::apiserver
