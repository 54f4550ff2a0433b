// What is served, described in OpenAPI v3: an index at /openapi/v3 and a document for each group-version, with the
// operations that clients check their parameters against and the schemas of the kinds.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "keelson/api/json.h"
#include "keelson/apiserver/exchange.h"
#include "keelson/apiserver/resource.h"
#include "keelson/core/mutex.h"

namespace keelson::apiserver {

// Thread-safe. Documents are made when they are first asked for, and kept.
class OpenApi {
 public:
  explicit OpenApi(const ResourceTable& resources) : resources_(resources) {}

  // Answers when the path is one of these; false when it is not.
  bool Serve(Exchange& exchange);

 private:
  // Of "api/v1" or "apis/apps/v1"; null when nothing is served there.
  const String* Find(const std::string& path);
  String Make(std::string_view group, std::string_view version) const;

  const ResourceTable& resources_;
  Mutex mutex_{"openapi"};
  std::map<std::string, String> documents_;  // guarded by mutex_; entries stay where they are
};

// data/kubernetes/schemas.json, which is part of the program.
std::string_view OpenApiSchemaText();

}  // namespace keelson::apiserver
