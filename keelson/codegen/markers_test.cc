#include "keelson/codegen/markers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "keelson/codec/json_reader.h"
#include "keelson/codec/json_writer.h"
#include "keelson/codegen/marker_definitions.h"

namespace keelson::codegen {
namespace {

using testing::StartsWith;
using enum MarkerTarget;

// As if written `// +text` in column 1 of line 7.
Marker At(std::string text) { return {.text = std::move(text), .position = {.file = "app.h", .line = 7, .column = 4}}; }

// The single marker read from `text`, which has no problem.
ParsedMarker Read(const std::string& text, MarkerTarget target) {
  Diagnostics problems;
  const std::vector<ParsedMarker> parsed = ParseMarkers({At(text)}, target, problems);
  EXPECT_EQ(problems.Render(), "");
  EXPECT_EQ(parsed.size(), 1u) << text;
  return parsed.empty() ? ParsedMarker{} : parsed.front();
}

std::string ValueOf(const std::string& text, MarkerTarget target = kField) { return ToJson(Read(text, target).value); }

std::string Argument(const ParsedMarker& marker, const std::string& name) {
  const Json* found = marker.Find(name);
  return found ? ToJson(*found) : "nothing";
}

// "COLUMN: MESSAGE" of the single problem.
std::string ProblemOf(const std::string& text, MarkerTarget target = kField) {
  Diagnostics problems;
  EXPECT_TRUE(ParseMarkers({At(text)}, target, problems).empty()) << text;
  if (problems.all().size() != 1) return std::to_string(problems.all().size()) + " problems";
  const Diagnostic& problem = problems.all().front();
  EXPECT_EQ(problem.position.file, "app.h");
  EXPECT_EQ(problem.position.line, 7);
  return std::to_string(problem.position.column) + ": " + problem.message;
}

bool IsLeftAlone(const std::string& text, MarkerTarget target) {
  Diagnostics problems;
  return ParseMarkers({At(text)}, target, problems).empty() && problems.empty();
}

TEST(Markers, NumbersAreOfTheTypeThatTheMarkerTakes) {
  EXPECT_EQ(ValueOf("kubebuilder:validation:Minimum=0"), "0.0");
  EXPECT_EQ(ValueOf("kubebuilder:validation:Minimum= -1.5e3 "), "-1500.0");
  EXPECT_EQ(ValueOf("kubebuilder:validation:items:Maximum=+2"), "2.0");
  EXPECT_EQ(ValueOf("kubebuilder:validation:MultipleOf=-0.5"), "-0.5");
  EXPECT_EQ(ValueOf("kubebuilder:validation:MaxLength=63"), "63");
  EXPECT_EQ(ValueOf("kubebuilder:validation:MinItems=-1"), "-1");
  EXPECT_EQ(ValueOf("kubebuilder:validation:MaxItems=+7"), "7");
  EXPECT_EQ(ValueOf("kubebuilder:validation:UniqueItems=true"), "true");
}

TEST(Markers, TextsAreBareQuotedOrRaw) {
  EXPECT_EQ(ValueOf("kubebuilder:validation:Format=date-time"), R"("date-time")");
  EXPECT_EQ(ValueOf(R"(kubebuilder:validation:Pattern="a\\d\t\u00e9\x41\101\"")"), R"("a\\d\té)"
                                                                                   R"(AA\"")");
  EXPECT_EQ(ValueOf("kubebuilder:validation:Pattern=`^\\d+(,\\d+)*$`"), R"("^\\d+(,\\d+)*$")");
  EXPECT_EQ(ValueOf("kubebuilder:validation:Pattern=^[a-z]+ 08$"), R"("^[a-z]+ 08$")");
  EXPECT_EQ(ValueOf("kubebuilder:validation:Pattern='a'"), R"("'a'")");
  EXPECT_EQ(ValueOf("kubebuilder:validation:Pattern=x\"a,b\"y"), R"("x\"a,b\"y")");
  EXPECT_EQ(ValueOf("keelson:json=-"), R"("-")");
  EXPECT_EQ(ValueOf("groupName=apps.example.com", kPackage), R"("apps.example.com")");
  EXPECT_EQ(ValueOf("groupName=", kPackage), "null");
}

TEST(Markers, ListsHaveBracesOrSemicolons) {
  EXPECT_EQ(ValueOf("kubebuilder:validation:Enum=a;b;c"), R"(["a","b","c"])");
  EXPECT_EQ(ValueOf("kubebuilder:validation:Enum={a, \"b c\" ,`d`}"), R"(["a","b c","d"])");
  EXPECT_EQ(ValueOf("kubebuilder:validation:Enum=1;two;3.5;true"), R"([1,"two",3.5,true])");
  EXPECT_EQ(ValueOf("kubebuilder:validation:items:Enum=\"\";a"), R"(["","a"])");
  EXPECT_EQ(ValueOf("kubebuilder:validation:ExactlyOneOf=a;b", kType), R"(["a","b"])");
  EXPECT_EQ(ValueOf("kubebuilder:validation:Enum={}"), "[]");
}

TEST(Markers, AValueOfAnyTypeIsWhatItLooksLike) {
  EXPECT_EQ(ValueOf("kubebuilder:default=5"), "5");
  EXPECT_EQ(ValueOf("kubebuilder:default=-5"), "-5");
  EXPECT_EQ(ValueOf("kubebuilder:default=1.5"), "1.5");
  EXPECT_EQ(ValueOf("kubebuilder:default=true"), "true");
  EXPECT_EQ(ValueOf("kubebuilder:default=\"5\""), R"("5")");
  EXPECT_EQ(ValueOf("kubebuilder:default=\"\""), R"("")");
  EXPECT_EQ(ValueOf("kubebuilder:default=a;b"), R"(["a","b"])");
  EXPECT_EQ(ValueOf("kubebuilder:default={1,2}"), "[1,2]");
  EXPECT_EQ(ValueOf("kubebuilder:default={{1,2},{3}}"), "[[1,2],[3]]");
  EXPECT_EQ(ValueOf("kubebuilder:default={}"), "{}");
  EXPECT_EQ(ValueOf("kubebuilder:default={{a: 1},{b: x}}"), R"([{"a":1},{"b":"x"}])");
  EXPECT_EQ(ValueOf("kubebuilder:example={a: 1, \"b c\": {d: \"x;y\", e: {1,-2}}, f: http://h}"),
            R"({"a":1,"b c":{"d":"x;y","e":[1,-2]},"f":"http://h"})");
}

TEST(Markers, WhatOnlyBeginsLikeANumberIsAText) {
  EXPECT_EQ(ValueOf("kubebuilder:default=100Mi"), R"("100Mi")");
  EXPECT_EQ(ValueOf("kubebuilder:default=2024-01-15"), R"("2024-01-15")");
  EXPECT_EQ(ValueOf("kubebuilder:default=087bdd"), R"("087bdd")");
  EXPECT_EQ(ValueOf("kubebuilder:default=10.0.0.1"), R"("10.0.0.1")");
  EXPECT_EQ(ValueOf("kubebuilder:default=truthy"), R"("truthy")");
}

TEST(Markers, DefaultOfKubernetesIsJson) {
  EXPECT_EQ(ValueOf(R"(default={"a":[1,2.5,null],"b":"c"})"), R"({"a":[1,2.5,null],"b":"c"})");
  EXPECT_EQ(ValueOf("default= 5 "), "5");
  EXPECT_EQ(ValueOf("default=ref(pkg.Constant)"), "null");
  EXPECT_THAT(ProblemOf("default=abc"), StartsWith("13: +default: the value is not JSON: "));
}

TEST(Markers, TitleIsAText) {
  EXPECT_EQ(ValueOf("kubebuilder:title=Number of replicas"), R"("Number of replicas")");
  EXPECT_EQ(ProblemOf("kubebuilder:title=5"),
            "23: +kubebuilder:title: expected a text, found '5', which is of type integer; write for example "
            "+kubebuilder:title=\"Number of replicas\"");
}

TEST(Markers, NamedArgumentsAreReadByType) {
  const ParsedMarker resource = Read(
      "kubebuilder:resource:path=apps,scope=Cluster,shortName={ap,aps},categories=all;web,singular=\"app\"", kType);
  EXPECT_EQ(resource.name, "kubebuilder:resource");
  EXPECT_TRUE(resource.value.is_null());
  EXPECT_EQ(resource.Text("path"), "apps");
  EXPECT_EQ(resource.Text("scope"), "Cluster");
  EXPECT_EQ(resource.Texts("shortName"), (std::vector<std::string>{"ap", "aps"}));
  EXPECT_EQ(resource.Texts("categories"), (std::vector<std::string>{"all", "web"}));
  EXPECT_EQ(resource.Text("singular"), "app");
  EXPECT_EQ(resource.Text("plural"), "");
  EXPECT_TRUE(resource.Texts("path").empty());
  EXPECT_EQ(resource.position, (SourcePosition{"app.h", 7, 4}));

  const ParsedMarker column = Read(
      R"(kubebuilder:printcolumn:name="Ready",type=string,priority=1,JSONPath=".status.c[?(@.t==\"R\")].s")", kType);
  EXPECT_EQ(Argument(column, "priority"), "1");
  EXPECT_EQ(column.Text("JSONPath"), R"(.status.c[?(@.t=="R")].s)");

  const ParsedMarker rule = Read(
      R"(kubebuilder:validation:XValidation:rule="self.min <= self.max",message="a, b",optionalOldSelf=true)", kField);
  EXPECT_EQ(rule.Text("rule"), "self.min <= self.max");
  EXPECT_EQ(rule.Text("message"), "a, b");
  EXPECT_EQ(Argument(rule, "optionalOldSelf"), "true");

  const ParsedMarker metadata = Read("kubebuilder:metadata:annotations=\"a=b\";\"c=d\",labels=e=f", kType);
  EXPECT_EQ(metadata.Texts("annotations"), (std::vector<std::string>{"a=b", "c=d"}));
  EXPECT_EQ(metadata.Texts("labels"), std::vector<std::string>{"e=f"});

  EXPECT_EQ(Argument(Read("kubebuilder:deprecatedversion", kType), "warning"), "nothing");
}

TEST(Markers, ClientMarkersHaveListsWithCommas) {
  EXPECT_EQ(ValueOf("genclient", kType), "null");
  EXPECT_EQ(ValueOf("genclient:onlyVerbs=create, get", kType), R"(["create","get"])");
  const ParsedMarker method =
      Read("genclient:method=UpdateScale,verb=update,subresource=scale,input=k8s.io/api/autoscaling/v1.Scale", kType);
  EXPECT_EQ(method.value, Json("UpdateScale"));
  EXPECT_EQ(method.Text("verb"), "update");
  EXPECT_EQ(method.Text("subresource"), "scale");
  EXPECT_EQ(method.Text("input"), "k8s.io/api/autoscaling/v1.Scale");
  EXPECT_EQ(method.Find("result"), nullptr);
  EXPECT_EQ(ProblemOf("genclient:skipVerbs=get,lists", kType),
            "29: +genclient:skipVerbs: unknown verb 'lists', the nearest one is 'list'; write for example "
            "+genclient:skipVerbs=delete,deleteCollection");
  EXPECT_THAT(ProblemOf("genclient:method=X,verb=delete", kType),
              StartsWith("24: +genclient:method: the verb of a method is one of 'create'"));
  EXPECT_THAT(ProblemOf("genclient:method=X,verb=get,input=Y", kType),
              StartsWith("24: +genclient:method: an input belongs to one of the verbs "));
  EXPECT_THAT(ProblemOf("genclient:method=verb=get", kType),
              StartsWith("22: +genclient:method: the name of the method is missing;"));
}

TEST(Markers, AcceptedMarkersOfKubernetesKeepTheirText) {
  EXPECT_EQ(ValueOf("k8s:deepcopy-gen=package,register", kPackage), R"("package,register")");
  EXPECT_EQ(ValueOf("k8s:deepcopy-gen:interfaces=a/b.C,d.E", kType), R"("a/b.C,d.E")");
  EXPECT_EQ(ValueOf("k8s:openapi-gen=true", kType), R"("true")");
  EXPECT_EQ(ValueOf("k8s:maximum=5#five"), "5.0");
  EXPECT_EQ(ValueOf("k8s:optional # says why"), "null");
}

TEST(Markers, AnUnknownOneOfAKnownFamilyNamesTheNearest) {
  EXPECT_EQ(ProblemOf("kubebuilder:validation:Minimun=0"),
            "4: unknown marker +kubebuilder:validation:Minimun; the nearest known one is "
            "+kubebuilder:validation:Minimum; write for example +kubebuilder:validation:Minimum=0");
  EXPECT_EQ(ProblemOf("kubebuilder:printcolum:name=\"A\",type=date", kType),
            "4: unknown marker +kubebuilder:printcolum:name; the nearest known one is +kubebuilder:printcolumn; write "
            "for example +kubebuilder:printcolumn:name=\"Age\",type=date,JSONPath=\".metadata.creationTimestamp\"");
  EXPECT_EQ(ProblemOf("kubebuilder:subresource:statuses", kType),
            "4: unknown marker +kubebuilder:subresource:statuses; the nearest known one is "
            "+kubebuilder:subresource:status; write just +kubebuilder:subresource:status");
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"genclient:nonNamespace", "genclient:nonNamespaced"},
      {"k8s:deepcopy-gen:interface=x", "k8s:deepcopy-gen:interfaces"},
      {"keelson:jsn=x", "keelson:json"},
      {"listtype=map", "listType"},
      {"Optional", "optional"},
      {"optionel", "optional"},
      {"nullabel", "nullable"},
      {"listMapKeys=name", "listMapKey"},
      {"gencient", "genclient"},
      {"k8s:openapigen=true", "k8s:openapi-gen"},
      {"kubebuilder:validation:items:maxlength=3", "kubebuilder:validation:items:MaxLength"},
      {"kubebuilder:validation:Minimum:x=3", "kubebuilder:validation:Minimum"},
  };
  for (const auto& [text, nearest] : cases) {
    const std::string problem = ProblemOf(text);
    EXPECT_NE(problem.find("the nearest known one is +" + nearest + ";"), std::string::npos) << problem;
  }
}

TEST(Markers, TextBehindAMarkerIsAProblem) {
  EXPECT_EQ(ProblemOf("optional because nobody sets it"),
            "4: +optional: 'because nobody sets it' behind it is no part of the marker; write just +optional");
  EXPECT_EQ(ProblemOf("kubebuilder:validation:MinLength =1"),
            "4: +kubebuilder:validation:MinLength: no space may stand before '='; write for example "
            "+kubebuilder:validation:MinLength=1");
  EXPECT_EQ(ProblemOf("nullable=true"), "13: +nullable: it takes no value; write just +nullable");
}

TEST(Markers, AWrongValueIsNamedWithItsColumn) {
  EXPECT_EQ(ProblemOf("kubebuilder:validation:MaxLength=1.5"),
            "38: +kubebuilder:validation:MaxLength: expected an integer, found '1.5'; write for example "
            "+kubebuilder:validation:MaxLength=63");
  EXPECT_EQ(ProblemOf("kubebuilder:validation:Minimum=low"),
            "36: +kubebuilder:validation:Minimum: expected a number, found 'low'; write for example "
            "+kubebuilder:validation:Minimum=0");
  EXPECT_THAT(ProblemOf("kubebuilder:validation:Maximum=inf"),
              StartsWith("36: +kubebuilder:validation:Maximum: expected a number"));
  EXPECT_EQ(ProblemOf("kubebuilder:object:root=yes", kType),
            "29: +kubebuilder:object:root: expected true or false, found 'yes'; write for example "
            "+kubebuilder:object:root=true");
  EXPECT_EQ(ProblemOf("kubebuilder:object:root", kType),
            "4: +kubebuilder:object:root: the value is missing; write for example +kubebuilder:object:root=true");
  EXPECT_EQ(ProblemOf("kubebuilder:default={1,a}"),
            "28: +kubebuilder:default: expected an integer, found 'a'; write for example +kubebuilder:default=1");
  EXPECT_EQ(ProblemOf("kubebuilder:validation:Pattern=^[a-z],x$"),
            "42: +kubebuilder:validation:Pattern: ',x$' is left over after the value; a text with special characters "
            "stands in \"quotes\" or `backquotes`; write for example +kubebuilder:validation:Pattern=`^[a-z]+$`");
  EXPECT_THAT(ProblemOf("kubebuilder:validation:Pattern=\"\\d\""),
              StartsWith("36: +kubebuilder:validation:Pattern: \"\\d\" has an escape that does not exist"));
  EXPECT_THAT(ProblemOf("kubebuilder:default=\"abc"),
              StartsWith("25: +kubebuilder:default: the quotation mark \" is not closed;"));
  EXPECT_THAT(ProblemOf("kubebuilder:default=`abc"),
              StartsWith("25: +kubebuilder:default: the backquote ` is not closed"));
  EXPECT_THAT(ProblemOf("kubebuilder:default={a: 1"),
              StartsWith("30: +kubebuilder:default: expected ',' or '}' in the"));
  EXPECT_THAT(ProblemOf("kubebuilder:default=" + std::string(100'000, '{')),
              StartsWith("4: the marker is not valid UTF-8, or longer"));
  EXPECT_THAT(ProblemOf("kubebuilder:default=" + std::string(1000, '{')),
              StartsWith("57: +kubebuilder:default: the value is nested deeper than 32 levels"));
  EXPECT_THAT(ProblemOf("kubebuilder:default=\"\\xff\""),
              StartsWith("25: +kubebuilder:default: the text is not valid UTF-8"));
}

TEST(Markers, AWrongArgumentIsNamedWithItsColumn) {
  const std::string example = "; write for example +kubebuilder:resource:path=apps,scope=Namespaced,shortName={ap,aps}";
  EXPECT_EQ(ProblemOf("kubebuilder:resource:path=apps,shortname=a", kType),
            "36: +kubebuilder:resource: unknown argument 'shortname', the nearest one is 'shortName'" + example);
  EXPECT_EQ(ProblemOf("kubebuilder:resource:path=a,path=b", kType),
            "33: +kubebuilder:resource: the argument 'path' is given twice" + example);
  EXPECT_EQ(ProblemOf("kubebuilder:resource:path=,scope=Cluster", kType),
            "31: +kubebuilder:resource: argument 'path': there is no value before ','; an empty text is written \"\"" +
                example);
  EXPECT_EQ(ProblemOf("kubebuilder:resource:path=a,", kType),
            "32: +kubebuilder:resource: expected another argument after ','" + example);
  EXPECT_EQ(ProblemOf("kubebuilder:resource:scope", kType),
            "26: +kubebuilder:resource: expected '=' and a value after 'scope'" + example);
  EXPECT_EQ(ProblemOf("kubebuilder:resource=apps", kType),
            "25: +kubebuilder:resource: it takes arguments with names, after a ':'" + example);
  EXPECT_EQ(ProblemOf("kubebuilder:rbac:groups=apps,resources=pods,verbs=get,list", kPackage),
            "59: +kubebuilder:rbac: expected '=' and a value after 'list'; values of a list are separated by ';', not "
            "','; write for example +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch");
  EXPECT_EQ(ProblemOf("kubebuilder:printcolumn:name=x", kType),
            "4: +kubebuilder:printcolumn: the arguments 'type' and 'JSONPath' are missing; write for example "
            "+kubebuilder:printcolumn:name=\"Age\",type=date,JSONPath=\".metadata.creationTimestamp\"");
  EXPECT_THAT(ProblemOf("kubebuilder:printcolumn:name=x,type=string,JSONPath=.a,priority=low", kType),
              StartsWith("69: +kubebuilder:printcolumn: argument 'priority': expected an integer, found 'low';"));
}

TEST(Markers, AMisplacedOneIsToldWhereItBelongs) {
  EXPECT_EQ(ProblemOf("kubebuilder:storageversion", kField),
            "4: +kubebuilder:storageversion stands on a field; it belongs above the struct");
  EXPECT_EQ(ProblemOf("groupName=example.com", kType),
            "4: +groupName stands on a type; it belongs in a comment at file level");
  EXPECT_EQ(ProblemOf("kubebuilder:validation:Optional", kType),
            "4: +kubebuilder:validation:Optional stands on a type; it belongs above the field or in a comment at file "
            "level");
  EXPECT_EQ(ProblemOf("listType=set", kPackage),
            "4: +listType stands at file level; it belongs above the struct or above the field");
}

TEST(Markers, RulesAndWebhooksMayStandAnywhereButAreReadAtFileLevel) {
  const std::string rule = "kubebuilder:rbac:groups=apps,resources=deployments,verbs=get";
  EXPECT_TRUE(IsLeftAlone(rule, kType));
  EXPECT_TRUE(IsLeftAlone(rule, kField));
  EXPECT_EQ(Read(rule, kPackage).Texts("verbs"), std::vector<std::string>{"get"});
  EXPECT_TRUE(IsLeftAlone("kubebuilder:webhookconfiguration:mutating=true", kType));
}

TEST(Markers, ThoseOfOtherToolsAreLeftAlone) {
  for (const char* text :
       {"protobuf=true", "enum", "patchMergeKey=name", "patchStrategy=merge", "kubebuilder:scaffold:imports",
        "kubebuilder:docs-gen:collapse=Imports", "k8s:conversion-gen=a/b", "k8s:defaulter-gen=TypeMeta",
        "k8s:protobuf-gen=package", "k8s:validation:maxLength=3", "k8s:prerelease-lifecycle-gen:introduced=1.2",
        "unionDiscriminator", "featureGate=X", "", "5 more", "optionally set"}) {
    for (const MarkerTarget target : {kPackage, kType, kField}) EXPECT_TRUE(IsLeftAlone(text, target)) << text;
  }
}

TEST(Markers, AreReadInOrderAndEveryProblemIsReported) {
  Diagnostics problems;
  const std::vector<ParsedMarker> parsed =
      ParseMarkers({At("listMapKey=name"), At("kubebuilder:foo"), At("enum"), At("listMapKey=port"), At("listTyp")},
                   kField, problems);
  ASSERT_EQ(parsed.size(), 2u);
  EXPECT_EQ(parsed[0].value, Json("name"));
  EXPECT_EQ(parsed[1].value, Json("port"));
  EXPECT_EQ(problems.all().size(), 2u);
  EXPECT_EQ(FindMarker(parsed, "listMapKey"), &parsed[1]);
  EXPECT_EQ(FindMarker(parsed, "listType"), nullptr);
}

TEST(MarkerDefinitions, EveryExampleIsItselfCorrect) {
  std::set<std::string> names;
  for (const MarkerDefinition& definition : MarkerDefinitions()) {
    EXPECT_TRUE(names.insert(definition.name).second) << definition.name << " is defined twice";
    EXPECT_FALSE(definition.targets.empty());
    for (const MarkerTarget target : definition.targets) {
      EXPECT_EQ(Read(definition.example.substr(1), target).name, definition.name);
    }
  }
}

}  // namespace
}  // namespace keelson::codegen
