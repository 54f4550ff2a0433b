// Which markers there are: where each may stand, and what its arguments are.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "keelson/codegen/marker_values.h"
#include "keelson/codegen/markers.h"

namespace keelson::codegen {

// How the text behind the name is read.
enum class MarkerSyntax {
  kFlag,          // no arguments: +optional
  kValue,         // +kubebuilder:validation:MinLength=1
  kArguments,     // +kubebuilder:resource:path=apps,scope=Cluster
  kNumber,        // the whole text is a number: +kubebuilder:validation:Minimum=-1.5e3
  kInteger,       // the whole text is an integer: +kubebuilder:validation:MaxItems=3
  kTitle,         // a value of any type that must turn out to be a text
  kRaw,           // any text up to the end of the line: +k8s:deepcopy-gen=package
  kJson,          // JSON, or ref(a Go constant), which is left alone: +default={"a":1}
  kClientVerbs,   // client-gen's list: +genclient:onlyVerbs=get,list
  kClientMethod,  // client-gen's +genclient:method=UpdateScale,verb=update,subresource=scale
};

struct MarkerArgument {
  std::string_view name;
  ValueType type;
  bool required = false;
};

struct MarkerDefinition {
  std::string name;
  std::vector<MarkerTarget> targets;
  MarkerSyntax syntax = MarkerSyntax::kFlag;
  ValueType value = {};
  bool required = true;  // the value
  std::vector<MarkerArgument> arguments;
  std::string example;  // of correct use, with the `+`
  // controller-gen collects it from wherever it stands: to be read with MarkerTarget::kPackage, overlooked otherwise.
  bool anywhere = false;
  // One of many that another tool reads in more places and forms than these: no problem when it is different.
  bool shared = false;

  bool Allows(MarkerTarget target) const;
  const MarkerArgument* FindArgument(std::string_view argument) const;
};

const std::vector<MarkerDefinition>& MarkerDefinitions();
const MarkerDefinition* FindDefinition(std::string_view name);

// The definition that `text`, a marker without its `+`, is written for: its name reaches to the first `=`, or, when it
// has arguments, to the last `:` before that. Null when there is none of that name.
const MarkerDefinition* DefinitionOf(std::string_view text);
// The one with the most similar name.
const MarkerDefinition& NearestDefinition(std::string_view text);

// Whether the marker is of a family that is known in full, so that an unknown name is a mistake. Those of other tools
// are not.
bool InKnownFamily(std::string_view text);

// The definition of the marker, or of the one that it seems to be meant as; null for those of other tools.
const MarkerDefinition* LikelyDefinition(std::string_view text);

// Up to the first `=`: "kubebuilder:rbac:groups".
std::string_view NameAndFirstArgument(std::string_view text);

// Of the names given, the most similar to `name`; "" when there are none.
std::string_view NearestName(std::string_view name, const std::vector<std::string_view>& names);

}  // namespace keelson::codegen
