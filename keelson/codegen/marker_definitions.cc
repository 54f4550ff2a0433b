#include "keelson/codegen/marker_definitions.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "keelson/core/ascii.h"

namespace keelson::codegen {

namespace {

using enum MarkerSyntax;
using enum MarkerTarget;
using Targets = std::vector<MarkerTarget>;

constexpr ValueType kBool{.lists = 0, .leaf = ValueLeaf::kBool};
constexpr ValueType kInt{.lists = 0, .leaf = ValueLeaf::kInt};
constexpr ValueType kFloat{.lists = 0, .leaf = ValueLeaf::kNumber};
constexpr ValueType kText{.lists = 0, .leaf = ValueLeaf::kText};
constexpr ValueType kTexts{.lists = 1, .leaf = ValueLeaf::kText};
constexpr ValueType kAny{.lists = 0, .leaf = ValueLeaf::kAny};
constexpr ValueType kAnyList{.lists = 1, .leaf = ValueLeaf::kAny};
constexpr bool kRequired = true;

class Table {
 public:
  Table() {
    AddGroups();
    AddResource();
    AddValidation("kubebuilder:validation:");
    AddValidation("kubebuilder:validation:items:");
    AddFieldValidation();
    AddDefaults();
    AddTopology();
    AddClients();
    AddManifests();
    for (const MarkerDefinition& definition : definitions_) by_name_.emplace(definition.name, &definition);
  }

  const std::vector<MarkerDefinition>& definitions() const { return definitions_; }
  const MarkerDefinition* Find(std::string_view name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : found->second;
  }

 private:
  MarkerDefinition& Add(std::string name, Targets targets, MarkerSyntax syntax, std::string_view rest = {}) {
    MarkerDefinition definition;
    definition.example = "+" + name + std::string(rest);
    definition.name = std::move(name);
    definition.targets = std::move(targets);
    definition.syntax = syntax;
    return definitions_.emplace_back(std::move(definition));
  }
  MarkerDefinition& Flag(std::string name, Targets targets) { return Add(std::move(name), std::move(targets), kFlag); }
  // `rest` is what an example has behind the name.
  MarkerDefinition& Value(std::string name, Targets targets, ValueType type, std::string_view rest) {
    MarkerDefinition& definition = Add(std::move(name), std::move(targets), kValue, rest);
    definition.value = type;
    return definition;
  }
  MarkerDefinition& Arguments(std::string name, Targets targets, std::string_view rest,
                              std::vector<MarkerArgument> arguments) {
    MarkerDefinition& definition = Add(std::move(name), std::move(targets), kArguments, rest);
    definition.arguments = std::move(arguments);
    return definition;
  }

  void AddGroups() {
    Value("groupName", {kPackage}, kText, "=example.com").required = false;
    Value("versionName", {kPackage}, kText, "=v1alpha1");
    Flag("kubebuilder:skip", {kPackage});
    Value("kubebuilder:object:root", {kType}, kBool, "=true");
    Value("kubebuilder:object:generate", {kPackage, kType}, kBool, "=true");
    Add("k8s:deepcopy-gen", {kPackage, kType}, kRaw, "=package");
    Add("k8s:deepcopy-gen:interfaces", {kType}, kRaw, "=k8s.io/apimachinery/pkg/runtime.Object");
    Add("k8s:deepcopy-gen:nonpointer-interfaces", {kType}, kRaw, "=true");
    Add("k8s:openapi-gen", {kPackage, kType, kField}, kRaw, "=true");
    Value("keelson:json", {kField}, kText, "=enable_ingress");
    Add("keelson:schema", {kType, kField}, kJson, R"(={"oneOf":[{"required":["a"]},{"required":["b"]}]})");
  }

