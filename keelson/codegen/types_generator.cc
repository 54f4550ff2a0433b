#include "keelson/codegen/types_generator.h"

#include <fmt/format.h>

#include <cctype>

#include "keelson/codec/convert.h"
#include "keelson/codegen/cpp_names.h"
#include "keelson/codegen/struct_writer.h"
#include "keelson/codegen/told_schema.h"
#include "keelson/codegen/type_scaffold.h"
#include "keelson/core/ascii.h"

namespace keelson::codegen {

namespace {

using apiextensionsv1::CustomResourceDefinition;
using apiextensionsv1::CustomResourceDefinitionVersion;

std::string Join(const List<String>& words) {
  std::string text;
  for (const String& word : words) text += (text.empty() ? "" : ";") + MarkerString(word);
  return text;
}

std::string ResourceMarker(const CustomResourceDefinition& crd) {
  const apiextensionsv1::CustomResourceDefinitionNames& names = crd.spec.names;
  std::string marker = "kubebuilder:resource:path=" + MarkerString(names.plural);
  if (crd.spec.scope == "Cluster") marker += ",scope=Cluster";
  if (!names.shortNames.empty()) marker += ",shortName=" + Join(names.shortNames);
  if (!names.categories.empty()) marker += ",categories=" + Join(names.categories);
  if (!names.singular.empty() && names.singular != AsciiLower(names.kind)) {
    marker += ",singular=" + MarkerString(names.singular);
  }
  return marker;
}

// What a server or kubectl wrote and no author did.
bool IsOfCluster(std::string_view annotation) { return annotation.starts_with("kubectl.kubernetes.io/"); }

std::vector<std::string> MetadataMarkers(const CustomResourceDefinition& crd) {
  std::vector<std::string> markers;
  const auto add = [&](std::string_view argument, const Map<String>& values) {
    for (const auto& [key, value] : values) {
      if (IsOfCluster(key)) continue;
      markers.push_back(
          fmt::format("kubebuilder:metadata:{}={}", argument, QuotedMarkerString(key.str() + "=" + value.str())));
    }
  };
  add("annotations", crd.metadata.annotations);
  add("labels", crd.metadata.labels);
  return markers;
}

std::string ColumnMarker(const apiextensionsv1::CustomResourceColumnDefinition& column) {
  std::string marker =
      fmt::format("kubebuilder:printcolumn:name={},type={},JSONPath={}", QuotedMarkerString(column.name),
                  MarkerString(column.type), QuotedMarkerString(column.jsonPath));
  if (!column.description.empty()) marker += ",description=" + QuotedMarkerString(column.description);
  if (!column.format.empty()) marker += ",format=" + MarkerString(column.format);
  if (column.priority != 0) marker += fmt::format(",priority={}", column.priority);
  return marker;
}

std::vector<std::string> VersionMarkers(const CustomResourceDefinition& crd,
                                        const CustomResourceDefinitionVersion& version) {
  const bool has_status = version.subresources && version.subresources->status;
  std::vector<std::string> markers = {"genclient"};
  if (crd.spec.scope == "Cluster") markers.push_back("genclient:nonNamespaced");
  if (!has_status) markers.push_back("genclient:noStatus");
  markers.push_back("kubebuilder:object:root=true");
  markers.push_back(ResourceMarker(crd));
  if (version.storage && crd.spec.versions.size() > 1) markers.push_back("kubebuilder:storageversion");
  if (!version.served) markers.push_back("kubebuilder:unservedversion");
  if (version.deprecated) {
    markers.push_back(version.deprecationWarning
                          ? "kubebuilder:deprecatedversion:warning=" + QuotedMarkerString(*version.deprecationWarning)
                          : "kubebuilder:deprecatedversion");
  }
  if (has_status) markers.push_back("kubebuilder:subresource:status");
  if (version.subresources && version.subresources->scale) {
    const apiextensionsv1::CustomResourceSubresourceScale& scale = *version.subresources->scale;
    markers.push_back(fmt::format(
        "kubebuilder:subresource:scale:specpath={},statuspath={}{}", QuotedMarkerString(scale.specReplicasPath),
        QuotedMarkerString(scale.statusReplicasPath),
        scale.labelSelectorPath ? ",selectorpath=" + QuotedMarkerString(*scale.labelSelectorPath) : std::string()));
  }
  for (const auto& column : version.additionalPrinterColumns) markers.push_back(ColumnMarker(column));
  for (const auto& field : version.selectableFields) {
    markers.push_back("kubebuilder:selectablefield:JSONPath=" + QuotedMarkerString(field.jsonPath));
  }
  for (std::string& marker : MetadataMarkers(crd)) markers.push_back(std::move(marker));
  return markers;
}

// What types cannot say, for the reader of the header.
std::string LeftOut(const CustomResourceDefinition& crd) {
  std::string text;
  if (crd.spec.conversion && crd.spec.conversion->strategy == "Webhook") {
    text += "// Its versions are converted by a webhook, which is no part of the types.\n";
  }
  const std::string list_kind = crd.spec.names.kind.str() + "List";
  if (!crd.spec.names.listKind.empty() && crd.spec.names.listKind != list_kind) {
    text += fmt::format("// Its lists are called {}; here they are {}.\n", crd.spec.names.listKind.view(), list_kind);
  }
  return text;
}

std::string HeaderText(const CustomResourceDefinition& crd, const CustomResourceDefinitionVersion& version,
                       const StructWriter& writer, const TypesOptions& options) {
  const std::string name_space = (options.namespace_.empty() ? NamespaceName(crd.spec.group) : options.namespace_) +
                                 "::" + NamespaceName(version.name);
  std::string text = fmt::format(
      "// {} {} of {}, made from its CustomResourceDefinition by `keelson generate types`.\n{}//\n// +groupName={}\n"
      "#pragma once\n\n",
      crd.spec.names.kind.view(), version.name.view(), crd.spec.group.view(), LeftOut(crd), crd.spec.group.view());
  for (const std::string& include : writer.includes()) text += "#include " + include + "\n";
  if (!writer.includes().empty()) text += "\n";
  text += "#include \"keelson/api/meta/v1.h\"\n\n";
  text += "namespace " + name_space + " {\n";
  for (const std::string& declaration : writer.declarations()) text += "\n" + declaration;
  return text + "\n}  // namespace " + name_space + "\n";
}

}  // namespace

std::vector<GeneratedFile> GenerateTypes(const CustomResourceDefinition& crd, const TypesOptions& options,
                                         Diagnostics& problems) {
  const size_t problems_before = problems.all().size();
  const auto problem = [&](std::string path, std::string message) {
    problems.Add({.file = std::move(path), .line = 0, .column = 0}, std::move(message));
  };
  const std::string kind = crd.spec.names.kind.str();
  if (!IsIdentifier(kind) || IsReservedName(kind)) {
    problem("spec.names.kind",
            fmt::format("'{}' cannot be the name of a C++ struct: expected letters and digits", kind));
  }
  if (crd.spec.group.empty()) problem("spec.group", "expected the API group, as cert.example.com; found nothing");
  if (crd.spec.names.plural.empty()) problem("spec.names.plural", "expected the name of the resource; found nothing");
  if (crd.spec.versions.empty()) problem("spec.versions", "expected at least one version; found none");

  std::vector<GeneratedFile> files;
  for (size_t i = 0; i < crd.spec.versions.size(); ++i) {
    const CustomResourceDefinitionVersion& version = crd.spec.versions[i];
    const std::string path = fmt::format("spec.versions[{}]", i);
    if (version.name.empty()) problem(path + ".name", "expected the name of the version, as v1; found nothing");
    if (!version.schema || !version.schema->openAPIV3Schema) {
      problem(path + ".schema.openAPIV3Schema", "expected a schema; found nothing to make types of");
      continue;
    }
    StructWriter writer({.reserved = {kind, kind + "List"}, .enum_classes = options.enum_classes}, problems);
    const Json schema = ToJsonValue(*version.schema->openAPIV3Schema);
    writer.WriteRoot(kind, schema.object(), VersionMarkers(crd, version), path + ".schema.openAPIV3Schema");
    files.push_back({.path = version.name.str() + "/" + SnakeCase(kind) + ".h",
                     .content = HeaderText(crd, version, writer, options)});
  }
  if (problems.all().size() != problems_before) return {};
  return files;
}

}  // namespace keelson::codegen
