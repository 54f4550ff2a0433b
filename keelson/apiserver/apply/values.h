// What server-side apply does with documents of a known shape: sets of their fields, differences, merges.
//
//   KEELSON_RETURN_IF_ERROR(CheckValue(shape, applied));
//   Json merged = MergeValues(shape, live, applied);
//   merged = WithoutItems(shape, merged, given_up);
//
// The rules are those of a Kubernetes server, with its words where a document does not fit.
#pragma once

#include <string>

#include "keelson/api/json.h"
#include "keelson/apiserver/apply/field_set.h"
#include "keelson/apiserver/apply/shape.h"

namespace keelson::apiserver {

// What is wrong with the document, as the server tells it: ".spec.x: field not declared in schema", or "errors:" and
// a line for each. Empty when nothing is.
std::string CheckValue(const Shape& shape, const Json& value);

// Every field of the document.
FieldSet FieldsOf(const Shape& shape, const Json& value);

struct Comparison {
  FieldSet added = {};
  FieldSet modified = {};
  FieldSet removed = {};

  bool empty() const { return added.empty() && modified.empty() && removed.empty(); }
};
Comparison CompareDocuments(const Shape& shape, const Json& before, const Json& after);

// What happened to a value as a whole.
struct Change {
  bool added = false;
  bool modified = false;
  bool removed = false;
};
// Null: it is not there on that side. What is below it goes to `below`.
Change CompareValue(const Shape& shape, const Json* before, const Json* after, Comparison& below);
// Files under `element` what happened to it and below it. `last`: it comes behind all that is there.
void AddChange(const PathElement& element, Change change, Comparison&& below, Comparison& comparison, bool last);

// `applied` into `live`: nothing is removed; where both say something, `applied` wins.
Json MergeValues(const Shape& shape, const Json& live, const Json& applied);

// The document without these members and elements.
Json WithoutItems(const Shape& shape, const Json& value, const FieldSet& items);

// Fields of structs count as members where anything below them is one.
FieldSet WithNamedFields(const Shape& shape, const FieldSet& set);

// A set that was written when fields below were fields of their own, which now are one: they become that one.
FieldSet FitToShape(const Shape& shape, const FieldSet& set);

}  // namespace keelson::apiserver
