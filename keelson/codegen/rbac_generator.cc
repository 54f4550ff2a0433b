#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "keelson/api/rbac/v1.h"
#include "keelson/codec/yaml_writer.h"
#include "keelson/codegen/manifest_generators.h"
#include "keelson/codegen/marker_definitions.h"
#include "keelson/codegen/markers.h"

namespace keelson::codegen {

namespace {

using Names = std::set<std::string>;

// Rules of several markers are brought together so that a role says everything once: verbs on the same resources,
// resources with the same verbs, groups with the same resources, URLs with the same verbs, in this order.
struct Rule {
  Names groups;
  Names resources;
  Names resource_names;
  Names urls;
  Names verbs;
};

std::string Joined(const Names& names) {
  std::string out;
  for (const std::string& name : names) {
    if (!out.empty() || &name != &*names.begin()) out += '&';
    out += name;
  }
  return out;
}

std::string Key(const std::vector<const Names*>& parts) {
  std::string key;
  for (const Names* part : parts) {
    if (part != parts.front()) key += " + ";
    key += Joined(*part);
  }
  return key;
}

// Rules of equal key become one. The order of the result is that of the keys.
template <class KeyOf>
std::vector<Rule> Merge(std::vector<Rule> rules, Names Rule::* merged, const KeyOf& key_of) {
  std::map<std::string, Rule> by_key;
  for (Rule& rule : rules) {
    Names added = rule.*merged;
    const auto [found, is_new] = by_key.try_emplace(key_of(rule), std::move(rule));
    if (!is_new) (found->second.*merged).merge(added);
  }
  std::vector<Rule> out;
  for (auto& [key, rule] : by_key) out.push_back(std::move(rule));
  return out;
}

std::vector<Rule> Normalise(std::vector<Rule> rules) {
  const auto subject = [](const Rule& rule) {
    return Key({&rule.groups, &rule.resources, &rule.resource_names, &rule.urls});
  };
  rules = Merge(std::move(rules), &Rule::verbs, subject);
  rules = Merge(std::move(rules), &Rule::resources,
                [](const Rule& rule) { return Key({&rule.groups, &rule.resource_names, &rule.urls, &rule.verbs}); });
  rules = Merge(std::move(rules), &Rule::groups,
                [](const Rule& rule) { return Key({&rule.resources, &rule.resource_names, &rule.urls, &rule.verbs}); });
  rules = Merge(std::move(rules), &Rule::urls, [](const Rule& rule) {
    return Key({&rule.groups, &rule.resources, &rule.resource_names, &rule.verbs});
  });
  // Two rules can have come to the same subject with different verbs. controller-gen keeps either one; both are meant.
  rules = Merge(std::move(rules), &Rule::verbs, subject);
  for (Rule& rule : rules) {
    if (rule.verbs.count("*") != 0) rule.verbs = {"*"};
  }
  return rules;
}

Names ToNames(const std::vector<std::string>& texts) { return {texts.begin(), texts.end()}; }

// What the server would refuse to store.
void CheckRule(const ParsedMarker& marker, Diagnostics& problems) {
  const bool has_urls = !marker.Texts("urls").empty(), has_resources = !marker.Texts("resources").empty();
  const char* problem = nullptr;
  if (has_urls && (has_resources || !marker.Texts("groups").empty())) {
    problem = "a rule is about resources or about urls, not both; write two markers";
  } else if (has_urls && !marker.Text("namespace").empty()) {
    problem = "urls are in no namespace; take one of the two away";
  } else if (!has_urls && !has_resources) {
    problem = "it names neither resources nor urls; write resources=deployments or urls=/metrics";
  } else if (!has_urls && marker.Texts("groups").empty()) {
    problem = "groups is missing; write groups=apps, or groups=\"\" for Pods and other core resources";
  }
  if (problem != nullptr) problems.Add(marker.position, "+" + marker.name + ": " + problem);
}

// One rule for each resource, so that the same resource in two markers meets.
void AddRules(const ParsedMarker& marker, std::vector<Rule>& rules) {
  Rule rule;
  for (const std::string& group : marker.Texts("groups")) rule.groups.insert(group == "core" ? "" : group);
  rule.resource_names = ToNames(marker.Texts("resourceNames"));
  rule.urls = ToNames(marker.Texts("urls"));
  rule.verbs = ToNames(marker.Texts("verbs"));
  const std::vector<std::string> resources = marker.Texts("resources");
  if (resources.empty()) rules.push_back(rule);
  for (const std::string& resource : resources) {
    rule.resources = {resource};
    rules.push_back(rule);
  }
}

List<String> ToList(const Names& names) {
  List<String> list;
  for (const std::string& name : names) list.push_back(name);
  return list;
}

List<rbacv1::PolicyRule> ToPolicy(std::vector<Rule> rules) {
  List<rbacv1::PolicyRule> policy;
  for (const Rule& rule : Normalise(std::move(rules))) {
    policy.push_back({.verbs = ToList(rule.verbs),
                      .apiGroups = ToList(rule.groups),
                      .resources = ToList(rule.resources),
                      .resourceNames = ToList(rule.resource_names),
                      .nonResourceURLs = ToList(rule.urls)});
  }
  return policy;
}

// Its own, and those that seem to be meant as such.
std::vector<Marker> RbacMarkers(const std::vector<Marker>& markers) {
  std::vector<Marker> selected;
  for (const Marker& marker : markers) {
    const MarkerDefinition* definition = LikelyDefinition(marker.text);
    if (definition && definition->name == "kubebuilder:rbac") selected.push_back(marker);
  }
  return selected;
}

}  // namespace

std::vector<GeneratedFile> GenerateRbac(const std::vector<Marker>& markers, const std::string& role_name,
                                        Diagnostics& problems) {
  Diagnostics found;
  // By namespace ("" for the ClusterRole), then by the role's name.
  std::map<std::pair<std::string, std::string>, std::vector<Rule>> roles;
  for (const ParsedMarker& marker : ParseMarkers(RbacMarkers(markers), MarkerTarget::kPackage, found)) {
    CheckRule(marker, found);
    const std::string name = marker.Text("roleName");
    AddRules(marker, roles[{marker.Text("namespace"), name.empty() ? role_name : name}]);
  }
  for (const Diagnostic& problem : found.all()) problems.Add(problem.position, problem.message);
  if (roles.empty() || !found.empty()) return {};

  GeneratedFile file{.path = "role.yaml", .content = {}};
  for (auto& [key, rules] : roles) {
    file.content += "---\n";
    const auto& [role_namespace, name] = key;
    if (role_namespace.empty()) {
      rbacv1::ClusterRole role;
      role.metadata.name = name;
      role.rules = ToPolicy(std::move(rules));
      file.content += ToYaml(role);
    } else {
      rbacv1::Role role;
      role.metadata.name = name;
      role.metadata.namespace_ = role_namespace;
      role.rules = ToPolicy(std::move(rules));
      file.content += ToYaml(role);
    }
  }
  return {std::move(file)};
}

}  // namespace keelson::codegen
