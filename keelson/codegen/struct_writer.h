// The C++ declarations for one schema: a struct for every object in it, each before those that use it.
//
//   StructWriter writer({.reserved = {"Certificate", "CertificateList"}}, problems);
//   writer.WriteRoot("Certificate", schema, markers, "spec.versions[0].schema.openAPIV3Schema");
//   for (const std::string& declaration : writer.declarations()) …
//
// A nested object is a struct named after its way from the root, CertificateSpecIssuerRef; elements of lists and maps
// that need more than a type's name are aliases. Comments and markers give the schema back.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/codegen/schema.h"
#include "keelson/codegen/source_position.h"
#include "keelson/codegen/told_schema.h"

namespace keelson::codegen {

struct StructWriterOptions {
  std::set<std::string> reserved;  // type names that are taken
  bool enum_classes = true;
};

class StructWriter {
 public:
  StructWriter(StructWriterOptions options, Diagnostics& problems)
      : type_names_(std::move(options.reserved)), enum_classes_(options.enum_classes), problems_(problems) {}

  // The root object: `markers` are those of the resource, and `metadata` becomes ObjectMeta.
  void WriteRoot(const std::string& kind, const Schema& schema, const std::vector<std::string>& markers,
                 const std::string& path);

  const std::vector<std::string>& declarations() const { return declarations_; }
  // <map>, <optional> and so on, as the declarations need them.
  const std::set<std::string>& includes() const { return includes_; }

 private:
  // A type where it is used, and what is to be said there.
  struct Use {
    std::string type;
    std::string initialiser = "{}";
    ToldSchema told;
    bool is_collection = false;
    bool is_declared = false;  // a struct or an enum, which says for itself what belongs to the type
  };
  struct Member {
    std::string json_name;
    std::string name;
    const Schema& schema;
    Use use;
    bool required = false;
    bool in_root = false;
  };

  Use ValueUse(const Schema& schema, const std::string& name, const std::string& path, SchemaPlace place);
  Use ObjectUse(const Schema& schema, const std::string& name, const std::string& path, SchemaPlace place);
  Use MapUse(const Schema& schema, const std::string& name, const std::string& path, SchemaPlace place);
  Use ListUse(const Schema& schema, const std::string& name, const std::string& path, SchemaPlace place);
  Use StringUse(const Schema& schema, const std::string& name, SchemaPlace place);
  Use EnumUse(const Schema& schema, const std::string& name, SchemaPlace place);
  Use StructUse(const Schema& schema, const std::string& name, const std::string& path, SchemaPlace place);
  static Use BuiltinUse(const std::string& type, const Schema& known, const Schema& schema, SchemaPlace place);
  Use Nothing(const std::string& path, std::string problem);

  // The type of elements. Markers that belong to them are added to the list's own, or stand on an alias.
  std::string ElementType(const Schema& schema, const std::string& name, const std::string& path,
                          ToldSchema* list_told);
  Use MemberUse(const std::string& json_name, const Schema& schema, const std::string& owner, const std::string& path,
                bool in_root);
  std::string MemberText(Member& member);
  std::string MembersText(const Schema& schema, const std::string& owner, const std::string& path, bool is_root);
  std::string UniqueTypeName(const std::string& wanted);
  std::string UniqueMemberName(const std::string& json_name, std::set<std::string>& taken) const;

  std::set<std::string> type_names_;
  bool enum_classes_;
  Diagnostics& problems_;
  std::vector<std::string> declarations_;
  std::set<std::string> includes_;
  int depth_ = 0;
};

}  // namespace keelson::codegen
