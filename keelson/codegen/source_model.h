// What the user's headers say: packages, structs, enums, aliases, with their comments and markers, before any marker is
// interpreted. The header reader makes it, every generator reads it.
//
// A package is a directory of headers, as in Go: one group and version. Declarations and packages live as long as the
// model and are pointed to.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "keelson/codegen/comments.h"
#include "keelson/codegen/source_position.h"

namespace keelson::codegen {

struct EnumDecl;
struct StructDecl;
struct AliasDecl;
struct Package;

enum class Shape {
  kBool,
  kInt32,
  kInt64,
  kDouble,
  kString,
  kBytes,
  kOptional,  // of `element`
  kList,      // of `element`
  kMap,       // from string to `element`
  kEnum,      // `enumeration`
  kStruct,    // `structure`
  kAlias,     // `alias`
  kBuiltin,   // `builtin`
};

// A type where it is used.
struct TypeUse {
  Shape shape = Shape::kBool;
  std::unique_ptr<TypeUse> element;
  const EnumDecl* enumeration = nullptr;
  const StructDecl* structure = nullptr;
  const AliasDecl* alias = nullptr;
  // The name in data/kubernetes/: "core/v1.PodTemplateSpec", "core/v1.Protocol", "meta/v1.Time",
  // "api/resource.Quantity", "apiextensions/v1.JSON" (which is Json here).
  std::string builtin;
  std::string written;  // as the user wrote it, for messages: "std::optional<int32_t>"
};

// A member of a struct.
struct FieldDecl {
  std::string member;     // the C++ name
  std::string json_name;  // "" when it is not serialised (+keelson:json=-)
  TypeUse type;
  Comment comment;
  SourcePosition position;
  bool has_default = false;  // an initialiser other than the zero of its type
};

// What every declaration has.
struct Declaration {
  std::string name;       // "AppServiceSpec"; of a nested struct "Outer::Inner"
  std::string qualified;  // "::example::v1::AppServiceSpec"
  std::string header;     // the path given to the reader
  Package* package = nullptr;
  Comment comment;
  SourcePosition position;
};

// Go's inlined structs are base classes here: their fields appear at this level in JSON.
struct StructDecl : Declaration {
  std::vector<const StructDecl*> bases;
  std::vector<FieldDecl> fields;  // its own, in order
};

struct EnumeratorDecl {
  std::string member;
  std::string text;  // in JSON: the member's name, or what +keelson:json says
  Comment comment;
  SourcePosition position;
};

struct EnumDecl : Declaration {
  std::vector<EnumeratorDecl> enumerators;
};

struct AliasDecl : Declaration {
  TypeUse target;
};

struct Package {
  std::string directory;
  std::string group;                                 // +groupName; "" when it was not given
  std::string version;                               // +versionName, or the directory's name
  std::vector<Marker> markers;                       // of comments at file level
  std::vector<std::string> headers;                  // in the order given
  std::vector<std::unique_ptr<StructDecl>> structs;  // in the order of headers and lines
  std::vector<std::unique_ptr<EnumDecl>> enums;
  std::vector<std::unique_ptr<AliasDecl>> aliases;
};

// Packages that hold the given headers first, in order of directory; then those that these include (`imported`), whose
// structs may be used as fields but for which nothing is generated.
struct SourceModel {
  std::vector<std::unique_ptr<Package>> packages;
  std::vector<std::unique_ptr<Package>> imported;
  std::vector<std::string> files_read;  // every file the headers include, system headers left out; sorted
};

// The type behind aliases.
const TypeUse& WithoutAliases(const TypeUse& type);

// The struct of a root object: one with a `metadata` of type ObjectMeta and +kubebuilder:object:root=true, +genclient
// or +k8s:deepcopy-gen:interfaces=…runtime.Object. Its list, if the user wrote one, is not a root object.
bool IsRoot(const StructDecl& declaration);
// It has one of these markers, with or without the `metadata`.
bool SaysRoot(const StructDecl& declaration);
// A list of objects that the user wrote: `ListMeta metadata` and `items`.
bool IsList(const StructDecl& declaration);

}  // namespace keelson::codegen
