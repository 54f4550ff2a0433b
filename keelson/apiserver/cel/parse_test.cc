#include "keelson/apiserver/cel/parse.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "keelson/apiserver/cel/check.h"
#include "keelson/apiserver/cel/library.h"

namespace keelson::apiserver::cel {
namespace {

std::string Repeated(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

TEST(CelParse, TextIsLimitedInCodePoints) {
  EXPECT_EQ(Parse("'" + Repeated("é", 99'998) + "'").ErrorText(), "");
  EXPECT_EQ(Parse("'" + Repeated("é", 99'999) + "'").ErrorText(),
            "ERROR: <input>:-1:0: expression code point size exceeds limit: size: 100001, limit 100000");
}

TEST(CelParse, NestingIsLimitedWhateverItIsMadeOf) {
  for (const auto& [open, close] : {std::pair{"(", ")"},
                                    {"[", "]"},
                                    {"{1:", "}"},
                                    {"f(", ")"},
                                    {"a[", "]"},
                                    {"!(", ")"},
                                    {"a.all(x, ", ")"},
                                    {"A{b:", "}"}}) {
    EXPECT_EQ(Parse(Repeated(open, 200) + "1" + Repeated(close, 200)).ErrorText(), "") << open;
    EXPECT_EQ(Parse(Repeated(open, 5000) + "1" + Repeated(close, 5000)).ErrorText(),
              "ERROR: <input>:-1:0: expression recursion limit exceeded: 250")
        << open;
  }
  EXPECT_EQ(Parse("a" + Repeated(".b", 251)).ErrorText(), "ERROR: <input>:-1:0: max recursion depth exceeded");
  EXPECT_EQ(Parse("1" + Repeated("+1", 20'000)).ErrorText(), "ERROR: <input>:-1:0: max recursion depth exceeded");
}

TEST(CelParse, LongChainsOfLogicAreNoDeepTrees) {
  const Ast ast = Parse("b" + Repeated("&&b", 20'000));
  ASSERT_EQ(ast.ErrorText(), "");
  int depth = 0;
  for (const Expr* expr = ast.root; expr->kind == ExprKind::kCall; expr = expr->args[0]) ++depth;
  EXPECT_LE(depth, 16);
}

TEST(CelParse, MacrosThatCopyTheirTargetCannotGrowWithoutEnd) {
  const Ast ast = Parse("a" + Repeated(".optMap(x, x)", 100));
  EXPECT_EQ(ast.ErrorText(),
            "ERROR: <input>:-1:0: expression exceeds the limit of 250000 nodes once its macros are expanded");
}

TEST(CelParse, AThousandErrorsAreCutShort) {
  const std::string text = Parse(Repeated("@", 50'000)).ErrorText();
  EXPECT_NE(text.find("Syntax error: token recognition error at: '@'"), std::string::npos);
  EXPECT_NE(text.find("1 more errors were truncated"), std::string::npos) << text.substr(text.size() - 200);
}

TEST(CelCheck, TypesThatDoubleAtEachStepAreRefused) {
  const Environment environment{.functions = &KubernetesFunctions()};
  std::string direct = "[1]";
  for (int i = 0; i < 60; ++i) direct += ".map(a, {a: a})";
  EXPECT_NE(Compile(direct, environment).ErrorText().find("too complex"), std::string::npos);

  // Each variable stands for a map of the next one: the types are small until they are put together.
  std::string loops;
  std::string body = "true";
  for (int i = 0; i < 60; ++i) loops += "[].all(x" + std::to_string(i) + ", ";
  for (int i = 0; i + 1 < 60; ++i) {
    const std::string next = "x" + std::to_string(i + 1);
    body += " && [x" + std::to_string(i) + "] == [{" + next + ": " + next + "}]";
  }
  const std::string linked = loops + body + Repeated(")", 60);
  EXPECT_NE(Compile(linked, environment).ErrorText().find("too complex"), std::string::npos);
}

TEST(CelCheck, LocalVariablesHaveSlotsOfTheirFrame) {
  const Environment environment{.functions = &KubernetesFunctions(),
                                .variables = {{"a", Type::Int()}, {"items", Type::List(Type::Int())}}};
  const Ast ast = Compile("items.all(x, items.exists(y, x < y + a))", environment);
  ASSERT_EQ(ast.ErrorText(), "");
  EXPECT_EQ(ast.local_count, 4);
  const Comprehension& outer = *ast.root->comprehension;
  EXPECT_EQ(outer.range->meaning, IdentMeaning::kVariable);
  EXPECT_EQ(outer.range->slot, 1);
  EXPECT_EQ(std::pair(outer.accumulator_slot, outer.variable_slot), std::pair(0, 1));
  EXPECT_EQ(outer.variable2_slot, -1);
  const Comprehension& inner = *outer.step->args[1]->comprehension;
  EXPECT_EQ(std::pair(inner.accumulator_slot, inner.variable_slot), std::pair(2, 3));
  const Expr& less = *inner.step->args[1];
  EXPECT_EQ(less.name, operators::kLess);
  EXPECT_EQ(less.args[0]->meaning, IdentMeaning::kLocal);
  EXPECT_EQ(less.args[0]->slot, 1);
  EXPECT_EQ(less.args[1]->args[0]->slot, 3);
  EXPECT_EQ(less.args[1]->args[1]->meaning, IdentMeaning::kVariable);
}

TEST(CelType, NamesAreThoseOfMessages) {
  EXPECT_EQ(Type::Map(Type::String(), Type::List(Type::Dyn())).Name(), "map(string, list(dyn))");
  EXPECT_EQ(Type::Optional(Type::Timestamp()).Name(), "optional_type(timestamp)");
  EXPECT_EQ(Type::OfType(Type::Null()).Name(), "type(null)");
  EXPECT_EQ(Type::Wrapper(Type::Int()).Name(), "wrapper(int)");
  EXPECT_EQ(Type::Duration().runtime_name(), "google.protobuf.Duration");
  EXPECT_EQ(Type::List(Type::Int()), Type::List(Type::Int()));
  EXPECT_FALSE(Type::List(Type::Int()) == Type::List(Type::Uint()));
}

}  // namespace
}  // namespace keelson::apiserver::cel
