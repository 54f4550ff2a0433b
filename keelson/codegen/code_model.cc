#include "keelson/codegen/code_model.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "keelson/codegen/markers.h"
#include "keelson/codegen/pluralise.h"
#include "keelson/core/ascii.h"

namespace keelson::codegen {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kListSuffix = "List";

// "api/v1" of "./project/api/v1" below "project"; nothing when it is not below.
std::optional<std::string> RelativeTo(const std::string& base, const std::string& path) {
  const auto normal = [](const std::string& some) {
    return fs::absolute(some.empty() ? "." : some).lexically_normal();
  };
  std::string relative = normal(path).lexically_relative(normal(base)).generic_string();
  if (relative.empty() || relative == ".." || relative.starts_with("../")) return std::nullopt;
  while (relative.ends_with('/') || relative == ".") relative.pop_back();
  return relative;
}

std::string GeneratedHeader(const std::string& directory) {
  return directory.empty() ? "generated.h" : directory + "/generated.h";
}

// "::example::v1" of "::example::v1::Outer::Inner", whose name is "Outer::Inner".
std::string NamespaceOf(const Declaration& declaration) {
  std::string outer = declaration.qualified.substr(0, declaration.qualified.size() - declaration.name.size());
  while (outer.ends_with(':')) outer.pop_back();
  while (outer.starts_with(':')) outer.erase(0, 1);
  return outer;
}

std::string Replaced(std::string text, std::string_view what, std::string_view by) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
  return text;
}

bool HasAny(const std::vector<ParsedMarker>& markers, std::initializer_list<std::string_view> names) {
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view name) { return FindMarker(markers, name) != nullptr; });
}

std::string TextOf(const ParsedMarker* marker) {
  return marker != nullptr && marker->value.is_string() ? marker->value.string().str() : "";
}

// Its own fields behind those of its bases, as Go's inlined structs come first.
void CollectFields(const StructDecl& declaration, std::vector<const FieldDecl*>& fields) {
  for (const StructDecl* base : declaration.bases) CollectFields(*base, fields);
  for (const FieldDecl& field : declaration.fields) fields.push_back(&field);
}

class Maker {
 public:
  Maker(const SourceModel& model, const std::string& base, Diagnostics& problems)
      : model_(model), base_(base), problems_(problems) {}

  std::vector<CodePackage> Make() {
    std::vector<CodePackage> packages;
    std::map<std::string, const Declaration*> registrars;  // by namespace: the first root of its package
    for (const auto& package : model_.packages) {
      if (package->structs.empty() && package->enums.empty()) continue;
      packages.push_back(MakePackage(*package));
      const Declaration* root = FirstRoot(*package);
      if (root == nullptr) continue;
      const auto [entry, added] = registrars.emplace(packages.back().name_space, root);
      if (!added) {
        problems_.Add(root->position, "the namespace " + packages.back().name_space + " is that of " +
                                          entry->second->package->directory +
                                          " too, and AddToScheme would be declared twice: give each directory a "
                                          "namespace of its own");
      }
    }
    return packages;
  }

 private:
  static const StructDecl* FirstRoot(const Package& package) {
    for (const auto& declaration : package.structs) {
      if (IsRoot(*declaration)) return declaration.get();
    }
    return nullptr;
  }

  static const StructDecl* FindStruct(const Package& package, const std::string& name) {
    for (const auto& declaration : package.structs) {
      if (declaration->name == name) return declaration.get();
    }
    return nullptr;
  }

  // Where the package's own code stands.
  static const Declaration& Leading(const Package& package) {
    if (const StructDecl* root = FirstRoot(package)) return *root;
    if (!package.structs.empty()) return *package.structs.front();
    return *package.enums.front();
  }

  CodePackage MakePackage(const Package& package) {
    CodePackage code;
    package_ = &package;
    code.name = package.group.empty() ? package.version : package.group + "/" + package.version;
    code.group = package.group;
    code.version = package.version;
    code.name_space = NamespaceOf(Leading(package));
    code.directory = RelativeTo(base_, package.directory).value_or("");
    for (const std::string& header : package.headers) {
      if (const auto relative = RelativeTo(base_, header)) {
        code.headers.push_back(*relative);
      } else {
        problems_.Add({header, 0, 0}, "the header is not below " + base_ + ": give --base a directory that holds it");
      }
    }
    const std::vector<ParsedMarker> markers = ParseMarkers(package.markers, MarkerTarget::kPackage, problems_);
    optional_by_default_ = FindMarker(markers, "kubebuilder:validation:Optional") != nullptr;
    used_.clear();
    hubs_.clear();

    for (const auto& declaration : package.enums) code.enums.push_back(MakeEnum(code, *declaration));
    for (const auto& declaration : package.structs) {
      code.structs.push_back(MakeStruct(code, *declaration));
      if (!IsRoot(*declaration)) continue;
      if (declaration->name.find(':') != std::string::npos) {
        problems_.Add(declaration->position,
                      "a root object cannot stand inside another struct: move " + declaration->name + " out of it");
        continue;
      }
      if (package.group.empty()) {
        problems_.Add(declaration->position, "the group of " + declaration->name +
                                                 " is not known: write // +groupName=example.com at the top of a "
                                                 "header in " +
                                                 package.directory);
      }
      code.roots.push_back(MakeRoot(*declaration));
      if (code.roots.back().generates_list) code.structs.push_back(MakeList(code.structs.back()));
    }
    code.described_by = GeneratedHeaders(used_);
    code.hub_descriptions = GeneratedHeaders(hubs_);
    return code;
  }

