#include "keelson/codegen/schema_flatten.h"

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "keelson/codec/merge_patch.h"
#include "keelson/codegen/builtin_schemas.h"
#include "keelson/codegen/description.h"

namespace keelson::codegen {

namespace {

// Members that hold a schema, a list of schemas, or schemas by name.
constexpr std::array<std::string_view, 3> kSingles = {"additionalProperties", "items", "not"};
constexpr std::array<std::string_view, 3> kLists = {"allOf", "anyOf", "oneOf"};
constexpr std::array<std::string_view, 1> kMaps = {"properties"};

// What a reader of the schema is told. It is never merged: what stands beside a reference was chosen before.
constexpr std::array<std::string_view, 4> kDocumentation = {"description", "example", "externalDocs", "title"};

// Texts and flags that are the same on both sides are said once. Bounds are not (but for the sizes of objects):
// controller-gen repeats them under `allOf`.
constexpr std::array<std::string_view, 10> kSaidOnce = {
    "exclusiveMaximum", "exclusiveMinimum",           "format",  "maxProperties", "minProperties",
    "nullable",         "x-kubernetes-int-or-string", "pattern", "uniqueItems",   "x-kubernetes-embedded-resource",
};

template <size_t N>
bool Contains(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

template <class Visit>
void ForEachSubschema(Schema& schema, Visit visit) {
  for (const std::string_view member : kSingles) {
    const Json* value = schema.find(member);
    if (value != nullptr && value->is_object()) visit(schema[member].object());
  }
  for (const std::string_view member : kLists) {
    if (!schema.contains(member)) continue;
    for (Json& element : schema[member].list().Mutable()) visit(element.object());
  }
  for (const std::string_view member : kMaps) {
    const Json* value = schema.find(member);
    if (value == nullptr) continue;
    std::vector<String> names;
    for (const auto& [name, unused] : value->object()) names.push_back(name);
    JsonObject& schemas = schema[member].object();
    for (const String& name : names) visit(schemas[name].object());
  }
}

void MergeInto(Schema& target, const Schema& source);

void MergeProperties(Json& target, const Json& source) {
  for (const auto& [name, schema] : source.object()) {
    if (target.object().contains(name)) {
      MergeInto(target.object()[name].object(), schema.object());
    } else {
      target.object().Set(name, schema);
    }
  }
}

JsonList Joined(const JsonList& first, const JsonList& second) {
  JsonList joined = first;
  for (const Json& element : second) joined.push_back(element);
  return joined;
}

JsonList Sorted(const JsonList& names) {
  std::set<String> unique;
  for (const Json& name : names) unique.insert(name.string());
  JsonList sorted;
  for (const String& name : unique) sorted.push_back(name);
  return sorted;
}

// Both have `member`. False when neither can give way.
bool MergeMember(Schema& target, const String& member, const Json& theirs) {
  const Json& ours = *target.find(member);
  if (Contains(kSaidOnce, member) && ours == theirs) return true;
  if (member == "type") return true;  // the builder has seen to it that they agree
  if (member == "properties") {
    MergeProperties(target["properties"], theirs);
    return true;
  }
  if (member == "required") {
    target.Set(member, Joined(ours.list(), theirs.list()));
    return true;
  }
  if (member == "additionalProperties") {
    if (!theirs.is_object()) return true;
    Json& merged = target["additionalProperties"];
    if (!merged.is_object()) merged = JsonObject();
    MergeInto(merged.object(), theirs.object());
    return true;
  }
  if (member == "x-kubernetes-validations") {
    target.Set(member, Joined(theirs.list(), ours.list()));
    return true;
  }
  if (member == kSchemaPatches) {
    target.Set(member, Joined(ours.list(), theirs.list()));
    return true;
  }
  if (member == "x-kubernetes-preserve-unknown-fields" || member == "x-kubernetes-map-type" ||
      member == "x-kubernetes-list-type" || member == "x-kubernetes-list-map-keys") {
    target.Set(member, theirs);
    return true;
  }
  return false;
}

void MergeInto(Schema& target, const Schema& source) {
  if (const Json* all_of = source.find("allOf")) {
    for (const Json& part : all_of->list()) MergeInto(target, part.object());
  }
  Schema ours_apart;
  Schema theirs_apart;
  for (const auto& [member, theirs] : source) {
    if (member == "allOf" || Contains(kDocumentation, member)) continue;
    if (!target.contains(member)) {
      target.Set(member, theirs);
    } else if (member == "enum") {
      continue;  // the type's own values hold
    } else if (!MergeMember(target, member, theirs)) {
      ours_apart.Set(member, *target.find(member));
      theirs_apart.Set(member, theirs);
      target.erase(member);
    }
  }
  if (!ours_apart.empty()) {
    JsonList& all_of = ListAt(target, "allOf");
    all_of.push_back(std::move(ours_apart));
    all_of.push_back(std::move(theirs_apart));
  }
  if (const Json* required = target.find("required")) target.Set("required", Sorted(required->list()));
}

void MergeAllOf(Schema& schema) {
  if (const Json* found = schema.find("allOf")) {
    const JsonList parts = found->list();
    schema.erase("allOf");
    for (const Json& part : parts) MergeInto(schema, part.object());
  }
  ForEachSubschema(schema, MergeAllOf);
}

}  // namespace

const Schema* SchemaDefinitions::Find(std::string_view name) const {
  if (const auto own = own_.find(name); own != own_.end()) return &own->second;
  if (embedded_object_meta_ && name == "meta/v1.ObjectMeta") name = "meta/v1.ObjectMeta#embedded";
  const Json* builtin = FindBuiltinSchema(name);
  return builtin == nullptr ? nullptr : &builtin->object();
}

const Json* SchemaDefinitions::FindMember(const Schema& schema, std::string_view member) const {
  const Schema* at = &schema;
  // Longer chains of names are cycles.
  for (int steps = 0; at != nullptr && steps < 100; ++steps) {
    if (const Json* value = at->find(member)) return value;
    const std::string_view name = SchemaText(*at, "$ref");
    at = name.empty() ? nullptr : Find(name);
  }
  return nullptr;
}

Schema SchemaFlattener::Flatten(const Schema& schema) {
  Schema flat = Resolve(schema);
  MergeAllOf(flat);
  return flat;
}

const Schema& SchemaFlattener::ResolvedType(const std::string& name) {
  const auto [entry, is_new] = resolved_.try_emplace(name);
  if (!is_new) return entry->second;
  const Schema* definition = definitions_.Find(name);
  if (definition != nullptr) entry->second = Resolve(*definition);
  return entry->second;
}

Schema SchemaFlattener::Resolve(const Schema& schema) {
  if (const std::string name(SchemaText(schema, "$ref")); !name.empty()) {
    const Schema& type = ResolvedType(name);
    Schema beside = schema;
    beside.erase("$ref");
    Schema resolved;
    for (const std::string_view member : kDocumentation) {
      const Json* words = schema.find(member);
      if (words == nullptr) words = type.find(member);
      if (words != nullptr) resolved.Set(String(member), *words);
      beside.erase(member);
    }
    resolved.Set("allOf", JsonList({Json(type), Json(beside)}));
    return resolved;
  }
  Schema resolved = schema;
  ForEachSubschema(resolved, [this](Schema& inner) { inner = Resolve(Schema(inner)); });
  return resolved;
}

void ApplySchemaPatches(Schema& schema) {
  ForEachSubschema(schema, ApplySchemaPatches);
  const Json* found = schema.find(kSchemaPatches);
  if (found == nullptr) return;
  const JsonList patches = found->list();
  schema.erase(kSchemaPatches);
  Json patched = std::move(schema);
  for (const Json& patch : patches) patched = ApplyMergePatch(patched, patch);
  schema = patched.object();
}

void CutDescriptions(Schema& schema, size_t max_bytes) {
  if (const Json* description = schema.find("description")) {
    const std::string cut = CutDescription(description->string(), max_bytes);
    if (max_bytes == 0) {
      schema.erase("description");
    } else {
      schema.Set("description", cut);
    }
  }
  ForEachSubschema(schema, [max_bytes](Schema& inner) { CutDescriptions(inner, max_bytes); });
}

}  // namespace keelson::codegen
