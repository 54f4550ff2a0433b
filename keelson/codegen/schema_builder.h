// The schemas of the user's types, each with references to the others.
//
//   SchemaBuilder builder(options, problems);
//   Schema root = builder.Define(app_service);         // and everything that it uses
//   Schema flat = SchemaFlattener(builder.definitions()).Flatten(root);
//
// Types are named by their qualified C++ name, built-in ones by theirs in data/kubernetes/.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "keelson/codegen/crd_generator.h"
#include "keelson/codegen/markers.h"
#include "keelson/codegen/schema.h"
#include "keelson/codegen/schema_flatten.h"
#include "keelson/codegen/source_model.h"

namespace keelson::codegen {

class SchemaBuilder {
 public:
  SchemaBuilder(const CrdOptions& options, Diagnostics& problems)
      : options_(options), problems_(problems), definitions_(options.embedded_object_meta) {}

  // The schema of a type, after those that it refers to. The same each time; problems are reported once.
  Schema Define(const StructDecl& structure);
  Schema Define(const EnumDecl& enumeration);
  Schema Define(const AliasDecl& alias);

  // What could not be seen before all types were known: the keys of list-maps.
  void CheckListMaps();

  const SchemaDefinitions& definitions() const { return definitions_; }

  // Parsed once; the references stay valid.
  const std::vector<ParsedMarker>& MarkersOf(const Declaration& declaration);
  const std::vector<ParsedMarker>& MarkersOf(const FieldDecl& field);
  const std::vector<ParsedMarker>& MarkersOf(const Package& package);

 private:
  struct ListMap {
    SourcePosition position;
    std::string name;  // of the member or the type
    Schema schema;
  };

  const std::vector<ParsedMarker>& Parsed(const void* owner, const std::vector<Marker>& markers, MarkerTarget target);
  // Adds what the declaration's comment says, and keeps the schema by its name.
  Schema Finish(const Declaration& declaration, Schema schema);
  Schema SchemaOf(const TypeUse& use, const SourcePosition& position);
  Schema SchemaOfField(const FieldDecl& field);
  void AddField(const StructDecl& structure, const FieldDecl& field, bool optional_by_default, Schema& schema,
                std::vector<std::string>& required);
  void RememberListMap(const std::string& name, const SourcePosition& position,
                       const std::vector<ParsedMarker>& markers, const Schema& schema);
  void CheckOneOf(const StructDecl& structure, const std::vector<std::string>& required);
  // False, and a problem, when the type is being defined already: it holds itself.
  bool Enter(const Declaration& declaration, const SourcePosition& used_at);

  const CrdOptions& options_;
  Diagnostics& problems_;
  SchemaDefinitions definitions_;
  std::map<const void*, std::vector<ParsedMarker>> markers_;
  std::vector<const Declaration*> open_;  // types being defined, outermost first
  std::vector<ListMap> list_maps_;
};

}  // namespace keelson::codegen
