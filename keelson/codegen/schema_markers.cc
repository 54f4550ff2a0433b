#include "keelson/codegen/schema_markers.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "keelson/codec/json_writer.h"

namespace keelson::codegen {

namespace {

constexpr std::string_view kValidation = "kubebuilder:validation:";
constexpr std::string_view kItems = "kubebuilder:validation:items:";

// A marker, and the schema that it is applied to.
struct Application {
  const ParsedMarker& marker;
  const SchemaDefinitions& definitions;
  Schema& schema;
  Diagnostics& problems;

  std::string TypeName() const {
    const Json* type = definitions.FindMember(schema, "type");
    return type != nullptr && type->is_string() ? type->string().str() : std::string();
  }
  bool IsIntOrString() const { return definitions.FindMember(schema, "x-kubernetes-int-or-string") != nullptr; }
  bool IsText() const { return TypeName() == "string" || IsIntOrString(); }
  bool IsNumber() const { return TypeName() == "integer" || TypeName() == "number"; }

  void Fail(std::string message) const { problems.Add(marker.position, "+" + marker.name + ": " + message); }
  // Says that the marker wants another type.
  void FailOnType(std::string_view wanted) const {
    const std::string type = IsIntOrString() ? "integer or string" : TypeName();
    Fail("belongs on " + std::string(wanted) + "; this is " +
         (type.empty() ? std::string("of no single type") : "of type " + type));
  }
};

using Apply = void (*)(const Application&);

struct Rule {
  Apply apply;
  // Lower ones first.
  int priority = 10;
};

double NumberOf(const Json& value) { return value.is_number() ? value.number() : 0; }

// A member of schemas of numbers: maximum, minimum, multipleOf.
void SetBound(const Application& it, const char* member) {
  if (!it.IsNumber()) return it.FailOnType("a number");
  const double value = NumberOf(it.marker.value);
  if (it.TypeName() == "integer" && value != std::trunc(value)) {
    return it.Fail("must be a whole number, since the value is an integer");
  }
  it.schema.Set(member, it.marker.value);
}

void SetNumberFlag(const Application& it, const char* member) {
  if (!it.IsNumber()) return it.FailOnType("a number");
  SetFlag(it.schema, member, it.marker.value.is_bool() && it.marker.value.boolean());
}

// A count; what is counted decides the type.
void SetCount(const Application& it, const char* member, bool fits, std::string_view wanted) {
  if (!fits) return it.FailOnType(wanted);
  if (NumberOf(it.marker.value) < 0) return it.Fail("must not be negative; found " + ToJson(it.marker.value));
  it.schema.Set(member, it.marker.value);
}
void SetLength(const Application& it, const char* member) { SetCount(it, member, it.IsText(), "a string"); }
void SetItems(const Application& it, const char* member) { SetCount(it, member, it.TypeName() == "array", "a list"); }
void SetProperties(const Application& it, const char* member) {
  SetCount(it, member, it.TypeName() == "object", "a map or struct");
}

void SetTitle(const Application& it) {
  if (it.marker.value.is_null()) return;
  if (!it.marker.value.is_string()) return it.Fail("must be a text: put it in quotes");
  it.schema.Set("title", it.marker.value);
}

void SetDefault(const Application& it) {
  Json value = it.marker.value;
  // In marker syntax `{}` is both the empty list and the empty map.
  if (it.TypeName() == "array" && value.is_object() && value.object().empty()) value = JsonList();
  it.schema.Set("default", value);
}

// +default= of the built-in APIs; one that names a constant of Go cannot be read and is left alone.
void SetKubernetesDefault(const Application& it) {
  if (!it.marker.value.is_null()) it.schema.Set("default", it.marker.value);
}

// Whether a value is of a type that schemas name.
bool IsOfType(const Json& value, std::string_view type) {
  if (type == "string") return value.is_string();
  if (type == "integer") return value.is_int() || (value.is_double() && value.number() == std::trunc(value.number()));
  if (type == "number") return value.is_number();
  if (type == "boolean") return value.is_bool();
  if (type == "array") return value.is_list();
  if (type == "object") return value.is_object();
  return true;
}

// Whether `value` can be one of the schema's; a problem when it cannot. Null is left to the server.
bool CheckType(const Application& it, const Json& value) {
  const std::string type = it.TypeName();
  if (value.is_null() || it.IsIntOrString() || IsOfType(value, type)) return true;
  const std::string found = ToJson(value);
  it.Fail("expected a value of type " + type + "; found " + found +
          (type == "string" && !value.is_list() && !value.is_object() ? ": write \"" + found + "\"" : ""));
  return false;
}

void SetEnum(const Application& it) {
  if (!it.marker.value.is_list()) return;
  for (const Json& value : it.marker.value.list()) {
    if (!CheckType(it, value)) return;
  }
  it.schema.Set("enum", it.marker.value);
}

// What a default must be, when all else is known of the schema.
void CheckDefault(const Application& it) {
  const Json* value = it.schema.find("default");
  if (value == nullptr || !CheckType(it, *value)) return;
  const Json* choices = it.definitions.FindMember(it.schema, "enum");
  if (choices == nullptr || !choices->is_list() || value->is_null()) return;
  std::string all;
  for (const Json& choice : choices->list()) {
    if (choice == *value) return;
    all += (all.empty() ? "" : ", ") + ToJson(choice);
  }
  it.Fail("expected one of " + all + "; found " + ToJson(*value));
}

void SetChoice(const Application& it, const char* member, std::initializer_list<std::string_view> choices) {
  const std::string value = it.marker.value.is_string() ? it.marker.value.string().str() : std::string();
  if (std::find(choices.begin(), choices.end(), value) == choices.end()) {
    std::string all;
    for (const std::string_view choice : choices) {
      if (!choice.empty()) all += (all.empty() ? "" : ", ") + std::string(choice);
    }
    return it.Fail("expected one of " + all + "; found '" + value + "'");
  }
  it.schema.Set(member, value);
}

// None at all is a type too: `Type=""`.
void SetType(const Application& it) {
  SetChoice(it, "type", {"array", "boolean", "integer", "number", "object", "string", ""});
}

void SetListType(const Application& it) {
  if (it.TypeName() != "array") return it.FailOnType("a list");
  SetChoice(it, "x-kubernetes-list-type", {"atomic", "map", "set"});
}

void AddListMapKey(const Application& it) {
  if (it.TypeName() != "array") return it.FailOnType("a list");
  const Json* list_type = it.definitions.FindMember(it.schema, "x-kubernetes-list-type");
  if (list_type == nullptr || *list_type != Json("map")) return it.Fail("needs +listType=map beside it");
  JsonList& keys = ListAt(it.schema, "x-kubernetes-list-map-keys");
  if (std::find(keys.begin(), keys.end(), it.marker.value) == keys.end()) keys.push_back(it.marker.value);
}

void SetMapType(const Application& it) {
  if (it.TypeName() != "object") return it.FailOnType("a map");
  SetChoice(it, "x-kubernetes-map-type", {"atomic", "granular"});
}

void SetStructType(const Application& it) {
  const std::string type = it.TypeName();
  if (type != "object" && !type.empty()) return it.FailOnType("a struct");
  SetChoice(it, "x-kubernetes-map-type", {"atomic", "granular"});
}

void SetExternalDocs(const Application& it) {
  const std::string url = it.marker.Text("url");
  if (url.find("://") == std::string::npos && !url.starts_with('/')) {
    return it.Fail("expected an address such as https://example.com/docs as url; found '" + url + "'");
  }
  JsonObject docs = {{"url", url}};
  if (const std::string text = it.marker.Text("description"); !text.empty()) docs.Set("description", text);
  it.schema.Set("externalDocs", docs);
}

void AddCelRule(const Application& it) {
  JsonObject rule = {{"rule", it.marker.Text("rule")}};
  for (const char* argument : {"fieldPath", "message", "messageExpression"}) {
    if (const std::string text = it.marker.Text(argument); !text.empty()) rule.Set(argument, text);
  }
  if (const std::string reason = it.marker.Text("reason"); !reason.empty()) {
    if (reason != "FieldValueRequired" && reason != "FieldValueInvalid" && reason != "FieldValueForbidden" &&
        reason != "FieldValueDuplicate") {
      return it.Fail("expected FieldValueRequired, FieldValueInvalid, FieldValueForbidden or FieldValueDuplicate as " +
                     ("reason; found '" + reason + "'"));
    }
    rule.Set("reason", reason);
  }
  if (const Json* optional = it.marker.Find("optionalOldSelf"); optional != nullptr && optional->is_bool()) {
    rule.Set("optionalOldSelf", *optional);
  }
  ListAt(it.schema, "x-kubernetes-validations").push_back(std::move(rule));
}

// As Go prints a list: "[a b]".
std::string Bracketed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : " ") + name;
  return "[" + text + "]";
}

