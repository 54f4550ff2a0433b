// Lists that are sets or maps (x-kubernetes-list-type) hold no element twice.
//
//   ValidateListTypes(object.content, *schema, errors);
//
// An update may leave duplicates that were there before: check the old object first, and when that has errors do not
// report those of the new one.
#pragma once

#include "keelson/api/json.h"
#include "keelson/apiserver/kinds/field_errors.h"
#include "keelson/apiserver/schema/schema.h"

namespace keelson::apiserver {

void ValidateListTypes(const Json& content, const Schema& schema, FieldErrors& errors);
// The same for an update.
void ValidateListTypesUpdate(const Json& content, const Json& old_content, const Schema& schema, FieldErrors& errors);

}  // namespace keelson::apiserver
