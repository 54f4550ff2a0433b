// Removes what a schema does not know of from a custom object.
//
//   std::vector<std::string> unknown;
//   Prune(object.content, *schema, &unknown);        // {"spec.foo", "spec.list[0].x"}
//   PruneNulls(object.content, *schema);
//
// Values that have nothing to remove are left as they are: nothing is copied. For the whole content of an object and
// for a value anywhere within (a default, say) alike.
#pragma once

#include <string>
#include <vector>

#include "keelson/api/json.h"
#include "keelson/apiserver/schema/schema.h"

namespace keelson::apiserver {

// Members without a property, in a map's values and in lists too, unless unknown ones are preserved there. apiVersion,
// kind and metadata of an embedded resource stay. The paths of what was removed are added to `removed`, sorted, in the
// form in which they stand in `unknown field "…"`.
void Prune(Json& value, const Schema& schema, std::vector<std::string>* removed = nullptr);

// Members that are null although that is not allowed and for which there is no default.
void PruneNulls(Json& value, const Schema& schema);

}  // namespace keelson::apiserver
