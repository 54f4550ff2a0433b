// Replays what Kubernetes' own compiler made of several hundred expressions (tests/recorder_cel): types, trees, errors.
#include "keelson/apiserver/cel/check.h"

#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "keelson/api/json.h"
#include "keelson/apiserver/cel/function.h"
#include "keelson/apiserver/cel/library.h"
#include "keelson/apiserver/go_text.h"
#include "keelson/codec/json_reader.h"

namespace keelson::apiserver::cel {
namespace {

class NamedFields final : public ObjectFields {
 public:
  explicit NamedFields(std::map<std::string, Type, std::less<>> fields) : fields_(std::move(fields)) {}
  const Type* Find(std::string_view name) const override {
    auto found = fields_.find(name);
    if (found == fields_.end()) found = fields_.find("__" + std::string(name) + "__");  // a keyword
    return found == fields_.end() ? nullptr : &found->second;
  }

 private:
  const std::map<std::string, Type, std::less<>> fields_;
};

Type ObjectOf(std::string name, std::map<std::string, Type, std::less<>> fields) {
  return Type::Object(std::move(name), std::make_shared<NamedFields>(std::move(fields)));
}

// The same variables as the recorder's environment.
const Environment& RecordedEnvironment() {
  static const Environment& environment = *[] {
    const Type item =
        ObjectOf("Item", {{"name", Type::String()}, {"port", Type::Int()}, {"tags", Type::List(Type::String())}});
    const Type self = ObjectOf("Self", {{"name", Type::String()},
                                        {"replicas", Type::Int()},
                                        {"count", Type::Uint()},
                                        {"ratio", Type::Double()},
                                        {"enabled", Type::Bool()},
                                        {"data", Type::Bytes()},
                                        {"created", Type::Timestamp()},
                                        {"timeout", Type::Duration()},
                                        {"any", Type::Dyn()},
                                        {"item", item},
                                        {"tags", Type::List(Type::String())},
                                        {"items", Type::List(item)},
                                        {"labels", Type::Map(Type::String(), Type::String())},
                                        {"byName", Type::Map(Type::String(), item)},
                                        {"matrix", Type::List(Type::List(Type::Int()))},
                                        {"__if__", Type::String()},
                                        {"a__dash__b", Type::String()}});
    auto* made = new Environment{.functions = &KubernetesFunctions(), .types = KubernetesTypes()};
    made->variables = {{"self", self},
                       {"oldSelf", Type::Optional(self)},
                       {"b", Type::Bool()},
                       {"i", Type::Int()},
                       {"u", Type::Uint()},
                       {"f", Type::Double()},
                       {"s", Type::String()},
                       {"by", Type::Bytes()},
                       {"t", Type::Timestamp()},
                       {"p", Type::Duration()},
                       {"d", Type::Dyn()},
                       {"n", Type::Null()},
                       {"li", Type::List(Type::Int())},
                       {"ls", Type::List(Type::String())},
                       {"ld", Type::List(Type::Dyn())},
                       {"ms", Type::Map(Type::String(), Type::String())},
                       {"mi", Type::Map(Type::String(), Type::Int())},
                       {"md", Type::Map(Type::String(), Type::Dyn())},
                       {"os", Type::Optional(Type::String())},
                       {"a.b.c", Type::Int()},
                       {"w", Type::Wrapper(Type::Int())}};
    made->types.push_back(item);
    made->types.push_back(self);
    return made;
  }();
  return environment;
}

// The tree as the recorder writes it: every node as what@offset:type, a call with the overloads that it may mean.
class TreePrinter {
 public:
  std::string Print(const Expr& expr) {
    Write(expr);
    return std::move(out_);
  }

 private:
  void List(const std::vector<const Expr*>& exprs) {
    for (size_t i = 0; i < exprs.size(); ++i) {
      if (i > 0) out_ += ", ";
      Write(*exprs[i]);
    }
  }

  void Mark(const Expr& expr) { out_ += "@" + std::to_string(expr.offset) + ":" + expr.type.Name(); }

