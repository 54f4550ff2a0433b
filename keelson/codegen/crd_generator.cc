#include "keelson/codegen/crd_generator.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "keelson/codec/convert.h"
#include "keelson/codec/jsonpath.h"
#include "keelson/codec/yaml_writer.h"
#include "keelson/codegen/markers.h"
#include "keelson/codegen/pluralise.h"
#include "keelson/codegen/root_schema.h"
#include "keelson/codegen/schema_builder.h"
#include "keelson/codegen/schema_flatten.h"
#include "keelson/core/ascii.h"

namespace keelson::codegen {

namespace {

using apiextensionsv1::CustomResourceDefinition;
using apiextensionsv1::CustomResourceDefinitionVersion;

using Markers = std::vector<ParsedMarker>;

// A DNS label that begins with a letter: what versions and resources must be called.
bool IsName(std::string_view text) {
  const auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return !text.empty() && text.size() <= 63 && is_lower(text.front()) && text.back() != '-' &&
         std::all_of(text.begin(), text.end(), [&](char c) { return is_lower(c) || is_digit(c) || c == '-'; });
}

List<String> ToList(const std::vector<std::string>& texts) {
  List<String> list;
  for (const std::string& text : texts) list.push_back(text);
  return list;
}

bool IsOneOf(std::string_view text, std::initializer_list<std::string_view> choices) {
  return std::find(choices.begin(), choices.end(), text) != choices.end();
}

// One CRD: a kind and the structs that are its versions.
class CrdBuilder {
 public:
  CrdBuilder(SchemaBuilder& schemas, const CrdOptions& options, Diagnostics& problems)
      : schemas_(schemas), options_(options), problems_(problems) {}

  // No CRD when all versions are skipped.
  std::optional<CustomResourceDefinition> Build(const std::string& group, const std::string& kind,
                                                std::vector<const StructDecl*> structs);

 private:
  void ApplyResource(const ParsedMarker& marker);
  void ApplyMetadata(const ParsedMarker& marker);
  void ApplyColumn(const ParsedMarker& marker, CustomResourceDefinitionVersion& version);
  void ApplyScale(const ParsedMarker& marker, CustomResourceDefinitionVersion& version);
  void ApplySelectableField(const ParsedMarker& marker, CustomResourceDefinitionVersion& version);
  std::string PathOf(const ParsedMarker& marker, const char* argument);
  void Problem(const ParsedMarker& marker, const std::string& message) {
    problems_.Add(marker.position, "+" + marker.name + ": " + message);
  }
  CustomResourceDefinitionVersion BuildVersion(const StructDecl& structure);
  apiextensionsv1::JSONSchemaProps BuildSchema(const StructDecl& structure);
  void ChooseStorage(const std::vector<const StructDecl*>& structs);

