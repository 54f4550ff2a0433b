// Evaluation against recordings of cel-go in Kubernetes' environment: values, errors, and what they cost.
// tests/recorder_cel/eval writes them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "keelson/apiserver/cel/check.h"
#include "keelson/apiserver/cel/library.h"
#include "keelson/apiserver/cel/program.h"
#include "keelson/apiserver/cel/scalar_text.h"
#include "keelson/apiserver/go_text.h"
#include "keelson/codec/json_reader.h"

namespace keelson::apiserver::cel {
namespace {

std::vector<Json> ReadLines(const char* path) {
  std::ifstream file(path);
  std::vector<Json> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(ParseJson(line).value());
  return lines;
}

std::string FormatNumber(double number) {
  if (std::isnan(number)) return "double(\"NaN\")";
  if (std::isinf(number)) return number > 0 ? "double(\"Infinity\")" : "double(\"-Infinity\")";
  std::string text = FormatDoubleFixed(number);
  return text.find('.') == std::string::npos ? text + ".0" : text;
}

// As the recorder writes values.
std::string Format(const Value& value, Arena& arena) {
  switch (value.kind()) {
    case ValueKind::kError: return "error: " + std::string(value.text());
    case ValueKind::kNull: return "null";
    case ValueKind::kBool: return value.boolean() ? "true" : "false";
    case ValueKind::kInt: return fmt::format("{}", value.integer());
    case ValueKind::kUint: return fmt::format("{}u", value.uinteger());
    case ValueKind::kDouble: return FormatNumber(value.number());
    case ValueKind::kString: return Quoted(value.text());
    case ValueKind::kBytes: {
      std::string text = "b\"";
      for (char c : value.text()) text += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
      return text + "\"";
    }
    case ValueKind::kTimestamp:
      return fmt::format("timestamp(\"{}\")",
                         FormatTimestamp({.seconds = value.seconds(), .nanos = value.nanos(), .offset_minutes = 0}));
    case ValueKind::kDuration: return fmt::format("duration(\"{}\")", FormatSeconds(value.duration()));
    case ValueKind::kList: {
      std::string text = "[";
      for (size_t i = 0; i < Length(value); ++i) text += (i > 0 ? ", " : "") + Format(ItemAt(value, i, arena), arena);
      return text + "]";
    }
    case ValueKind::kMap: {
      std::vector<std::string> entries;
      for (const Value& key : KeysOf(value, arena)) {
        Value member;
        FindMember(value, key, arena, &member);
        entries.push_back(Format(key, arena) + ": " + Format(member, arena));
      }
      std::ranges::sort(entries);
      std::string text = "{";
      for (const std::string& entry : entries) text += (text.size() > 1 ? ", " : "") + entry;
      return text + "}";
    }
    case ValueKind::kType: return std::string(value.text());
    case ValueKind::kOptional:
      return value.optional() == nullptr ? "optional.none()" : "optional.of(" + Format(*value.optional(), arena) + ")";
    case ValueKind::kOpaque: return std::string(value.opaque()->TypeName());
  }
  return "";
}

const Type kText = Type::String();

Environment RecorderEnvironment() {
  return {.functions = &KubernetesFunctions(),
          .variables = {{"self", Type::Map(kText, Type::Dyn())},
                        {"li", Type::List(Type::Int())},
                        {"ls", Type::List(kText)},
                        {"ms", Type::Map(kText, kText)},
                        {"mi", Type::Map(kText, Type::Int())},
                        {"i", Type::Int()},
                        {"f", Type::Double()},
                        {"s", kText},
                        {"b", Type::Bool()},
                        {"d", Type::Dyn()}},
          .types = KubernetesTypes()};
}

void Replay(const std::vector<Json>& lines) {
  const Environment environment = RecorderEnvironment();
  const Json& document = *lines[0].find("variables");
  Arena arena;
  for (const Json& line : std::span(lines).subspan(1)) {
    const std::string expression = line.find("expression")->string();
    const Ast ast = Compile(expression, environment);
    if (!ast.errors.empty()) {
      ADD_FAILURE() << expression << "\n" << ast.ErrorText();
      continue;
    }
    const Program program(ast);
    const Json* error = line.find("error");
    if (line.find("plan") != nullptr) {
      EXPECT_EQ(program.error(), error->string().view()) << expression;
      continue;
    }
    EXPECT_EQ(program.error(), "") << expression;

    arena.Clear();
    std::vector<Value> variables;
    for (const Variable& variable : environment.variables) {
      variables.push_back(UntypedShape().Wrap(*document.find(variable.name), arena));
    }
    EvalContext context(arena, 1'000'000);
    const Value result = program.Evaluate(context, variables);
    if (error != nullptr) {
      EXPECT_TRUE(result.is_error() && result.text() == error->string().view())
          << expression << "\n  gives " << Format(result, arena) << "\n  not error: " << error->string();
    } else {
      EXPECT_EQ(Format(result, arena), line.find("value")->string().view()) << expression;
    }
    EXPECT_EQ(context.cost(), static_cast<uint64_t>(line.find("cost")->integer())) << expression;
  }
}

TEST(RecordedEvaluation, ValuesErrorsAndCostsAreThoseOfCelGo) {
  const std::vector<Json> lines = ReadLines(KEELSON_TEST_DATA "/cel/eval.jsonl");
  ASSERT_GE(lines.size(), 2400u);
  Replay(lines);
}

TEST(RecordedEvaluation, RandomExpressionsGiveWhatCelGoGives) {
  const std::vector<Json> lines = ReadLines(KEELSON_TEST_DATA "/cel/eval_random.jsonl");
  ASSERT_GE(lines.size(), 1000u);
  Replay(lines);
}

}  // namespace
}  // namespace keelson::apiserver::cel
