#include "keelson/codegen/header_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

namespace keelson::codegen {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::SizeIs;

std::string Describe(const TypeUse& type) {
  switch (type.shape) {
    case Shape::kBool: return "bool";
    case Shape::kInt32: return "int32";
    case Shape::kInt64: return "int64";
    case Shape::kDouble: return "double";
    case Shape::kString: return "string";
    case Shape::kBytes: return "bytes";
    case Shape::kOptional: return "optional<" + Describe(*type.element) + ">";
    case Shape::kList: return "list<" + Describe(*type.element) + ">";
    case Shape::kMap: return "map<" + Describe(*type.element) + ">";
    case Shape::kEnum: return "enum " + type.enumeration->name;
    case Shape::kStruct: return "struct " + type.structure->name;
    case Shape::kAlias: return "alias " + type.alias->name;
    case Shape::kBuiltin: return type.builtin;
  }
  return "";
}

std::vector<std::string> Texts(const std::vector<Marker>& markers) {
  std::vector<std::string> texts;
  for (const Marker& marker : markers) texts.push_back(marker.text);
  return texts;
}

template <class T>
std::vector<std::string> Names(const std::vector<std::unique_ptr<T>>& declarations) {
  std::vector<std::string> names;
  for (const auto& declaration : declarations) names.push_back(declaration->name);
  return names;
}

// A directory of headers that is removed at the end.
class HeaderReader : public testing::Test {
 protected:
  HeaderReader()
      : root_(std::filesystem::path(testing::TempDir()) /
              (std::string("header_reader_") + testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::remove_all(root_);
  }
  ~HeaderReader() override { std::filesystem::remove_all(root_); }

  std::string Path(const std::string& name) const { return (root_ / name).string(); }

  std::string Write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text;
    return Path(name);
  }

  // Reads v1/a.h with this text.
  void Read(const std::string& text) { ReadFiles({Write("v1/a.h", text)}); }
  void ReadFiles(const std::vector<std::string>& headers, const HeaderReadOptions& options = {}) {
    problems_ = {};
    model_ = ReadHeaders(headers, options, problems_);
  }

  // "line:column: message" of each, relative to the directory.
  std::vector<std::string> Problems() const {
    std::vector<std::string> all;
    for (const Diagnostic& problem : problems_.all()) {
      all.push_back(std::filesystem::path(problem.position.file).lexically_relative(root_).string() + ":" +
                    std::to_string(problem.position.line) + ":" + std::to_string(problem.position.column) + ": " +
                    problem.message);
    }
    return all;
  }

  const StructDecl& Struct(const std::string& name) const {
    for (const auto* packages : {&model_.packages, &model_.imported}) {
      for (const auto& package : *packages) {
        for (const auto& declaration : package->structs) {
          if (declaration->name == name) return *declaration;
        }
      }
    }
    ADD_FAILURE() << "no struct " << name << "\n" << problems_.Render();
    static const StructDecl nothing;
    return nothing;
  }

  std::map<std::string, std::string> Fields(const std::string& name) const {
    std::map<std::string, std::string> fields;
    for (const FieldDecl& field : Struct(name).fields) fields[field.member] = Describe(field.type);
    return fields;
  }

  const FieldDecl& Field(const std::string& structure, const std::string& member) const {
    for (const FieldDecl& field : Struct(structure).fields) {
      if (field.member == member) return field;
    }
    ADD_FAILURE() << "no member " << member << "\n" << problems_.Render();
    static const FieldDecl nothing;
    return nothing;
  }

