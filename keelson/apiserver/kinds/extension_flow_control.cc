// FlowSchema and PriorityLevelConfiguration.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "keelson/api/flowcontrol/v1.h"
#include "keelson/apiserver/kinds/checks_common.h"
#include "keelson/apiserver/kinds/kind_groups.h"
#include "keelson/apiserver/kinds/name_set.h"

namespace keelson::apiserver {

namespace {

namespace v1 = flowcontrolv1;

bool HasWildcard(const List<String>& list) { return std::find(list.begin(), list.end(), "*") != list.end(); }

// --- FlowSchema ---

void SetSchemaDefaults(v1::FlowSchema& schema) {
  if (schema.spec.matchingPrecedence == 0) schema.spec.matchingPrecedence = 1000;
}

void CheckVerbs(const List<String>& verbs, const Path& path, FieldErrors& errors) {
  if (verbs.empty()) return errors.Required(path, "verbs must contain at least one value");
  if (HasWildcard(verbs)) {
    if (verbs.size() > 1) errors.Invalid(path, Shown(verbs), "if '*' is present, must not specify other verbs");
    return;
  }
  for (const String& verb : verbs) {
    if (IsOneOf(verb, {"get", "list", "create", "update", "delete", "deletecollection", "patch", "watch", "proxy"})) {
      continue;
    }
    return errors.NotSupported(
        path, Shown(verbs),
        {"create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"});
  }
}

void CheckResourceRule(const v1::ResourcePolicyRule& rule, const Path& path, FieldErrors& errors) {
  CheckVerbs(rule.verbs, path / "verbs", errors);
  const auto list = [&](const List<String>& values, const Path& field, std::string_view required,
                        std::string_view others) {
    if (values.empty()) {
      errors.Required(field, required);
    } else if (values.size() > 1 && HasWildcard(values)) {
      errors.Invalid(field, Shown(values), others);
    }
  };
  list(rule.apiGroups, path / "apiGroups", "resource rules must supply at least one api group",
       "if '*' is present, must not specify other api groups");
  list(rule.resources, path / "resources", "resource rules must supply at least one resource",
       "if '*' is present, must not specify other resources");
  const Path namespaces = path / "namespaces";
  if (rule.namespaces.empty() && !rule.clusterScope) {
    errors.Required(namespaces, "resource rules that are not cluster scoped must supply at least one namespace");
  } else if (HasWildcard(rule.namespaces)) {
    if (rule.namespaces.size() > 1) {
      errors.Invalid(namespaces, Shown(rule.namespaces), "if '*' is present, must not specify other namespaces");
    }
  } else {
    for (size_t i = 0; i < rule.namespaces.size(); ++i) {
      if (names::IsDns1123Label(rule.namespaces[i])) continue;
      for (const std::string& reason : names::CheckDns1123Label(rule.namespaces[i])) {
        errors.Invalid(namespaces[i], Json(rule.namespaces[i]),
                       "each member of this list must be '*' or a DNS-1123 label; " + reason);
      }
    }
  }
}

void CheckUrlPath(std::string_view text, const Path& path, FieldErrors& errors) {
  const auto invalid = [&](std::string_view why) { errors.Invalid(path, Json(text), why); };
  if (text.empty()) return invalid("must not be empty");
  if (text == "/") return;
  if (text.front() != '/') return invalid("must start with slash");
  if (text.find(' ') != std::string_view::npos) return invalid("must not contain white-space");
  if (text.find("//") != std::string_view::npos) return invalid("must not contain double slash");
  const auto wildcards = std::count(text.begin(), text.end(), '*');
  if (wildcards > 1 || (wildcards == 1 && !text.ends_with("/*"))) invalid("wildcard can only do suffix matching");
}

void CheckUrlRule(const v1::NonResourcePolicyRule& rule, const Path& path, FieldErrors& errors) {
  CheckVerbs(rule.verbs, path / "verbs", errors);
  const Path urls = path / "nonResourceURLs";
  if (rule.nonResourceURLs.empty()) {
    errors.Required(urls, "nonResourceURLs must contain at least one value");
  } else if (HasWildcard(rule.nonResourceURLs)) {
    if (rule.nonResourceURLs.size() > 1) {
      errors.Invalid(urls, Shown(rule.nonResourceURLs), "if '*' is present, must not specify other non-resource URLs");
    }
  } else {
    for (size_t i = 0; i < rule.nonResourceURLs.size(); ++i) CheckUrlPath(rule.nonResourceURLs[i], urls[i], errors);
  }
}

void CheckSubject(const v1::Subject& subject, const Path& path, FieldErrors& errors) {
  const Path account = path / "serviceAccount";
  const Path user = path / "user";
  const Path group = path / "group";
  if (subject.kind == "ServiceAccount") {
    if (!subject.serviceAccount) {
      errors.Required(account, "serviceAccount is required when subject kind is 'ServiceAccount'");
    } else {
      if (subject.serviceAccount->name.empty()) {
        errors.Required(account / "name", "");
      } else if (subject.serviceAccount->name != "*") {
        CheckDnsSubdomain(subject.serviceAccount->name, account / "name", errors);
      }
      if (subject.serviceAccount->namespace_.empty()) {
        errors.Required(account / "namespace", "must specify namespace for service account");
      } else {
        CheckDnsLabel(subject.serviceAccount->namespace_, account / "namespace", errors);
      }
    }
  } else if (subject.kind == "User") {
    if (!subject.user) {
      errors.Required(user, "user is required when subject kind is 'User'");
    } else if (subject.user->name.empty()) {
      errors.Required(user / "name", "");
    }
  } else if (subject.kind == "Group") {
    if (!subject.group) {
      errors.Required(group, "group is required when subject kind is 'Group'");
    } else if (subject.group->name.empty()) {
      errors.Required(group / "name", "");
    }
  } else {
    return errors.NotSupported(path / "kind", Json(subject.kind), {"Group", "ServiceAccount", "User"});
  }
  if (subject.kind != "ServiceAccount" && subject.serviceAccount) {
    errors.Forbidden(account, "serviceAccount is forbidden when subject kind is not 'ServiceAccount'");
  }
  if (subject.kind != "User" && subject.user) {
    errors.Forbidden(user, "user is forbidden when subject kind is not 'User'");
  }
  if (subject.kind != "Group" && subject.group) {
    errors.Forbidden(group, "group is forbidden when subject kind is not 'Group'");
  }
}

template <class Condition>
void CheckConditionTypes(const List<Condition>& conditions, FieldErrors& errors) {
  const Path status("status");
  const Path path = status / "conditions";
  NameSet seen;
  for (size_t i = 0; i < conditions.size(); ++i) {
    const Path here = path[i];
    if (!seen.Insert(conditions[i].type)) errors.Duplicate(here / "type", Json(conditions[i].type));
    if (conditions[i].type.empty()) errors.Required(here / "type", "");
  }
}

void ValidateSchema(const v1::FlowSchema& schema, FieldErrors& errors) {
  constexpr int32_t kMaxPrecedence = 10000;
  const v1::FlowSchemaSpec& spec = schema.spec;
  const Path path("spec");
  const Path precedence = path / "matchingPrecedence";
  const Json shown(spec.matchingPrecedence);
  if (spec.matchingPrecedence <= 0) errors.Invalid(precedence, shown, "must be a positive value");
  if (spec.matchingPrecedence > kMaxPrecedence) {
    errors.Invalid(precedence, shown, fmt::format("must not be greater than {}", kMaxPrecedence));
  }
  if (spec.matchingPrecedence == 1 && schema.metadata.name != "exempt") {
    errors.Invalid(precedence, shown, "only the schema named 'exempt' may have matchingPrecedence 1");
  }
  if (spec.distinguisherMethod && !IsOneOf(spec.distinguisherMethod->type, {"ByNamespace", "ByUser"})) {
    const Path method = path / "distinguisherMethod";
    constexpr std::string_view kSupported[] = {"ByNamespace", "ByUser"};
    errors.NotSupportedShown(method / "type", InternalForm(*spec.distinguisherMethod), kSupported);
  }
  const Path level = path / "priorityLevelConfiguration";
  if (spec.priorityLevelConfiguration.name.empty()) {
    errors.Required(level / "name", "must reference a priority level");
  } else {
    CheckDnsSubdomain(spec.priorityLevelConfiguration.name, level / "name", errors);
  }
  const Path rules = path / "rules";
  for (size_t i = 0; i < spec.rules.size(); ++i) {
    const v1::PolicyRulesWithSubjects& rule = spec.rules[i];
    const Path here = rules[i];
    const Path subjects = here / "subjects";
    if (rule.subjects.empty()) errors.Required(subjects, "subjects must contain at least one value");
    for (size_t j = 0; j < rule.subjects.size(); ++j) CheckSubject(rule.subjects[j], subjects[j], errors);
    if (rule.resourceRules.empty() && rule.nonResourceRules.empty()) {
      errors.Required(here, "at least one of resourceRules and nonResourceRules has to be non-empty");
    }
    const Path resources = here / "resourceRules";
    for (size_t j = 0; j < rule.resourceRules.size(); ++j) {
      CheckResourceRule(rule.resourceRules[j], resources[j], errors);
    }
    const Path urls = here / "nonResourceRules";
    for (size_t j = 0; j < rule.nonResourceRules.size(); ++j) CheckUrlRule(rule.nonResourceRules[j], urls[j], errors);
  }
  CheckConditionTypes(schema.status.conditions, errors);
}

void ValidateSchemaUpdate(const v1::FlowSchema& schema, const v1::FlowSchema&, FieldErrors& errors) {
  ValidateSchema(schema, errors);
}

void ValidateSchemaStatus(const v1::FlowSchema& schema, const v1::FlowSchema&, FieldErrors& errors) {
  CheckConditionTypes(schema.status.conditions, errors);
}

// --- PriorityLevelConfiguration ---

void SetLevelDefaults(v1::PriorityLevelConfiguration& level) {
  if (level.spec.exempt) {
    v1::ExemptPriorityLevelConfiguration& exempt = *level.spec.exempt;
    if (!exempt.nominalConcurrencyShares) exempt.nominalConcurrencyShares = 0;
    if (!exempt.lendablePercent) exempt.lendablePercent = 0;
  }
  if (!level.spec.limited) return;
  v1::LimitedPriorityLevelConfiguration& limited = *level.spec.limited;
  if (!limited.nominalConcurrencyShares) limited.nominalConcurrencyShares = 30;
  if (!limited.lendablePercent) limited.lendablePercent = 0;
  if (!limited.limitResponse.queuing) return;
  v1::QueuingConfiguration& queuing = *limited.limitResponse.queuing;
  if (queuing.handSize == 0) queuing.handSize = 8;
  if (queuing.queues == 0) queuing.queues = 64;
  if (queuing.queueLengthLimit == 0) queuing.queueLengthLimit = 50;
}

void CheckQueuing(const v1::QueuingConfiguration& queuing, const Path& path, FieldErrors& errors) {
  constexpr int32_t kMaxQueues = 10'000'000;
  constexpr double kMaxHashBits = 60;
  if (queuing.queueLengthLimit <= 0) {
    errors.Invalid(path / "queueLengthLimit", Json(queuing.queueLengthLimit), "must be positive");
  }
  if (queuing.queues <= 0) {
    errors.Invalid(path / "queues", Json(queuing.queues), "must be positive");
  } else if (queuing.queues > kMaxQueues) {
    errors.Invalid(path / "queues", Json(queuing.queues), fmt::format("must not be greater than {}", kMaxQueues));
  }
  const Path hand = path / "handSize";
  if (queuing.handSize <= 0) {
    errors.Invalid(hand, Json(queuing.handSize), "must be positive");
  } else if (queuing.handSize > queuing.queues) {
    errors.Invalid(hand, Json(queuing.handSize), fmt::format("should not be greater than queues ({})", queuing.queues));
  } else if (std::ceil(std::log2(queuing.queues) * queuing.handSize) > kMaxHashBits) {
    errors.Invalid(hand, Json(queuing.handSize),
                   fmt::format("required entropy bits of deckSize {} and handSize {} should not be greater than {}",
                               queuing.queues, queuing.handSize, kMaxHashBits));
  }
}

void CheckPercent(const Optional<int32_t>& percent, const Path& path, FieldErrors& errors) {
  if (percent) CheckInRange(*percent, 0, 100, path, errors);
}

void CheckShares(const Optional<int32_t>& shares, const Path& path, FieldErrors& errors) {
  if (shares && *shares < 0) errors.Invalid(path, Json(*shares), "must be a non-negative integer");
}

void CheckLimited(const v1::LimitedPriorityLevelConfiguration& limited, const Path& path, FieldErrors& errors) {
  CheckShares(limited.nominalConcurrencyShares, path / "nominalConcurrencyShares", errors);
  const Path response = path / "limitResponse";
  const v1::LimitResponse& limit = limited.limitResponse;
  if (limit.type == "Reject") {
    if (limit.queuing) {
      errors.Forbidden(response / "queuing", "must be nil if limited.limitResponse.type is not Limited");
    }
  } else if (limit.type == "Queue") {
    if (!limit.queuing) {
      errors.Required(response / "queuing", "must not be empty if limited.limitResponse.type is Limited");
    } else {
      CheckQueuing(*limit.queuing, response / "queuing", errors);
    }
  } else if (limit.type.empty()) {
    errors.Required(response / "type", "");
  } else {
    errors.NotSupported(response / "type", Json(limit.type), {"Queue", "Reject"});
  }
  CheckPercent(limited.lendablePercent, path / "lendablePercent", errors);
  if (limited.borrowingLimitPercent && *limited.borrowingLimitPercent < 0) {
    errors.Invalid(path / "borrowingLimitPercent", Json(*limited.borrowingLimitPercent),
                   "if specified, must be a non-negative integer");
  }
}

void ValidateLevel(const v1::PriorityLevelConfiguration& level, FieldErrors& errors) {
  const v1::PriorityLevelConfigurationSpec& spec = level.spec;
  const Path path("spec");
  const Path type = path / "type";
  const Path limited = path / "limited";
  const Path exempt = path / "exempt";
  if ((level.metadata.name == "exempt") != (spec.type == "Exempt")) {
    errors.Invalid(type, Json(spec.type), "must be 'Exempt' if and only if `name` is 'exempt'");
  }
  if (spec.type == "Exempt") {
    if (spec.limited) errors.Forbidden(limited, "must be nil if the type is not Limited");
    if (spec.exempt) {
      CheckShares(spec.exempt->nominalConcurrencyShares, exempt / "nominalConcurrencyShares", errors);
      CheckPercent(spec.exempt->lendablePercent, exempt / "lendablePercent", errors);
    }
  } else if (spec.type == "Limited") {
    if (spec.exempt) errors.Forbidden(exempt, "must be nil if the type is Limited");
    if (!spec.limited) {
      errors.Required(limited, "must not be empty when type is Limited");
    } else {
      CheckLimited(*spec.limited, limited, errors);
    }
  } else if (spec.type.empty()) {
    errors.Required(type, "");
  } else {
    errors.NotSupported(type, Json(spec.type), {"Exempt", "Limited"});
  }
  CheckConditionTypes(level.status.conditions, errors);
}

void ValidateLevelUpdate(const v1::PriorityLevelConfiguration& level, const v1::PriorityLevelConfiguration&,
                         FieldErrors& errors) {
  ValidateLevel(level, errors);
}

void ValidateLevelStatus(const v1::PriorityLevelConfiguration& level, const v1::PriorityLevelConfiguration&,
                         FieldErrors& errors) {
  CheckConditionTypes(level.status.conditions, errors);
}

}  // namespace

void AddFlowControlRules(RulesTable& table) {
  table.Add<v1::FlowSchema>({.set_defaults = SetSchemaDefaults,
                             .validate = ValidateSchema,
                             .validate_update = ValidateSchemaUpdate,
                             .validate_status = ValidateSchemaStatus});
  table.Add<v1::PriorityLevelConfiguration>({.set_defaults = SetLevelDefaults,
                                             .validate = ValidateLevel,
                                             .validate_update = ValidateLevelUpdate,
                                             .validate_status = ValidateLevelStatus});
}

}  // namespace keelson::apiserver
