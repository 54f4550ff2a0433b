#include "keelson/codegen/types_generator.h"

#include <gtest/gtest.h>

#include "keelson/codec/yaml_reader.h"

namespace keelson::codegen {
namespace {

using apiextensionsv1::CustomResourceDefinition;

// A CRD of kind Gadget with this schema, in YAML's flow style.
CustomResourceDefinition CrdOf(const std::string& schema, const std::string& more = "") {
  auto crd = FromYaml<CustomResourceDefinition>(R"(
metadata: {name: gadgets.shop.example.com}
spec:
  group: shop.example.com
  scope: Namespaced
  names: {kind: Gadget, listKind: GadgetList, plural: gadgets, singular: gadget}
  versions:
    - name: v1
      served: true
      storage: true
      subresources: {status: {}}
      schema: {openAPIV3Schema: )" + schema + "}\n" +
                                                more);
  EXPECT_TRUE(crd) << crd.error().message();
  return crd ? *crd : CustomResourceDefinition();
}

std::string Header(const CustomResourceDefinition& crd, const TypesOptions& options = {}) {
  Diagnostics problems;
  const std::vector<GeneratedFile> files = GenerateTypes(crd, options, problems);
  EXPECT_EQ(problems.Render(), "");
  return files.empty() ? std::string() : files[0].content;
}

std::string Problems(const CustomResourceDefinition& crd) {
  Diagnostics problems;
  EXPECT_TRUE(GenerateTypes(crd, {}, problems).empty());
  return problems.Render();
}

TEST(GenerateTypes, MakesAHeaderThatReadsWell) {
  const CustomResourceDefinition crd = CrdOf(R"({
    type: object, description: Gadget is a thing., required: [spec], properties: {
      apiVersion: {type: string, description: "Group and version of the schema that this object follows, such as apps/v1."},
      kind: {type: string, description: Name of the REST resource that this object represents.},
      metadata: {type: object},
      spec: {type: object, required: [size, mode], properties: {
        size: {type: integer, format: int32, minimum: 1, description: "How big.\n\nAt least 1."},
        mode: {type: string, enum: [fast, default]},
        class: {type: string, nullable: true},
        parts: {type: array, items: {type: object, description: A part., properties: {weight: {type: number}}}}}}}})");
  EXPECT_EQ(Header(crd),
            R"(// Gadget v1 of shop.example.com, made from its CustomResourceDefinition by `keelson generate types`.
//
// +groupName=shop.example.com
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "keelson/api/meta/v1.h"

namespace shop_example_com::v1 {

enum class GadgetSpecMode {
  fast,
  // +keelson:json=default
  default_,
};

// A part.
struct GadgetSpecPart {
  std::optional<double> weight = {};
};

struct GadgetSpec {
  // +nullable
  std::optional<std::string> class_ = {};

  GadgetSpecMode mode = {};

  // +optional
  std::vector<GadgetSpecPart> parts = {};

  // How big.
  //
  // At least 1.
  // +kubebuilder:validation:Minimum=1
  int32_t size = 0;
};

// Gadget is a thing.
// +genclient
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=gadgets
// +kubebuilder:subresource:status
struct Gadget {
  keelson::metav1::ObjectMeta metadata = {};

  GadgetSpec spec = {};
};

}  // namespace shop_example_com::v1
)");
}

TEST(GenerateTypes, WritesAHeaderForEachVersion) {
  const CustomResourceDefinition crd = CrdOf("{type: object}", R"(
    - name: v1beta1
      served: false
      storage: false
      deprecated: true
      schema: {openAPIV3Schema: {type: object}}
)");
  Diagnostics problems;
  const std::vector<GeneratedFile> files = GenerateTypes(crd, {.namespace_ = "shop"}, problems);
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[0].path, "v1/gadget.h");
  EXPECT_NE(files[0].content.find("+kubebuilder:storageversion"), std::string::npos);
  EXPECT_NE(files[0].content.find("namespace shop::v1 {"), std::string::npos);
  EXPECT_EQ(files[1].path, "v1beta1/gadget.h");
  EXPECT_NE(files[1].content.find("+kubebuilder:unservedversion\n// +kubebuilder:deprecatedversion\n"),
            std::string::npos);
}

TEST(GenerateTypes, WritesTheSameBytesEachTime) {
  const CustomResourceDefinition crd =
      CrdOf("{type: object, properties: {spec: {type: object, properties: {b: {type: string}, a: {type: boolean}}}}}");
  EXPECT_EQ(Header(crd), Header(crd));
}

TEST(GenerateTypes, KeepsStringsWithoutEnumClasses) {
  const CustomResourceDefinition crd =
      CrdOf("{type: object, properties: {spec: {type: object, properties: {mode: {type: string, enum: [a, b]}}}}}");
  const std::string header = Header(crd, {.namespace_ = {}, .enum_classes = false});
  EXPECT_NE(header.find("  // +kubebuilder:validation:Enum=a;b\n  std::optional<std::string> mode = {};\n"),
            std::string::npos)
      << header;
}

