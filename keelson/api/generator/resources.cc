#include <simdjson.h>

#include <cstdio>
#include <cstdlib>

#include "keelson/api/generator/model.h"

namespace keelson::generator {

namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

std::string Text(const object& facts, const char* key) {
  std::string_view text;
  return facts[key].get(text) == simdjson::SUCCESS ? std::string(text) : std::string();
}

std::string Quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

// A constant array and its name, or "{}" for a list that is absent or empty.
std::string EmitTexts(const object& facts, const char* key, const std::string& name, std::string& out) {
  array texts;
  if (facts[key].get(texts) != simdjson::SUCCESS || texts.size() == 0) return "{}";
  out += "constexpr std::string_view " + name + "[] = {";
  for (const element text : texts) out += Quoted(std::string_view(text)) + ", ";
  out += "};\n";
  return name;
}

std::string EmitSubresources(const object& facts, const std::string& name, std::string& out) {
  array subresources;
  if (facts["subresources"].get(subresources) != simdjson::SUCCESS || subresources.size() == 0) return "{}";
  std::string rows;
  int position = 0;
  for (const object subresource : subresources) {
    const std::string verbs = EmitTexts(subresource, "verbs", name + "_" + std::to_string(position++), out);
    rows += "    {" + Quoted(Text(subresource, "name")) + ", " + Quoted(Text(subresource, "group")) + ", " +
            Quoted(Text(subresource, "version")) + ", " + Quoted(Text(subresource, "kind")) + ", " + verbs + "},\n";
  }
  out += "constexpr BuiltinSubresource " + name + "[] = {\n" + rows + "};\n";
  return name;
}

std::string EmitColumns(const object& facts, const std::string& name, std::string& out) {
  array columns;
  if (facts["columns"].get(columns) != simdjson::SUCCESS || columns.size() == 0) return "{}";
  out += "constexpr BuiltinColumn " + name + "[] = {\n";
  for (const object column : columns) {
    int64_t priority = 0;
    if (column["priority"].get(priority) != simdjson::SUCCESS) priority = 0;
    out += "    {" + Quoted(Text(column, "name")) + ", " + Quoted(Text(column, "type")) + ", " +
           Quoted(Text(column, "format")) + ", " + std::to_string(priority) + "},\n";
  }
  out += "};\n";
  return name;
}

const TypeFacts& TypeOfResource(const Model& model, const object& facts) {
  for (const auto& [key, type] : model.types) {
    if (type.is_root && type.group == Text(facts, "group") && type.version == Text(facts, "version") &&
        type.kind == Text(facts, "kind")) {
      return type;
    }
  }
  std::fprintf(stderr, "generate-api-types: no type has the kind of the resource %s\n",
               Text(facts, "resource").c_str());
  std::exit(1);
}

}  // namespace

std::string EmitResources(const Model& model, const std::string& data_folder) {
  simdjson::dom::parser parser;
  array resources;
  if (parser.load(data_folder + "/resources.json").get(resources) != simdjson::SUCCESS) {
    std::fprintf(stderr, "generate-api-types: %s/resources.json is not a JSON list\n", data_folder.c_str());
    std::exit(1);
  }
  std::string arrays;
  std::string rows;
  int position = 0;
  for (const object facts : resources) {
    const std::string suffix = std::to_string(position++);
    const std::string verbs = EmitTexts(facts, "verbs", "kVerbs" + suffix, arrays);
    const std::string short_names = EmitTexts(facts, "shortNames", "kShortNames" + suffix, arrays);
    const std::string categories = EmitTexts(facts, "categories", "kCategories" + suffix, arrays);
    const std::string subresources = EmitSubresources(facts, "kSubresources" + suffix, arrays);
    const std::string columns = EmitColumns(facts, "kColumns" + suffix, arrays);
    rows += "    {.group = " + Quoted(Text(facts, "group")) + ", .version = " + Quoted(Text(facts, "version")) +
            ", .plural = " + Quoted(Text(facts, "resource")) + ", .singular = " + Quoted(Text(facts, "singular")) +
            ", .kind = " + Quoted(Text(facts, "kind")) +
            ", .namespaced = " + (Text(facts, "scope") == "Namespaced" ? "true" : "false") + ", .verbs = " + verbs +
            ", .short_names = " + short_names + ", .categories = " + categories + ", .subresources = " + subresources +
            ", .columns = " + columns + ", .type = &Describe<" + CppType(model, TypeOfResource(model, facts).key) +
            ">::type},\n";
  }
  std::string out = "// Generated from data/kubernetes/ by generate-api-types; do not edit.\n";
  out += "#include \"keelson/api/builtin_resources.h\"\n\n";
  for (const auto& [path, package] : model.packages) out += "#include \"" + package.header + "\"\n";
  out += "\nnamespace keelson {\n\nnamespace {\n" + arrays + "\nconstexpr BuiltinResource kResources[] = {\n" + rows +
         "};\n}  // namespace\n\nstd::span<const BuiltinResource> BuiltinResources() { return kResources; }\n\n}  // "
         "namespace keelson\n";
  return out;
}

}  // namespace keelson::generator
