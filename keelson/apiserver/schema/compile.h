// From the schema that a CustomResourceDefinition carries to the form that the server works with.
//
//   KEELSON_TRY(schema, CompileSchema(*version.schema->openAPIV3Schema));
//
// Nothing is added: what an embedded resource implies (apiVersion, kind, metadata) is known to those who walk over one,
// as is that of the root. `default: null` is no default.
#pragma once

#include "keelson/api/apiextensions/v1.h"
#include "keelson/apiserver/schema/schema.h"
#include "keelson/core/result.h"

namespace keelson::apiserver {

// Fails only on a schema that the checks of a CustomResourceDefinition refuse: with a keyword that has no structural
// form ($ref, patternProperties, a list of items …), a pattern that is no regular expression, or deeper than any
// document that the server reads.
Result<SchemaPtr> CompileSchema(const apiextensionsv1::JSONSchemaProps& source);

// The regular expression of a pattern. Syntax and messages are those of Go's regexp.
Result<std::shared_ptr<const re2::RE2>> CompilePattern(std::string_view pattern);

// The first keyword that has no structural form, as upstream words it; empty: none at this level.
std::string_view UnsupportedKeyword(const apiextensionsv1::JSONSchemaProps& source);

}  // namespace keelson::apiserver