TEST(GenerateTypes, TypeNamesThatMeetAreNumbered) {
  const std::string header = Header(CrdOf(R"({type: object, properties: {
    spec: {type: object, properties: {
      fooBar: {type: object, properties: {a: {type: string}}},
      foo: {type: object, properties: {bar: {type: object, properties: {b: {type: string}}}}}}}}})"));
  EXPECT_NE(header.find("struct GadgetSpecFooBar {\n  std::optional<std::string> b"), std::string::npos) << header;
  EXPECT_NE(header.find("struct GadgetSpecFooBar2 {\n  std::optional<std::string> a"), std::string::npos) << header;
}

TEST(GenerateTypes, MembersThatMeetAreNumberedAndKeepTheirJsonNames) {
  const std::string header = Header(CrdOf(
      "{type: object, properties: {spec: {type: object, properties: {a-b: {type: string}, aB: {type: string}}}}}"));
  EXPECT_NE(header.find("  // +keelson:json=\"a-b\"\n  std::optional<std::string> aB2 = {};\n\n"
                        "  std::optional<std::string> aB = {};\n"),
            std::string::npos)
      << header;
}

TEST(GenerateTypes, SaysWhatItLeavesOut) {
  CustomResourceDefinition crd = CrdOf("{type: object}");
  crd.spec.conversion.Ensure().strategy = "Webhook";
  crd.spec.names.listKind = "Gadgetry";
  const std::string header = Header(crd);
  EXPECT_NE(header.find("converted by a webhook"), std::string::npos);
  EXPECT_NE(header.find("Its lists are called Gadgetry; here they are GadgetList."), std::string::npos);
}

TEST(GenerateTypes, NamesThePlaceOfASchemaThatItCannotRead) {
  const std::string root = "spec.versions[0].schema.openAPIV3Schema";
  const auto problem_of = [](const std::string& property) {
    return Problems(CrdOf("{type: object, properties: {spec: {type: object, properties: {a: " + property + "}}}}"));
  };
  const std::string at = root + ".properties.spec.properties.a";
  EXPECT_EQ(Problems(CrdOf("{type: string}")), root + ": error: the schema of a resource must have `type: object`\n");
  EXPECT_EQ(problem_of("{type: array}"), at + ": error: an array needs `items`\n");
  EXPECT_EQ(problem_of("{type: array, items: [{type: string}]}"),
            at + ".items: error: expected one schema for all items, found a list of schemas\n");
  EXPECT_EQ(problem_of("{type: text}"),
            at + ": error: type 'text' is unknown: expected array, boolean, integer, number, object or string\n");
  EXPECT_EQ(problem_of("{description: nothing}"),
            at + ": error: a schema needs a `type`, `x-kubernetes-int-or-string: true` or "
                 "`x-kubernetes-preserve-unknown-fields: true`\n");
  EXPECT_EQ(problem_of("{$ref: '#/a'}"), at + ": error: $ref is not allowed in a CRD: write the schema out\n");
  EXPECT_EQ(problem_of("{type: object, properties: {b: {type: string}}, additionalProperties: {type: string}}"),
            at + ": error: properties and additionalProperties exclude each other in a CRD: give one of them\n");
  EXPECT_EQ(problem_of("{type: object, additionalProperties: {type: array, items: {type: x}}}"),
            at + ".additionalProperties.items: error: type 'x' is unknown: expected array, boolean, integer, number, "
                 "object or string\n");
}

TEST(GenerateTypes, RefusesNamesThatNoMarkerCanGive) {
  EXPECT_EQ(Problems(CrdOf("{type: object, properties: {spec: {type: object, properties: {'a,b': {type: string}}}}}")),
            "spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.a,b: error: a name with a comma, a "
            "quotation mark, a backslash or a control character cannot be that of a C++ member\n");
}

TEST(GenerateTypes, RefusesACrdThatIsNone) {
  EXPECT_EQ(Problems({}),
            "spec.group: error: expected the API group, as cert.example.com; found nothing\n"
            "spec.names.kind: error: '' cannot be the name of a C++ struct: expected letters and digits\n"
            "spec.names.plural: error: expected the name of the resource; found nothing\n"
            "spec.versions: error: expected at least one version; found none\n");
  CustomResourceDefinition crd = CrdOf("{type: object}");
  crd.spec.versions[0].schema = {};
  EXPECT_EQ(Problems(crd),
            "spec.versions[0].schema.openAPIV3Schema: error: expected a schema; found nothing to make types of\n");
}

TEST(GenerateTypes, RefusesSchemasThatAreNestedTooDeep) {
  std::string schema = "{type: string}";
  for (int i = 0; i < 120; ++i) schema = "{type: array, items: " + schema + "}";
  EXPECT_NE(Problems(CrdOf("{type: object, properties: {spec: " + schema + "}}")).find("more than 100 levels deep"),
            std::string::npos);
}

}  // namespace
}  // namespace keelson::codegen
