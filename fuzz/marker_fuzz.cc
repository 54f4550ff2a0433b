// Markers: each line of the input is one, read for every place where it may stand. Problems lie inside the line, what
// is read is the same the next time, and manifests made of it are YAML.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/codec/json_writer.h"
#include "keelson/codec/yaml_reader.h"
#include "keelson/codegen/manifest_generators.h"
#include "keelson/codegen/marker_definitions.h"
#include "keelson/codegen/markers.h"

namespace {

using namespace keelson::codegen;

void Require(bool holds) {
  if (!holds) std::abort();
}

std::vector<Marker> Lines(std::string_view text) {
  std::vector<Marker> markers;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const int line = static_cast<int>(markers.size()) + 1;
    markers.push_back({.text = std::string(text.substr(0, end)), .position = {.file = "f", .line = line, .column = 1}});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return markers;
}

std::string Print(const std::vector<ParsedMarker>& markers) {
  std::string out;
  for (const ParsedMarker& marker : markers) {
    out += marker.name + "=" + keelson::ToJson(marker.value);
    for (const auto& [name, value] : marker.arguments) out += "," + name + "=" + keelson::ToJson(value);
    out += '\n';
  }
  return out;
}

void RequireYaml(const std::vector<GeneratedFile>& files) {
  for (const GeneratedFile& file : files) {
    const auto documents = keelson::SplitYamlToJson(file.content);
    Require(documents.has_value() && !documents->empty());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::vector<Marker> markers = Lines({reinterpret_cast<const char*>(data), size});
  for (const MarkerTarget target : {MarkerTarget::kPackage, MarkerTarget::kType, MarkerTarget::kField}) {
    Diagnostics problems;
    const std::vector<ParsedMarker> parsed = ParseMarkers(markers, target, problems);
    for (const ParsedMarker& marker : parsed) {
      const MarkerDefinition* definition = FindDefinition(marker.name);
      Require(definition != nullptr && definition->Allows(target));
      for (const auto& [name, value] : marker.arguments) Require(definition->FindArgument(name) != nullptr);
    }
    for (const Diagnostic& problem : problems.all()) {
      const Marker& marker = markers.at(static_cast<size_t>(problem.position.line) - 1);
      Require(problem.position.column >= 1);
      Require(static_cast<size_t>(problem.position.column) <= marker.text.size() + 2);
    }
    Diagnostics again;
    Require(Print(ParseMarkers(markers, target, again)) == Print(parsed));
    Require(again.Render() == problems.Render());
  }
  Diagnostics problems;
  RequireYaml(GenerateRbac(markers, "role", problems));
  RequireYaml(GenerateWebhooks(markers, problems));
  return 0;
}