  // Those of packages outside the base are somebody else's to include.
  std::vector<std::string> GeneratedHeaders(const std::set<const Package*>& packages) const {
    std::set<std::string> headers;
    for (const Package* package : packages) {
      const auto directory = RelativeTo(base_, package->directory);
      if (directory) headers.insert(GeneratedHeader(*directory));
    }
    return {headers.begin(), headers.end()};
  }

  static void Name(const CodePackage& code, const Declaration& declaration, CodeType& type) {
    type.qualified = declaration.qualified;
    type.spelling = NamespaceOf(declaration) == code.name_space ? declaration.name : declaration.qualified;
    type.table = Replaced(declaration.name, "::", "_");
    type.name = code.name + "." + Replaced(declaration.name, "::", ".");
  }

  static CodeEnum MakeEnum(const CodePackage& code, const EnumDecl& declaration) {
    CodeEnum made;
    Name(code, declaration, made);
    for (const EnumeratorDecl& enumerator : declaration.enumerators) {
      made.texts.push_back({enumerator.member, enumerator.text});
    }
    return made;
  }

  CodeStruct MakeStruct(const CodePackage& code, const StructDecl& declaration) {
    CodeStruct made;
    Name(code, declaration, made);
    const bool is_root = IsRoot(declaration);
    const bool is_list = IsList(declaration);
    if (is_root || (is_list && IsListOfRoot(declaration))) made.kind = declaration.name;
    std::vector<const FieldDecl*> fields;
    CollectFields(declaration, fields);
    std::map<std::string, const FieldDecl*> members;
    for (const FieldDecl* field : fields) {
      const auto [entry, added] = members.emplace(field->member, field);
      if (!added) {
        problems_.Add(field->position, "the member " + field->member + " hides one of a base at " +
                                           ToString(entry->second->position) + ": rename one of the two");
      }
      NoteUse(field->type);
      if (!field->json_name.empty()) made.fields.push_back(MakeField(*field, is_root || is_list));
    }
    return made;
  }

  bool IsListOfRoot(const StructDecl& list) const {
    if (!list.name.ends_with(kListSuffix)) return false;
    const StructDecl* element = FindStruct(*list.package, list.name.substr(0, list.name.size() - kListSuffix.size()));
    return element != nullptr && IsRoot(*element);
  }

  CodeField MakeField(const FieldDecl& field, bool of_object) {
    const std::vector<ParsedMarker> markers = ParseMarkers(field.comment.markers, MarkerTarget::kField, problems_);
    const TypeUse& type = WithoutAliases(field.type);
    const bool says_optional = HasAny(markers, {"optional", "kubebuilder:validation:Optional", "k8s:optional"});
    const bool says_required = HasAny(markers, {"required", "kubebuilder:validation:Required", "k8s:required"});
    const bool is_optional = type.shape == Shape::kOptional || says_optional || optional_by_default_ ||
                             (of_object && (field.json_name == "metadata" || field.json_name == "status"));

    CodeField made;
    made.member = field.member;
    made.json_name = field.json_name;
    made.required = says_required || !is_optional;
    // Absence is never written as null, unless null is allowed where something has to be. A zero where the default is
    // another value must be written, since a reader would put the default in its place.
    const bool says_null = says_required && HasAny(markers, {"nullable"});
    if ((type.shape == Shape::kOptional && !says_null) || (!made.required && !field.has_default)) {
      // These would be null in JSON, which no schema allows them to be.
      static const std::set<std::string> kNullWhenZero = {"meta/v1.Time", "meta/v1.MicroTime", "runtime.RawExtension"};
      const bool is_null = type.shape == Shape::kBuiltin && kNullWhenZero.contains(type.builtin);
      (is_null ? made.omit_zero : made.omit_empty) = true;
    }
    SetTopology(field, markers, made);
    return made;
  }

