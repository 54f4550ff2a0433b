#include "keelson/codegen/source_model.h"

#include <algorithm>
#include <string_view>

namespace keelson::codegen {

namespace {

const FieldDecl* FindField(const StructDecl& declaration, std::string_view json_name) {
  for (const FieldDecl& field : declaration.fields) {
    if (field.json_name == json_name) return &field;
  }
  for (const StructDecl* base : declaration.bases) {
    if (const FieldDecl* field = FindField(*base, json_name)) return field;
  }
  return nullptr;
}

bool HasMetadata(const StructDecl& declaration, std::string_view builtin) {
  const FieldDecl* metadata = FindField(declaration, "metadata");
  if (metadata == nullptr) return false;
  const TypeUse& type = WithoutAliases(metadata->type);
  return type.shape == Shape::kBuiltin && type.builtin == builtin;
}

bool IsOfRoots(std::string_view marker) {
  if (marker == "kubebuilder:object:root=true" || marker == "kubebuilder:object:root:=true") return true;
  if (marker == "genclient" || marker.starts_with("genclient:")) return true;
  return marker.starts_with("k8s:deepcopy-gen:interfaces=") &&
         (marker.ends_with("runtime.Object") || marker.find("runtime.Object,") != marker.npos);
}

}  // namespace

const TypeUse& WithoutAliases(const TypeUse& type) {
  const TypeUse* at = &type;
  while (at->shape == Shape::kAlias) at = &at->alias->target;
  return *at;
}

bool SaysRoot(const StructDecl& declaration) {
  const auto& markers = declaration.comment.markers;
  return std::any_of(markers.begin(), markers.end(), [](const Marker& marker) { return IsOfRoots(marker.text); });
}

bool IsRoot(const StructDecl& declaration) {
  return SaysRoot(declaration) && HasMetadata(declaration, "meta/v1.ObjectMeta");
}

bool IsList(const StructDecl& declaration) {
  const FieldDecl* items = FindField(declaration, "items");
  return items != nullptr && WithoutAliases(items->type).shape == Shape::kList &&
         HasMetadata(declaration, "meta/v1.ListMeta");
}

}  // namespace keelson::codegen