std::string EachMember(const std::vector<std::string>& names, std::string_view before, std::string_view after,
                       std::string_view between) {
  std::string text;
  for (const std::string& name : names) {
    if (!text.empty()) text += between;
    text.append(before).append(name).append(after);
  }
  return text;
}

void AddOneOf(const Application& it, std::string_view comparison, std::string_view before, std::string_view after) {
  const std::vector<std::string> names = TextsOf(it.marker.value);
  if (names.empty()) return;
  const std::string rule = comparison.empty()
                               ? EachMember(names, "has(self.", ")", "||")
                               : EachMember(names, "(has(self.", ")?1:0)", "+") + std::string(comparison);
  AddValidation(it.schema, rule,
                std::string(before) + " of the fields in " + Bracketed(names) + " " + std::string(after));
}

// Beyond being there, a required value must not be empty. A bound that is given holds instead.
void RequireSomething(const Application& it) {
  const std::string_view type = SchemaText(it.schema, "type");
  const char* bound = type == "string"                                                   ? "minLength"
                      : type == "array"                                                  ? "minItems"
                      : type == "object" || (type.empty() && it.schema.contains("$ref")) ? "minProperties"
                                                                                         : nullptr;
  if (bound != nullptr && !it.schema.contains(bound)) it.schema.Set(bound, 1);
}

