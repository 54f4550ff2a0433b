// Between the bytes of requests and of the store and the typed objects that rules work on.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "keelson/api/access.h"
#include "keelson/api/object.h"
#include "keelson/apiserver/content.h"
#include "keelson/apiserver/resource.h"
#include "keelson/apiserver/store/stored_object.h"
#include "keelson/core/result.h"

namespace keelson::apiserver {

// What to do with fields that the kind does not have, and with fields that come twice.
enum class FieldValidation : uint8_t { kIgnore, kWarn, kStrict };

// Reads a body as `type`, a root's. With kWarn each oddity becomes a warning. Errors are those of the API: 400.
Result<AnyValue> DecodeBody(const Type& type, std::string_view body, Format format, FieldValidation validation,
                            std::vector<std::string>& warnings);
// The same for a document that a patch made; oddities are those of the document.
Result<AnyValue> DecodeDocument(const Type& type, const Json& document, FieldValidation validation,
                                std::vector<std::string>& warnings);

// The stored object in the type it is stored as.
AnyValue DecodeStored(const Resource& resource, const StoredObject& stored);
// In the type of the resource's version.
AnyValue DecodeServed(const Resource& resource, const StoredObject& stored);
// From the stored type to the version's and back.
AnyValue ToServed(const Resource& resource, AnyValue stored);
AnyValue ToStored(const Resource& resource, AnyValue served);

// The values of the resource's selectable fields, in its order. `object` is of the stored type.
List<String> SelectableValues(const Resource& resource, const AnyValue& object);

// The object as a JSON tree.
Json DocumentOf(const AnyValue& object);

// What to store for an object of the stored type. Its resourceVersion is left out.
Draft EncodeDraft(const Resource& resource, AnyValue& object);

// Whether storing the draft would change nothing but the revision.
bool SameContent(const StoredObject& stored, const Draft& draft);

// The whole object as JSON in the resource's version: without a copy when that is the version it is stored in.
String ServedJson(const Resource& resource, const StoredObject& stored);
// Likewise its protobuf envelope.
String ServedProtobuf(const Resource& resource, const StoredObject& stored);

// The metadata of an object of the resource's types.
metav1::ObjectMeta& MetaOf(AnyValue& object);
const metav1::ObjectMeta& MetaOf(const AnyValue& object);

}  // namespace keelson::apiserver
