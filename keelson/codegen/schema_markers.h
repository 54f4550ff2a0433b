// What markers on a type or a member say about its schema.
//
//   Schema schema = {{"type", "string"}};
//   ApplySchemaMarkers(ParseMarkers(…), definitions, schema, problems);       // +kubebuilder:validation:MinLength=1
//
// A marker that does not fit the type (a length on an integer) is a problem.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "keelson/codegen/markers.h"
#include "keelson/codegen/schema.h"
#include "keelson/codegen/schema_flatten.h"

namespace keelson::codegen {

// All that speak of schemas, in controller-gen's order: those that others depend on (Type, XIntOrString, listType,
// +default) first, then the rest as written; those for the items of a list last. Where `schema` is a reference,
// `definitions` tells what it refers to.
void ApplySchemaMarkers(const std::vector<ParsedMarker>& markers, const SchemaDefinitions& definitions, Schema& schema,
                        Diagnostics& problems);

// +kubebuilder:validation:Optional, +optional, +k8s:optional and their opposites. A member without any: kUnsaid.
enum class Presence { kUnsaid, kOptional, kRequired };
Presence PresenceOf(const std::vector<ParsedMarker>& markers);

// Adds a rule in CEL with its message.
void AddValidation(Schema& schema, std::string_view rule, std::string_view message);

// The markers that name members of which a number must be set: ExactlyOneOf, AtMostOneOf, AtLeastOneOf.
std::vector<const ParsedMarker*> OneOfMarkers(const std::vector<ParsedMarker>& markers);
std::vector<std::string> TextsOf(const Json& list);

}  // namespace keelson::codegen