// On an enum class: controller-gen sorts the values of such an enum.
void SortEnum(const Application& it) {
  const Json* values = it.schema.find("enum");
  if (values == nullptr) return it.Fail("belongs above an enum class; write Enum=a;b;c on other types");
  std::vector<Json> sorted = values->list();
  std::sort(sorted.begin(), sorted.end(), [](const Json& a, const Json& b) { return ToJson(a) < ToJson(b); });
  it.schema.Set("enum", JsonList(sorted));
}

// Applied to the finished schema.
void AddPatch(const Application& it) {
  if (!it.marker.value.is_object()) return it.Fail("expected a JSON object with the keywords of a schema");
  ListAt(it.schema, kSchemaPatches).push_back(it.marker.value);
}

// The rules of one name each; those under kubebuilder:validation: also exist for the items of a list.
const std::map<std::string_view, Rule>& ValidationRules() {
  using A = const Application&;
  static const std::map<std::string_view, Rule> rules = {
      {"Enum", {SetEnum}},
      {"ExclusiveMaximum", {[](A it) { SetNumberFlag(it, "exclusiveMaximum"); }}},
      {"ExclusiveMinimum", {[](A it) { SetNumberFlag(it, "exclusiveMinimum"); }}},
      {"Format", {[](A it) { it.schema.Set("format", it.marker.value); }}},
      {"MaxItems", {[](A it) { SetItems(it, "maxItems"); }}},
      {"MaxLength", {[](A it) { SetLength(it, "maxLength"); }}},
      {"MaxProperties", {[](A it) { SetProperties(it, "maxProperties"); }}},
      {"Maximum", {[](A it) { SetBound(it, "maximum"); }}},
      {"MinItems", {[](A it) { SetItems(it, "minItems"); }}},
      {"MinLength", {[](A it) { SetLength(it, "minLength"); }}},
      {"MinProperties", {[](A it) { SetProperties(it, "minProperties"); }}},
      {"Minimum", {[](A it) { SetBound(it, "minimum"); }}},
      {"MultipleOf", {[](A it) { SetBound(it, "multipleOf"); }}},
      {"Pattern", {[](A it) { it.IsText() ? it.schema.Set("pattern", it.marker.value) : it.FailOnType("a string"); }}},
      {"Type", {SetType, 9}},
      {"UniqueItems", {[](A it) {
         if (it.TypeName() != "array") return it.FailOnType("a list");
         SetFlag(it.schema, "uniqueItems", it.marker.value.is_bool() && it.marker.value.boolean());
       }}},
      {"XEmbeddedResource", {[](A it) { it.schema.Set("x-kubernetes-embedded-resource", true); }}},
      {"XIntOrString", {[](A it) { it.schema.Set("x-kubernetes-int-or-string", true); }, 9}},
      {"XPreserveUnknownFields", {[](A it) { it.schema.Set("x-kubernetes-preserve-unknown-fields", true); }}},
      {"XValidation", {AddCelRule}},
      // The rest has no form for items.
      {"AtLeastOneOf", {[](A it) { AddOneOf(it, "", "at least one", "must be set"); }, 13}},
      {"AtMostOneOf", {[](A it) { AddOneOf(it, " <= 1", "at most one", "may be set"); }, 11}},
      {"EmbeddedResource", {[](A it) { it.schema.Set("x-kubernetes-embedded-resource", true); }}},
      {"ExactlyOneOf", {[](A it) { AddOneOf(it, " == 1", "exactly one", "must be set"); }, 12}},
  };
  return rules;
}