  // As Go quotes text in ASCII.
  static std::string Quote(std::string_view text) {
    std::string out = "\"";
    for (size_t i = 0; i < text.size();) {
      const uint32_t c = NextCodePoint(text, i);
      char buffer[16];
      switch (c) {
        case '\a': out += "\\a"; continue;
        case '\b': out += "\\b"; continue;
        case '\f': out += "\\f"; continue;
        case '\n': out += "\\n"; continue;
        case '\r': out += "\\r"; continue;
        case '\t': out += "\\t"; continue;
        case '\v': out += "\\v"; continue;
        case '"': out += "\\\""; continue;
        case '\\': out += "\\\\"; continue;
        default: break;
      }
      if (c >= 0x20 && c < 0x7f) {
        out += static_cast<char>(c);
        continue;
      }
      std::snprintf(buffer, sizeof buffer, c < 0x80 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\U%08x", c);
      out += buffer;
    }
    return out + "\"";
  }

  void Write(const Constant& constant) {
    if (std::holds_alternative<std::nullptr_t>(constant)) {
      out_ += "NULL_VALUE";
    } else if (const auto* boolean = std::get_if<bool>(&constant)) {
      out_ += *boolean ? "true" : "false";
    } else if (const auto* integer = std::get_if<int64_t>(&constant)) {
      out_ += std::to_string(*integer);
    } else if (const auto* uinteger = std::get_if<uint64_t>(&constant)) {
      out_ += std::to_string(*uinteger);
    } else if (const auto* number = std::get_if<double>(&constant)) {
      char buffer[64];
      const double size = std::fabs(*number);
      const bool plain = size == 0 || (size >= 1e-4 && size < 1e6);
      const auto format = plain ? std::chars_format::fixed : std::chars_format::scientific;
      out_.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, *number, format).ptr);
    } else if (const auto* text = std::get_if<std::string>(&constant)) {
      out_ += Quote(*text);
    } else {
      for (const char c : std::get<BytesConstant>(constant).bytes) {
        char buffer[3];
        std::snprintf(buffer, sizeof buffer, "%02x", static_cast<unsigned char>(c));
        out_ += buffer;
      }
    }
  }

  void Entries(const Expr& expr) {
    out_ += '(';
    for (size_t i = 0; i < expr.entries.size(); ++i) {
      const Entry& entry = expr.entries[i];
      if (i > 0) out_ += ", ";
      if (entry.optional) out_ += '?';
      if (entry.key != nullptr) {
        Write(*entry.key);
      } else {
        out_ += entry.field;
      }
      out_ += " => ";
      Write(*entry.value);
    }
    out_ += ')';
  }

  void Write(const Expr& expr) {
    switch (expr.kind) {
      case ExprKind::kError: out_ += "error"; break;
      case ExprKind::kConstant:
        Write(expr.constant);
        Mark(expr);
        break;
      case ExprKind::kIdent:
        out_ += expr.name;
        Mark(expr);
        break;
      case ExprKind::kSelect:
        out_ += (expr.test_only ? "has ." : ".") + expr.name;
        Mark(expr);
        out_ += '(';
        Write(*expr.operand);
        out_ += ')';
        break;
      case ExprKind::kCall: {
        out_ += expr.name;
        Mark(expr);
        out_ += '[';
        if (expr.name == operators::kOptionalSelect) out_ += "select_optional_field";
        for (size_t i = 0; i < expr.overloads.size(); ++i) out_ += (i > 0 ? " " : "") + expr.overloads[i]->id;
        out_ += "](";
        if (expr.operand != nullptr) {
          Write(*expr.operand);
          out_ += "; ";
        }
        List({expr.args.begin(), expr.args.end()});
        out_ += ')';
        break;
      }
      case ExprKind::kList:
        out_ += "list";
        Mark(expr);
        out_ += '[';
        for (size_t i = 0; i < expr.optional_elements.size(); ++i) {
          out_ += (i > 0 ? " " : "") + std::to_string(expr.optional_elements[i]);
        }
        out_ += "](";
        List({expr.args.begin(), expr.args.end()});
        out_ += ')';
        break;
      case ExprKind::kMap:
        out_ += "map";
        Mark(expr);
        Entries(expr);
        break;
      case ExprKind::kStruct:
        out_ += "message " + expr.name;
        Mark(expr);
        Entries(expr);
        break;
      case ExprKind::kComprehension: {
        const Comprehension& loop = *expr.comprehension;
        out_ += "loop";
        Mark(expr);
        out_ += "(" + loop.variable + ", " + loop.variable2 + ", " + loop.accumulator + "; ";
        List({loop.range, loop.init, loop.condition, loop.step, loop.result});
        out_ += ')';
        break;
      }
    }
  }

  std::string out_;
};

std::string Member(const Json& line, std::string_view name) {
  const Json* found = line.find(name);
  return found == nullptr ? "" : std::string(found->string());
}

TEST(CelCheck, CompilesAsKubernetesDoes) {
  std::ifstream file(KEELSON_TEST_DATA "/cel/check.jsonl");
  int lines = 0;
  int same = 0;
  for (std::string text; std::getline(file, text); ++lines) {
    const Result<Json> line = ParseJson(text);
    ASSERT_TRUE(line) << text;
    const std::string expression = Member(*line, "expression");
    SCOPED_TRACE(expression.substr(0, 300));
    const Ast ast = Compile(expression, RecordedEnvironment());
    const std::string error = Member(*line, "error");
    const std::string tree = Member(*line, "tree");
    EXPECT_EQ(ast.ErrorText(), error);
    if (ast.errors.empty() && error.empty()) {
      EXPECT_EQ(ast.type().Name(), Member(*line, "type"));
      if (!tree.empty()) {
        EXPECT_EQ(TreePrinter().Print(*ast.root), tree);
      }
    }
    same += ast.ErrorText() == error ? 1 : 0;
  }
  EXPECT_GT(lines, 700);
  EXPECT_EQ(same, lines);
}

}  // namespace
}  // namespace keelson::apiserver::cel
