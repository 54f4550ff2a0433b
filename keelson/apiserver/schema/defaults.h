// Fills in the defaults of a schema.
//
//   ApplyDefaults(object.content, *schema);
//
// Done when an object is written and again when it is read, since its schema may have got new defaults meanwhile. Costs
// nothing where the schema has none.
#pragma once

#include "keelson/api/json.h"
#include "keelson/apiserver/schema/schema.h"

namespace keelson::apiserver {

// A member that is not there, or is null although that is not allowed, gets its default; also within what was there,
// within lists and maps, and within defaults themselves. `value` is the content of an object: what a schema says of
// apiVersion, kind and metadata at the root is left to others.
void ApplyDefaults(Json& value, const Schema& schema);

}  // namespace keelson::apiserver
