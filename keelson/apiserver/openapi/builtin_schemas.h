// The schemas of the built-in kinds, as each version of OpenAPI has them, and which of them belong together.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "keelson/api/gvk.h"
#include "keelson/api/json.h"
#include "keelson/apiserver/openapi/operation.h"

namespace keelson::apiserver::openapi {

inline constexpr std::string_view kMetaSchema = "io.k8s.apimachinery.pkg.apis.meta.v1.";

// By name. Made once; the nodes of documents share with it.
const JsonObject& BuiltinSchemas(Version version);

// Of a built-in kind; empty when it has none.
std::string BuiltinSchemaName(const GroupVersionKind& kind);

// Adds to `schemas` every built-in schema that `document` refers to, and those that they refer to in turn.
void AddReferenced(const Json& document, Version version, JsonObject& schemas);

// DeleteOptions and WatchEvent are kinds of every group. A document says of which: of the core and the given one;
// for custom kinds of all that Go's client knows, and in version 2 of all that a server knows.
void SetSharedKinds(JsonObject& schemas, std::string_view group, std::string_view version);
void SetSharedKindsOfClients(JsonObject& schemas);
void SetSharedKindsOfServers(JsonObject& schemas);

// Fields that every object has are described in these words.
inline constexpr std::string_view kApiVersionText =
    "APIVersion defines the group and version that the object is written in.";
inline constexpr std::string_view kKindText = "Kind names the type of the object, in CamelCase.";
inline constexpr std::string_view kMetadataText = "Standard object's metadata: its name, labels, owners and history.";

}  // namespace keelson::apiserver::openapi