  std::filesystem::path root_;
  Diagnostics problems_;
  SourceModel model_;
};

// Types.

TEST_F(HeaderReader, KnowsTheTypesOfTheStandardLibraryAndOfKeelson) {
  Read(R"(
    #include <cstdint>
    #include <map>
    #include <optional>
    #include <string>
    #include <vector>
    #include "keelson/api/core/v1.h"
    namespace example::v1 {
    namespace metav1 = keelson::metav1;
    using keelson::metav1::LabelSelector;
    enum class Phase { Ready };
    struct Part { bool on; };
    struct All {
      bool a1; int a2; int32_t a3; std::int32_t a4; long a5; int64_t a6; long long a7; double a8;
      std::string b1 = "x"; keelson::String b2 = "x"; keelson::Bytes b3;
      std::optional<int32_t> c1 = 3; keelson::Optional<Part> c2; std::optional<Phase> c3;
      std::vector<std::string> d1 = {"a", "b"}; keelson::List<bool> d2 = {true}; std::vector<Part> d3;
      std::map<std::string, int64_t> e1; keelson::Map<keelson::String> e2 = {{"a", "b"}};
      std::map<std::string, std::vector<std::optional<Part>>> e3;
      Phase f1 = Phase::Ready; Part f2; example::v1::Part f3;
      keelson::corev1::PodTemplateSpec g1; metav1::ObjectMeta g2; LabelSelector g3; std::vector<metav1::Condition> g4;
      keelson::corev1::Protocol g5; keelson::corev1::ResourceList g6; keelson::types::UID g7;
      keelson::Quantity h1; keelson::IntOrString h2 = 80; metav1::Time h3; metav1::MicroTime h4; metav1::Duration h5;
      keelson::RawExtension h6; keelson::Json h7 = {}; keelson::FieldsV1 h8; metav1::FieldsV1 h9;
      keelson::JsonObject h10; keelson::intstr::IntOrString h11;
    };
    })");
  EXPECT_EQ(problems_.Render(), "");
  const std::map<std::string, std::string> expected = {
      {"a1", "bool"},
      {"a2", "int32"},
      {"a3", "int32"},
      {"a4", "int32"},
      {"a5", "int64"},
      {"a6", "int64"},
      {"a7", "int64"},
      {"a8", "double"},
      {"b1", "string"},
      {"b2", "string"},
      {"b3", "bytes"},
      {"c1", "optional<int32>"},
      {"c2", "optional<struct Part>"},
      {"c3", "optional<enum Phase>"},
      {"d1", "list<string>"},
      {"d2", "list<bool>"},
      {"d3", "list<struct Part>"},
      {"e1", "map<int64>"},
      {"e2", "map<string>"},
      {"e3", "map<list<optional<struct Part>>>"},
      {"f1", "enum Phase"},
      {"f2", "struct Part"},
      {"f3", "struct Part"},
      {"g1", "core/v1.PodTemplateSpec"},
      {"g2", "meta/v1.ObjectMeta"},
      {"g3", "meta/v1.LabelSelector"},
      {"g4", "list<meta/v1.Condition>"},
      {"g5", "core/v1.Protocol"},
      {"g6", "core/v1.ResourceList"},
      {"g7", "types.UID"},
      {"h1", "api/resource.Quantity"},
      {"h2", "util/intstr.IntOrString"},
      {"h3", "meta/v1.Time"},
      {"h4", "meta/v1.MicroTime"},
      {"h5", "meta/v1.Duration"},
      {"h6", "runtime.RawExtension"},
      {"h7", "apiextensions/v1.JSON"},
      {"h8", "meta/v1.FieldsV1"},
      {"h9", "meta/v1.FieldsV1"},
      {"h10", "map<apiextensions/v1.JSON>"},
      {"h11", "util/intstr.IntOrString"},
  };
  EXPECT_EQ(Fields("All"), expected);
  EXPECT_EQ(Field("All", "c1").type.written, "std::optional<int32_t>");
  EXPECT_EQ(Field("All", "g2").type.written, "metav1::ObjectMeta");
}

// The stand-ins for Keelson's values have none of their functions.
TEST_F(HeaderReader, ReadsHeadersThatNeedMoreOfKeelsonThanItsTypes) {
  Read(R"(
    #include "keelson/api/quantity.h"
    struct A { keelson::Quantity limit = keelson::Quantity::FromInt(5); };)");
  EXPECT_EQ(problems_.Render(), "");
  EXPECT_EQ(Describe(Field("A", "limit").type), "api/resource.Quantity");
}

TEST_F(HeaderReader, KeepsTheUsersAliases) {
  Read(R"(
    #include <map>
    #include <optional>
    #include <string>
    #include <vector>
    namespace other { using Far = std::string; }
    // A mode.
    // +kubebuilder:validation:Enum=a;b
    using Mode = std::string;
    typedef Mode OtherMode;  // +kubebuilder:validation:MaxLength=3
    using Modes = std::vector<Mode>;
    using other::Far;
    template <class T> using Dictionary = std::map<std::string, T>;
    using Callback = void (*)();
    struct A {
      struct Inner { using Size = int; Size size; };
      Mode a; OtherMode b; Modes c; std::optional<Mode> d; std::map<std::string, OtherMode> e; Far f;
      Dictionary<int> g; std::vector<Far> h; Inner i;
    };)");
  EXPECT_EQ(problems_.Render(), "");
  const std::map<std::string, std::string> expected = {
      {"a", "alias Mode"},           {"b", "alias OtherMode"},      {"c", "alias Modes"},
      {"d", "optional<alias Mode>"}, {"e", "map<alias OtherMode>"}, {"f", "alias Far"},
      {"g", "map<int32>"},           {"h", "list<alias Far>"},      {"i", "struct A::Inner"}};
  EXPECT_EQ(Fields("A"), expected);
  EXPECT_EQ(Describe(Field("A::Inner", "size").type), "alias A::Inner::Size");
  const auto& aliases = model_.packages[0]->aliases;
  EXPECT_THAT(Names(aliases), ElementsAre("Far", "Mode", "OtherMode", "Modes", "A::Inner::Size"));
  EXPECT_EQ(aliases[0]->qualified, "::other::Far");
  EXPECT_EQ(Describe(aliases[1]->target), "string");
  EXPECT_THAT(aliases[1]->comment.lines, ElementsAre("A mode."));
  EXPECT_THAT(Texts(aliases[1]->comment.markers), ElementsAre("kubebuilder:validation:Enum=a;b"));
  EXPECT_EQ(Describe(aliases[2]->target), "alias Mode");
  EXPECT_THAT(Texts(aliases[2]->comment.markers), ElementsAre("kubebuilder:validation:MaxLength=3"));
  EXPECT_EQ(Describe(aliases[3]->target), "list<alias Mode>");
}

TEST_F(HeaderReader, SaysWhatToWriteForTypesThatObjectsCannotHold) {
  Read(R"(#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>
#include "keelson/api/string.h"
template <class T> struct Box { T value; };
class Hidden { int x; };
union Either { int a; bool b; };
enum Plain { kOne };
struct Unfinished;
struct A {
  unsigned a1; uint64_t a2; size_t a3; short a4; char a5; float a6; long double a7; uint8_t a8; __int128 a9;
  int* b1; const char* b2; bool& b3; int b4[3]; char b5[8]; const int b6 = 1; void (*b7)();
  std::set<int> c1; std::unordered_map<std::string, int> c2; std::unique_ptr<int> c3; std::string_view c4;
  std::map<int, int> d1; std::map<keelson::String, int> d2; std::map<std::string, int, std::less<>> d3;
  std::vector<bool> e1; std::vector<uint8_t> e2; std::list<int> e3; std::array<int, 3> e4; std::vector<unsigned> e5;
  std::variant<int, bool> f1; std::function<void()> f2; std::chrono::seconds f3; std::wstring f4;
  Box<int> g1; Hidden g2; Either g3; Plain g4; struct { int x; } g5; std::vector<Unfinished> g6; enum { kX } g7;
  std::optional<std::optional<int>> h1;
};
)");
  std::map<std::string, std::string> wrong;
  for (const Diagnostic& problem : problems_.all()) {
    const size_t start = problem.message.find("member '");
    if (start == 0) wrong[problem.message.substr(8, problem.message.find('\'', 8) - 8)] = problem.message;
  }
  const std::map<std::string, std::string> expected = {
      {"a1", "'unsigned int' cannot be in a Kubernetes object: write int32_t or int64_t with"},
      {"a2", "'uint64_t' cannot be in a Kubernetes object: write int64_t with +kubebuilder:validation:Minimum=0"},
      {"a3", "'size_t' cannot be in a Kubernetes object: write int64_t"},
      {"a4", "write int32_t"},
      {"a5", "write std::string"},
      {"a6", "write double"},
      {"a7", "write double"},
      {"a8", "'uint8_t' cannot be in a Kubernetes object: write int32_t"},
      {"a9", "write int64_t or keelson::Quantity"},
      {"b1", "write keelson::Optional<T> or std::optional<T>"},
      {"b2", "write std::string"},
      {"b3", "write the value itself"},
      {"b4", "write std::vector<T>"},
      {"b5", "write std::string"},
      {"b6", "'const int' cannot be in a Kubernetes object: write int:"},
      {"b7", "write keelson::Optional<T>"},
      {"c1", "'std::set<int>' cannot be in a Kubernetes object: write std::vector<T> with +listType=set"},
      {"c2", "write std::map<std::string, T>"},
      {"c3", "write keelson::Optional<T>"},
      {"c4", "'std::string_view' cannot be in a Kubernetes object: write std::string"},
      {"d1", "write std::map<std::string, T>: keys are strings"},
      {"d2", "write std::map<std::string, T>: keys are strings"},
      {"d3", "write std::map<std::string, T> with the usual order"},
      {"e1", "write keelson::List<bool>"},
      {"e2", "write keelson::Bytes"},
      {"e3", "write std::vector<T>"},
      {"e4", "write std::vector<T>"},
      {"e5", "'unsigned int' cannot be"},
      {"f1", "write a struct with one optional member for each case"},
      {"f2", "write a struct of your own"},
      {"f3", "write keelson::metav1::Duration"},
      {"f4", "write std::string"},
      {"g1", "'Box<int>' cannot be in a Kubernetes object: write a struct: templates"},
      {"g2", "'Hidden' is a class"},
      {"g3", "'Either' is a union"},
      {"g4", "write enum class Plain"},
      {"g5", "without a name"},
      {"g6", "'Unfinished' is declared but not defined"},
      {"g7", "write enum class"},
      {"h1", "write one optional"},
  };
  for (const auto& [member, text] : expected) EXPECT_THAT(wrong[member], HasSubstr(text)) << member;
  EXPECT_THAT(wrong, SizeIs(expected.size()));
  EXPECT_THAT(Problems(), testing::Contains("v1/a.h:22:12: " + wrong["a1"]));
  EXPECT_THAT(Problems(), testing::Contains("v1/a.h:19:6: enum 'Plain' has no scope: write enum class Plain"));
}

TEST_F(HeaderReader, RefusesWhatIsNoPlainStruct) {
  Read(R"(struct Base { int x; };
struct A : private Base {
  virtual void F();
  int bits : 3;
  union { int u; bool v; };
  struct { int w; };
 private:
  int hidden;
};
namespace { struct Nowhere { int x; }; }
template <class T> struct Of { T t; };
struct B : Of<int> {};
)");
  EXPECT_THAT(Problems(), ElementsAre(HasSubstr("v1/a.h:10:20: 'Nowhere' is in a namespace without a name"),
                                      HasSubstr("base 'Base' is not public: write struct A : Base"),
                                      HasSubstr("v1/a.h:3:16: 'F' is virtual"),
                                      HasSubstr("v1/a.h:4:7: member 'bits' is a bit-field"),
                                      HasSubstr("v1/a.h:5:3: an anonymous union in 'A'"),
                                      HasSubstr("v1/a.h:6:3: an anonymous struct in 'A'"),
                                      HasSubstr("v1/a.h:8:7: member 'hidden' is not public"), HasSubstr("templates")));
}

TEST_F(HeaderReader, IgnoresFunctionsConstantsTemplatesAndClasses) {
  Read(R"(
    #include <string>
    // +ignored
    inline int Twice(int x) { /* +ignored */ return 2 * x; }
    constexpr unsigned kLimit = 3;
    template <class T> struct Box { T* value; };
    class Helper { public: virtual ~Helper(); int* pointer; };
    struct Forward;
    // +kubebuilder:object:generate=false
    struct Internal { int* pointer; };
    enum { kConstant = 3 };
    struct A {
      static constexpr unsigned kMax = 3;
      static int count;
      using Pointer = int*;
      A() = default;
      A(const A&) = default;
      bool operator==(const A&) const = default;
      std::string Name() const { return "// +no"; }
      int x = 0;
      // +keelson:json=-
      int* cache = nullptr;
    };)");
  EXPECT_EQ(problems_.Render(), "");
  EXPECT_THAT(Names(model_.packages[0]->structs), ElementsAre("A"));
  EXPECT_THAT(Fields("A"), SizeIs(1));
  EXPECT_THAT(model_.packages[0]->enums, IsEmpty());
  EXPECT_THAT(model_.packages[0]->aliases, IsEmpty());
  EXPECT_THAT(model_.packages[0]->markers, IsEmpty());
}

// Errors of the compiler.

TEST_F(HeaderReader, ReportsWhatTheCompilerSays) {
  Read("struct A {\n  Unknown x;\n  int y\n};\n");
  EXPECT_THAT(Problems(),
              ElementsAre(HasSubstr("v1/a.h:2:3: unknown type name 'Unknown'"), HasSubstr("v1/a.h:3:8: expected ';'")));
  EXPECT_THAT(model_.packages, IsEmpty());
}

TEST_F(HeaderReader, SaysWhatAnUnknownNameMayBe) {
  Read(
      "#include \"keelson/api/core/v1.h\"\nstruct A { keelson::corev1::PodTempalteSpec p; };\nstruct B { Qwerty q; "
      "};\n");
  EXPECT_THAT(Problems(),
              ElementsAre(HasSubstr("v1/a.h:2:29: no type named 'PodTempalteSpec' in namespace 'keelson::corev1'; did "
                                    "you mean 'PodTemplateSpec'?"),
                          HasSubstr("v1/a.h:3:12: unknown type name 'Qwerty': include the header that declares it")));
}

TEST_F(HeaderReader, ARootNeedsMetadata) {
  Read(
      "#include \"keelson/api/meta/v1.h\"\n"
      "// +kubebuilder:object:root=true\nstruct A { int a; };\n"
      "// +genclient\nstruct B { keelson::metav1::ObjectMeta metadata; };\n"
      "// +kubebuilder:object:root=true\nstruct BList { keelson::metav1::ListMeta metadata; keelson::List<B> items; "
      "};\n");
  EXPECT_THAT(Problems(), ElementsAre(HasSubstr("v1/a.h:3:8: 'A' is marked as a root object but has no metadata: write "
                                                "`keelson::metav1::ObjectMeta metadata;`")));
}

TEST_F(HeaderReader, SaysHowToFindAMissingHeader) {
  Read("#include \"shared/a.h\"\n#include <b.h>\nstruct A { Unknown x; };\n");
  EXPECT_THAT(Problems(),
              ElementsAre("v1/a.h:1:10: 'shared/a.h' file not found: pass the directory that this name begins at with "
                          "-I DIR",
                          HasSubstr("v1/a.h:2:10: 'b.h' file not found")));
  ReadFiles({Path("v1/none.h"), Path("v1")});
  EXPECT_THAT(Problems(), ElementsAre("v1/none.h:0:0: no such file: expected a header",
                                      "v1:0:0: is not a file: give the headers in it one by one"));
}

TEST_F(HeaderReader, NamesTheMemberThatMakesAStructHoldItself) {
  Read("struct Node {\n  Node next;\n};\n");
  EXPECT_THAT(Problems(), ElementsAre(HasSubstr("v1/a.h:2:8: member 'next' would make 'Node' hold itself")));
  Read("#include <optional>\nnamespace n {\nstruct Node {\n  std::optional<Node> next;\n};\n}\n");
  EXPECT_THAT(Problems(), testing::Contains(HasSubstr("v1/a.h:4:23: member 'next' would make 'Node' hold itself")));
  Read("struct B;\nstruct A {\n  B b;\n};\nstruct B {\n  A a;\n};\n");
  EXPECT_THAT(Problems(), ElementsAre(HasSubstr("v1/a.h:3:5: member 'b' needs 'B', which is not defined above it")));
}

TEST_F(HeaderReader, ACycleWithIndirectionIsRead) {
  Read(R"(
    #include <vector>
    #include "keelson/api/optional.h"
    struct Node { std::vector<Node> children; keelson::Optional<Node> next; };)");
  EXPECT_EQ(problems_.Render(), "");
  EXPECT_EQ(Field("Node", "children").type.element->structure, &Struct("Node"));
}

TEST_F(HeaderReader, OneIncludeGuardForTwoHeadersIsAProblem) {
  const std::string text = "// Copyright\n#ifndef APP_H_\n#define APP_H_\nstruct A { int x; };\n#endif\n";
  ReadFiles({Write("v1/app.h", text), Write("v2/app.h", text)});
  EXPECT_THAT(Problems(), ElementsAre(HasSubstr("v2/app.h:0:0: has the include guard APP_H_ of ")));
}

TEST_F(HeaderReader, PassesDefinesAndIncludeDirectories) {
  Write("include/shared/limit.h", "#pragma once\nstruct Limit { TYPE max; };\n");
  ReadFiles({Write("v1/a.h", "#include <shared/limit.h>\nstruct A { Limit limit; };\n")},
            {.include_directories = {Path("include")}, .defines = {"TYPE=int"}});
  EXPECT_EQ(problems_.Render(), "");
  EXPECT_EQ(Describe(Field("Limit", "max").type), "int32");
}

// Comments.

TEST_F(HeaderReader, AttachesCommentsByLines) {
  Read(R"(// Licence.
// +groupName=example.com
#pragma once

// Of the package.
// +versionName=v1beta1

// +kubebuilder:storageversion
// Not documentation.

/// A is documented.
///
/// At length.
// +kubebuilder:skipversion
struct A {
  // Above.
  // +optional
  int a;  // Behind. +not
  int b;  // +behind
          // and below
  /* Block. */
  int c;

  // +apart

  // Near.
  int d;
  // +above

  int e, f;
  int g; int h;  ///< Of h.
  /* Before. +x */ int i;
  // +nobody's
};

/* Of nobody.
 * +kubebuilder:validation:Optional
 */

// +package
namespace n {
// +kubebuilder:rbac:groups=apps

// B.
struct B {  // +nobody's
  struct C {  // +nobody's
    // Of x.
    int x;
  };
  // Of c.
  C c;
};
// +last
}  // +nobody's
)");
  EXPECT_EQ(problems_.Render(), "");
  const StructDecl& a = Struct("A");
  EXPECT_THAT(a.comment.lines, ElementsAre("A is documented.", "", "At length."));
  EXPECT_THAT(Texts(a.comment.markers), ElementsAre("kubebuilder:storageversion", "kubebuilder:skipversion"));
  EXPECT_EQ(a.comment.markers[0].position, (SourcePosition{Path("v1/a.h"), 8, 4}));
  EXPECT_EQ(a.position, (SourcePosition{Path("v1/a.h"), 15, 8}));
  EXPECT_EQ(Field("A", "a").position, (SourcePosition{Path("v1/a.h"), 18, 7}));

  const std::map<std::string, std::pair<std::vector<std::string>, std::vector<std::string>>> expected = {
      {"a", {{"Above.", "Behind. +not"}, {"optional"}}},
      {"b", {{"and below"}, {"behind"}}},
      {"c", {{"Block."}, {}}},
      {"d", {{"Near."}, {"apart"}}},
      {"e", {{}, {"above"}}},
      {"f", {{}, {"above"}}},
      {"g", {{}, {}}},
      {"h", {{"Of h."}, {}}},
      {"i", {{"Before. +x"}, {}}},
  };
  for (const auto& [member, comment] : expected) {
    EXPECT_EQ(Field("A", member).comment.lines, comment.first) << member;
    EXPECT_EQ(Texts(Field("A", member).comment.markers), comment.second) << member;
  }
  EXPECT_THAT(Struct("B").comment.lines, ElementsAre("B."));
  EXPECT_THAT(Struct("B").comment.markers, IsEmpty());
  EXPECT_THAT(Field("B::C", "x").comment.lines, ElementsAre("Of x."));
  EXPECT_THAT(Field("B", "c").comment.lines, ElementsAre("Of c."));

  const Package& package = *model_.packages[0];
  EXPECT_THAT(Texts(package.markers),
              ElementsAre("groupName=example.com", "versionName=v1beta1", "kubebuilder:validation:Optional", "package",
                          "kubebuilder:rbac:groups=apps", "last"));
  EXPECT_EQ(package.group, "example.com");
  EXPECT_EQ(package.version, "v1beta1");
}

TEST_F(HeaderReader, APackageMarkerInATypesDocumentationStaysThere) {
  Read("// +groupName=example.com\nstruct A { int x; };\n");
  EXPECT_THAT(Texts(Struct("A").comment.markers), ElementsAre("groupName=example.com"));
  EXPECT_EQ(model_.packages[0]->group, "");
}

TEST_F(HeaderReader, ReadsCommentsWithAnyLineEnding) {
  Read(
      "\xEF\xBB\xBF// +groupName=example.com\r\n\r\n// Doc.\r\nstruct A {\r\n  // Of x.\r\n  int x;  // "
      "+optional\r\n};\r\n");
  EXPECT_EQ(problems_.Render(), "");
  EXPECT_EQ(model_.packages[0]->group, "example.com");
  EXPECT_THAT(Struct("A").comment.lines, ElementsAre("Doc."));
  EXPECT_THAT(Field("A", "x").comment.lines, ElementsAre("Of x."));
  EXPECT_THAT(Texts(Field("A", "x").comment.markers), ElementsAre("optional"));
}

// Names.

TEST_F(HeaderReader, JsonNamesAreThoseOfMembersOrOfTheMarker) {
  Read(R"(
    struct A {
      int plain;
      int namespace_;
      int under__;
      int other;  // +keelson:json=x-other
      // +keelson:json="quoted"
      int q;
      // +keelson:json=-
      int left_out;
    };)");
  EXPECT_EQ(problems_.Render(), "");
  std::vector<std::string> names;
  for (const FieldDecl& field : Struct("A").fields) names.push_back(field.json_name);
  EXPECT_THAT(names, ElementsAre("plain", "namespace", "under_", "x-other", "quoted"));
}

TEST_F(HeaderReader, RefusesBadAndRepeatedJsonMarkers) {
  Read(
      "struct A {\n  // +keelson:json=\n  int a;\n  // +keelson:json=x\n  // +keelson:json=y\n  int b;\n};\n"
      "enum class E {\n  kA,  // +keelson:json=-\n};\n");
  EXPECT_THAT(Problems(), ElementsAre("v1/a.h:9:11: an enumerator cannot be left out: write +keelson:json=NAME",
                                      "v1/a.h:2:6: +keelson:json needs a name: write +keelson:json=NAME",
                                      "v1/a.h:5:6: +keelson:json stands here twice: write it once"));
}

TEST_F(HeaderReader, DuplicateJsonNamesNameBothPlaces) {
  Read("struct Base {\n  int x;\n};\nstruct A : Base {\n  int y;\n  int x_;\n  int z;  // +keelson:json=y\n};\n");
  ASSERT_THAT(Problems(), SizeIs(2));
  EXPECT_THAT(Problems()[0], HasSubstr("v1/a.h:6:7: 'A' has the JSON name 'x' twice: member 'x' at "));
  EXPECT_THAT(Problems()[0], HasSubstr("v1/a.h:2:7 and member 'x_' at "));
  EXPECT_THAT(Problems()[1], HasSubstr("v1/a.h:7:7: 'A' has the JSON name 'y' twice: member 'y' at "));
}

TEST_F(HeaderReader, EnumeratorsHaveTextsAndComments) {
  Read(R"(
    // A phase.
    enum class Phase : char {
      // Not yet.
      Pending,
      Running = 7,  // It runs. 
      // +keelson:json=in-progress
      kInProgress
    };
    struct A { enum class Inner { a }; Phase phase; Inner inner; };)");
  EXPECT_EQ(problems_.Render(), "");
  const auto& enums = model_.packages[0]->enums;
  EXPECT_THAT(Names(enums), ElementsAre("Phase", "A::Inner"));
  EXPECT_THAT(enums[0]->comment.lines, ElementsAre("A phase."));
  ASSERT_THAT(enums[0]->enumerators, SizeIs(3));
  EXPECT_EQ(enums[0]->enumerators[0].text, "Pending");
  EXPECT_THAT(enums[0]->enumerators[0].comment.lines, ElementsAre("Not yet."));
  EXPECT_EQ(enums[0]->enumerators[1].text, "Running");
  EXPECT_THAT(enums[0]->enumerators[1].comment.lines, ElementsAre("It runs."));
  EXPECT_EQ(enums[0]->enumerators[2].member, "kInProgress");
  EXPECT_EQ(enums[0]->enumerators[2].text, "in-progress");

  Read("enum class E { a, b /* +keelson:json=a */ };\nenum class F {};\n");
  EXPECT_THAT(Problems(), ElementsAre(HasSubstr("v1/a.h:1:19: enumerator 'b' has the text 'a' of the one at "),
                                      HasSubstr("v1/a.h:2:12: enum 'F' has no enumerators")));
}

// Packages.

TEST_F(HeaderReader, BaseClassesAreKeptInOrder) {
  Read("struct A { int a; };\nusing Also = A;\nstruct B { int b; };\nstruct C : Also, B { int c; };\n");
  EXPECT_EQ(problems_.Render(), "");
  EXPECT_THAT(Struct("C").bases, ElementsAre(&Struct("A"), &Struct("B")));
  EXPECT_THAT(Struct("C").fields, SizeIs(1));

  Read("#include \"keelson/api/meta/v1.h\"\nstruct C : keelson::metav1::Condition {};\n");
  EXPECT_THAT(Problems(),
              ElementsAre(HasSubstr("v1/a.h:2:12: base 'keelson::metav1::Condition' is not a struct of your "
                                    "own: write it as a member")));
}

TEST_F(HeaderReader, DirectoriesArePackagesAndIncludedOnesAreImported) {
  Write("common/limits.h",
        "// +groupName=common.example.com\n#pragma once\nnamespace c {\n"
        "struct Unused { int* pointer; };\n// A limit.\nstruct Limit { int max; };\n}\n");
  Write("v2/shared.h", "// +groupName=example.com\n#pragma once\nstruct Shared { int x; };\n");
  const std::string app = Write("v2/app.h",
                                "#pragma once\n#include \"../common/limits.h\"\n#include \"shared.h\"\n"
                                "struct App { c::Limit limit; Shared shared; };\n");
  const std::string old = Write("v1/app.h",
                                "#pragma once\n#include \"../v2/app.h\"\n// +versionName=v1old\n\n"
                                "namespace old { struct App { ::App next; }; }\n");
  const std::string late = Write("v1/a.h", "#pragma once\nstruct Last { int x; };\n");
  ReadFiles({app, old, late, app});
  EXPECT_EQ(problems_.Render(), "");

  ASSERT_THAT(model_.packages, SizeIs(2));
  const Package& v1 = *model_.packages[0];
  const Package& v2 = *model_.packages[1];
  EXPECT_EQ(v1.directory, Path("v1"));
  EXPECT_EQ(v1.version, "v1old");
  EXPECT_EQ(v1.group, "");
  EXPECT_THAT(v1.headers, ElementsAre(old, late));
  EXPECT_THAT(Names(v1.structs), ElementsAre("App", "Last"));
  EXPECT_EQ(v1.structs[0]->qualified, "::old::App");
  EXPECT_EQ(v1.structs[0]->header, old);
  EXPECT_EQ(v1.structs[0]->package, &v1);
  EXPECT_EQ(v1.structs[0]->fields[0].type.structure, v2.structs[0].get());
  EXPECT_EQ(v2.version, "v2");
  EXPECT_EQ(v2.group, "example.com");
  EXPECT_THAT(v2.headers, ElementsAre(app, Path("v2/shared.h")));
  EXPECT_THAT(Names(v2.structs), ElementsAre("App", "Shared"));

  ASSERT_THAT(model_.imported, SizeIs(1));
  const Package& common = *model_.imported[0];
  EXPECT_THAT(common.directory, EndsWith("common"));
  EXPECT_EQ(common.group, "common.example.com");
  EXPECT_THAT(Names(common.structs), ElementsAre("Limit"));
  EXPECT_THAT(common.structs[0]->comment.lines, ElementsAre("A limit."));
  EXPECT_THAT(model_.files_read, IsSupersetOf({app, old, late, Path("v2/shared.h")}));
  EXPECT_THAT(model_.files_read, SizeIs(5));
}

TEST_F(HeaderReader, TwoGroupsInADirectoryAreAProblem) {
  const std::string a = Write("v1/a.h", "// +groupName=a.example.com\n#pragma once\n");
  const std::string b = Write("v1/b.h", "// +groupName=a.example.com\n// +groupName=b.example.com\n#pragma once\n");
  ReadFiles({a, b});
  EXPECT_THAT(Problems(), ElementsAre("v1/b.h:2:4: +groupName=b.example.com differs from 'a.example.com' at " + a +
                                      ":1:4: a directory is one group, say it once or the same everywhere"));
}

TEST_F(HeaderReader, WhatWasGeneratedBesideTheHeadersIsNotRead) {
  Write("v1/generated.h", "#pragma once\nstruct AppList { int x; };\n");
  Read("#pragma once\n#include \"generated.h\"\nstruct App { int x; };\n");
  EXPECT_THAT(Names(model_.packages[0]->structs), ElementsAre("App"));
}

TEST_F(HeaderReader, RelativePathsStayRelative) {
  Write("v1/b.h", "#pragma once\nstruct B { int x; };\n");
  Write("v1/a.h", "#pragma once\n#include \"b.h\"\nstruct A { int* x; };\n");
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(root_);
  ReadFiles({"v1/a.h"});
  std::filesystem::current_path(before);
  EXPECT_EQ(problems_.all()[0].position, (SourcePosition{"v1/a.h", 3, 17}));
  EXPECT_EQ(model_.packages[0]->directory, "v1");
  EXPECT_EQ(model_.packages[0]->version, "v1");
  EXPECT_THAT(model_.files_read, ElementsAre("v1/a.h", "v1/b.h"));
  EXPECT_EQ(Struct("B").header, "v1/b.h");
}

}  // namespace
}  // namespace keelson::codegen
