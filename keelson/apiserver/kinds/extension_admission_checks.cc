#include "keelson/apiserver/kinds/extension_admission_checks.h"

#include <fmt/format.h>

#include <algorithm>

#include "keelson/apiserver/kinds/name_set.h"

namespace keelson::apiserver {

namespace {

bool HasWildcard(const List<String>& list) { return std::find(list.begin(), list.end(), "*") != list.end(); }

void CheckRuleResources(const List<String>& resources, const Path& path, FieldErrors& errors) {
  if (resources.empty()) errors.Required(path, "");
  NameSet all_subresources_of;
  NameSet all_resources_with;
  bool double_wildcard = false;
  bool wildcard = false;
  bool plain = false;
  for (size_t i = 0; i < resources.size(); ++i) {
    const std::string_view text = resources[i];
    if (text.empty()) {
      errors.Required(path[i], "");
      continue;
    }
    double_wildcard = double_wildcard || text == "*/*";
    wildcard = wildcard || text == "*";
    const size_t slash = text.find('/');
    if (slash == std::string_view::npos) {
      plain = text != "*";
      continue;
    }
    const std::string_view resource = text.substr(0, slash);
    const std::string_view sub = text.substr(slash + 1);
    if (all_subresources_of.Has(resource)) {
      errors.Invalid(path[i], Json(text), fmt::format("if '{}/*' is present, must not specify {}", resource, text));
    }
    if (all_resources_with.Has(sub)) {
      errors.Invalid(path[i], Json(text), fmt::format("if '*/{}' is present, must not specify {}", sub, text));
    }
    if (sub == "*") all_subresources_of.Insert(resource);
    if (resource == "*") all_resources_with.Insert(sub);
  }
  if (resources.size() > 1 && double_wildcard) {
    errors.Invalid(path, Shown(resources), "if '*/*' is present, must not specify other resources");
  }
  if (wildcard && plain) {
    errors.Invalid(path, Shown(resources), "if '*' is present, must not specify other resources without subresources");
  }
}

}  // namespace

bool HasText(std::string_view text) { return text.find_first_not_of(" \t\r\n\v\f") != std::string_view::npos; }

void CheckAdmissionRule(const List<String>& operations, const List<String>& groups, const List<String>& versions,
                        const List<String>& resources, const Optional<String>& scope, const Path& path,
                        FieldErrors& errors) {
  const Path operations_path = path / "operations";
  if (operations.empty()) errors.Required(operations_path, "");
  if (operations.size() > 1 && HasWildcard(operations)) {
    errors.Invalid(operations_path, Shown(operations), "if '*' is present, must not specify other operations");
  }
  for (size_t i = 0; i < operations.size(); ++i) {
    CheckOneOf(operations[i], {"*", "CONNECT", "CREATE", "DELETE", "UPDATE"}, operations_path[i], errors);
  }
  const Path groups_path = path / "apiGroups";
  if (groups.empty()) errors.Required(groups_path, "");
  if (groups.size() > 1 && HasWildcard(groups)) {
    errors.Invalid(groups_path, Shown(groups), "if '*' is present, must not specify other API groups");
  }
  const Path versions_path = path / "apiVersions";
  if (versions.empty()) errors.Required(versions_path, "");
  if (versions.size() > 1 && HasWildcard(versions)) {
    errors.Invalid(versions_path, Shown(versions), "if '*' is present, must not specify other API versions");
  }
  for (size_t i = 0; i < versions.size(); ++i) {
    if (versions[i].empty()) errors.Required(versions_path[i], "");
  }
  CheckRuleResources(resources, path / "resources", errors);
  if (scope) CheckOneOf(*scope, {"*", "Cluster", "Namespaced"}, path / "scope", errors);
}

void CheckMatchConditions(const List<admissionregistrationv1::MatchCondition>& conditions, const Path& path,
                          FieldErrors& errors) {
  constexpr size_t kMaxConditions = 64;
  if (conditions.size() > kMaxConditions) errors.TooMany(path, conditions.size(), kMaxConditions);
  NameSet seen;
  for (size_t i = 0; i < conditions.size(); ++i) {
    const Path here = path[i];
    if (!HasText(conditions[i].expression)) errors.Required(here / "expression", "");
    const String& name = conditions[i].name;
    if (name.empty()) {
      errors.Required(here / "name", "");
      continue;
    }
    CheckQualifiedName(name, here / "name", errors);
    if (!seen.Insert(name)) errors.Duplicate(here / "name", Json(name));
  }
}

}  // namespace keelson::apiserver
