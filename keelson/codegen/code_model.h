// What generated code says about the types of one package: the user's declarations with their markers interpreted.
#pragma once

#include <string>
#include <vector>

#include "keelson/codegen/source_model.h"

namespace keelson::codegen {

// A row of a struct's table; the members are those of keelson::Field.
struct CodeField {
  std::string member;
  std::string json_name;
  bool omit_empty = false;
  bool omit_zero = false;
  bool atomic = false;
  bool required = false;
  std::string list_type;  // "", "set", "map"
  std::string list_keys;
};

// A type with a table.
struct CodeType {
  std::string spelling;   // inside the package's namespace: "AppSpec"
  std::string qualified;  // anywhere: "::example::v1::AppSpec"
  std::string table;      // what the names of its tables begin with: "AppSpec"
  std::string name;       // Type::name: "example.com/v1.AppSpec"
};

struct CodeStruct : CodeType {
  std::string kind;  // of a root object or a list; "" for others
  std::vector<CodeField> fields;
};

struct CodeEnum : CodeType {
  struct Text {
    std::string member;
    std::string text;
  };
  std::vector<Text> texts;
};

// A root object, which is one of the package's structs too, and its resource.
struct CodeRoot {
  std::string kind;
  std::string spelling;
  std::string qualified;
  std::string plural;
  std::string singular;
  bool namespaced = true;
  bool has_status = false;
  bool has_scale = false;
  bool generates_list = true;  // else the user wrote one
  std::string hub;             // the type of the storage version, qualified; "" when this is it, or there is none
  const StructDecl* declaration = nullptr;
};

struct CodePackage {
  std::string directory;  // relative to the base; "" for the base itself
  std::string name;       // "example.com/v1alpha1"
  std::string group;
  std::string version;
  std::string name_space;                     // "example::v1alpha1"; "" for the global one
  std::vector<std::string> headers;           // as they are included
  std::vector<std::string> described_by;      // generated headers that describe types of other packages used here
  std::vector<std::string> hub_descriptions;  // likewise of the hubs that roots are converted to
  std::vector<CodeStruct> structs;            // generated lists among them, each behind its element
  std::vector<CodeEnum> enums;
  std::vector<CodeRoot> roots;
};

// One for each of the model's packages that has a type, but for imported ones.
std::vector<CodePackage> MakeCodePackages(const SourceModel& model, const std::string& base_directory,
                                          Diagnostics& problems);

}  // namespace keelson::codegen