  void AddResource() {
    Arguments("kubebuilder:resource", {kType}, ":path=apps,scope=Namespaced,shortName={ap,aps}",
              {{"path", kText}, {"scope", kText}, {"shortName", kTexts}, {"categories", kTexts}, {"singular", kText}});
    Flag("kubebuilder:subresource:status", {kType});
    Arguments("kubebuilder:subresource:scale", {kType}, ":specpath=.spec.replicas,statuspath=.status.replicas",
              {{"specpath", kText, kRequired}, {"statuspath", kText, kRequired}, {"selectorpath", kText}});
    Arguments("kubebuilder:printcolumn", {kType}, R"(:name="Age",type=date,JSONPath=".metadata.creationTimestamp")",
              {{"name", kText, kRequired},
               {"type", kText, kRequired},
               {"JSONPath", kText, kRequired},
               {"description", kText},
               {"format", kText},
               {"priority", kInt}});
    Arguments("kubebuilder:selectablefield", {kType}, R"(:JSONPath=".spec.image")", {{"JSONPath", kText, kRequired}});
    Flag("kubebuilder:storageversion", {kType});
    Flag("kubebuilder:unservedversion", {kType});
    Arguments("kubebuilder:deprecatedversion", {kType}, R"(:warning="use v1")", {{"warning", kText}});
    Flag("kubebuilder:skipversion", {kType});
    Arguments("kubebuilder:metadata", {kType}, R"(:annotations="example.com/owner=web",labels="tier=front")",
              {{"annotations", kTexts}, {"labels", kTexts}});
    Arguments("kubebuilder:externalDocs", {kType, kField}, R"(:url="https://example.com/docs",description="more")",
              {{"url", kText, kRequired}, {"description", kText}});
  }

  // Those that stand above fields and types, and in the `items:` form say the same of a list's elements.
  void AddValidation(const std::string& prefix) {
    const Targets both{kType, kField};
    Add(prefix + "Maximum", both, kNumber, "=100");
    Add(prefix + "Minimum", both, kNumber, "=0");
    Value(prefix + "ExclusiveMaximum", both, kBool, "=true");
    Value(prefix + "ExclusiveMinimum", both, kBool, "=true");
    Value(prefix + "MultipleOf", both, kFloat, "=5");
    Value(prefix + "MaxLength", both, kInt, "=63");
    Value(prefix + "MinLength", both, kInt, "=1");
    Value(prefix + "Pattern", both, kText, "=`^[a-z]+$`");
    Add(prefix + "MaxItems", both, kInteger, "=10");
    Value(prefix + "MinItems", both, kInt, "=1");
    Value(prefix + "UniqueItems", both, kBool, "=true");
    Value(prefix + "MaxProperties", both, kInt, "=10");
    Value(prefix + "MinProperties", both, kInt, "=1");
    Value(prefix + "Enum", both, kAnyList, "=Always;Never");
    Value(prefix + "Format", both, kText, "=date-time");
    Value(prefix + "Type", both, kText, "=string");
    Flag(prefix + "XPreserveUnknownFields", both);
    Flag(prefix + "XEmbeddedResource", both);
    Flag(prefix + "XIntOrString", both);
    Arguments(prefix + "XValidation", both, R"(:rule="self.min <= self.max",message="min is above max")",
              {{"rule", kText, kRequired},
               {"message", kText},
               {"messageExpression", kText},
               {"reason", kText},
               {"fieldPath", kText},
               {"optionalOldSelf", kBool}});
  }

  void AddFieldValidation() {
    Flag("kubebuilder:validation:Optional", {kField, kPackage});
    Flag("kubebuilder:validation:Required", {kField, kPackage});
    Flag("kubebuilder:validation:Schemaless", {kField});
    Flag("kubebuilder:validation:EmbeddedResource", {kField});
    Value("kubebuilder:validation:ExactlyOneOf", {kType}, kTexts, "=image;build");
    Value("kubebuilder:validation:AtMostOneOf", {kType}, kTexts, "=image;build");
    Value("kubebuilder:validation:AtLeastOneOf", {kType}, kTexts, "=image;build");
    Flag("kubebuilder:pruning:PreserveUnknownFields", {kType, kField});
    Flag("optional", {kField});
    Flag("required", {kField});
    Flag("nullable", {kField});
    Flag("k8s:optional", {kField});
    Flag("k8s:required", {kField});
    Flag("k8s:enum", {kType, kField}).shared = true;
    Flag("k8s:immutable", {kField}).shared = true;
    Add("k8s:maximum", {kField}, kNumber, "=100").shared = true;
    Add("k8s:minimum", {kField}, kNumber, "=0").shared = true;
    Add("k8s:maxItems", {kField}, kInteger, "=10").shared = true;
  }

