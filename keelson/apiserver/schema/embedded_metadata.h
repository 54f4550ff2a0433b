// Whole objects inside of custom ones (x-kubernetes-embedded-resource): their apiVersion, kind and metadata.
//
//   KEELSON_RETURN_IF_ERROR(CoerceEmbedded(content, *schema, {.unknown = &unknown}));    // when it is read
//   ValidateEmbedded(content, *schema, errors);                                          // when it is checked
#pragma once

#include <string>
#include <vector>

#include "keelson/api/json.h"
#include "keelson/apiserver/kinds/field_errors.h"
#include "keelson/apiserver/schema/schema.h"
#include "keelson/core/result.h"

namespace keelson::apiserver {

struct CoerceOptions {
  // What is of the wrong type is dropped and is no error: so stored objects are read, which may be older than their
  // schema.
  bool drop_invalid = false;
  // Gets the paths of members of metadata that do not exist, sorted, as they stand in `unknown field "…"`.
  std::vector<std::string>* unknown = nullptr;
};

// Brings the metadata of embedded objects into the form that ObjectMeta is written in: members that do not exist are
// removed. Error: something is of the wrong type; its message begins with the path.
Result<void> CoerceEmbedded(Json& content, const Schema& schema, const CoerceOptions& options = {});

// apiVersion and kind are there and could be right; metadata is what any object's has to be.
void ValidateEmbedded(const Json& content, const Schema& schema, FieldErrors& errors);

}  // namespace keelson::apiserver
