// Checks values against a schema, in the words of a kube-apiserver.
//
//   FieldErrors errors;
//   ValidateDocument(*schema, {.api_version = …, .kind = …, .name = …}, object.content, nullptr, errors);
//   // … the paths of the scale subresource
//   ValidateEmbedded(object.content, *schema, errors);                              // embedded_metadata.h
//   ValidateListTypes(object.content, *schema, errors);                             // list_types.h
//   if (schema->has_rules && MayRunRules(errors)) …                                 // else say kRulesNotRun
//
// What is wrong already in the old object and unchanged in the new one is not reported. A value that is right costs one
// walk and no allocation. Errors of one object come in the order of its members' names; upstream's come in any.
#pragma once

#include <string_view>

#include "keelson/api/json.h"
#include "keelson/apiserver/kinds/field_errors.h"
#include "keelson/apiserver/kinds/path.h"
#include "keelson/apiserver/schema/schema.h"

namespace keelson::apiserver {

// The members of a document that are not part of its content, as far as a schema may restrict them.
struct DocumentHead {
  std::string_view api_version;
  std::string_view kind;
  std::string_view name;
  std::string_view generate_name = {};
};

// A custom object as a whole. `old_content` is null for a new one.
void ValidateDocument(const Schema& schema, const DocumentHead& head, const Json& content, const Json* old_content,
                      FieldErrors& errors);

// A value by itself: the status of an object, a default. Fields are those below `path`; the texts name them without it,
// as upstream's do. `old` is null when there was none.
void ValidateValue(const Schema& schema, const Json& value, const Json* old, const Path& path, FieldErrors& errors);

// Whether a value is right, without a word why.
bool IsValid(const Schema& schema, const Json& value);

// Rules are not evaluated on an object whose very shape is wrong. Upstream then reports, with the path <nil> and the
// value null, kRulesNotRun.
bool MayRunRules(const FieldErrors& errors);
inline constexpr std::string_view kRulesNotRun =
    "some validation rules were not checked because the object was invalid; correct the existing errors to complete "
    "validation";

}  // namespace keelson::apiserver
