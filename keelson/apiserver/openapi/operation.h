// The operations of an API, told without a version of OpenAPI in mind, and how each version writes them.
//
//   PathItem item{.path = "/api/v1/nodes/{name}"};
//   item.operations.push_back({.method = "get", .id = "readCoreV1Node", …});
//   Json v3 = WriteV3(item);
//   Json v2 = WriteV2(item);
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/api/gvk.h"
#include "keelson/api/json.h"

namespace keelson::apiserver::openapi {

// The two versions that are published. They name schemas by different references and differ in what a schema may say.
enum class Version : uint8_t { kV2, kV3 };

// All names and types are of static storage.
struct Parameter {
  std::string_view name;
  std::string_view type;  // "string", "integer", "boolean"
  bool in_path = false;
  // Not used for operations of different meaning, so that version 2 can have it once for all.
  bool shared = true;

  friend bool operator==(const Parameter&, const Parameter&) = default;
};
using Parameters = std::vector<Parameter>;

struct OperationAnswer {
  int code = 200;
  std::string schema = {};  // its name; empty: a string
};

struct Operation {
  std::string_view method;  // "get", "put", "post", "delete", "options", "head", "patch"
  std::string id;           // "listCoreV1NamespacedPod"
  std::string tag;          // "core_v1"
  std::string_view action = {};
  std::optional<GroupVersionKind> kind = {};
  Parameters parameters = {};  // those of the path too
  std::vector<std::string_view> consumes = {};
  std::vector<std::string_view> produces = {};
  std::string body = {};  // the name of its schema; empty: none
  bool body_required = true;
  std::vector<OperationAnswer> answers = {};
};

struct PathItem {
  std::string path;
  std::vector<Operation> operations = {};
};

// Parameters that all operations have stand once, with the path.
Json WriteV3(const PathItem& item);
Json WriteV2(const PathItem& item);
// What WriteV2 refers to below #/parameters.
Json SharedParametersV2();

// "#/components/schemas/NAME" or "#/definitions/NAME", as an object with that reference.
Json Reference(std::string_view schema, Version version);

// The names that operations of a group and version have in common: "coordination.k8s.io", "v1" make "CoordinationV1"
// and "coordination_v1". The core group is "".
std::string OperationInfix(std::string_view group, std::string_view version);
std::string OperationTag(std::string_view group, std::string_view version);
std::string Capitalised(std::string_view text);

// ---- Parameters by what an operation takes, all sorted by name. ----
Parameters ListParameters();
Parameters WriteParameters();
Parameters PatchParameters();
Parameters DeleteParameters();
Parameters DeleteCollectionParameters();
// Of what is connected to or read: "PodExecOptions"; "PodLogOptions". Nothing for kinds that are no options.
Parameters OptionsParameters(std::string_view kind);
// `name`, `namespace` and `path` as far as the path has them.
Parameters PathParameters(std::string_view path);

}  // namespace keelson::apiserver::openapi