  void AddDefaults() {
    Value("kubebuilder:default", {kField}, kAny, "=1");
    Value("kubebuilder:example", {kField}, kAny, R"(="web-1")");
    Add("kubebuilder:title", {kType, kField}, kTitle, R"(="Number of replicas")");
    Add("default", {kField}, kJson, R"(={"name":"web","ports":[80]})");
  }

  void AddTopology() {
    const Targets both{kType, kField};
    Value("listType", both, kText, "=map");
    Value("listMapKey", both, kText, "=name");
    Value("mapType", both, kText, "=atomic");
    Value("structType", both, kText, "=atomic");
    Value("k8s:listType", both, kText, "=map").shared = true;
    Value("k8s:listMapKey", both, kText, "=name").shared = true;
  }

  void AddClients() {
    Flag("genclient", {kType});
    Flag("genclient:nonNamespaced", {kType});
    Flag("genclient:noStatus", {kType});
    Flag("genclient:noVerbs", {kType});
    Flag("genclient:readonly", {kType});
    Add("genclient:onlyVerbs", {kType}, kClientVerbs, "=get,list,watch");
    Add("genclient:skipVerbs", {kType}, kClientVerbs, "=delete,deleteCollection");
    MarkerDefinition& method = Add("genclient:method", {kType}, kClientMethod,
                                   "=UpdateScale,verb=update,subresource=scale,"
                                   "input=k8s.io/api/autoscaling/v1.Scale,result=k8s.io/api/autoscaling/v1.Scale");
    method.arguments = {{"verb", kText, kRequired}, {"subresource", kText}, {"input", kText}, {"result", kText}};
  }

  void AddManifests() {
    Arguments("kubebuilder:rbac", {kPackage}, ":groups=apps,resources=deployments,verbs=get;list;watch",
              {{"groups", kTexts},
               {"resources", kTexts},
               {"resourceNames", kTexts},
               {"verbs", kTexts, kRequired},
               {"urls", kTexts},
               {"namespace", kText},
               {"roleName", kText}})
        .anywhere = true;
    Arguments("kubebuilder:webhook", {kPackage},
              ":path=/validate-apps-v1-deployment,mutating=false,failurePolicy=fail,sideEffects=None,groups=apps,"
              "resources=deployments,verbs=create;update,versions=v1,name=deployment.example.com,"
              "admissionReviewVersions=v1",
              {{"mutating", kBool, kRequired},
               {"failurePolicy", kText, kRequired},
               {"matchPolicy", kText},
               {"sideEffects", kText},
               {"timeoutSeconds", kInt},
               {"groups", kTexts, kRequired},
               {"resources", kTexts, kRequired},
               {"verbs", kTexts, kRequired},
               {"versions", kTexts, kRequired},
               {"name", kText, kRequired},
               {"serviceName", kText},
               {"serviceNamespace", kText},
               {"servicePort", kInt},
               {"path", kText},
               {"webhookVersions", kTexts},
               {"admissionReviewVersions", kTexts, kRequired},
               {"reinvocationPolicy", kText},
               {"url", kText},
               {"patch", kText}})
        .anywhere = true;
    Arguments("kubebuilder:webhookconfiguration", {kPackage}, ":mutating=true,name=example-webhooks",
              {{"mutating", kBool, kRequired}, {"name", kText}})
        .anywhere = true;
  }

  std::vector<MarkerDefinition> definitions_;
  std::map<std::string, const MarkerDefinition*, std::less<>> by_name_;
};

const Table& TheTable() {
  static const Table table;
  return table;
}

// Longer names are compared by their beginning, so that no input makes it slow.
constexpr size_t kMaxCompared = 64;
// A name that is this near to one of ours is no other tool's.
constexpr size_t kMisspelt = 2;

// The number of characters to insert, remove or change; any number from `limit` on when it is not below that.
size_t EditDistance(std::string_view a, std::string_view b, size_t limit) {
  a = a.substr(0, kMaxCompared);
  b = b.substr(0, kMaxCompared);
  // What both begin with costs nothing, and most of them begin with "kubebuilder:".
  const auto common = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin();
  a.remove_prefix(static_cast<size_t>(common));
  b.remove_prefix(static_cast<size_t>(common));
  const size_t difference = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  if (difference >= limit) return difference;
  std::array<size_t, kMaxCompared + 1> row;
  std::iota(row.begin(), row.begin() + static_cast<ptrdiff_t>(b.size()) + 1, size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    size_t smallest = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({changed, row[j] + 1, row[j - 1] + 1}));
      smallest = std::min(smallest, row[j]);
    }
    if (smallest >= limit) return smallest;
  }
  return row[b.size()];
}