  // How parts are told apart: said at the field, or at the type that it names.
  void SetTopology(const FieldDecl& field, const std::vector<ParsedMarker>& own, CodeField& made) {
    const auto apply = [&](const std::vector<ParsedMarker>& markers) {
      for (const char* name : {"listType", "k8s:listType"}) {
        if (made.list_type.empty()) made.list_type = TextOf(FindMarker(markers, name));
      }
      if (made.list_keys.empty()) {
        for (const ParsedMarker& marker : markers) {
          const bool is_key = marker.name == "listMapKey" || marker.name == "k8s:listMapKey";
          if (!is_key || TextOf(&marker).empty()) continue;
          made.list_keys += (made.list_keys.empty() ? "" : ",") + TextOf(&marker);
        }
      }
      made.atomic = made.atomic || TextOf(FindMarker(markers, "mapType")) == "atomic" ||
                    TextOf(FindMarker(markers, "structType")) == "atomic";
    };
    apply(own);
    const TypeUse* type = &field.type;
    while (type->shape == Shape::kAlias || type->shape == Shape::kOptional) {
      if (type->shape == Shape::kAlias) {
        apply(ParseMarkers(type->alias->comment.markers, MarkerTarget::kType, problems_));
        type = &type->alias->target;
      } else {
        type = type->element.get();
      }
    }
    if (type->shape == Shape::kStruct) {
      apply(ParseMarkers(type->structure->comment.markers, MarkerTarget::kType, problems_));
    }
    if (type->shape != Shape::kList || made.list_type == "atomic") made.list_type = made.list_keys = "";
    if (made.list_type != "map") made.list_keys = "";
  }

  // Types of other packages are described by their generated headers.
  void NoteUse(const TypeUse& type) {
    const Declaration* declaration = type.enumeration;
    if (type.structure != nullptr) declaration = type.structure;
    if (declaration != nullptr && declaration->package != package_) used_.insert(declaration->package);
    if (type.alias != nullptr) NoteUse(type.alias->target);
    if (type.element != nullptr) NoteUse(*type.element);
  }

  // The same kind in all versions that were read, this one first.
  std::vector<const StructDecl*> VersionsOf(const StructDecl& root) const {
    std::vector<const StructDecl*> versions = {&root};
    for (const auto* packages : {&model_.packages, &model_.imported}) {
      for (const auto& package : *packages) {
        if (package->group != root.package->group) continue;
        const StructDecl* other = FindStruct(*package, root.name);
        if (other != nullptr && other != &root && IsRoot(*other)) versions.push_back(other);
      }
    }
    return versions;
  }

  CodeRoot MakeRoot(const StructDecl& declaration) {
    CodeRoot root = {.kind = declaration.name,
                     .spelling = declaration.name,
                     .qualified = declaration.qualified,
                     .plural = PluralOf(declaration.name),
                     .singular = AsciiLower(declaration.name),
                     .hub = {},
                     .declaration = &declaration};
    if (const StructDecl* list = FindStruct(*declaration.package, declaration.name + std::string(kListSuffix))) {
      root.generates_list = false;
      if (!IsList(*list)) {
        problems_.Add(list->position, list->name +
                                          " is not a list of objects: write keelson::metav1::ListMeta metadata; and "
                                          "keelson::List<" +
                                          declaration.name + "> items;, or leave it out and it is generated");
      }
    }
    const std::vector<const StructDecl*> versions = VersionsOf(declaration);
    // A CRD has one name and scope, which any version may give; what this version says comes last and holds.
    for (size_t i = versions.size(); i-- > 0;) {
      const auto markers = ParseMarkers(versions[i]->comment.markers, MarkerTarget::kType, problems_);
      if (i > 0 && FindMarker(markers, "kubebuilder:storageversion") != nullptr && root.hub.empty()) {
        root.hub = versions[i]->qualified;
        hub_package_ = versions[i]->package;
      }
      if (const ParsedMarker* resource = FindMarker(markers, "kubebuilder:resource")) {
        if (!resource->Text("path").empty()) root.plural = resource->Text("path");
        if (!resource->Text("singular").empty()) root.singular = resource->Text("singular");
        if (!resource->Text("scope").empty()) root.namespaced = resource->Text("scope") != "Cluster";
      }
      if (i > 0) continue;
      if (FindMarker(markers, "genclient:nonNamespaced") != nullptr) root.namespaced = false;
      root.has_status = FindMarker(markers, "kubebuilder:subresource:status") != nullptr;
      root.has_scale = FindMarker(markers, "kubebuilder:subresource:scale") != nullptr;
      if (FindMarker(markers, "kubebuilder:storageversion") != nullptr) root.hub.clear();
    }
    if (!root.hub.empty()) hubs_.insert(hub_package_);
    return root;
  }

  static CodeStruct MakeList(const CodeStruct& element) {
    const std::string suffix(kListSuffix);
    CodeStruct list;
    list.spelling = element.spelling + suffix;
    list.qualified = element.qualified + suffix;
    list.table = element.table + suffix;
    list.name = element.name + suffix;
    list.kind = element.kind + suffix;
    list.fields = {
        {.member = "metadata", .json_name = "metadata", .omit_empty = true, .list_type = {}, .list_keys = {}},
        {.member = "items", .json_name = "items", .required = true, .list_type = {}, .list_keys = {}}};
    return list;
  }

  const SourceModel& model_;
  const std::string& base_;
  Diagnostics& problems_;
  // Of the package that is being made:
  const Package* package_ = nullptr;
  bool optional_by_default_ = false;
  std::set<const Package*> used_;
  std::set<const Package*> hubs_;
  const Package* hub_package_ = nullptr;
};

}  // namespace

std::vector<CodePackage> MakeCodePackages(const SourceModel& model, const std::string& base_directory,
                                          Diagnostics& problems) {
  return Maker(model, base_directory, problems).Make();
}

}  // namespace keelson::codegen
