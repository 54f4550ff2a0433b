// create, update, patch, delete and deletecollection, as requests ask for them.
#pragma once

#include "keelson/apiserver/exchange.h"
#include "keelson/apiserver/objects.h"

namespace keelson::apiserver {

Result<Reply> CreateObject(Exchange& exchange, Objects& objects);
Result<Reply> UpdateObject(Exchange& exchange, Objects& objects);
Result<Reply> PatchObject(Exchange& exchange, Objects& objects);
Result<Reply> DeleteObject(Exchange& exchange, Objects& objects);
// Answers the exchange itself, with the list of what was deleted.
void DeleteCollection(Exchange& exchange, Objects& objects);

// The request's body as an object of that type, with the options of the request.
Result<AnyValue> ReadBody(Exchange& exchange, const Type& type, FieldValidation validation);
// The patch that the request brings. Error: 415, 400.
Result<std::pair<PatchKind, std::string>> ReadPatch(const Exchange& exchange);
// Name and namespace of an object must be those of the request.
Result<void> CheckIdentity(const Exchange& exchange, const metav1::ObjectMeta& meta);

}  // namespace keelson::apiserver