std::string_view WithoutLastPart(std::string_view name) {
  const size_t colon = name.rfind(':');
  return colon == std::string_view::npos ? std::string_view() : name.substr(0, colon);
}

}  // namespace

bool MarkerDefinition::Allows(MarkerTarget target) const {
  return std::find(targets.begin(), targets.end(), target) != targets.end();
}

const MarkerArgument* MarkerDefinition::FindArgument(std::string_view argument) const {
  const auto found = std::find_if(arguments.begin(), arguments.end(),
                                  [&](const MarkerArgument& candidate) { return candidate.name == argument; });
  return found == arguments.end() ? nullptr : &*found;
}

const std::vector<MarkerDefinition>& MarkerDefinitions() { return TheTable().definitions(); }

const MarkerDefinition* FindDefinition(std::string_view name) { return TheTable().Find(name); }

std::string_view NameAndFirstArgument(std::string_view text) { return text.substr(0, text.find('=')); }

const MarkerDefinition* DefinitionOf(std::string_view text) {
  const std::string_view name = NameAndFirstArgument(text);
  if (const MarkerDefinition* definition = FindDefinition(name)) return definition;
  const MarkerDefinition* definition = FindDefinition(WithoutLastPart(name));
  // `name:=value` means `name=value`.
  const bool fits = definition && (definition->syntax == MarkerSyntax::kArguments || name.ends_with(':'));
  return fits ? definition : nullptr;
}

const MarkerDefinition& NearestDefinition(std::string_view text) {
  const std::string_view full = TrimSpace(NameAndFirstArgument(text));
  const std::string_view shorter = WithoutLastPart(full);
  const MarkerDefinition* nearest = nullptr;
  size_t smallest = std::numeric_limits<size_t>::max();
  for (const MarkerDefinition& definition : MarkerDefinitions()) {
    size_t distance = EditDistance(full, definition.name, smallest);
    if (definition.syntax == MarkerSyntax::kArguments) {
      distance = std::min(distance, EditDistance(shorter, definition.name, smallest));
    }
    if (distance >= smallest) continue;
    nearest = &definition;
    smallest = distance;
  }
  return *nearest;
}

bool InKnownFamily(std::string_view text) {
  const std::string_view name = text.substr(0, text.find_first_of("= \t("));
  for (const std::string_view other : {"kubebuilder:scaffold", "kubebuilder:docs-gen", "kubebuilder:ac"}) {
    if (name == other || (name.starts_with(other) && name[other.size()] == ':')) return false;
  }
  const std::string_view head = name.substr(0, name.find(':'));
  if (head == "kubebuilder" || head == "keelson" || head.starts_with("genclient")) return true;
  if (name.starts_with("k8s:deepcopy-gen") || name.starts_with("k8s:openapi-gen")) return true;
  // Words with others behind them are prose.
  const bool alone = name.size() == text.size() || text[name.size()] == '=';
  for (const std::string_view single :
       {"groupName", "versionName", "listType", "listMapKey", "mapType", "structType", "nullable", "optional",
        "required", "default", "genclient", "k8s:deepcopy-gen", "k8s:openapi-gen"}) {
    if (EqualsIgnoringCase(head, single)) return true;
    if (alone && EditDistance(name, single, kMisspelt + 1) <= kMisspelt) return true;
  }
  return name == "k8s:optional" || name == "k8s:required";
}

const MarkerDefinition* LikelyDefinition(std::string_view text) {
  const MarkerDefinition* definition = DefinitionOf(text);
  return definition != nullptr || !InKnownFamily(text) ? definition : &NearestDefinition(text);
}

std::string_view NearestName(std::string_view name, const std::vector<std::string_view>& names) {
  std::string_view nearest;
  size_t smallest = std::numeric_limits<size_t>::max();
  for (const std::string_view candidate : names) {
    const size_t distance = EditDistance(name, candidate, smallest);
    if (distance >= smallest) continue;
    nearest = candidate;
    smallest = distance;
  }
  return nearest;
}

}  // namespace keelson::codegen
