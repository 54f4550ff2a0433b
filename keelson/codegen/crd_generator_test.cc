#include "keelson/codegen/crd_generator.h"

#include <gtest/gtest.h>

#include <memory>

#include "keelson/codec/convert.h"
#include "keelson/codec/json_writer.h"

namespace keelson::codegen {
namespace {

TypeUse Use(Shape shape) {
  TypeUse use;
  use.shape = shape;
  return use;
}
TypeUse Of(Shape shape, TypeUse element) {
  TypeUse use = Use(shape);
  use.element = std::make_unique<TypeUse>(std::move(element));
  return use;
}
TypeUse Of(const StructDecl* structure) {
  TypeUse use = Use(Shape::kStruct);
  use.structure = structure;
  return use;
}
TypeUse Of(const EnumDecl* enumeration) {
  TypeUse use = Use(Shape::kEnum);
  use.enumeration = enumeration;
  return use;
}
TypeUse Of(const AliasDecl* alias) {
  TypeUse use = Use(Shape::kAlias);
  use.alias = alias;
  return use;
}
TypeUse Builtin(const std::string& name) {
  TypeUse use = Use(Shape::kBuiltin);
  use.builtin = name;
  return use;
}

// A model made by hand: lines are counted up, so that every declaration has a position of its own.
class Headers {
 public:
  explicit Headers(const std::string& group = "example.com") : group_(group) { OpenPackage("v1"); }

  void OpenPackage(const std::string& version, const std::vector<std::string>& markers = {}) {
    package_ = model_.packages.emplace_back(std::make_unique<Package>()).get();
    package_->directory = "api/" + version;
    package_->group = group_;
    package_->version = version;
    package_->markers = Says({}, markers).markers;
  }
  StructDecl* AddStruct(const std::string& name, const std::vector<std::string>& markers = {},
                        const std::vector<std::string>& lines = {}) {
    return Add(package_->structs, name, markers, lines);
  }
  EnumDecl* AddEnum(const std::string& name, const std::vector<std::string>& texts) {
    EnumDecl* added = Add(package_->enums, name, {}, {"The " + name + "."});
    for (const std::string& text : texts) {
      added->enumerators.push_back({.member = text, .text = text, .comment = {}, .position = Next()});
    }
    return added;
  }
  AliasDecl* AddAlias(const std::string& name, TypeUse target, const std::vector<std::string>& markers = {}) {
    AliasDecl* added = Add(package_->aliases, name, markers, {});
    added->target = std::move(target);
    return added;
  }
  void AddField(StructDecl* structure, const std::string& name, TypeUse type,
                const std::vector<std::string>& markers = {}, const std::vector<std::string>& lines = {}) {
    FieldDecl field;
    field.member = field.json_name = name;
    field.type = std::move(type);
    field.comment = Says(lines, markers);
    field.position = Next();
    structure->fields.push_back(std::move(field));
  }
  // With `metadata` and `spec`, the latter a struct that is returned.
  StructDecl* AddRoot(const std::string& kind, std::vector<std::string> markers = {}) {
    markers.push_back("kubebuilder:object:root=true");
    StructDecl* spec = AddStruct(kind + "Spec");
    root_ = AddStruct(kind, markers);
    AddField(root_, "metadata", Builtin("meta/v1.ObjectMeta"));
    AddField(root_, "spec", Of(spec));
    return spec;
  }
  StructDecl* root() const { return root_; }

  // The single CRD.
  Json Crd(const CrdOptions& options = {}) const {
    Diagnostics problems;
    const auto crds = GenerateCrds(model_, options, problems);
    EXPECT_EQ(problems.Render(), "");
    EXPECT_EQ(crds.size(), 1u);
    return crds.empty() ? Json() : ToJsonValue(crds[0]);
  }
  // The schema of `spec` in the first version.
  std::string Spec(const CrdOptions& options = {}) const {
    const Json crd = Crd(options);
    const Json* version = &crd.find("spec")->find("versions")->list()[0];
    return ToJson(*version->find("schema")->find("openAPIV3Schema")->find("properties")->find("spec"));
  }
  std::string Problems(const CrdOptions& options = {}) const {
    Diagnostics problems;
    EXPECT_TRUE(GenerateCrds(model_, options, problems).empty());
    return problems.Render();
  }
  const SourceModel& model() const { return model_; }

