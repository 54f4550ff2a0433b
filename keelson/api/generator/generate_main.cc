// generate-api-types DATA OUT: writes one header of structs and one source of tables per group-version, and a list of
// all types and resources, from the facts in data/kubernetes/. The same input gives the same bytes.
//
// generate-api-types --designators DATA FILE: writes a test's source that initialises every struct by designators.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "keelson/api/generator/model.h"

namespace keelson::generator {
namespace {

constexpr const char* kNotice = "// Generated from data/kubernetes/ by generate-api-types; do not edit.\n";

// Leaves a file alone that has this content already, so that nothing is compiled anew without need.
void WriteFile(const std::filesystem::path& path, const std::string& content) {
  std::filesystem::create_directories(path.parent_path());
  std::ifstream existing(path, std::ios::binary);
  std::stringstream before;
  before << existing.rdbuf();
  if (existing && before.str() == content) return;
  std::ofstream out(path, std::ios::binary);
  out << content;
  if (!out.flush()) {
    std::fprintf(stderr, "generate-api-types: cannot write %s\n", path.c_str());
    std::exit(1);
  }
}

bool IsGenerated(const TypeFacts& type) { return !type.is_value && type.alias_of.empty(); }

void EmitStruct(const Model& model, const TypeFacts& type, std::string& out) {
  if (type.is_root) out += "// " + (type.group.empty() ? "" : type.group + "/") + type.version + " " + type.kind + "\n";
  out += "struct " + type.name + " {\n";
  for (const FieldFacts& field : type.fields) {
    if (field.go_type == "unknown") out += "  // What was read and has no member here; written back as it came.\n";
    out += "  " + CppType(model, field.go_type) + " " + field.member + " = " + CppInitialiser(model, field.go_type) +
           ";\n";
  }
  out += "};\n\n";
}

void EmitResource(const Model& model, const TypeFacts& type, std::string& out) {
  if (!type.resource) return;
  out += "template <> struct DescribeResource<" + CppType(model, type.key) +
         "> { static constexpr ResourceInfo info = {.plural = \"" + type.resource->plural + "\", .singular = \"" +
         type.resource->singular + "\"";
  if (!type.resource->namespaced) out += ", .namespaced = false";
  if (type.resource->has_status) out += ", .has_status = true";
  if (type.resource->has_scale) out += ", .has_scale = true";
  out += "}; };\n";
}

// All packages that share a header, as runtime, types, intstr and resource do.
std::vector<const Package*> PackagesOf(const Model& model, const std::string& header) {
  std::vector<const Package*> packages;
  for (const auto& [path, package] : model.packages) {
    if (package.header == header) packages.push_back(&package);
  }
  return packages;
}

std::string EmitHeader(const Model& model, const std::string& header) {
  const auto packages = PackagesOf(model, header);
  std::string out = kNotice;
  out += "#pragma once\n\n#include \"keelson/api/resource_info.h\"\n#include \"keelson/api/values.h\"\n";
  std::set<std::string> includes;
  for (const Package* package : packages) {
    for (const std::string& used : package->uses) includes.insert(model.packages.at(used).header);
  }
  for (const std::string& include : includes) out += "#include \"" + include + "\"\n";
  out += "\n";
  for (const Package* package : packages) {
    out += "namespace keelson::" + package->name_space + " {\n";
    for (const std::string& key : package->types) {
      if (IsGenerated(model.types.at(key))) out += "struct " + model.types.at(key).name + ";\n";
    }
    for (const std::string& key : package->types) {
      const TypeFacts& type = model.types.at(key);
      if (!type.alias_of.empty()) out += "using " + type.name + " = " + CppType(model, type.alias_of) + ";\n";
      if (type.is_value && CppType(model, key) != package->name_space + "::" + type.name && type.name != "Quantity") {
        out += "using " + type.name + " = " + CppType(model, key) + ";\n";
      }
    }
    out += "}  // namespace keelson::" + package->name_space + "\n\n";
  }
  out += "namespace keelson {\n";
  for (const Package* package : packages) {
    for (const std::string& key : package->types) {
      if (!IsGenerated(model.types.at(key))) continue;
      out += "template <> struct Describe<" + CppType(model, key) + "> { static const Type type; };\n";
      EmitResource(model, model.types.at(key), out);
    }
  }
  out += "}  // namespace keelson\n\n";
  for (const Package* package : packages) {
    out += "namespace keelson::" + package->name_space + " {\n\n";
    for (const std::string& key : package->types) {
      if (IsGenerated(model.types.at(key))) EmitStruct(model, model.types.at(key), out);
    }
    out += "}  // namespace keelson::" + package->name_space + "\n";
  }
  return out;
}

void EmitField(const Model& model, const TypeFacts& type, const FieldFacts& field, std::string& out) {
  out += "    {.name = \"" + field.json_name + "\", .type = &" + TypeTable(model, field.go_type) +
         ", .offset = offsetof(" + CppType(model, type.key) + ", " + field.member + ")";
  if (field.omit_empty) out += ", .omit_empty = true";
  if (field.omit_zero) out += ", .omit_zero = true";
  if (field.list_type == "set") out += ", .list_type = ListType::kSet";
  if (field.list_type == "map") out += ", .list_type = ListType::kMap";
  if (!field.list_keys.empty()) out += ", .list_keys = \"" + field.list_keys + "\"";
  if (field.patch_merge) out += ", .patch_merge = true";
  if (field.patch_replace) out += ", .patch_replace = true";
  if (field.patch_retain_keys) out += ", .patch_retain_keys = true";
  if (!field.patch_merge_key.empty()) out += ", .patch_merge_key = \"" + field.patch_merge_key + "\"";
  if (field.atomic) out += ", .atomic = true";
  if (field.unique) out += ", .unique = true";
  if (field.required) out += ", .required = true";
  out += "},\n";
}

// The members of `type` that may own memory, those of structs in place included; `path` leads to it.
void EmitOwningParts(const Model& model, const std::string& outer, const TypeFacts& type, const std::string& path,
                     std::string& out) {
  for (const FieldFacts& field : type.fields) {
    const std::string member = path + field.member;
    if (const TypeFacts* inner = InlineStruct(model, field.go_type)) {
      EmitOwningParts(model, outer, *inner, member + ".", out);
    } else if (OwnsMemory(model, field.go_type)) {
      out += "    {offsetof(" + outer + ", " + member + "), &" + TypeTable(model, field.go_type) + "},\n";
    }
  }
}

void EmitTable(const Model& model, const TypeFacts& type, size_t index, std::string& out) {
  const std::string suffix = std::to_string(index);
  if (!type.fields.empty()) {
    out += "constexpr Field kFields" + suffix + "[] = {\n";
    for (const FieldFacts& field : type.fields) EmitField(model, type, field, out);
    out += "};\n";
  }
  std::string parts;
  EmitOwningParts(model, CppType(model, type.key), type, "", parts);
  if (!parts.empty()) out += "constexpr OwningPart kParts" + suffix + "[] = {\n" + parts + "};\n";
  if (type.has_protobuf) {
    // Nested messages come first, being named by the outer ones; each is found behind its own parent in the list.
    for (size_t m = type.messages.size(); m-- > 0;) {
      auto rows = type.messages[m].rows;
      std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
      const std::string name = suffix + "_" + std::to_string(m);
      if (!rows.empty()) {
        out += "constexpr MessageRow kRows" + name + "[] = {";
        for (const auto& row : rows) {
          out += "{.number = " + std::to_string(row.number);
          if (row.nested >= 0) {
            out += ", .nested = &kMessage" + suffix + "_" + std::to_string(row.nested);
          } else {
            out += ", .field = " + std::to_string(row.field);
          }
          out += "}, ";
        }
        out += "};\n";
      }
      out += "constexpr Message kMessage" + name + " = {" + (rows.empty() ? "" : ".rows = kRows" + name) + "};\n";
    }
  }
}

std::string EmitTables(const Model& model, const std::string& header) {
  std::string out = kNotice;
  out += "#include \"" + header + "\"\n\n#include <cstddef>\n\nnamespace keelson {\n\nnamespace {\n\n";
  std::vector<const TypeFacts*> types;
  for (const Package* package : PackagesOf(model, header)) {
    for (const std::string& key : package->types) {
      if (IsGenerated(model.types.at(key))) types.push_back(&model.types.at(key));
    }
  }
  for (size_t i = 0; i < types.size(); ++i) EmitTable(model, *types[i], i, out);
  out += "\n}  // namespace\n\n";
  for (size_t i = 0; i < types.size(); ++i) {
    const TypeFacts& type = *types[i];
    const std::string suffix = std::to_string(i);
    const std::string name = CppType(model, type.key);
    out += "const Type Describe<" + name + ">::type = {.name = \"" + type.key +
           "\", .kind = Kind::" + (type.is_union ? "kUnion" : "kStruct") +
           ", .storage = Storage::kInline, .size = sizeof(" + name + ")";
    if (!type.fields.empty()) out += ", .fields = kFields" + suffix;
    if (type.has_protobuf) out += ", .message = &kMessage" + suffix + "_0";
    std::string parts;
    EmitOwningParts(model, name, type, "", parts);
    if (!parts.empty()) out += ", .owning_parts = kParts" + suffix;
    if (!type.kind.empty()) {
      if (!type.group.empty()) out += ", .group = \"" + type.group + "\"";
      out += ", .version = \"" + type.version + "\", .object_kind = \"" + type.kind + "\"";
    }
    out += "};\n";
  }
  out += "\n}  // namespace keelson\n";
  return out;
}

std::string EmitIndex(const Model& model, const std::set<std::string>& headers) {
  std::string out = kNotice;
  out += "#include \"keelson/api/builtin_types.h\"\n\n";
  for (const std::string& header : headers) out += "#include \"" + header + "\"\n";
  out += "\nnamespace keelson {\n\nnamespace {\nconstexpr const Type* kTypes[] = {\n";
  for (const auto& [key, type] : model.types) {
    if (IsGenerated(type)) out += "    &Describe<" + CppType(model, key) + ">::type,\n";
  }
  out +=
      "};\n}  // namespace\n\nstd::span<const Type* const> BuiltinTypes() { return kTypes; }\n\n}  // namespace "
      "keelson\n";
  return out;
}

// A function that initialises every struct with all of its members designated in order, and with the last one alone,
// and counts those that come out as the default.
std::string EmitDesignators(const Model& model, const std::set<std::string>& headers) {
  std::string out = kNotice;
  out += "#include \"keelson/api/compare.h\"\n";
  for (const std::string& header : headers) out += "#include \"" + header + "\"\n";
  out += "\nnamespace keelson {\n\nsize_t CountDesignated() {\n  size_t count = 0;\n";
  for (const auto& [key, type] : model.types) {
    if (!IsGenerated(type)) continue;
    std::string all;
    std::string last;
    for (const FieldFacts& field : type.fields) {
      last = "." + field.member + " = {}";
      all += (all.empty() ? "" : ", ") + last;
    }
    const std::string name = CppType(model, key);
    out += "  count += Equal(" + name + "{" + all + "}, " + name + "{" + last + "}) ? 1 : 0;\n";
  }
  out += "  return count;\n}\n\n}  // namespace keelson\n";
  return out;
}

}  // namespace
}  // namespace keelson::generator

int main(int argc, char** argv) {
  using namespace keelson::generator;
  const bool designators = argc == 4 && std::string(argv[1]) == "--designators";
  if (argc != 3 && !designators) {
    std::fprintf(stderr, "usage: generate-api-types [--designators] DATA_FOLDER OUTPUT\n");
    return 2;
  }
  const std::filesystem::path out = argv[argc - 1];
  const Model model = ReadModel(argv[argc - 2]);
  std::set<std::string> headers;
  for (const auto& [path, package] : model.packages) headers.insert(package.header);
  if (designators) {
    WriteFile(out, EmitDesignators(model, headers));
    return 0;
  }
  for (const std::string& header : headers) {
    WriteFile(out / header, EmitHeader(model, header));
    WriteFile((out / header).replace_extension(".cc"), EmitTables(model, header));
  }
  WriteFile(out / "keelson/api/builtin_types.cc", EmitIndex(model, headers));
  WriteFile(out / "keelson/api/builtin_resources.cc", EmitResources(model, argv[1]));
  return 0;
}
