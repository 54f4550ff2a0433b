// Checks and defaults that webhooks and admission policies share.
#pragma once

#include <string_view>

#include "keelson/api/admissionregistration/v1.h"
#include "keelson/apiserver/kinds/checks_common.h"
#include "keelson/apiserver/kinds/field_errors.h"

namespace keelson::apiserver {

// A rule of a webhook or a named rule of a policy: operations, groups, versions, resources and scope.
void CheckAdmissionRule(const List<String>& operations, const List<String>& groups, const List<String>& versions,
                        const List<String>& resources, const Optional<String>& scope, const Path& path,
                        FieldErrors& errors);
template <class Rule>
void CheckAdmissionRule(const Rule& rule, const Path& path, FieldErrors& errors) {
  CheckAdmissionRule(rule.operations, rule.apiGroups, rule.apiVersions, rule.resources, rule.scope, path, errors);
}

// Names and that there are expressions; what the expressions say is not looked at.
void CheckMatchConditions(const List<admissionregistrationv1::MatchCondition>& conditions, const Path& path,
                          FieldErrors& errors);

template <class Rule>
void SetAdmissionRuleDefaults(List<Rule>& rules) {
  for (size_t i = 0; i < rules.size(); ++i) {
    if (!std::as_const(rules)[i].scope) rules[i].scope = "*";
  }
}

bool HasText(std::string_view text);  // other than blanks

}  // namespace keelson::apiserver