 private:
  SourcePosition Next() { return {package_->directory + "/app.h", ++line_, 3}; }
  Comment Says(const std::vector<std::string>& lines, const std::vector<std::string>& markers) {
    Comment comment;
    comment.lines = lines;
    for (const std::string& text : markers) comment.markers.push_back({.text = text, .position = Next()});
    return comment;
  }
  template <class T>
  T* Add(std::vector<std::unique_ptr<T>>& all, const std::string& name, const std::vector<std::string>& markers,
         const std::vector<std::string>& lines) {
    T* added = all.emplace_back(std::make_unique<T>()).get();
    added->name = name;
    added->qualified = "::example::" + package_->version + "::" + name;
    added->package = package_;
    added->comment = Says(lines, markers);
    added->position = Next();
    return added;
  }

  std::string group_;
  SourceModel model_;
  Package* package_ = nullptr;
  StructDecl* root_ = nullptr;
  int line_ = 0;
};

TEST(CrdGenerator, NamesAreMadeOfTheKind) {
  Headers headers;
  headers.AddRoot("NetworkPolicy");
  const Json crd = headers.Crd();
  EXPECT_EQ(ToJson(*crd.find("metadata")->find("name")), R"("networkpolicies.example.com")");
  const Json* spec = crd.find("spec");
  EXPECT_EQ(ToJson(*spec->find("names")),
            R"({"kind":"NetworkPolicy","listKind":"NetworkPolicyList","plural":"networkpolicies",)"
            R"("singular":"networkpolicy"})");
  EXPECT_EQ(ToJson(*spec->find("scope")), R"("Namespaced")");
  EXPECT_EQ(ToJson(*spec->find("group")), R"("example.com")");
}

TEST(CrdGenerator, NamesAreWhatTheMarkerSays) {
  Headers headers;
  headers.AddRoot("App", {"kubebuilder:resource:path=applications,singular=application,shortName={a,ap},"
                          "categories=all;mine,scope=Cluster",
                          "kubebuilder:metadata:annotations=\"k=v=w\",labels=\"l=1\""});
  const Json crd = headers.Crd();
  EXPECT_EQ(ToJson(*crd.find("metadata")->find("name")), R"("applications.example.com")");
  EXPECT_EQ(ToJson(*crd.find("metadata")->find("annotations")), R"({"k":"v=w"})");
  EXPECT_EQ(ToJson(*crd.find("metadata")->find("labels")), R"({"l":"1"})");
  EXPECT_EQ(ToJson(*crd.find("spec")->find("names")),
            R"({"categories":["all","mine"],"kind":"App","listKind":"AppList","plural":"applications",)"
            R"("shortNames":["a","ap"],"singular":"application"})");
  EXPECT_EQ(ToJson(*crd.find("spec")->find("scope")), R"("Cluster")");
}

TEST(CrdGenerator, RootsHaveWhatEveryObjectHas) {
  Headers headers;
  headers.AddRoot("App");
  headers.AddField(headers.root(), "status", Of(headers.AddStruct("AppStatus")));
  const Json crd = headers.Crd({.max_description_length = 0});
  const Json* version = &crd.find("spec")->find("versions")->list()[0];
  EXPECT_EQ(ToJson(*version->find("schema")->find("openAPIV3Schema")),
            R"({"properties":{"apiVersion":{"type":"string"},"kind":{"type":"string"},"metadata":{"type":"object"},)"
            R"("spec":{"type":"object"},"status":{"type":"object"}},"required":["spec"],"type":"object"})");
  EXPECT_TRUE(version->find("served")->boolean());
  EXPECT_TRUE(version->find("storage")->boolean());
}

TEST(CrdGenerator, ScalarsListsAndMaps) {
  Headers headers;
  StructDecl* spec = headers.AddRoot("App");
  headers.AddField(spec, "a", Use(Shape::kBool));
  headers.AddField(spec, "b", Use(Shape::kInt32));
  headers.AddField(spec, "c", Of(Shape::kOptional, Use(Shape::kInt64)));
  headers.AddField(spec, "d", Of(Shape::kList, Use(Shape::kString)), {"optional"}, {"Some texts."});
  headers.AddField(spec, "e", Of(Shape::kMap, Of(Shape::kList, Use(Shape::kBytes))));
  headers.AddField(spec, "f", Of(Shape::kOptional, Use(Shape::kString)), {"required"});
  headers.AddField(spec, "", Use(Shape::kBool));
  EXPECT_EQ(
      headers.Spec(),
      R"({"properties":{"a":{"type":"boolean"},"b":{"format":"int32","type":"integer"},)"
      R"("c":{"format":"int64","type":"integer"},)"
      R"("d":{"description":"Some texts.","items":{"type":"string"},"type":"array"},)"
      R"("e":{"additionalProperties":{"items":{"format":"byte","type":"string"},"type":"array"},"type":"object"},)"
      R"("f":{"type":"string"}},"required":["a","b","e","f"],"type":"object"})");
}

TEST(CrdGenerator, APackageCanMakeAllOptional) {
  Headers headers;
  headers.OpenPackage("v2", {"kubebuilder:validation:Optional"});
  StructDecl* spec = headers.AddRoot("App");
  headers.AddField(spec, "a", Use(Shape::kBool));
  headers.AddField(spec, "b", Use(Shape::kBool), {"kubebuilder:validation:Required"});
  EXPECT_EQ(headers.Spec(),
            R"({"properties":{"a":{"type":"boolean"},"b":{"type":"boolean"}},"required":["b"],"type":"object"})");
}

TEST(CrdGenerator, EnumsAreTexts) {
  Headers headers;
  StructDecl* spec = headers.AddRoot("App");
  headers.AddField(spec, "mode", Of(headers.AddEnum("Mode", {"Slow", "Fast"})), {"kubebuilder:default=Fast"});
  EXPECT_EQ(headers.Spec(), R"({"properties":{"mode":{"default":"Fast","description":"The Mode.",)"
                            R"("enum":["Slow","Fast"],"type":"string"}},"required":["mode"],"type":"object"})");
}

TEST(CrdGenerator, AliasesCarryMarkersOfTheirOwn) {
  Headers headers;
  StructDecl* spec = headers.AddRoot("App");
  const AliasDecl* name = headers.AddAlias("Name", Use(Shape::kString), {"kubebuilder:validation:MaxLength=9"});
  const AliasDecl* names = headers.AddAlias("Names", Of(Shape::kList, Of(name)), {"listType=set"});
  headers.AddField(spec, "names", Of(names), {"kubebuilder:validation:MinItems=1"});
  headers.AddField(spec, "short", Of(name), {"kubebuilder:validation:MaxLength=3"});
  EXPECT_EQ(headers.Spec(),
            R"({"properties":{"names":{"items":{"maxLength":9,"type":"string"},"minItems":1,"type":"array",)"
            R"("x-kubernetes-list-type":"set"},"short":{"allOf":[{"maxLength":9},{"maxLength":3}],"type":"string"}},)"
            R"("required":["names","short"],"type":"object"})");
}

TEST(CrdGenerator, BasesAreInlined) {
  Headers headers;
  StructDecl* spec = headers.AddRoot("App");
  StructDecl* base = headers.AddStruct("Common", {}, {"What all have."});
  headers.AddField(base, "z", Use(Shape::kBool));
  spec->bases.push_back(base);
  headers.AddField(spec, "a", Use(Shape::kBool));
  EXPECT_EQ(headers.Spec(),
            R"({"properties":{"a":{"type":"boolean"},"z":{"type":"boolean"}},"required":["a","z"],"type":"object"})");
}

TEST(CrdGenerator, BuiltinTypesHaveTheirSchema) {
  Headers headers;
  StructDecl* spec = headers.AddRoot("App");
  headers.AddField(spec, "port", Builtin("util/intstr.IntOrString"));
  headers.AddField(spec, "since", Of(Shape::kOptional, Builtin("meta/v1.Time")), {}, {"When."});
  headers.AddField(spec, "limits", Builtin("core/v1.ResourceList"), {"mapType=atomic", "optional"});
  EXPECT_TRUE(headers.Spec().starts_with(R"({"properties":{"limits":{"additionalProperties":{"anyOf":[{"t)"));
  EXPECT_NE(headers.Spec().find(R"("port":{"anyOf":[{"type":"integer"},{"type":"string"}],)"
                                R"("x-kubernetes-int-or-string":true})"),
            std::string::npos);
  EXPECT_NE(headers.Spec().find(R"("since":{"description":"When.","format":"date-time","type":"string"})"),
            std::string::npos);
  EXPECT_NE(headers.Spec().find(R"("x-kubernetes-map-type":"atomic")"), std::string::npos);
}

TEST(CrdGenerator, ASchemalessMemberIsNotLookedInto) {
  Headers headers;
  StructDecl* spec = headers.AddRoot("App");
  headers.AddField(spec, "any", Of(spec),
                   {"kubebuilder:validation:Schemaless", "kubebuilder:pruning:PreserveUnknownFields", "optional"});
  EXPECT_EQ(headers.Spec(), R"({"properties":{"any":{"x-kubernetes-preserve-unknown-fields":true}},"type":"object"})");
}

TEST(CrdGenerator, ColumnsAndSubresources) {
  Headers headers;
  headers.AddRoot("App", {"kubebuilder:subresource:status",
                          "kubebuilder:subresource:scale:specpath=.spec.n,statuspath=.status.n,selectorpath=.status.s",
                          "kubebuilder:printcolumn:name=\"N\",type=integer,JSONPath=`.spec.n`,priority=1,"
                          "description=\"How many\",format=int32",
                          "kubebuilder:selectablefield:JSONPath=.apiVersion",
                          "kubebuilder:deprecatedversion:warning=\"use v2\"", "kubebuilder:unservedversion"});
  headers.OpenPackage("v2");
  headers.AddRoot("App", {"kubebuilder:storageversion", "kubebuilder:printcolumn:name=Age,type=date,JSONPath=.m"});
  Json crd = headers.Crd({.max_description_length = 0});
  for (Json& version : crd.object()["spec"].object()["versions"].list().Mutable()) version.object().erase("schema");
  EXPECT_EQ(
      ToJson(*crd.find("spec")->find("versions")),
      R"([{"additionalPrinterColumns":[{"description":"How many","format":"int32","jsonPath":".spec.n","name":"N",)"
      R"("priority":1,"type":"integer"}],"deprecated":true,"deprecationWarning":"use v2","name":"v1",)"
      R"("selectableFields":[{"jsonPath":".apiVersion"}],"served":false,"storage":false,)"
      R"("subresources":{"scale":{"labelSelectorPath":".status.s","specReplicasPath":".spec.n",)"
      R"("statusReplicasPath":".status.n"},"status":{}}},)"
      R"({"additionalPrinterColumns":[{"jsonPath":".m","name":"Age","type":"date"}],"name":"v2","served":true,)"
      R"("storage":true,"subresources":{}}])");
}

TEST(CrdGenerator, SkippedVersionsAndPackagesAreLeftOut) {
  Headers headers;
  headers.AddRoot("App");
  headers.OpenPackage("internal");
  headers.AddRoot("App", {"kubebuilder:skipversion"});
  headers.OpenPackage("v9", {"kubebuilder:skip"});
  headers.AddRoot("App");
  const Json crd = headers.Crd();
  ASSERT_EQ(crd.find("spec")->find("versions")->list().size(), 1u);
  EXPECT_EQ(crd.find("spec")->find("versions")->list()[0].find("name")->string(), "v1");
}

TEST(CrdGenerator, TheFileIsNamedByGroupAndPlural) {
  Headers headers;
  headers.AddRoot("App");
  Diagnostics problems;
  const auto crds = GenerateCrds(headers.model(), {.max_description_length = 0}, problems);
  ASSERT_EQ(crds.size(), 1u);
  const GeneratedFile file = CrdFile(crds[0]);
  EXPECT_EQ(file.path, "example.com_apps.yaml");
  EXPECT_EQ(file.content, R"(---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: apps.example.com
spec:
  group: example.com
  names:
    kind: App
    listKind: AppList
    plural: apps
    singular: app
  scope: Namespaced
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        properties:
          apiVersion:
            type: string
          kind:
            type: string
          metadata:
            type: object
          spec:
            type: object
        required:
        - spec
        type: object
    served: true
    storage: true
)");
}

TEST(CrdGenerator, SeveralVersionsNeedOneToStore) {
  Headers none;
  none.AddRoot("App");
  none.OpenPackage("v2");
  none.AddRoot("App");
  EXPECT_EQ(none.Problems(),
            "api/v2/app.h:8:3: error: App has several versions (v1, v2): write `// +kubebuilder:storageversion` above "
            "the one to store\n");
  Headers two;
  two.AddRoot("App", {"kubebuilder:storageversion"});
  two.OpenPackage("v2");
  two.AddRoot("App", {"kubebuilder:storageversion"});
  EXPECT_NE(two.Problems().find("App is stored as v1 already (api/v1/app.h)"), std::string::npos);
}

TEST(CrdGenerator, AVersionMustBeServed) {
  Headers headers;
  headers.AddRoot("App", {"kubebuilder:unservedversion"});
  EXPECT_NE(headers.Problems().find("no version of App is served"), std::string::npos);
}

TEST(CrdGenerator, AGroupIsNeeded) {
  Headers none("");
  none.AddRoot("App");
  EXPECT_NE(none.Problems().find("App has no API group: write `// +groupName=example.com`"), std::string::npos);
  Headers short_group("example");
  short_group.AddRoot("App");
  EXPECT_NE(short_group.Problems().find("'example' must be a domain"), std::string::npos);
}

TEST(CrdGenerator, ATypeThatHoldsItselfIsAProblemThatNamesTheCircle) {
  Headers headers;
  StructDecl* spec = headers.AddRoot("App");
  StructDecl* step = headers.AddStruct("Step");
  headers.AddField(spec, "steps", Of(Shape::kList, Of(step)));
  headers.AddField(step, "inner", Of(Shape::kOptional, Of(step)));
  EXPECT_NE(headers.Problems().find("api/v1/app.h:8:3: error: the type holds itself: Step → Step."), std::string::npos)
      << headers.Problems();
}

TEST(CrdGenerator, FloatingPointNumbersNeedPermission) {
  Headers headers;
  headers.AddField(headers.AddRoot("App"), "ratio", Use(Shape::kDouble));
  EXPECT_NE(headers.Problems().find("--allow-dangerous-types"), std::string::npos);
  EXPECT_NE(headers.Spec({.allow_dangerous_types = true}).find(R"("ratio":{"type":"number"})"), std::string::npos);
}

TEST(CrdGenerator, AnUnknownBuiltinTypeIsAProblem) {
  Headers headers;
  headers.AddField(headers.AddRoot("App"), "x", Builtin("core/v1.Nothing"));
  EXPECT_NE(headers.Problems().find("no schema is known for the built-in type core/v1.Nothing"), std::string::npos);
}

TEST(CrdGenerator, MarkersOfTypesThatNobodyUsesAreLookedAtToo) {
  Headers headers;
  headers.AddRoot("App");
  headers.AddField(headers.AddStruct("Unused"), "x", Use(Shape::kString), {"kubebuilder:validation:MinLenght=1"});
  EXPECT_NE(headers.Problems().find("MinLenght"), std::string::npos);
}

TEST(CrdGenerator, KeysOfListMapsMustBeThereAndSet) {
  Headers headers;
  StructDecl* spec = headers.AddRoot("App");
  StructDecl* port = headers.AddStruct("Port");
  headers.AddField(port, "name", Of(Shape::kOptional, Use(Shape::kString)));
  headers.AddField(port, "number", Use(Shape::kInt32));
  headers.AddField(spec, "a", Of(Shape::kList, Of(port)), {"listType=map", "listMapKey=number"});
  headers.AddField(spec, "b", Of(Shape::kList, Of(port)), {"listType=map", "listMapKey=name"});
  headers.AddField(spec, "c", Of(Shape::kList, Of(port)), {"listType=map", "listMapKey=nothing"});
  headers.AddField(spec, "d", Of(Shape::kList, Of(port)), {"listType=map"});
  const std::string problems = headers.Problems();
  EXPECT_EQ(problems.find("'a'"), std::string::npos) << problems;
  EXPECT_NE(problems.find("'name' is a key of the list-map 'b': make it required"), std::string::npos) << problems;
  EXPECT_NE(problems.find("elements of 'c' have no member 'nothing'"), std::string::npos) << problems;
  EXPECT_NE(problems.find("'d' is a list-map without a key"), std::string::npos) << problems;

  Headers named;
  StructDecl* step = named.AddStruct("Step");
  const AliasDecl* steps = named.AddAlias("Steps", Of(Shape::kList, Of(step)), {"listType=map", "listMapKey=id"});
  named.AddField(named.AddRoot("App"), "steps", Of(steps));
  EXPECT_NE(named.Problems().find("elements of 'Steps' have no member 'id'"), std::string::npos) << named.Problems();
}

TEST(CrdGenerator, OneOfNamesMembersThatMayBeAbsent) {
  Headers headers;
  headers.AddRoot("App");
  StructDecl* source = headers.AddStruct("Source", {"kubebuilder:validation:ExactlyOneOf=file;url;other"});
  headers.AddField(source, "file", Use(Shape::kString));
  headers.AddField(source, "url", Of(Shape::kOptional, Use(Shape::kString)));
  headers.AddField(headers.root(), "source", Of(source));
  const std::string problems = headers.Problems();
  EXPECT_NE(problems.find("Source has no member 'other'"), std::string::npos) << problems;
  EXPECT_NE(problems.find("'file' is required, so it is always set"), std::string::npos) << problems;
  EXPECT_EQ(problems.find("'url'"), std::string::npos) << problems;
}

TEST(CrdGenerator, ColumnsThatTheServerWouldRefuseAreProblems) {
  Headers headers;
  headers.AddRoot("App", {"kubebuilder:printcolumn:name=A,type=text,JSONPath=spec.a",
                          "kubebuilder:resource:scope=Galaxy,path=Apps"});
  const std::string problems = headers.Problems();
  EXPECT_NE(problems.find("found 'text'"), std::string::npos) << problems;
  EXPECT_NE(problems.find("JSONPath must begin with a dot"), std::string::npos) << problems;
  EXPECT_NE(problems.find("scope is Cluster or Namespaced; found 'Galaxy'"), std::string::npos) << problems;
  EXPECT_NE(problems.find("found 'Apps'"), std::string::npos) << problems;
}

TEST(CrdGenerator, PathsThatTheServerWouldRefuseAreProblems) {
  Headers headers;
  StructDecl* spec = headers.AddRoot(
      "App", {"kubebuilder:printcolumn:name=A,type=string,JSONPath=\".spec[a\"",
              "kubebuilder:subresource:scale:specpath=spec.n,statuspath=.spec.n,selectorpath=.metadata.s",
              "kubebuilder:selectablefield:JSONPath=spec.n", "kubebuilder:selectablefield:JSONPath=.spec.none",
              "kubebuilder:selectablefield:JSONPath=.spec", "kubebuilder:selectablefield:JSONPath=.spec.n"});
  headers.AddField(spec, "n", Use(Shape::kInt32));
  const std::string problems = headers.Problems();
  for (const char* expected : {
           "+kubebuilder:printcolumn: JSONPath: '.spec[a' is no path: ",
           "specpath must begin with a dot, as .spec.replicas does; found 'spec.n'",
           "statuspath must begin with .status.; found '.spec.n'",
           "selectorpath must begin with .spec. or .status.; found '.metadata.s'",
           "JSONPath must begin with a dot, as .spec.replicas does; found 'spec.n'",
           "JSONPath: there is no member '.spec.none'; found '.spec.none'",
           "JSONPath must lead to a boolean, integer or string; '.spec' is of type object",
       }) {
    EXPECT_NE(problems.find(expected), std::string::npos) << expected << " in\n" << problems;
  }
  EXPECT_EQ(std::count(problems.begin(), problems.end(), '\n'), 7) << problems;
}

TEST(CrdGenerator, AKindIsDeclaredOnceInAVersion) {
  Headers headers;
  headers.AddRoot("App");
  headers.AddRoot("App");
  EXPECT_EQ(headers.Problems(), "api/v1/app.h:8:3: error: App v1 of example.com is declared in api/v1/app.h already\n");
}

TEST(CrdGenerator, TwoKindsCannotShareAPlural) {
  Headers headers;
  headers.AddRoot("App");
  headers.AddRoot("Bpp", {"kubebuilder:resource:path=apps"});
  EXPECT_NE(headers.Problems().find("the CRD apps.example.com is that of App already"), std::string::npos)
      << headers.Problems();
}

TEST(CrdGenerator, ATypeThatContradictsItsNameIsAProblem) {
  Headers headers;
  StructDecl* spec = headers.AddRoot("App");
  const AliasDecl* name = headers.AddAlias("Name", Use(Shape::kString));
  headers.AddField(spec, "n", Of(name), {"kubebuilder:validation:Type=integer"});
  EXPECT_NE(headers.Problems().find("is of type string already"), std::string::npos);
}

}  // namespace
}  // namespace keelson::codegen
