// A schema while it is made: a JSON object with the members of an OpenAPI v3 schema, and `$ref` with the name of a
// type.
//
// Generators work on the JSON form because most of them treat all members alike; the finished schema is read into
// apiextensionsv1::JSONSchemaProps.
#pragma once

#include <string>
#include <string_view>

#include "keelson/api/json.h"

namespace keelson::codegen {

using Schema = JsonObject;

// The text of a member such as `type`; "" when it is not there.
inline std::string_view SchemaText(const Schema& schema, std::string_view member) {
  const Json* value = schema.find(member);
  return value != nullptr && value->is_string() ? value->string().view() : std::string_view();
}

// `false` is the same as nothing, and is not written.
inline void SetFlag(Schema& schema, std::string_view member, bool value) {
  if (value) {
    schema.Set(String(member), true);
  } else {
    schema.erase(member);
  }
}

// The list at that member for appending, made when absent.
inline JsonList& ListAt(Schema& schema, std::string_view member) {
  Json& value = schema[member];
  if (!value.is_list()) value = JsonList();
  return value.list();
}

}  // namespace keelson::codegen
