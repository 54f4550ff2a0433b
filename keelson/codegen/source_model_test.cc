#include "keelson/codegen/source_model.h"

#include <gtest/gtest.h>

#include <utility>

namespace keelson::codegen {
namespace {

TypeUse Builtin(std::string name) {
  TypeUse type;
  type.shape = Shape::kBuiltin;
  type.builtin = std::move(name);
  return type;
}

StructDecl WithMetadata(std::string builtin, std::string marker) {
  StructDecl declaration;
  declaration.comment.markers.push_back({.text = std::move(marker), .position = {}});
  FieldDecl metadata;
  metadata.member = metadata.json_name = "metadata";
  metadata.type = Builtin(std::move(builtin));
  declaration.fields.push_back(std::move(metadata));
  return declaration;
}

TEST(SourceModel, ARootHasObjectMetaAndAMarkerThatSaysSo) {
  EXPECT_TRUE(IsRoot(WithMetadata("meta/v1.ObjectMeta", "kubebuilder:object:root=true")));
  EXPECT_TRUE(IsRoot(WithMetadata("meta/v1.ObjectMeta", "genclient")));
  EXPECT_TRUE(IsRoot(WithMetadata("meta/v1.ObjectMeta", "genclient:nonNamespaced")));
  EXPECT_TRUE(
      IsRoot(WithMetadata("meta/v1.ObjectMeta", "k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object")));

  EXPECT_FALSE(IsRoot(WithMetadata("meta/v1.ObjectMeta", "kubebuilder:object:root=false")));
  EXPECT_FALSE(IsRoot(WithMetadata("meta/v1.ObjectMeta", "genclientless")));
  EXPECT_FALSE(IsRoot(WithMetadata("meta/v1.ObjectMeta", "k8s:deepcopy-gen=true")));
  EXPECT_FALSE(IsRoot(WithMetadata("meta/v1.ListMeta", "kubebuilder:object:root=true")));
  EXPECT_FALSE(IsRoot(StructDecl()));
}

TEST(SourceModel, MetadataMayBeABaseClassesOrHaveAnAlias) {
  const StructDecl base = WithMetadata("meta/v1.ObjectMeta", "optional");
  StructDecl derived;
  derived.bases.push_back(&base);
  EXPECT_FALSE(IsRoot(derived));
  derived.comment.markers.push_back({.text = "genclient", .position = {}});
  EXPECT_TRUE(IsRoot(derived));

  AliasDecl alias;
  alias.target = Builtin("meta/v1.ObjectMeta");
  StructDecl aliased = WithMetadata("", "genclient");
  aliased.fields[0].type.shape = Shape::kAlias;
  aliased.fields[0].type.alias = &alias;
  EXPECT_TRUE(IsRoot(aliased));
}

TEST(SourceModel, AListHasListMetaAndItems) {
  StructDecl list = WithMetadata("meta/v1.ListMeta", "kubebuilder:object:root=true");
  EXPECT_FALSE(IsList(list));
  FieldDecl items;
  items.member = items.json_name = "items";
  items.type.shape = Shape::kList;
  list.fields.push_back(std::move(items));
  EXPECT_TRUE(IsList(list));
  EXPECT_FALSE(IsRoot(list));
  list.fields[0].type.builtin = "meta/v1.ObjectMeta";
  EXPECT_FALSE(IsList(list));
}

}  // namespace
}  // namespace keelson::codegen