const std::map<std::string_view, Rule>& OtherRules() {
  using A = const Application&;
  static const std::map<std::string_view, Rule> rules = {
      {"default", {SetKubernetesDefault, 9}},
      {"k8s:enum", {SortEnum}},
      {"k8s:immutable", {[](A it) { AddValidation(it.schema, "self == oldSelf", "field is immutable"); }}},
      {"k8s:listMapKey", {AddListMapKey}},
      {"k8s:listType", {SetListType, 9}},
      {"k8s:maxItems", {[](A it) { SetItems(it, "maxItems"); }}},
      {"k8s:maximum", {[](A it) { SetBound(it, "maximum"); }}},
      {"k8s:minimum", {[](A it) { SetBound(it, "minimum"); }}},
      {"k8s:required", {RequireSomething, 14}},
      {"keelson:schema", {AddPatch}},
      {"kubebuilder:default", {SetDefault}},
      {"kubebuilder:example", {[](A it) { it.schema.Set("example", it.marker.value); }}},
      {"kubebuilder:externalDocs", {SetExternalDocs}},
      {"kubebuilder:pruning:PreserveUnknownFields",
       {[](A it) { it.schema.Set("x-kubernetes-preserve-unknown-fields", true); }}},
      {"kubebuilder:title", {SetTitle}},
      {"listMapKey", {AddListMapKey}},
      {"listType", {SetListType, 9}},
      {"mapType", {SetMapType}},
      {"nullable", {[](A it) { it.schema.Set("nullable", true); }}},
      {"structType", {SetStructType}},
  };
  return rules;
}

// Null when the marker says nothing about schemas.
const Rule* FindRule(std::string_view name) {
  const std::map<std::string_view, Rule>& rules = name.starts_with(kValidation) ? ValidationRules() : OtherRules();
  if (name.starts_with(kItems)) {
    name.remove_prefix(kItems.size());
  } else if (name.starts_with(kValidation)) {
    name.remove_prefix(kValidation.size());
  }
  const auto rule = rules.find(name);
  return rule == rules.end() ? nullptr : &rule->second;
}

}  // namespace

void ApplySchemaMarkers(const std::vector<ParsedMarker>& markers, const SchemaDefinitions& definitions, Schema& schema,
                        Diagnostics& problems) {
  struct Step {
    const ParsedMarker* marker;
    const Rule* rule;
    bool for_items;
  };
  std::vector<Step> steps;
  for (const ParsedMarker& marker : markers) {
    const Rule* rule = FindRule(marker.name);
    if (rule != nullptr) steps.push_back({&marker, rule, marker.name.starts_with(kItems)});
  }
  // All are in one list: the earlier marker has the smaller address.
  std::sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) {
    return std::tuple(a.for_items, a.rule->priority, a.marker) < std::tuple(b.for_items, b.rule->priority, b.marker);
  });
  for (const Step& step : steps) {
    const Application on_schema{*step.marker, definitions, schema, problems};
    if (!step.for_items) {
      step.rule->apply(on_schema);
    } else if (const Json* items = schema.find("items"); items != nullptr && items->is_object()) {
      step.rule->apply({*step.marker, definitions, schema["items"].object(), problems});
    } else if (schema.contains("$ref") && on_schema.TypeName() == "array") {
      on_schema.Fail("this list has a name of its own: put the marker above its `using`");
    } else {
      on_schema.FailOnType("a list");
    }
  }
  for (const char* name : {"kubebuilder:default", "default"}) {
    const ParsedMarker* marker = FindMarker(markers, name);
    if (marker != nullptr) return CheckDefault({*marker, definitions, schema, problems});
  }
}

Presence PresenceOf(const std::vector<ParsedMarker>& markers) {
  if (FindMarker(markers, "kubebuilder:validation:Optional") != nullptr) return Presence::kOptional;
  if (FindMarker(markers, "kubebuilder:validation:Required") != nullptr) return Presence::kRequired;
  for (const char* name : {"optional", "k8s:optional"}) {
    if (FindMarker(markers, name) != nullptr) return Presence::kOptional;
  }
  for (const char* name : {"required", "k8s:required"}) {
    if (FindMarker(markers, name) != nullptr) return Presence::kRequired;
  }
  return Presence::kUnsaid;
}

void AddValidation(Schema& schema, std::string_view rule, std::string_view message) {
  ListAt(schema, "x-kubernetes-validations").push_back(JsonObject({{"rule", rule}, {"message", message}}));
}

std::vector<const ParsedMarker*> OneOfMarkers(const std::vector<ParsedMarker>& markers) {
  std::vector<const ParsedMarker*> found;
  for (const ParsedMarker& marker : markers) {
    if (marker.name == "kubebuilder:validation:ExactlyOneOf" || marker.name == "kubebuilder:validation:AtMostOneOf" ||
        marker.name == "kubebuilder:validation:AtLeastOneOf") {
      found.push_back(&marker);
    }
  }
  return found;
}

std::vector<std::string> TextsOf(const Json& list) {
  std::vector<std::string> texts;
  if (!list.is_list()) return texts;
  for (const Json& element : list.list()) {
    if (element.is_string()) texts.push_back(element.string().str());
  }
  return texts;
}

}  // namespace keelson::codegen