  SchemaBuilder& schemas_;
  const CrdOptions& options_;
  Diagnostics& problems_;
  CustomResourceDefinition crd_;
};

void CrdBuilder::ApplyResource(const ParsedMarker& marker) {
  apiextensionsv1::CustomResourceDefinitionNames& names = crd_.spec.names;
  if (const std::string path = marker.Text("path"); !path.empty()) {
    if (!IsName(path)) {
      Problem(marker, "path must be the plural in lower case, letters and digits; found '" + path + "'");
    }
    names.plural = path;
  }
  if (const std::string singular = marker.Text("singular"); !singular.empty()) names.singular = singular;
  names.shortNames = ToList(marker.Texts("shortName"));
  names.categories = ToList(marker.Texts("categories"));
  const std::string scope = marker.Text("scope");
  if (!IsOneOf(scope, {"", "Cluster", "Namespaced"})) {
    Problem(marker, "scope is Cluster or Namespaced; found '" + scope + "'");
  }
  crd_.spec.scope = scope.empty() ? "Namespaced" : scope;
}

void CrdBuilder::ApplyMetadata(const ParsedMarker& marker) {
  for (const char* argument : {"annotations", "labels"}) {
    for (const std::string& pair : marker.Texts(argument)) {
      const size_t equals = pair.find('=');
      if (equals == std::string::npos) {
        Problem(marker, std::string("expected key=value in ") + argument + "; found '" + pair + "'");
        continue;
      }
      Map<String>& target = argument[0] == 'a' ? crd_.metadata.annotations : crd_.metadata.labels;
      target.Set(pair.substr(0, equals), pair.substr(equals + 1));
    }
  }
}

// The path that an argument gives; the server will read it.
std::string CrdBuilder::PathOf(const ParsedMarker& marker, const char* argument) {
  std::string path = marker.Text(argument);
  if (!path.starts_with('.')) {
    Problem(marker, std::string(argument) + " must begin with a dot, as .spec.replicas does; found '" + path + "'");
  } else if (const Result<JsonPath> parsed = JsonPath::ParseSimple(path); !parsed) {
    Problem(marker, std::string(argument) + ": '" + path + "' is no path: " + parsed.error().message());
  }
  return path;
}

void CrdBuilder::ApplyColumn(const ParsedMarker& marker, CustomResourceDefinitionVersion& version) {
  const std::string type = marker.Text("type");
  if (!IsOneOf(type, {"boolean", "date", "integer", "number", "string"})) {
    Problem(marker, "type is boolean, date, integer, number or string; found '" + type + "'");
  }
  apiextensionsv1::CustomResourceColumnDefinition column;
  column.name = marker.Text("name");
  column.type = type;
  column.jsonPath = PathOf(marker, "JSONPath");
  column.description = marker.Text("description");
  column.format = marker.Text("format");
  if (const Json* priority = marker.Find("priority"); priority != nullptr && priority->is_int()) {
    column.priority = static_cast<int32_t>(priority->integer());
  }
  version.additionalPrinterColumns.push_back(std::move(column));
  // As controller-gen does, which leaves `subresources: {}` where there are none.
  version.subresources.Ensure();
}

void CrdBuilder::ApplyScale(const ParsedMarker& marker, CustomResourceDefinitionVersion& version) {
  const auto path_below = [&](const char* argument, std::initializer_list<std::string_view> parents) {
    const std::string path = PathOf(marker, argument);
    std::string all;
    for (const std::string_view parent : parents) {
      if (!path.starts_with('.') || path.starts_with(parent)) return path;
      all += (all.empty() ? "" : " or ") + std::string(parent);
    }
    Problem(marker, std::string(argument) + " must begin with " + all + "; found '" + path + "'");
    return path;
  };
  apiextensionsv1::CustomResourceSubresourceScale& scale = version.subresources.Ensure().scale.Ensure();
  scale.specReplicasPath = path_below("specpath", {".spec."});
  scale.statusReplicasPath = path_below("statuspath", {".status."});
  if (marker.Find("selectorpath") != nullptr) {
    scale.labelSelectorPath = String(path_below("selectorpath", {".spec.", ".status."}));
  }
}

// The server wants members that are there, and single values.
void CrdBuilder::ApplySelectableField(const ParsedMarker& marker, CustomResourceDefinitionVersion& version) {
  const std::string path = PathOf(marker, "JSONPath");
  version.selectableFields.push_back({.jsonPath = path});
  if (!path.starts_with('.')) return;
  const apiextensionsv1::JSONSchemaProps* schema = &*std::as_const(version).schema->openAPIV3Schema;
  for (size_t start = 1; start <= path.size();) {
    const size_t end = std::min(path.find('.', start), path.size());
    schema = schema->properties.find(path.substr(start, end - start));
    if (schema == nullptr) {
      return Problem(marker, "JSONPath: there is no member '" + path.substr(0, end) + "'; found '" + path + "'");
    }
    start = end + 1;
  }
  if (!IsOneOf(schema->type, {"boolean", "integer", "string"})) {
    Problem(marker, "JSONPath must lead to a boolean, integer or string; '" + path + "' is of type " + schema->type);
  }
}

apiextensionsv1::JSONSchemaProps CrdBuilder::BuildSchema(const StructDecl& structure) {
  Schema schema = SchemaFlattener(schemas_.definitions()).Flatten(schemas_.Define(structure));
  if (schema.contains("properties")) schema["properties"].object().Set("metadata", RootProperties().at("metadata"));
  ApplySchemaPatches(schema);
  if (options_.max_description_length) {
    CutDescriptions(schema, static_cast<size_t>(std::max(0, *options_.max_description_length)));
  }
  Result<apiextensionsv1::JSONSchemaProps> typed =
      FromJsonValue<apiextensionsv1::JSONSchemaProps>(schema, {.strict = true});
  if (!typed) {
    problems_.Add(structure.position, "the schema of " + structure.name + " is not one: " + typed.error().message());
    return {};
  }
  return *typed;
}

CustomResourceDefinitionVersion CrdBuilder::BuildVersion(const StructDecl& structure) {
  CustomResourceDefinitionVersion version;
  version.name = structure.package->version;
  version.served = true;
  version.schema.Ensure().openAPIV3Schema = BuildSchema(structure);
  for (const ParsedMarker& marker : schemas_.MarkersOf(structure)) {
    if (marker.name == "kubebuilder:storageversion") {
      version.storage = true;
    } else if (marker.name == "kubebuilder:unservedversion") {
      version.served = false;
    } else if (marker.name == "kubebuilder:deprecatedversion") {
      version.deprecated = true;
      if (marker.Find("warning") != nullptr) version.deprecationWarning = String(marker.Text("warning"));
    } else if (marker.name == "kubebuilder:subresource:status") {
      version.subresources.Ensure().status.Ensure();
    } else if (marker.name == "kubebuilder:subresource:scale") {
      ApplyScale(marker, version);
    } else if (marker.name == "kubebuilder:printcolumn") {
      ApplyColumn(marker, version);
    } else if (marker.name == "kubebuilder:selectablefield") {
      ApplySelectableField(marker, version);
    }
  }
  return version;
}

void CrdBuilder::ChooseStorage(const std::vector<const StructDecl*>& structs) {
  List<CustomResourceDefinitionVersion>& versions = crd_.spec.versions;
  if (versions.size() == 1) {
    versions[0].storage = true;
    return;
  }
  const StructDecl* storage = nullptr;
  std::string names;
  for (const StructDecl* structure : structs) {
    names += (names.empty() ? "" : ", ") + structure->package->version;
    const ParsedMarker* marker = FindMarker(schemas_.MarkersOf(*structure), "kubebuilder:storageversion");
    if (marker == nullptr) continue;
    if (storage != nullptr) {
      problems_.Add(marker->position, structure->name + " is stored as " + storage->package->version + " already (" +
                                          storage->position.file +
                                          "): write +kubebuilder:storageversion above one version only");
    }
    storage = structure;
  }
  if (storage == nullptr) {
    problems_.Add(structs.back()->position, structs.back()->name + " has several versions (" + names +
                                                "): write `// +kubebuilder:storageversion` above the one to store");
  }
}

std::optional<CustomResourceDefinition> CrdBuilder::Build(const std::string& group, const std::string& kind,
                                                          std::vector<const StructDecl*> structs) {
  std::sort(structs.begin(), structs.end(), [](const StructDecl* a, const StructDecl* b) {
    return std::tie(a->package->version, a->position) < std::tie(b->package->version, b->position);
  });
  crd_.spec.group = group;
  crd_.spec.scope = "Namespaced";
  crd_.spec.names.kind = kind;
  crd_.spec.names.listKind = kind + "List";
  crd_.spec.names.plural = PluralOf(kind);
  crd_.spec.names.singular = AsciiLower(kind);
  // Names are the kind's, whichever version says them; where several do, the stored one has the last word.
  for (const bool stored : {false, true}) {
    for (const StructDecl* structure : structs) {
      const Markers& markers = schemas_.MarkersOf(*structure);
      if ((FindMarker(markers, "kubebuilder:storageversion") != nullptr) != stored) continue;
      for (const ParsedMarker& marker : markers) {
        if (marker.name == "kubebuilder:resource") ApplyResource(marker);
        if (marker.name == "kubebuilder:metadata") ApplyMetadata(marker);
      }
    }
  }
  crd_.metadata.name = crd_.spec.names.plural + "." + group;

  std::erase_if(structs, [&](const StructDecl* structure) {
    return FindMarker(schemas_.MarkersOf(*structure), "kubebuilder:skipversion") != nullptr;
  });
  if (structs.empty()) return std::nullopt;
  bool served = false, twice = false;
  for (size_t i = 0; i < structs.size(); ++i) {
    if (i > 0 && structs[i]->package->version == structs[i - 1]->package->version) {
      problems_.Add(structs[i]->position, kind + " " + structs[i]->package->version + " of " + group +
                                              " is declared in " + structs[i - 1]->position.file + " already");
      twice = true;
    }
    crd_.spec.versions.push_back(BuildVersion(*structs[i]));
    served = served || std::as_const(crd_).spec.versions[i].served;
  }
  if (!twice) ChooseStorage(structs);
  if (!served) {
    problems_.Add(structs.back()->position,
                  "no version of " + kind + " is served: take +kubebuilder:unservedversion away from one");
  }
  return crd_;
}

void CheckGroupVersion(const Package& package, const StructDecl& structure, Diagnostics& problems) {
  if (package.group.empty()) {
    problems.Add(structure.position, structure.name + " has no API group: write `// +groupName=example.com` in a " +
                                         "comment of its own at the top of a header in " + package.directory);
  } else if (package.group.find('.') == std::string::npos) {
    problems.Add(structure.position, "the API group '" + package.group +
                                         "' must be a domain with at least one dot, such as apps.example.com");
  }
  if (!IsName(package.version)) {
    problems.Add(structure.position, "'" + package.version + "' cannot be the name of an API version: write " +
                                         "`// +versionName=v1` in a comment at the top of a header in " +
                                         package.directory);
  }
}

// Every marker is looked at, also those of types that no object uses.
void ParseAllMarkers(const Package& package, SchemaBuilder& schemas) {
  schemas.MarkersOf(package);
  for (const auto& declaration : package.structs) {
    schemas.MarkersOf(*declaration);
    for (const FieldDecl& field : declaration->fields) schemas.MarkersOf(field);
  }
  for (const auto& declaration : package.enums) schemas.MarkersOf(*declaration);
  for (const auto& declaration : package.aliases) schemas.MarkersOf(*declaration);
}

}  // namespace

std::vector<CustomResourceDefinition> GenerateCrds(const SourceModel& model, const CrdOptions& options,
                                                   Diagnostics& problems) {
  const size_t problems_before = problems.all().size();
  SchemaBuilder schemas(options, problems);
  std::map<std::pair<std::string, std::string>, std::vector<const StructDecl*>> kinds;  // by group and kind
  for (const auto& package : model.packages) {
    ParseAllMarkers(*package, schemas);
    if (FindMarker(schemas.MarkersOf(*package), "kubebuilder:skip") != nullptr) continue;
    for (const auto& structure : package->structs) {
      if (!IsRoot(*structure)) continue;
      CheckGroupVersion(*package, *structure, problems);
      kinds[{package->group, structure->name}].push_back(structure.get());
    }
  }
  std::vector<CustomResourceDefinition> crds;
  std::map<std::string, std::string> kind_of_crd;  // by the CRD's name
  for (const auto& [group_kind, structs] : kinds) {
    std::optional<CustomResourceDefinition> crd =
        CrdBuilder(schemas, options, problems).Build(group_kind.first, group_kind.second, structs);
    if (!crd) continue;
    if (const auto [other, is_new] = kind_of_crd.emplace(crd->metadata.name.str(), group_kind.second); !is_new) {
      problems.Add(structs.front()->position, "the CRD " + other->first + " is that of " + other->second +
                                                  " already: write `// +kubebuilder:resource:path=" +
                                                  "` with another plural above " + group_kind.second);
    }
    crds.push_back(std::move(*crd));
  }
  schemas.CheckListMaps();
  if (problems.all().size() != problems_before) return {};
  std::sort(crds.begin(), crds.end(), [](const CustomResourceDefinition& a, const CustomResourceDefinition& b) {
    return a.metadata.name < b.metadata.name;
  });
  return crds;
}

GeneratedFile CrdFile(const CustomResourceDefinition& crd) {
  Json document = ToJsonValue(crd);
  // Both are the server's to write.
  document.object().erase("status");
  document.object()["metadata"].object().erase("creationTimestamp");
  GeneratedFile file;
  file.path = crd.spec.group + "_" + crd.spec.names.plural.str() + ".yaml";
  file.content = "---\n";
  AppendYaml(document, file.content);
  return file;
}

}  // namespace keelson::codegen
