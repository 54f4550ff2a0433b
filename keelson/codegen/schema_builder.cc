#include "keelson/codegen/schema_builder.h"

#include <algorithm>
#include <set>

#include "keelson/codegen/description.h"
#include "keelson/codegen/root_schema.h"
#include "keelson/codegen/schema_markers.h"

namespace keelson::codegen {

namespace {

// The JSON names that a struct has, those of its bases included.
void CollectNames(const StructDecl& structure, std::set<std::string>& names) {
  for (const StructDecl* base : structure.bases) CollectNames(*base, names);
  for (const FieldDecl& field : structure.fields) names.insert(field.json_name);
}

bool IsOptional(const TypeUse& use) {
  if (use.shape == Shape::kOptional) return true;
  return use.shape == Shape::kAlias && IsOptional(use.alias->target);
}

void SetDescription(Schema& schema, const Comment& comment) {
  const std::string description = DescriptionOf(comment);
  if (!description.empty()) schema.Set("description", description);
}

JsonList ToJsonList(const std::vector<std::string>& texts) {
  JsonList list;
  for (const std::string& text : texts) list.push_back(text);
  return list;
}

// Of every object: controller-gen takes these from the embedded TypeMeta.
void AddTypeMeta(JsonObject& properties) {
  for (const char* name : {"apiVersion", "kind"}) properties.Set(name, RootProperties().at(name));
}

}  // namespace

const std::vector<ParsedMarker>& SchemaBuilder::Parsed(const void* owner, const std::vector<Marker>& markers,
                                                       MarkerTarget target) {
  const auto [entry, is_new] = markers_.try_emplace(owner);
  if (is_new) entry->second = ParseMarkers(markers, target, problems_);
  return entry->second;
}

const std::vector<ParsedMarker>& SchemaBuilder::MarkersOf(const Declaration& declaration) {
  return Parsed(&declaration, declaration.comment.markers, MarkerTarget::kType);
}

const std::vector<ParsedMarker>& SchemaBuilder::MarkersOf(const FieldDecl& field) {
  return Parsed(&field, field.comment.markers, MarkerTarget::kField);
}

const std::vector<ParsedMarker>& SchemaBuilder::MarkersOf(const Package& package) {
  return Parsed(&package, package.markers, MarkerTarget::kPackage);
}

bool SchemaBuilder::Enter(const Declaration& declaration, const SourcePosition& used_at) {
  const auto first = std::find(open_.begin(), open_.end(), &declaration);
  if (first == open_.end()) {
    open_.push_back(&declaration);
    return true;
  }
  std::string chain;
  for (auto at = first; at != open_.end(); ++at) chain += (*at)->name + " → ";
  problems_.Add(used_at, "the type holds itself: " + chain + declaration.name +
                             ". The schema of a CRD cannot be recursive: write `// +kubebuilder:validation:Schemaless`"
                             " and `// +kubebuilder:pruning:PreserveUnknownFields` above this member");
  return false;
}

Schema SchemaBuilder::Finish(const Declaration& declaration, Schema schema) {
  SetDescription(schema, declaration.comment);
  ApplySchemaMarkers(MarkersOf(declaration), definitions_, schema, problems_);
  definitions_.Add(declaration.qualified, schema);
  return schema;
}

Schema SchemaBuilder::Define(const EnumDecl& enumeration) {
  if (const Schema* known = definitions_.Find(enumeration.qualified)) return *known;
  JsonList values;
  for (const EnumeratorDecl& enumerator : enumeration.enumerators) values.push_back(enumerator.text);
  return Finish(enumeration, {{"type", "string"}, {"enum", values}});
}

Schema SchemaBuilder::Define(const AliasDecl& alias) {
  if (const Schema* known = definitions_.Find(alias.qualified)) return *known;
  if (!Enter(alias, alias.position)) return {};
  Schema schema = SchemaOf(alias.target, alias.position);
  open_.pop_back();
  schema = Finish(alias, std::move(schema));
  RememberListMap(alias.name, alias.position, MarkersOf(alias), schema);
  return schema;
}

Schema SchemaBuilder::Define(const StructDecl& structure) {
  if (const Schema* known = definitions_.Find(structure.qualified)) return *known;
  if (!Enter(structure, structure.position)) return {};

  const bool optional_by_default =
      structure.package != nullptr &&
      FindMarker(MarkersOf(*structure.package), "kubebuilder:validation:Optional") != nullptr;
  Schema schema = {{"type", "object"}};
  JsonObject properties;
  if (IsRoot(structure)) AddTypeMeta(properties);
  schema.Set("properties", properties);
  for (const StructDecl* base : structure.bases) {
    Define(*base);
    ListAt(schema, "allOf").push_back(JsonObject({{"$ref", base->qualified}}));
  }
  std::vector<std::string> required;
  for (const FieldDecl& field : structure.fields) {
    if (!field.json_name.empty()) AddField(structure, field, optional_by_default, schema, required);
  }
  std::sort(required.begin(), required.end());
  if (!required.empty()) schema.Set("required", ToJsonList(required));
  CheckOneOf(structure, required);

  // A rule on the member itself is not asked when the member goes away.
  for (const FieldDecl& field : structure.fields) {
    const bool immutable = FindMarker(MarkersOf(field), "k8s:immutable") != nullptr;
    if (!immutable || std::binary_search(required.begin(), required.end(), field.json_name)) continue;
    AddValidation(schema, "!has(oldSelf." + field.json_name + ") || has(self." + field.json_name + ")",
                  "field " + field.json_name + " is immutable once set");
  }
  open_.pop_back();
  return Finish(structure, std::move(schema));
}

void SchemaBuilder::AddField(const StructDecl& structure, const FieldDecl& field, bool optional_by_default,
                             Schema& schema, std::vector<std::string>& required) {
  bool is_required = !optional_by_default && !IsOptional(field.type);
  if (IsRoot(structure) && (field.json_name == "metadata" || field.json_name == "status")) is_required = false;
  const Presence presence = PresenceOf(MarkersOf(field));
  if (presence != Presence::kUnsaid) is_required = presence == Presence::kRequired;
  if (is_required) required.push_back(field.json_name);
  schema["properties"].object().Set(field.json_name, SchemaOfField(field));
}

Schema SchemaBuilder::SchemaOfField(const FieldDecl& field) {
  const std::vector<ParsedMarker>& markers = MarkersOf(field);
  Schema schema;
  if (FindMarker(markers, "kubebuilder:validation:Schemaless") == nullptr)
    schema = SchemaOf(field.type, field.position);
  SetDescription(schema, field.comment);
  ApplySchemaMarkers(markers, definitions_, schema, problems_);

  // What stands beside a reference must be of the same type as what is referred to.
  if (const ParsedMarker* type = FindMarker(markers, "kubebuilder:validation:Type")) {
    const Schema* definition = definitions_.Find(SchemaText(schema, "$ref"));
    const Json* behind = definition == nullptr ? nullptr : definitions_.FindMember(*definition, "type");
    if (behind != nullptr && *behind != *schema.find("type")) {
      problems_.Add(type->position, "+" + type->name + ": " + field.type.written + " is of type " +
                                        behind->string().str() + " already, which a member cannot change");
    }
  }
  RememberListMap(field.json_name, field.position, markers, schema);
  return schema;
}

void SchemaBuilder::RememberListMap(const std::string& name, const SourcePosition& position,
                                    const std::vector<ParsedMarker>& markers, const Schema& schema) {
  if (SchemaText(schema, "x-kubernetes-list-type") != "map") return;
  const ParsedMarker* marker = FindMarker(markers, "listType");
  if (marker == nullptr) marker = FindMarker(markers, "k8s:listType");
  list_maps_.push_back({marker == nullptr ? position : marker->position, name, schema});
}

Schema SchemaBuilder::SchemaOf(const TypeUse& use, const SourcePosition& position) {
  switch (use.shape) {
    case Shape::kBool: return {{"type", "boolean"}};
    case Shape::kInt32: return {{"type", "integer"}, {"format", "int32"}};
    case Shape::kInt64: return {{"type", "integer"}, {"format", "int64"}};
    case Shape::kDouble:
      if (!options_.allow_dangerous_types) {
        problems_.Add(position,
                      "floating-point numbers lose digits between languages: write std::string or keelson::Quantity, "
                      "or generate with --allow-dangerous-types");
      }
      return {{"type", "number"}};
    case Shape::kString: return {{"type", "string"}};
    case Shape::kBytes: return {{"type", "string"}, {"format", "byte"}};
    case Shape::kOptional: return SchemaOf(*use.element, position);
    case Shape::kList: return {{"type", "array"}, {"items", SchemaOf(*use.element, position)}};
    case Shape::kMap: return {{"type", "object"}, {"additionalProperties", SchemaOf(*use.element, position)}};
    case Shape::kEnum: Define(*use.enumeration); return {{"$ref", use.enumeration->qualified}, {"type", "string"}};
    case Shape::kStruct:
      // Here and not in Define, so that the problem is at the member that closes the circle.
      if (std::find(open_.begin(), open_.end(), use.structure) != open_.end()) {
        Enter(*use.structure, position);
        return {};
      }
      Define(*use.structure);
      return {{"$ref", use.structure->qualified}};
    case Shape::kAlias: {
      const Schema definition = Define(*use.alias);
      Schema schema = {{"$ref", use.alias->qualified}};
      // Markers on the member need to know; a struct behind the name is found by its reference.
      for (const char* member : {"format", "type"}) {
        if (const Json* value = definition.find(member)) schema.Set(member, *value);
      }
      return schema;
    }
    case Shape::kBuiltin: {
      const Schema* definition = definitions_.Find(use.builtin);
      if (definition == nullptr) {
        problems_.Add(position, "no schema is known for the built-in type " + use.builtin + " (" + use.written +
                                    "): use another type, or write `// +kubebuilder:validation:Schemaless` above");
        return {};
      }
      Schema schema = {{"$ref", use.builtin}};
      if (SchemaText(*definition, "type") == "array" || definition->contains("additionalProperties")) {
        schema.Set("type", *definition->find("type"));
      }
      return schema;
    }
  }
  return {};
}

void SchemaBuilder::CheckOneOf(const StructDecl& structure, const std::vector<std::string>& required) {
  std::set<std::string> names;
  CollectNames(structure, names);
  for (const ParsedMarker* marker : OneOfMarkers(MarkersOf(structure))) {
    for (const std::string& name : TextsOf(marker->value)) {
      if (name.find('.') != std::string::npos) {
        problems_.Add(marker->position, "+" + marker->name + ": '" + name +
                                            "' is a member of a member; name members of " + structure.name + " itself");
      } else if (!names.contains(name)) {
        problems_.Add(marker->position, "+" + marker->name + ": " + structure.name + " has no member '" + name + "'");
      } else if (std::binary_search(required.begin(), required.end(), name)) {
        problems_.Add(marker->position, "+" + marker->name + ": '" + name +
                                            "' is required, so it is always set: make it std::optional or mark it "
                                            "+optional");
      }
    }
  }
}

void SchemaBuilder::CheckListMaps() {
  SchemaFlattener flattener(definitions_);
  for (const ListMap& list : list_maps_) {
    const Schema flat = flattener.Flatten(list.schema);
    const Json* keys = flat.find("x-kubernetes-list-map-keys");
    if (keys == nullptr) {
      problems_.Add(list.position, "'" + list.name + "' is a list-map without a key: write `// +listMapKey=NAME` too");
      continue;
    }
    const Json* items = flat.find("items");
    const Json* properties = items == nullptr ? nullptr : items->find("properties");
    const Json* required = items == nullptr ? nullptr : items->find("required");
    const std::vector<std::string> always = required == nullptr ? std::vector<std::string>() : TextsOf(*required);
    for (const std::string& key : TextsOf(*keys)) {
      const Json* property = properties == nullptr ? nullptr : properties->find(key);
      if (property == nullptr) {
        problems_.Add(list.position,
                      "elements of '" + list.name + "' have no member '" + key + "', which +listMapKey names");
      } else if (std::find(always.begin(), always.end(), key) == always.end() && property->find("default") == nullptr) {
        problems_.Add(list.position, "'" + key + "' is a key of the list-map '" + list.name +
                                         "': make it required, or give it a default");
      }
    }
  }
}

}  // namespace keelson::codegen
