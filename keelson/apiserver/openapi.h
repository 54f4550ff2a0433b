// What is served, described in OpenAPI: version 3 as an index at /openapi/v3
// and a document for each group-version, version 2 as one document at
// /openapi/v2. Both in JSON and in protobuf.
#pragma once

#include <string_view>

#include "keelson/apiserver/exchange.h"
#include "keelson/apiserver/openapi/documents.h"
#include "keelson/apiserver/resource.h"

namespace keelson::apiserver {

// Thread-safe.
class OpenApi {
 public:
  explicit OpenApi(const ResourceTable& resources) : documents_(resources) {}

  // Answers when the path is one of these; false when it is not.
  bool Serve(Exchange& exchange);

 private:
  openapi::Documents documents_;
};

// data/kubernetes/schemas.json, which is part of the program.
std::string_view OpenApiSchemaText();

}  // namespace keelson::apiserver
