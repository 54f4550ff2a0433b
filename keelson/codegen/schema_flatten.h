// From schemas that refer to each other to one that stands by itself, as a CRD wants it.
//
//   SchemaDefinitions definitions;
//   definitions.Add("::example::Mode", {{"type", "string"}, {"enum", …}});
//   SchemaFlattener flattener(definitions);
//   Schema flat = flattener.Flatten({{"$ref", "::example::Mode"}, {"default", "fast"}});
//
// What stands beside a reference holds together with what is referred to. Where both say something, and only one place
// is free, both go under `allOf`; descriptions, titles and examples beside the reference win. The rules are
// controller-gen's.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "keelson/codegen/schema.h"

namespace keelson::codegen {

// The named schemas: the user's, and behind them the built-in ones.
class SchemaDefinitions {
 public:
  // `embedded_object_meta`: ObjectMeta inside a spec has its fields, not just `type: object`.
  explicit SchemaDefinitions(bool embedded_object_meta = false) : embedded_object_meta_(embedded_object_meta) {}

  void Add(const std::string& name, Schema schema) { own_[name] = std::move(schema); }
  // Null when there is none. Valid until the next Add of that name.
  const Schema* Find(std::string_view name) const;
  // A member such as `type`, looked for behind the references of `schema` too; null when nothing has it.
  const Json* FindMember(const Schema& schema, std::string_view member) const;

 private:
  bool embedded_object_meta_;
  std::map<std::string, Schema, std::less<>> own_;
};

class SchemaFlattener {
 public:
  // `definitions` must outlive it.
  explicit SchemaFlattener(const SchemaDefinitions& definitions) : definitions_(definitions) {}

  // A reference to nothing, or to a type that is being resolved already, is an empty schema.
  Schema Flatten(const Schema& schema);

 private:
  Schema Resolve(const Schema& schema);
  const Schema& ResolvedType(const std::string& name);

  const SchemaDefinitions& definitions_;
  std::map<std::string, Schema> resolved_;
};

// What +keelson:schema says: JSON merge patches, in order, that wait under this name until the schema is finished,
// since what they say is not to be merged with anything.
inline constexpr std::string_view kSchemaPatches = "#patches";
// Applies and removes them, those of inner schemas first.
void ApplySchemaPatches(Schema& schema);

// Cuts every description in a finished schema; 0 removes them.
void CutDescriptions(Schema& schema, size_t max_bytes);

}  // namespace keelson::codegen
