#include "keelson/codegen/type_scaffold.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "keelson/api/names.h"

namespace keelson::codegen {

namespace {

bool IsUpper(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }
bool IsAlphanumeric(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

bool IsKind(std::string_view text) {
  return !text.empty() && text.size() <= 63 && IsUpper(text.front()) &&
         std::all_of(text.begin(), text.end(), IsAlphanumeric);
}

// v1, v1beta2, v2alpha1
bool IsVersion(std::string_view text) {
  return text.size() >= 2 && text.front() == 'v' && std::isdigit(static_cast<unsigned char>(text[1])) != 0 &&
         names::IsDns1035Label(text);
}

constexpr char kHeader[] = R"(// +groupName={group}
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "keelson/api/meta/v1.h"

namespace {ns}::{version} {{

// What is wanted. Edit it: a member is required unless it is optional or marked +optional.
struct {kind}Spec {{
  // How many there should be.
  // +kubebuilder:validation:Minimum=0
  // +kubebuilder:default=1
  std::optional<int32_t> replicas;
}};

// What was seen last.
struct {kind}Status {{
  // The generation that was seen.
  // +optional
  int64_t observedGeneration = 0;

  // +listType=map
  // +listMapKey=type
  // +optional
  std::vector<keelson::metav1::Condition> conditions;
}};

// +genclient
{non_namespaced}// +kubebuilder:object:root=true
{resource}// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`

// {kind} is described here; the text becomes that of `kubectl explain`.
struct {kind} {{
  keelson::metav1::ObjectMeta metadata;
  {kind}Spec spec;
  {kind}Status status;
}};

}}  // namespace {ns}::{version}
)";

}  // namespace

std::string SnakeCase(std::string_view name) {
  std::string out;
  for (size_t i = 0; i < name.size(); ++i) {
    const bool starts_word =
        IsUpper(name[i]) && i > 0 &&
        (!IsUpper(name[i - 1]) || (i + 1 < name.size() && std::islower(static_cast<unsigned char>(name[i + 1])) != 0));
    if (starts_word && out.back() != '_') out += '_';
    out += IsAlphanumeric(name[i]) ? static_cast<char>(std::tolower(static_cast<unsigned char>(name[i]))) : '_';
  }
  return out;
}

Result<GeneratedFile> ScaffoldType(const TypeScaffold& type) {
  if (!IsKind(type.kind)) {
    return Error::InvalidArgument("kind '" + type.kind + "': expected letters and digits in CamelCase, as AppService");
  }
  if (!names::IsDns1123Subdomain(type.group) || type.group.find('.') == std::string::npos) {
    return Error::InvalidArgument("group '" + type.group + "': expected a DNS name of your own, as apps.example.com");
  }
  if (!IsVersion(type.version)) {
    return Error::InvalidArgument("version '" + type.version + "': expected v1, v1beta1, v1alpha1 or the like");
  }
  const std::string file = SnakeCase(type.kind);
  return GeneratedFile{
      "api/" + type.version + "/" + file + ".h",
      fmt::format(kHeader, fmt::arg("group", type.group), fmt::arg("version", type.version),
                  fmt::arg("kind", type.kind), fmt::arg("ns", type.cpp_namespace.empty() ? file : type.cpp_namespace),
                  fmt::arg("non_namespaced", type.cluster_scoped ? "// +genclient:nonNamespaced\n" : ""),
                  fmt::arg("resource", type.cluster_scoped ? "// +kubebuilder:resource:scope=Cluster\n" : ""))};
}

}  // namespace keelson::codegen
