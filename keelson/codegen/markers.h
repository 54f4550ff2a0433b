// The markers that Kubernetes developers know, and what their arguments mean.
//
//   +kubebuilder:resource:path=apps,scope=Cluster,shortName={ap,aps}
//   +kubebuilder:validation:Minimum=0
//   +kubebuilder:validation:XValidation:rule="self.min <= self.max",message="min is above max"
//
// The syntax is controller-gen's: values are numbers, booleans, words, "quoted" or `raw` texts, lists `{a,b}` or `a;b`,
// maps `{x: 1}` and, where any JSON is allowed, JSON.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/api/json.h"
#include "keelson/codegen/comments.h"
#include "keelson/codegen/source_position.h"

namespace keelson::codegen {

// Where a marker stands.
enum class MarkerTarget { kPackage, kType, kField };

// A marker whose name is known and whose arguments are of the right types.
struct ParsedMarker {
  std::string name;                       // "kubebuilder:validation:Minimum"
  Json value;                             // of `=value`; null when it has none
  std::map<std::string, Json> arguments;  // of `:name=value,…`
  SourcePosition position;

  const Json* Find(const std::string& argument) const;
  std::string Text(const std::string& argument) const;                // "" when it is not there
  std::vector<std::string> Texts(const std::string& argument) const;  // of a list; empty when it is not there
};

// Those of `markers` that are ours to read, in order. A marker of another tool is left alone. One that belongs to a
// known family (kubebuilder:, genclient, k8s:deepcopy-gen, listType …) but is not known, stands at a place where it
// means nothing, or has wrong arguments is a problem that names the nearest known one.
std::vector<ParsedMarker> ParseMarkers(const std::vector<Marker>& markers, MarkerTarget target, Diagnostics& problems);

// The last of that name, or null.
const ParsedMarker* FindMarker(const std::vector<ParsedMarker>& markers, std::string_view name);

}  // namespace keelson::codegen
