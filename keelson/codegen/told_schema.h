// A JSON schema told in comments: what GenerateTypes writes above a struct, an alias or a member.
//
//   ToldSchema told = TellSchema(schema, {.type = "integer"}, SchemaPlace::kField);
//   told.markers;   // "kubebuilder:validation:Minimum=1", "nullable"
//   told.rest;      // {"anyOf": […]}: keywords that no marker tells
//
// The keywords that no marker of Kubernetes tells are left to `+keelson:schema`, a merge patch of the schema.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "keelson/codegen/schema.h"

namespace keelson::codegen {

// Where the text will stand. Markers of list items are the `items:` forms and stand on the list.
enum class SchemaPlace { kField, kType, kItems };

struct ToldSchema {
  std::vector<std::string> markers;  // without the `+`
  Schema rest;

  bool empty() const { return markers.empty() && rest.empty(); }
};

// What the C++ type tells by itself.
struct TypeSchema {
  Schema keywords;
  // "string", "integer", … as markers see it; "" where they see a reference to a built-in type.
  std::string type;
  bool is_struct = false;
};

// The difference between `schema` and what the type tells. Leaves out description, properties, required, items and
// additionalProperties, which are told otherwise.
ToldSchema TellSchema(const Schema& schema, const TypeSchema& told, SchemaPlace place);

// A value in the syntax of markers.
std::string MarkerString(std::string_view text);
// Always within quotes.
std::string QuotedMarkerString(std::string_view text);

// The lines of a comment that give the description back. Not every text can be one: `exact` tells, and the lines are
// then at least readable.
struct DescriptionText {
  std::vector<std::string> lines;
  bool exact = true;
};
DescriptionText TellDescription(std::string_view description);

}  // namespace keelson::codegen
