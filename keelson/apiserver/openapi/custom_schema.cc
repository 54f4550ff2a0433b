#include <fmt/format.h>

#include "keelson/apiserver/openapi/builtin_schemas.h"
#include "keelson/apiserver/openapi/custom_version.h"

namespace keelson::apiserver::openapi {

namespace {

// Depth is bounded by the reader of the definition.

bool IsTrue(const Json& schema, std::string_view key) {
  const Json* value = schema.find(key);
  return value != nullptr && value->is_bool() && value->boolean();
}

bool HasType(const Json& schema, std::string_view type) {
  const Json* value = schema.find("type");
  return value != nullptr && value->is_string() && value->string() == type;
}

Json IntegerOrString() {
  return Json::Array({Json::Object({{"type", Json("integer")}}), Json::Object({{"type", Json("string")}})});
}

// An alternative says what values may be, not which members they have: a schema of further members has no place in it.
Json Alternative(const Json& schema) {
  if (!schema.is_object()) return schema;
  Json written = schema;
  written.object().erase("additionalProperties");
  for (const std::string_view key : {"items", "not"}) {
    if (const Json* inner = schema.find(key)) written.object().Set(String(key), Alternative(*inner));
  }
  for (const std::string_view key : {"allOf", "anyOf", "oneOf"}) {
    const Json* inner = schema.find(key);
    if (inner == nullptr || !inner->is_list()) continue;
    JsonList list;
    for (const Json& one : inner->list()) list.push_back(Alternative(one));
    written.object().Set(String(key), Json(std::move(list)));
  }
  if (const Json* properties = schema.find("properties")) {
    Json members = Json::Object();
    for (const auto& [name, member] : properties->object()) members.object().Set(name, Alternative(member));
    written.object().Set("properties", std::move(members));
  }
  return written;
}

// Says in plain words what x-kubernetes-int-or-string means, unless the schema says so itself.
void SpellOutIntegerOrString(Json& schema) {
  const Json spelled = IntegerOrString();
  const Json* any = std::as_const(schema).find("anyOf");
  const Json* all = std::as_const(schema).find("allOf");
  if (any != nullptr && *any == spelled) return;
  if (all != nullptr && all->is_list() && !all->list().empty() &&
      all->list()[0] == Json::Object({{"anyOf", spelled}})) {
    return;
  }
  if (any == nullptr) {
    schema.object().Set("anyOf", spelled);
    return;
  }
  JsonList list{Json::Object({{"anyOf", spelled}})};
  if (all != nullptr && all->is_list()) {
    for (const Json& one : all->list()) list.push_back(one);
  }
  schema.object().Set("allOf", Json(std::move(list)));
}

// Leaves out what version 2 cannot say. Looks at the members as they were given: a nullable one is not required.
void ReduceToV2(Json& schema, const Json& given) {
  JsonObject& members = schema.object();
  for (const std::string_view key : {"allOf", "oneOf", "anyOf", "not", "default"}) members.erase(key);
  if (IsTrue(given, "nullable")) {
    for (const std::string_view key : {"type", "nullable", "items", "properties"}) members.erase(key);
  }
  if (IsTrue(given, "x-kubernetes-preserve-unknown-fields")) {
    for (const std::string_view key : {"items", "properties"}) members.erase(key);
    if (HasType(schema, "object")) members.erase("type");
  }
  if (HasType(schema, "array") && !members.contains("items")) members.erase("type");
  const Json* further = given.find("additionalProperties");
  if (further != nullptr && IsTrue(*further, "nullable")) members.erase("required");
  const Json* required = std::as_const(schema).find("required");
  const Json* properties = std::as_const(schema).find("properties");
  if (required == nullptr || !required->is_list() || properties == nullptr) return;
  JsonList kept;
  for (const Json& name : required->list()) {
    const Json* property = name.is_string() ? given.find("properties")->find(name.string().view()) : nullptr;
    if (property == nullptr || !IsTrue(*property, "nullable")) kept.push_back(name);
  }
  if (kept.empty()) {
    members.erase("required");
  } else {
    members.Set("required", Json(std::move(kept)));
  }
}

Json MetadataProperty(std::string_view kind, std::string_view text, Version version) {
  const std::string name = fmt::format("{}{}", kMetaSchema, kind);
  Json property = version == Version::kV2 ? Reference(name, version)
                                          : Json::Object({{"allOf", Json(JsonList{Reference(name, version)})}});
  property.object().Set("description", Json(text));
  return property;
}

Json TextProperty(std::string_view text) {
  return Json::Object({{"description", Json(text)}, {"type", Json("string")}});
}

void SetProperty(Json& schema, std::string_view name, Json property) {
  if (schema.find("properties") == nullptr) schema.object().Set("properties", Json::Object());
  schema.object()["properties"].object().Set(String(name), std::move(property));
}

void SetObjectProperties(Json& schema, Version version) {
  SetProperty(schema, "apiVersion", TextProperty(kApiVersionText));
  SetProperty(schema, "kind", TextProperty(kKindText));
  SetProperty(schema, "metadata", MetadataProperty("ObjectMeta", kMetadataText, version));
}

// An object within an object has a type and metadata, too.
void Embed(Json& schema, Version version) {
  if (version == Version::kV2 && IsTrue(schema, "x-kubernetes-preserve-unknown-fields")) return;
  SetObjectProperties(schema, version);
  JsonList required;
  if (const Json* given = std::as_const(schema).find("required"); given != nullptr && given->is_list()) {
    required = given->list();
  }
  for (const std::string_view name : {"kind", "apiVersion"}) {
    bool there = false;
    for (const Json& one : std::as_const(required)) there = there || one == Json(name);
    if (!there) required.push_back(Json(name));
  }
  schema.object().Set("required", Json(std::move(required)));
}

Json Publish(const Json& given, Version version) {
  if (!given.is_object()) return given;
  Json schema = given;
  if (version == Version::kV2) {
    ReduceToV2(schema, given);
  } else {
    if (const Json* inner = given.find("not")) schema.object().Set("not", Alternative(*inner));
    for (const std::string_view key : {"allOf", "anyOf", "oneOf"}) {
      const Json* inner = given.find(key);
      if (inner == nullptr || !inner->is_list()) continue;
      JsonList list;
      for (const Json& one : inner->list()) list.push_back(Alternative(one));
      schema.object().Set(String(key), Json(std::move(list)));
    }
    if (IsTrue(given, "x-kubernetes-int-or-string")) SpellOutIntegerOrString(schema);
  }
  for (const std::string_view key : {"items", "additionalProperties"}) {
    if (const Json* inner = std::as_const(schema).find(key)) {
      schema.object().Set(String(key), Publish(Json(*inner), version));
    }
  }
  if (const Json* properties = std::as_const(schema).find("properties")) {
    Json members = Json::Object();
    for (const auto& [name, member] : properties->object()) members.object().Set(name, Publish(member, version));
    schema.object().Set("properties", std::move(members));
  }
  if (IsTrue(schema, "x-kubernetes-embedded-resource")) Embed(schema, version);
  return schema;
}

void SetKind(Json& schema, const PublishedVersion& published, const std::string& kind) {
  schema.object().Set(
      "x-kubernetes-group-version-kind",
      Json::Array({Json::Object(
          {{"group", Json(published.group)}, {"kind", Json(kind)}, {"version", Json(published.version)}})}));
  if (published.selectable_fields.empty()) return;
  JsonList fields;
  for (const std::string& field : published.selectable_fields) {
    fields.push_back(Json::Object({{"fieldPath", Json(field)}}));
  }
  schema.object().Set("x-kubernetes-selectable-fields", Json(std::move(fields)));
}

}  // namespace

std::string CustomSchemaName(std::string_view group, std::string_view version, std::string_view kind) {
  std::string reversed;
  while (!group.empty()) {
    const size_t dot = group.rfind('.');
    reversed += group.substr(dot == std::string_view::npos ? 0 : dot + 1);
    reversed += '.';
    group = group.substr(0, dot == std::string_view::npos ? 0 : dot);
  }
  return fmt::format("{}{}.{}", reversed, version, kind);
}

Json CustomSchema(const PublishedVersion& published, Version version) {
  const bool unknown_fields = IsTrue(published.schema, "x-kubernetes-preserve-unknown-fields");
  // A client that reads version 2 takes properties for all that there are.
  const bool plain = !published.schema.is_object() || (version == Version::kV2 && unknown_fields);
  Json schema = plain ? Json::Object({{"type", Json("object")}}) : Publish(published.schema, version);
  if (!plain) SetObjectProperties(schema, version);
  SetKind(schema, published, published.kind);
  return schema;
}

Json CustomListSchema(const PublishedVersion& published, Version version) {
  Json items = Json::Object(
      {{"description", Json(fmt::format("The {} of this list.", published.plural))},
       {"type", Json("array")},
       {"items", Reference(CustomSchemaName(published.group, published.version, published.kind), version)}});
  Json schema = Json::Object({{"description", Json(fmt::format("A list of {}.", published.plural))},
                              {"type", Json("object")},
                              {"required", Json::Array({Json("items")})}});
  SetProperty(schema, "apiVersion", TextProperty(kApiVersionText));
  SetProperty(schema, "kind", TextProperty(kKindText));
  SetProperty(schema, "items", std::move(items));
  SetProperty(schema, "metadata",
              MetadataProperty("ListMeta", "Standard list metadata: its version, and where it goes on.", version));
  SetKind(schema, published, published.list_kind);
  return schema;
}

}  // namespace keelson::apiserver::openapi
