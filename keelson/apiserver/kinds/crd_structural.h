// Whether the schema of a custom resource is structural: every value that it speaks of has a type outside of allOf,
// anyOf, oneOf and not, and these say nothing but checks.
//
//   if (std::string_view problem = WhyNotConvertible(schema); !problem.empty()) …   // has no structural form at all
//   if (!CheckStructural(schema, path, errors)) …                                   // reported
#pragma once

#include <string_view>

#include "keelson/api/apiextensions/v1.h"
#include "keelson/apiserver/kinds/field_errors.h"
#include "keelson/apiserver/kinds/path.h"

namespace keelson::apiserver {

// The first keyword in the schema or below that no structural schema can have; empty: none.
std::string_view WhyNotConvertible(const apiextensionsv1::JSONSchemaProps& schema);

// Of a whole schema that is convertible. True when nothing is wrong. What is wrong is reported in the order of its
// text.
bool CheckStructural(const apiextensionsv1::JSONSchemaProps& schema, const Path& path, FieldErrors& errors);

}  // namespace keelson::apiserver
