// The schema of a custom resource's version in the form that the server works with: structural, patterns compiled,
// defaults and enums parsed.
//
//   KEELSON_TRY(schema, CompileSchema(*version.schema->openAPIV3Schema));     // compile.h
//   Prune(content, *schema, …);  ApplyDefaults(content, *schema);  ValidateValue(content, *schema, …);
//
// One struct serves for the schema proper and for what stands inside allOf, anyOf, oneOf and not, where only checks and
// further properties and items mean anything. Immutable once compiled: read from any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/api/json.h"
#include "keelson/api/type.h"

namespace re2 {
class RE2;
}

namespace keelson::apiserver {

// An entry of x-kubernetes-validations.
struct SchemaRule {
  std::string rule;
  std::string message = {};
  std::string message_expression = {};
  std::string reason = {};      // "FieldValueInvalid" …; empty: that one
  std::string field_path = {};  // ".spec.replicas", relative to where the rule stands
  std::optional<bool> optional_old_self = {};
};

enum class SchemaType : uint8_t { kAny, kObject, kArray, kString, kInteger, kNumber, kBoolean };

struct Schema {
  struct Property;

  SchemaType type = SchemaType::kAny;
  std::string format = {};
  bool nullable = false;
  bool int_or_string = false;      // x-kubernetes-int-or-string
  bool preserve_unknown = false;   // x-kubernetes-preserve-unknown-fields
  bool embedded_resource = false;  // x-kubernetes-embedded-resource
  ListType list_type = ListType::kAtomic;
  std::vector<std::string> list_keys = {};
  bool atomic_map = false;  // x-kubernetes-map-type: atomic

  std::vector<Property> properties;              // ordered by name
  std::unique_ptr<Schema> additional = nullptr;  // schema of the values of a map
  bool additional_allowed = false;               // additionalProperties: true, or a schema
  std::unique_ptr<Schema> items = nullptr;

  std::optional<Json> default_ = {};
  std::vector<Json> enum_ = {};
  std::optional<double> minimum = {};
  std::optional<double> maximum = {};
  bool exclusive_minimum = false;
  bool exclusive_maximum = false;
  std::optional<double> multiple_of = {};
  std::optional<int64_t> min_length = {};
  std::optional<int64_t> max_length = {};
  std::string pattern = {};
  std::shared_ptr<const re2::RE2> compiled_pattern = nullptr;
  std::optional<int64_t> min_items = {};
  std::optional<int64_t> max_items = {};
  bool unique_items = false;
  std::optional<int64_t> min_properties = {};
  std::optional<int64_t> max_properties = {};
  std::vector<std::string> required = {};  // in the order of the schema
  std::vector<Schema> all_of = {};
  std::vector<Schema> any_of = {};
  std::vector<Schema> one_of = {};
  std::unique_ptr<Schema> not_ = nullptr;

  std::vector<SchemaRule> rules = {};

  // Whether anything below, here included, has a default; has rules. So that the common case costs nothing.
  bool has_defaults = false;
  bool has_rules = false;

  // Null when there is none of that name.
  const Schema* FindProperty(std::string_view name) const;
  // What a member of that name has to be like: the property, else the map's values; null when nothing is said of it.
  const Schema* Member(std::string_view name) const;
};

struct Schema::Property {
  std::string name;
  Schema schema;
};

using SchemaPtr = std::shared_ptr<const Schema>;

}  // namespace keelson::apiserver
