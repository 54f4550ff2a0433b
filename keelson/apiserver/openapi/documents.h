// Documents made of what is served, each when somebody first asks for it, and again when what it describes has
// changed.
//
//   Documents documents(resources);
//   std::shared_ptr<const Document> apps = documents.FindV3("apis/apps/v1");
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/api/json.h"
#include "keelson/apiserver/openapi/custom_version.h"
#include "keelson/apiserver/openapi/operation.h"
#include "keelson/apiserver/resource.h"
#include "keelson/core/clock.h"
#include "keelson/core/mutex.h"

namespace keelson::apiserver::openapi {

// Thread-safe.
class Document {
 public:
  Document(Version version, std::string json);

  const String& json() const { return json_; }
  // The hash of the text: 128 hexadecimal digits, upper case.
  const std::string& hash() const { return hash_; }
  WallTime made() const { return made_; }
  // Made when it is first asked for, and kept.
  String protobuf() const;

 private:
  const Version version_;
  const String json_;
  const std::string hash_;
  const WallTime made_;
  mutable Mutex mutex_{"openapi-document"};
  mutable String protobuf_;  // guarded by mutex_
};
using DocumentPtr = std::shared_ptr<const Document>;

// Thread-safe.
class Documents {
 public:
  explicit Documents(const ResourceTable& resources) : resources_(resources) {}

  // Where each document of version 3 is: "apis/apps/v1" and the like, with the hash of its text. A change of custom
  // resources makes only the documents anew that it touches.
  Json IndexV3();
  // Of "api/v1", "apis/apps", "version"; null when nothing is served there.
  DocumentPtr FindV3(const std::string& name);
  // Everything in one document.
  DocumentPtr V2();

 private:
  // What one document of version 3 describes.
  struct Subject {
    std::string name;
    std::string group = {};
    std::string version = {};
    ResourceList resources = {};       // of the group and version
    std::vector<PathItem> paths = {};  // those of discovery, when they are all there is
  };
  struct Made {
    ResourceList of;  // the document is of these and no others
    DocumentPtr document;
  };

  static std::vector<Subject> SubjectsOf(const ResourceList& resources);
  DocumentPtr MakeOnce(const Subject& subject);

  const ResourceTable& resources_;
  Mutex mutex_{"openapi"};
  // ---- guarded by mutex_ ----
  std::map<std::string, Made> made_;
  uint64_t generation_of_v2_ = 0;
  DocumentPtr v2_;
};

}  // namespace keelson::apiserver::openapi
