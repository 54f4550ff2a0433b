// The facts of data/kubernetes/ as the generator sees them: packages of types, in an order that C++ can compile.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace keelson::generator {

struct FieldFacts {
  std::string json_name;
  std::string member;   // C++ name
  std::string go_type;  // "*core/v1.Probe", "[]string", "map[string]string"
  int number = 0;       // protobuf; 0: none
  bool omit_empty = false;
  bool omit_zero = false;
  bool required = false;
  bool unique = false;
  bool patch_merge = false;
  bool patch_replace = false;
  bool patch_retain_keys = false;
  std::string patch_merge_key;
  std::string list_type;  // "", "atomic", "set", "map"
  std::string list_keys;  // comma-separated
  bool atomic = false;    // x-kubernetes-map-type: atomic
};

// A protobuf message: its own fields by index, and Go's inlined structs as messages inside.
struct MessageFacts {
  struct Row {
    int number;
    int field = -1;
    int nested = -1;  // index into TypeFacts::messages
  };
  std::vector<Row> rows;
};

// The resource that serves a kind: keelson/api/resource_info.h.
struct ResourceFacts {
  std::string plural;
  std::string singular;
  bool namespaced = false;
  bool has_status = false;
  bool has_scale = false;
};

struct TypeFacts {
  std::string key;        // "core/v1.Pod"
  std::string package;    // "core/v1"
  std::string name;       // "Pod"
  std::string alias_of;   // Go type, for named scalars, lists and maps
  bool is_value = false;  // a C++ class written by hand
  bool is_union = false;
  bool is_wrapped_list = false;
  bool has_protobuf = false;
  std::vector<FieldFacts> fields;
  std::vector<MessageFacts> messages;  // the first is the type's own
  bool is_root = false;
  std::string group, version, kind;
  std::optional<ResourceFacts> resource;  // of a root that is served
};

struct Package {
  std::string path;                // "core/v1"
  std::string header;              // "keelson/api/core/v1.h"
  std::string name_space;          // "corev1"
  std::vector<std::string> types;  // in an order that defines what is used by value first
  std::set<std::string> uses;      // other packages
};

struct Model {
  std::map<std::string, TypeFacts> types;
  std::map<std::string, Package> packages;
};

// Reads types.json, schemas.json and resources.json. Prints what is wrong and exits when the data does not fit.
Model ReadModel(const std::string& data_folder);

// The source that defines BuiltinResources().
std::string EmitResources(const Model& model, const std::string& data_folder);

// "corev1::PodSpec", "keelson::Optional<int32_t>": the C++ spelling of a Go type.
std::string CppType(const Model& model, const std::string& go_type);

// The default initialiser of a member of that Go type: "0", "false", "{}".
std::string CppInitialiser(const Model& model, const std::string& go_type);

// Whether a member of that Go type is a struct in place, which must be complete before.
const TypeFacts* InlineStruct(const Model& model, const std::string& go_type);

// Whether a value of that Go type, which is no struct in place, may own memory.
bool OwnsMemory(const Model& model, const std::string& go_type);

// The C++ expression for the table of a Go type: "Describe<corev1::PodSpec>::type".
std::string TypeTable(const Model& model, const std::string& go_type);

}  // namespace keelson::generator
